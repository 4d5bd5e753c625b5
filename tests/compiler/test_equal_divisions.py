"""Equal divisions, op after op: one follows the other along chains, takes what it can, and says what it left out."""

import pytest
from frozendict import frozendict

from compiler.graph import ModelGraph
from compiler.loops import LoopProgram
from compiler.pins import Pins, PinState, PinStatus
from compiler.pipeline import compile_problem
from tests.compiler.shapes import divided, factors
from tests.programs import problem_of, softmax
from tests.sketch import Sketch

HONOURED = PinStatus(PinState.HONOURED)
GRAPH = ModelGraph("", (), (), ())
SAME = frozendict({"exp": "truediv", "sub": "exp"})


def test_an_op_follows_the_one_it_names_along_a_chain() -> None:
    plan = divided(problem_of(softmax(), Pins(same=SAME)))
    assert plan.pins == {"same:exp": HONOURED, "same:sub": HONOURED}
    assert factors(plan, "sub") == factors(plan, "exp") == factors(plan, "truediv") == {"i": 32}
    assert plan.reasons["division:sub"] == "the division of exp, as pinned"


@pytest.mark.parametrize("pinned", ["sub", "exp", "truediv"])
def test_a_division_pin_anywhere_in_a_chain_leads_it(pinned: str) -> None:
    pins = Pins(same=SAME, division=frozendict({pinned: frozendict({"i": 4, "j": 8})}))
    plan = divided(problem_of(softmax(), pins))
    assert set(plan.pins.values()) == {HONOURED}
    assert [factors(plan, name) for name in ("sub", "exp", "truediv")] == [{"i": 4, "j": 8}] * 3


def test_ops_pinned_to_other_divisions_are_not_tied_as_well() -> None:
    division = frozendict({"exp": frozendict({"i": 4}), "sub": frozendict({"i": 2})})
    plan = divided(problem_of(softmax(), Pins(same=SAME, division=division)))
    words = "exp is divided by i 4 and sub is pinned to i 2; unpin one of the two"
    assert plan.pins["same:sub"] == PinStatus(PinState.REFUSED, words)
    assert plan.pins["same:exp"] == HONOURED
    assert [factors(plan, name) for name in ("sub", "exp", "truediv")] == [{"i": 2}, {"i": 4}, {"i": 4}]


def test_two_pins_that_say_the_same_are_both_kept() -> None:
    division = frozendict({"exp": frozendict({"i": 4}), "sub": frozendict({"d0": 4})})
    plan = divided(problem_of(softmax(), Pins(same=SAME, division=division)))
    assert set(plan.pins.values()) == {HONOURED}


@pytest.mark.parametrize(
    ("same", "key", "words"),
    [
        ({"exp": "truedov"}, "exp", "there is no op truedov; the nearest name is truediv"),
        ({"expo": "exp"}, "expo", "there is no op expo; the nearest name is exp"),
        ({"exp": "exp"}, "exp", "exp has its own division in any case"),
    ],
)
def test_a_tie_to_nothing_is_refused(same: dict[str, str], key: str, words: str) -> None:
    pins = Pins(same=frozendict(same))
    for pipeline in ("staged", "co-optimized"):
        plan = compile_problem(GRAPH, problem_of(softmax(), pins), pipeline=pipeline).plan
        assert plan.pins[f"same:{key}"] == PinStatus(PinState.REFUSED, words)


CIRCLES = ({"exp": "sub", "sub": "exp"}, {"exp": "sub", "sub": "truediv", "truediv": "exp"})


@pytest.mark.parametrize("same", CIRCLES, ids=["two", "three"])
@pytest.mark.parametrize("pipeline", ["staged", "searched", "co-optimized"])
def test_pins_in_a_circle_ask_for_the_same_and_are_all_kept(same: dict[str, str], pipeline: str) -> None:
    plan = compile_problem(GRAPH, problem_of(softmax(), Pins(same=frozendict(same))), pipeline=pipeline).plan
    assert plan.pins == {f"same:{name}": HONOURED for name in same}
    assert len({str(factors(plan, name)) for name in same}) == 1


