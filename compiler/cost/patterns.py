"""Patterns: the bandwidth of ops whose way through device memory was measured by itself (facts 6.3).

Owns the laws, one per pattern, by rows R and columns C.  `compiler.cost.sightings` recognises patterns in ops.  No
pattern is faster than the one-way rate.  Refuses kernels.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from frozendict import frozendict

from compiler.device import Device
from compiler.dtypes import DType


class Pattern(StrEnum):
    """A way through device memory; the text is the name of its cost term."""

    ACROSS_ROWS = "reduction across rows"
    CONCAT = "concatenation"
    SWAP = "swap of outer dims"
    STACK = "stack"
    ROW = "row broadcast"
    COLUMN = "scalar or column broadcast"


@dataclass(frozen=True, slots=True)
class Sighting:
    """A pattern with its sizes: rows R, columns C, and for a swap [R,M,C] -> [M,R,C] the other outer dim M."""

    pattern: Pattern
    rows: int
    columns: int
    middle: int = 1


def bytes_per_ns(device: Device, seen: Sighting) -> float:
    """Bandwidth of a pattern for bytes read plus written.

    >>> from compiler.device import load_device
    >>> patterns = (Pattern.CONCAT, Pattern.SWAP, Pattern.STACK, Pattern.ROW, Pattern.COLUMN)
    >>> [round(bytes_per_ns(load_device("spyre"), Sighting(one, 4096, 2048, 64)), 1) for one in patterns]
    [67.2, 91.6, 106.0, 121.5, 115.8]
    """
    return min(device.number("hbm_one_way_bytes_per_ns"), _LAWS[seen.pattern](device, seen))


def words(device: Device, seen: Sighting) -> str:
    """The formula of a pattern for its sizes, with `{keys}` of the device.

    >>> from compiler.device import load_device
    >>> words(load_device("spyre"), Sighting(Pattern.ACROSS_ROWS, 4096, 2048))
    '(read + written) / ({across_rows_bytes_per_ns}) B per ns'
    """
    if seen.pattern in (Pattern.ROW, Pattern.COLUMN):
        told = _broadcast_words("row" if seen.pattern is Pattern.ROW else "column", _regime(device, seen))
    else:
        told = _WORDS[seen.pattern]
    return f"(read + written) / ({told}) B per ns"


def across_rows(device: Device, _seen: Sighting) -> float:
    """Reduction across rows, sticks kept whole.

    >>> from compiler.device import load_device
    >>> across_rows(load_device("spyre"), Sighting(Pattern.ACROSS_ROWS, 4096, 2048))
    113.0
    """
    return device.number("across_rows_bytes_per_ns")


def concat(device: Device, seen: Sighting) -> float:
    """Concatenation along the dim just inside the stick.

    >>> from compiler.device import load_device
    >>> sizes = ((4096, 2048), (1, 64), (1 << 20, 8192))
    >>> [round(concat(load_device("spyre"), Sighting(Pattern.CONCAT, *size)), 1) for size in sizes]
    [67.2, 144.0, 44.0]
    """
    fitted = (
        device.number("concat_bytes_per_ns")
        - device.number("concat_per_columns") * _sticks(device, seen.columns)
        - device.number("concat_per_rows") * math.log2(seen.rows)
    )
    return max(device.number("concat_least_bytes_per_ns"), fitted)


def swap(device: Device, seen: Sighting) -> float:
    """Two outer dims [R,M,C] -> [M,R,C], slower for a small M.

    >>> from compiler.device import load_device
    >>> sizes = ((4096, 2048, 8), (4096, 2048, 4), (4096, 2048, 1), (1, 64, 8))
    >>> [round(swap(load_device("spyre"), Sighting(Pattern.SWAP, *size)), 1) for size in sizes]
    [91.6, 78.6, 52.6, 140.0]
    """
    fitted = (
        device.number("swap_bytes_per_ns")
        - device.number("swap_per_columns") * _sticks(device, seen.columns)
        - device.number("swap_per_rows") * math.log2(seen.rows)
    )
    reached = min(device.number("hbm_one_way_bytes_per_ns"), max(device.number("swap_least_bytes_per_ns"), fitted))
    few = device.number("swap_few")
    if seen.middle >= few:
        return reached
    slowed = reached - device.number("swap_per_few") * math.log2(few / seen.middle)
    return max(device.number("swap_few_least_bytes_per_ns"), slowed)


def stack(device: Device, seen: Sighting) -> float:
    """Copies [R,C] -> [R,k,C] into one place of a new dim.

    >>> from compiler.device import load_device
    >>> sizes = ((4096, 2048), (4096, 64), (4096, 1 << 40))
    >>> [round(stack(load_device("spyre"), Sighting(Pattern.STACK, *size)), 1) for size in sizes]
    [106.0, 110.0, 90.0]
    """
    fitted = device.number("stack_bytes_per_ns") - device.number("stack_per_columns") * _sticks(device, seen.columns)
    return max(device.number("stack_least_bytes_per_ns"), fitted)


def row(device: Device, seen: Sighting) -> float:
    """Pointwise with an operand b[1,C].

    >>> from compiler.device import load_device
    >>> sizes = ((4096, 2048), (256, 2048), (1, 2048), (256, 8192), (16, 1 << 20))
    >>> [round(row(load_device("spyre"), Sighting(Pattern.ROW, *size)), 1) for size in sizes]
    [121.5, 116.0, 45.0, 102.0, 128.0]
    """
    return _broadcast(device, "row", seen)


def column(device: Device, seen: Sighting) -> float:
    """Pointwise with a scalar or an operand b[R,1].

    >>> from compiler.device import load_device
    >>> sizes = ((4096, 2048), (256, 2048), (1, 2048), (256, 8192), (16, 1 << 20))
    >>> [round(column(load_device("spyre"), Sighting(Pattern.COLUMN, *size)), 1) for size in sizes]
    [115.8, 99.0, 45.0, 106.0, 120.0]
    """
    return _broadcast(device, "column", seen)


def _sticks(device: Device, columns: int) -> float:
    """Doublings of the columns beyond one stick of fp16, in which everything was measured."""
    return math.log2(columns / device.lanes(DType.F16))


def _regime(device: Device, seen: Sighting) -> str:
    if seen.rows >= device.number("broadcast_tall_rows"):
        return "tall"
    return "wide" if seen.columns > device.number("broadcast_wide_columns") else "short"


def _broadcast(device: Device, kind: str, seen: Sighting) -> float:
    regime = _regime(device, seen)

    def number(name: str) -> float:
        return device.number(f"{kind}_{regime}_{name}")

    rows, columns = math.log2(seen.rows), math.log2(seen.columns)
    base, per_rows, per_columns = number("bytes_per_ns"), number("per_rows"), number("per_columns")
    if regime == "wide":
        apart = columns - rows - device.number("broadcast_wide_balance")
        fitted = base + per_columns * max(0.0, apart) + per_rows * max(0.0, -apart)
        return max(device.number("broadcast_wide_least_bytes_per_ns"), min(number("most_bytes_per_ns"), fitted))
    if regime == "tall":
        fitted = base - per_columns * columns - per_rows * rows
    else:
        signed = per_columns if kind == "column" else -per_columns
        fitted = per_rows * rows - base - number("curve") * rows**2 + signed * columns
    return min(number("most_bytes_per_ns"), max(number("least_bytes_per_ns"), fitted))


def _broadcast_words(kind: str, regime: str) -> str:
    """The words of one regime; `@` stands for the beginning of its keys."""
    sign = "+" if kind == "column" else "-"
    told = {
        "tall": "{@bytes_per_ns} - {@per_columns} * log2 C - {@per_rows} * log2 R within {@least_bytes_per_ns} to "
        "{@most_bytes_per_ns}, from {broadcast_tall_rows} rows on",
        "short": "{@per_rows} * log2 R - {@curve} * (log2 R)^2 "
        f"{sign} {{@per_columns}} * log2 C - {{@bytes_per_ns}} "
        "within {@least_bytes_per_ns} to {@most_bytes_per_ns}, below {broadcast_tall_rows} rows",
        "wide": "{@bytes_per_ns} + {@per_columns} * log2(C / R / 2^{broadcast_wide_balance}) or {@per_rows} * "
        "log2(2^{broadcast_wide_balance} * R / C) within {broadcast_wide_least_bytes_per_ns} to {@most_bytes_per_ns}, "
        "below {broadcast_tall_rows} rows and beyond {broadcast_wide_columns} columns",
    }
    return told[regime].replace("@", f"{kind}_{regime}_")


_LAWS: frozendict[Pattern, Callable[[Device, Sighting], float]] = frozendict(
    {
        Pattern.ACROSS_ROWS: across_rows,
        Pattern.CONCAT: concat,
        Pattern.SWAP: swap,
        Pattern.STACK: stack,
        Pattern.ROW: row,
        Pattern.COLUMN: column,
    }
)
_WORDS: frozendict[Pattern, str] = frozendict(
    {
        Pattern.ACROSS_ROWS: "{across_rows_bytes_per_ns}",
        Pattern.CONCAT: "{concat_bytes_per_ns} - {concat_per_columns} * log2(C / 64) - {concat_per_rows} * log2 R "
        "within {concat_least_bytes_per_ns} to {hbm_one_way_bytes_per_ns}",
        Pattern.SWAP: "{swap_bytes_per_ns} - {swap_per_columns} * log2(C / 64) - {swap_per_rows} * log2 R within "
        "{swap_least_bytes_per_ns} to {hbm_one_way_bytes_per_ns}; M below {swap_few}: {swap_per_few} * "
        "log2({swap_few} / M) less, at least {swap_few_least_bytes_per_ns}",
        Pattern.STACK: "{stack_bytes_per_ns} - {stack_per_columns} * log2(C / 64) within {stack_least_bytes_per_ns} to "
        "{hbm_one_way_bytes_per_ns}",
    }
)
