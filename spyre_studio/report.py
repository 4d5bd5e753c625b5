"""Report: a plan for people who do not have the program, as one HTML page or as text.

Owns the order of its sections and the two forms.  Refuses to compute, and to show anything that differs from one run to
the next: the same plan gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from frozendict import frozendict

from compiler.compilation import Compilation
from compiler.report.document import Report, texts_of
from compiler.report.html import to_html
from compiler.report.text import to_text
from simulator.trace import Trace
from spyre_studio import report_compare, report_memory, report_time, report_verdict
from spyre_studio.insight import Insight
from spyre_studio.insight_weighed import Weighed
from spyre_studio.report_glossary import glossary
from spyre_studio.report_theme import DARK_PAGE, LIGHT_PAGE
from spyre_studio.units import format_count, format_us


@dataclass(frozen=True, slots=True)
class Subject:
    """What is reported: a plan that its checks have proved, its insights, the run on the simulated device if there was
    one, and two plans to compare (before, after)."""

    compilation: Compilation
    insights: tuple[Insight, ...]
    weighed: Weighed
    trace: Trace | None = None
    compared: tuple[Compilation, Compilation] | None = None


def report_of(subject: Subject) -> Report:
    """All sections, in the order in which one would ask."""
    plan = subject.compilation
    sections = [
        report_verdict.verdict(plan),
        report_verdict.made_for(plan),
        report_verdict.findings(plan, subject.insights, subject.weighed),
        report_time.steps(plan),
        *([report_time.run(plan, subject.trace)] if subject.trace is not None else []),
        report_memory.outside(plan),
        report_memory.scratchpad(plan),
        report_memory.layouts(plan),
        *([report_compare.compared(*subject.compared)] if subject.compared is not None else []),
    ]
    cores = format_count(plan.plan.cores, "core")
    subtitle = f"{format_us(plan.cost.total_us)} predicted on {plan.plan.device}, {cores}"
    made = Report(f"Plan of {plan.graph.name}", subtitle, tuple(sections))
    return Report(made.title, made.subtitle, (*made.sections, glossary(texts_of(made))))


def page_of(report: Report) -> str:
    """The report as an HTML page in the colours of the window."""
    return to_html(report, LIGHT_PAGE, DARK_PAGE)


FORMS: Final[frozendict[str, Callable[[Report], str]]] = frozendict({"html": page_of, "text": to_text})
"""Forms by name."""


def sections_of(report: Report) -> Sequence[str]:
    """The titles, in order."""
    return [section.title for section in report.sections]
