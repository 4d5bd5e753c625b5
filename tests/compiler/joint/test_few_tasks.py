"""Programs of no step and of a single one: every search has an answer for them, and so has a plan changed nearby."""

from __future__ import annotations

import math

import pytest
from frozendict import frozendict

from compiler.device import load_device
from compiler.loops import LoopProgram
from compiler.pins import Pins
from compiler.pipeline import compile_problem
from compiler.solvers.joint.judge import trivial
from compiler.solvers.joint.near import near
from compiler.solvers.joint.price import price_us
from compiler.solvers.joint.problem import Answer, JointProblem, Rates
from compiler.solvers.joint.table import SEARCHES
from tests.compiler.joint.drawn_programs import GRAPH, spec
from tests.compiler.joint.grounds import field_of
from tests.programs import chain, problem_of
from tests.sketch import Sketch

NOTHING = JointProblem((), (), 1024, 128, Rates(150.0, 0.00574))
EMPTY = Answer((), (), (), ())


def stepless() -> LoopProgram:
    """A model that gives back its input."""
    sketch = Sketch("stepless")
    sketch.output(sketch.input("x", 64, 64))
    return sketch.program()


@pytest.mark.parametrize("solver", SEARCHES)
def test_a_program_without_steps_has_a_plan(solver: str) -> None:
    for pins in (None, Pins(placement=frozendict({"x": "lx"})), Pins(placement=frozendict({"x": "hbm"}))):
        found = compile_problem(GRAPH, problem_of(stepless(), pins), pipeline=spec(solver, 1.0))
        assert found.cost.total_us == 0
        assert not found.plan.edits
        assert all(verdict.ok for verdict in found.verdicts)


@pytest.mark.parametrize("solver", SEARCHES)
def test_a_program_with_a_single_step_has_a_plan(solver: str) -> None:
    staged = compile_problem(GRAPH, problem_of(chain(1, 256, primitives=("relu",))))
    found = compile_problem(GRAPH, problem_of(chain(1, 256, primitives=("relu",))), pipeline=spec(solver, 1.0))
    assert found.cost.total_us <= staged.cost.total_us
    assert all(verdict.ok for verdict in found.verdicts)


@pytest.mark.parametrize("solver", SEARCHES)
def test_a_search_over_no_tasks_takes_no_time(solver: str) -> None:
    found = SEARCHES[solver](NOTHING, [EMPTY], 1.0, 0, lambda *_: False)
    assert found is not None
    assert (found.answer, found.objective_us) == (EMPTY, 0)


def test_what_lies_near_no_task_stays() -> None:
    found = near(NOTHING, [EMPTY], [], 1.0, 0, lambda *_: False, -math.inf)
    assert found is not None
    assert found.answer == EMPTY


def test_a_single_task_is_decided_anew_near_a_pin() -> None:
    sketch = Sketch("alone")
    sketch.output(sketch.apply("relu", sketch.input("x", 256, 512)))
    problem = field_of(sketch.program(), load_device("spyre")).ground.problem
    assert len(problem.tasks) == 1
    start = trivial(problem)
    found = near(problem, [start], [0], 5.0, 0, lambda *_: False)
    everywhere = SEARCHES["cp-sat"](problem, [start], 5.0, 0, lambda *_: False)
    assert found is not None
    assert everywhere is not None
    assert found.objective_us == pytest.approx(everywhere.objective_us)
    assert found.objective_us < price_us(problem, start)
