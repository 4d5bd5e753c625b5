"""Division pins: kept exactly, adjusted with a sentence, or refused with one, and never dropped."""

from dataclasses import replace

import pytest
from frozendict import frozendict

from compiler.check import check_partial
from compiler.division import Division
from compiler.layout import stick_layout
from compiler.loops import LoopProgram
from compiler.passes.divide_matmul import DivideMatmul
from compiler.passes.divide_rest import DivideRest
from compiler.pins import Pins, PinState, PinStatus
from compiler.plan import Edit, EditKind
from compiler.problem import Problem
from tests.compiler.shapes import divided, factors, run, unplanned
from tests.programs import chain, problem_of, product, softmax
from tests.sketch import Sketch

PRODUCT = product(512, 1024, 1024)
DECIDED = frozenset({"layouts", "edits", "divisions", "pins"})


def pinned(program: LoopProgram, op: str, cores: int = 32, limit: int = 0, **wanted: int) -> Problem:
    problem = problem_of(program, Pins(division=frozendict({op: frozendict(wanted)})))
    device = problem.device.with_cores(cores)
    if limit:
        device = device.with_number("span_limit_bytes", limit)
    return replace(problem, device=device)


def outcome(problem: Problem, op: str) -> tuple[PinStatus, dict[str, int]]:
    plan = divided(problem)
    return plan.pins[f"division:{op}"], factors(plan, op) if op in plan.divisions else {}


@pytest.mark.parametrize("wanted", [{"i": 2}, {"i": 2, "j": 16}, {"j": 16, "k": 2}, {"i": 1, "j": 4}, {"i": 32}])
def test_a_legal_pin_is_kept_exactly(wanted: dict[str, int]) -> None:
    status, found = outcome(pinned(PRODUCT, "matmul", **wanted), "matmul")
    assert status == PinStatus(PinState.HONOURED)
    assert found == {loop: factor for loop, factor in wanted.items() if factor > 1}


def test_a_pin_of_ones_leaves_the_op_on_one_core() -> None:
    plan = divided(pinned(PRODUCT, "matmul", i=1))
    assert plan.divisions["matmul"] == Division()
    assert plan.reasons["division:matmul"] == "pinned"


def test_only_the_pinned_op_changes() -> None:
    free = divided(problem_of(softmax()))
    held = divided(pinned(softmax(), "exp", i=4, j=8))
    assert factors(held, "exp") == {"i": 4, "j": 8}
    assert {op: held.divisions[op] for op in held.divisions if op != "exp"} == {
        op: free.divisions[op] for op in free.divisions if op != "exp"
    }


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        ({"q": 2}, "matmul has no loop q; its loops are i, j, k"),
        ({"j": 3}, "3 does not divide the 16 sticks of j; up to 32 cores 1, 2, 4, 8, 16 do"),
        ({"j": 64}, "64 does not divide the 16 sticks of j; up to 32 cores 1, 2, 4, 8, 16 do"),
        ({"i": 2.0}, "the factor of i is 2.0, not a whole number"),
        ({"i": 33}, "33 does not divide the 512 iterations of i; up to 32 cores 1, 2, 4, 8, 16, 32 do"),
        ({"i": 64}, "i 64 needs 64 cores and 32 are available"),
        ({"i": 1, "j": 1, "k": 64}, "64 does not divide the 16 sticks of k; up to 32 cores 1, 2, 4, 8, 16 do"),
        ({"i": 4, "j": 16, "q": 2}, "matmul has no loop q; its loops are i, j, k"),
        ({"i": 32, "j": 0}, "the factor of j is 0, and the least is 1"),
        ({"d2": 2}, "d2 is no loop of matmul: matmul has 2 dims"),
        ({"d0": 3}, "3 does not divide the 512 iterations of i; up to 32 cores 1, 2, 4, 8, 16, 32 do"),
        ({"d0": 2, "i": 4}, "d0 and i are the same loop of matmul"),
    ],
)
def test_a_pin_that_cannot_be_kept_is_refused_with_a_sentence(wanted: dict[str, int], sentence: str) -> None:
    status, found = outcome(pinned(PRODUCT, "matmul", **wanted), "matmul")
    assert status == PinStatus(PinState.REFUSED, sentence)
    assert found == factors(divided(problem_of(PRODUCT)), "matmul"), "the op gets its automatic division"


