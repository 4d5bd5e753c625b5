"""StickBound: what the copies of a program cost at least, piece by piece.

Owns a bound for graphs that are too wide for a proof: the ops are cut into short runs, and each run is searched as if
whatever comes from outside could lie as it likes and copies of it cost nothing, unless nobody else reads it.  The sum
is never more than the optimum, because every copy is counted in one run at most.  Refuses to choose layouts.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from compiler.dtypes import DType
from compiler.layout import MAX_DIM_ORDER, Arrangement, StickLayout
from compiler.loops import Buffer, LoopOp, LoopProgram, OpKind
from compiler.operands import default_order, dense_layout, sparse_layout
from compiler.scene import Scene
from compiler.stick_prices import StickPrices
from compiler.stick_search import Outcome, Rules, StickSearch
from compiler.stick_ways import StickWays

RUN = 8
WIDTH = 4096
_STAGGERED = {64: Arrangement.F32_TO_F16, 32: Arrangement.F16_TO_F32}


@dataclass(slots=True)
class _Prices(StickPrices):
    """Prices of one run: copies of buffers that other runs read too are left to them."""

    unpaid: frozenset[str] = field(default_factory=frozenset)

    def copy(self, buffer: Buffer, source: StickLayout, target: StickLayout) -> int:
        """The price of a copy, if this run counts it."""
        if buffer.name in self.unpaid:
            return 0
        return StickPrices.copy(self, buffer, source, target)


@dataclass(slots=True)
class _Ways(StickWays):
    """Ways of one run: `weights` are all buffers from outside that may lie as they like."""

    def menu(self, buffer: Buffer) -> tuple[int, ...]:
        """Every layout that such a buffer could have."""
        if buffer.name not in self._menus:
            self._menus[buffer.name] = tuple(dict.fromkeys(map(self.number, _layouts(self.scene, buffer))))
        return self._menus[buffer.name]


def least_cost(
    program: LoopProgram, scene: Scene, prices: StickPrices, weights: frozenset[str], fixed: dict[str, StickLayout]
) -> int:
    """A bound below the price of any layouts; `fixed` are those the host fills, `weights` may lie as they like."""
    runs = [program.ops[first : first + RUN] for first in range(0, len(program.ops), RUN)]
    readers: dict[str, int] = {}
    for run in runs:
        for name in _read(run):
            readers[name] = readers.get(name, 0) + 1
    return sum(_run_cost(program, scene, prices, run, weights, fixed, readers) for run in runs)


def _read(run: tuple[LoopOp, ...]) -> frozenset[str]:
    return frozenset(access.buffer for op in run for access in op.reads)


def _run_cost(
    program: LoopProgram,
    scene: Scene,
    prices: StickPrices,
    run: tuple[LoopOp, ...],
    weights: frozenset[str],
    fixed: dict[str, StickLayout],
    readers: dict[str, int],
) -> int:
    touched = _read(run) | {access.buffer for op in run for access in op.writes}
    made = {access.buffer for op in run for access in op.writes if len(scene.writers[access.buffer]) == 1}
    outside = frozenset(touched - made - fixed.keys())
    odd = any(
        scene.buffers[name].dtype is DType.BOOL or len(scene.buffers[name].shape) > MAX_DIM_ORDER for name in outside
    )
    if odd or any(op.kind is OpKind.OPAQUE for op in run):
        return 0
    unpaid = frozenset(
        name
        for name in touched - made
        if name in weights or name not in fixed or readers.get(name, 0) > 1 or name in scene.writers
    )
    ways = _Ways(scene, outside)
    numbers = {name: ways.number(layout) for name, layout in fixed.items() if name in touched}
    piece = replace(program, ops=run, outputs=())
    own = _Prices(prices.device, prices.unit, prices.shared, unpaid=unpaid)
    found = StickSearch(piece, ways, own, Rules(numbers, relaxed=True), WIDTH).run()
    return found.bound if isinstance(found, Outcome) else 0


def _layouts(scene: Scene, buffer: Buffer) -> list[StickLayout]:
    lanes = scene.lanes(buffer)
    kinds = (Arrangement.STANDARD, *([_STAGGERED[lanes]] if lanes in _STAGGERED else []))
    dims = [dim for dim, size in enumerate(buffer.shape) if size > 1] or list(range(len(buffer.shape)))[-1:]
    found = [
        dense_layout(buffer, default_order(buffer, dim), lanes, arrangement) for dim in dims for arrangement in kinds
    ]
    if len(buffer.shape) < MAX_DIM_ORDER:
        found.append(sparse_layout(buffer, lanes))
    return found
