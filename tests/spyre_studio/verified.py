"""Plans with the report of running them, right ones and ones that are wrong in one place.

Owns breaking programs after they were planned and running them on the simulated device.  Refuses reports written by
hand: what a view shows here was measured.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import torch

from compiler.compilation import Compilation
from compiler.loops import LoopProgram
from compiler.program import DeviceOp, Program
from simulator.functional.verify import verify
from simulator.report import VerifyReport
from tests.programs import softmax
from tests.spyre_studio.plans import compiled

Break = Callable[[Program], Program]


def restep(program: Program, name: str, change: Callable[[DeviceOp], DeviceOp]) -> Program:
    """The program with one step changed."""
    kernels = tuple(
        replace(kernel, ops=tuple(change(step) if step.name == name else step for step in kernel.ops))
        for kernel in program.kernels
    )
    return replace(program, kernels=kernels)


def without_cores(step: str, *cores: int) -> Break:
    """These cores leave their slice of a step out."""

    def leave(op: DeviceOp) -> DeviceOp:
        return replace(op, slices=tuple(part for part in op.slices if part.core not in cores))

    return lambda program: restep(program, step, leave)


def moved(tensor: str, address: int) -> Break:
    """A tensor lies where another one is."""

    def move(program: Program) -> Program:
        tensors = (replace(each, address=address) if each.name == tensor else each for each in program.tensors)
        return replace(program, tensors=tuple(tensors))

    return move


def swapped(step: str) -> Break:
    """The first two cores of a step work on each other's slice."""

    def swap(op: DeviceOp) -> DeviceOp:
        one, other, *rest = op.slices
        return replace(op, slices=(replace(one, ranges=other.ranges), replace(other, ranges=one.ranges), *rest))

    return lambda program: restep(program, step, swap)


def unchanged(program: Program) -> Program:
    """Nothing is broken."""
    return program


def measured(
    broken: Break = unchanged, *, cores: int = 32, poison: bool = True, rows: int = 128, columns: int = 256
) -> tuple[Compilation, VerifyReport]:
    """A softmax planned for so many cores, and the report of its program after it was broken."""
    compilation = compiled(cores=cores, program=_model(rows, columns))
    x = torch.randn(rows, columns, generator=torch.Generator().manual_seed(0)).half()
    program = broken(compilation.program)
    compilation = replace(compilation, program=program)
    (view,) = program.outputs
    report = verify(program, {"x": x}, {view.name: torch.softmax(x, -1)}, poison=poison)
    return compilation, replace(report, inputs="inputs drawn with seed 0")


@cache
def right() -> tuple[Compilation, VerifyReport]:
    """A plan that is right, on 32 cores."""
    return measured()


@cache
def wrong() -> tuple[Compilation, VerifyReport]:
    """The same plan, of which cores 5 and 6 leave out their slices of `exp`."""
    return measured(without_cores("exp", 5, 6))


@cache
def clobbered() -> tuple[Compilation, VerifyReport]:
    """A plan for 4 cores whose sum is written over the first rows of `exp`, which are still needed."""
    return measured(moved("sum", 0), cores=4)


@cache
def stopped() -> tuple[Compilation, VerifyReport]:
    """The same plan, of which two cores read what the other one has: the device stops."""
    return measured(swapped("truediv"))


def _model(rows: int, columns: int) -> LoopProgram:
    return softmax(rows, columns)
