"""The pass co-optimize: options, claims, who watches, the plan before, and what happens without OR-Tools."""

import sys
from collections.abc import Callable
from dataclasses import fields, replace
from functools import cache
from time import monotonic

import pytest
from frozendict import frozendict

from compiler.check import check
from compiler.compilation import Compilation
from compiler.device import load_device
from compiler.errors import InputError, StoppedError
from compiler.joint.ground import ground_of
from compiler.loops import LoopProgram
from compiler.passes.co_optimize import CoOptimize
from compiler.pins import Pins, PinState
from compiler.pipeline import compile_problem, parse_pipeline, print_pipeline
from compiler.pipelines import PIPELINES
from compiler.plan import EditKind, Plan, Slot
from compiler.problem import Problem
from compiler.solvers.joint.table import FALLBACK, SEARCHES
from compiler.watch import Finding
from tests.compiler.joint.drawn_programs import GRAPH, spec
from tests.compiler.shapes import factors
from tests.compiler.test_placement_random import narrow
from tests.compiler.tiny import failed, spyre
from tests.programs import attention, chain, softmax, transposed
from tests.sketch import Sketch

MICRO = 1e-6
MOVES = (EditKind.CLONE_IN, EditKind.CLONE_OUT, EditKind.RELAYOUT)


def compiled(
    program: LoopProgram, solver: str = "cp-sat", seconds: float = 5.0, moves: str = "yes", pins: Pins | None = None
) -> Compilation:
    return compile_problem(GRAPH, Problem(program, spyre(32), pins or Pins()), pipeline=spec(solver, seconds, moves))


@cache
def attended(solver: str, moves: str = "yes") -> Compilation:
    """Four heads, without pins."""
    return compiled(attention(), solver, moves=moves)


def staged(program: LoopProgram) -> Compilation:
    return compile_problem(GRAPH, Problem(program, spyre(32)))


