"""Small models and their plans, for tests of what is around the compiler.

Owns a softmax of a few hundred rows and the files that hold it.  Refuses torch: models are built by hand.
"""

from pathlib import Path

from frozendict import frozendict

from compiler.captured import Captured
from compiler.codec import to_json
from compiler.compilation import Compilation
from compiler.device import load_device
from compiler.graph import ModelGraph
from compiler.loops import LoopProgram
from compiler.pins import Pins
from compiler.pipeline import compile_problem
from compiler.problem import Problem
from tests.programs import softmax

DEFAULT_ORDERS = (
    "assign-layouts,insert-restickify,order-dims{rule=default},reduce-span,divide-matmul,divide-rest,place-scratchpad"
)
"""A pipeline whose only copies are restickifies."""

SUM = "sum"
"""An op of the model below; its loops are i and j, of which j is reduced."""


def captured(program: LoopProgram | None = None) -> Captured:
    """A softmax of [128,256], or another program, without the graph it was traced from."""
    program = program or softmax(128, 256)
    return Captured(ModelGraph(program.name, (), (), ()), program)


def compiled(
    pins: Pins | None = None, cores: int = 32, program: LoopProgram | None = None, pipeline: str = "staged"
) -> Compilation:
    """The plan for it."""
    model = captured(program)
    problem = Problem(model.program, load_device("spyre").with_cores(cores), pins or Pins())
    return compile_problem(model.graph, problem, pipeline=pipeline)


def divided(op: str, **factors: int) -> Pins:
    """A pin of one division."""
    return Pins(division=frozendict({op: frozendict(factors)}))


def write_model(folder: Path, program: LoopProgram | None = None) -> Path:
    """A captured model as a file."""
    path = folder / "tiny.json"
    path.write_text(to_json(captured(program)), encoding="utf-8")
    return path


def write_plan(folder: Path, compilation: Compilation, name: str = "plan.json") -> Path:
    """A saved plan as a file."""
    path = folder / name
    path.write_text(to_json(compilation), encoding="utf-8")
    return path