@pytest.mark.parametrize(
    ("wanted", "kept", "sentence"),
    [
        ({"i": 16, "j": 4}, {"i": 16}, "j 4 left out: i 16 x j 4 needs 64 cores and 32 are available"),
        ({"j": 4, "i": 16}, {"j": 4}, "i 16 left out: j 4 x i 16 needs 64 cores and 32 are available"),
        (
            {"i": 16, "j": 4, "k": 2},
            {"i": 16, "k": 2},
            "j 4 left out: i 16 x j 4 needs 64 cores and 32 are available",
        ),
        ({"i": 64, "j": 16}, {"j": 16}, "i 64 left out: i 64 needs 64 cores and 32 are available"),
    ],
)
def test_what_is_named_first_takes_the_cores(wanted: dict[str, int], kept: dict[str, int], sentence: str) -> None:
    """A factor beyond the cores is left out before it is asked whether it divides, and the status says so."""
    status, found = outcome(pinned(PRODUCT, "matmul", **wanted), "matmul")
    assert status == PinStatus(PinState.ADJUSTED, sentence)
    assert found == kept


def test_every_factor_that_is_left_out_is_named() -> None:
    status, found = outcome(pinned(PRODUCT, "matmul", i=32, j=2, k=2), "matmul")
    assert status.detail == (
        "j 2 left out: i 32 x j 2 needs 64 cores and 32 are available; "
        "k 2 left out: i 32 x k 2 needs 64 cores and 32 are available"
    )
    assert found == {"i": 32}


def test_loops_that_are_not_named_stay_whole() -> None:
    """k alone: no other loop takes the 28 cores that are left."""
    status, found = outcome(pinned(PRODUCT, "matmul", k=4), "matmul")
    assert status == PinStatus(PinState.HONOURED)
    assert found == {"k": 4}


@pytest.mark.parametrize(
    ("wanted", "found"),
    [({"d0": 4}, {"i": 4}), ({"d1": 8, "d0": 2}, {"i": 2, "j": 8}), ({"d1": 2, "k": 8}, {"j": 2, "k": 8})],
)
def test_loops_may_be_named_by_the_dim_of_the_result(wanted: dict[str, int], found: dict[str, int]) -> None:
    problem = pinned(PRODUCT, "matmul", **wanted)
    plan = divided(problem)
    assert plan.pins["division:matmul"] == PinStatus(PinState.HONOURED)
    assert factors(plan, "matmul") == found
    assert not [verdict for verdict in check_partial(problem, plan, DECIDED) if not verdict.ok]
    wrong = replace(plan, divisions=plan.divisions.set("matmul", Division()))
    assert [verdict.check for verdict in check_partial(problem, wrong, DECIDED) if not verdict.ok] == ["pins"]


def test_dims_of_size_one_have_no_loop() -> None:
    program = product(1, 256, 512)
    status, _ = outcome(pinned(program, "matmul", d0=2, d1=4), "matmul")
    assert status.detail == "d0 is no loop of matmul: dim 0 of matmul has size 1"
    problem = pinned(program, "matmul", d0=1, d1=4)
    status, found = outcome(problem, "matmul")
    assert (status.state, found) == (PinState.HONOURED, {"j": 4})
    assert not [verdict for verdict in check_partial(problem, divided(problem), DECIDED) if not verdict.ok]


def test_loops_of_a_copy_are_its_dims() -> None:
    edit = Edit("neg.x", EditKind.RESTICKIFY, "x", "x.i", "neg", ("neg",))
    layouts = {name: stick_layout((1024, 256), (256, 1), 64, (1, 0)) for name in ("x.i", "neg", "relu")} | {
        "x": stick_layout((1024, 256), (256, 1), 64)
    }
    plan = divided(pinned(chain(1024, 256), "neg.x", d1=4, d0=2), layouts, (edit,))
    assert plan.pins["division:neg.x"] == PinStatus(PinState.HONOURED)
    assert factors(plan, "neg.x") == {"d0": 2, "d1": 4}


