"""Verification in rows: each output and each step with how far its numbers are from what they should be.

Owns: the order and the words. Refuses: comparing numbers; the report holds what was found, and Qt.
"""

from __future__ import annotations

from dataclasses import dataclass

from simulator.report import Agreement, Comparison, VerifyReport
from spyre_studio.theme import Tone
from spyre_studio.units import format_count

_TONES: dict[Agreement, Tone] = {Agreement.EQUAL: "ok", Agreement.ROUNDING: "ok", Agreement.CORRUPTED: "bad"}


@dataclass(frozen=True, slots=True)
class NumberRow:
    """`step` is '' for an output of the model; `first` tells the first element that differs."""

    name: str
    step: str
    buffer: str
    what: str
    verdict: str
    tone: Tone
    max_abs: float
    max_relative: float
    rms: float
    beyond: int
    elements: int
    first: str


def number_rows(report: VerifyReport) -> tuple[NumberRow, ...]:
    """Outputs first, then the steps in order."""
    outputs = [_row(one.name, "", one.buffer, "output", one.comparison) for one in report.outputs]
    steps = [_row(one.step, one.step, one.buffer, "step", one.comparison) for one in report.steps]
    return (*outputs, *steps)


def headline(report: VerifyReport) -> tuple[str, Tone, str]:
    """What was found in a phrase, its tone, and a sentence with figures."""
    count = format_count(len(report.outputs), "output")
    poison = "with" if report.poison else "without"
    how = f"{count} and {format_count(len(report.steps), 'step')} compared, {poison} poison, {report.seconds:.1f} s."
    if report.fault:
        return "The device stopped", "bad", f"{report.fault} {how}"
    wrong = report.first_divergence
    if wrong is not None:
        source = f" ({wrong.source})" if wrong.source else ""
        where = f"The first step that does not do what its operands imply is {wrong.step}{source}."
        return "The numbers are wrong", "bad", f"{where} {how}"
    if not report.ok:
        return "The numbers are wrong", "bad", how
    equal = report.agreement is Agreement.EQUAL
    return ("Equal to PyTorch" if equal else "Agrees with PyTorch within rounding"), "ok", how


def _row(name: str, step: str, buffer: str, what: str, found: Comparison) -> NumberRow:
    verdict = "unrelated" if found.unrelated else str(found.agreement)
    first = ""
    if found.first is not None:
        first = f"[{','.join(map(str, found.first))}] is {found.got}, not {found.want}"
    tone = _TONES[found.agreement]
    figures = (found.max_abs, found.max_relative, found.rms, found.beyond, found.elements)
    return NumberRow(name, step, buffer, what, verdict, tone, *figures, first)
