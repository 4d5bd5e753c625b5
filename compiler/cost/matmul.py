"""Matmul terms: the execution time of a split contraction and the preferences that rank splits (facts 3.4).

Owns the two term tables.  Execution terms are times and also enter the price of a plan (there without `hbm`, see
`PLANNED`); preference terms are points of the ranking only and never a latency.  Refuses to choose a split.

The docstring examples are hand-computed for [8,1024] x [1024,1024] in fp16 on 32 cores, N split by 8 and K by 4.

>>> from compiler.device import load_device
>>> spyre = load_device("spyre")
>>> example = Contraction(batch=1, rows=8, columns=1024, inner=1024, shared=True, in_bytes=2, out_bytes=2)
>>> cut = Cut(batch=1, rows=1, columns=8, inner=4)
>>> round(ranking(spyre, example, cut), 3)
63.982
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from compiler.cost.wording import term
from compiler.device import Device
from compiler.price import CostTerm


@dataclass(frozen=True, slots=True)
class Contraction:
    """Sizes in elements (columns and inner in whole sticks), element bytes; `shared`: one weight for all batches."""

    batch: int
    rows: int
    columns: int
    inner: int
    shared: bool
    in_bytes: int
    out_bytes: int

    @property
    def macs(self) -> int:
        """Multiply-accumulates of the whole contraction."""
        return self.batch * self.rows * self.columns * self.inner


@dataclass(frozen=True, slots=True)
class Cut:
    """Split factors of the batch dims together, of rows (M), columns (N) and the contracted dim (K)."""

    batch: int = 1
    rows: int = 1
    columns: int = 1
    inner: int = 1

    @property
    def cores(self) -> int:
        """Cores used."""
        return self.batch * self.rows * self.columns * self.inner


@dataclass(frozen=True, slots=True)
class Formula:
    """A row of a term table: name, formula with `{names}` of device numbers, and its function (us or points)."""

    name: str
    words: str
    value: Callable[[Device, Contraction, Cut], float]


def fill(device: Device, rows: int) -> float:
    """Share of the array that `rows` rows per core keep busy.

    >>> from compiler.device import load_device
    >>> [round(fill(load_device("spyre"), rows), 4) for rows in (1, 8, 20, 40, 512)]
    [0.6687, 0.6687, 0.8409, 1.0, 1.0]
    """
    busy = max(rows, device.number("fill_floor_rows")) / device.number("fill_rows")
    return min(1.0, math.pow(busy, device.number("fill_exponent")))


def compute_us(device: Device, work: Contraction, cut: Cut) -> float:
    """MACs per core at the planner's peak rate, over the fill, twice that if K is split (one of two corelets works).

    A single row has no loop that could be cut, and no fill is charged for it (the published decode projections).

    >>> from compiler.device import load_device
    >>> spyre = load_device("spyre")
    >>> round(compute_us(spyre, Contraction(1, 8, 1024, 1024, True, 2, 2), Cut(1, 1, 8, 4)), 3)
    0.51
    >>> round(compute_us(spyre, Contraction(1, 1, 3200, 4096, True, 2, 2), Cut(1, 1, 2, 16)), 2)
    0.53
    """
    peak = work.macs / cut.cores / device.number("planner_mac_per_us_core")
    slowdown = device.number("k_split_slowdown") if cut.inner > 1 else 1
    filled = fill(device, work.rows // cut.rows) if work.rows > 1 else 1.0
    return peak / filled * slowdown


def hbm_us(device: Device, work: Contraction, cut: Cut) -> float:
    """All operands once at peak bandwidth, slower beyond 8 readers of one operand; for the ranking only.

    >>> from compiler.device import load_device
    >>> round(hbm_us(load_device("spyre"), Contraction(1, 8, 1024, 1024, True, 2, 2), Cut(1, 1, 16, 2)), 3)
    17.491
    """
    left = work.batch * work.rows * work.inner
    right = (1 if work.shared else work.batch) * work.inner * work.columns
    moved = (left + right) * work.in_bytes + work.batch * work.rows * work.columns * work.out_bytes
    fan = max(cut.rows, cut.columns) if work.shared else cut.columns
    crowd = math.pow(fan / device.number("reader_fan_free"), device.number("reader_fan_exponent"))
    return moved / device.number("hbm_peak_bytes_per_us") * max(1.0, crowd)


def partial_sum_us(device: Device, work: Contraction, cut: Cut) -> float:
    """k-1 hops of one core's output tile along the ring.

    >>> from compiler.device import load_device
    >>> round(partial_sum_us(load_device("spyre"), Contraction(1, 8, 1024, 1024, True, 2, 2), Cut(1, 1, 8, 4)), 3)
    3.072
    """
    rate = device.number("partial_sum_us_shared" if work.shared else "partial_sum_us_batched")
    tile = work.batch * work.rows * work.columns / (cut.batch * cut.rows * cut.columns)
    return (cut.inner - 1) * tile * rate


def batch_step_us(device: Device, work: Contraction, cut: Cut) -> float:
    """What a split of the batches of a true bmm costs where M was left whole (facts 6.4); not part of the ranking.

    >>> from compiler.device import load_device
    >>> batch_step_us(load_device("spyre"), Contraction(32, 512, 512, 128, False, 2, 2), Cut(batch=8))
    8.0
    """
    if work.shared:
        return 0.0
    unused = math.log2(max(1, work.rows // device.count("batch_step_rows"))) - math.log2(cut.rows)
    return device.number("batch_step_us") * min(math.log2(cut.batch), max(0.0, unused))


def m_lanes(device: Device, work: Contraction, cut: Cut) -> float:
    """Points for fewer M slices than the array likes.

    >>> from compiler.device import load_device
    >>> m_lanes(load_device("spyre"), Contraction(1, 8, 1024, 1024, True, 2, 2), Cut(1, 1, 8, 4))
    20.0
    """
    wanted = max(1, work.rows // device.count("prefer_m_lanes_rows"))
    target = max(device.count("prefer_m_lanes_least"), min(device.cores // 2, wanted))
    return device.number("prefer_m_lanes") * _doublings(target / cut.rows)


def short_m(device: Device, work: Contraction, cut: Cut) -> float:
    """Points for an M tile of fewer than 16 rows.

    >>> from compiler.device import load_device
    >>> short_m(load_device("spyre"), Contraction(1, 8, 1024, 1024, True, 2, 2), Cut(1, 1, 8, 4))
    30.0
    """
    tile = max(1, work.rows // cut.rows)
    return device.number("prefer_short_m") * _doublings(device.number("prefer_short_m_rows") / tile)


def wide_n(device: Device, work: Contraction, cut: Cut) -> float:
    """Points for an N tile of more than 512 columns.

    >>> from compiler.device import load_device
    >>> round(wide_n(load_device("spyre"), Contraction(1, 512, 12800, 4096, True, 2, 2), Cut(1, 4, 8, 1)), 3)
    41.096
    """
    tile = max(1, work.columns // cut.columns)
    return device.number("prefer_wide_n") * _doublings(tile / device.number("prefer_wide_n_columns"))


def bmm_k_over_n(device: Device, work: Contraction, cut: Cut) -> float:
    """Points for splitting the columns of a true bmm with K > N.

    >>> from compiler.device import load_device
    >>> bmm_k_over_n(load_device("spyre"), Contraction(32, 512, 128, 512, False, 2, 2), Cut(1, 16, 2, 1))
    40.0
    """
    if work.shared or not _tall(device, work, cut):
        return 0.0
    return _doublings(work.inner / work.columns) * math.log2(cut.columns) * device.number("prefer_bmm_k_over_n")


def narrow_n(device: Device, work: Contraction, cut: Cut) -> float:
    """Points for wide tiles of a narrow output under a shared weight.

    >>> from compiler.device import load_device
    >>> narrow_n(load_device("spyre"), Contraction(1, 1024, 1024, 1024, True, 2, 2), Cut(1, 8, 4, 1))
    10.0
    """
    if not work.shared or not _tall(device, work, cut):
        return 0.0
    narrow = _doublings(device.number("prefer_narrow_n_columns") / work.columns)
    tile = _doublings(work.columns // cut.columns / device.number("prefer_narrow_n_tile"))
    return narrow * tile * device.number("prefer_narrow_n")


def shared_k_over_n(device: Device, work: Contraction, cut: Cut) -> float:
    """Points for splitting the columns under a shared weight with K > N.

    >>> from compiler.device import load_device
    >>> round(shared_k_over_n(load_device("spyre"), Contraction(1, 512, 4096, 12800, True, 2, 2), Cut(1, 8, 4, 1)), 3)
    32.877
    """
    if not work.shared:
        return 0.0
    return _doublings(work.inner / work.columns) * math.log2(cut.columns) * device.number("prefer_shared_k_over_n")


def idle_cores(device: Device, _work: Contraction, cut: Cut) -> float:
    """Points for cores left without work.

    >>> from compiler.device import load_device
    >>> idle_cores(load_device("spyre"), Contraction(1, 8, 1024, 1024, True, 2, 2), Cut(1, 1, 8, 2))
    150.0
    """
    return device.number("prefer_idle_cores") * _doublings(device.cores / cut.cores)


def batch_split(device: Device, work: Contraction, cut: Cut) -> float:
    """Points for splitting the batches of a true bmm.

    >>> from compiler.device import load_device
    >>> batch_split(load_device("spyre"), Contraction(32, 512, 512, 128, False, 2, 2), Cut(4, 8, 1, 1))
    20.0
    """
    return 0.0 if work.shared else device.number("prefer_batch_split") * math.log2(cut.batch)


EXECUTION = (
    Formula(
        "compute", "MACs / cores / {planner_mac_per_us_core} / fill, times {k_split_slowdown} if K is split", compute_us
    ),
    Formula(
        "hbm",
        "bytes of operands and result / {hbm_peak_bytes_per_us} "
        "* max(1, (readers / {reader_fan_free}) ^ {reader_fan_exponent})",
        hbm_us,
    ),
    Formula(
        "partial sums",
        "(k - 1) * output tile * {partial_sum_us_shared} (shared weight) or {partial_sum_us_batched} (true bmm)",
        partial_sum_us,
    ),
)
BATCH_STEP = Formula(
    "batch step", "{batch_step_us} * min(log2 b, log2(M / {batch_step_rows}) - log2 m), true bmm only", batch_step_us
)
PLANNED = (*(row for row in EXECUTION if row.name != "hbm"), BATCH_STEP)
PREFERENCE = (
    Formula(
        "M lanes",
        "{prefer_m_lanes} * log2(target / m), "
        "target = max({prefer_m_lanes_least}, min(cores / 2, M / {prefer_m_lanes_rows}))",
        m_lanes,
    ),
    Formula("short M tile", "{prefer_short_m} * log2({prefer_short_m_rows} / rows per core)", short_m),
    Formula("wide N tile", "{prefer_wide_n} * log2(columns per core / {prefer_wide_n_columns})", wide_n),
    Formula("bmm with K > N", "log2(K / N) * log2(n) * {prefer_bmm_k_over_n}", bmm_k_over_n),
    Formula(
        "narrow output",
        "log2({prefer_narrow_n_columns} / N) * log2(columns per core / {prefer_narrow_n_tile}) * {prefer_narrow_n}",
        narrow_n,
    ),
    Formula("shared weight with K > N", "log2(K / N) * log2(n) * {prefer_shared_k_over_n}", shared_k_over_n),
    Formula("idle cores", "{prefer_idle_cores} * log2(cores / used)", idle_cores),
    Formula("batch split", "{prefer_batch_split} * log2(b)", batch_split),
)


def ranking(device: Device, work: Contraction, cut: Cut) -> float:
    """Execution time plus preference points; the least is the best split (facts 3.4)."""
    time = sum(row.value(device, work, cut) for row in EXECUTION)
    return time + sum(row.value(device, work, cut) for row in PREFERENCE)


def terms(device: Device, work: Contraction, cut: Cut, table: tuple[Formula, ...]) -> tuple[CostTerm, ...]:
    """Every row of a table that is not zero, with its inputs spelt out."""
    inputs = (
        f"B={work.batch} M={work.rows} N={work.columns} K={work.inner} "
        f"b={cut.batch} m={cut.rows} n={cut.columns} k={cut.inner} shared={'yes' if work.shared else 'no'}"
    )
    values = ((row, row.value(device, work, cut)) for row in table)
    return tuple(term(device, row.name, value, row.words, inputs) for row, value in values if value)


def _doublings(ratio: float) -> float:
    """log2, but never below zero."""
    return max(0.0, math.log2(ratio)) if ratio > 0 else 0.0


def _tall(device: Device, work: Contraction, cut: Cut) -> bool:
    return work.rows // cut.rows >= device.number("prefer_short_m_rows")
