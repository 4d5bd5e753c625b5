"""Geometry of a KTIR op: what every core reads and writes of each tensor, as starts per device dim and one tile size.

Owns the arithmetic of slices, of boxes in LX and of logical tiles.  Refuses, by `UnsaidError`, what has no static tile:
accesses that begin inside a stick, slices that are not equal, folds whose last slice ends in padding, and reads of LX
that are at another place of the box on every core.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from frozendict import frozendict

from compiler.emit.unsaid import UnsaidError
from compiler.formats.device_form import DeviceForm, device_form
from compiler.formats.opspec import CONTRACTIONS, OpSpec, Room, TensorArg
from compiler.formats.simplify import bounds

_COPIES_BYTES, _SPREAD_BYTES = 14, 10
"""Bytes per element that a tile takes in its several forms, and per iteration where operands are spread out."""


@dataclass(frozen=True, slots=True)
class Box:
    """The part of a tensor that a core holds in LX: start and size of every device dim, the lane last."""

    start: tuple[int, ...]
    size: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Start:
    """Where a tile begins along a device dim: a constant, plus `step` times the core's slice of a symbol, plus `chunk`
    times the number of the chunk of it."""

    constant: int
    symbol: str = ""
    step: int = 0
    chunk: int = 0


@dataclass(frozen=True, slots=True)
class Tile:
    """A core's part of one tensor: where it begins in what it is taken from (the tensor, or the box in LX), its sizes
    by dim of `form`, the lane last; `symbols` that walk it in iteration order, their extents, and these in whole
    sticks."""

    form: DeviceForm
    starts: tuple[Start, ...]
    sizes: tuple[int, ...]
    symbols: tuple[str, ...]
    extents: frozendict[str, int]
    padded: frozendict[str, int]


class OpGeometry:
    """Iterations of each symbol per slice (`steps`), on a core (`counts`: those of an uncut one without padding) and in
    one tile (`parts`), after a core's work is cut into `chunks` of each symbol."""

    def __init__(self, spec: OpSpec) -> None:
        self.spec = spec
        self.steps: dict[str, int] = {}
        self.counts: dict[str, int] = {}
        self.grains: dict[str, int] = {}
        self.chunks: dict[str, int] = {}
        lanes = [(arg.coordinates[-1].symbols, arg.lanes) for arg in spec.args]
        for dim in spec.iteration:
            grain = math.lcm(*(count for names, count in lanes if dim.symbol in names), 1)
            whole = -(-dim.extent // grain) * grain
            self.grains[dim.symbol] = grain
            if whole % dim.slices:
                raise UnsaidError(f"its {dim.slices} slices of {dim.extent:,} iterations are not equal")
            self.steps[dim.symbol] = whole // dim.slices
            self.counts[dim.symbol] = whole // dim.slices if dim.slices > 1 else dim.extent
            if dim.slices > 1 and whole != dim.extent and dim.symbol in self.folded:
                raise UnsaidError(f"its last slice of {dim.extent:,} folded iterations ends in padding")

    @property
    def parts(self) -> dict[str, int]:
        """Iterations of each symbol in one tile."""
        return {name: count // self.chunks.get(name, 1) for name, count in self.counts.items()}

    def chunk(self, most_bytes: int) -> None:
        """Cut the work of a core into chunks of which all tiles together take about `most_bytes`, as far as sticks can
        stay whole."""
        while self._bytes() > most_bytes:
            best: tuple[int, str, int] | None = None
            for name in self.counts:
                factor = self._factor(name)
                if factor:
                    bytes_then = self._bytes({name: factor})
                    best = min(best or (bytes_then, name, factor), (bytes_then, name, factor))
            if best is None:
                return
            self.chunks[best[1]] = self.chunks.get(best[1], 1) * best[2]

    def _factor(self, name: str) -> int:
        """The least number of parts that a tile can be cut into along a symbol; 0 if it cannot."""
        part = self.parts[name]
        sticks, rest = divmod(part, self.grains[name])
        if rest or (self.counts[name] % self.grains[name]):
            return 0
        return next((factor for factor in range(2, sticks + 1) if sticks % factor == 0), 0)

    def _bytes(self, further: Mapping[str, int] | None = None) -> int:
        """About what the tensors of one tile take: as loaded, in logical order, in f32, and spread out."""
        cut = further or {}
        parts = {name: part // cut.get(name, 1) for name, part in self.parts.items()}
        total = 0
        for arg in self.spec.args:
            walked = {name for coordinate in arg.coordinates for name in coordinate.symbols}
            own = math.prod(parts[name] for name in walked)
            total += own * _COPIES_BYTES
        if self.spec.op not in CONTRACTIONS:
            total += math.prod(parts.values()) * _SPREAD_BYTES
        return total

    @property
    def folded(self) -> frozenset[str]:
        """Symbols that the result does not have."""
        if not self.spec.is_reduction:
            return frozenset()
        kept = {name for coordinate in self.spec.output.coordinates for name in coordinate.symbols}
        return frozenset(dim.symbol for dim in self.spec.iteration) - kept

    def box(self, arg: TensorArg, core: int) -> Box:
        """What a core of this op touches of a tensor."""
        slots = self.spec.slices_of(core)
        starts = {name: slot * self.steps[name] for name, slot in slots.items()}
        first, size = [], []
        for coordinate in arg.coordinates[:-1]:
            found = bounds(coordinate.shifted(starts), self.counts)
            assert found is not None  # every symbol has a count
            first.append(found[0])
            size.append(found[1] - found[0] + 1)
        return Box((*first, 0), (*size, arg.lanes))

    def tile(self, arg: TensorArg, held: Mapping[int, Box] | None) -> Tile:
        """The tile of a tensor in device memory, or of the box that each core holds."""
        if held is None:
            return self._tile(arg, _form(arg, self.spec.extents), cut=True)
        local = self._local(arg, held)
        return self._tile(local, _form(local, self.counts), cut=False)

    def _local(self, arg: TensorArg, held: Mapping[int, Box]) -> TensorArg:
        """The tensor as each core sees it in its own box, which must look the same on all of them."""
        shapes, ahead = set(), set()
        for core in range(self.spec.cores):
            if core not in held:
                raise UnsaidError(f"core {core} reads what it does not hold of {arg.name or 'a tensor in LX'}")
            own, box = self.box(arg, core), held[core]
            shift = tuple(a - b for a, b in zip(own.start, box.start, strict=True))
            if any(s < 0 or s + n > m for s, n, m in zip(shift, own.size, box.size, strict=True)):
                raise UnsaidError(f"core {core} reads what it does not hold of {arg.name or 'a tensor in LX'}")
            shapes.add(box.size)
            ahead.add(shift)
        if len(shapes) != 1 or len(ahead) != 1:
            raise UnsaidError(f"cores read {arg.name or 'a tensor in LX'} at different places of what they hold")
        shift, zero = ahead.pop(), dict.fromkeys(self.counts, 0)
        coordinates = tuple(
            replace(coordinate, constant=coordinate.constant - coordinate.value(zero) + off)
            for coordinate, off in zip(arg.coordinates, shift, strict=True)
        )
        return replace(arg, device_size=shapes.pop(), coordinates=(*coordinates[:-1], arg.coordinates[-1]))

    def _tile(self, arg: TensorArg, form: DeviceForm, *, cut: bool) -> Tile:
        starts, sizes, parts = [], [], self.parts
        slices = {dim.symbol: dim.slices for dim in self.spec.iteration}
        for dim in form.dims:
            moving = cut and slices.get(dim.symbol, 1) > 1
            if moving and self.steps[dim.symbol] % dim.per:
                raise UnsaidError("its slices cut a stick apart")
            step = self.steps[dim.symbol] // dim.per if moving else 0
            chunk = parts[dim.symbol] // dim.per if self.chunks.get(dim.symbol, 1) > 1 else 0
            starts.append(Start(dim.ahead, dim.symbol, step, chunk))
            sizes.append(-(-parts[dim.symbol] // dim.per) if dim.symbol else 1)
        walked = {dim.symbol for dim in form.dims} | {form.lane}
        symbols = tuple(dim.symbol for dim in self.spec.iteration if dim.symbol in walked)
        extents = {name: parts[name] for name in symbols}
        lanes = form.lanes
        padded = {name: -(-n // lanes) * lanes if name == form.lane else n for name, n in extents.items()}
        whole = (*sizes, lanes)
        return Tile(form, (*starts, Start(0)), whole, symbols, frozendict(extents), frozendict(padded))


def _form(arg: TensorArg, extents: Mapping[str, int]) -> DeviceForm:
    found = device_form(arg, extents)
    if found is None:
        raise UnsaidError(f"how it walks {arg.name or 'an argument'} is not one symbol per device dim")
    if found.lane_ahead and found.lane:
        raise UnsaidError(f"it begins inside a stick of {arg.name or 'an argument'}")
    return found


def in_lx(arg: TensorArg) -> bool:
    """True for a tensor in the scratchpads."""
    return arg.place.room is Room.LX
