"""200 random programs through every placement solver, on a device with little LX: the checker has no objection."""

from functools import cache

import pytest

from compiler.check import check
from compiler.device import Device, load_device
from compiler.errors import StudioError
from compiler.graph import ModelGraph
from compiler.passes.place_scratchpad import PlaceScratchpad
from compiler.pipeline import compile_problem
from compiler.plan import Claim, Plan, Slot
from compiler.problem import Problem
from compiler.solvers.table import SOLVERS
from tests.compiler.tiny import failed
from tests.random_draft import Options
from tests.random_programs import random_program

TARGETS = (("spyre", 1), ("spyre", 4), ("sample", 1), ("spyre", 32), ("sample", 3))
PER_TEST = 10
ELEMENTWISE = Options(
    ("unary", "binary", "binary", "reduce"), (64, 128, 256), max_elements=30_000, max_iterations=500_000
)
GRAPH = ModelGraph("random", (), (), ())


@cache
def narrow(name: str, cores: int) -> Device:
    """The device with 64 sticks of LX, so that buffers compete for it."""
    device = load_device(name).with_cores(cores)
    managed = device.count("lx_bytes") - device.count("lx_program_bytes")
    return device.with_number("lx_backend_fraction", 1 - 64 * device.stick_bytes / managed)


def answers(seed: int) -> dict[str, tuple[Problem, Plan]]:
    """Plans by solver; none where the program is refused."""
    device = narrow(*TARGETS[seed % len(TARGETS)])
    program = random_program(seed, 24, ELEMENTWISE) if seed % 2 else random_program(seed, 6)
    problem = Problem(program, device)
    try:
        found = compile_problem(GRAPH, problem)
    except StudioError:
        return {}
    return {name: (found.problem, PlaceScratchpad(name, 1, 1.0)(found.problem, found.plan)) for name in SOLVERS}


@pytest.mark.parametrize("first", range(0, 200, PER_TEST))
def test_the_checker_accepts_every_solver(first: int) -> None:
    for seed in range(first, first + PER_TEST):
        found = answers(seed)
        for name, (problem, plan) in found.items():
            assert failed(check(problem, plan)) == {}, (seed, name)
        claims = {name: plan.claims["place-scratchpad"] for name, (_, plan) in found.items()}
        assert all(claim.objective >= claims["cp-sat"].objective for claim in claims.values()), seed
        assert all(claim.bound <= claims["cp-sat"].objective for claim in claims.values()), seed


def test_the_programs_say_something() -> None:
    """LX is used, is too small for some, and some of those are placed better by a search."""
    resident = short = better = 0
    for seed in range(60):
        found = answers(seed)
        if not found:
            continue
        claims: dict[str, Claim] = {name: plan.claims["place-scratchpad"] for name, (_, plan) in found.items()}
        resident += any(isinstance(place, Slot) for place in found["cp-sat"][1].placement.values())
        short += claims["cp-sat"].objective > 0
        better += claims["cp-sat"].objective < claims["best-fit"].objective
    assert resident >= 20
    assert short >= 10
    assert better >= 3
