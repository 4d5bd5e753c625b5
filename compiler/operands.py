"""Operands: one access of an op with the layout of its buffer, and whether that layout suits a way to run the op.

Owns the legality of one operand along one stick loop, as a clause that names what is wrong, and the layouts a
restickify could give it instead.  Refuses to weigh operands against each other: that is `layout_rules`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from compiler.coordinates import column_offset, depends_on, lane_loops
from compiler.counts import counted
from compiler.dtypes import DType
from compiler.layout import MAX_DIM_ORDER, SPARSE, Arrangement, StickLayout, stick_layout
from compiler.loops import Access, Buffer, BufferKind
from compiler.walks import Walk

WRITE = -1
ROWS = "more than one row"
UNKNOWN = "is read through floors and remainders over too many points to follow"


@dataclass(frozen=True, slots=True)
class Setting:
    """One way to run an op: the loop along the sticks (None: no operand has one), the modulus of its columns, the
    arrangement per number of lanes (others: standard), and the lanes that bool operands take."""

    loop: str | None
    modulus: int = 1
    arrangements: tuple[tuple[int, Arrangement], ...] = ()
    bool_lanes: int = 0

    def arrangement(self, lanes: int) -> Arrangement:
        """The arrangement of operands with this many lanes."""
        return dict(self.arrangements).get(lanes, Arrangement.STANDARD)


@dataclass(frozen=True, slots=True, eq=False)
class Operand:
    """Read `number` of an op (WRITE: its write); `layout` None is not decided yet and suits everything."""

    number: int
    access: Access
    buffer: Buffer
    walk: Walk
    layout: StickLayout | None
    lanes: int

    @property
    def free_lanes(self) -> bool:
        """True for bool, whose number of lanes follows the operands it meets."""
        return self.buffer.dtype is DType.BOOL

    def carries(self, loop: str | None) -> bool:
        """True if the operand changes along the loop, so that it needs its stick there."""
        return loop is not None and depends_on(self.walk, loop)

    def fault(self, layout: StickLayout, setting: Setting) -> str:
        """Why this layout does not suit the setting, as a clause that starts with the buffer's name; '' if it does."""
        clause = self._carried(layout, setting) if self.carries(setting.loop) else self._still(layout)
        return f"{self.buffer.name} {clause}" if clause else ""

    def _carried(self, layout: StickLayout, setting: Setting) -> str:
        loop, lanes = setting.loop or "", layout.elements_per_stick
        moved = lane_loops(self.walk, layout)
        if spreads(layout, self.buffer):
            return "has one value per stick, and single values cannot be gathered out of many sticks"
        if not self.walk.known:
            return UNKNOWN
        if "" in moved:
            return "is picked by an index along its stick"
        if moved != {loop}:
            mixed = " and ".join(sorted(moved))
            if loop in moved:
                return f"would mix {mixed} in one stick of {lanes}"
            return f"has {mixed} on its stick" if moved else f"has nothing of {loop} on its stick"
        offset = column_offset(self.walk, layout, loop, setting.modulus)
        if offset is None:
            return self._crooked(layout, loop)
        if offset:
            return f"starts at offset {offset % lanes or offset} inside a {lanes}-lane stick"
        if layout.arrangement is not setting.arrangement(lanes):
            return f"is arranged {layout.arrangement}, not {setting.arrangement(lanes)}"
        if self.free_lanes and lanes != setting.bool_lanes:
            return f"has {counted(lanes, 'lane')}, not {setting.bool_lanes}"
        return ""

    def _crooked(self, layout: StickLayout, loop: str) -> str:
        row, lanes = self.buffer.shape[layout.stick_dim], layout.elements_per_stick
        if row % lanes:
            begins = f"begins a new stick after every {counted(row, 'value')}"
            return f"{begins}, so its sticks are not {lanes} neighbours of {loop}"
        return f"does not move one lane per step of {loop}"

    def _still(self, layout: StickLayout) -> str:
        moved = lane_loops(self.walk, layout)
        if not self.walk.known:
            return UNKNOWN
        if moved:
            return f"has {' and '.join(sorted(name or 'an index' for name in moved))} on its stick"
        offset = column_offset(self.walk, layout, None, 1)
        return f"is read at lane {offset} of a {layout.elements_per_stick}-lane stick" if offset else ""

    def targets(self, setting: Setting, single: bool) -> Iterator[StickLayout]:
        """Layouts that suit the setting and that a restickify of the present one can make.

        `single` also offers one value per stick: the stick on a dim of size 1, or sparse.
        """
        layout, buffer = self.layout, self.buffer
        if layout is None or (spreads(layout, buffer) and buffer.elements > 1):
            return
        carried = self.carries(setting.loop)
        lanes = setting.bool_lanes if carried and self.free_lanes else layout.elements_per_stick
        arrangement = setting.arrangement(lanes) if carried else Arrangement.STANDARD
        present = canonical(layout, buffer)
        for dim, size in enumerate(buffer.shape):
            if size > 1 or single:
                target = dense_layout(buffer, default_order(buffer, dim), lanes, arrangement)
                if target != present and not self.fault(target, setting):
                    yield target
        if single and not carried and 0 < len(buffer.shape) < MAX_DIM_ORDER:
            yield sparse_layout(buffer, lanes)

    def nearest_fault(self, setting: Setting) -> str:
        """The fault that tells a person most: of the layout with the loop on its stick, if there is one."""
        layout = self._nearest(setting)
        return "" if layout is None else self.fault(layout, setting)

    def remedy(self, setting: Setting, extents: Mapping[str, int]) -> str:
        """What the owner of the model can change about the nearest fault, with figures; '' if nothing is known."""
        layout, loop, name = self._nearest(setting), setting.loop or "", self.buffer.name
        if layout is None or not self.carries(setting.loop):
            return ""
        if spreads(layout, self.buffer):
            return ""  # depends on why it is so
        if not self.walk.known:
            return f"read {name} in its own shape and reshape it in a step of its own"
        lanes, moved = layout.elements_per_stick, lane_loops(self.walk, layout)
        if "" in moved:
            return self._pick_remedy()
        if loop not in moved:
            return ""
        if len(moved) > 1:
            return self._size_remedy(layout, loop, extents[loop])
        offset = column_offset(self.walk, layout, loop, setting.modulus)
        row = self.buffer.shape[layout.stick_dim]
        if offset is None and row % lanes:
            whole = f"make dim {layout.stick_dim} of {name}, {row} here, a multiple of {lanes} ({_up(row, lanes)})"
            early = self.buffer.kind is BufferKind.INPUT
            return f"reshape {name} before it enters the model, or {whole}" if early else whole
        if offset:
            if self.walk.masked:
                return f"let {name} begin at a multiple of {lanes} along {loop}"
            free = any(part.loops and loop not in part.loops and any(part.steps) for part in self.walk.parts)
            return f"start the slice at a multiple of {lanes} along {loop}" + (", or slice along another dim" * free)
        return ""

    def _pick_remedy(self) -> str:
        """Indices that pick single values leave no dim for a stick."""
        name, picks = self.buffer.name, sum(not part.loops for part in self.walk.parts)
        if picks < 2 or picks < sum(size > 1 for size in self.buffer.shape):
            return f"index {name} along a dim that is not on its stick"
        *rows, last = list("ijklmn")[:picks]
        one = f"{name}[{', '.join(rows)}].gather(-1, {last}.unsqueeze(-1))"
        return f"pick rows of {name} first and one value of each row then, {one}"

    def _size_remedy(self, layout: StickLayout, loop: str, size: int) -> str:
        """Where several loops move within a stick: whole sticks, or rows along which a copy can be made."""
        lanes, name = layout.elements_per_stick, self.buffer.name
        if size % lanes == 0:
            return ""
        whole = f"make {loop}, which is {size} here, a multiple of {lanes} ({_up(size, lanes)})"
        others = [dim for dim in range(len(self.buffer.shape)) if dim != layout.stick_dim]
        single = others and all(self.buffer.shape[dim] == 1 for dim in others)
        return f"{whole}, or read {ROWS} of {name} at a time" if single else whole

    def spread(self, setting: Setting) -> str:
        """The buffer's name if its one value per stick is what does not suit, else ''."""
        layout = self._nearest(setting)
        one = layout is not None and self.carries(setting.loop) and spreads(layout, self.buffer)
        return self.buffer.name if one else ""

    def _nearest(self, setting: Setting) -> StickLayout | None:
        layout = self.layout
        if layout is None:
            return None
        if not spreads(layout, self.buffer) and self.carries(setting.loop):
            lanes = setting.bool_lanes if self.free_lanes else layout.elements_per_stick
            dims = sorted(range(len(self.buffer.shape)), key=lambda dim: dim != layout.stick_dim)
            for dim in dims:
                target = restickified(layout, self.buffer, dim, lanes, setting.arrangement(lanes))
                if self.buffer.shape[dim] > 1 and setting.loop in lane_loops(self.walk, target):
                    return target
        return layout


