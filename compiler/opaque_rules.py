"""Opaque rules: layouts around ops that run on the host, which has the elements in standard order.

Owns the table of calls that search along a dim: never along a stick, neither of what is searched nor of what is found
(facts 2.5).  Refuses to know what the calls compute.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from frozendict import frozendict

from compiler.default_layouts import default_layout
from compiler.layout import MAX_DIM_ORDER, Arrangement, StickLayout
from compiler.loops import Buffer, LoopOp, OpaqueCall
from compiler.operands import default_order, dense_layout, sparse_layout, spreads
from compiler.scene import Candidate, Layouts, Obstacle, Options, Scene

# Place of the dim among the arguments; the tensor comes first, without a dim the last one is searched.
SEARCHES = frozendict(
    {
        "aten.topk.default": 2,
        "aten.sort.default": 1,
        "aten.sort.stable": 1,
        "aten.argsort.default": 1,
        "aten.argsort.stable": 1,
        "aten.kthvalue.default": 2,
        "aten.median.dim": 1,
        "aten.nanmedian.dim": 1,
        "aten.mode.default": 1,
    }
)


@dataclass(frozen=True, slots=True)
class Search:
    """The read that is searched, and along which of its dims."""

    read: int
    dim: int


def search_of(op: LoopOp, scene: Scene) -> Search | None:
    """What a call searches, which is its first tensor; None if it does not, or has nothing to search along."""
    if op.call is None or op.call.target not in SEARCHES or not op.reads:
        return None
    rank = len(scene.buffers[op.reads[0].buffer].shape)
    return Search(0, _dim(op.call) % rank) if rank else None


def _dim(call: OpaqueCall) -> int:
    text = dict(call.keywords).get("dim")
    if text is None:
        text = next(iter(call.arguments[SEARCHES[call.target] :]), "-1")
    try:
        dim = json.loads(text)
    except ValueError:
        return -1
    return dim if isinstance(dim, int) else -1


def opaque_options(scene: Scene, op: LoopOp, layouts: Layouts) -> Options:
    """Ways to run a host op: each operand as it is if it suits, otherwise every layout that does; results of a search
    with any dim that survives on their sticks."""
    search = search_of(op, scene)
    menus: list[tuple[StickLayout | None, ...]] = []
    for number, access in enumerate(op.reads):
        dim = search.dim if search and search.read == number else None
        menus.append(tuple(_needs(scene.buffers[access.buffer], layouts.get(access.buffer), dim)))
    results = [_results(scene, op, access.buffer, layouts.get(access.buffer), search) for access in op.writes]
    obstacles = [
        Obstacle(
            "the result",
            f"{access.buffer} has the searched dim on its stick",
            f"give {access.buffer} sticks of another dim where it is written first",
        )
        for access, outputs in zip(op.writes, results, strict=True)
        if not outputs
    ]
    found = (Candidate(None, outputs, needs) for needs in product(*menus) for outputs in product(*results))
    return Options(tuple(found), tuple(obstacles))


def _needs(buffer: Buffer, layout: StickLayout | None, searched: int | None) -> Iterator[StickLayout | None]:
    """The present layout if the host can use it, otherwise those that a restickify could make of it."""
    if layout is None:
        yield None
        return
    standard = layout.arrangement is Arrangement.STANDARD
    if spreads(layout, buffer) or layout.stick_dim != searched:
        plain = dense_layout(buffer, layout.dim_order, layout.elements_per_stick)
        yield layout if standard else plain
        return
    yield from _without(buffer, searched, layout.elements_per_stick)


def _results(
    scene: Scene, op: LoopOp, name: str, layout: StickLayout | None, search: Search | None
) -> tuple[StickLayout, ...]:
    """Layouts of one result, the default first if it is among them."""
    buffer = scene.buffers[name]
    rank = len(buffer.shape)
    kept = search is not None and rank == len(scene.buffers[op.reads[search.read].buffer].shape)
    searched = search.dim if kept and search else None
    if layout is not None:
        return () if layout.stick_dim == searched and not spreads(layout, buffer) else (layout,)
    default = default_layout(scene, buffer)
    if search is None or rank == 0:
        return (default,)
    return tuple(_without(buffer, searched, scene.lanes(buffer)))


def _without(buffer: Buffer, searched: int | None, lanes: int) -> Iterator[StickLayout]:
    """Layouts with another dim on the stick, the last one first; one value per stick if there is no such dim."""
    others = [dim for dim in reversed(range(len(buffer.shape))) if dim != searched]
    dims = [dim for dim in others if buffer.shape[dim] > 1]
    if not dims and len(buffer.shape) < MAX_DIM_ORDER:
        yield sparse_layout(buffer, lanes)
    for dim in dims or others:
        yield dense_layout(buffer, default_order(buffer, dim), lanes)
