"""Imported plans beside the plans that they were exported from, for tests: what of the two has to be alike."""

from __future__ import annotations

from compiler.compilation import Compilation
from compiler.layout import StickLayout
from compiler.plan import Placement, Slot
from compiler.schedule import Step, expand


def steps_of(compilation: Compilation) -> tuple[Step, ...]:
    """The steps of a plan in order."""
    return expand(compilation.problem.program, compilation.plan).steps


def moves(compilation: Compilation) -> list[tuple[str, int]]:
    """The kind of every step, '' for an op of the program, and its replicas."""
    return [(step.edit.kind.value, step.edit.replicas) if step.edit else ("", 1) for step in steps_of(compilation)]


def divisions(compilation: Compilation) -> list[list[tuple[int, int]]]:
    """Factors and steps of every division, fastest first."""
    found = [compilation.plan.divisions[step.name] for step in steps_of(compilation)]
    return [[(split.factor, split.step) for split in division.splits] for division in found]


def layouts(compilation: Compilation, *, whole: bool = True) -> list[tuple[tuple[int, ...], str]]:
    """Device sizes and arrangement of what every step writes; not `whole`: without sizes of 1."""
    found = [compilation.plan.layouts[step.op.write.buffer] for step in steps_of(compilation)]
    return [(_sizes(layout, whole), layout.arrangement.value) for layout in found]


def _sizes(layout: StickLayout, whole: bool) -> tuple[int, ...]:
    return tuple(size for size in layout.device_size if whole or size > 1)


def places(compilation: Compilation) -> list[tuple[int, ...]]:
    """Address, bytes, first and last step, and whether it takes a place, of what every step writes in LX."""
    return [_place(compilation.plan.placement[step.op.write.buffer]) for step in steps_of(compilation)]


def _place(place: Placement) -> tuple[int, ...]:
    if not isinstance(place, Slot):
        return ()
    return place.address, place.size_bytes, place.first_step, place.last_step, int(bool(place.in_place_of))


def kernels(compilation: Compilation) -> list[tuple[str, int]]:
    """Names of kernels and how many steps each has."""
    return [(kernel.name, len(kernel.steps)) for kernel in compilation.plan.kernels]


def violations(compilation: Compilation) -> list[str]:
    """Everything that the checker has found."""
    return [violation for verdict in compilation.verdicts for violation in verdict.violations]
