"""Which steps wait for which, from what they read and write."""

from simulator.timing.dependencies import needs_of, stored_tensors
from tests.simulator.timing.clock_cases import act, program_of


def needs(*steps: tuple[str, str]) -> tuple[tuple[int, ...], ...]:
    """The needs of steps that read and write so."""
    kernel = [
        act(str(place), [0], reads=tuple(reads.split()), writes=tuple(writes.split()))
        for place, (reads, writes) in enumerate(steps)
    ]
    program = program_of([kernel], 1)
    return needs_of(program.kernels[0].ops, stored_tensors(program))


def test_a_reader_needs_the_last_writer_only() -> None:
    assert needs(("", "t"), ("", "t"), ("t", "u"), ("t u", "v")) == ((), (0,), (1,), (1, 2))


def test_a_writer_needs_all_readers_since_the_last_writer() -> None:
    assert needs(("t", "a"), ("t", "b"), ("", "t"), ("t", "c"), ("", "t")) == ((), (), (0, 1), (2,), (2, 3))


def test_a_step_that_reads_what_it_writes_does_not_need_itself() -> None:
    assert needs(("t", "t"), ("t", "t"), ("t t", "u")) == ((), (0,), (1,))


def test_what_stays_in_lx_asks_for_no_order() -> None:
    assert needs(("", "lx_t"), ("lx_t", "u"), ("u", "")) == ((), (), (1,))
