"""Report parts: pieces that several sections are made of: cells, tables that say what they leave out, facts.

Owns how many rows a table of a report has.  Refuses figures.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from compiler.report.document import Cell, Column, Table, Tone
from spyre_studio.units import format_count

SHOWN: Final = 200
"""Rows of a table: whoever needs the rest has the plan itself."""


def text(words: str, tone: Tone = "text") -> Cell:
    """A cell of words."""
    return Cell(words, tone=tone)


def bar(words: str, part: float, whole: float) -> Cell:
    """A number with its share of the largest one."""
    return Cell(words, part / whole if whole > 0 else 0.0)


def table(
    caption: str, columns: Sequence[Column], rows: Sequence[tuple[Cell, ...]], noun: str, note: str = ""
) -> Table:
    """A table with at most SHOWN rows, which says of how many they are the first."""
    left = f"Showing {format_count(SHOWN)} of {format_count(len(rows), noun)}." if len(rows) > SHOWN else ""
    return Table(caption, tuple(columns), tuple(rows[:SHOWN]), " ".join(part for part in (left, note) if part))
