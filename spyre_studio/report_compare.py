"""Report, fourth part: what another plan decides differently, why, and what that costs or saves.

Owns the section.  Refuses to compare: `compiler.diff` does.
"""

from __future__ import annotations

from compiler.compilation import Compilation
from compiler.diff import diff
from compiler.pipelines import name_of
from compiler.report.document import Column, Fact, Facts, Paragraph, Section, Tone
from spyre_studio.diff_rows import diff_rows
from spyre_studio.report_parts import table, text
from spyre_studio.units import format_bytes, format_count, format_us

_NOISE_US = 5e-4


def compared(before: Compilation, after: Compilation) -> Section:
    """What `after` decides differently from `before`."""
    found = diff(before, after)
    title = "Compared with another plan"
    if found.same:
        return Section("compare", title, (Paragraph("The two plans decide everything alike."),))
    total, bytes_ = found.total, found.hbm_bytes
    facts = (
        Fact("predicted time", _arrow(format_us(total.before_us), format_us(total.after_us)), _signed(total.delta_us)),
        Fact("device memory", _arrow(format_bytes(bytes_[0]), format_bytes(bytes_[1]))),
        Fact("restickified elements", _arrow(*(format_count(one) for one in found.restickify_elements))),
        Fact("pipeline", _arrow(_pipeline(before), _pipeline(after))),
    )
    rows = [row for row in diff_rows(found) if row.kind != "minor"]
    rows.sort(key=lambda row: (row.kind != "decision", -abs(row.delta_us)))
    cells = [
        (
            text(row.name),
            text(row.what),
            text(_signed(row.delta_us), _tone(row.delta_us)),
            text(row.before),
            text(row.after),
            text(row.cause),
        )
        for row in rows
    ]
    columns = (
        Column("name"),
        Column("what"),
        Column("time", number=True),
        Column("before"),
        Column("after"),
        Column("cause"),
    )
    made = table("What is decided differently, and steps whose time changed", columns, cells, "difference")
    notes = (Paragraph(found.unlike),) if found.unlike else ()
    return Section("compare", title, (*notes, Facts(facts), made))


def _arrow(before: str, after: str) -> str:
    return before if before == after else f"{before} → {after}"


def _signed(delta_us: float) -> str:
    return format_us(delta_us, signed=True) if abs(delta_us) > _NOISE_US else ""


def _tone(delta_us: float) -> Tone:
    return "text" if abs(delta_us) <= _NOISE_US else "warn" if delta_us > 0 else "ok"


def _pipeline(compilation: Compilation) -> str:
    return name_of(compilation.plan.pipeline) or "of its own"
