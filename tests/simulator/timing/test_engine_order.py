"""Who waits for whom: producers, readers, kernels, partners of the ring, partial results and the host, by hand."""

import pytest

from compiler.errors import InputError, StoppedError
from simulator.timing.engine import run
from simulator.timing.timeline import Cause, Timeline
from simulator.timing.work import Hop
from tests.simulator.timing.clock_cases import RATE, SPYRE, Act, act, device_of, on_host, parts_sent, program_of, timed

RING = SPYRE.number("ring_bytes_per_ns")


def reason(timeline: Timeline, step: int, core: int) -> tuple[Cause, int, int]:
    """What a core waited for, and whose end that was."""
    return (
        Cause(int(timeline.cause[step, core])),
        int(timeline.by_step[step, core]),
        int(timeline.by_core[step, core]),
    )


def test_a_reader_waits_for_the_writer_on_another_core() -> None:
    found = timed([act("a", [0, 1], own=[100, 40], writes=("t",)), act("b", [0, 1], own=10, reads=("t",))], cores=2)
    assert found.ready[1].tolist() == [100, 40]
    assert found.start[1].tolist() == [100, 100]
    assert reason(found, 1, 0) == (Cause.ORDER, 0, 0)
    assert reason(found, 1, 1) == (Cause.PRODUCER, 0, 0)
    assert reason(found, 0, 0) == (Cause.NOTHING, -1, -1)


def test_nobody_waits_for_what_stays_in_lx() -> None:
    steps = [act("a", [0, 1], own=[100, 40], writes=("lx_t",)), act("b", [0, 1], own=10, reads=("lx_t",))]
    assert timed(steps, cores=2).end[1].tolist() == [110, 50]


def test_a_writer_waits_for_those_who_still_read() -> None:
    steps = [act("a", [0], own=100, reads=("t",)), act("b", [1], own=10, writes=("t",))]
    found = timed(steps, cores=2)
    assert found.start[1, 1] == 100
    assert reason(found, 1, 1) == (Cause.PRODUCER, 0, 0)


def test_a_writer_waits_for_the_writer_before() -> None:
    found = timed([act("a", [0], own=100, writes=("t",)), act("b", [1], own=10, writes=("t",))], cores=2)
    assert found.start[1, 1] == 100


def test_of_two_producers_the_later_one_is_named() -> None:
    steps = [
        act("a", [0], own=100, writes=("s",)),
        act("b", [1], own=60, writes=("t",)),
        act("c", [2], own=10, reads=("s", "t")),
    ]
    assert reason(timed(steps, cores=3), 2, 2) == (Cause.PRODUCER, 0, 0)


def test_a_kernel_begins_when_the_one_before_has_ended_everywhere() -> None:
    kernels = [act("a", [0, 1], own=[30, 50])], [act("b", [0, 1], own=10)]
    found = timed(*kernels, cores=2, device=device_of(2, kernel_launch_ns=7))
    assert found.kernel_start.tolist() == [7, 64]
    assert found.kernel_end.tolist() == [57, 74]
    assert found.ready[1].tolist() == [64, 64]
    assert reason(found, 0, 0) == (Cause.LAUNCH, -1, -1)
    assert reason(found, 1, 0) == (Cause.LAUNCH, 0, 1)
    assert found.total_ns == 74


def test_of_steps_that_end_a_kernel_together_the_first_is_named() -> None:
    found = timed([act("a", [1], own=50), act("b", [0], own=50)], [act("c", [0], own=10)], cores=2)
    assert reason(found, 2, 0) == (Cause.LAUNCH, 0, 1)


def test_an_empty_kernel_costs_its_launch() -> None:
    found = timed([act("a", [0], own=30)], [], [act("b", [0], own=10)], device=device_of(4, kernel_launch_ns=7))
    assert found.kernel_start.tolist() == [7, 44, 51]
    assert reason(found, 1, 0) == (Cause.LAUNCH, 0, 0)


def test_parts_of_two_cores_meet_on_a_link() -> None:
    """Core 2 gets a part from 0 and one from 1: both take the link from 1 to 2.  Core 3 only walks, and waits."""
    parts = parts_sent((0, 2, round(10 * RING)), (1, 2, round(10 * RING)))
    found = timed([act("a", range(4), ring=5, fragments=parts)])
    assert found.computed[0].tolist() == pytest.approx([20, 20, 20, 5])
    assert found.end[0].tolist() == pytest.approx([20] * 4)
    assert found.bound[0].tolist() == [Cause.RING] * 3 + [Cause.PARTNER]
    assert found.alone_ns[0].tolist() == pytest.approx([10, 10, 20, 5])


def test_a_walk_that_takes_longer_than_the_links_decides() -> None:
    parts = parts_sent((0, 1, round(10 * RING)), (1, 0, round(10 * RING)))
    found = timed([act("a", [0, 1], ring=[30, 10], fragments=parts)], cores=2)
    assert found.total_ns == 30
    assert found.bound[0].tolist() == [Cause.COMPUTE, Cause.PARTNER]


def test_partners_of_the_ring_wait_for_the_last() -> None:
    parts = parts_sent((0, 1, 1), (1, 0, 1))
    steps = [
        act("a", [0, 1], own=[100, 40]),
        act("move", [0, 1], ring=10, fragments=parts),
        act("b", [0, 1], own=1),
    ]
    found = timed(steps, cores=2)
    assert found.start[1].tolist() == [100, 100]
    assert reason(found, 1, 0) == (Cause.ORDER, 0, 0)
    assert reason(found, 1, 1) == (Cause.PARTNER, 0, 0)
    assert found.start[2].tolist() == [110, 110]


