"""Report, third part: what is outside LX and why, what lies in LX when, and layouts with the moves between them.

Owns these sections.  Refuses to compute: they show what the plan decides.
"""

from __future__ import annotations

from compiler.compilation import Compilation
from compiler.diff import layout_text, placement_text
from compiler.loops import BufferKind
from compiler.plan import ReasonCode
from compiler.reasons import REASONS
from compiler.report.document import Column, Figure, Paragraph, Section, Table, Terms
from spyre_studio.derived import schedule_of
from spyre_studio.edit_words import EDITS, counts_of, target_text
from spyre_studio.occupancy import Occupancy, occupancy_of
from spyre_studio.report_drawings import fill_of_cores, map_of_core
from spyre_studio.report_parts import bar, table, text
from spyre_studio.units import format_bytes, format_count, format_percent, format_us
from spyre_studio.why_not import why_not_of


def outside(compilation: Compilation) -> Section:
    """Buffers in device memory, those first that would save most in LX."""
    rows = why_not_of(compilation)
    if not rows:
        return Section("outside", "Buffers outside LX", (Paragraph("Every buffer lies in LX."),))
    most = max(one.saves for one in rows)
    cells = [
        (
            text(one.buffer),
            text(format_bytes(one.size)),
            bar(format_bytes(one.saves) if one.saves else "", one.saves, most),
            text(one.title),
            text(one.detail),
        )
        for one in rows
    ]
    columns = (
        Column("buffer"),
        Column("size", number=True),
        Column("LX would save", number=True),
        Column("reason"),
        Column("figures"),
    )
    made = table("Buffers in device memory, by what LX would save of their traffic", columns, cells, "buffer")
    codes = dict.fromkeys(ReasonCode(one.code) for one in rows)
    reasons = tuple((REASONS[code].title, f"{REASONS[code].sentence} {REASONS[code].remedy}") for code in codes)
    means = Paragraph("What each reason means, and what would change it:", "mute")
    return Section("outside", "Buffers outside LX", (made, means, Terms(reasons)))


def scratchpad(compilation: Compilation) -> Section:
    """Who lies where in LX: the fullest core in full, all cores by how full they are."""
    data = occupancy_of(compilation)
    core, words = _fullest(data), _fill_words(data)
    if not data.residents:
        return Section("lx", "Scratchpad", (Paragraph("Nothing lies in LX."),))
    drawn, shown = map_of_core(data, core)
    held = len(data.on_core(core))
    left = f" Showing the {format_count(shown)} largest of {format_count(held)}." if shown < held else ""
    caption = f"LX of core {core}: addresses upward, steps to the right; a box is a buffer while it lives.{left}"
    cores = "How full every core is at every step, beside the fullest of all: the stronger the colour, the fuller."
    return Section(
        "lx",
        "Scratchpad",
        (Paragraph(words), Figure(drawn, caption, words), Figure(fill_of_cores(data), cores, "")),
    )


def _fullest(data: Occupancy) -> int:
    return max(range(data.cores), key=lambda core: (data.peak(core)[0], -core))


def _fill_words(data: Occupancy) -> str:
    core = _fullest(data)
    peak, step = data.peak(core)
    if not peak:
        return f"Nothing is held of {format_bytes(data.budget)} per core."
    share = format_percent(peak / data.budget) if data.budget else ""
    return (
        f"Core {core} is fullest, with {format_bytes(peak)} of {format_bytes(data.budget)} ({share}) at step {step} "
        f"({data.steps[step]}); {format_count(len(data.residents), 'buffer')} lie in LX at some time."
    )


def layouts(compilation: Compilation) -> Section:
    """Inserted copies, and how every buffer is laid out."""
    plan, schedule = compilation.plan, schedule_of(compilation)
    costs = {cost.step: cost.total_us for cost in compilation.cost.steps}
    counts = ", ".join(counts_of(plan.edits)) or "none"
    words = Paragraph(f"Copies that the compiler inserted: {counts}.")
    moves = [
        (
            text(f"{schedule.step_map[edit.name].number}"),
            text(EDITS[edit.kind].one),
            text(edit.source),
            text(target_text(edit)),
            text(edit.before or "the end"),
            text(format_us(costs.get(edit.name, 0.0))),
            text(plan.reasons.get(f"edit:{edit.name}", "")),
        )
        for edit in plan.edits
    ]
    columns = ("step", "copy", "of", "makes", "before", "time", "why")
    heads = [Column(name, number=name in ("step", "time")) for name in columns]
    made = [table("Inserted copies", heads, moves, "copy")] if moves else []
    return Section("layouts", "Layouts and moves", (words, *made, _buffers(compilation)))


def _buffers(compilation: Compilation) -> Table:
    plan, schedule = compilation.plan, schedule_of(compilation)
    rows = []
    for name, layout in sorted(plan.layouts.items(), key=lambda item: -item[1].size_bytes):
        host = schedule.buffers.get(name)
        if host is None:
            continue
        unused = 1 - host.elements * layout.element_bytes / layout.size_bytes if layout.size_bytes else 0.0
        kind = "" if host.kind is BufferKind.COMPUTED else str(host.kind)
        rows.append(
            (
                text(name),
                text(f"{host.dtype}[{','.join(map(str, host.shape))}]"),
                text(kind),
                text(layout_text(layout)),
                text(format_bytes(layout.size_bytes)),
                text(format_percent(unused) if unused > 0 else ""),
                text(placement_text(plan.placement.get(name))),
            )
        )
    heads = ("buffer", "tensor", "given", "layout", "size", "padding", "lies in")
    columns = [Column(name, number=name in ("size", "padding")) for name in heads]
    return table("Buffers by size", columns, rows, "buffer")
