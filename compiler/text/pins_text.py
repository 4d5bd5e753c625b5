"""Text form of Pins: one line per pin, in order of priority."""

from __future__ import annotations

from frozendict import frozendict

from compiler.pins import Pins
from compiler.text.cursor import Cursor, Lines, bracket, quote_name

_WORDS = ("divide", "layout", "place", "tile", "order", "same", "relayout")


def print_pins(pins: Pins) -> str:
    """`pins` and one line per pin: `divide op (m 8, n 4)`, `layout buffer dim 1`, `place buffer lx`,
    `tile op (i 4)`, `order buffer [1,0,2]`, `same op other`, `relayout buffer ring`."""
    lines = ["pins"]
    lines += [f"  divide {quote_name(op)} {_print_counts(factors)}" for op, factors in pins.division.items()]
    lines += [f"  layout {quote_name(buffer)} dim {dim}" for buffer, dim in pins.layout.items()]
    lines += [f"  place {quote_name(buffer)} {quote_name(memory)}" for buffer, memory in pins.placement.items()]
    lines += [f"  tile {quote_name(op)} {_print_counts(counts)}" for op, counts in pins.tiles.items()]
    lines += [f"  order {quote_name(buffer)} {bracket(dims)}" for buffer, dims in pins.order.items()]
    lines += [f"  same {quote_name(op)} {quote_name(other)}" for op, other in pins.same.items()]
    lines += [f"  relayout {quote_name(buffer)} {quote_name(way)}" for buffer, way in pins.relayout.items()]
    return "\n".join(lines) + "\n"


def read_pins(lines: Lines) -> Pins:
    """Inverse of `print_pins`."""
    head = lines.cursor()
    head.expect("pins")
    head.end()
    division: dict[str, frozendict[str, int]] = {}
    layout: dict[str, int] = {}
    placement: dict[str, str] = {}
    tiles: dict[str, frozendict[str, int]] = {}
    order: dict[str, tuple[int, ...]] = {}
    words: dict[str, dict[str, str]] = {"place": placement, "same": {}, "relayout": {}}
    while lines.starts(*_WORDS):
        cursor = lines.cursor()
        word = next(word for word in _WORDS if cursor.word(word))
        name = cursor.name()
        if word == "divide":
            division[name] = _read_counts(cursor)
        elif word in words:
            words[word][name] = cursor.name()
        elif word == "tile":
            tiles[name] = _read_counts(cursor)
        elif word == "order":
            order[name] = cursor.wholes()
        else:
            cursor.expect("dim")
            layout[name] = cursor.whole()
        cursor.end()
    return Pins(
        frozendict(division),
        frozendict(layout),
        frozendict(placement),
        frozendict(tiles),
        frozendict(order),
        frozendict(words["same"]),
        frozendict(words["relayout"]),
    )


def _print_counts(counts: frozendict[str, int]) -> str:
    return f"({', '.join(f'{quote_name(loop)} {count}' for loop, count in counts.items())})"


def _read_counts(cursor: Cursor) -> frozendict[str, int]:
    cursor.expect("(")
    return frozendict(cursor.until(")", lambda: (cursor.name(), cursor.whole())))
