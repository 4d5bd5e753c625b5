"""The machine that runs KTIR: one generator per core, which waits at reductions between cores.

Owns values of each core, views, tiles, loops, and who waits for whom.  Refuses programs in which a core waits for ever,
and tiles that do not fit what they are cut from.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import cast

import numpy as np
from numpy.typing import NDArray

from compiler.errors import InputError
from compiler.formats.ktir_ir import AffineSet, Function, Future, MemorySpace, Operation, Region, Shaped
from simulator.ktir.memory import HazardError, Scratchpad, Shared, Spot
from simulator.ktir.operations import FOLDS, TYPES, Value, evaluate, known

Array = NDArray[np.generic]


@dataclass(frozen=True, slots=True)
class Pointer:
    """An element of an argument."""

    name: str
    offset: int = 0


@dataclass(frozen=True, slots=True)
class View:
    """Elements of a memory as an array: from `base`, with sizes and strides, the first of them at `origin`."""

    base: Pointer | int
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    origin: tuple[int, ...]
    space: MemorySpace
    element: str


@dataclass(frozen=True, slots=True)
class Joined:
    """Several views that are parts of one array."""

    parts: tuple[View, ...]
    sizes: tuple[int, ...]
    element: str


@dataclass(frozen=True, slots=True)
class Access:
    """A box of a view."""

    view: View | Joined
    start: tuple[int, ...]
    sizes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Sent:
    """A core's own part of what its group reduces."""

    group: tuple[int, ...]
    value: Array


@dataclass(frozen=True, slots=True)
class Waiting:
    """A core stands at a reduction of a group, with its part."""

    group: tuple[int, ...]
    value: Array
    word: str
    neutral: Array


Values = dict[str, object]
Run = Generator[Waiting, Array, list[object]]


@dataclass(slots=True)
class Machine:
    """Cores, scratchpads and shared arrays of one run; `phase` counts barriers of all cores."""

    cores: int
    shared: dict[str, Shared]
    scratchpads: list[Scratchpad]
    phase: int = 0
    grid: tuple[int, ...] = field(default=(1,))


def run_function(function: Function, arrays: Mapping[str, Array], lx_bytes: int, filled: frozenset[str]) -> None:
    """Run a function on flat arrays, one for each parameter, which are changed in place.

    `filled` are the parameters whose elements may be read before the function writes them.
    """
    missing = [name for name in function.parameters if name not in arrays]
    if missing:
        raise InputError(f"function {function.name}", f"it needs {missing[0]}", "give an array for every parameter")
    cores = math.prod(function.grid)
    shared = {name: Shared(name, arrays[name], cores, name in filled) for name in function.parameters}
    pads = [Scratchpad(core, lx_bytes, cores) for core in range(cores)]
    machine = Machine(cores, shared, pads, grid=function.grid)
    runs = {core: _Core(machine, core).function(function) for core in range(cores)}
    _run(machine, runs)


def _run(machine: Machine, runs: dict[int, Run]) -> None:
    """Let cores run until they wait; a group goes on when all of it has come."""
    waiting: dict[int, Waiting] = {}
    answers: dict[int, Array] = {}
    active = dict(runs)
    while active:
        for core, run in list(active.items()):
            if core in waiting:
                continue
            try:
                waiting[core] = run.send(answers.pop(core)) if core in answers else next(run)
            except StopIteration:
                del active[core]
        if active and not _meet(machine, waiting, answers):
            raise HazardError("the program", "cores wait for others that never come", "let all of a group reduce")


def _meet(machine: Machine, waiting: dict[int, Waiting], answers: dict[int, Array]) -> bool:
    """Reduce for every group that is complete; True if there is one."""
    found = False
    for group in dict.fromkeys(one.group for one in waiting.values()):
        if not all(core in waiting and waiting[core].group == group for core in group):
            continue
        first = waiting[group[0]]
        total = first.neutral
        for core in group:
            total = FOLDS[first.word](total, waiting[core].value)
        for core in group:
            answers[core] = total
            del waiting[core]
        machine.phase += len(group) == machine.cores
        found = True
    return found