def test_a_core_that_only_sends_takes_part() -> None:
    """Core 0 holds what core 1 gets, and is not listed: the step waits for it, and it for the step."""
    parts = parts_sent((0, 1, round(20 * RING)))
    steps = [act("a", [0], own=50), act("move", [1], ring=10, fragments=parts), act("b", [0], own=1)]
    found = timed(steps, cores=2)
    assert found.start[1].tolist() == [50, 50]
    assert found.end[1].tolist() == pytest.approx([70, 70])
    assert found.start[2, 0] == pytest.approx(70)


def test_partial_results_go_from_core_to_core() -> None:
    """0 is ready at 10 and waits for 1 until 20; 2 has waited for 1 since 5; 3 is ready at 40, after 2."""
    hops = tuple(Hop(core, core + 1, 7.0) for core in range(3))
    found = timed([act("a", range(4), own=[10, 20, 5, 40], write=[0, 0, 0, 3], hops=hops)])
    assert found.computed[0].tolist() == [10, 20, 5, 40]
    assert found.wait[0].tolist() == [0, 7, 29, 7]
    assert found.end[0].tolist() == [27, 34, 47, 50]
    assert found.bound[0].tolist() == [Cause.PARTIAL, Cause.COMPUTE, Cause.PARTIAL, Cause.COMPUTE]
    assert found.alone_ns[0].tolist() == [17, 34, 19, 50]


def test_partial_results_that_take_no_time() -> None:
    hops = (Hop(0, 1, 0.0), Hop(1, 2, 0.0))
    found = timed([act("a", range(3), own=[10, 20, 5], hops=hops), act("b", range(3), own=1)], cores=3)
    assert found.end[0].tolist() == [20, 20, 20]
    assert found.end[1].tolist() == [21, 21, 21]


def test_two_partial_results_for_one_core_come_side_by_side() -> None:
    found = timed([act("a", range(3), own=[10, 20, 5], hops=(Hop(0, 2, 6.0), Hop(1, 2, 3.0)))], cores=3)
    assert found.end[0].tolist() == [16, 23, 23]
    assert found.wait[0, 2] == 18


def test_the_host_keeps_everybody_waiting() -> None:
    moved = round(100 * RATE)
    steps = [act("a", [0, 1], own=[100, 40]), on_host("sort", moved), act("b", [1], own=5)]
    found = timed(steps, cores=3)
    assert found.start[1].tolist() == [100] * 3
    assert found.end[1].tolist() == pytest.approx([200] * 3)
    assert found.bound[1].tolist() == [Cause.MEMORY] * 3
    assert reason(found, 1, 1) == (Cause.PARTNER, 0, 0)
    assert found.start[2, 1] == pytest.approx(200)
    assert reason(found, 2, 1) == (Cause.ORDER, 1, 1)


def test_a_step_without_cores_keeps_nobody_waiting() -> None:
    found = timed([act("a", [], writes=("t",)), act("b", [0], own=5, reads=("t",))], cores=1)
    assert found.total_ns == 5
    assert found.end[0].tolist() == [-1]


def test_hand_overs_in_a_circle_are_found() -> None:
    with pytest.raises(ValueError, match="wait for each other"):
        timed([act("a", [0, 1], own=1, hops=(Hop(0, 1, 1.0), Hop(1, 0, 1.0)))], cores=2)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (act("a", [0], own=1, hops=(Hop(0, 1, 1.0),)), "passes its partial result on once"),
        (act("a", [0, 1, 2], own=1, hops=(Hop(0, 1, 1.0), Hop(0, 2, 1.0))), "passes its partial result on once"),
        (act("a", [4], own=1), "a core that the program does not have"),
        (act("a", [0], ring=1, fragments=parts_sent((0, 9, 1))), "a core that the program does not have"),
    ],
)
def test_work_that_makes_no_sense_is_refused(wrong: Act, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        timed([wrong], cores=4)


def test_work_of_another_program_is_refused() -> None:
    program = program_of([[act("a", [0])]], 1)
    with pytest.raises(ValueError, match="work for every step"):
        run(program, [act("b", [0]).work], SPYRE)


def test_a_program_for_more_cores_than_the_device_has_is_refused() -> None:
    with pytest.raises(InputError, match=r"compiled for 4 cores, and .* has 2"):
        timed([act("a", [0])], cores=4, device=device_of(2))


def test_a_run_ends_when_it_is_told_to() -> None:
    steps = [act(f"s{number}", [0], own=1) for number in range(10)]
    told: list[float] = []
    with pytest.raises(StoppedError):
        run(
            program_of([steps], 1),
            [step.work for step in steps],
            SPYRE,
            progress=lambda share, _: told.append(share),
            stopped=lambda: len(told) == 4,
        )
    assert told == pytest.approx([0.1, 0.2, 0.3, 0.4])


def test_progress_is_told_a_hundred_times_at_most() -> None:
    steps = [act(f"s{number}", [0], own=1) for number in range(350)]
    told: list[tuple[float, str]] = []
    run(program_of([steps], 1), [s.work for s in steps], SPYRE, progress=lambda share, name: told.append((share, name)))
    assert len(told) == 100
    assert told[-1] == (1.0, "s349")
    assert [share for share, _ in told] == sorted(share for share, _ in told)
