"""Lessons: published studies, run through pipeline and simulator, beside what was published.

Owns the table of lessons (a row in the file of its subject adds one) and how results are written.  Refuses hidden
deviations: each figure stands beside the published one, with a sentence where they part.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from compiler.errors import InputError
from spyre_studio import lessons_memory, lessons_products
from spyre_studio.lessons_values import Bench, Figure, Learnt, Lesson, Row

LESSONS: tuple[Lesson, ...] = (*lessons_memory.LESSONS, *lessons_products.LESSONS)
HEADS = ("", "published", "cost model", "simulated")
_WIDTH = 118


def chosen(names: Sequence[str]) -> tuple[Lesson, ...]:
    """The lessons of these names, each once; all of them without any.  InputError for a name there is none of."""
    known = {lesson.name: lesson for lesson in LESSONS}
    missing = next((name for name in names if name not in known), None)
    if missing is not None:
        raise InputError(f"lesson {missing}", "there is no such lesson", f"use {', '.join(known)}")
    return tuple(known[name] for name in dict.fromkeys(names)) or LESSONS


def learn(lesson: Lesson, bench: Bench) -> Learnt:
    """Run a lesson."""
    return Learnt(lesson.name, lesson.title, lesson.setting, lesson.source, lesson.rows(bench))


def table_of(learnt: Learnt) -> str:
    """A lesson as it is printed: what it is about, its rows, and under each how it deviates."""
    cells = [HEADS, *((row.measure, *(one.text for one in _sides(row))) for row in learnt.rows)]
    widths = [max(len(cell) for cell in column) for column in zip(*cells, strict=True)]
    lines = [f"{learnt.name}: {learnt.title}", *_wrapped(f"{learnt.setting}. Source: {learnt.source}.", "  ")]
    for place, cell in enumerate(cells):
        lines.append("  " + "  ".join(text.ljust(width) for text, width in zip(cell, widths, strict=True)).rstrip())
        if place:
            lines += _notes(learnt.rows[place - 1])
    return "\n".join(lines)


def document_of(learnt: Sequence[Learnt]) -> dict[str, object]:
    """All results as one JSON document; a side without a number has null for it."""
    return {
        "ok": all(one.held for one in learnt),
        "lessons": [
            {
                "name": one.name,
                "title": one.title,
                "setting": one.setting,
                "source": one.source,
                "ok": one.held,
                "rows": [_row(row) for row in one.rows],
            }
            for one in learnt
        ],
    }


def failures(learnt: Sequence[Learnt]) -> tuple[str, ...]:
    """A sentence for each row that has to come out as published and does not."""
    return tuple(
        f"lesson {one.name}: {row.measure} is not {row.published.text}, but {row.predicted.text} in the cost model and "
        f"{row.simulated.text} in the simulator"
        for one in learnt
        for row in one.rows
        if not row.held
    )


def _row(row: Row) -> dict[str, object]:
    sides = zip(("published", "predicted", "simulated"), _sides(row), strict=True)
    told: dict[str, object] = {name: {"text": one.text, "value": one.value} for name, one in sides}
    return {"measure": row.measure, **told, "deviation": row.deviation, "exact": row.exact, "held": row.held}


def _sides(row: Row) -> tuple[Figure, Figure, Figure]:
    return row.published, row.predicted, row.simulated


def _notes(row: Row) -> list[str]:
    lines = [] if row.held else ["    this has to come out as published, and does not"]
    return lines + (_wrapped(row.deviation, "    ") if row.deviation else [])


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent=indent, subsequent_indent=indent, break_long_words=False)
