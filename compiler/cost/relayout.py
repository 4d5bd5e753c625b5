"""Relayout: the price of a copy from the scratchpads of some cores to those of others, over the ring (facts 5.5).

Owns the law and the run of a view: the bytes in a row that a core holds, and the innermost split that ends them.  The
price is charged in full; nothing overlaps with it.  Refuses to say which relayouts the hardware can make.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from compiler.coordinates import Boxes
from compiler.cost.memory import NS_PER_US
from compiler.cost.wording import term
from compiler.device import Device
from compiler.layout import StickLayout
from compiler.price import CostTerm

RELAYOUT = "relayout"

WORDS = (
    "bytes per core / run * (-{relayout_run_ns} + {relayout_run_ns_per_doubling} * log2 split) ns + "
    "bytes per core * split / {relayout_bytes_per_ns_core} B per ns, "
    "split from {relayout_least_split} to {relayout_most_split}"
)


@dataclass(frozen=True, slots=True)
class View:
    """How a core sees a buffer: bytes in a row, and the factor of the innermost split dim (1: the buffer is whole)."""

    run_bytes: float
    split: float


def view_of(layout: StickLayout, split: Sequence[float]) -> View:
    """The view under a factor per device dim (1: not split).

    >>> from compiler.layout import stick_layout
    >>> layout = stick_layout((8, 256, 512), (256 * 512, 512, 1), 64)
    >>> layout.device_size
    (256, 8, 8, 64)
    >>> view_of(layout, (2, 1, 4, 1)), view_of(layout, (1, 2, 1, 1)), view_of(layout, (1, 1, 1, 1))
    (View(run_bytes=256.0, split=4), View(run_bytes=4096.0, split=2), View(run_bytes=2097152, split=1))
    """
    run: float = layout.element_bytes
    for size, factor in zip(reversed(layout.device_size), reversed(split), strict=True):
        run *= size / factor if factor > 1 else size
        if factor > 1:
            return View(run, factor)
    return View(run, 1)


def seen_view(layout: StickLayout, boxes: Boxes) -> View:
    """The view that cores have of a buffer, by the box of the first one."""
    pairs = zip(layout.device_size, boxes.size[0], strict=True)
    return view_of(layout, [whole / max(1, int(size)) for whole, size in pairs])


def governing(one: View, other: View) -> View:
    """Of the views of writer and reader the one that sets the price: the shorter run, and of equals the larger split.

    >>> governing(View(256, 4), View(4096, 2)), governing(View(256, 4), View(256, 8))
    (View(run_bytes=256, split=4), View(run_bytes=256, split=8))
    """
    return min(one, other, key=lambda view: (view.run_bytes, -view.split))


def relayout_us(device: Device, size_bytes: int, cores: int, view: View) -> float:
    """Time of a relayout of `size_bytes` over `cores` under the governing view.

    >>> from compiler.device import load_device
    >>> views = (View(256, 4), View(4096, 2), View(2048, 4), View(128, 8))
    >>> [round(1000 * relayout_us(load_device("spyre"), 2097152, 8, view), 1) for view in views]
    [8777.8, 1136.4, 2774.6, 25583.7]
    >>> round(relayout_us(load_device("spyre"), 2097152, 32, View(2048, 2)), 3)
    0.329
    """
    share = size_bytes / cores
    split = max(device.number("relayout_least_split"), min(view.split, device.number("relayout_most_split")))
    per_run = device.number("relayout_run_ns_per_doubling") * math.log2(split) - device.number("relayout_run_ns")
    walked = share * split / device.number("relayout_bytes_per_ns_core")
    return max(0.0, share / view.run_bytes * per_run + walked) / NS_PER_US


@lru_cache(maxsize=1 << 14)
def relayout_term(device: Device, layout: StickLayout, source: Boxes, target: Boxes) -> CostTerm:
    """The price of a relayout from what the cores hold (`source`) to what they are to hold (`target`)."""
    view, cores = governing(seen_view(layout, source), seen_view(layout, target)), len(target.start)
    time = relayout_us(device, layout.size_bytes, cores, view)
    inputs = f"{layout.size_bytes:,} B, cores={cores} run={view.run_bytes:,.12g} B split={view.split:.12g}"
    return term(device, RELAYOUT, time, WORDS, inputs)
