"""One core of a machine that runs KTIR: a generator that waits at reductions between cores.

Owns values, loops, views and tiles of a core, and how much its tensors take.  Refuses tiles that do not fit what they
are cut from, and programs that go on for ever.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, cast

import numpy as np

from compiler.formats.ktir_ir import AffineSet, Function, Future, MemorySpace, Operation, Region, Shaped
from simulator.ktir.memory import UNIT_BYTES, Array, HazardError, Scratchpad, Shared
from simulator.ktir.operations import FOLDS, TYPES, Value, evaluate, known
from simulator.ktir.views import Access, Joined, Pointer, View

MOST_OPERATIONS: Final = 1_000_000
"""Operations of one core, before it is thought to go on for ever."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A core's own part of what its group reduces."""

    group: tuple[int, ...]
    members: AffineSet
    value: Array


@dataclass(frozen=True, slots=True)
class Waiting:
    """A core stands at a reduction of a group, with its part."""

    group: tuple[int, ...]
    value: Array
    word: str
    neutral: Array
    where: str

    def meets(self, other: Waiting) -> bool:
        """True if both stand at the same reduction of the same group."""
        return (self.group, self.where) == (other.group, other.where)


Values = dict[str, object]
Run = Generator[Waiting, Array, list[object]]


class Core:
    """A core that runs a function; `scratchpads` are those of all cores of its grid."""

    def __init__(
        self, core: int, function: Function, arguments: Mapping[str, Shared], scratchpads: Sequence[Scratchpad]
    ) -> None:
        self.core, self.function = core, function
        self.arguments, self.scratchpads = arguments, scratchpads
        self.live_bytes = self.operations = 0

    def run(self) -> Run:
        """The run of the function."""
        values: Values = {name: Pointer(name) for name in self.function.parameters}
        return (yield from self._block(self.function.body, values))

    def _block(self, body: tuple[Operation, ...], values: Values) -> Run:
        """Operations in order; the result is what the last one yields.  Tensors live until the block ends."""
        before = self.live_bytes
        for operation in body:
            name = operation.name
            self._count(operation)
            if name in ("return", "func.return"):
                break
            if name.endswith((".yield", ".yield_partial", ".yield_reduced")):
                self.live_bytes = before
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
        self.live_bytes = before
        return []

    def _count(self, operation: Operation) -> None:
        """Count an operation and the tensors that it makes."""
        self.operations += 1
        if self.operations > MOST_OPERATIONS:
            raise self._fault(operation, f"core {self.core} does more than {MOST_OPERATIONS:,} operations")
        if not operation.results or operation.name.startswith("scf."):  # what regions yield is counted there
            return
        for kind in operation.types:
            if isinstance(kind, Shaped) and kind.kind == "tensor":
                self.live_bytes += math.prod(kind.shape) * TYPES[kind.element].itemsize
        room = self.scratchpads[self.core].size_bytes
        if self.live_bytes > room:
            why = f"the tensors of core {self.core} take {self.live_bytes:,} bytes, its scratchpad has {room:,}"
            raise self._fault(operation, why)

    def _number(self, operation: Operation, values: Values) -> object:
        operands = [values[each] for each in operation.operands]
        if any(isinstance(each, Pointer) for each in operands):
            return self._moved(operation, operands)
        try:
            return evaluate(operation, cast("list[Value]", operands))
        except IndexError as error:
            raise self._fault(operation, str(error)) from None

    def _moved(self, operation: Operation, operands: list[object]) -> Pointer:
        """A pointer and so many elements."""
        pointer = next(each for each in operands if isinstance(each, Pointer))
        step = next((each for each in operands if not isinstance(each, Pointer)), None)
        if operation.name != "arith.addi" or step is None:
            raise self._fault(operation, "only sums of an argument and a number are addresses")
        return Pointer(pointer.name, pointer.offset + int(cast("int", step)))

    # Control

    def _for(self, operation: Operation, values: Values) -> Run:
        first, end, step = (self._index(operation, values[each]) for each in operation.operands[:3])
        if step < 1:
            raise self._fault(operation, "its step is not above 0")
        region = operation.regions[0]
        carried = [values[each] for each in operation.operands[3:]]
        names = [name for name, _ in region.arguments]
        for counter in range(first, end, step):
            inner = dict(values)
            inner.update(zip(names, [counter, *carried], strict=True))
            carried = yield from self._block(region.body, inner)
        values.update(zip(operation.results, carried, strict=True))
        return []

    def _if(self, operation: Operation, values: Values) -> Run:
        regions: tuple[Region | None, ...] = (*operation.regions, None)
        region = regions[0] if values[operation.operands[0]] else regions[1]
        found = (yield from self._block(region.body, dict(values))) if region is not None else []
        values.update(zip(operation.results, found, strict=True))
        return []

    # Between cores

    def _send(self, operation: Operation, values: Values) -> Generator[Waiting, Array, Sent]:
        kind, members = cast("Future", operation.types[0]), cast("AffineSet", operation.attributes["members"])
        found = yield from self._block(operation.regions[0].body, dict(values))
        for group in _groups(kind.groups, members, len(self.scratchpads)):
            if self.core in group:
                return Sent(group, members, np.asarray(found[0]))
        raise self._fault(operation, f"core {self.core} is in no group")

    def _receive(self, operation: Operation, values: Values) -> Waiting:
        sent, neutral = cast("Sent", values[operation.operands[0]]), values[operation.operands[1]]
        if operation.attributes["members"] != sent.members:
            raise self._fault(operation, "those who receive are others than those who send")
        word = operation.regions[0].body[0].name
        if word not in FOLDS:
            raise self._fault(operation, f"{word} does not join two parts")
        return Waiting(sent.group, sent.value, word, np.asarray(neutral), self._where(operation))

    # Memory

    def _memory(self, operation: Operation, values: Values) -> None:
        match operation.name:
            case "ktdp.get_compute_tile_id":
                rest = self.core
                for name, size in zip(operation.results, self.function.grid, strict=True):
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
        base, space = values[operation.operands[0]], cast("MemorySpace", operation.attributes["memory_space"])
        if space.local == isinstance(base, Pointer):
            raise self._fault(operation, "its base is not in the memory that it names")
        kind, box = cast("Shaped", operation.types[0]), cast("AffineSet", operation.attributes["coordinate_set"]).box()
        if TYPES[kind.element].itemsize < UNIT_BYTES:
            raise self._fault(operation, f"memories hold no elements of {kind.element}")
        strides = cast("tuple[int, ...]", operation.attributes["strides"])
        place = base if isinstance(base, Pointer) else self._index(operation, base)
        return View(place, kind.shape, strides, tuple(first for first, _ in box or ()), space, kind.element)

    def _access(self, operation: Operation, values: Values) -> Access:
        view = cast("View | Joined", values[operation.operands[0]])
        start = tuple(self._index(operation, values[each]) for each in operation.operands[1:])
        kind = cast("Shaped", operation.types[0])
        ends = zip(start, kind.shape, view.sizes, strict=True)
        if any(first < 0 or first + size > whole for first, size, whole in ends):
            why = f"core {self.core} reaches beyond its view: a tile of {kind.shape} at {start} in {view.sizes}"
            raise self._fault(operation, why)
        return Access(view, start, kind.shape)

    def _load(self, operation: Operation, access: Access) -> Array:
        view = access.view
        if cast("Shaped", operation.types[0]).element != view.element:
            raise self._fault(operation, f"the view holds {view.element}")
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
        spot = view.spot(start, sizes, self._where(operation))
        if isinstance(view.base, Pointer):
            return self._argument(operation, view, view.base).load(spot, self.core)
        return self._pad(view, operation).load(spot, TYPES[view.element], view.identity, self.core)

    def _store(self, operation: Operation, value: Array, access: Access) -> None:
        view = access.view
        if isinstance(view, Joined):
            raise self._fault(operation, "it writes into a distributed view")
        if value.dtype != TYPES[view.element]:
            raise self._fault(operation, f"the view holds {view.element}")
        spot = view.spot(access.start, access.sizes, self._where(operation))
        if isinstance(view.base, Pointer):
            self._argument(operation, view, view.base).store(spot, value, self.core)
        elif view.space.core not in (-1, self.core):
            raise self._fault(operation, f"core {self.core} writes into the scratchpad of core {view.space.core}")
        else:
            self._pad(view, operation).store(spot, value, view.identity, self.core)

    def _argument(self, operation: Operation, view: View, base: Pointer) -> Shared:
        found = self.arguments[base.name]
        if found.data.dtype != TYPES[view.element]:
            raise self._fault(operation, f"{found.name} holds {found.data.dtype}, not {view.element}")
        return found

    def _pad(self, view: View, operation: Operation) -> Scratchpad:
        core = self.core if view.space.core < 0 else view.space.core
        if core >= len(self.scratchpads):
            raise self._fault(operation, f"there is no core {core}")
        return self.scratchpads[core]

    def _index(self, operation: Operation, value: object) -> int:
        if isinstance(value, Pointer):
            raise self._fault(operation, "it takes an address for a number")
        return int(cast("int", value))

    def _where(self, operation: Operation) -> str:
        return f"line {operation.line}"

    def _fault(self, operation: Operation, why: str) -> HazardError:
        return HazardError(f"line {operation.line}, {operation.name}", why, "correct the program")


@lru_cache(maxsize=1024)
def _groups(groups: AffineSet, members: AffineSet, cores: int) -> tuple[tuple[int, ...], ...]:
    """The cores of every group."""
    return tuple(
        tuple(core for core in range(cores) if members.holds({members.symbols[0]: group, members.dims[0]: core}))
        for (group,) in groups.points(cores)
    )
