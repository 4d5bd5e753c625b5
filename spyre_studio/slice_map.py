"""Slice map: which part of a tensor each core of a divided step reads or writes, as rectangles of a flat picture.

Owns: the range of every core in host coordinates, the dims that are drawn, the rectangles in 0..1 by 0..1, and the
words for a part.  A tensor of more than two divided dims is drawn with the outer ones around the inner ones.  Refuses:
Qt, pixels and colours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray

from compiler.coordinates import Boxes, core_boxes, device_dims, moves_dim, walk_of
from compiler.division import Division
from compiler.layout import SPARSE, StickLayout
from compiler.loops import Access, Buffer, LoopOp

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

NO_DIM = -1


@dataclass(frozen=True, slots=True, eq=False)
class SliceMap:
    """A tensor under a division.  `low` and `high`: first host coordinate and one past the last of every core, arrays
    (cores, dims).  `names`: the loop that walks each dim, or its number.

    `across` and `down` are the dims that are drawn, `down` from the outermost to the innermost.  `rects` (n, 4) are
    x0, y0, x1, y1; `tiles` says which of `owners` each belongs to, and `owners` lists the cores of each different part.
    `exact`: the cores touch every element of their part.  `bytes_per_core`: device bytes of each part.
    """

    buffer: str
    shape: tuple[int, ...]
    names: tuple[str, ...]
    low: Ints
    high: Ints
    bytes_per_core: Ints
    exact: bool
    across: int
    down: tuple[int, ...]
    rects: Floats
    tiles: NDArray[np.intp]
    owners: tuple[tuple[int, ...], ...]
    cuts: tuple[tuple[int, ...], ...]

    @property
    def cores(self) -> int:
        """Cores at work."""
        return len(self.low)

    @property
    def rows(self) -> int:
        """Parts over each other."""
        return int(np.prod([len(self.cuts[dim]) - 1 for dim in self.down], initial=1))

    @property
    def columns(self) -> int:
        """Parts beside each other."""
        return len(self.cuts[self.across]) - 1 if self.across != NO_DIM else 1

    def tile_of(self, core: int) -> int:
        """Which part a core has, -1 for a core without any."""
        return next((place for place, owners in enumerate(self.owners) if core in owners), -1)

    def rects_of(self, low: Sequence[int], high: Sequence[int]) -> Floats:
        """Rectangles (n, 4) of any range of host coordinates; none for an empty one."""
        if any(last <= first for first, last in zip(low, high, strict=True)):
            return np.zeros((0, 4))
        return _rects(self.cuts, self.down, self.across, low, high)

    def tile_at(self, x: float, y: float) -> int:
        """The part under a point of the picture, -1 for none."""
        inside = (self.rects[:, 0] <= x) & (x <= self.rects[:, 2]) & (self.rects[:, 1] <= y) & (y <= self.rects[:, 3])
        found = np.flatnonzero(inside)
        return int(self.tiles[found[0]]) if len(found) else -1

    def words(self, core: int) -> str:
        """The part of a core as one writes it: 'q[2, 64:128]', 'all of q', 'nothing of q'."""
        index = self.index_words(core)
        return f"{self.buffer}{index}" if index.startswith("[") else f"{index} of {self.buffer}"

    def index_words(self, core: int) -> str:
        """The index alone: '[2, 64:128]', 'all', 'nothing'."""
        if self._nothing(core):
            return "nothing"
        parts = [_index(*bounds) for bounds in zip(self.low[core], self.high[core], self.shape, strict=True)]
        while parts and parts[-1] == ":":
            parts.pop()
        return f"[{', '.join(parts)}]" if parts else "all"

    def _nothing(self, core: int) -> bool:
        return core >= self.cores or bool((self.high[core] <= self.low[core]).any())

    def divided_words(self, core: int) -> str:
        """The divided dims alone, in little room: '2,64:128'."""
        if self._nothing(core):
            return "nothing"
        dims = [dim for dim, places in enumerate(self.cuts) if len(places) > 2]
        return ",".join(_index(int(self.low[core, dim]), int(self.high[core, dim]), self.shape[dim]) for dim in dims)

    def elements(self, core: int) -> int:
        """Elements of the part of a core."""
        return int(np.prod(np.maximum(self.high[core] - self.low[core], 0))) if core < self.cores else 0


def slice_map(op: LoopOp, access: Access, buffer: Buffer, layout: StickLayout, division: Division) -> SliceMap | None:
    """The map of one access; None for a tensor without elements."""
    if 0 in buffer.shape:
        return None
    boxes = core_boxes(op, access, buffer, layout, division)
    low, high = _host_ranges(boxes, layout, buffer.shape)
    cuts = tuple(_cuts(low[:, dim], high[:, dim], size) for dim, size in enumerate(buffer.shape))
    across, down = _drawn(buffer.shape, cuts)
    owners = _owners(low, high)
    pieces = [_rects(cuts, down, across, low[cores[0]].tolist(), high[cores[0]].tolist()) for cores in owners]
    tiles = np.repeat(np.arange(len(pieces)), [len(piece) for piece in pieces])
    rects = np.concatenate(pieces) if pieces else np.zeros((0, 4))
    names = _names(op, access, buffer)
    exact = bool(boxes.exact.all())
    return SliceMap(
        buffer.name, buffer.shape, names, low, high, boxes.bytes, exact, across, down, rects, tiles, owners, cuts
    )


def _host_ranges(boxes: Boxes, layout: StickLayout, shape: tuple[int, ...]) -> tuple[Ints, Ints]:
    """First host coordinates and one past the last; padding of the layout is left out."""
    cores, dims = len(boxes.start), device_dims(layout)
    low = np.zeros((cores, len(shape)), np.int64)
    high = np.tile(np.array(shape, np.int64), (cores, 1))
    for position, dim in enumerate(dims[:-1]):
        if dim == SPARSE:
            continue
        unit = layout.elements_per_stick if dim == layout.stick_dim else 1
        low[:, dim] = boxes.start[:, position] * unit
        high[:, dim] = np.minimum((boxes.start[:, position] + boxes.size[:, position]) * unit, shape[dim])
    empty = (boxes.size <= 0).any(axis=1)
    high[empty] = low[empty] = 0
    return low, high


def _cuts(low: Ints, high: Ints, size: int) -> tuple[int, ...]:
    """Where a dim is cut by any core, its ends included."""
    found = np.unique(np.concatenate([low[high > low], high[high > low], np.array([0, size])]))
    return tuple(found.tolist())


def _drawn(shape: tuple[int, ...], cuts: tuple[tuple[int, ...], ...]) -> tuple[int, tuple[int, ...]]:
    """The dim across and those down: all that are divided, and beside a single one of them another that is not."""
    divided = [dim for dim, places in enumerate(cuts) if len(places) > 2]
    if len(divided) >= 2:
        return divided[-1], tuple(divided[:-1])
    wide = [dim for dim, size in enumerate(shape) if size > 1 and dim not in divided]
    if not divided:
        return (wide[-1] if wide else NO_DIM), tuple(wide[-2:-1])
    behind = [dim for dim in wide if dim > divided[0]]
    if behind:
        return behind[-1], (divided[0],)
    return divided[0], tuple(wide[-1:])


def _owners(low: Ints, high: Ints) -> tuple[tuple[int, ...], ...]:
    found: dict[tuple[int, ...], list[int]] = {}
    for core, (first, end) in enumerate(zip(low.tolist(), high.tolist(), strict=True)):
        if all(last > start for start, last in zip(first, end, strict=True)):
            found.setdefault((*first, *end), []).append(core)
    return tuple(tuple(cores) for cores in found.values())


def _rects(
    cuts: tuple[tuple[int, ...], ...], down: tuple[int, ...], across: int, low: Sequence[int], high: Sequence[int]
) -> Floats:
    """One rectangle per cell of the outer dims that a range meets."""
    x0, x1 = _share(cuts, across, low, high)
    if not down:
        return np.array([[x0, 0.0, x1, 1.0]])
    *outer, inner = down
    y0, y1 = _share(cuts, inner, low, high)
    cells = [_cells(cuts[dim], low[dim], high[dim]) for dim in outer]
    rects = []
    for chosen in product(*cells):
        start, extent = 0.0, 1.0
        for first, share in chosen:
            start, extent = start + first * extent, share * extent
        rects.append([x0, start + y0 * extent, x1, start + y1 * extent])
    return np.array(rects)


def _share(cuts: tuple[tuple[int, ...], ...], dim: int, low: Sequence[int], high: Sequence[int]) -> tuple[float, float]:
    if dim == NO_DIM:
        return 0.0, 1.0
    size = cuts[dim][-1]
    return low[dim] / size, high[dim] / size


def _cells(places: tuple[int, ...], low: int, high: int) -> list[tuple[float, float]]:
    """Start and share of every piece of a dim that [low, high) meets."""
    size = places[-1]
    return [(first / size, (end - first) / size) for first, end in pairwise(places) if first < high and end > low]


def _names(op: LoopOp, access: Access, buffer: Buffer) -> tuple[str, ...]:
    """The loop behind each dim where it is only one, else the number of the dim."""
    walk = walk_of(op, access, buffer)
    found = []
    for dim in range(len(buffer.shape)):
        loops = {name for part in walk.parts if moves_dim(part, dim) for name in part.loops}
        found.append(next(iter(loops)) if len(loops) == 1 else f"dim {dim}")
    return tuple(found)


def _index(low: int, high: int, size: int) -> str:
    if low == 0 and high == size:
        return ":"
    return str(low) if high == low + 1 else f"{low}:{high}"
