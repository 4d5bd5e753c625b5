"""Padding: the zeros of a layout whose dims are longer on the device than on the host (facts 2.6).

Owns which places hold them and who writes them: whoever writes the last row of a dim also writes the zeros behind it,
all lanes of their sticks.  Refuses the lanes behind the end of a stick dim: those hold whatever was there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from compiler.layout import StickLayout

Integers = NDArray[np.int64]
Box = tuple[tuple[int, int], ...]
"""Half-open range of every device dim."""


@dataclass(frozen=True, slots=True)
class Share:
    """What one writer covers: lowest and highest coordinate of every device dim; `last` is the highest of anybody's."""

    low: Integers
    high: Integers
    last: Integers


def zeros(layout: StickLayout, shape: tuple[int, ...], share: Share) -> tuple[Box, ...]:
    """Boxes of zeros one writer adds to its share of a tensor of this host `shape`; no place is in two of them."""
    ends = np.where(share.high == share.last, np.array(layout.device_size), share.high + 1)
    box = [(int(low), int(end)) for low, end in zip(share.low, ends, strict=True)]
    box[-1] = (0, layout.elements_per_stick)
    found: list[Box] = []
    for dim, _ in layout.padding:
        place, size = _device_dim(layout, dim), shape[dim]
        low, end = box[place]
        if end > size:
            found.append((*box[:place], (max(low, size), end), *box[place + 1 :]))
        box[place] = (low, min(end, size))
    return tuple(found)


def _device_dim(layout: StickLayout, dim: int) -> int:
    """The device dim that counts a host dim, which is not the stick's."""
    order = layout.dim_order
    return (*order[1:-1], order[-1], order[0]).index(dim)
