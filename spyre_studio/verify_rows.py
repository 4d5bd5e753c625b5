"""Verification in rows and words: each output and each step with how far its numbers are from what they should be.

Owns: the order and the words. Refuses: comparing numbers; the report holds what was found, and Qt.
"""

from __future__ import annotations

from dataclasses import dataclass

from simulator.error_map import HOST
from simulator.report import Agreement, Comparison, StepReport, VerifyReport
from spyre_studio.error_map_grid import group_text, place_text
from spyre_studio.theme import Tone
from spyre_studio.units import format_count

_TONES: dict[Agreement, Tone] = {Agreement.EQUAL: "ok", Agreement.ROUNDING: "ok", Agreement.CORRUPTED: "bad"}


@dataclass(frozen=True, slots=True)
class NumberRow:
    """`key` is that of the subject; `step` is '' for an output of the model; `together` and `allowed` are deviations of
    all elements in the root mean square; `first` tells the first element that differs, or the operand that no step has
    written."""

    key: str
    name: str
    step: str
    buffer: str
    what: str
    verdict: str
    tone: Tone
    cosine: float
    max_abs: float
    max_relative: float
    rms: float
    together: float
    allowed: float
    beyond: int
    differing: int
    elements: int
    first: str


@dataclass(frozen=True, slots=True)
class Divergence:
    """Where a run first went wrong: the step and buffer ('' if unknown), its source line, the worst core (-1: none
    known) and stick ('' if unknown), and how wrong they are."""

    title: str
    step: str
    buffer: str
    source: str
    core: int
    stick: str
    figures: tuple[str, ...]


def number_rows(report: VerifyReport) -> tuple[NumberRow, ...]:
    """Outputs first, then the steps in order."""
    outputs = [_row(f"output:{one.name}", one.name, "", one.buffer, "output", one.comparison) for one in report.outputs]
    steps = [
        _row(f"step:{one.step}:{one.buffer}", one.step, one.step, one.buffer, "step", one.comparison, one.unwritten)
        for one in report.steps
    ]
    return (*outputs, *steps)


def headline(report: VerifyReport) -> tuple[str, Tone, str]:
    """What was found in a phrase, its tone, and a sentence with figures."""
    how = run_words(report)
    if report.fault:
        return "The device stopped", "bad", f"{report.fault} {how}"
    wrong = report.first_divergence
    if wrong is not None:
        source = f" ({wrong.source})" if wrong.source else ""
        where = f"The first step that does not do what its operands imply is {wrong.step}{source}."
        return "The numbers are wrong", "bad", f"{where} {how}"
    if not report.ok:
        return "The numbers are wrong", "bad", f"Every step does what its operands imply, all together do not. {how}"
    equal = report.agreement is Agreement.EQUAL
    return ("Equal to PyTorch" if equal else "Agrees with PyTorch within rounding"), "ok", how


def run_words(report: VerifyReport) -> str:
    """How it was run.  Example: '1 output and 5 steps compared on 32 cores, poison on, 0.2 s.'"""
    count = format_count(len(report.outputs), "output")
    poison = "on" if report.poison else "off"
    where = f"on {format_count(report.cores, 'core')}, poison {poison}, {report.seconds:.1f} s"
    return f"{count} and {format_count(len(report.steps), 'step')} compared {where}."


def how_words(report: VerifyReport) -> tuple[str, ...]:
    """Where the numbers came from, and how sums are kept, one sentence each; none for what is not known."""
    inputs = report.inputs[:1].upper() + report.inputs[1:]
    sums = f"Sums: {report.accumulation}" if report.accumulation else ""
    return tuple(f"{words}." for words in (inputs, sums) if words)


def divergence(report: VerifyReport) -> Divergence | None:
    """The first step that is wrong, None if there is none."""
    wrong = report.first_divergence
    return _divergence(wrong) if wrong is not None else None


def _divergence(wrong: StepReport) -> Divergence:
    errors = wrong.errors
    core = errors.worst_core if errors is not None else None
    stick = errors.worst_stick if errors is not None else None
    told = unwritten_words(wrong.unwritten) or first_words(wrong.comparison)
    figures = [f"{told[:1].upper()}{told[1:]}."] if told else []
    if core is not None:
        who = f"core {core.core}" if core.core != HOST else "what no core wrote"
        figures.append(f"Worst: {who} · {group_text(core)}.")
    if stick is not None and errors is not None:
        more = format_count(errors.sticks_differing, "stick differs", "sticks differ")
        figures.append(f"Stick {place_text(stick.stick)} · {group_text(stick)}; {more}.")
    return Divergence(
        "First divergence",
        wrong.step,
        wrong.buffer,
        wrong.source,
        core.core if core is not None else HOST,
        place_text(stick.stick) if stick is not None else "",
        tuple(figures),
    )


def first_words(found: Comparison) -> str:
    """The first element that differs.  Example: '[0,3] is nan, not 0.1233'; '' if none does."""
    return "" if found.first is None else f"{place_text(found.first)} is {found.got}, not {found.want}"


def unwritten_words(operand: str) -> str:
    """What is told of a step that reads what nobody wrote: its elements differ from nothing that is known."""
    return f"reads {operand}, which no step has written" if operand else ""


def _row(key: str, name: str, step: str, buffer: str, what: str, found: Comparison, unwritten: str = "") -> NumberRow:
    return NumberRow(
        key=key,
        name=name,
        step=step,
        buffer=buffer,
        what=what,
        verdict="unrelated" if found.unrelated else str(found.agreement),
        tone=_TONES[found.agreement],
        cosine=found.cosine,
        max_abs=found.max_abs,
        max_relative=found.max_relative,
        rms=found.rms,
        together=found.tolerance.together,
        allowed=found.tolerance.most_together,
        beyond=found.beyond,
        differing=found.differing,
        elements=found.elements,
        first=unwritten_words(unwritten) or first_words(found),
    )
