"""Random programs planned with moves, executed: carried, cloned and reloaded values are those of the loops, bit by bit
as far as the loops are."""

from collections import Counter
from functools import cache

import pytest

from compiler.compilation import Compilation
from compiler.device import load_device
from compiler.errors import StudioError
from compiler.graph import ModelGraph
from compiler.pipeline import compile_problem
from compiler.pipelines import PIPELINES
from compiler.plan import EditKind
from compiler.problem import Problem
from simulator.functional.verify import verify
from tests.compiler.test_placement_random import narrow
from tests.random_programs import TINY, random_program
from tests.simulator.test_compiled_programs import numbers

SEEDS = range(80)
WITH_MOVES = PIPELINES["staged"].replace("moves=no", "moves=yes")


@cache
def compiled(seed: int) -> Compilation | None:
    """A plan with moves, mostly for little LX; None where there is no legal plan."""
    loops = random_program(seed, 16 if seed % 3 else 8, TINY)
    devices = (narrow("spyre", 4), narrow("sample", 4), load_device("spyre").with_cores(8), load_device("sample"))
    try:
        problem = Problem(loops, devices[seed % len(devices)])
        return compile_problem(ModelGraph(loops.name, (), (), ()), problem, pipeline=WITH_MOVES)
    except StudioError:
        return None


@pytest.mark.parametrize("seed", SEEDS)
def test_moves_change_no_result(seed: int) -> None:
    found = compiled(seed)
    if found is None:
        return  # refused, which is right too
    inputs, outputs = numbers(found.problem.program, seed)
    report = verify(found.program, inputs, outputs)
    assert report.fault == ""
    assert report.first_divergence is None
    assert report.ok, report.outputs


def test_they_move_a_good_deal() -> None:
    seen = Counter(edit.kind for found in map(compiled, SEEDS) if found for edit in found.plan.edits)
    assert seen[EditKind.RELAYOUT] >= 3
    assert seen[EditKind.CLONE_IN] >= 20
    assert seen[EditKind.CLONE_OUT] >= 20
