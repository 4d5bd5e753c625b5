"""Parts of a compilation: what travels to the window is enough to put the whole together again."""

import json
from dataclasses import replace

from compiler.captured import Captured
from compiler.codec import unstructure
from compiler.loops import LoopProgram
from spyre_studio.options import CompileOptions
from spyre_studio.request import CompiledParts, Shared, compile_request
from tests.programs import reshaped
from tests.sketch import Sketch
from tests.spyre_studio.plans import captured, compiled


def plain(value: object) -> object:
    """As it travels."""
    return json.loads(json.dumps(unstructure(value)))


def flattened() -> LoopProgram:
    """Pictures whose rows are no whole sticks, flattened before a product."""
    sketch = Sketch("flattened")
    flat = reshaped(sketch.input("x", 4, 10, 10), 4, 100)
    sketch.output(sketch.matmul(flat, sketch.parameter("w", 100, 64)))
    return sketch.program()


def test_what_views_need_travels_with_the_plan() -> None:
    program = flattened()
    made = compiled(program=program)
    assert made.problem.program is not program
    model = Shared("m", Captured(made.graph, program))
    asked = replace(made.problem, program=program)
    answer = plain(CompiledParts.of(made, program))
    first = compile_request(model, asked, CompileOptions(), None, "p").read(answer)
    assert first.problem == made.problem
    assert first.plan == made.plan
    again = compile_request(model, asked, CompileOptions(), Shared("p", first), "q").read(answer)
    assert again.problem.program is first.problem.program, "views tell models apart by their program"


def test_what_needs_nothing_travels_without_its_program() -> None:
    made, model = compiled(), captured()
    parts = CompiledParts.of(made, made.problem.program)
    assert parts.loops is None
    read = compile_request(Shared("m", model), made.problem, CompileOptions(), None, "p").read(plain(parts))
    assert read.problem is made.problem
