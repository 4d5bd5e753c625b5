"""Published rows on co-optimised programs (section 8.6), each for every search; S21 to S24, C9, P4 and P5 stand in
`joint/test_joint_rows`, the laws of C2 and the gates of C5 to C7 in `test_relayouts`.

C11 has no counterpart: there a product above 2^30 makes the objective fall back to another one without relayouts.  Here
the objective is always the exact price, in whole units as fine as the largest time allows.
"""

from collections.abc import Mapping, Sequence
from functools import cache

import pytest
from frozendict import frozendict

from compiler.compilation import Compilation
from compiler.cost.memory import one_way_us, turnaround_us
from compiler.device import load_device
from compiler.loops import LoopProgram
from compiler.pins import Pins
from compiler.pipeline import compile_problem
from compiler.plan import Edit, EditKind, ReasonCode, Slot
from compiler.problem import Problem
from compiler.solvers.joint.judge import firsts, trivial
from compiler.solvers.joint.problem import Bill, Choice, Item, JointProblem, Menu, Rates, Task
from compiler.solvers.joint.table import SEARCHES
from tests.compiler.joint.drawn_programs import GRAPH, spec
from tests.compiler.joint.grounds import Field, field_of
from tests.compiler.shapes import factors, slot, spilled
from tests.compiler.tiny import spyre
from tests.programs import attention, chain, transposed
from tests.sketch import Sketch

Factors = Mapping[str, Mapping[str, int]]
SECONDS = 5.0
PUBLISHED: Factors = {"neg": {"j": 8}, "relu": {"j": 4, "l": 2}}
SCORES_BYTES = 4 * 512 * 512 * 2


def pinned(divisions: Factors, outside: Sequence[str] = ()) -> Pins:
    cut = frozendict((op, frozendict(split)) for op, split in divisions.items())
    return Pins(cut, placement=frozendict(dict.fromkeys(outside, "hbm")))


def compiled(
    program: LoopProgram,
    solver: str,
    cores: int = 32,
    moves: str = "yes",
    divisions: Factors | None = None,
    outside: Sequence[str] = (),
) -> Compilation:
    """A program under the divisions that are given; the published rule leaves inputs `outside` that one step reads."""
    problem = Problem(program, spyre(cores), pinned(divisions or {}, outside))
    return compile_problem(GRAPH, problem, pipeline=spec(solver, SECONDS, moves))


@pytest.mark.parametrize("solver", SEARCHES)
def test_c1_the_published_graph_without_and_with_a_relayout(solver: str) -> None:
    without = compiled(chain(8, 256, 512), solver, 8, "no", PUBLISHED)
    assert without.cost.total_us == pytest.approx(79.999, abs=5e-4)
    assert without.cost.relayout_us == 0
    assert spilled(without.plan, "neg").code is ReasonCode.DIVISION_MISMATCH
    found = compiled(chain(8, 256, 512), solver, 8, divisions=PUBLISHED, outside="x")
    assert found.cost.total_us == pytest.approx(41.136, abs=5e-4)
    assert found.cost.relayout_us == pytest.approx(1.1364, abs=5e-5)
    assert found.plan.edits == (Edit("neg@ring", EditKind.RELAYOUT, "neg", "neg@ring", "relu", ("relu",)),)
    assert slot(found.plan, "neg").address != slot(found.plan, "neg@ring").address, "both are there while it moves"
    for one in (without, found):
        assert (factors(one.plan, "neg"), factors(one.plan, "relu")) == (PUBLISHED["neg"], PUBLISHED["relu"])


@pytest.mark.parametrize("solver", SEARCHES)
def test_c1_free_divisions_need_no_relayout(solver: str) -> None:
    found = compiled(chain(8, 256, 512), solver, 8, outside="x")
    assert found.cost.total_us == pytest.approx(40.0, abs=5e-4)
    assert found.plan.edits == ()
    assert factors(found.plan, "neg") == factors(found.plan, "relu")


