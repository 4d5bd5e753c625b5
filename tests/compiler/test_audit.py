"""The audit accepts what the compiler makes, however it was made; what it finds in edited documents is tested there."""

from __future__ import annotations

import pytest
from frozendict import frozendict

from compiler.audit import audit
from compiler.codec import from_json, to_json
from compiler.compilation import Compilation
from compiler.differences import difference
from compiler.pins import Pins
from compiler.pipeline import compile_problem
from compiler.pipelines import PIPELINES
from compiler.problem import Problem
from compiler.resolve import resolve
from compiler.watch import Watch
from tests.programs import problem_of, softmax
from tests.random_programs import random_program
from tests.spyre_studio.plans import captured, compiled

QUICK = PIPELINES["co-optimized"].replace("cp-sat seconds=10.0", "greedy seconds=0.2")


def faults(whole: Compilation) -> list[str]:
    again = from_json(Compilation, to_json(whole))
    return [fault for verdict in audit(again) for fault in verdict.violations]


@pytest.mark.parametrize("pipeline", ["staged", "searched", QUICK], ids=["staged", "searched", "co-optimized"])
@pytest.mark.parametrize("seed", [0, 2, 3, 5, 25])
def test_what_was_compiled_is_sound(pipeline: str, seed: int) -> None:
    whole = compiled(program=random_program(seed), pipeline=pipeline)
    assert faults(whole) == []


@pytest.mark.usefixtures("short_as_long")
def test_a_plan_that_was_changed_for_other_pins_is_sound() -> None:
    before = compiled(program=softmax(64, 128), pipeline="co-optimized")
    made = resolve(before, Pins(placement=frozendict({"exp": "hbm"})), Watch())
    assert made is not None
    assert faults(made) == []


def test_a_search_that_was_stopped_is_sound() -> None:
    problem = problem_of(softmax(64, 128))
    made = compile_problem(captured().graph, problem, pipeline="co-optimized", enough=lambda: True)
    assert made.solver.status in ("stopped", "optimal")
    assert faults(made) == []


def test_a_plan_that_starts_from_another_is_sound() -> None:
    before = compiled(program=softmax(64, 128))
    problem = Problem(before.problem.program, before.problem.device)
    assert faults(compile_problem(before.graph, problem, previous=before.plan)) == []


@pytest.mark.parametrize(
    ("told", "made", "words"),
    [
        (1, 1, ""),
        (1.0, 1.0 + 1e-12, ""),
        (1, True, ""),
        ((1, 2), (1,), "it has 2 entries and not 1"),
        (frozendict(a=1), frozendict(a=2), "[a] is 1 and not 2"),
        (frozendict(a=1), frozendict(b=1), "it is "),
        ("x", None, "it is 'x' and not None"),
    ],
)
def test_differences_are_named(told: object, made: object, words: str) -> None:
    found = difference(told, made)
    assert found.startswith(words)
    assert bool(found) == bool(words)
