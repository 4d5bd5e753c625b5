"""Roofline: every step of a plan by its operations per byte of device-memory traffic and the rate it reaches.

Owns: counting operations, the arrays that the picture draws, the roofs of the device, and the words for a step.
Refuses: Qt, pixels, and times of its own; they are those of the price of the plan.  A multiply-accumulate is one
operation, so is a primitive of a body and a value folded into a reduction.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from frozendict import frozendict
from numpy.typing import NDArray

from compiler.compilation import Compilation
from compiler.device import Device
from compiler.loops import Apply, LoopOp, OpKind
from compiler.price import StepCost
from spyre_studio.derived import Derived, schedule_of
from spyre_studio.occupancy import KINDS, kind_of
from spyre_studio.units import format_bytes, format_count, format_percent, format_us

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

MATMULS: Final = frozenset({OpKind.MATMUL, OpKind.CONV})
NS_PER_US: Final = 1000.0
REDUCTIONS: Final = "reductions"


@dataclass(frozen=True, slots=True)
class Roof:
    """A limit: so many operations per ns, or per byte where `sloped` (then `rate` is bytes per ns).

    `firm`: sustained in measurements, otherwise a peak.  `source` says where the number is from.
    """

    title: str
    rate: float
    sloped: bool
    firm: bool
    source: str

    def at(self, intensity: float) -> float:
        """Operations per ns that it allows at so many operations per byte."""
        return self.rate * intensity if self.sloped else self.rate


@dataclass(frozen=True, slots=True, eq=False)
class Roofline:
    """Arrays over all steps in order; `kinds` are codes into KINDS.  `intensity` is infinite without traffic; `rate` is
    NaN where there are no operations or no time."""

    names: tuple[str, ...]
    kinds: Ints
    operations: Floats
    bytes: Floats
    us: Floats
    memory_bound: NDArray[np.bool_]
    intensity: Floats
    rate: Floats
    allowed: Floats
    roofs: tuple[Roof, ...]
    places: frozendict[str, int]

    @property
    def drawn(self) -> Ints:
        """Steps that have a place in the picture."""
        return np.flatnonzero(np.isfinite(self.rate) & (self.rate > 0))

    @property
    def moves(self) -> int:
        """Steps that take time and compute nothing."""
        return int(((self.operations == 0) & (self.us > 0)).sum())

    @property
    def timeless(self) -> int:
        """Steps that take no time of their own: others of their kernel hide them."""
        return int((self.us <= 0).sum())

    def share(self, place: int) -> float:
        """The rate of a step as a share of what the roofs allow it, NaN where there is none."""
        return float(self.rate[place] / self.allowed[place])

    def bound(self, place: int) -> str:
        """What bounds a step: 'memory', 'compute', or '' for one without a time."""
        if self.us[place] <= 0:
            return ""
        return "memory" if self.memory_bound[place] else "compute"

    def words(self, place: int) -> str:
        """One sentence about a step."""
        operations, size, us = self.operations[place], self.bytes[place], self.us[place]
        name = "MAC" if KINDS[self.kinds[place]] == "matmul" else "operations"
        moved = f"{format_bytes(size)} moved" if size else "nothing moved"
        work = f"{short_number(operations)} {name}, {moved}" if operations else f"no arithmetic, {moved}"
        if us <= 0:
            return f"{work}. It takes no time of its own: the rest of its kernel hides it."
        if not operations:
            return f"{work} in {format_us(us)}."
        per_byte = f", {self.intensity[place]:.3g} a byte" if size else ""
        rate = f"{short_number(float(self.rate[place]))} a ns, {format_percent(self.share(place))} of what is allowed"
        return f"{work}{per_byte}: {rate} in {format_us(us)}, bound by {self.bound(place)}."


@Derived
def roofline_of(compilation: Compilation) -> Roofline:
    """The roofline of a plan."""
    steps, costs = schedule_of(compilation).steps, {cost.step: cost for cost in compilation.cost.steps}
    known = [(step, costs[step.name]) for step in steps if step.name in costs]
    kinds = np.array([KINDS.index(kind_of(step)) for step, _ in known], np.intp)
    operations = np.array([_operations(step.op, step.edit is not None) for step, _ in known], float)
    moved = np.array([cost.hbm_bytes for _, cost in known], float)
    us = np.array([cost.total_us for _, cost in known], float)
    memory = np.array([_memory_bound(cost) for _, cost in known], np.bool_)
    with np.errstate(divide="ignore", invalid="ignore"):
        intensity = np.where(moved > 0, operations / moved, np.inf)
        rate = np.where((operations > 0) & (us > 0), operations / us / NS_PER_US, np.nan)
    roofs = roofs_of(compilation.problem.device)
    names = tuple(step.name for step, _ in known)
    allowed = _allowed(kinds, intensity, roofs)
    places = frozendict((name, place) for place, name in enumerate(names))
    return Roofline(names, kinds, operations, moved, us, memory, intensity, rate, allowed, roofs, places)


def roofs_of(device: Device) -> tuple[Roof, ...]:
    """Memory, matrix units and reductions, sustained, and the peaks of the first two."""
    cores, numbers = device.cores, device.numbers
    rows = (
        ("memory", "hbm_one_way_bytes_per_ns", 1.0, True, True),
        ("peak", "hbm_peak_bytes_per_us", 1 / NS_PER_US, True, False),
        ("matrix units", "sustained_mac_per_ns_core", float(cores), False, True),
        ("peak", "planner_mac_per_us_core", cores / NS_PER_US, False, False),
        (REDUCTIONS, "fused_reduction_elements_per_ns_core", float(cores), False, True),
    )
    return tuple(
        Roof(title, numbers[key].value * scale, sloped, firm, f"{numbers[key].source} ({numbers[key].kind})")
        for title, key, scale, sloped, firm in rows
        if key in numbers
    )


def short_number(value: float) -> str:
    """A number in three digits: '16.8 M', '1.2 k', '48', '0.25'."""
    for unit, name in ((1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k")):
        if abs(value) >= unit:
            return f"{value / unit:.3g}{name}"
    return f"{value:.3g}"


def left_out(data: Roofline) -> str:
    """Why steps are missing in the picture, '' if none is."""
    words = []
    if data.moves:
        words.append(f"{format_count(data.moves, 'step')} only move{'s' if data.moves == 1 else ''} data")
    if data.timeless:
        words.append(f"{format_count(data.timeless)} take{'s' if data.timeless == 1 else ''} no time of their own")
    return ", ".join(words)


def _operations(op: LoopOp, copy: bool) -> float:
    if copy or op.kind is OpKind.OPAQUE:
        return 0.0
    if op.kind in MATMULS:
        return float(op.iterations)
    applied = sum(isinstance(one, Apply) and one.primitive != "cast" for one in op.body)
    return float(op.iterations * (applied + (op.kind is OpKind.REDUCTION)))


def _memory_bound(cost: StepCost) -> bool:
    return cost.hbm_us + cost.serial_us >= cost.compute_us


def _allowed(kinds: Ints, intensity: Floats, roofs: tuple[Roof, ...]) -> Floats:
    """What sustained roofs allow: memory all of them, matrix units and reductions their own kind."""
    allowed = np.full(len(kinds), np.inf)
    for roof in roofs:
        if roof.firm and roof.sloped:
            allowed = np.minimum(allowed, roof.rate * intensity)
        elif roof.firm:
            mine = kinds == KINDS.index("matmul" if roof.title == "matrix units" else "reduction")
            allowed = np.where(mine, np.minimum(allowed, roof.rate), allowed)
    return np.asarray(allowed, float)