@pytest.mark.parametrize("solver", SEARCHES)
def test_c1_an_input_for_a_single_reader_comes_into_lx_where_that_is_quicker(solver: str) -> None:
    """All is read before anything is written, so that the 2 MiB each way take no turnaround (facts 6.1)."""
    found = compiled(chain(8, 256, 512), solver, 8)
    size = 8 * 256 * 512 * 2
    assert found.cost.total_us == pytest.approx(2 * one_way_us(load_device("spyre"), size))
    assert [(edit.kind, edit.source, edit.readers) for edit in found.plan.edits] == [
        (EditKind.CLONE_IN, "x", ("neg",)),
    ]
    moved = compiled(chain(8, 256, 512), solver, 8, divisions=PUBLISHED)
    assert {edit.kind for edit in moved.plan.edits} == {EditKind.CLONE_IN, EditKind.RELAYOUT}
    assert moved.cost.total_us == pytest.approx(found.cost.total_us + 1.1364, abs=5e-5)


@cache
def attended(solver: str, moves: str) -> Compilation:
    """Four heads of 512 x 64 on 32 cores, all divisions free."""
    return compiled(attention(), solver, moves=moves, outside="qv")


SOFTMAX = ("max", "sub", "exp", "sum", "truediv")


@pytest.mark.parametrize("solver", SEARCHES)
def test_c3_attention_is_divided_over_batch_and_rows_with_its_scores_in_lx(solver: str) -> None:
    found = attended(solver, "no")
    for op in ("scores", *SOFTMAX, "context"):
        assert factors(found.plan, op) == {"i": 4, "j": 8}, op
    for buffer in ("scores", *SOFTMAX):
        assert isinstance(found.plan.placement[buffer], Slot), buffer
    staged = compile_problem(GRAPH, Problem(attention(), spyre(32)))
    assert found.cost.total_us < 0.3 * staged.cost.total_us
    if solver == "cp-sat":
        assert found.plan.claims["co-optimize"].gap == 0


@pytest.mark.parametrize("solver", SEARCHES)
def test_c3_moves_let_the_last_product_go_its_own_way_where_that_is_quicker(solver: str) -> None:
    found, without = attended(solver, "yes"), attended(solver, "no")
    for op in ("scores", *SOFTMAX):
        assert factors(found.plan, op) == {"i": 4, "j": 8}, op
    assert isinstance(found.plan.placement["scores"], Slot)
    assert found.cost.total_us < without.cost.total_us


@pytest.mark.parametrize("solver", SEARCHES)
def test_c4_independent_divisions_send_the_scores_out_and_back(solver: str) -> None:
    """M 16 x N 2 against M 32; one division of both spares the round trip."""
    apart: Factors = {"scores": {"j": 16, "l": 2}, **{op: {"j": 32} for op in (*SOFTMAX, "context")}}
    device = load_device("spyre")
    round_trip = one_way_us(device, 2 * SCORES_BYTES) + turnaround_us(device, SCORES_BYTES, SCORES_BYTES)
    assert round_trip == pytest.approx(40.0, abs=5e-3)
    found = compiled(attention(), solver, moves="no", divisions=apart)
    assert spilled(found.plan, "scores").code is ReasonCode.DIVISION_MISMATCH
    one = attended(solver, "no")
    assert isinstance(one.plan.placement["scores"], Slot)
    assert found.cost.total_us - one.cost.total_us > round_trip
    moved = compiled(attention(), solver, divisions=apart, outside="qv")
    assert moved.cost.total_us < found.cost.total_us, "one load into LX for the two that read them"


# Gates


def rings(field: Field, buffer: str) -> list[tuple[int, ...]]:
    """For every relayout of a buffer on offer the views of the writer that it starts from."""
    number = next(number for number, one in enumerate(field.ground.subjects) if one.buffer == buffer)
    copies = field.ground.problem.items[number].copies
    return [tuple(copy.bills) for copy in copies if copy.kind is EditKind.RELAYOUT]


def offered(program: LoopProgram, cores: int, divisions: Factors, buffer: str) -> int:
    """How many relayouts of a buffer are on offer under fixed divisions."""
    return len(rings(field_of(program, spyre(cores), pins=pinned(divisions)), buffer))


def summed() -> LoopProgram:
    sketch = Sketch("sums")
    sketch.output(sketch.apply("neg", sketch.matmul(sketch.input("x", 256, 512), sketch.input("y", 512, 256), "dot")))
    return sketch.program()


