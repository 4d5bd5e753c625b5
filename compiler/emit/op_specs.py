"""Op specifications of a plan: every kernel as torch-spyre's front end would hand it to its back end.

Owns the numbering of kernel arguments, the packing of what stays inside a kernel into its pool, and what an op
specification cannot say, by name.  Refuses to leave anything out silently: an op that has no specification is listed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from frozendict import frozendict

from compiler.compilation import Compilation
from compiler.coordinates import lane_loops, walk_of
from compiler.division import Division
from compiler.dtypes import DType
from compiler.emit.unsaid import UnsaidError
from compiler.formats.device_index import device_coordinates
from compiler.formats.element_types import DEVICE_TYPES
from compiler.formats.expression import Expression
from compiler.formats.host_constant import HostConstant, host_constant
from compiler.formats.op_names import NamedOp, Operand, Piece, named_op
from compiler.formats.opspec import (
    DebugHandle,
    Dimension,
    KernelArgument,
    KernelSpec,
    OpSpec,
    Place,
    Room,
    Source,
    TensorArg,
    WorkDivision,
)
from compiler.layout import SPARSE, StickLayout, stick_layout
from compiler.loops import Access, Buffer, BufferKind, Index, LoopOp, OpKind, Term
from compiler.plan import EditKind
from compiler.program import DeviceOp, DeviceTensor, Memory, ProgramKernel
from compiler.schedule import Schedule, expand

RESTICKIFY, SHUFFLE = "ReStickifyOpHBM", "shuffle"
_ORDERINGS: Final = frozenset({EditKind.RESTICKIFY, EditKind.REORDER, EditKind.PAD})


@dataclass(frozen=True, slots=True)
class Specified:
    """All kernels, the tensors that the host fills with constants, and in sentences what could not be said."""

    kernels: tuple[KernelSpec, ...]
    constants: frozendict[str, HostConstant]
    limits: tuple[str, ...]


def op_specs(compilation: Compilation) -> Specified:
    """The kernels of a plan as op specifications."""
    maker = _Maker(compilation)
    kernels = tuple(maker.kernel(kernel) for kernel in compilation.program.kernels)
    return Specified(kernels, frozendict(maker.constants), tuple(maker.limits))


class _Maker:
    """Goes through the kernels of one plan."""

    def __init__(self, compilation: Compilation) -> None:
        self.compilation, self.plan = compilation, compilation.plan
        self.tensors = compilation.program.tensor_map
        self.schedule: Schedule = expand(compilation.problem.program, self.plan)
        self.constants: dict[str, HostConstant] = {}
        self.limits: list[str] = []
        self.kernels_of: dict[str, set[str]] = {}
        for kernel in compilation.program.kernels:
            for op in kernel.ops:
                for name in op.op.touched:
                    self.kernels_of.setdefault(name, set()).add(kernel.name)
        self.outside = {view.buffer for view in compilation.program.outputs}

    def kernel(self, kernel: ProgramKernel) -> KernelSpec:
        """One kernel: arguments first, then its ops."""
        frame = _Frame(self, kernel)
        body = tuple(spec for op in kernel.ops for spec in _Op(self, frame, op).specs())
        return KernelSpec(kernel.name, body, tuple(frame.arguments), frame.pool_bytes)

    def leaves(self, tensor: DeviceTensor) -> bool:
        """True if a tensor in device memory comes from outside of a kernel or is seen there."""
        shared = len(self.kernels_of.get(tensor.name, ())) > 1
        return tensor.kind is not BufferKind.COMPUTED or tensor.name in self.outside or shared

    def layout(self, name: str) -> StickLayout:
        """The layout of a buffer."""
        return self.plan.layouts[name]


class _Frame:
    """The arguments and the pool of one kernel."""

    def __init__(self, maker: _Maker, kernel: ProgramKernel) -> None:
        self.arguments: list[KernelArgument] = []
        self.places: dict[str, Place] = {}
        self.pool_bytes = 0
        reads, writes = list[str](), list[str]()
        for op in kernel.ops:
            writes += [access.buffer for access in op.op.writes]
            reads += [access.buffer for access in op.op.reads]
        own = [name for name in dict.fromkeys(reads) if name not in writes]
        for name in dict.fromkeys((*own, *writes)):
            tensor = maker.tensors[name]
            if tensor.memory is Memory.LX:
                self.places[name] = Place(Room.LX, tensor.address)
            elif maker.leaves(tensor):
                self.add(_argument(tensor, len(self.arguments), name not in writes))
            else:
                self.places[name] = Place(Room.POOL, self.pool_bytes)
                self.pool_bytes += tensor.layout.size_bytes

    def add(self, argument: KernelArgument) -> Place:
        """One more argument."""
        self.arguments.append(argument)
        place = Place(Room.HBM, argument.number)
        self.places[argument.name] = place
        return place


class _Op:
    """One device op on its way to specifications."""

    def __init__(self, maker: _Maker, frame: _Frame, device_op: DeviceOp) -> None:
        self.maker, self.frame, self.op = maker, frame, device_op.op
        self.edit = maker.schedule.step_map[device_op.name].edit
        self.division = maker.plan.divisions.get(device_op.name, Division())
        loops = [loop for loop in self.op.loops if loop.extent > 1] or list(self.op.loops[:1])
        self.symbols = {loop.name: f"c{place}" for place, loop in enumerate(loops)}
        self.extents = {loop.name: loop.extent for loop in loops}

    def specs(self) -> Iterator[OpSpec]:
        """The specification, one per piece of a concatenation; none, and a sentence, for what has no op function."""
        named = named_op(self.op)
        uneven = self._uneven()
        if isinstance(named, str) or uneven:
            self.maker.limits.append(f"{self.op.name}: {named if isinstance(named, str) else uneven}")
            return
        try:
            if named.pieces:
                yield from (self._piece(piece) for piece in named.pieces)
            else:
                yield self._whole(named)
        except UnsaidError as unsaid:
            self.maker.limits.append(f"{self.op.name}: {unsaid}")

    def _whole(self, named: NamedOp) -> OpSpec:
        name = self._name(named)
        args = tuple(self._operand(operand) for operand in named.operands)
        output = self._argument(self.op.write, is_input=False)
        spec = OpSpec(name, self._folds(), self._iteration(), (*args, output), handle=handle_of(self.op))
        spec = self._in_rounds(spec)
        return replace(spec, args=self._with_owners(spec)) if name == SHUFFLE else spec

    def _name(self, named: NamedOp) -> str:
        if self.edit is None:
            return named.name
        if self.edit.kind is EditKind.RELAYOUT:
            return SHUFFLE
        return RESTICKIFY if self.edit.kind in _ORDERINGS else named.name

    def _folds(self) -> bool:
        return self.op.kind in (OpKind.REDUCTION, OpKind.MATMUL)

    def _piece(self, piece: Piece) -> OpSpec:
        """A copy into a part of the result: loops run from 0, and both coordinates are ahead by the start."""
        cut = [name for name in piece.ranges if self.division.factor(name) > 1]
        if cut:
            raise UnsaidError(f"its pieces are cut apart by the division of {cut[0]}")
        starts = {self.symbols[name]: first for name, (first, _) in piece.ranges.items() if name in self.symbols}
        sizes = {name: end - first for name, (first, end) in piece.ranges.items()}
        args = tuple(
            self._argument(access, is_input=number == 0, starts=starts)
            for number, access in enumerate((self.op.reads[piece.read], self.op.write))
        )
        iteration = tuple(
            Dimension(self.symbols[name], sizes.get(name, extent), self.division.factor(name))
            for name, extent in self.extents.items()
        )
        made = OpSpec("identity", is_reduction=False, iteration=iteration, args=args, handle=handle_of(self.op))
        return self._in_rounds(made)

    def _in_rounds(self, spec: OpSpec) -> OpSpec:
        """With the order in which slices go round the cores, where that is not the front end's."""
        rounds = tuple(self.symbols[split.loop] for split in self.division.splits)
        return spec if rounds == tuple(dim.symbol for dim in spec.rounds) else replace(spec, fastest=rounds)

    def _iteration(self) -> tuple[Dimension, ...]:
        return tuple(
            Dimension(self.symbols[name], extent, self.division.factor(name)) for name, extent in self.extents.items()
        )

    # Arguments

    def _operand(self, operand: Operand) -> TensorArg:
        if operand.read >= 0:
            return self._argument(self.op.reads[operand.read], is_input=True)
        constant = host_constant(self.op, operand.constant)
        if constant is None:
            raise UnsaidError("one of its constants is computed by a primitive that has no formula")
        return self._constant(constant)

    def _argument(self, access: Access, *, is_input: bool, starts: dict[str, int] | None = None) -> TensorArg:
        name = access.buffer
        tensor = self.maker.tensors[name]
        found = self._coordinates(access, self.maker.schedule.buffers[name], tensor.layout)
        ahead = tuple(each.shifted(starts) for each in found) if starts else found
        place = self.frame.places[name]
        return TensorArg(
            is_input,
            place.at if place.room is Room.HBM else -1,
            device_type(tensor.dtype),
            tensor.layout.device_size,
            ahead,
            place,
            tensor.layout.arrangement.name,
            name,
        )

    def _coordinates(self, access: Access, buffer: Buffer, layout: StickLayout) -> tuple[Expression, ...]:
        found = device_coordinates(self.op, access, buffer, layout, self.symbols)
        if found is None:
            raise UnsaidError(f"which elements of {buffer.name} it reads depends on data")
        return found

    def _constant(self, constant: HostConstant) -> TensorArg:
        """An argument that the host fills, laid out as the result is where it has the loop along its sticks."""
        name = f"{self.op.name}#{constant.formula}"
        buffer = Buffer(name, constant.dtype, constant.shape, _strides(constant.shape), BufferKind.CONSTANT)
        layout = self._constant_layout(constant, buffer)
        terms = tuple(
            Term(stride, ((loop, 1),)) for (loop, _), stride in zip(constant.loops, buffer.strides, strict=True)
        )
        if name not in self.frame.places:
            tensor = DeviceTensor(
                name, constant.dtype, buffer.kind, buffer.shape, buffer.strides, layout, Memory.HBM, 0
            )
            self.frame.add(_argument(tensor, len(self.frame.arguments), is_input=True))
            self.maker.constants[name] = constant
        place = self.frame.places[name]
        reading = replace(self.op, reads=(*self.op.reads, Access(name, Index(0, terms))))
        found = device_coordinates(reading, reading.reads[-1], buffer, layout, self.symbols)
        assert found is not None  # a constant gathers nothing
        size = layout.device_size
        return TensorArg(True, place.at, device_type(constant.dtype), size, found, place, name=name)

    def _constant_layout(self, constant: HostConstant, buffer: Buffer) -> StickLayout:
        write = self.op.write
        result, layout = self.maker.schedule.buffers[write.buffer], self.maker.layout(write.buffer)
        lanes = layout.elements_per_stick
        along = lane_loops(walk_of(self.op, write, result), layout)
        names = [name for name, _ in constant.loops]
        order = [place for place, name in enumerate(names) if name not in along]
        last = [place for place, name in enumerate(names) if name in along]
        chosen = (*order, *last) if last else (*order, SPARSE)
        return stick_layout(buffer.shape, buffer.strides, lanes, chosen if names else None)

    def _with_owners(self, spec: OpSpec) -> tuple[TensorArg, ...]:
        return tuple(replace(arg, division=self._owners(arg)) for arg in spec.args)

    def _owners(self, arg: TensorArg) -> WorkDivision:
        """Which slice of every symbol each core holds of a tensor in LX."""
        found = owners_of(self.maker.tensors[arg.name], arg.coordinates)
        if found is None:
            raise UnsaidError(f"the parts of {arg.name} that cores hold are not equal slices")
        return found

    def _uneven(self) -> str:
        """Why the division cannot be said: slices have to be equal, in whole sticks where sticks are cut."""
        for split in self.division.splits:
            whole = _padded(self, split.loop)
            if split.step * split.factor != whole:
                return f"its {split.factor} slices of {split.loop} are not equal"
        return ""


