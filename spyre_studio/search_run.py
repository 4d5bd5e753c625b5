"""Search run: what a search has found so far, as window and terminal show it while it goes on.

Owns the best so far, the history, kept short, and the words for it.  Refuses Qt.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from compiler.watch import Finding
from spyre_studio.units import format_percent, format_us

MOST = 256
"""Findings that are kept: as many as a curve of a few hundred pixels can show."""


class BestSoFar:
    """Passes findings on as the best that is known by then: a search that begins anew somewhere, with a worse plan or
    without a bound, takes nothing back."""

    def __init__(self, tell: Callable[[Finding], None]) -> None:
        self._tell = tell
        self._known: Finding | None = None

    def __call__(self, finding: Finding) -> None:
        """Take what a search tells; another solver begins from nothing."""
        known = self._known
        if known is not None and known.solver == finding.solver:
            objective, bound = min(known.objective_us, finding.objective_us), max(known.bound_us, finding.bound_us)
            finding = replace(finding, objective_us=objective, bound_us=bound)
        self._known = finding
        self._tell(finding)


@dataclass(frozen=True, slots=True)
class SearchRun:
    """Findings, oldest first, at least one.  `ending`: somebody asked for the best so far."""

    findings: tuple[Finding, ...]
    ending: bool = False

    @property
    def last(self) -> Finding:
        """What is known now."""
        return self.findings[-1]

    @property
    def words(self) -> str:
        """Objective, bound and gap of now."""
        return finding_words(self.last)


def heard(run: SearchRun | None, finding: Finding) -> SearchRun:
    """The run with one finding more.  Of a long history every second one goes, the first and the last stay."""
    known = run.findings if run is not None else ()
    if len(known) >= MOST:
        known = (*known[:-1:2], known[-1])
    return SearchRun((*known, finding), run is not None and run.ending)


def time_words(finding: Finding) -> str:
    """How long a search has taken, of how long it may take.

    >>> time_words(Finding("cp-sat", 234.3, 232.0, 1.5, 10.0)), time_words(Finding("cp-sat", 234.3, 232.0, 1.5))
    ('1.5 s of 10 s', '1.5 s')
    """
    return f"{finding.seconds:.1f} s" + (f" of {finding.allowed:g} s" if finding.allowed else "")


def finding_words(finding: Finding) -> str:
    """Figures of a search that goes on.

    >>> finding_words(Finding("cp-sat", 234.3, 232.0, 1.5))
    'objective 234.3 µs · bound 232.0 µs · gap 1.0 %'
    >>> finding_words(Finding("beam", 234.3, -1.0, 0.2))
    'objective 234.3 µs · no bound yet'
    """
    objective = f"objective {format_us(finding.objective_us)}"
    if finding.bound_us < 0:
        return f"{objective} · no bound yet"
    gap = max(finding.gap, 0.0)  # a bound is rounded up to what can be proved
    return f"{objective} · bound {format_us(finding.bound_us)} · gap {format_percent(gap)}"