def _up(size: int, lanes: int) -> int:
    return -(-size // lanes) * lanes


def spreads(layout: StickLayout, buffer: Buffer) -> bool:
    """True if every element sits alone in its stick: sparse, or the stick on a dim of size 1."""
    return layout.stick_dim == SPARSE or buffer.shape[layout.stick_dim] <= 1


def default_order(buffer: Buffer, dim: int) -> tuple[int, ...]:
    """Host dims in their order, the one to cut last."""
    return (*(other for other in range(len(buffer.shape)) if other != dim), dim)


def dense_layout(
    buffer: Buffer, order: tuple[int, ...], lanes: int, arrangement: Arrangement = Arrangement.STANDARD
) -> StickLayout:
    """The layout of a buffer for a dim order."""
    return stick_layout(buffer.shape, buffer.strides, lanes, order, arrangement)


def canonical(layout: StickLayout, buffer: Buffer) -> StickLayout:
    """The layout with the same sticks whose other dims are in host order and not padded; orders are chosen later."""
    if layout.stick_dim == SPARSE:
        return sparse_layout(buffer, layout.elements_per_stick) if buffer.shape else replace(layout, padding=())
    order = default_order(buffer, layout.stick_dim)
    return dense_layout(buffer, order, layout.elements_per_stick, layout.arrangement)


def sparse_layout(buffer: Buffer, lanes: int) -> StickLayout:
    """One value per stick."""
    return stick_layout(buffer.shape, buffer.strides, lanes, (*range(len(buffer.shape)), SPARSE))


def restickified(
    layout: StickLayout, buffer: Buffer, dim: int, lanes: int, arrangement: Arrangement = Arrangement.STANDARD
) -> StickLayout:
    """What a restickify to host dim `dim` makes of a layout: that dim and the old stick dim trade places."""
    if layout.stick_dim == SPARSE:
        order = list(default_order(buffer, dim)) if buffer.shape else []
    else:
        order = list(layout.dim_order)
        place = order.index(dim)
        order[place], order[-1] = order[-1], order[place]
    return dense_layout(buffer, tuple(order), lanes, arrangement)