class _Core:
    """One core while it runs."""

    def __init__(self, machine: Machine, core: int) -> None:
        self.machine, self.core = machine, core

    def function(self, function: Function) -> Run:
        values: Values = {name: Pointer(name) for name in function.parameters}
        return (yield from self._block(function.body, values))

    def _block(self, body: tuple[Operation, ...], values: Values) -> Run:
        """Operations in order; the result is what the last one yields."""
        for operation in body:
            name = operation.name
            if name in ("return", "func.return"):
                return []
            if name.endswith((".yield", ".yield_partial", ".yield_reduced")):
                return [values[each] for each in operation.operands]
            if known(name):
                values[operation.results[0]] = self._number(operation, values)
            elif name == "scf.for":
                yield from self._for(operation, values)
            elif name == "scf.if":
                yield from self._if(operation, values)
            elif name == "ktdp.inter_tile_produce":
                values[operation.results[0]] = yield from self._send(operation, values)
            elif name == "ktdp.inter_tile_reduce":
                values[operation.results[0]] = yield self._receive(operation, values)
            else:
                self._memory(operation, values)
        return []

    def _number(self, operation: Operation, values: Values) -> object:
        operands = [values[each] for each in operation.operands]
        if any(isinstance(each, Pointer) for each in operands):
            return self._moved(operation, operands)
        return evaluate(operation, cast("list[Value]", operands))

    def _moved(self, operation: Operation, operands: list[object]) -> Pointer:
        """A pointer and so many elements."""
        pointer = next(each for each in operands if isinstance(each, Pointer))
        step = next((each for each in operands if not isinstance(each, Pointer)), None)
        if operation.name != "arith.addi" or step is None:
            raise self._fault(operation, "only sums of an argument and a number are addresses")
        return Pointer(pointer.name, pointer.offset + int(cast("int", step)))

    # Control

    def _for(self, operation: Operation, values: Values) -> Run:
        first, end, step = (int(cast("int", values[each])) for each in operation.operands[:3])
        region = operation.regions[0]
        carried = [values[each] for each in operation.operands[3:]]
        for counter in range(first, end, step):
            inner = dict(values)
            names = [name for name, _ in region.arguments]
            inner.update(zip(names, [counter, *carried], strict=True))
            found = yield from self._block(region.body, inner)
            carried = found or carried
        values.update(zip(operation.results, carried, strict=True))
        return []

    def _if(self, operation: Operation, values: Values) -> Run:
        regions: tuple[Region | None, ...] = (*operation.regions, None)
        region = regions[0] if values[operation.operands[0]] else regions[1]
        found = (yield from self._block(region.body, dict(values))) if region is not None else []
        values.update(zip(operation.results, found, strict=False))
        return []

    # Between cores

    def _send(self, operation: Operation, values: Values) -> Generator[Waiting, Array, Sent]:
        kind, members = operation.types[0], operation.attributes["members"]
        if not isinstance(kind, Future) or not isinstance(members, AffineSet):
            raise self._fault(operation, "what it sends is no future")
        found = yield from self._block(operation.regions[0].body, dict(values))
        cores = self.machine.cores
        for (group,) in kind.groups.points(cores):
            given = {members.symbols[0]: group}
            those = tuple(core for core in range(cores) if members.holds({**given, members.dims[0]: core}))
            if self.core in those:
                return Sent(those, np.asarray(found[0]))
        raise self._fault(operation, f"core {self.core} is in no group")

    def _receive(self, operation: Operation, values: Values) -> Waiting:
        sent, neutral = values[operation.operands[0]], values[operation.operands[1]]
        assert isinstance(sent, Sent)
        return Waiting(sent.group, sent.value, operation.regions[0].body[0].name, np.asarray(neutral))

    # Memory

    def _memory(self, operation: Operation, values: Values) -> None:
        match operation.name:
            case "ktdp.get_compute_tile_id":
                rest = self.core
                for name, size in zip(operation.results, self.machine.grid, strict=True):
                    rest, values[name] = divmod(rest, size)
            case "ktdp.construct_memory_view":
                values[operation.results[0]] = self._view(operation, values)
            case "ktdp.construct_distributed_memory_view":
                parts = tuple(cast("View", values[each]) for each in operation.operands)
                kind = cast("Shaped", operation.types[0])
                values[operation.results[0]] = Joined(parts, kind.shape, kind.element)
            case "ktdp.construct_access_tile":
                values[operation.results[0]] = self._access(operation, values)
            case "ktdp.load":
                values[operation.results[0]] = self._load(operation, cast("Access", values[operation.operands[0]]))
            case "ktdp.store":
                value, access = (values[each] for each in operation.operands)
                self._store(operation, np.asarray(value), cast("Access", access))
            case other:
                raise self._fault(operation, f"{other} has no meaning here")

    def _view(self, operation: Operation, values: Values) -> View:
        base = values[operation.operands[0]]
        space, kind = operation.attributes["memory_space"], operation.types[0]
        assert isinstance(space, MemorySpace)
        assert isinstance(kind, Shaped)
        box = cast("AffineSet", operation.attributes["coordinate_set"]).box()
        sizes = cast("tuple[int, ...]", operation.attributes["sizes"])
        if box is None or tuple(last - first + 1 for first, last in box) != sizes or kind.shape != sizes:
            raise self._fault(operation, "its sizes, its set and its type disagree")
        if space.local == isinstance(base, Pointer):
            raise self._fault(operation, "its base is not in the memory that it names")
        strides = cast("tuple[int, ...]", operation.attributes["strides"])
        return View(cast("Pointer | int", base), sizes, strides, tuple(f for f, _ in box), space, kind.element)

    def _access(self, operation: Operation, values: Values) -> Access:
        view = values[operation.operands[0]]
        assert isinstance(view, View | Joined)
        start = tuple(int(cast("int", values[each])) for each in operation.operands[1:])
        kind = cast("Shaped", operation.types[0])
        box = cast("AffineSet", operation.attributes["access_tile_set"]).box()
        if box is None or tuple(last + 1 for _, last in box) != kind.shape or len(kind.shape) != len(view.sizes):
            raise self._fault(operation, "its set and its type disagree")
        ends = zip(start, kind.shape, view.sizes, strict=True)
        if any(first < 0 or first + size > whole for first, size, whole in ends):
            raise self._fault(operation, f"core {self.core} reaches beyond its view")
        return Access(view, start, kind.shape)

    def _spot(self, view: View, start: tuple[int, ...], sizes: tuple[int, ...], operation: Operation) -> Spot:
        offset = view.base.offset if isinstance(view.base, Pointer) else view.base
        first = offset + sum(s * t for s, t in zip(start, view.strides, strict=True))
        return Spot(first, sizes, view.strides, f"line {operation.line}")

    def _load(self, operation: Operation, access: Access) -> Array:
        view = access.view
        if isinstance(view, View):
            return self._read(operation, view, access.start, access.sizes)
        found = np.zeros(access.sizes, TYPES[view.element])
        left = math.prod(access.sizes)
        for part in view.parts:
            low = tuple(map(max, access.start, part.origin))
            ends = zip(access.start, access.sizes, part.origin, part.sizes, strict=True)
            size = tuple(min(a + n, b + m) - f for (a, n, b, m), f in zip(ends, low, strict=True))
            if min(size) <= 0:
                continue
            inner = tuple(f - o for f, o in zip(low, part.origin, strict=True))
            where = tuple(slice(f - a, f - a + n) for f, a, n in zip(low, access.start, size, strict=True))
            found[where] = self._read(operation, part, inner, size)
            left -= math.prod(size)
        if left:
            raise self._fault(operation, f"core {self.core} reads {left:,} elements that no part has")
        return found

    def _read(self, operation: Operation, view: View, start: tuple[int, ...], sizes: tuple[int, ...]) -> Array:
        spot, machine = self._spot(view, start, sizes, operation), self.machine
        if isinstance(view.base, Pointer):
            found = machine.shared[view.base.name].load(spot, self.core, machine.phase)
            if found.dtype != TYPES[view.element]:
                raise self._fault(operation, f"{view.base.name} holds {found.dtype}, not {view.element}")
            return found
        return self._pad(view, operation).load(spot, TYPES[view.element], self.core, machine.phase)

    def _store(self, operation: Operation, value: Array, access: Access) -> None:
        view = access.view
        if isinstance(view, Joined):
            raise self._fault(operation, "it writes into a distributed view")
        if value.shape != access.sizes or value.dtype != TYPES[view.element]:
            raise self._fault(operation, "its value does not fit its tile")
        spot, machine = self._spot(view, access.start, access.sizes, operation), self.machine
        if isinstance(view.base, Pointer):
            machine.shared[view.base.name].store(spot, value, self.core, machine.phase)
        elif view.space.core not in (-1, self.core):
            raise self._fault(operation, f"core {self.core} writes into the scratchpad of core {view.space.core}")
        else:
            self._pad(view, operation).store(spot, value, self.core, machine.phase)

    def _pad(self, view: View, operation: Operation) -> Scratchpad:
        core = self.core if view.space.core < 0 else view.space.core
        if core >= self.machine.cores:
            raise self._fault(operation, f"there is no core {core}")
        return self.machine.scratchpads[core]

    def _fault(self, operation: Operation, why: str) -> HazardError:
        return HazardError(f"line {operation.line}, {operation.name}", why, "correct the program")
