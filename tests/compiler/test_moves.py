"""Moves of the scratchpad pass: what is carried, cloned, dumped and reloaded, and that nothing gets slower by it."""

from collections import Counter
from functools import cache

import pytest
from frozendict import frozendict

from compiler.check import check
from compiler.compilation import Compilation
from compiler.cost.model import price
from compiler.device import Device, load_device
from compiler.errors import InputError, StoppedError, StudioError
from compiler.graph import ModelGraph
from compiler.loops import LoopProgram
from compiler.passes.place_scratchpad import PlaceScratchpad
from compiler.pins import Pins, PinState, PinStatus
from compiler.pipeline import compile_problem
from compiler.pipelines import PIPELINES
from compiler.plan import Edit, EditKind, ReasonCode, Slot, Spilled
from compiler.problem import Problem
from compiler.solvers.table import SOLVERS
from compiler.watch import Watch
from tests.compiler.shapes import divided, overlaps, slot, spilled
from tests.compiler.test_placement_random import narrow
from tests.compiler.tiny import failed, spyre
from tests.programs import attention, chain, softmax
from tests.random_programs import random_program
from tests.sketch import Sketch

GRAPH = ModelGraph("moves", (), (), ())
Factors = dict[str, dict[str, int]]


def spec(solver: str = "best-fit", moves: str = "yes") -> str:
    return PIPELINES["staged"].replace("solver=best-fit", f"solver={solver}").replace("moves=no", f"moves={moves}")


def compiled(
    program: LoopProgram,
    device: Device | None = None,
    divisions: Factors | None = None,
    pipeline: str = "",
    placement: dict[str, str] | None = None,
    relayout: dict[str, str] | None = None,
) -> Compilation:
    """A compilation with moves, divisions pinned where they are given."""
    division = frozendict((op, frozendict(factors)) for op, factors in (divisions or {}).items())
    pins = Pins(division=division, placement=frozendict(placement or {}), relayout=frozendict(relayout or {}))
    problem = Problem(program, device or spyre(), pins)
    return compile_problem(GRAPH, problem, pipeline=pipeline or spec())


def kinds(found: Compilation) -> dict[EditKind, int]:
    return dict(Counter(edit.kind for edit in found.plan.edits))


def edit(found: Compilation, name: str) -> Edit:
    return next(edit for edit in found.plan.edits if edit.name == name)


# Relayouts

SPLITS: Factors = {"neg": {"j": 8}, "relu": {"j": 4, "l": 2}}


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_published_graph_without_and_with_the_relayout(solver: str) -> None:
    program, device = chain(8, 256, 512), spyre(8)
    without = compiled(program, device, SPLITS, spec(solver, "no"))
    assert without.cost.total_us == pytest.approx(79.999, abs=5e-4)
    assert spilled(without.plan, "neg").code is ReasonCode.DIVISION_MISMATCH
    found = compiled(program, device, SPLITS, spec(solver))
    assert found.cost.total_us == pytest.approx(41.136, abs=5e-4)
    assert found.cost.relayout_us == pytest.approx(1.1364, abs=5e-5)
    assert edit(found, "neg@ring") == Edit("neg@ring", EditKind.RELAYOUT, "neg", "neg@ring", "relu", ("relu",))
    first, second = slot(found.plan, "neg"), slot(found.plan, "neg@ring")
    assert (first.last_step, second.first_step) == (1, 1), "both are there while it moves"
    assert first.address != second.address
    assert found.plan.reasons["edit:neg@ring"] == (
        "relu reads it on other cores: 2,097,152 B over the ring in 1.136 µs; this move of neg saves the plan 38.86 µs"
    )
    assert found.plan.reasons["division:neg@ring"] == "as relu reads it"


def two_readers() -> LoopProgram:
    sketch = Sketch("two")
    value = sketch.apply("neg", sketch.input("x", 8, 256, 512))
    sketch.output(sketch.apply("add", sketch.apply("exp", value), sketch.apply("relu", value)))
    return sketch.program()


