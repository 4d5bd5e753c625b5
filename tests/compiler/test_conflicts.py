"""Conflicts: pins that cannot be kept together, in words: who, how many bytes, at which step, and what would help."""

from dataclasses import replace

import pytest
from frozendict import frozendict

from compiler.graph import ModelGraph
from compiler.joint.clashes import Clashes
from compiler.joint.conflict import Settled, settled
from compiler.loops import LoopProgram
from compiler.passes.divide_matmul import DivideMatmul
from compiler.passes.divide_rest import DivideRest
from compiler.passes.reduce_span import ReduceSpan
from compiler.pins import Pins, PinState
from compiler.pipeline import compile_problem
from compiler.problem import Problem
from compiler.solvers.joint.faults import Stay, faults
from compiler.solvers.joint.judge import trivial
from compiler.solvers.joint.pack import Clash
from compiler.solvers.joint.problem import HOME
from tests.compiler.shapes import run, unplanned
from tests.programs import problem_of, softmax
from tests.sketch import Sketch


def two(rows: int = 512) -> LoopProgram:
    sketch = Sketch("two")
    x = sketch.input("x", rows, 1024)
    sketch.output(sketch.apply("sub", sketch.apply("neg", x), sketch.apply("abs", x)))
    return sketch.program()


def settled_for(program: LoopProgram, pins: Pins, cores: int = 32, moves: bool = True) -> Settled:
    """What becomes of pins on a program divided op by op."""
    problem = problem_of(program, pins)
    problem = replace(problem, device=problem.device.with_cores(cores))
    plan = run((ReduceSpan(), DivideMatmul(), DivideRest()), problem, unplanned(problem))
    found = settled(problem, plan, moves)
    assert faults(found.ground.problem, found.guide) == []
    return found


IN = frozendict({"neg": "lx", "abs": "lx"})


def divided(**divisions: tuple[tuple[str, int], ...]) -> frozendict[str, frozendict[str, int]]:
    return frozendict((op, frozendict(factors)) for op, factors in divisions.items())


ONE = (("i", 1),)


@pytest.mark.parametrize(
    ("division", "cores", "because", "remedy"),
    [
        (divided(), 1, "", "Use 2 cores instead of 1"),
        (divided(neg=ONE), 32, " (neg is pinned to 1 core)", "Divide neg by i 4 j 8"),
        (
            divided(neg=ONE, abs=ONE, sub=ONE),
            32,
            " (neg is pinned to 1 core and abs to 1 core)",
            "Divide neg, abs and sub by i 4 j 8",
        ),
    ],
)
def test_a_lack_of_room_names_bytes_step_and_remedies(
    division: frozendict[str, frozendict[str, int]], cores: int, because: str, remedy: str
) -> None:
    words = (
        f"neg 1,048,576 B and abs 1,048,576 B per core need to be in LX at abs{because}: 471,808 B are lacking, as it "
        f"has 1,625,344 B. {remedy} or unpin placement:neg"
    )
    assert settled_for(two(), Pins(placement=IN, division=division), cores).refused == {"placement:abs": words}


def test_the_first_of_two_pins_wins() -> None:
    turned = Pins(placement=frozendict({"abs": "lx", "neg": "lx"}))
    found = settled_for(two(), turned, cores=1)
    assert found.refused.keys() == {"placement:neg"}
    assert [item.name for item in found.ground.problem.items if item.pinned] == ["abs"]


def test_a_remedy_helps() -> None:
    """What is said to help is done, and the pins are kept."""
    assert settled_for(two(), Pins(placement=IN), cores=2).refused == {}
    better = divided(neg=(("i", 4), ("j", 8)))
    assert settled_for(two(), Pins(placement=IN, division=better)).refused == {}
    all_of_them = dict.fromkeys(("neg", "abs", "sub"), (("i", 4), ("j", 8)))
    assert settled_for(two(), Pins(placement=IN, division=divided(**all_of_them))).refused == {}


@pytest.mark.parametrize(
    ("cores", "division", "words"),
    [
        (
            32,
            divided(neg=ONE),
            (
                "neg takes 4,194,304 B per core at least (neg is pinned to 1 core): 2,568,960 B are lacking, as LX has "
                "1,625,344 B. Divide neg by i 4 j 8"
            ),
        ),
        (
            2,
            divided(),
            (
                "neg takes 2,097,152 B per core at least: 471,808 B are lacking, as LX has 1,625,344 B. "
                "Use 4 cores instead of 2"
            ),
        ),
    ],
)
def test_what_is_too_large_by_itself_says_so(
    cores: int, division: frozendict[str, frozendict[str, int]], words: str
) -> None:
    pins = Pins(placement=frozendict({"neg": "lx"}), division=division)
    assert settled_for(two(2048), pins, cores).refused == {"placement:neg": words}