# Options


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("solver=magic", "solver magic: co-optimize has no such solver; use one of cp-sat, greedy, annealing."),
        ("solver=best-fit", "solver best-fit: co-optimize has no such solver; use one of cp-sat, greedy, annealing."),
        ("seed=-1", "seed -1: a solver counts its seeds from 0; use 0 or a number above."),
        ("seed=half", "pass co-optimize: seed=half is not a number; give a number."),
        (
            "seconds=0",
            "seconds 0.0: a solver needs time, and at most a day of it; use a number above 0",
        ),
        ("seconds=-3", "seconds -3.0: a solver needs time, and at most a day of it"),
        ("seconds=nan", "seconds nan: a solver needs time, and at most a day of it"),
        ("seconds=inf", "seconds inf: a solver needs time, and at most a day of it"),
        ("seconds=soon", "pass co-optimize: seconds=soon is not a number; give a number."),
        ("moves=maybe", "pass co-optimize: its moves is 'maybe'; use yes or no."),
        ("width=3", "pass co-optimize: it has no option 'width'; its options are: solver, seconds, seed, moves."),
    ],
)
def test_bad_options_are_told(options: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_pipeline(f"co-optimize{{{options}}}")
    assert caught.value.sentence.startswith(said)


def test_the_named_pipeline_has_all_options_and_prints_as_it_stands() -> None:
    last = parse_pipeline("co-optimized")[-1]
    assert last == CoOptimize("cp-sat", 10.0, 0, "yes") == CoOptimize()
    assert print_pipeline(parse_pipeline("co-optimized")) == PIPELINES["co-optimized"]
    assert tuple(SEARCHES) == ("cp-sat", "greedy", "annealing")
    assert FALLBACK in SEARCHES


# What it decides


def before(problem: Problem) -> Plan:
    """The plan that the pass starts from."""
    plan = Plan(problem.program.name, problem.device.name, problem.device.cores, "")
    for one in parse_pipeline("co-optimized")[:-1]:
        plan = one(problem, plan)
    return plan


@pytest.mark.parametrize("solver", SEARCHES)
def test_it_changes_what_it_decides_and_no_more(solver: str) -> None:
    problem = Problem(softmax(), spyre(32))
    plan = before(problem)
    made = CoOptimize(solver, 3.0)(problem, plan)
    changed = {one.name for one in fields(Plan) if getattr(made, one.name) != getattr(plan, one.name)}
    assert changed <= set(CoOptimize.decides)
    assert {"placement", "kernels", "claims", "reasons"} <= changed
    assert all(made.layouts[name] == layout for name, layout in plan.layouts.items())
    claim = made.claims["co-optimize"]
    assert (claim.method, claim.unit) == (solver, "ns")
    assert claim.bound == (claim.objective if solver == "cp-sat" else 0)
    assert claim.states > 0 or solver != "cp-sat"


@pytest.mark.parametrize("solver", SEARCHES)
@pytest.mark.parametrize("make", [softmax, attention], ids=["softmax", "attention"])
def test_it_is_no_slower_than_staged_and_searched(solver: str, make: Callable[[], LoopProgram]) -> None:
    found = compiled(make(), solver)
    for pipeline in ("staged", "searched"):
        other = compile_problem(GRAPH, Problem(make(), spyre(32)), pipeline=pipeline)
        assert found.cost.total_us <= other.cost.total_us + MICRO
    assert found.cost.total_us < 0.9 * staged(make()).cost.total_us
    assert found.solver is not None
    assert (found.solver.name, found.solver.status) == (solver, "optimal" if solver == "cp-sat" else "heuristic")


def test_every_division_that_is_new_and_every_move_has_a_reason() -> None:
    found = attended("cp-sat")
    seed = staged(attention()).plan.divisions
    for name, division in found.plan.divisions.items():
        if name in seed and seed[name] != division:
            assert found.plan.reasons[f"division:{name}"], name
    for edit in found.plan.edits:
        assert found.plan.reasons[f"edit:{edit.name}"], edit.name


@pytest.mark.parametrize("solver", SEARCHES)
def test_without_moves_nothing_is_carried_or_cloned(solver: str) -> None:
    found, with_moves = attended(solver, "no"), attended(solver)
    assert [edit for edit in found.plan.edits if edit.kind in MOVES] == []
    assert [edit for edit in with_moves.plan.edits if edit.kind in MOVES] != []
    assert with_moves.cost.total_us <= found.cost.total_us + MICRO


@pytest.mark.parametrize("solver", SEARCHES)
def test_pinned_divisions_and_places_are_kept(solver: str) -> None:
    pins = Pins(
        division=frozendict({"scores": frozendict({"j": 32})}),
        placement=frozendict({"scores": "hbm", "sub": "lx"}),
    )
    found = compiled(attention(), solver, pins=pins)
    assert factors(found.plan, "scores") == {"j": 32}
    assert not isinstance(found.plan.placement["scores"], Slot)
    assert isinstance(found.plan.placement["sub"], Slot)
    assert {status.state for status in found.plan.pins.values()} == {PinState.HONOURED}
    assert found.cost.total_us >= attended(solver).cost.total_us - MICRO


# Who watches


def wide(count: int) -> LoopProgram:
    """So many products and what comes between them, on little LX: too much to be proved at once."""
    sketch = Sketch("wide")
    value = sketch.input("x", 256, 256)
    for number in range(count):
        value = sketch.matmul(value, transposed(sketch.parameter(f"w{number}", 256, 256)))
        value = sketch.apply("add", value, sketch.apply("exp", value))
    sketch.output(value)
    return sketch.program()


def watched(seconds: float, enough_after: int) -> tuple[Compilation, list[Finding], float]:
    told: list[Finding] = []
    problem = Problem(wide(6), narrow("spyre", 32))
    began = monotonic()
    found = compile_problem(
        GRAPH,
        problem,
        pipeline=spec("cp-sat", seconds),
        found=told.append,
        enough=lambda: len(told) >= enough_after,
    )
    return found, told, monotonic() - began


def test_what_is_told_gets_better_and_bounds_hold() -> None:
    found, told, _ = watched(1.0, 10**9)
    assert len(told) > 1
    assert {one.solver for one in told} == {"cp-sat"}
    objectives, bounds = [one.objective_us for one in told], [one.bound_us for one in told]
    assert objectives == sorted(objectives, reverse=True)
    assert bounds == sorted(bounds)
    assert bounds[-1] <= found.cost.total_us + MICRO
    assert objectives[-1] >= found.cost.total_us - 1e-3


def test_whoever_has_enough_gets_the_best_so_far() -> None:
    found, told, _ = watched(60.0, 1)
    assert failed(check(found.problem, found.plan)) == {}
    assert found.cost.total_us <= told[0].objective_us + 1e-3
    assert found.solver is not None
    assert found.solver.status == "stopped"


def test_a_little_time_is_not_exceeded_by_much() -> None:
    """The budget is one of the pass; planning layouts before it takes no time worth mentioning here."""
    found, _, seconds = watched(0.05, 10**9)
    assert seconds < 2.05
    assert failed(check(found.problem, found.plan)) == {}


def test_cancelling_leaves_nothing() -> None:
    problem = Problem(attention(), spyre(32))
    asked: list[None] = []

    def cancelled() -> bool:
        asked.append(None)
        return len(asked) > len(parse_pipeline("co-optimized"))

    with pytest.raises(StoppedError):
        compile_problem(GRAPH, problem, pipeline=spec("cp-sat", 5.0), cancelled=cancelled)


@pytest.mark.parametrize("solver", SEARCHES)
def test_the_plan_before_is_a_start(solver: str) -> None:
    """Hardly any time, and yet as good as the plan before, which took its time."""
    problem = Problem(attention(), spyre(32))
    good = attended("cp-sat")
    again = compile_problem(GRAPH, problem, pipeline=spec(solver, 0.01), previous=good.plan)
    assert again.cost.total_us <= good.cost.total_us + MICRO
    assert replace(again.plan, claims=frozendict(), reasons=frozendict(), pipeline="") == replace(
        good.plan, claims=frozendict(), reasons=frozendict(), pipeline=""
    )


# Without OR-Tools


@pytest.fixture
def hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    """Importing OR-Tools fails, as where it is not installed."""
    for name in [name for name in sys.modules if name.split(".")[0] == "ortools"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "ortools", None)


@pytest.mark.usefixtures("hidden")
@pytest.mark.parametrize("make", [softmax, attention], ids=["softmax", "attention"])
def test_without_or_tools_greedy_answers_and_that_is_said(make: Callable[[], LoopProgram]) -> None:
    found = compile_problem(GRAPH, Problem(make(), spyre(32)), pipeline="co-optimized")
    claim = found.plan.claims["co-optimize"]
    assert claim.method == "greedy-without-or-tools"
    assert claim.bound == 0
    assert found.plan.reasons["pass:co-optimize"] == (
        "greedy in place of cp-sat: OR-Tools, which it stands on, is not installed"
    )
    assert found.solver is not None
    assert (found.solver.name, found.solver.status) == ("greedy-without-or-tools", "heuristic")
    assert failed(check(found.problem, found.plan)) == {}
    greedy = compiled(make(), "greedy", 10.0)
    assert (found.plan.divisions, found.plan.placement) == (greedy.plan.divisions, greedy.plan.placement)
    assert found.cost.total_us < 0.9 * staged(make()).cost.total_us


@pytest.mark.usefixtures("hidden")
@pytest.mark.parametrize("solver", ["greedy", "annealing"])
def test_the_other_searches_do_not_need_it(solver: str) -> None:
    found = compiled(softmax(), solver)
    assert found.plan.claims["co-optimize"].method == solver
    assert not found.plan.reasons["pass:co-optimize"].startswith("greedy in place")


@pytest.mark.usefixtures("hidden")
def test_without_or_tools_pins_are_kept() -> None:
    pins = Pins(
        division=frozendict({"neg": frozendict({"j": 8}), "relu": frozendict({"j": 4, "l": 2})}),
        placement=frozendict({"neg": "lx"}),
    )
    found = compile_problem(GRAPH, Problem(chain(8, 256, 512), spyre(8), pins), pipeline="co-optimized")
    assert {status.state for status in found.plan.pins.values()} == {PinState.HONOURED}
    assert found.cost.total_us == pytest.approx(29.098, abs=5e-4)


def c39() -> LoopProgram:
    """The attention block of the casebook: 16 heads of 128 x 64, scores scaled by 0.125."""
    sketch = Sketch("c39")
    q, k, v = (sketch.input(name, 1, 16, 128, 64) for name in "qkv")
    scores = sketch.matmul(q, transposed(k, 2, 3), "scores")
    scaled = sketch.apply("mul", scores, sketch.fill(1, value=0.125))
    shifted = sketch.apply("sub", scaled, sketch.reduce("max", scaled, -1))
    raised = sketch.apply("exp", shifted)
    sketch.output(sketch.matmul(sketch.apply("truediv", raised, sketch.reduce("sum", raised, -1)), v, "context"))
    return sketch.program()


@pytest.mark.usefixtures("hidden")
def test_row_39_no_exhaustive_search_takes_the_place_of_a_missing_solver() -> None:
    """All divisions of all steps of C39 are more than could ever be tried; the answer is there in no time."""
    problem = Problem(c39(), load_device("spyre"))
    ground = ground_of(problem, before(problem), frozenset(one.name for one in problem.program.ops))
    ways = 1
    for task in ground.problem.tasks:
        ways *= len(task.menu.choices)
    assert ways > 10**8
    began = monotonic()
    found = compile_problem(GRAPH, problem, pipeline="co-optimized")
    assert monotonic() - began < 5
    assert found.plan.claims["co-optimize"].method == "greedy-without-or-tools"
    assert found.cost.total_us < staged(c39()).cost.total_us
    assert failed(check(found.problem, found.plan)) == {}
