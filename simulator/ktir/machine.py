"""The machine that runs KTIR modules: cores, their scratchpads, device memory, and who waits for whom.

Owns a run from arrays to arrays.  Refuses programs for more cores than the device has, and those in which a core waits
for ever.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from compiler.counts import counted
from compiler.device import Device
from compiler.errors import InputError
from compiler.formats.ktir_ir import Function, KtirModule
from simulator.ktir.core import Core, Run, Waiting
from simulator.ktir.memory import Array, Clock, HazardError, Scratchpad, Shared
from simulator.ktir.operations import FOLDS

Call = tuple[str, tuple[str, ...]]
"""A function, and which buffer each of its parameters is."""


@dataclass(frozen=True, slots=True)
class DeviceMemory:
    """A flat array of elements for every buffer; those in `filled` may be read before the program writes them."""

    arrays: Mapping[str, Array]
    filled: frozenset[str]


def run(module: KtirModule, calls: Iterable[Call], memory: DeviceMemory, device: Device) -> dict[str, Array]:
    """What is in device memory after these functions have run in this order, each on the cores of its grid.

    `memory` is left as it was.  Every core of a function starts with an empty scratchpad of the device's `lx_bytes`;
    the tensors that are alive on a core may not take more than that either.  Raises InputError for calls that do not
    fit the module, the memory or the device, and HazardError for a program that reads what nobody wrote, leaves a
    view or a memory, races with another core, or reads LX otherwise than it was written.
    """
    functions = {function.name: function for function in module.functions}
    arrays = {name: np.array(array).reshape(-1) for name, array in memory.arrays.items()}
    filled = set(memory.filled)
    for name, buffers in calls:
        function = functions.get(name)
        if function is None:
            raise InputError(f"function {name}", "the module has none of this name", "call a function that it has")
        _check(function, buffers, arrays, device)
        _run_function(function, buffers, arrays, filled, device.count("lx_bytes"))
        filled.update(buffers)
    return arrays


def _check(function: Function, buffers: tuple[str, ...], arrays: Mapping[str, Array], device: Device) -> None:
    what = f"function {function.name}"
    if len(buffers) != len(function.parameters):
        why = f"it has {counted(len(function.parameters), 'parameter')}, {len(buffers)} are given"
        raise InputError(what, why, "give a buffer for every parameter")
    missing = [name for name in buffers if name not in arrays]
    if missing:
        raise InputError(what, f"there is no array for {missing[0]}", "give an array for every buffer")
    cores = math.prod(function.grid)
    if cores > device.cores:
        why = f"its grid has {counted(cores, 'core')}, {device.title} has {device.cores}"
        raise InputError(what, why, "compile for fewer cores")


def _run_function(
    function: Function, buffers: tuple[str, ...], arrays: dict[str, Array], filled: set[str], lx_bytes: int
) -> None:
    cores = math.prod(function.grid)
    clock = Clock(cores)
    memories = {name: Shared(name, arrays[name], clock, written=name in filled) for name in dict.fromkeys(buffers)}
    arguments = {parameter: memories[buffer] for parameter, buffer in zip(function.parameters, buffers, strict=True)}
    pads = [Scratchpad(core, lx_bytes, clock) for core in range(cores)]
    runs = {core: Core(core, function, arguments, pads).run() for core in range(cores)}
    _run_all(runs, clock)


def _run_all(runs: dict[int, Run], clock: Clock) -> None:
    """Let cores run until they wait; a group goes on when all of it has come."""
    waiting: dict[int, Waiting] = {}
    answers: dict[int, Array] = {}
    active = dict(runs)
    while active:
        for core, one in list(active.items()):
            if core in waiting:
                continue
            try:
                waiting[core] = one.send(answers.pop(core)) if core in answers else next(one)
            except StopIteration:
                del active[core]
        if active and not _meet(waiting, answers, clock):
            first = waiting[min(waiting)]
            raise HazardError(
                f"{first.where}: core {min(waiting)}", "waits for cores that never come", "let all of a group reduce"
            )


def _meet(waiting: dict[int, Waiting], answers: dict[int, Array], clock: Clock) -> bool:
    """Reduce for every group that is complete; True if there is one."""
    found = False
    for group in dict.fromkeys(one.group for one in waiting.values()):
        first = waiting.get(group[0])
        if first is None or any(core not in waiting or not first.meets(waiting[core]) for core in group):
            continue
        total = first.neutral
        for core in group:
            total = FOLDS[first.word](total, waiting[core].value)
        for core in group:
            answers[core] = total
            del waiting[core]
        clock.phase += len(group) == clock.cores
        found = True
    return found
