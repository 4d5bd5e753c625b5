"""Document: a report as a value: sections of paragraphs, facts, tables, drawings and definitions.

Owns the blocks that both renderings know.  Refuses markup: every text is plain, whatever stands in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from compiler.report.drawing import Drawing

Tone = Literal["text", "mute", "ok", "warn", "bad", "accent"]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Words; `tone` is how they are to be taken."""

    text: str
    tone: Tone = "text"


@dataclass(frozen=True, slots=True)
class Fact:
    """A name with a value and a note under it."""

    name: str
    value: str
    note: str = ""
    tone: Tone = "text"


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts side by side."""

    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """A column; numbers stand at the right."""

    title: str
    number: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """A text, with a bar behind it where it has a share (0 to 1)."""

    text: str
    share: float | None = None
    tone: Tone = "text"


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under columns, every row with a cell for each; `caption` names it, `note` says what was left out."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing; `caption` says what one sees, `words` the same without the picture, for those who have none."""

    drawing: Drawing
    caption: str
    words: str


@dataclass(frozen=True, slots=True)
class Item:
    """An entry of a list: a title with a note, sentences, and lines below them."""

    title: str
    note: str
    text: str
    lines: tuple[Paragraph, ...] = ()


@dataclass(frozen=True, slots=True)
class Items:
    """A list in order; `numbered` where the order is a rank."""

    items: tuple[Item, ...]
    numbered: bool = False


@dataclass(frozen=True, slots=True)
class Terms:
    """Words with what they mean."""

    terms: tuple[tuple[str, str], ...]


Block = Paragraph | Facts | Table | Figure | Items | Terms


@dataclass(frozen=True, slots=True)
class Section:
    """A part with a title; `key` names it in the page."""

    key: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """The whole: a title, what it is about in a line, and its sections in order."""

    title: str
    subtitle: str
    sections: tuple[Section, ...]


def texts_of(report: Report) -> str:
    """Every word of a report, for those who look for one."""
    return "\n".join(text for section in report.sections for block in section.blocks for text in _texts(block))


def _texts(block: Block) -> list[str]:
    match block:
        case Paragraph(text):
            return [text]
        case Facts(facts):
            return [text for fact in facts for text in (fact.name, fact.value, fact.note)]
        case Table(caption, columns, rows, note):
            cells = [cell.text for row in rows for cell in row]
            return [caption, *(column.title for column in columns), *cells, note]
        case Figure(_, caption, words):
            return [caption, words]
        case Items(items):
            return [
                text for item in items for text in (item.title, item.note, item.text, *(p.text for p in item.lines))
            ]
        case Terms(terms):
            return [text for pair in terms for text in pair]