def _padded(op: _Op, loop: str) -> int:
    extent, lanes = op.op.extents[loop], 1
    for access in op.op.accesses:
        layout = op.maker.layout(access.buffer)
        if loop in lane_loops(walk_of(op.op, access, op.maker.schedule.buffers[access.buffer]), layout):
            lanes = max(lanes, layout.elements_per_stick)
    return -(-extent // lanes) * lanes


def owners_of(tensor: DeviceTensor, coordinates: tuple[Expression, ...]) -> WorkDivision | None:
    """Slices by symbol and each core's slice of them; None if the parts that cores hold are no equal slices."""
    slices: dict[str, int] = {}
    held: dict[int, dict[str, int]] = {box.core: {} for box in tensor.boxes}
    for dim, coordinate in enumerate(coordinates[:-1]):
        names = coordinate.symbols
        sizes = {box.size[dim] for box in tensor.boxes}
        if sizes == {tensor.layout.device_size[dim]}:
            slices.update((name, slices.get(name, 1)) for name in names)
            continue
        if len(names) != 1 or len(sizes) != 1 or tensor.layout.device_size[dim] % min(sizes):
            return None
        name, size = next(iter(names)), sizes.pop()
        slices[name] = tensor.layout.device_size[dim] // size
        for box in tensor.boxes:
            held[box.core][name] = box.start[dim] // size
    cores = range(max(held, default=-1) + 1)
    if list(held) != list(cores):
        return None
    return WorkDivision(frozendict(slices), tuple(frozendict(held[core]) for core in cores))


def device_type(dtype: DType) -> str:
    """The format of elements on the device; raises for a type that has none."""
    if dtype not in DEVICE_TYPES:
        raise UnsaidError(f"elements of type {dtype.value} have no device format")
    return DEVICE_TYPES[dtype]


def handle_of(op: LoopOp) -> DebugHandle:
    """Where an op comes from, as provenance tells it."""
    file, _, line = op.origin.source.rpartition(":")
    source = Source(file, int(line), 0, int(line), 0) if file and line.isdecimal() else None
    return DebugHandle(source, op.origin.target or None, (*op.origin.nodes, op.name))


def _argument(tensor: DeviceTensor, place: int, is_input: bool) -> KernelArgument:
    return KernelArgument(
        place,
        tensor.name,
        is_input,
        tensor.shape,
        tensor.strides,
        tensor.dtype.torch_name,
        tensor.layout.device_size,
        tensor.layout.stride_map,
        DEVICE_TYPES.get(tensor.dtype, tensor.dtype.value),
        tensor.layout.arrangement.name,
    )


def _strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))