def test_readers_that_want_the_same_view_share_a_relayout() -> None:
    same = {"neg": {"j": 8}, "exp": {"j": 4, "l": 2}, "relu": {"j": 4, "l": 2}, "add": {"j": 4, "l": 2}}
    found = compiled(two_readers(), spyre(8), same)
    assert kinds(found) == {EditKind.RELAYOUT: 1}
    assert edit(found, "neg@ring").readers == ("exp", "relu")
    other = same | {"relu": {"i": 4, "j": 2}, "add": {"i": 4, "j": 2}}
    assert kinds(compiled(two_readers(), spyre(8), other))[EditKind.RELAYOUT] >= 2


def test_where_the_target_finds_no_room_there_is_no_relayout() -> None:
    """The value fills more than half of LX: source and target do not fit together."""
    rows = 32 * 8
    sketch = Sketch("large")
    value = sketch.apply("neg", sketch.input("x", rows, 128 * 64))
    sketch.output(sketch.apply("relu", value))
    found = compiled(sketch.program(), narrow("spyre", 32), {"neg": {"i": 32}, "relu": {"j": 32}})
    assert kinds(found) == {}
    assert isinstance(found.plan.placement["neg"], Spilled)


def test_a_value_of_one_core_goes_to_all_as_far_as_the_ring_reaches() -> None:
    sketch = Sketch("rmsnorm")
    x = sketch.input("x", 1, 4096)
    total = sketch.apply("neg", sketch.reduce("sum", x, 1))
    sketch.output(sketch.apply("mul", x, total))
    divisions: Factors = {"sum": {}, "mul": {"j": 4}}
    few = compiled(sketch.program(), spyre(4), divisions)
    ring = edit(few, "neg@ring")
    assert (ring.readers, ring.replicas) == (("mul",), 4)
    many = compiled(sketch.program(), spyre(32), {"sum": {}, "mul": {"j": 32}})
    assert EditKind.RELAYOUT not in kinds(many)


# Clones


def test_an_input_that_is_read_twice_is_loaded_once() -> None:
    found = compiled(softmax())
    assert found.cost.total_us < compiled(softmax(), pipeline="staged").cost.total_us
    clone = edit(found, "x@in")
    assert (clone.kind, clone.readers) == (EditKind.CLONE_IN, ("max", "sub"))
    assert slot(found.plan, "x@in").first_step == 0
    assert spilled(found.plan, "x").code is ReasonCode.GRAPH_INPUT
    assert found.plan.reasons["layout:x@in"] == "that of x"


def test_an_output_that_steps_read_is_cloned_out() -> None:
    sketch = Sketch("both")
    value = sketch.apply("neg", sketch.input("x", 2048, 1024))
    sketch.output(value, sketch.apply("relu", value))
    found = compiled(sketch.program())
    out = edit(found, "neg@out")
    assert (out.kind, out.before, out.readers) == (EditKind.CLONE_OUT, "", ("output:out0",))
    assert isinstance(found.plan.placement["neg"], Slot)
    assert spilled(found.plan, "neg@out").code is ReasonCode.DEVICE_COPY
    assert found.program.outputs[0].buffer == "neg@out"
    assert found.cost.total_us < compiled(sketch.program(), pipeline="staged").cost.total_us


def test_who_reads_a_part_gets_a_clone_and_the_others_stay_in_lx() -> None:
    sketch = Sketch("part")
    value = sketch.apply("neg", sketch.input("x", 512, 1024))
    whole = sketch.apply("exp", sketch.apply("relu", value))
    sketch.output(sketch.apply("abs", value.sliced(0, 0, 256, 1)), sketch.apply("add", whole, value))
    found = compiled(sketch.program())
    assert edit(found, "neg@out").readers == ("abs",)
    assert isinstance(found.plan.placement["neg"], Slot)


def test_copies_to_other_sticks_read_lx_where_cores_hold_what_they_need() -> None:
    plain, found = compiled(attention(), pipeline="staged"), compiled(attention())
    assert found.cost.total_us < plain.cost.total_us
    assert EditKind.RELAYOUT in kinds(found)


