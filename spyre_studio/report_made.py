"""Report, made: asks the compiler and the simulator for what a report tells, and puts it together.

Owns the order of that.  Refuses plans that a check refuses; runs in the worker and on the command line, without Qt.
"""

from __future__ import annotations

from compiler.compilation import Compilation
from spyre_studio import tasks
from spyre_studio.insight_trials import weigh
from spyre_studio.insight_weighed import NOT_WEIGHED
from spyre_studio.insights import insights
from spyre_studio.report import FORMS, Subject, report_of
from spyre_studio.reporter import Reporter


def made_report(
    compilation: Compilation,
    compared: tuple[Compilation, Compilation] | None,
    form: str,
    reporter: Reporter,
    *,
    simulate: bool = False,
    savings: bool = True,
) -> str:
    """The report of a plan that has passed its checks, in a form of FORMS.  StoppedError once the reporter is
    cancelled; StudioError where it cannot be simulated."""
    weighed = weigh(compilation, reporter, searches=False) if savings else NOT_WEIGHED
    trace = tasks.simulate(compilation, reporter) if simulate else None
    opinions = tasks.step_opinions(compilation, trace) if trace is not None else ()
    reporter.progress(None, "report")
    found = insights(compilation, opinions, weighed)
    return FORMS[form](report_of(Subject(compilation, found, weighed, trace, compared)))
