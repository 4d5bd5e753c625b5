"""Pipeline, checker and oracle on random programs: good plans pass, damaged ones are rejected or do no harm.

200 programs on seven sets of cores; small ones are also damaged at random, and where the checker has no objection the
oracle must have none either.
"""

import random

import pytest

from compiler.check import check
from compiler.device import load_device
from compiler.errors import LimitError, StudioError
from compiler.graph import ModelGraph
from compiler.loops import LoopProgram
from compiler.pipeline import compile_problem
from compiler.plan import Plan, Slot
from compiler.problem import Problem
from tests.compiler.legality_oracle import plan_faults
from tests.compiler.tiny import failed
from tests.corruptions import corrupted
from tests.oracle import judge
from tests.random_draft import Options
from tests.random_programs import ALL, BEYOND_LIMITS, DEFAULT, random_program

TARGETS = (("spyre", 1), ("spyre", 3), ("spyre", 4), ("spyre", 32), ("sample", 1), ("sample", 3), ("sample", 4))
GRAPH = ModelGraph("random", (), (), ())
SMALL = Options(ALL, (1, 2, 3, 5, 33, 64, 66, 128), max_elements=420, max_iterations=900)
PER_TEST = 4
DAMAGES = 8


def problem_for(program: LoopProgram, target: tuple[str, int]) -> Problem:
    device, cores = target
    return Problem(program, load_device(device).with_cores(cores))


def planned(program: LoopProgram, target: tuple[str, int]) -> tuple[Problem, Plan] | None:
    """The problem as the passes see it and the plan of the staged pipeline; None if the program is refused."""
    try:
        found = compile_problem(GRAPH, problem_for(program, target))
    except StudioError:
        return None
    return found.problem, found.plan


@pytest.mark.parametrize("first", range(0, 200, PER_TEST))
def test_compiled_programs_pass_or_are_refused(first: int) -> None:
    for seed in range(first, first + PER_TEST):
        program = random_program(seed, 5, DEFAULT)
        for target in TARGETS:
            found = planned(program, target)
            if found is not None:
                assert failed(check(*found)) == {}, (seed, target)


@pytest.mark.parametrize("seed", range(10))
def test_programs_beyond_the_limits(seed: int) -> None:
    program = random_program(seed, 4, BEYOND_LIMITS)
    for target in TARGETS[3:5]:
        found = planned(program, target)
        assert found is None or failed(check(*found)) == {}


def test_limits_are_met_and_named() -> None:
    """Some programs that the card can hold are refused by the sample device because of a limit."""
    met = []
    for seed in range(12):
        program = random_program(seed, 3, BEYOND_LIMITS)
        try:
            compile_problem(GRAPH, problem_for(program, ("sample", 4)))
        except LimitError as refusal:
            met.append(refusal.breach)
        except StudioError:
            continue
    assert len(met) >= 3
    assert all(breach.op and breach.tensor and breach.limit and breach.value for breach in met)


@pytest.mark.parametrize("first", range(0, 40, PER_TEST))
@pytest.mark.parametrize("target", [("spyre", 4), ("spyre", 32)], ids=str)
def test_damaged_plans_are_rejected_or_do_no_harm(first: int, target: tuple[str, int]) -> None:
    for seed in range(first, first + PER_TEST):
        found = planned(random_program(seed, 6, SMALL), target)
        if found is None:
            continue
        problem, plan = found
        assert judge(problem, plan) == [], seed
        rng = random.Random(f"{seed} {target}")
        for _ in range(DAMAGES):
            kind, damaged = corrupted(rng, problem, plan)
            if failed(check(problem, damaged)) == {}:
                assert judge(problem, damaged) == [], (seed, kind)
                assert plan_faults(problem, damaged, finished=True) == [], (seed, kind)


def test_enough_is_compiled_placed_and_rejected() -> None:
    """The tests above say something: most programs compile, LX is used, and most damages are rejected."""
    compiled = resident = rejected = 0
    for seed in range(40):
        found = planned(random_program(seed, 6, SMALL), ("spyre", 4))
        if found is None:
            continue
        problem, plan = found
        compiled += 1
        resident += any(isinstance(place, Slot) for place in plan.placement.values())
        rejected += bool(failed(check(problem, corrupted(random.Random(seed), problem, plan)[1])))
    assert compiled >= 25
    assert resident >= 15
    assert rejected >= 15
