"""Gains: whether a load of an input into LX can make a plan quicker for a single reader.

Owns the test that leaves out what cannot.  A load takes an input out of the reader's traffic, and with it what slows
that traffic down: many cores that read the same, runs that are short, an access pattern with a rate of its own, and
the turnaround between reads and writes.  For that its bytes move outside of what overlaps.

A load is left out only if every plan that has it has a rival that is no slower: the same one without the load, in which
the reader has the division that it has or another one with the same views of all else in LX.  That plan fits, as a
place in LX is given up and none is taken.  Of its kernel it raises compute by at most C, memory by at most M and the
rest by S; max(compute, memory) grows by at most max(C, M), so that max(C, M) + S <= 0 is enough, whatever else the
kernel does.  A weighted sum of compute and memory with weights that add up to 1 grows by no more than that either, so
the same holds for bounds.  Refuses to choose among loads.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from compiler.joint.kinds import ROUNDING_US, Kind
from compiler.solvers.joint.problem import NOWHERE, Bill, Choice, Load, Menu, Rates, Task


@dataclass(frozen=True, slots=True)
class Reader:
    """The only reader of a load: its kind, the operand that is loaded, and whether it may have to be cut as it is.

    `spared` are the bytes at most that its kernel may read less than it writes: only those spare turnaround.
    """

    kind: Kind
    place: int
    cut: bool
    spared: int
    rates: Rates

    def gain_us(self, view: int, load: Bill) -> float:
        """What a plan takes less at most (us) with the load under a view than without it: 0 if that is nothing."""
        choices, bit = self.kind.menu.choices, 1 << self.place
        gains = (
            self._gain_us(choices[number], mask, load)
            for number in self.kind.menu.by_view[self.place].get(view, ())
            for mask in range(len(choices[number].bills))
            if not mask & (bit | _absent(choices[number]))
        )
        most = max(gains, default=0.0)
        return most if most > ROUNDING_US else 0.0

    def _gain_us(self, one: Choice, mask: int, load: Bill) -> float:
        """The same of a choice, other operands in LX being those of the mask: against what does best without a load."""
        inside = one.bills[mask | 1 << self.place]
        rivals = (one, *(() if self.cut else self.kind.menu.choices))
        return min(
            self._slower_by(inside, load, other.bills[mask])
            for other in rivals
            if other is one or _agree(one, other, mask)
        )

    def _slower_by(self, inside: Bill, load: Bill, outside: Bill) -> float:
        """What a kernel takes more at most (us) if the operand comes out of device memory: infinite if that changes how
        fast other inputs are loaded."""
        own = [one for one in outside.loads if one.operand == self.place]
        if [one for one in outside.loads if one.operand != self.place] != list(inside.loads):
            return float("inf")
        pooled = sum(one.size_bytes for one in own if not one.bytes_per_ns)
        read = outside.read_bytes + pooled - inside.read_bytes - load.read_bytes
        written = outside.written_bytes - inside.written_bytes - load.written_bytes
        turned = min(self.spared, max(0, read)) + max(0, written)
        compute = outside.compute_us - inside.compute_us - load.compute_us
        compute += max(0.0, outside.fused_us - max(inside.fused_us, load.fused_us))
        memory = outside.memory_us - inside.memory_us - load.memory_us + sum(_own_us(one) for one in own)
        memory += (read + written) / self.rates.bytes_per_ns / 1000 + turned * self.rates.turnaround_ns_per_byte / 1000
        serial = outside.serial_us - inside.serial_us - load.serial_us
        return max(compute, memory) + serial + sum(max(one.delivery_us, one.burst_us) for one in own)


def _absent(choice: Choice) -> int:
    """Operands that no step has in LX under a choice, as bits."""
    return sum(1 << place for place, view in enumerate(choice.views) if view == NOWHERE)


def _agree(one: Choice, other: Choice, mask: int) -> bool:
    """True if two choices have the same views of the operands in LX: of what is in device memory none matters."""
    return all(
        mine == theirs
        for place, (mine, theirs) in enumerate(zip(one.views, other.views, strict=True))
        if mask >> place & 1
    )


def _own_us(load: Load) -> float:
    """Time of the bytes of a load at a rate of its own."""
    return load.size_bytes / load.bytes_per_ns / 1000 if load.bytes_per_ns else 0.0


def turning(tasks: tuple[Task, ...], out_bytes: Mapping[int, int]) -> dict[int, int]:
    """Kernels that may read less than they write, and by how many bytes at most; `out_bytes` are those of all
    clone-outs that each may have."""
    least, most = defaultdict[int, int](int), defaultdict[int, int](int, out_bytes)
    for task in tasks:
        bills = [bill for choice in task.menu.choices for bill in choice.bills]
        least[task.kernel] += min(bill.read_bytes for bill in bills)
        most[task.kernel] += max(bill.written_bytes for bill in bills)
    return {kernel: most[kernel] - read for kernel, read in least.items() if read < most[kernel]}


def least_us(tasks: tuple[Task, ...], rates: Rates) -> float:
    """What all kernels take at least with all in LX that can be: each the larger of its compute and its memory, either
    under the divisions that are quickest in that."""
    compute, memory = defaultdict[int, float](float), defaultdict[int, float](float)
    fused = defaultdict[int, float](float)
    known: dict[int, tuple[float, float, float]] = {}  # equal steps have the same menu
    for task in tasks:
        if id(task.menu) not in known:
            known[id(task.menu)] = _quickest(task.menu, rates)
        least = known[id(task.menu)]
        compute[task.kernel] += least[0]
        memory[task.kernel] += least[1]
        fused[task.kernel] = max(fused[task.kernel], least[2])
    return sum(max(compute[kernel] + fused[kernel], memory[kernel]) for kernel in compute)


def _quickest(menu: Menu, rates: Rates) -> tuple[float, float, float]:
    """The least of compute, of memory, and of fused reductions over the choices, with all in LX that can be."""
    bills = [choice.bills[-1] for choice in menu.choices]
    return (
        min(bill.compute_us + bill.serial_us for bill in bills),
        min(_memory_us(rates, bill) + bill.serial_us for bill in bills),
        min(bill.fused_us for bill in bills),
    )


def _memory_us(rates: Rates, bill: Bill) -> float:
    return bill.memory_us + rates.memory_us(bill.read_bytes, bill.written_bytes)