ACROSS = divided(neg=(("i", 8),), sub=(("j", 8),))


@pytest.mark.parametrize(
    ("pins", "moves", "remedy"),
    [
        (Pins(placement=frozendict({"neg": "lx"}), division=ACROSS), False, "let it go over the ring (moves=yes)"),
        (
            Pins(placement=frozendict({"neg": "lx"}), division=ACROSS, relayout=frozendict({"neg": "none"})),
            True,
            "unpin relayout:neg",
        ),
    ],
)
def test_divisions_that_do_not_meet_are_named(pins: Pins, moves: bool, remedy: str) -> None:
    words = "neg is pinned to i 8 and sub to j 8: no core of sub finds its part of neg at home"
    assert settled_for(two(), pins, moves=moves).refused == {"placement:neg": f"{words}. Divide neg by j 8 or {remedy}"}
    again = replace(pins, division=divided(neg=(("j", 8),), sub=(("j", 8),)))
    assert settled_for(two(), again, moves=moves).refused == {}
    free = replace(pins, relayout=frozendict())
    assert settled_for(two(), free).refused == {}, "with moves and no pin against them the ring carries it"


def test_a_tie_that_keeps_a_buffer_out_is_refused_as_the_later_pin() -> None:
    division = divided(abs=(("i", 8),), sub=(("j", 8),))
    pins = Pins(placement=frozendict({"neg": "lx"}), division=division, same=frozendict({"neg": "abs"}))
    found = settled_for(two(), pins, moves=False)
    assert found.refused == {
        "same:neg": "abs is pinned to i 8 and sub to j 8, and no division of neg suits neg in LX and neg divided like "
        "abs at the same time. Divide sub by i 8 or unpin placement:neg"
    }
    assert found.ground.problem.ties == ()


def test_a_mask_is_in_the_way_whatever_is_pinned() -> None:
    sketch = Sketch("masked")
    sketch.output(sketch.pad(sketch.apply("neg", sketch.input("x", 64, 128)), 0, 64))
    found = settled_for(sketch.program(), Pins(placement=frozendict({"neg": "lx"})))
    assert found.refused == {"placement:neg": "pad reads it under a mask. Make the reader use the whole buffer."}


def test_bytes_that_fit_without_addresses_say_from_where_to_where() -> None:
    found = settled_for(softmax(), Pins())
    problem = problem_of(softmax())
    numbers = {item.name: number for number, item in enumerate(found.ground.problem.items)}
    stays = tuple(Stay(numbers[name], HOME, 0, 1024, 1, 5) for name in ("sub", "exp"))
    clash = Clash(stays, 2, 4, 2048, 4096, proved=True)
    words = Clashes(problem, found.ground, frozenset(), moves=True).no_addresses(clash, "placement:exp")
    steps = [task.name for task in found.ground.problem.tasks]
    assert words == (
        f"sub and exp from {steps[1]} to {steps[2]}: their 2,048 B per core are no more than the 4,096 B of LX, and "
        "yet there are no addresses at which none has to move. Unpin placement:sub"
    )


def test_nothing_asked_for_settles_on_device_memory() -> None:
    found = settled_for(softmax(), Pins())
    assert found.guide == trivial(found.ground.problem)
    assert found.starts([]) == [found.guide]


@pytest.mark.parametrize("solver", ["cp-sat", "greedy", "annealing"])
def test_pins_that_clash_never_stop_a_compilation(solver: str) -> None:
    problem = problem_of(two(), Pins(placement=IN))
    problem = Problem(problem.program, problem.device.with_cores(1), problem.pins)
    stages = "assign-layouts,insert-restickify,order-dims,pad-operands,reduce-span,divide-matmul,divide-rest"
    pipeline = f"{stages},co-optimize{{solver={solver} seconds=2.0}}"
    found = compile_problem(ModelGraph("two", (), (), ()), problem, pipeline=pipeline)
    states = [status.state for status in found.plan.pins.values()]
    assert states == [PinState.HONOURED, PinState.REFUSED]
    assert all("infeasible" not in status.detail for status in found.plan.pins.values())