def test_c5_partial_sums_are_not_carried() -> None:
    assert offered(summed(), 8, {"dot": {"k": 2, "i": 4}, "neg": {"i": 8}}, "dot") == 0
    assert offered(summed(), 8, {"dot": {"i": 4, "j": 2}, "neg": {"i": 8}}, "dot") == 1


def test_c6_sixteen_parts_are_not_gathered() -> None:
    assert offered(chain(1024, 1024), 16, {"neg": {"i": 16}, "relu": {"j": 16}}, "neg") == 0
    assert offered(chain(1024, 1024), 16, {"neg": {"i": 8}, "relu": {"j": 8}}, "neg") == 1


def test_c7_more_cores_get_it_only_if_all_do() -> None:
    program, divisions = chain(8, 256, 512), {"neg": {"j": 8}, "relu": {"j": 16}}
    assert offered(program, 32, divisions, "neg") == 0
    assert offered(program, 16, divisions, "neg") == 1


# Ties


def test_c10_two_by_two_comes_before_four_by_one() -> None:
    """Of divisions over equally many cores those come first whose factors have the smaller sum of squares."""
    field = field_of(chain(64, 256), spyre(4))
    kind = field.ground.kinds[0]
    seed, *others = ({split.loop: split.factor for split in one.splits} for one in kind.divisions)
    assert seed == {"i": 4}
    assert others.index({"i": 2, "j": 2}) < others.index({"j": 4})
    cores = [one.cores for one in kind.divisions[1:]]
    assert cores == sorted(cores, reverse=True)


@pytest.mark.parametrize("solver", SEARCHES)
def test_c10_of_equal_times_the_first_is_taken(solver: str) -> None:
    """Divisions of a lone step: a slow one that stands, and two quicker ones that come to the same."""
    times = (3.0, 1.0, 1.0)
    menu = Menu(tuple(Choice((view,), (Bill(time, written_bytes=100),) * 2) for view, time in enumerate(times)))
    items = (Item("y", 100, 0, (), frozendict({0: 100, 1: 100, 2: 100}), True, Bill(written_bytes=100)),)
    problem = JointProblem((Task("step", (0,), 0, menu),), items, 1024, 128, Rates(150.0, 0.0))
    found = SEARCHES[solver](problem, [trivial(problem)], 1.0, 0, lambda _objective, _bound: False)
    assert found is not None
    assert firsts(problem, found.answer).choices == (1,)


# Figures


@pytest.mark.parametrize("shape", [(8, 256, 512), (64, 4096, 8192)], ids=["2 MB", "4 GB"])
def test_c11_the_objective_is_exact_however_large_the_figures(shape: tuple[int, ...]) -> None:
    found = compiled(chain(*shape), "cp-sat")
    claim = found.plan.claims["co-optimize"]
    assert claim.method == "cp-sat"
    assert claim.objective == round(1000 * found.cost.total_us)
    assert claim.bound >= 0.999 * claim.objective
    assert found.plan.reasons["pass:co-optimize"] == (
        f"{found.cost.total_us:,.3f} µs counted by the search, {found.cost.total_us:,.3f} µs by the cost model"
    )


# The MLP


def mlp() -> LoopProgram:
    """Two linear layers with a GELU between them."""
    sketch = Sketch("mlp")
    wide = sketch.matmul(sketch.input("x", 128, 1024), transposed(sketch.parameter("up", 4096, 1024)), "wide")
    added = sketch.apply("add", wide, sketch.parameter("bias", 4096))
    active = sketch.apply("gelu", added)
    sketch.output(sketch.matmul(active, transposed(sketch.parameter("down", 1024, 4096)), "narrow"))
    return sketch.program()


@pytest.mark.parametrize("solver", SEARCHES)
def test_pointwise_ops_of_an_mlp_adopt_the_division_of_the_product(solver: str) -> None:
    found = compiled(mlp(), solver)
    product = factors(found.plan, "wide")
    assert product
    assert "k" not in product
    assert factors(found.plan, "add") == factors(found.plan, "gelu") == product
    for buffer in ("wide", "add", "gelu"):
        assert isinstance(found.plan.placement[buffer], Slot), buffer
    staged = compile_problem(GRAPH, Problem(mlp(), spyre(32)))
    assert factors(staged.plan, "add") != factors(staged.plan, "wide")
    assert found.cost.total_us < 0.8 * staged.cost.total_us
