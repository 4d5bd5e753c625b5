"""Order copies: the edits that give single reads a buffer in another dim order.

Owns their names, their places in the schedule, and who reads them.  Refuses to decide which are needed.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from compiler.layout import SPARSE, UNIT, StickLayout
from compiler.loops import LoopOp, LoopProgram
from compiler.order_needs import Ask
from compiler.order_seats import Copied
from compiler.orders import Orders
from compiler.plan import Edit, EditKind, Plan

_LETTERS = {UNIT: "u", SPARSE: "s"}


@dataclass(slots=True)
class Copies:
    """All edits in order, and of the new ones the layouts of the targets and who asked, by name."""

    edits: tuple[Edit, ...]
    layouts: dict[str, StickLayout] = field(default_factory=dict)
    asks: dict[str, tuple[Ask, ...]] = field(default_factory=dict)


def reorder_edits(program: LoopProgram, plan: Plan, orders: Orders) -> Copies:
    """The plan's edits and the copies that the seating of every buffer asks for."""
    copies = Copies(plan.edits)
    ops = {op.name: op for op in program.ops}
    places = {name: place for place, name in enumerate(ops)}
    taken = {*plan.layouts, *(edit.name for edit in plan.edits), *ops}
    for source in orders.search.touched():
        seated = orders.search.seating(source, orders.fast)
        for copy in seated.copies if seated else ():
            if copy.layout == orders.layouts[source]:
                continue  # its group has given the source this order; the zeros alone are for pad-operands
            asks = [ask for ask in orders.search.asks(source, orders.fast) if ask.need in copy.needs]
            asks.sort(key=lambda ask: (places[ask.op], ask.read))
            edit = _edit(source, copy, asks, ops, taken)
            taken.add(edit.name)
            copies.edits = (*copies.edits, edit)
            copies.layouts[edit.name], copies.asks[edit.name] = copy.layout, tuple(asks)
    copies.edits = tuple(sorted(copies.edits, key=lambda edit: places[edit.before]))
    return copies


def _edit(source: str, copy: Copied, asks: list[Ask], ops: dict[str, LoopOp], taken: set[str]) -> Edit:
    name = free_name(f"{source}@order{''.join(_LETTERS.get(dim, str(dim)) for dim in copy.layout.dim_order)}", taken)
    reads: dict[str, list[int]] = {}
    for ask in asks:
        reads.setdefault(ask.op, []).append(ask.read)
    readers = [reader for op, numbers in reads.items() for reader in reader_names(ops[op], source, numbers)]
    return Edit(name, EditKind.REORDER, source, name, asks[0].op, tuple(readers))


def free_name(name: str, taken: set[str]) -> str:
    """The name, or with `~2` and so on behind it the first that is not taken."""
    if name not in taken:
        return name
    return next(free for free in (f"{name}~{number}" for number in range(2, len(taken) + 3)) if free not in taken)


def reader_names(op: LoopOp, source: str, reads: list[int]) -> tuple[str, ...]:
    """The op, or `OP#NUMBER` for single reads where others of the same buffer keep what they have."""
    every = [number for number, access in enumerate(op.reads) if access.buffer == source]
    numbers = sorted(set(reads))
    return (op.name,) if numbers == every else tuple(f"{op.name}#{number}" for number in numbers)
