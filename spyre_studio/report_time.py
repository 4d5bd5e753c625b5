"""Report, second part: where the time goes, step by step, and in the simulated run where there is one.

Owns these sections.  Refuses to compute: costs are those of the plan, the run is a trace.
"""

from __future__ import annotations

from collections.abc import Sequence

from compiler.compilation import Compilation
from compiler.diff import division_text
from compiler.report.document import Column, Figure, Paragraph, Section
from compiler.report.drawing import Box, Drawing, Label
from simulator.trace import PS_PER_US, Trace
from spyre_studio.derived import schedule_of
from spyre_studio.occupancy import kind_of
from spyre_studio.report_parts import bar, table, text
from spyre_studio.roofline_model import roofline_of
from spyre_studio.run_summary import describe
from spyre_studio.timeline_data import timeline_of
from spyre_studio.timeline_words import CAUSES, bound_shares
from spyre_studio.units import format_bytes, format_count, format_percent, format_us

_WIDTH, _ROW = 960, 22
_MARGIN = 13  # characters before the words of a summary's line


def steps(compilation: Compilation) -> Section:
    """Every step by its time."""
    costs, plan, schedule = compilation.cost.steps, compilation.plan, schedule_of(compilation)
    ranked = sorted(costs, key=lambda cost: -cost.total_us)
    most, total = (ranked[0].total_us if ranked else 0.0), compilation.cost.total_us
    roof = roofline_of(compilation)
    rows = [
        (
            text(f"{schedule.step_map[cost.step].number}"),
            text(cost.step),
            text(kind_of(schedule.step_map[cost.step])),
            bar(format_us(cost.total_us), cost.total_us, most),
            text(format_percent(cost.total_us / total) if total > 0 else ""),
            text(roof.bound(roof.places[cost.step])),
            text(division_text(plan.divisions.get(cost.step))),
            text(format_bytes(cost.hbm_bytes) if cost.hbm_bytes else ""),
            text(schedule.step_map[cost.step].op.origin.source),
        )
        for cost in ranked
        if cost.total_us > 0
    ]
    columns = (
        Column("step", number=True),
        Column("op or copy"),
        Column("kind"),
        Column("time", number=True),
        Column("share", number=True),
        Column("bound by"),
        Column("divided"),
        Column("moved", number=True),
        Column("source"),
    )
    hidden = len(ranked) - len(rows)
    more = format_count(hidden, "more takes", "more take")
    note = f"{more} no time of their own: the rest of the kernel hides them." if hidden else ""
    made = table("Steps by predicted time", columns, rows, "step", note)
    return Section("steps", "Steps by time", (made,))


def run(compilation: Compilation, trace: Trace) -> Section:
    """The simulated run: how long it takes, what bounds it, and when each kernel runs."""
    shares = bound_shares(timeline_of(trace))
    bounds = ", ".join(f"{CAUSES[cause].title} {format_percent(share)}" for cause, share in shares)
    words = (
        f"The simulated run takes {format_us(trace.total_us)}, predicted were {format_us(compilation.cost.total_us)}."
    )
    figure = Figure(_longest(trace), "The steps that take longest in the simulated run, by when they run.", words)
    bound = [Paragraph(f"Its critical path is bound by {bounds}.")] if bounds else []
    note = "The simulator has rates of its own: a second opinion on the cost model, and no measurement either."
    rows = [(text(title), text(said)) for title, said in _told(describe(compilation, trace)) if title not in _DRAWN]
    told = table("What it adds up to", (Column("what"), Column("figures")), rows, "line")
    return Section("run", "Simulated run", (Paragraph(words), *bound, figure, told, Paragraph(note, "mute")))


_DRAWN = frozenset({"longest", "bound by", "simulated"})
"""Lines of the summary that a figure or a sentence above tells already."""


def _told(lines: Sequence[str]) -> list[tuple[str, str]]:
    """The lines of a summary with the title in whose margin they stand."""
    found, title = [], ""
    for line in lines[1:]:
        head, words = line[:_MARGIN].strip(), " ".join(line[_MARGIN:].split())
        title = head or title
        found.append((title, words))
    return found


def _longest(trace: Trace, most: int = 20) -> Drawing:
    """A row for each of the longest steps, a bar from its first start to its last end."""
    ends = _spans(trace)
    chosen = sorted(sorted(range(len(ends)), key=lambda step: ends[step][0] - ends[step][1])[:most])
    whole, names = max(trace.total_ps, 1), 300
    shapes: list[Box | Label] = []
    for row, step in enumerate(chosen):
        start, end = ends[step]
        x, width = names + (_WIDTH - names) * start / whole, (_WIDTH - names) * (end - start) / whole
        took = format_us((end - start) / PS_PER_US)
        name = trace.steps[step]
        shapes.append(Label(names - 8, _ROW * row + 15, name if len(name) < 46 else f"…{name[-44:]}", "end", "text"))
        shapes.append(Box(x, _ROW * row + 4, max(width, 1), _ROW - 8, "matmul", f"{name}: {took}"))
    foot = _ROW * len(chosen) + 16
    shapes += [Label(names, foot, "0"), Label(_WIDTH, foot, format_us(trace.total_us), "end")]
    title = f"{format_count(len(chosen), 'step')} of the simulated run over {format_us(trace.total_us)}"
    return Drawing(title, _WIDTH, foot + 6, tuple(shapes))


def _spans(trace: Trace) -> Sequence[tuple[int, int]]:
    data = timeline_of(trace)
    return [(int(start), int(end)) for start, end in zip(data.step_start, data.step_end, strict=True)]
