"""StickPrices: what copies between layouts cost, in elements or in nanoseconds.

Owns the two units.  Elements are counted as the public optimiser counts them, those of the source on the device,
padding included.  Refuses to know which copies are needed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from compiler.cost.memory import restickify_us
from compiler.cost.requests import copy_us
from compiler.device import Device
from compiler.layout import StickLayout
from compiler.loops import Buffer

NS_PER_US = 1000
UNITS = {"elements": "elements", "time": "ns"}


@dataclass(slots=True)
class StickPrices:
    """Prices of one unit, `elements` or `time`; `shared`: a copy is paid once, not by every read."""

    device: Device
    unit: str = "elements"
    shared: bool = True
    _known: dict[tuple[tuple[int, ...], StickLayout, StickLayout], int] = field(default_factory=dict)

    def turn(self, source: StickLayout, target: StickLayout) -> int:
        """The price of a pure copy of the program that restickifies on its own: no elements, but its time."""
        if self.unit == "elements":
            return 0
        return round(NS_PER_US * restickify_us(self.device, source.size_bytes + target.size_bytes))

    def copy(self, buffer: Buffer, source: StickLayout, target: StickLayout) -> int:
        """The price of a copy of `buffer` from one layout to another."""
        if self.unit == "elements":
            return math.prod(source.device_size)
        key = (buffer.shape, source, target)
        if key not in self._known:
            self._known[key] = max(1, round(NS_PER_US * copy_us(self.device, buffer, source, target)))
        return self._known[key]
