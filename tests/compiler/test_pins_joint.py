"""Pins of equal divisions, places and relayouts: kept by every pipeline that decides them, or refused in words."""

import sys
from dataclasses import replace
from random import Random

import pytest
from frozendict import frozendict

from compiler.compilation import Compilation
from compiler.division import Division
from compiler.errors import StudioError
from compiler.graph import ModelGraph
from compiler.loops import LoopProgram
from compiler.pins import Pins, PinState, PinStatus
from compiler.pipeline import compile_problem
from compiler.pipelines import PIPELINES
from compiler.plan import EditKind, Placement, Plan, ReasonCode, Slot, Spilled
from compiler.resolve import resolve
from compiler.solvers.cp_sat import SolverMissingError
from compiler.solvers.joint.table import SEARCHES
from compiler.watch import Watch
from tests.compiler.shapes import divided
from tests.programs import attention, problem_of, softmax
from tests.random_programs import random_program
from tests.sketch import Sketch

HONOURED = PinStatus(PinState.HONOURED)
STAGED = PIPELINES["co-optimized"].rpartition(",co-optimize{")[0]
TABLES = ("layouts", "edits", "divisions", "kernels")
SAME = frozendict({"exp": "truediv", "sub": "exp"})


def solved(
    program: LoopProgram, pins: Pins, solver: str = "cp-sat", moves: str = "yes", cores: int = 32
) -> Compilation:
    problem = problem_of(program, pins)
    problem = replace(problem, device=problem.device.with_cores(cores))
    pipeline = f"{STAGED},co-optimize{{solver={solver} seconds=30.0 moves={moves}}}"
    return compile_problem(ModelGraph(program.name, (), (), ()), problem, pipeline=pipeline)


def compiled(program: LoopProgram, pins: Pins, pipeline: str) -> Compilation:
    return compile_problem(ModelGraph(program.name, (), (), ()), problem_of(program, pins), pipeline=pipeline)


def two(rows: int = 512) -> LoopProgram:
    """Two results that are subtracted: all three ops cut rows or columns."""
    sketch = Sketch("two")
    x = sketch.input("x", rows, 1024)
    sketch.output(sketch.apply("sub", sketch.apply("neg", x), sketch.apply("abs", x)))
    return sketch.program()


def moved(plan: Plan) -> set[tuple[EditKind, str]]:
    return {(edit.kind, edit.source) for edit in plan.edits}


# Equal divisions


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_every_pipeline_keeps_a_tie(pipeline: str) -> None:
    found = compiled(softmax(), Pins(same=SAME), pipeline)
    assert found.plan.pins == {"same:exp": HONOURED, "same:sub": HONOURED}


def test_a_search_of_divisions_takes_tied_ops_along() -> None:
    pins = Pins(same=frozendict({"exp": "scores"}))
    staged, searched = (compiled(attention(), pins, pipeline) for pipeline in ("staged", "searched"))
    assert staged.plan.pins == searched.plan.pins == {"same:exp": HONOURED}
    assert searched.cost.total_us <= staged.cost.total_us + 1e-6


@pytest.mark.parametrize("solver", SEARCHES)
def test_tied_ops_are_divided_together(solver: str) -> None:
    """The staged division of one cannot be that of the other, and there is a better one for both."""
    pins = Pins(same=frozendict({"context": "scores"}))
    staged = compiled(attention(), pins, "staged")
    assert staged.plan.pins["same:context"].state is PinState.ADJUSTED
    found = solved(attention(), pins, solver)
    assert found.plan.pins == {"same:context": HONOURED}
    context, scores = found.plan.divisions["context"], found.plan.divisions["scores"]
    assert context.cores == scores.cores > 1
    assert {loop: factor for loop, factor in context.factors.items() if loop in "ij"} == {
        loop: factor for loop, factor in scores.factors.items() if loop in "ij"
    }
    assert found.cost.total_us < staged.cost.total_us


def test_ops_that_no_division_cuts_alike_say_what_pins_them() -> None:
    division = frozendict({"sub": frozendict({"i": 4, "j": 8}), "truediv": frozendict({"i": 8})})
    plan = solved(softmax(), Pins(same=SAME, division=division)).plan
    assert plan.pins["same:exp"] == HONOURED
    words = "no division cuts sub and exp alike: sub is pinned to i 4 j 8, truediv is pinned to i 8; unpin one of them"
    assert plan.pins["same:sub"] == PinStatus(PinState.REFUSED, words)


# Relayouts


def test_a_relayout_is_made_where_a_pin_wants_one() -> None:
    free, held = solved(two(), Pins()), solved(two(), Pins(relayout=frozendict({"neg": "ring"})))
    assert (EditKind.RELAYOUT, "neg") not in moved(free.plan)
    assert (EditKind.RELAYOUT, "neg") in moved(held.plan)
    assert held.plan.pins == {"relayout:neg": HONOURED}
    assert held.cost.total_us > free.cost.total_us


