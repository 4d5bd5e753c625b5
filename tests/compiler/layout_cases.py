"""What tests of the layout passes share: run both, count what is restickified, sum terms.

Owns `solved`, `legal` (the same, proved by the oracle), `refusal` and `cost`.
"""

from collections.abc import Callable

import pytest
from frozendict import frozendict

from compiler.errors import UnsupportedError
from compiler.loops import LoopProgram
from compiler.passes.assign_layouts import AssignLayouts
from compiler.passes.insert_restickify import InsertRestickify
from compiler.pins import Pins
from compiler.plan import Plan
from compiler.schedule import expand
from tests.compiler.legality_oracle import plan_faults
from tests.programs import problem_of
from tests.random_draft import View
from tests.sketch import Sketch

Shape = tuple[int, ...]


def solved(program: LoopProgram, pins: Pins | None = None) -> Plan:
    """Layouts and edits of a program."""
    problem = problem_of(program, pins)
    plan = Plan(program.name, problem.device.name, problem.device.cores, "")
    return InsertRestickify()(problem, AssignLayouts()(problem, plan))


def moved(program: LoopProgram, plan: Plan) -> int:
    """Host elements of all inserted copies."""
    return sum(program.buffer_map[edit.source].elements for edit in plan.edits)


def cost(build: Callable[..., View], *shapes: Shape) -> int:
    """Elements restickified for `build(sketch, *inputs)`, inputs named a, b, c, ... of the given shapes."""
    sketch = Sketch("case")
    inputs = [sketch.input(name, *shape) for name, shape in zip("abcdefgh", shapes, strict=False)]
    sketch.output(build(sketch, *inputs))
    program = sketch.program()
    return moved(program, solved(program))


def total(sketch: Sketch, *terms: View) -> View:
    """The sum of terms, from left to right."""
    result = terms[0]
    for term in terms[1:]:
        result = sketch.apply("add", result, term)
    return result


def legal(sketch: Sketch, pins: dict[str, int] | None = None) -> Plan:
    """The plan of a sketch, proved by the oracle."""
    program = sketch.program()
    plan = solved(program, Pins(layout=frozendict(pins or {})))
    assert plan_faults(problem_of(program), plan) == []
    assert set(plan.layouts) == set(expand(program, plan).buffers)
    assert {f"layout:{name}" for name in plan.layouts} <= set(plan.reasons)
    assert {f"edit:{edit.name}" for edit in plan.edits} <= set(plan.reasons)
    return plan


def names(plan: Plan) -> list[str]:
    return [edit.name for edit in plan.edits]


def refusal(sketch: Sketch) -> str:
    with pytest.raises(UnsupportedError) as caught:
        solved(sketch.program())
    return caught.value.sentence
