"""Arrivals: what stands in the way of a clone in LX of a buffer that arrives in device memory, reader by reader.

Owns the obstacles of inputs, parameters and constants, the least that a clone takes on a core, and the words for a pin
that wants one and cannot have it.  Refuses prices: what a clone that could be made would cost is
`compiler.joint.weighed`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from compiler.copy_cuts import reader_cut
from compiler.device import Device
from compiler.division import Division
from compiler.division_menu import legal_divisions
from compiler.eligibility import index_buffers
from compiler.joint.ground import Ground
from compiler.joint.kinds import preference
from compiler.joint.remedies import few, larger, listed, tiles, use
from compiler.joint.subjects import MOST_READ, device_only
from compiler.liveness import Lifetime, lifetimes
from compiler.loops import BufferKind, OpKind
from compiler.plan import EditKind
from compiler.problem import Problem
from compiler.schedule import Schedule, Step
from compiler.solvers.joint.problem import NOWHERE

COPYING = {
    EditKind.RESTICKIFY: "copies it to other sticks",
    EditKind.REORDER: "copies it to another order of dims",
    EditKind.PAD: "copies it to fill it up with zeros",
}
TOO_LARGE = "needs more of it on a core than LX has"


def arrives(schedule: Schedule, name: str) -> bool:
    """True if a buffer is in device memory before the program begins."""
    return schedule.buffers[name].kind is not BufferKind.COMPUTED


@dataclass(frozen=True, slots=True)
class Want:
    """What a reader needs on the fullest core under a division, in bytes."""

    reader: str
    division: Division
    foot_bytes: int


@dataclass(slots=True)
class Arrivals:
    """Looks at the buffers of a ground; steps of `free` may be divided anew."""

    problem: Problem
    ground: Ground
    free: frozenset[str]
    _readers: dict[str, list[Step]] = field(default_factory=dict)

    def obstacles(self, name: str) -> dict[str, list[str]]:
        """Why readers cannot take a clone of a buffer: sentences without their subjects, and these."""
        found: dict[str, list[str]] = {}
        for step in self.readers(name):
            why = _bar(step, name) or self._obstacle(step, name)
            if why:
                found.setdefault(why, []).append(step.name)
        return found

    def barred(self, name: str) -> dict[str, list[str]]:
        """As `obstacles`, of readers that need it in device memory whatever their divisions are."""
        found: dict[str, list[str]] = {}
        for step in self.readers(name):
            if why := _bar(step, name):
                found.setdefault(why, []).append(step.name)
        return found

    def readers(self, name: str) -> tuple[Step, ...]:
        """The steps that read a buffer."""
        if not self._readers:
            for step in self.ground.schedule.steps:
                for buffer in dict.fromkeys(read.buffer for read in step.op.reads):
                    self._readers.setdefault(buffer, []).append(step)
        return tuple(self._readers.get(name, ()))

    def in_words(self, name: str) -> str:
        """The obstacles of all readers."""
        said = [f"{listed(few(names))} {why}" for why, names in self.obstacles(name).items()]
        return "; ".join(said)

    def refusal(self, name: str, moves: bool) -> str:
        """Why no clone of a buffer can be made that a pin asks for, and what would help."""
        if not moves:
            return f"{name} arrives in device memory, and this pipeline makes no clones; use co-optimize with moves=yes"
        if not self.ground.schedule.buffers[name].elements:
            return f"{name} has no elements"
        readers = self.readers(name)
        if not readers:
            return f"no step reads {name}, so that nobody would find it in LX"
        late = self._written_between(lifetimes(self.ground.schedule)[name])
        if late:
            return f"{late} writes into {name} after a step has read it, and a clone would not change with it"
        if self.ground.plan.layouts[name].padding:
            return f"{name} is filled up with zeros for a contraction, and no core owns these"
        least = self.least(name)
        if least is not None and TOO_LARGE in self.obstacles(name):
            return self._too_large(name, least)
        return f"{name} arrives in device memory, and no clone of it in LX would serve a step: {self.in_words(name)}"

    def least(self, name: str) -> Want | None:
        """The least that a clone takes on a core, of all readers that could take one if it was small enough."""
        wants = [want for step in self.readers(name) for want in self._wants(step, name, self.problem.device)]
        return min(wants, key=lambda want: want.foot_bytes, default=None)

    # Obstacles

    def _obstacle(self, step: Step, name: str) -> str:
        if len({read.buffer for read in step.op.reads}) > MOST_READ and not self._is_operand(step, name):
            return f"reads more than {MOST_READ} buffers, of which the largest ones are looked at"
        wants = self._wants(step, name, self.problem.device)
        if not wants:
            return "reads a part of it on each core that no copy can write there"
        fits = any(want.foot_bytes <= self.problem.device.lx_budget_bytes for want in wants)
        return "" if fits else TOO_LARGE

    def _is_operand(self, step: Step, name: str) -> bool:
        task = self.ground.problem.tasks[step.number]
        return any(self.ground.problem.items[item].name == name for item in task.operands)

    def _wants(self, step: Step, name: str, device: Device, anew: bool = False) -> list[Want]:
        """What a step needs under the divisions that it may have, or with `anew` under all that are legal."""
        if _bar(step, name):
            return []
        layout, buffer = self.ground.plan.layouts[name], self.ground.schedule.buffers[name]
        found: dict[int, Want] = {}
        for division in self._divisions(step, name, device, anew):
            view = self._view(step, name, division)
            if view == NOWHERE or view in found or reader_cut(step.op, buffer, layout, division) is None:
                continue
            found[view] = Want(step.name, division, self.ground.views.bytes_per_core(view))
        return list(found.values())

    def _divisions(self, step: Step, name: str, device: Device, anew: bool) -> Sequence[Division]:
        here = self.ground.kinds[step.number].divisions
        if not anew and (step.name not in self.free or self._is_operand(step, name)):
            return here
        legal = legal_divisions(step, self.ground.schedule, self.ground.plan.layouts, device)
        return sorted(legal, key=preference)

    def _view(self, step: Step, name: str, division: Division) -> int:
        buffer, layout = self.ground.schedule.buffers[name], self.ground.plan.layouts[name]
        accesses = dict.fromkeys(read for read in step.op.reads if read.buffer == name)
        found = {self.ground.views.read(step.op, access, buffer, layout, division) for access in accesses}
        return found.pop() if len(found) == 1 else NOWHERE

    def _written_between(self, life: Lifetime) -> str:
        late = [number for number in life.writes if number > life.reads[0]]
        return self.ground.schedule.steps[late[0]].name if late else ""

    # Room

    def _too_large(self, name: str, least: Want) -> str:
        capacity = self.ground.problem.capacity
        fixed = least.reader not in self.free
        division = "on 1 core" if least.division.cores == 1 else f"divided by {least.division}"
        where = f"as {least.reader} reads it {division}{', to which it is pinned' if fixed else ''}"
        others = [f"{listed(few(who))} {why}" for why, who in self.obstacles(name).items() if why != TOO_LARGE]
        also = f"; {'; '.join(others)}" if others else ""
        return (
            f"a clone of {name} takes {least.foot_bytes:,} B per core at least, {where}: "
            f"{least.foot_bytes - capacity:,} B are lacking, as LX has {capacity:,} B{also}. {self._remedy(name)}"
        )

    def _remedy(self, name: str) -> str:
        """Another division of a reader that a pin divides, more cores, or smaller pieces."""
        readers = [step for step in self.readers(name) if self._wants(step, name, self.problem.device)]
        advice = [*self._splits(readers, name), *self._cores(readers, name)]
        if not advice:
            return tiles(self.problem.device, [step.name for step in readers])
        text = listed(advice, "or")
        return text[0].upper() + text[1:]

    def _splits(self, readers: Iterable[Step], name: str) -> list[str]:
        for step in readers:
            if step.name not in self.free:
                division = self._fitting(step, name, self.problem.device)
                if division is not None:
                    return [f"divide {step.name} by {division}"]
        return []

    def _cores(self, readers: Sequence[Step], name: str) -> list[str]:
        for device in larger(self.problem.device):
            if any(step.name in self.free and self._fitting(step, name, device) is not None for step in readers):
                return [use(device, self.problem.device)]
        return []

    def _fitting(self, step: Step, name: str, device: Device) -> Division | None:
        wants = self._wants(step, name, device, anew=True)
        return next((want.division for want in wants if want.foot_bytes <= device.lx_budget_bytes), None)


def _bar(step: Step, name: str) -> str:
    """Why a step needs a buffer in device memory however it is divided; empty if it does not."""
    if step.op.kind is OpKind.OPAQUE:
        return "runs on the host"
    if step.edit is not None:
        return COPYING.get(step.edit.kind, "copies it")
    if not device_only(step, name):
        return ""
    if any(read.buffer == name and read.index.gathers for read in step.op.reads):
        return "picks from it by a value read from memory"
    return "uses it as an index" if name in index_buffers(step) else "reads it under a mask"