@pytest.mark.parametrize("solver", SEARCHES)
def test_a_relayout_is_left_out_where_a_pin_bans_it(solver: str) -> None:
    division = frozendict({"neg": frozendict({"i": 8}), "sub": frozendict({"j": 8})})
    free = solved(two(), Pins(division=division), solver)
    assert (EditKind.RELAYOUT, "neg") in moved(free.plan)
    held = solved(two(), Pins(division=division, relayout=frozendict({"neg": "none"})), solver)
    assert (EditKind.RELAYOUT, "neg") not in moved(held.plan)
    assert held.plan.pins["relayout:neg"] == HONOURED


@pytest.mark.parametrize(
    ("pins", "words"),
    [
        ({"x": "ring"}, "x arrives in device memory, and the ring moves only what is in LX"),
        ({"nag": "ring"}, "there is no buffer nag; the nearest name is neg"),
        ({"neg": "bus"}, "'bus' is no way; use 'ring' or 'none'"),
    ],
)
def test_a_relayout_that_cannot_be_is_refused(pins: dict[str, str], words: str) -> None:
    plan = solved(two(), Pins(relayout=frozendict(pins))).plan
    assert list(plan.pins.values()) == [PinStatus(PinState.REFUSED, words)]


def test_nothing_is_moved_to_where_it_is() -> None:
    rows = frozendict({"i": 8})
    pins = Pins(division=frozendict({"neg": rows, "abs": rows, "sub": rows}), relayout=frozendict({"neg": "ring"}))
    assert solved(two(), pins).plan.pins["relayout:neg"].detail == "every reader finds its part at home already"


def test_the_gate_says_why_the_ring_cannot_carry_it() -> None:
    pins = Pins(relayout=frozendict({"exp": "ring"}), division=frozendict({"truediv": frozendict({"i": 1})}))
    sentence = solved(softmax(), pins).plan.pins["relayout:exp"].detail
    assert "a relayout needs at least as many" in sentence or "neither pointwise nor a product" in sentence


def test_what_is_pinned_out_is_not_moved_over_the_ring() -> None:
    pins = Pins(placement=frozendict({"neg": "hbm"}), relayout=frozendict({"neg": "ring"}))
    plan = solved(two(), pins).plan
    words = "neg is pinned to device memory, and the ring moves only what is in LX"
    assert plan.pins == {"placement:neg": HONOURED, "relayout:neg": PinStatus(PinState.REFUSED, words)}


def test_without_moves_there_is_no_relayout() -> None:
    plan = solved(two(), Pins(relayout=frozendict({"neg": "ring", "abs": "none"})), moves="no").plan
    assert plan.pins["relayout:neg"].detail == "this pipeline makes no moves; use co-optimize with moves=yes"
    assert plan.pins["relayout:abs"] == HONOURED


# Places


@pytest.mark.parametrize("solver", SEARCHES)
def test_places_are_kept(solver: str) -> None:
    plan = solved(softmax(), Pins(placement=frozendict({"exp": "hbm", "sub": "lx"})), solver).plan
    assert plan.pins == {"placement:exp": HONOURED, "placement:sub": HONOURED}
    assert isinstance(plan.placement["sub"], Slot)
    assert not isinstance(plan.placement["exp"], Slot)


def test_an_input_comes_into_lx_by_a_clone_even_for_one_reader() -> None:
    sketch = Sketch("single")
    sketch.output(sketch.apply("neg", sketch.input("x", 512, 1024)))
    plan = solved(sketch.program(), Pins(placement=frozendict({"x": "lx"}))).plan
    words = "1,048,576 B: an input, it arrives in device memory; its clone x@in is in LX for neg"
    assert plan.pins == {"placement:x": PinStatus(PinState.ADJUSTED, words)}
    assert moved(plan) == {(EditKind.CLONE_IN, "x")}
    assert moved(solved(sketch.program(), Pins()).plan) == {(EditKind.CLONE_IN, "x")}, "it spares turnaround"


@pytest.mark.parametrize(
    ("pins", "words"),
    [
        ({"nag": "lx"}, "there is no buffer nag; the nearest name is neg"),
        ({"neg": "ssd"}, "'ssd' is no place; use 'lx' or 'hbm'"),
        (
            {"sub": "lx"},
            "sub writes sub (32,768 B per core under i 32) in device memory for the host, and no step reads it",
        ),
    ],
)
def test_a_place_that_cannot_be_is_refused(pins: dict[str, str], words: str) -> None:
    status = solved(two(), Pins(placement=frozendict(pins))).plan.pins
    (found,) = status.values()
    assert found.state is PinState.REFUSED
    assert found.detail.startswith(words)


# What decides what


def test_pins_that_no_pass_looks_at_name_who_would() -> None:
    pins = Pins(relayout=frozendict({"exp": "ring"}), same=frozendict({"exp": "sub"}))
    plan = compiled(softmax(), pins, "staged").plan
    assert plan.pins["same:exp"] == HONOURED
    words = "no pass of this pipeline decides that; co-optimize, or place-scratchpad with moves=yes, would"
    assert plan.pins["relayout:exp"] == PinStatus(PinState.REFUSED, words)


