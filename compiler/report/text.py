"""Text: a report as plain text of limited width, for mail and terminals.

Owns the layout.  Refuses pictures: a figure says in words what one would see.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from compiler.report.document import Block, Facts, Figure, Items, Paragraph, Report, Section, Table, Terms
from compiler.report.plain import clean

WIDTH = 110
_WIDEST = 44
"""Characters of a column but the last: longer cells lose their middle."""


def to_text(report: Report) -> str:
    """The whole, a line each."""
    lines = [clean(report.title), "=" * len(clean(report.title)), *_wrapped(report.subtitle)]
    for section in report.sections:
        lines += ["", *_section(section)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _section(section: Section) -> Iterator[str]:
    yield clean(section.title)
    yield "-" * len(clean(section.title))
    for block in section.blocks:
        yield from _block(block)


def _block(block: Block) -> Iterator[str]:
    match block:
        case Paragraph(text):
            yield from _wrapped(text)
        case Facts(facts):
            width = max(len(fact.name) for fact in facts)
            for fact in facts:
                note = f" ({fact.note})" if fact.note else ""
                yield from _wrapped(f"{fact.name:<{width}}  {fact.value}{note}", hang=width + 2)
        case Table():
            yield from _table(block)
        case Figure(_, caption, words):
            yield from _wrapped(f"{caption} {words}")
        case Items():
            yield from _items(block)
        case Terms(terms):
            for term, means in terms:
                yield from _wrapped(f"{term}: {means}", hang=4)


def _items(block: Items) -> Iterator[str]:
    for number, item in enumerate(block.items, 1):
        mark = f"{number:>3}. " if block.numbered else "  - "
        note = f" ({item.note})" if item.note else ""
        yield from _wrapped(f"{mark}{item.title}{note}", hang=5)
        yield from _wrapped(item.text, margin=5)
        for line in item.lines:
            yield from _wrapped(f"- {line.text}", margin=5, hang=2)


def _table(block: Table) -> Iterator[str]:
    yield from _wrapped(block.caption)
    heads = [_cut(column.title, _WIDEST) for column in block.columns]
    rows = [
        [_cut(cell.text, WIDTH if place == len(heads) - 1 else _WIDEST) for place, cell in enumerate(row)]
        for row in block.rows
    ]
    widths = [max(len(line[place]) for line in [heads, *rows]) for place in range(len(heads))]
    for line in (heads, *rows):
        cells = (
            f"{text:>{width}}" if column.number else f"{text:<{width}}"
            for text, width, column in zip(line, widths, block.columns, strict=True)
        )
        yield "  " + "  ".join(cells)
    if block.note:
        yield from _wrapped(block.note)


def _cut(text: str, most: int) -> str:
    """A cell of one line; a long one keeps both its ends."""
    whole = " ".join(clean(text).split())
    if len(whole) <= most:
        return whole
    half = (most - 1) // 2
    return f"{whole[:half]}…{whole[-half:]}"


def _wrapped(text: str, margin: int = 0, hang: int = 0) -> list[str]:
    space = " " * margin
    return textwrap.wrap(
        clean(text),
        WIDTH,
        initial_indent=space,
        subsequent_indent=space + " " * hang,
        break_long_words=False,
        break_on_hyphens=False,
    )
