"""Verify report: how far a simulated result is from what PyTorch computes, and where it first goes wrong.

Owns the verdict values and their words.  Refuses to compute: `simulator.functional` does, with torch; everything here
can be read without it.

The rule.  Rounding moves every element of a result by some amount, its deviation: half a step of each rounding that
leads to it, carried through the ops in between and added up in squares (`simulator.functional.uncertainty`).  Two
results agree if no element is off by more than 6 deviations, and all of them together by no more than 2, or up to 6
where there are few: noise has no preferred sign, so that a result may be within the rule at every element and still be
wrong as a whole, by one per cent everywhere.  A step is judged in the same way by what it rounds itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from compiler.counts import counted, verb
from compiler.dtypes import DType
from simulator.error_map import ErrorMap, worst
from simulator.traffic import StepTraffic, summary


class Agreement(StrEnum):
    """How two results compare, best first."""

    EQUAL = "equal"
    ROUNDING = "rounding"
    CORRUPTED = "corrupted"


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far off rounding explains: the element `Comparison.first` by `element`, all that are rounded by
    `most_together` deviations in the root mean square, of which they are off by `together`."""

    element: float
    together: float
    most_together: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two tensors of equal shape.  Figures speak of elements that are finite in both.

    `differing` elements are not equal, `beyond` of them are beyond the tolerance (NaN and infinity have none);
    `first` is the index of the first one beyond it, or else of the first that differs, with both values as text.
    `unrelated` results share no direction at all: not rounding, another computation.
    """

    agreement: Agreement
    elements: int
    differing: int
    beyond: int
    max_abs: float
    max_relative: float
    rms: float
    cosine: float
    unrelated: bool
    tolerance: Tolerance
    first: tuple[int, ...] | None = None
    got: str = ""
    want: str = ""


@dataclass(frozen=True, slots=True)
class OutputReport:
    """One output of the model, compared with PyTorch run on the same numbers; `errors` where the two are not equal."""

    name: str
    buffer: str
    dtype: DType
    shape: tuple[int, ...]
    comparison: Comparison
    errors: ErrorMap | None = None


@dataclass(frozen=True, slots=True)
class StepReport:
    """One write of one step, compared with what the numbers it should have read imply; `errors` of the first that is
    corrupted.  `unwritten` is an operand that no step has written before, '' if there is none: whatever the step makes
    of it is corrupted."""

    step: str
    buffer: str
    source: str
    comparison: Comparison
    errors: ErrorMap | None = None
    unwritten: str = ""


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """One verification.  `fault` is the sentence of what stopped the device, '' if it ran to the end; `inputs` says
    where the numbers came from, '' if nobody knows; `traffic` is what the steps moved, as far as the device came, and
    `accumulation` says how it keeps sums."""

    model: str
    device: str
    cores: int
    poison: bool
    outputs: tuple[OutputReport, ...]
    steps: tuple[StepReport, ...]
    fault: str
    seconds: float
    inputs: str = ""
    traffic: tuple[StepTraffic, ...] = ()
    accumulation: str = ""

    @property
    def agreement(self) -> Agreement:
        """The worst of all outputs and steps; a device that stopped gives corrupted results."""
        if self.fault or self.first_divergence:
            return Agreement.CORRUPTED
        order = list(Agreement)
        return max((report.comparison.agreement for report in self.outputs), key=order.index, default=Agreement.EQUAL)

    @property
    def ok(self) -> bool:
        """True if nothing but rounding tells the results apart."""
        return self.agreement is not Agreement.CORRUPTED

    @property
    def first_divergence(self) -> StepReport | None:
        """The first step that did not do what its operands imply."""
        return next((step for step in self.steps if step.comparison.agreement is Agreement.CORRUPTED), None)


def describe(report: VerifyReport) -> tuple[str, ...]:
    """The report as lines for a person."""
    lines = []
    for output in report.outputs:
        lines.append(_of_output(output))
        if output.errors and output.comparison.agreement is Agreement.CORRUPTED:
            lines.append(f"  {worst(output.errors)}")
    wrong = report.first_divergence
    if wrong:
        where = f" ({wrong.source})" if wrong.source else ""
        lines.append(f"first divergence: step {wrong.step}{where} writes {wrong.buffer}: {_fault(wrong)}")
        if wrong.errors:
            lines.append(f"  {worst(wrong.errors)}")
    if report.fault:
        lines.append(report.fault)
    if report.traffic:
        lines.append(summary(report.traffic))
    if report.accumulation:
        lines.append(f"sums: {report.accumulation}")
    poison = "on" if report.poison else "off"
    where = f"{report.model} on {counted(report.cores, 'core')}, poison {poison}"
    where += f", {report.inputs}" if report.inputs else ""
    lines.append(f"{where}: {report.agreement} ({report.seconds:.1f} s)")
    return tuple(lines)


def _of_output(output: OutputReport) -> str:
    shape = ",".join(map(str, output.shape))
    verdict = "unrelated" if output.comparison.unrelated else output.comparison.agreement
    return f"{output.name} {output.dtype}[{shape}]: {verdict}, {_figures(output.comparison)}"


def _fault(step: StepReport) -> str:
    if step.unwritten:
        return f"it reads {step.unwritten}, which no step has written"
    return _figures(step.comparison)


def _figures(found: Comparison) -> str:
    if found.first is None:
        return "the one element is equal" if found.elements == 1 else f"all {found.elements:,} elements equal"
    place = ",".join(map(str, found.first))
    if found.agreement is Agreement.ROUNDING:  # relative to elements near zero an error of rounding may be any number
        differing = f"{found.differing:,} of {counted(found.elements, 'element')} {verb(found.differing, 'differ')}"
        return f"{differing}, by {found.max_abs:.3g} at most"
    text = f"max |d| {found.max_abs:.3g}, relative {found.max_relative:.3g}, cosine {found.cosine:.6f}"
    allowed, which = found.tolerance, f"[{place}] is {found.got}, not {found.want}"
    if found.beyond:
        least = f"where rounding explains {allowed.element:.3g}" if allowed.element else "where nothing is rounded"
        return f"{text}; {found.beyond:,} of {found.elements:,} beyond rounding; {which}, {least}"
    together = f"{allowed.together:.3g} deviations where rounding explains {allowed.most_together:.3g}"
    return f"{text}; no element is beyond rounding by itself, but all together are off by {together}; {which}"
