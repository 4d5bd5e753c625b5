"""KernelRun: one kernel on all cores, from its launch to the end of its last step.

Owns who may go on: cores that wait for tensors, for partners and for partial results, and the parts of a step one after
the other.  Refuses rates and time, which are `jobs`'s, and what a step is bound by, which is read off the record.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

from simulator.timing.jobs import Jobs, Kind
from simulator.timing.parts import Parts
from simulator.timing.record import Record
from simulator.timing.timeline import Cause


@dataclass(frozen=True, slots=True)
class Step:
    """A step as the engine sees it.  `number` counts all steps of the program, `needs` are numbers; a collective begins
    and ends on all its members together; `sends` maps a core to who gets its partial result and the ns that takes,
    `takes` a core to the ones it gets some from."""

    number: int
    members: tuple[int, ...]
    collective: bool
    needs: tuple[int, ...]
    sends: Mapping[int, tuple[int, float]]
    takes: Mapping[int, tuple[int, ...]]


class Phase(IntEnum):
    """Where a core is in its step."""

    READY = 0
    FILL = 1
    STEADY = 2
    LAST = 3
    TAKE = 4
    SEND = 5
    DRAIN = 6
    PARTNERS = 7
    END = 8


class KernelRun:
    """Runs the steps of one kernel.  `launched` are cause, step and core that a core names for its first start.

    A core is held by every job it runs and everything it waits for; with the last of them gone it is loose, and goes
    on with the next phase.  Cores get loose in a fixed order, and go on in it.
    """

    def __init__(
        self, steps: Sequence[Step], parts: Parts, record: Record, jobs: Jobs, launched: tuple[Cause, int, int]
    ) -> None:
        cores = parts.fill.shape[1]
        self._parts, self._record, self._jobs, self._launched = parts, record, jobs, launched
        self._steps = {step.number: step for step in steps}
        self._queue: list[list[int]] = [[] for _ in range(cores)]
        for step in steps:
            for core in step.members:
                self._queue[core].append(step.number)
        self._place = [-1] * cores
        self._step = [-1] * cores
        self._phase = [int(Phase.END)] * cores
        self._holds = [0] * cores
        self._loose = deque(range(cores))
        self._waiting: dict[int, list[int]] = {step.number: [] for step in steps}
        self._absent = {step.number: len(step.members) if step.collective else 0 for step in steps}
        self._working = {step.number: len(step.members) for step in steps if step.members}
        self._missing = {step.number: sum(need in self._working for need in step.needs) for step in steps}
        self._users: dict[int, list[int]] = {step.number: [] for step in steps}
        for step in steps:
            for need in step.needs:
                self._users[need].append(step.number)

    def run(self, ended: Callable[[int], None]) -> None:
        """Run all steps; `ended` gets the number of each one that has ended everywhere, and may raise."""
        self._settle(ended)
        while self._working:
            for kind, core in self._jobs.advance():
                self._note(kind, core)
            self._settle(ended)

    def _settle(self, ended: Callable[[int], None]) -> None:
        """Let every loose core go on until something holds it."""
        while self._loose:
            core = self._loose.popleft()
            while not self._holds[core]:
                if self._phase[core] == Phase.END:
                    self._next(core)
                    continue
                self._phase[core] += 1
                _ENTER[self._phase[core]](self, core)
                if self._phase[core] == Phase.END:
                    self._ended(self._step[core], ended)

    def _hold(self, core: int) -> None:
        self._holds[core] += 1

    def _release(self, core: int) -> None:
        self._holds[core] -= 1
        if not self._holds[core]:
            self._loose.append(core)

    def _begin(self, kind: Kind, core: int, amount: float) -> None:
        """Begin a job that holds the core."""
        moving, most = 0.0, 1.0
        step = self._step[core]
        if kind is Kind.READ:
            moving, most = self._parts.read_moving.item(step, core), self._parts.most_in.item(step, core)
        elif kind is Kind.WRITE:
            moving, most = self._parts.write_moving.item(step, core), self._parts.most_out.item(step, core)
        if self._jobs.begin(kind, core, amount, moving, most):
            self._hold(core)

    def _note(self, kind: Kind, core: int) -> None:
        """A job has ended."""
        step, now = self._step[core], self._jobs.now
        if self._phase[core] == Phase.STEADY and kind in (Kind.READ, Kind.DELIVERY):
            self._record.read_end[step, core] = now
        if self._phase[core] == Phase.STEADY and kind is Kind.WRITE:
            self._record.write_end[step, core] = now
        self._release(core)
        if self._phase[core] == Phase.SEND:
            self._handed(core)

    def _next(self, core: int) -> None:
        """The core's next step, which may have to wait; without one the core is held for good."""
        self._hold(core)
        self._place[core] += 1
        if self._place[core] == len(self._queue[core]):
            return
        step = self._queue[core][self._place[core]]
        self._step[core], self._phase[core] = step, int(Phase.READY)
        self._record.ready[step, core] = self._jobs.now
        self._waiting[step].append(core)
        if self._steps[step].collective:
            self._absent[step] -= 1
        self._open(step)

    def _open(self, step: int) -> None:
        """Let those who wait for a step begin if nothing is in the way any more."""
        if self._missing[step] or self._absent[step]:
            return
        for core in self._waiting[step]:
            self._release(core)
        self._waiting[step].clear()

    def _fill(self, core: int) -> None:
        step, record = self._step[core], self._record
        record.start[step, core] = self._jobs.now
        record.cause[step, core], record.by_step[step, core], record.by_core[step, core] = self._reason(step, core)
        self._read(core, self._parts.fill.item(step, core))

    def _reason(self, step: int, core: int) -> tuple[Cause, int, int]:
        """What a core that begins now has waited for last, and whose end that was."""
        if self._record.ready[step, core] == self._jobs.now:
            place = self._place[core]
            return (Cause.ORDER, self._queue[core][place - 1], core) if place else self._launched
        if self._steps[step].collective:
            partner = int(self._record.ready[step].argmax())
            if self._record.ready[step, partner] == self._jobs.now:
                return Cause.PARTNER, self._queue[partner][self._place[partner] - 1], partner
        need = max(self._steps[step].needs, key=lambda each: (self._record.last(each)[0], each))
        return Cause.PRODUCER, need, self._record.last(need)[1]

    def _read(self, core: int, amount: float) -> None:
        shared = self._parts.shares.item(self._step[core], core)
        self._begin(Kind.READ if shared else Kind.DELIVERY, core, amount)

    def _steady(self, core: int) -> None:
        step, record = self._step[core], self._record
        for mark in (record.filled, record.read_end, record.write_end):
            mark[step, core] = self._jobs.now
        self._read(core, self._parts.steady_read.item(step, core))
        self._begin(Kind.WRITE, core, self._parts.steady_write.item(step, core))
        self._begin(Kind.OWN, core, self._parts.steady_own.item(step, core))

    def _last(self, core: int) -> None:
        step = self._step[core]
        self._record.steady[step, core] = self._jobs.now
        self._begin(Kind.OWN, core, self._parts.last_own.item(step, core))
        self._begin(Kind.WRITE, core, self._parts.last_write.item(step, core))

    def _take(self, core: int) -> None:
        """All partial results that are for this core have to arrive."""
        step = self._step[core]
        self._record.computed[step, core] = self._jobs.now
        for source in self._steps[step].takes.get(core, ()):
            self._hold(core)
            if self._step[source] == step and self._phase[source] == Phase.SEND:
                self._hand(source)

    def _send(self, core: int) -> None:
        step = self._step[core]
        self._record.wait[step, core] = self._jobs.now - self._record.computed[step, core]
        if core not in self._steps[step].sends:
            return
        self._hold(core)
        target, _ = self._steps[step].sends[core]
        if self._step[target] == step and self._phase[target] == Phase.TAKE:
            self._hand(core)

    def _hand(self, core: int) -> None:
        """Both ends of a hand-over are ready."""
        _, duration = self._steps[self._step[core]].sends[core]
        if duration > 0:
            self._begin(Kind.OWN, core, duration)
        else:
            self._handed(core)

    def _handed(self, core: int) -> None:
        """The partial result of a core has arrived."""
        self._release(core)
        self._release(self._steps[self._step[core]].sends[core][0])

    def _drain(self, core: int) -> None:
        self._begin(Kind.WRITE, core, self._parts.drain.item(self._step[core], core))

    def _partners(self, core: int) -> None:
        """A collective goes on when its last member has come here."""
        step = self._steps[self._step[core]]
        if not step.collective:
            return
        self._hold(core)
        self._absent[step.number] += 1
        if self._absent[step.number] == len(step.members):
            for member in step.members:
                self._release(member)

    def _end(self, core: int) -> None:
        self._record.end[self._step[core], core] = self._jobs.now

    def _ended(self, step: int, ended: Callable[[int], None]) -> None:
        """A core is through with a step; if it was the last one, those who need the step may begin."""
        self._working[step] -= 1
        if self._working[step]:
            return
        del self._working[step]
        for user in self._users[step]:
            self._missing[user] -= 1
            self._open(user)
        ended(step)


_ENTER: Mapping[int, Callable[[KernelRun, int], None]] = {
    Phase.FILL: KernelRun._fill,
    Phase.STEADY: KernelRun._steady,
    Phase.LAST: KernelRun._last,
    Phase.TAKE: KernelRun._take,
    Phase.SEND: KernelRun._send,
    Phase.DRAIN: KernelRun._drain,
    Phase.PARTNERS: KernelRun._partners,
    Phase.END: KernelRun._end,
}
