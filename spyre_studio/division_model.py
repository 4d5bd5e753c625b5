"""Division model: the split of one op: which factors its loops allow, what a core owns, and what is lost.

Owns: the arithmetic behind the editor and the words for it; the picture of the cores is `space_grid`.  Refuses: Qt, and
choosing a split.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from frozendict import frozendict

from compiler.compilation import Compilation
from compiler.device import Device
from compiler.division import Division
from compiler.floors import floors_of
from compiler.idle import Idle, idle_of
from compiler.loops import LoopOp, Role
from compiler.pinning import objection
from compiler.schedule import Schedule
from compiler.spaces import Axis, Space, space_of
from compiler.spans import Reach, reaches_of
from spyre_studio.derived import schedule_of
from spyre_studio.space_grid import range_text
from spyre_studio.units import format_count


@dataclass(frozen=True, slots=True)
class LoopChoice:
    """A loop of the editor: legal factors (1 first), or why it is not divided; `lanes` > 1: it is cut in sticks."""

    name: str
    extent: int
    lanes: int
    reduced: bool
    factors: tuple[int, ...]
    blocked: str

    def words(self, factor: int) -> str:
        """What one core gets of it. Examples: '64 of 512', '2 sticks of 8', 'all 3'."""
        axis = Axis(self.name, self.extent, Role.OUTPUT, self.lanes)
        if factor == 1:
            return f"all {self.extent:,}"
        if self.lanes > 1:
            return f"{format_count(axis.size // factor, 'stick')} of {axis.size:,}"
        return f"{axis.step(factor):,} of {self.extent:,}"


@dataclass(frozen=True, slots=True)
class OpSplits:
    """Everything the division editor knows of one step."""

    op: LoopOp
    space: Space
    device: Device
    chosen: Division
    loops: tuple[LoopChoice, ...]
    reaches: tuple[Reach, ...] = ()

    def division(self, factors: Mapping[str, int]) -> Division:
        """The division that these factors make, fastest loop first."""
        return self.space.division(factors)

    def objection(self, factors: Mapping[str, int]) -> str:
        """Why these factors cannot be used, '' if they can."""
        return objection(self.space, {loop: factor for loop, factor in factors.items() if factor > 1}, self.device)

    def idle(self, factors: Mapping[str, int]) -> Idle | None:
        """What these factors lose, None if all cores work or there is nothing to win."""
        floors = floors_of(self.space, self.reaches, self.device)
        return idle_of(self.space, factors, self.device.cores, floors)


def splits_of(compilation: Compilation, op: str, schedule: Schedule | None = None) -> OpSplits | None:
    """The splits of a step, None for one that the plan does not have or does not divide."""
    schedule = schedule or schedule_of(compilation)
    step = schedule.step_map.get(op)
    if step is None or op not in compilation.plan.divisions:
        return None
    device, chosen = compilation.problem.device, compilation.plan.divisions[op]
    space = space_of(step.op, schedule, compilation.plan.layouts)
    choices = tuple(
        LoopChoice(
            axis.name,
            axis.extent,
            axis.lanes,
            axis.role is Role.REDUCTION,
            _menu(axis, chosen.factor(axis.name), device.cores),
            axis.blocked,
        )
        for axis in space.axes
    )
    reaches = reaches_of(step.op, schedule, compilation.plan.layouts)
    return OpSplits(step.op, space, device, chosen, choices, reaches)


def _menu(axis: Axis, chosen: int, cores: int) -> tuple[int, ...]:
    """Legal factors, and the one in use whatever it is (a span floor may have raised a blocked loop)."""
    return tuple(sorted({*axis.factors(cores), chosen}))


def owned(op: LoopOp, division: Division, core: int) -> str:
    """What a core owns of the split loops. Examples: 'core 27 owns b 3, m 384–447', 'core 9 is idle'."""
    if core >= division.cores:
        return f"core {core} is idle"
    if not division.splits:
        return f"core {core} owns everything"
    bounds = dict(zip((loop.name for loop in op.loops), division.bounds(op.loops, core), strict=True))
    parts = [_range(split.loop, *bounds[split.loop]) for split in division.splits]
    return f"core {core} owns {', '.join(parts)}"


def _range(loop: str, low: int, high: int) -> str:
    if high <= low:
        return f"nothing of {loop}"
    return f"{loop} {range_text(low, high)}"


def title_of(division: Division, cores: int) -> str:
    """'32 cores · b 4 × m 8', '8 of 32 cores · m 8', '1 of 32 cores · not split'."""
    used = format_count(division.cores, "core") if division.cores == cores else f"{division.cores} of {cores} cores"
    splits = " × ".join(f"{split.loop} {split.factor}" for split in division.splits)
    return f"{used} · {splits or 'not split'}"


def pinned_factors(factors: Mapping[str, int]) -> frozendict[str, int]:
    """The factors worth pinning: those above 1."""
    return frozendict((loop, factor) for loop, factor in factors.items() if factor > 1)
