"""Lockstep: checks every step of a running program against what its operands imply.

Owns host copies of what the device really holds (read back from its bytes) and the noise and size of every buffer.  A
step is judged by the reference on those copies, so a wrong step is named itself, not the steps that suffer from it;
bytes that change between their write and their read show at the reader.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from compiler.dtypes import DType
from compiler.loops import BufferKind, LoopOp, OpKind, OutputView
from compiler.program import DeviceOp, Program
from simulator.functional.compare import compare, peak
from simulator.functional.execute import Execution
from simulator.functional.lifetimes import lifetimes
from simulator.functional.reference import HostBuffers, Result
from simulator.functional.tolerance import Noise, adds, noise_of, sums
from simulator.report import StepReport

QUIET = Noise()


class Lockstep:
    """Follows one execution; `check` after every step."""

    def __init__(self, program: Program, inputs: Mapping[str, Tensor]) -> None:
        self._tensors = program.tensor_map
        self._buffers = HostBuffers(program.tensors)
        self._noise: dict[str, Noise] = {}
        self._added: dict[str, float] = {}
        self._peaks: dict[str, float] = {}
        self._dying = lifetimes(program).dying
        self._place = 0
        for tensor in program.tensors:
            if tensor.kind is not BufferKind.COMPUTED:
                self._buffers.set(tensor.name, inputs[tensor.name])

    def check(self, step: DeviceOp, execution: Execution) -> tuple[StepReport, ...]:
        """One report per write of the step that has just run."""
        op = step.op
        expected = self._buffers.result(op)
        found = self._found(step, execution, expected)
        added = self._operands(op)
        reports = []
        for access, got, want in zip(op.writes, found.values, expected.values, strict=True):
            dtype = self._tensors[access.buffer].dtype
            reads = [self._noise.get(read.buffer, QUIET) for read in op.reads]
            comparison = compare(got, want, dtype, noise_of(op, (), dtype), added)
            reports.append(StepReport(step.name, access.buffer, op.origin.source, comparison))
            self._remember(access.buffer, noise_of(op, reads, dtype), added)
        self._buffers.write(op, found)
        for tensor in self._dying[self._place]:
            self._buffers.drop(tensor.name)
        self._place += 1
        return tuple(reports)

    def expectation(self, view: OutputView) -> tuple[Noise, float, DType]:
        """Noise of an output, the size of what it was added up from, and its type."""
        name = view.buffer
        return self._noise.get(name, QUIET), self._added.get(name, 0.0), self._tensors[name].dtype

    def _found(self, step: DeviceOp, execution: Execution, expected: Result) -> Result:
        if step.op.kind is OpKind.OPAQUE:
            return Result(tuple(execution.tensor(access.buffer, step.name) for access in step.op.writes))
        return Result((execution.written(step, expected.gathered),), expected.gathered)

    def _remember(self, name: str, noise: Noise, added: float) -> None:
        """A buffer filled by several steps is as noisy as the worst of them."""
        before = self._noise.get(name, QUIET)
        self._noise[name] = Noise(max(before.own, noise.own), max(before.spread, noise.spread))
        self._added[name] = max(self._added.get(name, 0.0), added)
        self._peaks.pop(name, None)

    def _operands(self, op: LoopOp) -> float:
        """The size of what an op adds up; 0 where it adds nothing."""
        if not adds(op):
            return 0.0
        peaks = [self._peak(read.buffer) for read in op.reads]
        if op.kind in (OpKind.MATMUL, OpKind.CONV):
            return peaks[0] * peaks[-1]
        return max(peaks, default=0.0) if sums(op) or len(peaks) > 1 else 0.0

    def _peak(self, name: str) -> float:
        if name not in self._peaks:
            value = self._buffers.view(name)
            finite = torch.nan_to_num(value.to(torch.float32), 0.0, 0.0, 0.0) if value.dtype.is_floating_point else None
            self._peaks[name] = 0.0 if finite is None else peak(finite.abs())
        return self._peaks[name]
