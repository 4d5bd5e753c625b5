"""Occupancy: who lies where in the scratchpad, step by step and core by core, as arrays that views draw.

Owns: taking rectangles, fill and holes from a compilation. Refuses: Qt, colours and any judgement of the plan.
Addresses and sizes are in bytes. A rectangle is (first step, address, last step + 1, end address).
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

import numpy as np
from frozendict import frozendict
from numpy.typing import NDArray

from compiler.compilation import Compilation
from compiler.liveness import Lifetime, lifetimes
from compiler.loops import OpKind
from compiler.plan import Slot
from compiler.program import DeviceTensor, Memory
from compiler.reasons import REASONS
from compiler.schedule import Schedule, Step, kernels_of
from spyre_studio.derived import Derived, schedule_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

KINDS: Final = ("matmul", "reduction", "pointwise", "move", "opaque")
_KIND_OF: Final = {
    OpKind.MATMUL: "matmul",
    OpKind.CONV: "matmul",
    OpKind.REDUCTION: "reduction",
    OpKind.POINTWISE: "pointwise",
    OpKind.OPAQUE: "opaque",
}


@dataclass(frozen=True, slots=True)
class Resident:
    """A buffer in LX, at one address on each of its cores, from its first to its last step (both included).

    `kind` is that of the step that makes it; `in_place_of` names the buffer whose place it takes over, '' for none.
    """

    name: str
    kind: str
    address: int
    size: int
    first: int
    last: int
    in_place_of: str
    producer: str
    consumers: tuple[str, ...]
    cores: int


@dataclass(frozen=True, slots=True)
class Outside:
    """A buffer in device memory: how large it is there, the reason code, its title, and the figures behind it."""

    name: str
    size: int
    address: int
    code: str
    title: str
    detail: str
    producer: str
    consumers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Hole:
    """A free range of one core at one step."""

    start: int
    size: int


@dataclass(frozen=True, slots=True, eq=False)
class Occupancy:
    """`rects` (residents, 4) and `kinds` (residents,): codes into KINDS; `present` (residents, cores): who holds it.

    `fill` (cores, steps): bytes in use. `budget` is what the planner may use of the `lx_bytes` of a core. `kernels`:
    the first step of every kernel but the first one.
    """

    steps: tuple[str, ...]
    residents: tuple[Resident, ...]
    outside: tuple[Outside, ...]
    rects: Floats
    kinds: NDArray[np.intp]
    present: NDArray[np.bool_]
    fill: Ints
    budget: int
    lx_bytes: int
    stick_bytes: int
    resident_map: frozendict[str, int]
    outside_map: frozendict[str, int]
    kernels: tuple[int, ...] = ()

    @property
    def cores(self) -> int:
        """Number of cores."""
        return len(self.fill)

    def kernel(self, step: int) -> int:
        """Number of the kernel that a step belongs to."""
        return bisect_right(self.kernels, step)

    def on_core(self, core: int) -> NDArray[np.intp]:
        """Indices of the residents that this core holds, in the order of `residents`."""
        return np.flatnonzero(self.present[:, core])

    def peak(self, core: int) -> tuple[int, int]:
        """Most bytes in use on a core, and the first step at which they are; (0, 0) where nothing ever is."""
        used = self.fill[core]
        if not used.size:
            return 0, 0
        step = int(used.argmax())
        return int(used[step]), step

    def highest(self) -> int:
        """The highest address in use on any core, plus one."""
        return int(self.rects[:, 3].max()) if len(self.rects) else 0

    def holes(self, core: int, step: int) -> tuple[Hole, ...]:
        """Free ranges of a core below the budget while a step runs, in address order."""
        index = self.on_core(core)
        rects = self.rects[index]
        alive = rects[(rects[:, 0] <= step) & (step < rects[:, 2])]
        found, free = [], 0
        for _, start, _, end in alive[alive[:, 1].argsort(kind="stable")].tolist():
            if start > free:
                found.append(Hole(int(free), int(start - free)))
            free = max(free, end)
        if free < self.budget:
            found.append(Hole(int(free), int(self.budget - free)))
        return tuple(found)

    def largest_hole(self, core: int, step: int) -> Hole:
        """The largest free range, an empty one at the budget if all is taken."""
        return max(self.holes(core, step), key=lambda hole: hole.size, default=Hole(self.budget, 0))

    def chains(self) -> tuple[tuple[int, int], ...]:
        """Pairs (parent, child) of residents in which the child takes over the place of the parent."""
        pairs = ((self.resident_map.get(one.in_place_of, -1), child) for child, one in enumerate(self.residents))
        return tuple((parent, child) for parent, child in pairs if parent >= 0)


def kind_of(step: Step) -> str:
    """What the hardware does in a step: one of KINDS; an inserted copy is a move."""
    return "move" if step.edit is not None else _KIND_OF[step.op.kind]


@Derived
def occupancy_of(compilation: Compilation) -> Occupancy:
    """The occupancy that a compilation decides on."""
    device, schedule = compilation.problem.device, schedule_of(compilation)
    lives = lifetimes(schedule)
    residents: list[Resident] = []
    outside: list[Outside] = []
    holders: list[tuple[int, ...]] = []
    for tensor in compilation.program.tensors:
        place = compilation.plan.placement[tensor.name]
        if isinstance(place, Slot) and tensor.memory is Memory.LX:
            holders.append(tuple(box.core for box in tensor.boxes))
            residents.append(_resident(tensor.name, place, schedule, lives[tensor.name], len(tensor.boxes)))
        else:
            outside.append(_outside(tensor, compilation, schedule, lives[tensor.name]))
    cores, steps = compilation.plan.cores, len(schedule.steps)
    rects = np.array([(one.first, one.address, one.last + 1, one.address + one.size) for one in residents], float)
    present = np.zeros((len(residents), cores), np.bool_)
    for row, held in enumerate(holders):
        present[row, list(held)] = True
    return Occupancy(
        steps=tuple(step.name for step in schedule.steps),
        residents=tuple(residents),
        outside=tuple(outside),
        rects=rects.reshape(-1, 4),
        kinds=np.array([KINDS.index(one.kind) for one in residents], np.intp),
        present=present,
        fill=_fill(residents, present, steps),
        budget=device.lx_budget_bytes,
        lx_bytes=device.count("lx_bytes"),
        stick_bytes=device.stick_bytes,
        resident_map=frozendict((one.name, row) for row, one in enumerate(residents)),
        outside_map=frozendict((one.name, row) for row, one in enumerate(outside)),
        kernels=tuple(accumulate(len(run) for run in kernels_of(schedule)))[:-1],
    )


def _fill(residents: list[Resident], present: NDArray[np.bool_], steps: int) -> Ints:
    """Bytes in use; a buffer that takes over a place shares it with its parent during the step that writes it."""
    change = np.zeros((present.shape[1], steps + 1), np.int64)
    last = {one.name: one.last for one in residents}
    for row, one in enumerate(residents):
        shared = one.in_place_of != "" and last.get(one.in_place_of, -1) >= one.first
        change[present[row], one.first + (1 if shared else 0)] += one.size
        change[present[row], one.last + 1] -= one.size
    return np.asarray(change.cumsum(axis=1)[:, :steps], np.int64)


def _resident(name: str, place: Slot, schedule: Schedule, life: Lifetime, cores: int) -> Resident:
    producer = schedule.steps[life.writes[0]] if life.writes else None
    return Resident(
        name=name,
        kind=kind_of(producer) if producer else "opaque",
        address=place.address,
        size=place.size_bytes,
        first=place.first_step,
        last=place.last_step,
        in_place_of=place.in_place_of,
        producer=producer.name if producer else "",
        consumers=tuple(schedule.steps[number].name for number in life.reads),
        cores=cores,
    )


def _outside(tensor: DeviceTensor, compilation: Compilation, schedule: Schedule, life: Lifetime) -> Outside:
    place = compilation.plan.placement[tensor.name]
    reason = None if isinstance(place, Slot) else REASONS[place.code]
    return Outside(
        name=tensor.name,
        size=tensor.layout.size_bytes,
        address=tensor.address,
        code=str(reason.code) if reason else "",
        title=reason.title if reason else "",
        detail="" if isinstance(place, Slot) else place.detail,
        producer=schedule.steps[life.writes[0]].name if life.writes else "",
        consumers=tuple(schedule.steps[number].name for number in life.reads),
    )
