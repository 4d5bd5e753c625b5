"""Verify: runs a program on the simulated device and compares its outputs with those of eager PyTorch.

Owns the verdict.  Eager PyTorch judges the outputs; every step is also checked on its own, so that the first wrong
one is named. Refuses to compute the eager outputs: they are given.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import cache, partial

from torch import Tensor

from compiler.errors import InputError, StoppedError
from compiler.loops import OutputView
from compiler.program import DeviceOp, Program
from simulator.errors import DeviceError
from simulator.functional.compare import compare
from simulator.functional.contraction import ACCUMULATION
from simulator.functional.deviation import Moves
from simulator.functional.execute import Execution, Progress
from simulator.functional.heat import error_map, places_of_output
from simulator.functional.lockstep import Lockstep
from simulator.functional.room import check_room, free_bytes
from simulator.functional.threads import one_thread
from simulator.functional.uncertainty import Uncertainty
from simulator.report import OutputReport, StepReport, VerifyReport
from simulator.traffic import StepTraffic


def verify(
    program: Program,
    inputs: Mapping[str, Tensor],
    outputs: Mapping[str, Tensor],
    *,
    poison: bool = True,
    lx_bytes: int | None = None,
    progress: Progress | None = None,
    stopped: Callable[[], bool] | None = None,
) -> VerifyReport:
    """The verdict on a program, given host tensors for all inputs (by buffer name) and the eager outputs (by name).

    `lx_bytes` is the size of every core's LX (default: what the program says it uses).  Raises InputError for inputs
    or outputs that do not fit the program, StoppedError once `stopped` says so; a program that breaks the device is a
    finding.
    """
    _check_names(program, outputs)
    check_room(program, free_bytes())
    started = time.monotonic()
    reports: list[StepReport] = []
    found: tuple[OutputReport, ...] = ()
    fault = ""
    traffic: tuple[StepTraffic, ...] = ()
    try:
        with one_thread():
            execution = Execution(program, inputs, poison=poison, lx_bytes=lx_bytes)
            lockstep = Lockstep(program, inputs)
            try:
                _run(execution, lockstep, reports, progress, stopped)
            finally:
                traffic = execution.traffic
            results = {view.name: execution.output(view) for view in program.outputs}
            del execution, lockstep  # their memory may be needed for what comes next
            found = _judged(program, inputs, results, outputs, stopped)
    except DeviceError as error:
        fault = error.sentence
    return VerifyReport(
        model=program.model,
        device=program.device,
        cores=program.cores,
        poison=poison,
        outputs=found,
        steps=tuple(reports),
        fault=fault,
        seconds=time.monotonic() - started,
        traffic=traffic,
        accumulation=ACCUMULATION,
    )


def _check_names(program: Program, outputs: Mapping[str, Tensor]) -> None:
    missing = [view.name for view in program.outputs if view.name not in outputs]
    if missing:
        raise InputError(f"output {missing[0]}", "PyTorch returns nothing under this name", "compile the model again")


def _run(
    execution: Execution,
    lockstep: Lockstep,
    reports: list[StepReport],
    progress: Progress | None,
    stopped: Callable[[], bool] | None,
) -> None:
    def observe(op: DeviceOp) -> None:
        reports.extend(lockstep.check(op, execution))

    for place, op in enumerate(execution.steps):
        if stopped and stopped():
            raise StoppedError
        if progress:
            progress(place / len(execution.steps), op.name)
        execution.run(observe)


def _judged(
    program: Program,
    inputs: Mapping[str, Tensor],
    results: Mapping[str, Tensor],
    outputs: Mapping[str, Tensor],
    stopped: Callable[[], bool] | None,
) -> tuple[OutputReport, ...]:
    """Every output compared with PyTorch's; how far rounding may move it is found out once, and only if one differs."""

    @cache
    def uncertainty() -> Uncertainty:
        return Uncertainty(program, inputs, stopped)

    reports = []
    for view in program.outputs:
        want = outputs[view.name]
        if tuple(want.shape) != view.shape:
            why = f"PyTorch returns shape {tuple(want.shape)}, the program {view.shape}"
            raise InputError(f"output {view.name}", why, "compile the model for these inputs")
        dtype = program.tensor_map[view.buffer].dtype
        moves = cache(partial(_of, uncertainty, view))
        comparison = compare(results[view.name], want, moves)
        errors = None
        if comparison.differing:
            errors = error_map(results[view.name], want, moves(), places_of_output(program, view))
        reports.append(OutputReport(view.name, view.buffer, dtype, view.shape, comparison, errors))
    return tuple(reports)


def _of(uncertainty: Callable[[], Uncertainty], view: OutputView) -> Moves:
    return uncertainty().of(view)