def test_a_factor_that_is_left_out_may_be_needed_for_the_span() -> None:
    """k 4 finds no cores beside i 16, but x spans too much without k 2."""
    status, found = outcome(pinned(product(8192, 32768, 4096), "matmul", i=16, k=4), "matmul")
    assert status == PinStatus(
        PinState.ADJUSTED,
        "k 4 left out: i 16 x k 4 needs 64 cores and 32 are available; "
        "k 2 added: without, x needs a span of 536,870,912 B on one core and the limit is 268,435,456 B",
    )
    assert found == {"i": 16, "k": 2}


def test_an_unknown_op_is_refused_with_the_nearest_names() -> None:
    status, _ = outcome(pinned(softmax(), "truedov", i=2), "truedov")
    assert status == PinStatus(PinState.REFUSED, "there is no op truedov; the nearest name is truediv")
    status, _ = outcome(pinned(softmax(), "zzzzzz", i=2), "zzzzzz")
    assert status.detail == "there is no op zzzzzz; there are max, sub, exp, sum, truediv"


def test_a_host_op_is_refused() -> None:
    sketch = Sketch("host")
    sketch.output(sketch.opaque("sort", sketch.input("x", 8, 64)))
    status, found = outcome(pinned(sketch.program(), "sort", i=2), "sort")
    assert status == PinStatus(PinState.REFUSED, "sort runs on the host and is not divided")
    assert not found


def test_a_pin_below_the_span_floor_is_refused() -> None:
    """x[8192, 32768] spans 512 MiB unless k is cut in two; k 1 is what the pin says."""
    status, found = outcome(pinned(product(8192, 32768, 4096), "matmul", k=1, i=8), "matmul")
    assert status.state is PinState.REFUSED
    assert status.detail == (
        "below the span floor: x needs a span of 536,870,912 B on one core and the limit is 268,435,456 B; "
        "it takes at least k 2"
    )
    assert found == {"k": 2, "i": 16}


def test_a_loop_the_pin_does_not_name_is_raised_for_the_span_floor() -> None:
    problem = pinned(product(8192, 32768, 4096), "matmul", i=8)
    status, found = outcome(problem, "matmul")
    assert status.state is PinState.ADJUSTED
    assert status.detail == (
        "k 2 added: without, x needs a span of 536,870,912 B on one core and the limit is 268,435,456 B"
    )
    assert found == {"i": 8, "k": 2}
    assert divided(problem).reasons["division:matmul"] == f"pinned; {status.detail}"


def test_a_pin_that_meets_the_span_limit_in_its_own_way_is_kept() -> None:
    status, found = outcome(pinned(product(8192, 32768, 4096), "matmul", k=8, j=2), "matmul")
    assert status == PinStatus(PinState.HONOURED)
    assert found == {"k": 8, "j": 2}


def test_no_room_for_the_span_floor_is_refused() -> None:
    status, _ = outcome(pinned(product(8192, 32768, 4096), "matmul", i=32), "matmul")
    assert status.state is PinState.REFUSED
    assert "below the span floor" in status.detail


@pytest.mark.parametrize("first", [DivideMatmul(), DivideRest()])
def test_pins_are_decided_by_whichever_pass_comes_first(first: DivideMatmul | DivideRest) -> None:
    problem = pinned(PRODUCT, "matmul", i=2)
    plan = run((first,), problem, unplanned(problem))
    assert plan.pins["division:matmul"].state is PinState.HONOURED
    assert factors(plan, "matmul") == {"i": 2}


def test_several_pins_each_have_a_status() -> None:
    pins = Pins(
        division=frozendict({"neg": frozendict(i=4), "nag": frozendict(i=4), "relu": frozendict(i=5)}),
        tiles=frozendict(neg=frozendict(i=2)),
    )
    plan = divided(problem_of(chain(64, 128), pins))
    assert {key: status.state for key, status in plan.pins.items()} == {
        "division:neg": PinState.HONOURED,
        "division:nag": PinState.REFUSED,
        "division:relu": PinState.REFUSED,
        "tiles:neg": PinState.REFUSED,
    }
    assert set(plan.pins) == set(pins.keys)
    assert "does not tile loops" in plan.pins["tiles:neg"].detail


def test_fewer_cores_refuse_what_more_cores_allowed() -> None:
    status, _ = outcome(pinned(PRODUCT, "matmul", cores=4, i=8), "matmul")
    assert status.detail == "i 8 needs 8 cores and 4 are available"
