"""KTIR: every kernel of a plan as a function that all cores run, with scratchpad addresses.

Owns the module, views of device memory and of LX at the planned addresses, distributed views for what goes over the
ring, partial sums between cores, and barriers where a core reads what another wrote.  Refuses, by name, what has no
static tile.  Bases and LX offsets count elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from compiler.emit.ktir_body import Logical, computed, fold_of, rounded
from compiler.emit.ktir_boxes import inside, wholes
from compiler.emit.ktir_geometry import Box, OpGeometry, Start, Tile, in_lx
from compiler.emit.ktir_groups import Groups, barrier, reduced
from compiler.emit.ktir_text import ELEMENTS, Lines, memref_type, tensor_type, tile_type
from compiler.emit.ktir_tiles import filled, to_device, to_logical
from compiler.emit.ktir_views import Spelling, Views
from compiler.emit.unsaid import UnsaidError
from compiler.formats.opspec import KernelSpec, OpSpec, Room, TensorArg

__all__ = ["Module", "Spelling", "ktir_module"]
_ROOM_BYTES: Final = 640 * 1024
"""What the tiles of one op may take in the scratchpad beside what is planned there."""


@dataclass(frozen=True, slots=True)
class Module:
    """The text, which buffer each argument of each function is, in sentences what could not be said, and the kernels
    with the ops that could."""

    text: str
    arguments: tuple[tuple[str, tuple[str, ...]], ...]
    limits: tuple[str, ...]
    kernels: tuple[KernelSpec, ...] = ()


def ktir_module(
    kernels: Sequence[KernelSpec], cores: int, spelling: Spelling = Spelling.NEW, clear_bytes: int = 0
) -> Module:
    """The module of these kernels, for this many cores.

    With `clear_bytes` every function begins by zeroing so much of each scratchpad, for interpreters that keep a list of
    allocations instead of a memory.
    """
    texts, limits, said = list[str](), list[str](), list[KernelSpec]()
    arguments: list[tuple[str, tuple[str, ...]]] = []
    for kernel in kernels:
        maker = _Kernel(kernel, cores, spelling, clear_bytes)
        taken = {name for name, _ in arguments}
        while maker.function in taken:
            maker.function += "_"
        texts.append(maker.text())
        arguments.append((maker.function, tuple(maker.bases)))
        limits += maker.limits
        said.append(maker.said)
    return Module("module {\n" + "".join(texts) + "}\n", tuple(arguments), tuple(limits), tuple(said))


class _Kernel:
    """One function on its way."""

    def __init__(self, kernel: KernelSpec, cores: int, spelling: Spelling, clear_bytes: int) -> None:
        self.kernel, self.cores = kernel, cores
        self.out = Lines()
        self.views = Views(self.out, spelling)
        self.bases: dict[str, str] = {}
        self.limits: list[str] = []
        self._said: list[OpSpec] = []
        self.held: dict[int, dict[int, Box]] = {}
        self.written: dict[str, dict[int, Box]] = {}
        self.wholes = wholes(kernel)
        self.clear_bytes = clear_bytes
        self.room_bytes = _ROOM_BYTES
        self.function = "".join(each if each.isalnum() or each == "_" else "_" for each in kernel.name)

    def text(self) -> str:
        """The function."""
        if self.clear_bytes:
            self._clear()
        for number, spec in enumerate(self.kernel.ops()):
            mark, bases = self.out.mark(), len(self.bases)
            try:
                self._op(len(self._said), spec)
            except UnsaidError as unsaid:
                self.out.back_to(mark)
                while len(self.bases) > bases:
                    self.bases.popitem()
                self.limits.append(f"{spec.output.name or f'op {number}'}: {unsaid}")
            else:
                self._said.append(spec)
        params = ", ".join(f"{name}: index" for name in self.bases.values())
        head = f"  func.func @{self.function}({params}) attributes {{grid = [{self.cores}]}} {{"
        body = [*self.out.head, "    %id = ktdp.get_compute_tile_id : index", *self.out.lines, "    return", "  }"]
        return "\n".join([head, *body, ""])

    @property
    def said(self) -> KernelSpec:
        """The kernel without what there are no words for."""
        return self.kernel if not self.limits else replace(self.kernel, body=tuple(self._said))

    def _clear(self) -> None:
        sizes = (-(-self.clear_bytes // 128), 64)
        self.out.open(
            f"scf.for %clear = {self.out.constant(0)} to {self.out.constant(1)} step {self.out.constant(1)} {{"
        )
        zeros = filled(self.out, 0.0, sizes, "f16")
        view = self.views.memory(self.out.constant(0), sizes, "f16", self.views.local())
        access = self.views.tile(view, sizes, sizes, [self.out.constant(0)] * 2, "f16")
        self.out.add(f"ktdp.store {zeros}, {access} : {tensor_type(sizes, 'f16')}, {tile_type(sizes)}")
        self.out.close()

    # Ops

    def _op(self, number: int, spec: OpSpec) -> None:
        geometry = OpGeometry(spec)
        element = self._element(spec.output)
        self.out.add(f"// {number}: {spec.op} -> {spec.output.name or spec.output.place.room.value}")
        if any(self._from_others(geometry, arg) for arg in spec.inputs) or spec.op == "shuffle":
            self._barrier()
        geometry.chunk(self.room_bytes)
        outer = [dim.symbol for dim in spec.iteration if dim.symbol not in geometry.folded]
        inner = [name for name in geometry.folded if geometry.chunks.get(name, 1) > 1]
        self._open_op(number, spec)
        slots = self._slots(spec)
        opened = self._open_chunks(number, geometry, outer, slots)
        value = self._accumulated(number, geometry, sorted(inner), slots, element)
        partial = [dim for dim in spec.iteration if dim.symbol in geometry.folded and dim.slices > 1]
        if partial:
            value = self._joined(geometry, value)
        value = rounded(self.out, value, element)
        self._store(geometry, value, slots, [dim.symbol for dim in partial])
        for _ in range(opened + 1):
            self.out.close()
        if spec.op == "shuffle":
            self._barrier()

    def _open_op(self, number: int, spec: OpSpec) -> None:
        """A region for the cores that work on an op; a loop of one turn where that is all of them, so that what it
        makes ends with it."""
        if spec.cores < self.cores:
            limit = self.out.constant(spec.cores)
            self.out.open(f"scf.if {self.out.value(f'arith.cmpi ult, %id, {limit} : index')} {{")
        else:
            self.out.open(self._loop(f"%once{number}", 1))

    def _loop(self, name: str, count: int) -> str:
        zero, one, end = (self.out.constant(number) for number in (0, 1, count))
        return f"scf.for {name} = {zero} to {end} step {one} {{"

    def _open_chunks(self, number: int, geometry: OpGeometry, names: list[str], slots: dict[str, str]) -> int:
        """Loops over the chunks of these symbols; `slots` learns the number of the chunk."""
        opened = 0
        for name in names:
            count = geometry.chunks.get(name, 1)
            if count > 1:
                slots[f"{name} chunk"] = f"%part{number}_{name}"
                self.out.open(self._loop(f"%part{number}_{name}", count))
                opened += 1
        return opened

    def _accumulated(
        self, number: int, geometry: OpGeometry, inner: list[str], slots: dict[str, str], element: str
    ) -> Logical:
        """The result of all chunks of the folded symbols."""
        if not inner:
            inputs = [self._load(geometry, arg, slots) for arg in geometry.spec.inputs]
            return computed(self.out, geometry, inputs, element)
        word, start = fold_of(geometry.spec.op)
        kept = [dim.symbol for dim in geometry.spec.iteration if dim.symbol not in geometry.folded]
        shape = tuple(geometry.parts[name] for name in kept)
        kind = tensor_type(shape, "f32")
        total = filled(self.out, start, shape, "f32")
        held: list[str] = []
        for name in inner:
            got, sum_ = self.out.fresh(), self.out.fresh()
            slots[f"{name} chunk"] = f"%part{number}_{name}"
            head = self._loop(f"%part{number}_{name}", geometry.chunks[name]).removesuffix(" {")
            self.out.open(f"{got} = {head} iter_args({sum_} = {total}) -> ({kind}) {{")
            total = sum_
            held.append(got)
        inputs = [self._load(geometry, arg, slots) for arg in geometry.spec.inputs]
        part = computed(self.out, geometry, inputs, element)
        result = self.out.value(f"{word} {total}, {part.name} : {kind}")
        for got in reversed(held):
            self.out.add(f"scf.yield {result} : {kind}")
            self.out.close()
            result = got
        return Logical(result, tuple(kept), shape, "f32")

    def _element(self, arg: TensorArg) -> str:
        if arg.device_dtype not in ELEMENTS:
            raise UnsaidError(f"elements of {arg.device_dtype} have no name here")
        return ELEMENTS[arg.device_dtype]

    def _slots(self, spec: OpSpec) -> dict[str, str]:
        """The slice of every cut symbol on this core."""
        found, inner = dict[str, str](), 1
        for dim in spec.rounds:
            value = "%id"
            if inner > 1:
                value = self.out.value(f"arith.divui {value}, {self.out.constant(inner)} : index")
            if inner * dim.slices < spec.cores:
                value = self.out.value(f"arith.remui {value}, {self.out.constant(dim.slices)} : index")
            found[dim.symbol] = value
            inner *= dim.slices
        return found

    # Memory

    def _load(self, geometry: OpGeometry, arg: TensorArg, slots: dict[str, str]) -> Logical:
        element = self._element(arg)
        if geometry.spec.op == "shuffle":
            return self._gathered(geometry, arg, slots, element)
        tile = geometry.tile(arg, self._holders(arg))
        view = self._view(arg, tile, element)
        access = self._access(view, tile, slots, element)
        kind = tensor_type(tile.sizes, element)
        loaded = self.out.value(f"ktdp.load {access} : {tile_type(tile.sizes)} -> {kind}")
        name, shape = to_logical(self.out, loaded, tile, element)
        return Logical(name, tile.symbols, shape, element)

    def _store(self, geometry: OpGeometry, value: Logical, slots: dict[str, str], partial: list[str]) -> None:
        arg = geometry.spec.output
        cores = range(geometry.spec.cores)
        writers = [core for core in cores if self._writes(geometry, core, partial)]
        whole = self.wholes.get(arg.name) or {core: geometry.box(arg, core) for core in cores}
        tile = geometry.tile(arg, whole if in_lx(arg) else None)
        device = to_device(self.out, value.name, tile, value.element)
        view = self._view(arg, tile, value.element)
        active = self._active(geometry, slots, partial)
        if active:
            self.out.open(f"scf.if {active} {{")
        access = self._access(view, tile, slots, value.element)
        kind = tensor_type(tile.sizes, value.element)
        self.out.add(f"ktdp.store {device}, {access} : {kind}, {tile_type(tile.sizes)}")
        if active:
            self.out.close()
        mine = {core: whole[core] for core in writers}
        if in_lx(arg):
            self.held[arg.place.at] = mine
        else:
            self.written.setdefault(self._base(arg), {}).update(mine)

    def _writes(self, geometry: OpGeometry, core: int, partial: list[str]) -> bool:
        slots, slices = geometry.spec.slices_of(core), {dim.symbol: dim.slices for dim in geometry.spec.iteration}
        return all(slots[name] == slices[name] - 1 for name in partial)

    def _active(self, geometry: OpGeometry, slots: dict[str, str], partial: list[str]) -> str:
        """A condition that holds on those cores of an op that store; '' if all do."""
        conditions = []
        for dim in geometry.spec.iteration:
            if dim.symbol in partial:
                last = self.out.constant(dim.slices - 1)
                conditions.append(self.out.value(f"arith.cmpi eq, {slots[dim.symbol]}, {last} : index"))
        found = conditions[0] if conditions else ""
        for other in conditions[1:]:
            found = self.out.value(f"arith.andi {found}, {other} : i1")
        return found

    def _holders(self, arg: TensorArg) -> dict[int, Box] | None:
        if not in_lx(arg):
            return None
        if arg.place.at not in self.held:
            raise UnsaidError(f"nothing was written at LX address {arg.place.at} before it reads there")
        held = self.held[arg.place.at]
        if any(len(box.start) != len(arg.device_size) for box in held.values()):
            raise UnsaidError(f"it reads {arg.name or 'a tensor in LX'} in other device dims than it was written in")
        return held

    def _base(self, arg: TensorArg) -> str:
        """The function argument that a tensor in device memory is."""
        key = arg.name or f"{arg.place.room.value}_{arg.place.at}"
        if key not in self.bases:
            word = "arg" if arg.place.room is Room.HBM else "pool"
            self.bases[key] = f"%{word}{len(self.bases)}"
        return self.bases[key]

    def _view(self, arg: TensorArg, tile: Tile, element: str) -> str:
        if in_lx(arg):
            base = self.out.constant(arg.place.at // (128 // arg.lanes))
            return self.views.memory(base, tile.form.sizes, element, self.views.local())
        return self.views.memory(self._base(arg), tile.form.sizes, element, self.views.shared())

    def _access(self, view: str, tile: Tile, slots: dict[str, str], element: str) -> str:
        starts = [self._start(start, slots) for start in tile.starts]
        return self.views.tile(view, tile.form.sizes, tile.sizes, starts, element)

    def _start(self, start: Start, slots: dict[str, str]) -> str:
        terms = [(slots.get(start.symbol, ""), start.step), (slots.get(f"{start.symbol} chunk", ""), start.chunk)]
        total = ""
        for name, step in terms:
            if step:
                moved = self.out.value(f"arith.muli {name}, {self.out.constant(step)} : index")
                total = self.out.value(f"arith.addi {total}, {moved} : index") if total else moved
        if start.constant and total:
            return self.out.value(f"arith.addi {total}, {self.out.constant(start.constant)} : index")
        return total or self.out.constant(start.constant)

    # Between cores

    def _from_others(self, geometry: OpGeometry, arg: TensorArg) -> bool:
        """True if a core reads what another one wrote since the last barrier."""
        if in_lx(arg) or self._base(arg) not in self.written:
            return False
        theirs = self.written[self._base(arg)]
        return any(not inside(geometry.box(arg, core), theirs.get(core)) for core in range(geometry.spec.cores))

    def _gathered(self, geometry: OpGeometry, arg: TensorArg, slots: dict[str, str], element: str) -> Logical:
        """What this core needs, out of the scratchpads that hold it."""
        holders = self._holders(arg)
        assert holders is not None  # a relayout reads LX
        tile = geometry.tile(arg, None)
        kept = [place for place, size in enumerate(arg.device_size) if size > 1 or place == len(arg.device_size) - 1]
        if tuple(arg.device_size[place] for place in kept) != tile.form.sizes:
            raise UnsaidError("its device dims are not those of its loops")
        base = self.out.constant(arg.place.at // (128 // arg.lanes))
        parts, kinds, seen = list[str](), list[str](), set[tuple[int, ...]]()
        for core, box in sorted(holders.items()):
            start, size = ([edge[place] for place in kept] for edge in (box.start, box.size))
            if tuple(start) in seen:
                continue
            seen.add(tuple(start))
            parts.append(self.views.memory(base, size, element, self.views.local(core), start))
            kinds.append(memref_type(size, element))
        whole = memref_type(tile.form.sizes, element)
        view = self.out.value(
            f"ktdp.construct_distributed_memory_view ({', '.join(parts)} : {', '.join(kinds)}) : {whole}"
        )
        access = self._access(view, tile, slots, element)
        kind = tensor_type(tile.sizes, element)
        loaded = self.out.value(f"ktdp.load {access} : {tile_type(tile.sizes)} -> {kind}")
        name, shape = to_logical(self.out, loaded, tile, element)
        return Logical(name, tile.symbols, shape, element)

    def _barrier(self) -> None:
        """All cores wait for each other."""
        barrier(self.out, self.cores)
        self.written.clear()

    def _joined(self, geometry: OpGeometry, value: Logical) -> Logical:
        """The partial results of the cores that share a part of the result, as one on each of them."""
        inner, count, rounds = 1, 1, list(geometry.spec.rounds)
        while rounds and rounds[0].symbol not in geometry.folded:
            inner *= rounds.pop(0).slices
        while rounds and rounds[0].symbol in geometry.folded:
            count *= rounds.pop(0).slices
        if any(dim.symbol in geometry.folded for dim in rounds):
            raise UnsaidError("its partial sums are on cores that no one group of sets describes")
        word, start = fold_of(geometry.spec.op)
        return reduced(self.out, value, Groups(inner, count, geometry.spec.cores), word, start)