# Host ops and eviction


def bracketed() -> LoopProgram:
    """A value that is alive across a host op, read twice before it and twice after."""
    sketch = Sketch("host")
    value = sketch.apply("neg", sketch.input("x", 512, 1024))
    early = sketch.apply("add", sketch.apply("exp", value), sketch.apply("relu", value))
    hosted = sketch.opaque("cumsum", early)
    late = sketch.apply("mul", sketch.apply("abs", value), sketch.apply("tanh", value))
    sketch.output(sketch.apply("sub", hosted, late))
    return sketch.program()


def test_a_value_that_lives_across_a_host_op_is_dumped_and_loaded_again() -> None:
    plain, found = compiled(bracketed(), pipeline="staged"), compiled(bracketed())
    assert spilled(plain.plan, "neg").code is ReasonCode.ACROSS_OPAQUE
    out, back = edit(found, "neg@out"), edit(found, "neg@in")
    assert (out.kind, out.before, set(out.readers)) == (EditKind.CLONE_OUT, "add", {"abs", "tanh"}), "read by then"
    assert (back.kind, back.source, back.before, back.readers) == (
        EditKind.CLONE_IN,
        "neg@out",
        "abs",
        ("abs", "tanh"),
    )
    assert isinstance(found.plan.placement["neg"], Slot)
    assert found.cost.total_us < plain.cost.total_us
    assert found.plan.kernels[1].steps == ("cumsum",)


def evicting() -> LoopProgram:
    """A value that is read, then idle while a chain as large needs the room, then read twice."""
    sketch = Sketch("evicting")
    x, y = sketch.input("x", 48, 64), sketch.input("y", 48, 64)
    value = sketch.apply("exp", x)
    first, other = sketch.apply("neg", value), y
    for primitive in ("abs", "relu", "sqrt", "tanh"):
        other = sketch.apply(primitive, other)
    sketch.output(first, other, sketch.apply("sin", value), sketch.apply("cos", value))
    return sketch.program()


def test_what_is_idle_leaves_lx_for_others_and_comes_back() -> None:
    device = narrow("spyre", 1)
    plain, found = compiled(evicting(), device, pipeline="staged"), compiled(evicting(), device)
    assert spilled(plain.plan, "exp").code is ReasonCode.CAPACITY
    assert (edit(found, "exp@out").before, edit(found, "exp@in").before) == ("abs", "sin")
    assert all(isinstance(found.plan.placement[name], Slot) for name in ("exp", "exp@in", "abs", "relu", "sqrt"))
    assert slot(found.plan, "exp").last_step < slot(found.plan, "abs").first_step
    assert found.cost.total_us < plain.cost.total_us
    assert found.plan.claims["place-scratchpad"].objective == 0


# Pins


def test_a_pin_keeps_a_buffer_off_the_ring_or_out_of_lx() -> None:
    program, device = chain(8, 256, 512), spyre(8)
    for found in (
        compiled(program, device, SPLITS, relayout={"neg": "none"}),
        compiled(program, device, SPLITS, placement={"neg": "hbm"}),
    ):
        assert kinds(found) == {}
        assert found.cost.total_us == pytest.approx(79.999, abs=5e-4)
        assert [status.state for key, status in found.plan.pins.items() if "division" not in key] == [PinState.HONOURED]


def test_a_pin_asks_for_a_relayout_at_any_price() -> None:
    program, device = chain(64, 4096), spyre(8)
    divisions: Factors = {"neg": {"i": 8}, "relu": {"j": 8}}
    found = compiled(program, device, divisions, relayout={"neg": "ring"})
    assert found.plan.pins["relayout:neg"] == PinStatus(PinState.HONOURED)
    assert kinds(found) == {EditKind.RELAYOUT: 1}
    nobody = compiled(program, device, {"neg": {"i": 8}, "relu": {"i": 8}}, relayout={"neg": "ring", "nge": "ring"})
    assert nobody.plan.pins["relayout:neg"] == PinStatus(PinState.REFUSED, "no move brings it to a reader")
    assert nobody.plan.pins["relayout:nge"].detail == "there is no buffer nge; the nearest name is neg"
    odd = compiled(program, device, divisions, relayout={"neg": "bus"})
    assert odd.plan.pins["relayout:neg"].detail == "'bus' is no way; use 'ring' or 'none'"


