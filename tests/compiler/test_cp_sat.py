"""CP-SAT as a solver of the pipeline: reproducible, bounded in time, and dispensable."""

import os
import subprocess
import sys
from dataclasses import replace
from random import Random

import pytest

from compiler.check import check
from compiler.compilation import Compilation
from compiler.errors import InputError
from compiler.graph import ModelGraph
from compiler.passes.place_scratchpad import PlaceScratchpad
from compiler.pipeline import compile_problem
from compiler.pipelines import PIPELINES
from compiler.plan import Claim, Plan
from compiler.problem import Problem
from compiler.solvers.cp_sat import SolverMissingError
from compiler.solvers.exact import cp_sat
from compiler.solvers.placement import Effort, PlacementProblem, Status
from compiler.solvers.request import Request
from compiler.solvers.table import SOLVERS
from compiler.text.document import from_text, to_text
from tests.compiler.placement_cases import crowded_problem, faults, random_problem
from tests.compiler.shapes import divided, placed, slot
from tests.compiler.tiny import failed
from tests.programs import problem_of, softmax
from tests.source_tree import ROOT

HARD = crowded_problem(Random("hard"), 100, 40, 600)


def with_solver(solver: str, problem: Problem) -> Compilation:
    pipeline = PIPELINES["staged"].replace("solver=best-fit", f"solver={solver}")
    return compile_problem(ModelGraph("softmax", (), (), ()), problem, pipeline=pipeline)


@pytest.mark.parametrize("seconds", [0.05, 0.3])
def test_a_search_that_is_cut_short_repeats_itself(seconds: float) -> None:
    first, second = (cp_sat(HARD, Effort(3, seconds)) for _ in range(2))
    assert first == second
    assert first.status is Status.LIMIT
    assert first.bound < first.objective
    assert faults(HARD, first.addresses) == []


def test_more_time_is_never_worse_than_best_fit() -> None:
    start = SOLVERS["best-fit"](HARD, Effort())
    assert start.bound <= cp_sat(HARD, Effort(0, 0.05)).bound <= cp_sat(HARD, Effort(0, 0.5)).objective
    assert cp_sat(HARD, Effort(0, 5.0)).objective < start.objective


def test_a_machine_too_slow_for_the_counted_time_keeps_the_best_so_far_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("compiler.solvers.exact.GRACE_SECONDS", -10.0)
    found, start = cp_sat(HARD, Effort(0, 1.0)), SOLVERS["best-fit"](HARD, Effort())
    assert found.status is Status.CLOCK
    assert (found.objective, found.bound) == (start.objective, start.bound)


def test_repeated_blocks_are_searched_once() -> None:
    block = random_problem(Random("block"), 30, 12, 40)
    twice = tuple(
        replace(one, name=f"{one.name}.{turn}", uses=tuple(use + 20 * turn for use in one.uses), parents=parents)
        for turn in range(5)
        for one in block.requests
        for parents in (tuple(f"{name}.{turn}" for name in one.parents),)
    )
    once, five = cp_sat(block, Effort()), cp_sat(replace(block, requests=twice), Effort())
    assert once.states > 0
    assert (five.objective, five.bound, five.states) == (5 * once.objective, 5 * once.bound, once.states)


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_claim_of_the_pass(solver: str) -> None:
    problem = problem_of(softmax())
    plan = placed(problem, solver=solver)
    claim = plan.claims["place-scratchpad"]
    assert (claim.method, claim.unit, claim.objective, claim.bound) == (solver, "bytes", 0, 0)
    assert claim.states >= 0
    assert from_text(Plan, to_text(plan)) == plan


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_claim_counts_the_write_and_every_read_of_what_is_left_out(solver: str) -> None:
    """On one core a matrix of 1,048,576 B leaves room for no other one, unless that takes its place."""
    problem = problem_of(softmax(1024, 512))
    problem = replace(problem, device=problem.device.with_cores(1))
    plan = placed(problem, solver=solver)
    assert slot(plan, "exp").in_place_of == "sub"
    assert plan.claims["place-scratchpad"].objective == 0
    apart = replace(problem, pins=replace(problem.pins, placement=problem.pins.placement.set("sub", "hbm")))
    assert placed(apart, solver=solver).claims["place-scratchpad"].objective == 0, "a pin out is no loss of the solver"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"seed": -1}, "counts its seeds from 0"),
        ({"seconds": 0.0}, "needs time"),
        ({"seconds": float("nan")}, "needs time"),
        ({"seconds": 1e9}, "at most a day"),
    ],
)
def test_options_that_cannot_be_used(options: dict[str, float], words: str) -> None:
    with pytest.raises(InputError, match=words):
        PlaceScratchpad("cp-sat", **options)  # type: ignore[arg-type]


def test_answers_do_not_depend_on_the_order_of_hashes() -> None:
    code = (
        "from random import Random\n"
        "from compiler.solvers.placement import Effort\n"
        "from compiler.solvers.table import SOLVERS\n"
        "from tests.compiler.placement_cases import crowded_problem\n"
        "problem = crowded_problem(Random('hashes'), 60, 20, 600)\n"
        "print({name: solver(problem, Effort(1, 0.3)) for name, solver in SOLVERS.items()})\n"
    )
    said = [
        subprocess.run(
            [sys.executable, "-W", "error", "-c", code],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert said[0] == said[1]
    assert b"cp-sat" in said[0]


# Without OR-Tools


@pytest.fixture
def hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    """Importing OR-Tools fails, as where it is not installed."""
    for name in [name for name in sys.modules if name.split(".")[0] == "ortools"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "ortools", None)


@pytest.mark.usefixtures("hidden")
def test_the_solver_says_what_is_missing() -> None:
    with pytest.raises(SolverMissingError) as caught:
        cp_sat(PlacementProblem((Request("a", 4, (0, 1)),), 8), Effort())
    assert caught.value.sentence == (
        "solver cp-sat: OR-Tools, which it stands on, is not installed; "
        "install the package ortools, or use best-fit or annealing."
    )


@pytest.mark.usefixtures("hidden")
def test_the_pass_uses_best_fit_and_says_so() -> None:
    problem = problem_of(softmax())
    plan = PlaceScratchpad("cp-sat")(problem, divided(problem))
    claim = plan.claims["place-scratchpad"]
    assert claim == Claim("best-fit-without-or-tools", "bytes", 0, 0, claim.states)
    assert plan.reasons["pass:place-scratchpad"] == (
        "best-fit in place of cp-sat: OR-Tools, which it stands on, is not installed"
    )
    assert plan.placement == placed(problem).placement


@pytest.mark.usefixtures("hidden")
def test_moves_are_made_without_it() -> None:
    problem = problem_of(softmax())
    found = PlaceScratchpad("cp-sat", moves="yes")(problem, divided(problem))
    assert found.claims["place-scratchpad"].method == "best-fit-without-or-tools"
    assert found.edits == PlaceScratchpad(moves="yes")(problem, divided(problem)).edits != ()


@pytest.mark.usefixtures("hidden")
@pytest.mark.parametrize("solver", SOLVERS)
def test_every_solver_of_the_pipeline_compiles(solver: str) -> None:
    found = with_solver(solver, problem_of(softmax()))
    assert found.ok
    assert failed(check(found.problem, found.plan)) == {}


def test_nothing_imports_or_tools_until_it_is_asked_for() -> None:
    code = (
        "import sys\n"
        "sys.modules['ortools'] = None\n"
        "import compiler.pipeline, spyre_studio.worker, spyre_studio.cli, simulator.report\n"
        "assert sys.modules['ortools'] is None\n"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", code], cwd=ROOT, check=True, capture_output=True)
