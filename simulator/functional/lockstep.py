"""Lockstep: checks every step of a running program against what its operands imply.

Owns host copies of what the device really holds (read back from its bytes).  A step is judged by the reference on those
copies, so a wrong step is named itself, not the steps that suffer from it; bytes that change between their write and
their read show at the reader.  Only what the step itself rounds can then tell the two apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache, partial

from torch import Tensor

from compiler.dtypes import DType
from compiler.loops import BufferKind, LoopOp, OpKind
from compiler.program import DeviceOp, Program
from simulator.functional.compare import compare
from simulator.functional.deviation import Exact, Moves, deviation
from simulator.functional.execute import Execution
from simulator.functional.heat import error_map, places_of_step
from simulator.functional.lifetimes import lifetimes
from simulator.functional.reference import HostBuffers, Result
from simulator.functional.tolerance import rounding
from simulator.report import Agreement, StepReport


class Lockstep:
    """Follows one execution; `check` after every step."""

    def __init__(self, program: Program, inputs: Mapping[str, Tensor]) -> None:
        self._program = program
        self._tensors = program.tensor_map
        self._diverged = False
        self._written = {tensor.name for tensor in program.tensors if tensor.kind is not BufferKind.COMPUTED}
        self._buffers = HostBuffers(program.tensors)
        self._dying = lifetimes(program).dying
        self._place = 0
        for tensor in program.tensors:
            if tensor.kind is not BufferKind.COMPUTED:
                self._buffers.set(tensor.name, inputs[tensor.name])

    def check(self, step: DeviceOp, execution: Execution) -> tuple[StepReport, ...]:
        """One report per write of the step that has just run, with a map of errors for the first wrong one."""
        op = step.op
        expected = self._buffers.result(op)
        found = self._found(step, execution, expected)
        unwritten = next((read.buffer for read in op.reads if read.buffer not in self._written), "")
        reports = []
        for number, (access, got, want) in enumerate(zip(op.writes, found.values, expected.values, strict=True)):
            moves = cache(partial(_rounded, op, expected, want, self._tensors[access.buffer].dtype))
            comparison = compare(got, want, moves)
            if unwritten:  # poison is equal to poison
                comparison = replace(comparison, agreement=Agreement.CORRUPTED)
            errors = None
            if comparison.agreement is Agreement.CORRUPTED and comparison.differing and not self._diverged:
                self._diverged = True
                errors = error_map(got, want, moves(), places_of_step(self._program, step, number))
            reports.append(StepReport(step.name, access.buffer, op.origin.source, comparison, errors, unwritten))
            self._written.add(access.buffer)
        self._buffers.write(op, found)
        for tensor in self._dying[self._place]:
            self._buffers.drop(tensor.name)
        self._place += 1
        return tuple(reports)

    def _found(self, step: DeviceOp, execution: Execution, expected: Result) -> Result:
        if step.op.kind is OpKind.OPAQUE:
            return Result(tuple(execution.tensor(access.buffer, step.name) for access in step.op.writes))
        return Result((execution.written(step, expected.gathered),), expected.gathered)


def _rounded(op: LoopOp, expected: Result, want: Tensor, dtype: DType) -> Moves:
    """The deviation of what one step writes, its operands taken as they are."""
    if op.kind is OpKind.OPAQUE:
        return rounding(want, dtype)
    return deviation(op, expected.body, want, dtype, Exact())
