"""Random programs for the co-optimiser, on devices with much and with little LX."""

from __future__ import annotations

from compiler.compilation import Compilation
from compiler.device import load_device
from compiler.errors import StudioError
from compiler.graph import ModelGraph
from compiler.pipeline import compile_problem
from compiler.pipelines import PIPELINES
from compiler.problem import Problem
from tests.compiler.test_placement_random import ELEMENTWISE, narrow
from tests.random_programs import random_program

GRAPH = ModelGraph("drawn", (), (), ())
TARGETS = (("spyre", 32), ("spyre", 4), ("sample", 3), ("spyre", 8))


def drawn(seed: int) -> Problem:
    """Every second one has 64 sticks of LX, every third one many elementwise ops."""
    name, cores = TARGETS[seed % len(TARGETS)]
    device = narrow(name, cores) if seed % 2 else load_device(name).with_cores(cores)
    return Problem(random_program(seed, 6) if seed % 3 else random_program(seed, 9, ELEMENTWISE), device)


def staged(seed: int) -> Compilation | None:
    """The staged compilation of a program; None if it is refused."""
    try:
        return compile_problem(GRAPH, drawn(seed))
    except StudioError:
        return None


def co_optimized(seed: int, solver: str, seconds: float) -> Compilation:
    """The compilation of a program by a search; raises where a check fails."""
    return compile_problem(GRAPH, drawn(seed), pipeline=spec(solver, seconds))


def spec(solver: str, seconds: float, moves: str = "yes") -> str:
    """The pipeline `co-optimized` with other options."""
    asked = f"solver={solver} seconds={seconds} seed=0 moves={moves}"
    return PIPELINES["co-optimized"].replace("solver=cp-sat seconds=10.0 seed=0 moves=yes", asked)
