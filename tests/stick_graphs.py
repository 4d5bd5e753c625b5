"""Random programs in which sticks disagree, for tests and measurements of the choice of layouts.

Owns which programs those are, and who lays out their weights.  Some are refused, as random programs are: more than 300
are not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from compiler.dtypes import DType
from compiler.loops import LoopProgram
from tests.random_draft import Options
from tests.random_programs import DEFAULT, TINY, random_program

SEEDS = range(450)
PLANNED = 300
SQUARES = Options(
    ("unary", "binary", "binary", "binary", "reduce", "matmul", "matmul", "fill"),
    (64, 128),
    max_elements=100_000,
    max_iterations=1_000_000_000,
)
TINY_SEEDS = range(300)
NARROW = replace(
    TINY,
    families=tuple(family for family in TINY.families if family not in ("where", "cast", "conv", "opaque")),
    dtypes=(DType.F16,),
)
DISPUTED = range(150)
DISPUTES = replace(SQUARES, families=("binary", "binary", "matmul"))


@dataclass(frozen=True, slots=True)
class StickGraph:
    """A program and the option of assign-layouts that says who lays out its weights."""

    program: LoopProgram
    weights: str


def stick_graph(seed: int) -> StickGraph:
    """Of every kind of op and odd sizes, or squares with their transposes; 3 to 22 ops."""
    program = random_program(seed, 3 + seed % 20, SQUARES if seed % 2 else DEFAULT)
    return StickGraph(program, "free" if seed // 2 % 2 else "default")


def disputed_graph(seed: int) -> StickGraph:
    """Sums and products of squares with their transposes, of inputs as the host fills them; 6 to 8 ops."""
    return StickGraph(random_program(seed, 6 + seed % 3, DISPUTES), "default")


def tiny_graph(seed: int) -> StickGraph:
    """A few thousand points in f16, for the oracle, which looks at each of them; 2 to 4 ops."""
    return StickGraph(random_program(seed, 2 + seed % 3, NARROW), "default")