def test_an_input_pinned_to_lx_gets_a_clone() -> None:
    found = compiled(softmax(), placement={"x": "lx"})
    status = found.plan.pins["placement:x"]
    assert status.state is PinState.ADJUSTED
    assert status.detail.startswith("its clone x@in is in LX")
    dear = compiled(two_readers(), spyre(8), placement={"x": "lx"}).plan.pins["placement:x"]
    assert dear.state is PinState.REFUSED, "one reader alone loads it itself"


def test_a_pinned_buffer_is_brought_into_lx_by_moves_that_cost_time() -> None:
    sketch = Sketch("tiny")
    value = sketch.apply("neg", sketch.input("x", 64, 64))
    sketch.output(value, sketch.apply("relu", value))
    found = compiled(sketch.program(), placement={"neg": "lx"})
    assert found.plan.pins["placement:neg"] == PinStatus(PinState.HONOURED)
    assert isinstance(found.plan.placement["neg"], Slot)


# All together


def test_without_moves_the_pass_changes_places_only() -> None:
    problem = Problem(softmax(), spyre())
    plan = divided(problem)
    made = PlaceScratchpad()(problem, plan)
    assert (made.edits, made.layouts, made.divisions) == (plan.edits, plan.layouts, plan.divisions)
    with pytest.raises(InputError, match="moves maybe: place-scratchpad makes moves or makes none; use yes or no"):
        PlaceScratchpad(moves="maybe")


def test_a_watcher_is_told_and_may_end_the_search() -> None:
    problem = Problem(softmax(), spyre())
    plan, told = divided(problem), list[float]()
    watch = Watch(found=lambda finding: told.append(finding.objective_us), enough=lambda: True)
    made = PlaceScratchpad(moves="yes").search(problem, plan, watch)
    assert len(told) == 1
    assert price(problem, made).total_us <= price(problem, PlaceScratchpad()(problem, plan)).total_us
    with pytest.raises(StoppedError):
        PlaceScratchpad(moves="yes").search(problem, plan, Watch(cancelled=lambda: True))


@cache
def both(seed: int) -> tuple[Compilation, Compilation] | None:
    """Without and with moves, for devices with little LX and much; None where there is no plan."""
    targets = (narrow("spyre", 4), narrow("sample", 4), spyre(32), load_device("sample"), narrow("spyre", 1))
    program, device = random_program(seed, 12 if seed % 2 else 8), targets[seed % len(targets)]
    try:
        return compiled(program, device, pipeline="staged"), compiled(program, device)
    except StudioError:
        return None


@pytest.mark.parametrize("first", range(0, 100, 5))
def test_random_programs_get_no_slower_and_pass_every_check(first: int) -> None:
    for seed in range(first, first + 5):
        found = both(seed)
        if found is None:
            continue
        without, with_moves = found
        assert failed(check(with_moves.problem, with_moves.plan)) == {}, seed
        assert with_moves.cost.total_us <= without.cost.total_us + 1e-9, seed
        assert not overlaps(with_moves.plan), seed


def test_the_random_programs_move_something() -> None:
    seen: Counter[EditKind] = Counter()
    for found in filter(None, map(both, range(100))):
        seen.update(edit.kind for edit in found[1].plan.edits)
    assert all(seen[kind] > 0 for kind in (EditKind.RELAYOUT, EditKind.CLONE_IN, EditKind.CLONE_OUT)), seen


@pytest.mark.parametrize("solver", SOLVERS)
def test_every_solver_keeps_the_moves_and_gives_the_same_plan_twice(solver: str) -> None:
    first, second = (compiled(evicting(), narrow("spyre", 1), pipeline=spec(solver)) for _ in range(2))
    assert first.plan == second.plan
    assert kinds(first)[EditKind.CLONE_IN] == 1