@pytest.mark.parametrize("pipeline", ["staged", "searched", "co-optimized"])
def test_in_a_circle_each_pin_is_refused_for_what_forbids_it(pipeline: str) -> None:
    division = frozendict({"exp": frozendict({"i": 4}), "sub": frozendict({"i": 2})})
    pins = Pins(same=frozendict({"exp": "sub", "sub": "exp"}), division=division)
    plan = compile_problem(GRAPH, problem_of(softmax(), pins), pipeline=pipeline).plan
    for key in ("same:exp", "same:sub"):
        assert plan.pins[key].state is PinState.REFUSED
        assert "circle" not in plan.pins[key].detail
        assert all(words in plan.pins[key].detail for words in ("i 4", "i 2", "is pinned to", "unpin one of"))


def hosted() -> LoopProgram:
    sketch = Sketch("hosted")
    x = sketch.input("x", 64, 128)
    kept = sketch.apply("neg", x)
    sketch.output(sketch.apply("add", kept, sketch.opaque("aten::sort", kept)))
    sketch.output(sketch.reduce("sum", kept, 1, keep=False))
    return sketch.program()


def test_ties_to_host_ops_and_to_results_of_other_rank_are_refused() -> None:
    program = hosted()
    host = next(op.name for op in program.ops if op.call is not None)
    plan = compile_problem(GRAPH, problem_of(program, Pins(same=frozendict({"add": host, "sum": "neg"})))).plan
    assert plan.pins["same:add"].detail == f"{host} runs on the host and is not divided"
    words = "the result of sum has 1 dim, that of neg 2: no telling which belong together"
    assert plan.pins["same:sum"] == PinStatus(PinState.REFUSED, words)


def narrow(columns: int) -> LoopProgram:
    """`neg` of 8 sticks by row and `abs` of fewer."""
    sketch = Sketch("narrow")
    sketch.output(sketch.apply("neg", sketch.input("x", 4, 512)), sketch.apply("abs", sketch.input("y", 4, columns)))
    return sketch.program()


def test_what_cannot_be_taken_over_is_named() -> None:
    division = frozendict({"neg": frozendict({"i": 4, "j": 8})})
    plan = divided(problem_of(narrow(128), Pins(same=frozendict({"abs": "neg"}), division=division)))
    words = "j 8 of neg left out: 8 does not divide the 2 sticks of j; up to 32 cores 1, 2 do"
    assert plan.pins["same:abs"] == PinStatus(PinState.ADJUSTED, words)
    assert factors(plan, "abs") == {"i": 4}
    assert plan.reasons["division:abs"] == f"the division of neg, as pinned; {words}"


def test_an_op_that_can_take_over_nothing_keeps_its_own_division() -> None:
    division = frozendict({"neg": frozendict({"j": 8})})
    free = divided(problem_of(narrow(128)))
    plan = divided(problem_of(narrow(128), Pins(same=frozendict({"abs": "neg"}), division=division)))
    assert plan.pins["same:abs"].state is PinState.REFUSED
    assert plan.divisions["abs"] == free.divisions["abs"]


def test_a_split_sum_is_shared_by_ops_that_sum() -> None:
    sketch = Sketch("sums")
    for label in ("one", "other"):
        left, right = sketch.input(f"{label}_x", 64, 256), sketch.input(f"{label}_y", 256, 64)
        sketch.output(sketch.matmul(left, right, label))
    sketch.output(sketch.apply("neg", sketch.input("z", 64, 64)))
    division = frozendict({"one": frozendict({"i": 4, "k": 2})})
    pins = Pins(same=frozendict({"other": "one", "neg": "one"}), division=division)
    plan = divided(problem_of(sketch.program(), pins))
    assert factors(plan, "other") == {"i": 4, "k": 2}
    assert plan.pins["same:other"] == HONOURED
    assert factors(plan, "neg") == {"i": 4}
    words = "one splits its reduction over 2 cores, which is left out: neg reduces nothing"
    assert plan.pins["same:neg"] == PinStatus(PinState.ADJUSTED, words)
