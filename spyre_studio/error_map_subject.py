"""The results whose errors can be mapped: every output and step of a verification, and which step wrote it where.

Owns: finding the writer of a result and the shape of its elements.  Refuses: comparing, and Qt.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from frozendict import frozendict

from compiler.program import DeviceOp, Program
from simulator.error_map import ErrorMap
from simulator.report import Agreement, Comparison, OutputReport, StepReport, VerifyReport


@dataclass(frozen=True, slots=True)
class Subject:
    """One compared result.  `key` names it in the report ('output:NAME' or 'step:NAME:BUFFER'), `step` the step that
    wrote it, '' if several did or none; `shape` has an extent per dim of the map's rows and columns, the last dim being
    the columns."""

    key: str
    title: str
    step: str
    buffer: str
    shape: tuple[int, ...]
    comparison: Comparison
    errors: ErrorMap | None

    @property
    def is_output(self) -> bool:
        """True for an output of the model."""
        return self.key.startswith("output:")


def subjects(report: VerifyReport, program: Program) -> tuple[Subject, ...]:
    """Outputs first, then the steps in order."""
    steps = steps_of(program)
    outputs = [_of_output(each, steps) for each in report.outputs]
    return (*outputs, *(_of_step(each, steps, program) for each in report.steps))


def steps_of(program: Program) -> Mapping[str, DeviceOp]:
    """The steps of all kernels by name."""
    return frozendict((step.name, step) for kernel in program.kernels for step in kernel.ops)


def mapped(found: tuple[Subject, ...]) -> tuple[Subject, ...]:
    """Those with a map: what to look at first comes first, a wrong step before wrong outputs, those before the rest."""
    chosen = [subject for subject in found if subject.errors is not None]
    return tuple(sorted(chosen, key=_urgency))


def writers_of(steps: Mapping[str, DeviceOp], buffer: str) -> tuple[str, ...]:
    """The steps that write a buffer, in order."""
    return tuple(name for name, step in steps.items() if any(write.buffer == buffer for write in step.op.writes))


def _urgency(subject: Subject) -> tuple[bool, bool]:
    return subject.comparison.agreement is not Agreement.CORRUPTED, subject.is_output


def _of_output(report: OutputReport, steps: Mapping[str, DeviceOp]) -> Subject:
    writers = writers_of(steps, report.buffer)
    step = writers[0] if len(writers) == 1 else ""
    key = f"output:{report.name}"
    return Subject(key, report.name, step, report.buffer, report.shape, report.comparison, report.errors)


def _of_step(report: StepReport, steps: Mapping[str, DeviceOp], program: Program) -> Subject:
    shape = next(_shapes(steps.get(report.step), program, report))
    key = f"step:{report.step}:{report.buffer}"
    return Subject(key, report.step, report.step, report.buffer, shape, report.comparison, report.errors)


def _shapes(step: DeviceOp | None, program: Program, report: StepReport) -> Iterator[tuple[int, ...]]:
    """Candidates, best first: the output loops of the step, the tensor of an opaque one, the map itself, nothing."""
    if step is not None and step.op.body:
        yield tuple(loop.extent for loop in step.op.output_loops)
    tensor = program.tensor_map.get(report.buffer)
    if tensor is not None:
        yield tensor.shape
    if report.errors is not None:
        yield report.errors.rows, report.errors.columns
    yield (report.comparison.elements,)
