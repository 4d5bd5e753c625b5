"""Pinning: whether a pinned division can be kept, and what became of it (facts 3.7).

Owns every check of a division pin and its sentence.  Refuses to skip: each pin ends as honoured, adjusted or refused.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TypeGuard

from frozendict import frozendict

from compiler.copy_names import no_copied_buffer, no_copied_op
from compiler.counts import counted, verb
from compiler.device import Device
from compiler.division import Division
from compiler.floors import floors_of
from compiler.layout import StickLayout
from compiler.limits import excess
from compiler.loops import OpKind, Role
from compiler.pin_names import loops_meant
from compiler.pins import PinState, PinStatus
from compiler.plan import Plan
from compiler.problem import Problem
from compiler.schedule import Schedule, expand
from compiler.spaces import Axis, Space, space_of
from compiler.spans import Reach, reaches_of

FEW, FIRST = 6, 4
"""So many names are all listed; of more only the first."""
REFUSED_TILES = "this pipeline does not tile loops, so that a tile count has no effect; divide the op instead"


def decided(plan: Plan, step: str) -> bool:
    """True if the division of a step is final; one without a reason is only a floor that may still be raised."""
    return f"division:{step}" in plan.reasons


def apply_division_pins(problem: Problem, plan: Plan) -> Plan:
    """The plan with every division and tile pin decided that had no status yet."""
    pins = problem.pins
    open_pins = {op: factors for op, factors in pins.division.items() if f"division:{op}" not in plan.pins}
    open_tiles = [op for op in pins.tiles if f"tiles:{op}" not in plan.pins]
    if not open_pins and not open_tiles:
        return plan
    schedule = expand(problem.program, plan)
    divisions, reasons, status = dict(plan.divisions), dict(plan.reasons), dict(plan.pins)
    for name in open_tiles:
        status[f"tiles:{name}"] = PinStatus(PinState.REFUSED, REFUSED_TILES)
    for name, factors in open_pins.items():
        division, result = pinned_division(name, factors, schedule, plan.layouts, problem.device)
        status[f"division:{name}"] = result
        if division is not None:
            divisions[name] = division
            reasons[f"division:{name}"] = "pinned" if result.state is PinState.HONOURED else f"pinned; {result.detail}"
    return replace(plan, divisions=frozendict(divisions), reasons=frozendict(reasons), pins=frozendict(status))


def pinned_division(
    name: str, factors: Mapping[str, int], schedule: Schedule, layouts: Mapping[str, StickLayout], device: Device
) -> tuple[Division | None, PinStatus]:
    """The division a pin asks for, or None with a refusal; loops that are not named get 1.

    What is named first comes first: factors for which no cores are left are left out, and the status says so.
    """
    if name not in schedule.step_map:
        return None, refused(no_op(name, schedule))
    op = schedule.step_map[name].op
    space = space_of(op, schedule, layouts)
    by_loop = loops_meant(op, factors, schedule.buffers)
    if isinstance(by_loop, str):
        return None, refused(by_loop)
    kept, notes = _within_cores(space, by_loop, device)
    why = objection(space, kept or by_loop, device)
    if why:
        return None, refused(why)
    reaches = reaches_of(op, schedule, layouts, device.span_limit_bytes)
    floors = floors_of(space, reaches, device, start=kept)
    if excess(space, reaches, space.division(floors), device):
        return None, refused(_below_floor(space, reaches, kept, device))
    raised = ", ".join(f"{loop} {factor}" for loop, factor in floors.items() if loop not in kept)
    if raised:
        notes.append(f"{raised} added: without, {excess(space, reaches, space.division(kept), device)}")
    status = PinStatus(PinState.ADJUSTED, "; ".join(notes)) if notes else PinStatus(PinState.HONOURED)
    return space.division(floors), status


def _within_cores(space: Space, factors: Mapping[str, int], device: Device) -> tuple[frozendict[str, int], list[str]]:
    """The factors for which there are cores, first come first served, and a sentence for each that is left out.

    Nothing above 1 kept means nothing kept.  What is wrong by itself stays: `objection` says so.
    """
    kept: dict[str, int] = {}
    notes = []
    cores = 1
    for loop, factor in factors.items():
        axis = space.axis_map.get(loop)
        sound = axis is not None and not axis.blocked and _whole(factor) and factor >= 1
        if sound and cores * factor > device.cores:
            notes.append(f"{loop} {factor} left out: {_too_many({**kept, loop: factor}, cores * factor, device)}")
            continue
        kept[loop] = factor
        cores *= factor if sound else 1
    return (frozendict(kept), notes) if cores > 1 or not notes else (frozendict(), [])


def objection(space: Space, factors: Mapping[str, int], device: Device) -> str:
    """Why these factors cannot be used, in priority order of the loops; empty if they can (spans aside)."""
    if space.op.kind is OpKind.OPAQUE:
        return f"{space.op.name} runs on the host and is not divided"
    cores = 1
    reductions: list[str] = []
    for loop, factor in factors.items():
        axis = space.axis_map.get(loop)
        if axis is None:
            return f"{space.op.name} has no loop {loop}; its loops are {_names(space.axis_map)}"
        why = _wrong_factor(axis, factor, device)
        if why:
            return why
        cores *= factor
        if cores > device.cores:
            return _too_many(factors, cores, device)
        if factor > 1 and axis.role is Role.REDUCTION:
            reductions.append(loop)
        if len(reductions) > 1:
            return f"{reductions[0]} and {reductions[1]} are both reduced and only one reduced loop may be divided"
    return ""


def nearest(name: str, known: Iterable[str]) -> str:
    """`; the nearest names are A, B` for names close to `name`, else the names that there are, or the first of them.

    >>> nearest("softmx", ["softmax", "matmul"])
    '; the nearest name is softmax'
    >>> nearest("x", ["a_0", "matmul"]), nearest("x", [])
    ('; there are a_0, matmul', '')
    """
    names = list(known)
    close = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    if not close:
        return _all_or_first(names)
    return f"; the nearest name is {close[0]}" if len(close) == 1 else f"; the nearest names are {_names(close)}"


def _all_or_first(names: list[str]) -> str:
    if len(names) <= FEW:
        return f"; there {verb(len(names), 'are', 'is')} {_names(names)}" if names else ""
    return f"; the first of {len(names):,} are {_names(names[:FIRST])}"


def no_buffer(name: str, known: Iterable[str]) -> str:
    """That there is no such buffer, and whose copy it is or which names are near."""
    names = dict.fromkeys(known)
    return no_copied_buffer(name, names) or f"there is no buffer {name}{nearest(name, names)}"


def no_op(name: str, schedule: Schedule) -> str:
    """That there is no such op, and into which one it was fused, whose copy it is, or which names are near."""
    heirs = [step.name for step in schedule.steps if step.edit is None and name in step.op.origin.nodes]
    if heirs:
        return f"there is no op {name}: it was fused into {_names(heirs[:3])}"
    return no_copied_op(name, schedule) or f"there is no op {name}{nearest(name, schedule.step_map)}"


def refused(detail: str) -> PinStatus:
    """The status of a pin that cannot be kept."""
    return PinStatus(PinState.REFUSED, detail)


def _whole(factor: object) -> TypeGuard[int]:
    return isinstance(factor, int) and not isinstance(factor, bool)


def _too_many(factors: Mapping[str, int], cores: int, device: Device) -> str:
    product = " x ".join(f"{name} {value}" for name, value in factors.items())
    return f"{product} needs {cores} cores and {device.cores} {verb(device.cores, 'are', 'is')} available"


def _wrong_factor(axis: Axis, factor: object, device: Device) -> str:
    """Why a factor cannot be used on a loop; `factor` may be anything a pins file holds."""
    if not _whole(factor):
        return f"the factor of {axis.name} is {factor!r}, not a whole number"
    if factor < 1:
        return f"the factor of {axis.name} is {factor}, and the least is 1"
    if factor == 1:
        return ""
    if axis.blocked:
        return f"{axis.name} is not divided: {axis.blocked}"
    if not axis.divides(factor):
        factors = axis.factors(device.cores)
        legal = f"{', '.join(map(str, factors))} {verb(len(factors), 'do', 'does')}"
        fault = f"{factor} does not divide the {axis.measure} of {axis.name}"
        return f"{fault}; up to {counted(device.cores, 'core')} {legal}"
    return ""


def _below_floor(space: Space, reaches: tuple[Reach, ...], factors: Mapping[str, int], device: Device) -> str:
    text = f"below the span floor: {excess(space, reaches, space.division(factors), device)}"
    floors = floors_of(space, reaches, device)
    needed = ", ".join(f"{loop} {factor}" for loop, factor in floors.items() if factors.get(loop, 1) < factor)
    enough = excess(space, reaches, space.division(floors), device) is None
    return f"{text}; it takes at least {needed}" if needed and enough else text


def _names(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"
