"""Programs as joint problems for tests, and the plans that answers stand for.

Owns the way from a program to the tables of the co-optimiser, and random answers that fit into LX.  Refuses searches.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from compiler.cost.model import price
from compiler.device import Device, load_device
from compiler.division_ground import free_steps
from compiler.errors import StudioError
from compiler.joint.assembly import Assembly
from compiler.joint.ground import Ground, ground_of
from compiler.loops import LoopProgram
from compiler.passes.co_optimize import CoOptimize
from compiler.pins import Pins
from compiler.pipeline import parse_pipeline
from compiler.plan import Plan
from compiler.problem import Problem
from compiler.schedule import expand
from compiler.solvers.joint.demote import fitting
from compiler.solvers.joint.faults import faults
from compiler.solvers.joint.pack import Packing, pack
from compiler.solvers.joint.problem import Answer
from compiler.unfold import unfold
from tests.compiler.joint.random_answers import random_answer
from tests.random_programs import random_program

CORES = (32, 4, 8)


@dataclass(frozen=True, eq=False)
class Field:
    """A problem, its joint problem, and a way to price what its answers stand for."""

    problem: Problem
    ground: Ground

    def plan(self, answer: Answer, packing: Packing) -> Plan:
        """The plan of an answer; what is not in LX has no placement."""
        return Assembly(self.problem, self.ground, answer, packing).plan()

    def plan_us(self, answer: Answer, packing: Packing) -> float:
        """What the cost model says that plan takes."""
        return price(self.problem, self.plan(answer, packing)).total_us

    def answers(self, rng: Random, count: int) -> Iterator[tuple[Answer, Packing]]:
        """Random answers without faults, with addresses."""
        for _ in range(count):
            answer = fitting(self.ground.problem, random_answer(rng, self.ground.problem))
            found = pack(self.ground.problem, answer) if answer is not None else None
            if answer is None or not isinstance(found, Packing):
                continue
            assert faults(self.ground.problem, answer) == []
            yield answer, found


def field_of(program: LoopProgram, device: Device, moves: bool = True, pins: Pins | None = None) -> Field:
    """The joint problem of a program after all passes before the co-optimiser."""
    problem = Problem(unfold(program, device), device, pins or Pins())
    plan = Plan(program.name, device.name, device.cores, "")
    for one in parse_pipeline("co-optimized"):
        if one.name == CoOptimize.name:
            break
        plan = one(problem, plan)
    free = free_steps(plan, expand(problem.program, plan).steps)
    return Field(problem, ground_of(problem, plan, free, moves))


def random_field(seed: int, size: int = 8) -> Field | None:
    """That of a random program; None if the program is refused."""
    device = load_device("spyre").with_cores(CORES[seed % len(CORES)])
    try:
        return field_of(random_program(seed, size), device)
    except StudioError:
        return None


def tiny_lx(device: Device, budget_bytes: int) -> Device:
    """The device with so much LX for a plan, rounded down to whole sticks."""
    managed = device.lx_budget_bytes / (1 - device.number("lx_backend_fraction"))
    return device.with_number("lx_backend_fraction", 1 - budget_bytes / managed)
