"""Order pins: which of them can be kept at all.

Owns the objections to a pinned dim order and their sentences: a name nobody has, no order of its dims, another stick
than was decided, a buffer that the host fills, a table.  Refuses to drop one: each ends as honoured or refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from compiler.copy_names import source_of
from compiler.dim_orders import comes_first, reordered
from compiler.layout import MAX_DIM_ORDER, SPARSE, UNIT, StickLayout
from compiler.loops import Buffer, BufferKind
from compiler.order_needs import Ask
from compiler.pinning import nearest, refused
from compiler.pins import PinState, PinStatus


@dataclass(frozen=True, slots=True)
class PinnedOrders:
    """Layouts in pinned orders, by buffer, and the status of every order pin."""

    layouts: dict[str, StickLayout]
    status: dict[str, PinStatus]


def pinned_orders(
    pins: Mapping[str, tuple[int, ...]],
    buffers: Mapping[str, Buffer],
    layouts: Mapping[str, StickLayout],
    free: frozenset[str],
    tables: list[Ask],
) -> PinnedOrders:
    """Decide every order pin; `free` are the buffers that may take any order, `tables` the asks of tables."""
    found = PinnedOrders({}, {})
    for name, order in pins.items():
        why = _objection(name, order, buffers, layouts, free) or _host_objection(name, order, buffers, layouts, free)
        if not why:
            layout = reordered(layouts[name], buffers[name], order)
            why = _table_objection(name, layout, tables)
            found.layouts.update({} if why else {name: layout})
        found.status[f"order:{name}"] = refused(why) if why else PinStatus(PinState.HONOURED)
    return found


def _objection(
    name: str,
    order: object,
    buffers: Mapping[str, Buffer],
    layouts: Mapping[str, StickLayout],
    free: frozenset[str],
) -> str:
    """Why a pin is no order of this buffer's dims with its sticks; `order` may be anything a pins file holds."""
    if name not in layouts:
        return f"there is no buffer {name}{nearest(name, layouts)}"
    if not isinstance(order, tuple) or not all(isinstance(dim, int) and not isinstance(dim, bool) for dim in order):
        return f"the dim order of {name} is {order!r}, not a list of whole numbers"
    if len(order) > MAX_DIM_ORDER:
        return f"the dim order of {name} has {len(order)} entries, a stick layout has at most {MAX_DIM_ORDER}"
    rank, layout = len(buffers[name].shape), layouts[name]
    dims = order[1:] if order[:1] == (UNIT,) else order
    dims = dims[:-1] if dims[-1:] == (SPARSE,) else dims
    if sorted(dims) != list(range(rank)) or order == (UNIT,):
        each = f"each of its dims 0 to {rank - 1} once" if rank else "no dims, it has none"
        return f"the dim order of {name} must name {each}, {_written(order)} does not"
    if order[-1:] != layout.dim_order[-1:]:
        return f"{_other_sticks(name, order, layout)}; {_advice(name, buffers, layouts, free)}"
    return ""


def _other_sticks(name: str, order: tuple[int, ...], layout: StickLayout) -> str:
    decided = "one value per stick" if layout.sparse else f"its sticks along dim {layout.stick_dim}"
    ends = f"its dim order ends with {layout.stick_dim}, but {_written(order)} ends with {order[-1]}"
    return f"{name} has {decided}, so that {ends}"


def _advice(name: str, buffers: Mapping[str, Buffer], layouts: Mapping[str, StickLayout], free: frozenset[str]) -> str:
    """What to pin instead; the sticks of copies follow their readers, and those of what the host fills the host."""
    last = f"an order that ends with {layouts[name].dim_order[-1]}"
    source = source_of(name, layouts)
    if source:
        return f"as a copy of {source} it has the sticks that its reader needs: pin {last}"
    if buffers[name].kind is not BufferKind.COMPUTED and name not in free:
        return "the host fills it and decides that; pin a tensor computed from it"
    return f"pin layout:{name} to move its sticks"


def _host_objection(
    name: str,
    order: tuple[int, ...],
    buffers: Mapping[str, Buffer],
    layouts: Mapping[str, StickLayout],
    free: frozenset[str],
) -> str:
    present = layouts[name].dim_order
    if name in free or order == present:
        return ""
    held = "is filled by the host" if buffers[name].kind is BufferKind.INPUT else "is written or returned by the model"
    return f"{name} {held}, which uses the order {_written(present)}; pin a tensor computed from it"


def _table_objection(name: str, layout: StickLayout, tables: list[Ask]) -> str:
    """Why a table cannot be in this order: what is picked by an index has to come first on the device."""
    for ask in tables:
        for table in ask.need.wish.tables if ask.buffer == name else ():
            if not comes_first(layout, table):
                picked = " and ".join(map(str, sorted(table)))
                why = f"{ask.op} picks from {name} along dim {picked}, which must come first on the device"
                return f"{why}; {_written(layout.dim_order)} gives device sizes {list(layout.device_size)}"
    return ""


def _written(order: tuple[int, ...]) -> str:
    return f"[{', '.join(map(str, order))}]"