def test_an_op_that_was_fused_names_its_heir() -> None:
    program = softmax()
    ops = tuple(
        replace(op, origin=replace(op.origin, nodes=("exp", "shift"))) if op.name == "exp" else op for op in program.ops
    )
    problem = problem_of(replace(program, ops=ops), Pins(division=frozendict({"shift": frozendict({"i": 2})})))
    assert divided(problem).pins["division:shift"].detail == "there is no op shift: it was fused into exp"


def test_without_or_tools_pins_are_kept_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise SolverMissingError

    for module in ("compiler.solvers.cp_sat", "compiler.solvers.joint.solve", "compiler.solvers.joint.proving"):
        monkeypatch.setattr(sys.modules[module], "require", missing)
    pins = Pins(
        same=SAME, placement=frozendict({"exp": "lx", "sub": "hbm"}), division=frozendict({"sub": frozendict({"i": 8})})
    )
    found = solved(softmax(), pins)
    assert found.plan.claims["co-optimize"].method == "greedy-without-or-tools"
    assert set(found.plan.pins.values()) == {HONOURED}


# Pins that state what is so


def _where(place: Placement) -> Placement | ReasonCode:
    """A place in LX, or why there is none; in figures of what else there could be pins may make a difference."""
    return place.code if isinstance(place, Spilled) else place


@pytest.mark.parametrize("program", [softmax(), attention(), two()], ids=lambda program: program.name)
def test_a_pin_that_states_what_the_plan_has_changes_nothing(program: LoopProgram) -> None:
    free = solved(program, Pins())
    plan, names = free.plan, program.buffer_map.keys()
    inside = next(name for name, place in plan.placement.items() if isinstance(place, Slot) and name in names)
    cloned = {edit.source for edit in plan.edits}
    outside = next(n for n, place in plan.placement.items() if not isinstance(place, Slot) and n in names - cloned)
    op = next(op.name for op in program.ops if plan.divisions[op.name] != Division())
    stated = (
        Pins(division=frozendict({op: plan.divisions[op].factors})),
        Pins(placement=frozendict({inside: "lx"})),
        Pins(placement=frozendict({outside: "hbm"})),
    )
    graph, pipeline = ModelGraph(program.name, (), (), ()), free.plan.pipeline
    for pins in stated:
        solved_again = compile_problem(graph, problem_of(program, pins), pipeline=pipeline, previous=plan)
        for again in (solved_again, resolve(free, pins, Watch())):
            assert again is not None
            assert set(again.plan.pins.values()) == {HONOURED}
            assert all(getattr(again.plan, name) == getattr(plan, name) for name in TABLES)
            changed = {n for n, place in plan.placement.items() if _where(place) != _where(again.plan.placement[n])}
            assert changed <= set(pins.placement)


@pytest.mark.usefixtures("short_as_long")
def test_pins_of_every_kind_are_kept_by_a_re_solve() -> None:
    free = solved(softmax(), Pins())
    pins = Pins(same=frozendict({"exp": "max"}), placement=frozendict({"sub": "hbm", "exp": "lx"}))
    found = resolve(free, pins, Watch())
    assert found is not None
    assert found.plan.pins == dict.fromkeys(("same:exp", "placement:sub", "placement:exp"), HONOURED)
    tied = resolve(found, replace(pins, same=SAME), Watch())
    assert tied is not None
    assert set(tied.plan.pins.values()) == {HONOURED}


# All of them at once


def random_pins(rng: Random, program: LoopProgram) -> Pins:
    ops, buffers = list(program.op_map), list(program.buffer_map)

    def some(names: list[str], most: int) -> list[str]:
        return rng.sample(names, min(len(names), rng.randint(0, most)))

    division = {op: program.op_map[op].loops for op in some(ops, 2)}
    return Pins(
        division=frozendict(
            (op, frozendict({rng.choice(loops).name: rng.choice((1, 2, 4, 8))}))
            for op, loops in division.items()
            if loops
        ),
        placement=frozendict((name, rng.choice(("lx", "lx", "hbm"))) for name in some(buffers, 4)),
        same=frozendict((name, rng.choice(ops)) for name in some(ops, 2)),
        relayout=frozendict((name, rng.choice(("ring", "none"))) for name in some(buffers, 2)),
    )


@pytest.mark.parametrize("first", range(0, 40, 8))
def test_whatever_is_pinned_there_is_a_plan_and_every_pin_has_a_status(first: int) -> None:
    """The checks of a compilation prove what is called honoured."""
    for seed in range(first, first + 8):
        rng, program = Random(f"pins {seed}"), random_program(seed)
        pins = random_pins(rng, program)
        try:
            compiled(program, Pins(), "staged")
        except StudioError:
            continue  # it has no plan, whatever is pinned
        found = solved(program, pins, rng.choice(list(SEARCHES)), cores=rng.choice((2, 8, 32)))
        assert found.plan.pins.keys() == set(pins.keys)
        assert all(status.detail for status in found.plan.pins.values() if status.state is not PinState.HONOURED)
