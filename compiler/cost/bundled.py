"""Bundled form: the compute time of a contraction as reports tell it, at the rate its dim order allows (facts 6.4).

Owns fill and split re-read in this form.  The planner's form, which divisions are compared by, is in
`compiler.cost.matmul`; the rate is that of `compiler.cost.batching`.  Refuses memory time.
"""

from __future__ import annotations

import math

from compiler.cost.matmul import Contraction, Cut
from compiler.cost.memory import NS_PER_US
from compiler.cost.wording import term
from compiler.device import Device
from compiler.price import CostTerm

COMPUTE_WORDS = (
    "MACs / cores / rate by dim order / min(1, (rows per core / {bundled_fill_rows}) ^ {bundled_fill_exponent})"
)
REREAD_WORDS = (
    "elements of a core's output tile beyond {reread_area} * "
    "({reread_long_us} * log2(slices of the longer output dim / {reread_long_splits}) + "
    "{reread_short_us} * log2(slices of the shorter output dim / {reread_short_splits}))"
)


def fill(device: Device, rows: float) -> float:
    """Share of the array that `rows` rows per core keep busy.

    >>> from compiler.device import load_device
    >>> [round(fill(load_device("spyre"), rows), 4) for rows in (1, 16, 32, 64, 512)]
    [0.2333, 0.6156, 0.7846, 1.0, 1.0]
    """
    return min(1.0, math.pow(rows / device.number("bundled_fill_rows"), device.number("bundled_fill_exponent")))


def compute_us(device: Device, work: Contraction, cut: Cut, rate: float, tiled: bool = False) -> float:
    """MACs per core at `rate` MAC/ns/core over the fill; no fill where the output is tiled or there is one row only.

    >>> from compiler.device import load_device
    >>> cube = Contraction(1, 1024, 1024, 1024, True, 2, 2)
    >>> round(compute_us(load_device("spyre"), cube, Cut(1, 8, 4, 1), 1140), 2)
    29.43
    """
    filled = 1.0 if tiled or work.rows == 1 else fill(device, work.rows / cut.rows)
    return work.macs / cut.cores / (rate * filled) / NS_PER_US


def reread_us(device: Device, work: Contraction, cut: Cut) -> float:
    """Time of operands that are read again because a core's output tile is large and its dims are cut often.

    >>> from compiler.device import load_device
    >>> spyre, work = load_device("spyre"), Contraction(1, 4096, 4096, 4096, True, 2, 2)
    >>> [round(reread_us(spyre, work, cut), 2) for cut in (Cut(1, 8, 4, 1), Cut(1, 32, 1, 1), Cut(1, 1, 32, 1))]
    [0.0, 2060.45, 2060.45]
    >>> round(reread_us(spyre, Contraction(1, 8192, 4096, 64, True, 2, 2), Cut(1, 1, 32, 1)), 2)
    2642.41
    """
    area = work.batch / cut.batch * (work.rows / cut.rows) * (work.columns / cut.columns)
    beyond = area - device.number("reread_area")
    if beyond <= 0:
        return 0.0
    (_, short), (_, long) = sorted(((work.rows, cut.rows), (work.columns, cut.columns)), key=lambda side: side[0])
    if work.rows == work.columns:
        long, short = max(cut.rows, cut.columns), min(cut.rows, cut.columns)
    return beyond * (
        device.number("reread_long_us") * max(0.0, math.log2(long / device.number("reread_long_splits")))
        + device.number("reread_short_us") * max(0.0, math.log2(short / device.number("reread_short_splits")))
    )


def bundled_terms(device: Device, work: Contraction, cut: Cut, rate: float) -> tuple[CostTerm, ...]:
    """The terms of this form that are not zero."""
    inputs = (
        f"B={work.batch} M={work.rows} N={work.columns} K={work.inner} "
        f"b={cut.batch} m={cut.rows} n={cut.columns} k={cut.inner} rate={rate:g} MAC/ns/core"
    )
    found = (
        ("compute", compute_us(device, work, cut, rate), COMPUTE_WORDS),
        ("split re-read", reread_us(device, work, cut), REREAD_WORDS),
    )
    return tuple(term(device, name, value, words, inputs) for name, value, words in found if value)
