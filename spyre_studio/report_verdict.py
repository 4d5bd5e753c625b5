"""Report, first part: the verdict on a plan, what it was made for, its pins, and its insights.

Owns these sections.  Refuses to judge: every figure and sentence stands in the plan, or in its insights.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compiler.compilation import Compilation
from compiler.pins import PinState
from compiler.pipelines import PURPOSES, name_of
from compiler.report.document import Column, Fact, Facts, Item, Items, Paragraph, Section, Table, Tone
from spyre_studio.check_words import CHECK_WORDS, OF_FILES
from spyre_studio.insight import Insight
from spyre_studio.insight_weighed import Weighed
from spyre_studio.insight_words import NOTHING, WORTH, cost_text, saving_text, saving_tone
from spyre_studio.insights import KINDS
from spyre_studio.report_parts import table, text
from spyre_studio.solver_words import bound_text, plan_hint, solver_text
from spyre_studio.units import format_bytes, format_count, format_us

_PIN_TONES: dict[PinState, Tone] = {PinState.HONOURED: "ok", PinState.ADJUSTED: "warn", PinState.REFUSED: "bad"}


def verdict(compilation: Compilation) -> Section:
    """How long it takes, how good that is known to be, and whether it is sound."""
    cost, solver, device = compilation.cost, compilation.solver, compilation.problem.device
    compute, memory = format_us(cost.compute_us), format_us(cost.hbm_us)
    beside = f", {format_us(cost.serial_us)} beside them" if cost.serial_us else ""
    of_plan = [one for one in compilation.verdicts if one.check not in OF_FILES]
    good, file_too = sum(one.ok for one in of_plan), ""
    if len(of_plan) < len(compilation.verdicts):
        file_too = ", the file too"
    peak, budget = compilation.program.lx_bytes, device.lx_budget_bytes
    facts = (
        Fact("predicted time", format_us(cost.total_us), f"compute {compute}, device memory {memory}{beside}"),
        Fact("how good it is", bound_text(solver), solver_text(solver)),
        Fact("checks", f"{good} of {len(of_plan)} hold{file_too}", "proved from model and decisions alone", "ok"),
        Fact("device memory", format_bytes(cost.hbm_bytes), "read and written"),
        Fact("LX", format_bytes(peak), f"highest address in use, of {format_bytes(budget)} per core"),
    )
    hint = plan_hint(compilation)
    checks = table(
        "What the checker proved",
        (Column("check"), Column("verdict"), Column("what that means")),
        [(text(one.check), text("holds", "ok"), text(CHECK_WORDS.get(one.check, ""))) for one in compilation.verdicts],
        "check",
    )
    note = (
        "Times are predicted by the cost model of the device file, not measured on a card; compute and device memory "
        "run at the same time."
    )
    return Section(
        "verdict", "Verdict", (Facts(facts), *([Paragraph(hint)] if hint else []), Paragraph(note, "mute"), checks)
    )


def made_for(compilation: Compilation) -> Section:
    """Model, device, pipeline and pins."""
    program, plan, device = compilation.problem.program, compilation.plan, compilation.problem.device
    name = name_of(plan.pipeline)
    facts = (
        Fact("model", compilation.graph.name, program.source.spec),
        Fact("ops", format_count(len(program.ops)), format_count(len(program.buffers), "buffer")),
        Fact("device", device.title, format_count(plan.cores, "core")),
        Fact("pipeline", name or "of its own", PURPOSES.get(name, "")),
        Fact("kernels", format_count(len(plan.kernels)), format_count(len(plan.divisions), "step")),
    )
    return Section(
        "model",
        "Model, device and pins",
        (Facts(facts), Paragraph(f"Passes: {plan.pipeline}", "mute"), *_pins(compilation)),
    )


def _pins(compilation: Compilation) -> Iterator[Paragraph | Table]:
    pins = compilation.plan.pins
    if not pins:
        yield Paragraph("Nothing is pinned: the compiler decided everything.")
        return
    rows = [(text(key), text(str(pin.state), _PIN_TONES[pin.state]), text(pin.detail)) for key, pin in pins.items()]
    yield table("What was asked for", (Column("pin"), Column("status"), Column("how or why")), rows, "pin")


def findings(compilation: Compilation, found: Sequence[Insight], weighed: Weighed) -> Section:
    """What costs most, and what would help."""
    if not found:
        return Section("insights", "Insights", (Paragraph(NOTHING),))
    total = compilation.cost.total_us
    items = tuple(_item(insight, total) for insight in found)
    searches = "What a search of limited time would find is not told here: it differs from one computer to the next."
    told = f"{WORTH} {searches}" if weighed.trials else "What remedies save was not worked out."
    return Section("insights", "Insights", (Items(items, numbered=True), Paragraph(told, "mute")))


def _item(insight: Insight, total_us: float) -> Item:
    lines = []
    for remedy in (one for one in insight.remedies if one.changes or one.advice):
        said = saving_text(remedy) if remedy.saving.known else ""
        lines.append(Paragraph(f"{remedy.words}{f': {said}' if said else ''}", saving_tone(remedy) if said else "mute"))
    title = f"{KINDS[insight.kind].title}: {insight.name}"
    return Item(title, cost_text(insight, total_us), insight.sentence, tuple(lines))
