"""A sweep as lines for people, as a JSON document, and as a table of comma-separated values.

Owns the names of the fields, which others rely on.  Refuses to compute: every figure comes with the sweep.
"""

from __future__ import annotations

import csv
import io
from dataclasses import asdict, fields
from typing import Final

from spyre_studio.sweep import Fault, Figures, Setting, Sweep
from spyre_studio.units import MINUS, format_bytes, format_percent, format_us

Document = dict[str, object]
_NAMES: Final = {"memory_us": "hbm_us", "beside_us": "serial_us"}
"""What other documents call these figures."""
_HEADS: Final = ("time", "to now", "compute", "memory", "beside", "bound", "traffic", "LX peak", "")


def document(sweep: Sweep, about: Document) -> Document:
    """All of it; `about` names model, device and pipeline.  A value has figures or an `error`, or was not tried."""
    return {
        **about,
        "knob": sweep.knob,
        "now": sweep.now,
        "best": sweep.best,
        "values": [_value(sweep, one) for one in sweep.settings],
    }


def _value(sweep: Sweep, one: Setting) -> Document:
    outcome = sweep.outcomes.get(one.key)
    known: Document = {"value": one.key, "title": one.title, "cores": one.device.cores}
    if outcome is None:
        return known
    return known | ({"error": asdict(outcome)} if isinstance(outcome, Fault) else _plain(outcome))


def _plain(found: Figures) -> Document:
    """The figures by the names that other documents have for them; what is not known is None."""
    plain = {_NAMES.get(name, name): value for name, value in asdict(found).items()}
    return plain if found.bound_us >= 0 else plain | {"bound_us": None, "gap": None}


def as_csv(sweep: Sweep) -> str:
    """A line per value, titles first; a value without a plan has its sentence in the last column."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = [_NAMES.get(each.name, each.name) for each in fields(Figures)]
    writer.writerow(("value", *names, "error"))
    for one in sweep.settings:
        found = sweep.figures(one.key)
        outcome = sweep.outcomes.get(one.key)
        figures = list(_plain(found).values()) if found is not None else ["" for _ in names]
        writer.writerow((one.key, *figures, outcome.sentence if isinstance(outcome, Fault) else ""))
    return text.getvalue()


def lines(sweep: Sweep) -> tuple[str, ...]:
    """A table whose columns line up; `*` marks the quickest, `now` what is wanted already."""
    rows = [(sweep.title, *_HEADS), *(_row(sweep, one) for one in sweep.settings)]
    whole = [row for row in rows if len(row) > 2]
    widths = [max(len(row[place]) for row in whole) for place in range(len(rows[0]))]
    widths[0] = max(len(row[0]) for row in rows)
    return tuple(_aligned(row, widths) for row in rows)


def _row(sweep: Sweep, one: Setting) -> tuple[str, ...]:
    outcome, found = sweep.outcomes.get(one.key), sweep.figures(one.key)
    if found is None:
        return (one.title, outcome.sentence if isinstance(outcome, Fault) else "not tried")
    now = sweep.figures(sweep.now)
    notes = [word for word, true in (("*", one.key == sweep.best), ("now", one.now)) if true]
    notes += ["a check failed"] if not found.ok else []
    notes += [found.remark] if found.remark else []
    delta = found.total_us - now.total_us if now is not None else 0.0
    return (
        one.title,
        format_us(found.total_us),
        delta_text(delta),
        format_us(found.compute_us),
        format_us(found.memory_us),
        format_us(found.beside_us),
        bound_text(found.bound_us, found.gap),
        format_bytes(found.hbm_bytes),
        f"{format_bytes(found.lx_peak_bytes)} of {format_bytes(found.lx_budget_bytes)}",
        " ".join(notes),
    )


def delta_text(delta_us: float) -> str:
    """A difference of times, '' for what rounds to none."""
    return "" if abs(delta_us) < 5e-4 else format_us(delta_us, signed=True).replace(MINUS, "-")


def bound_text(bound_us: float, gap: float) -> str:
    """'232.0 µs (1.0 %)', '' where no bound is known."""
    return "" if bound_us < 0 else f"{format_us(bound_us)} ({format_percent(max(gap, 0.0))})"


def _aligned(row: tuple[str, ...], widths: list[int]) -> str:
    first, *rest = row
    if len(row) == 2:
        return f"{first.ljust(widths[0])}  {rest[0]}"
    numbers = [cell.rjust(width) for cell, width in zip(rest[:-1], widths[1:-1], strict=True)]
    return "  ".join([first.ljust(widths[0]), *numbers, rest[-1]]).rstrip()
