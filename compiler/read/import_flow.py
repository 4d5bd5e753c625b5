"""Imported flow: which op reads what another one has written, by the places where tensors lie.

Owns tensors as versions of places: a write makes a new one, readers up to the next write read it, and consecutive
copies that fill one tensor piece by piece are one concatenation.  Refuses to know loop nests and layouts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final

from compiler.errors import InputError
from compiler.formats.op_names import IDENTITY
from compiler.formats.opspec import CONTRACTIONS, KernelArgument, KernelSpec, LoopSpec, OpSpec, Place, Room, TensorArg
from compiler.formats.opspec_rules import broken_rule
from compiler.import_log import Disagreement
from compiler.layout import STICK_BYTES
from compiler.read.import_coordinates import ahead, reach
from compiler.read.import_loops import with_loop_names
from compiler.read.import_pieces import pieces_of
from compiler.read.plain import REMEDY

MOST_PIECES: Final = 64
"""Copies that are tried as one concatenation."""


@dataclass(eq=False, slots=True)
class Tensor:
    """What lies at a place from one write to the next; `given` if no op has written it, `uses` in order of the ops.

    `called` is its name in the file, if it has one there; `span` are the bytes from its place on that it takes there,
    in LX on one core.
    """

    name: str
    called: str
    kernel: str
    place: Place
    size_bytes: int
    span: int
    argument: KernelArgument | None
    given: bool
    uses: list[tuple[OpSpec, TensorArg]] = field(default_factory=list)
    readers: list[Act] = field(default_factory=list)
    writer: Act | None = None
    spoiled: str = ""

    @property
    def leaves(self) -> bool:
        """True if the host gets it: it is an argument of its kernel that an op has written."""
        return not self.given and self.place.room is Room.HBM


@dataclass(eq=False, slots=True)
class Act:
    """One step: an op with the tensors of its arguments, or the copies of a concatenation, `starts` of which (the dim
    of the iteration, its first value per copy) say where each one begins.

    `open`: it writes a part of a tensor whose rest stays as it was, so that it reads that tensor, too.
    """

    name: str
    kernel: str
    specs: tuple[OpSpec, ...]
    reads: tuple[Tensor, ...]
    write: Tensor
    along: str = ""
    starts: tuple[int, ...] = ()
    open: bool = False

    @property
    def spec(self) -> OpSpec:
        """The only or the first op."""
        return self.specs[0]


class Flow:
    """Goes through kernels and finds the tensors of all arguments; `torn` are names of those never written whole."""

    def __init__(self, kernels: tuple[KernelSpec, ...], torn: frozenset[str] = frozenset()) -> None:
        self.kernels, self.torn = kernels, torn
        self.acts: list[Act] = []
        self.tensors: list[Tensor] = []
        self.findings: list[str] = []
        self.names: set[str] = set()
        self.op_names: set[str] = set()
        self.shared: dict[str, Tensor] = {}
        self.live: dict[Place, Tensor] = {}
        for number, kernel in enumerate(kernels):
            self._kernel(number, kernel)

    def _kernel(self, number: int, kernel: KernelSpec) -> None:
        label = f"k{number}"
        arguments = {argument.number: argument for argument in kernel.arguments}
        self.live = {}
        for argument in kernel.arguments:
            known = self.shared.get(argument.name) if _own_name(argument) else None
            if known is not None:
                self.live[Place(Room.HBM, argument.number)] = known
        for at, spec in enumerate(kernel.ops()):
            rule = broken_rule(spec) or _broken_size(spec)
            if rule:
                raise InputError(f"op {at} ({spec.op or 'without a name'}) of kernel {kernel.name}", rule, REMEDY)
        ops = self._ops(kernel)
        at = 0
        while at < len(ops):
            made = self._act(label, at, ops, arguments)
            self.acts.append(made)
            at += len(made.specs)
        for place, tensor in self.live.items():
            if place.room is Room.HBM and tensor.argument is not None and _own_name(tensor.argument):
                self.shared[tensor.argument.name] = tensor

    def _ops(self, kernel: KernelSpec) -> list[OpSpec]:
        for part in kernel.body:
            if isinstance(part, LoopSpec) and part.count != 1:
                inner = len(KernelSpec(kernel.name, part.body).body)
                what = f"{inner} op{'' if inner == 1 else 's'}"
                self.findings.append(f"kernel {kernel.name} runs {what} {part.count} times, they are shown once")
        return list(kernel.ops())

    # Ops

    def _act(self, label: str, at: int, ops: list[OpSpec], arguments: Mapping[int, KernelArgument]) -> Act:
        first = ops[at]
        run = list(islice(self._run(ops, at), MOST_PIECES))
        pieces = pieces_of(run) if len(run) > 1 else None
        found = pieces.with_loop_names() if pieces else None
        specs = found.specs if found else (with_loop_names(first),)
        if found and found.guessed:
            what = f"op {at} ({first.op}) of {label} and the {len(specs) - 1} after it fill one tensor"
            self.findings.append(f"{what}, where each begins is not said: they are taken in order")
        reads, settled = list[Tensor](), list[OpSpec]()
        for spec in specs:
            inputs = []
            for arg in spec.inputs:
                tensor, moved = self._read(label, at, spec, arg, arguments)
                inputs.append(moved)
                reads.append(tensor)
                tensor.uses.append((spec, moved))
            settled.append(replace(spec, args=(*inputs, spec.output)))
        name = self._op_name(label, at, first)
        before = self.live.get(first.output.place)
        write = self._write(label, at, name, tuple(settled), arguments)
        made = Act(name, label, tuple(settled), tuple(reads), write, open=write.name in self.torn)
        if made.open and before is not None and before not in reads:
            before.uses.append((specs[0], replace(specs[0].output, is_input=True)))
            reads.append(before)
            made.reads = tuple(reads)
        if found:
            made.along, made.starts = found.along, found.starts
        for tensor in reads:
            if made not in tensor.readers:
                tensor.readers.append(made)
        write.writer = write.writer or made
        return made

    def _run(self, ops: list[OpSpec], at: int) -> Iterator[OpSpec]:
        """Copies one after the other that write into the same tensor, each perhaps a part of it."""
        first = ops[at].output
        for spec in ops[at:]:
            if spec.op != IDENTITY or spec.output.device_size != first.device_size or spec.output.name != first.name:
                return
            beyond, sizes = spec.output.place.at - first.place.at, held_sizes(spec, spec.output)
            inside = first.place.room is not Room.HBM and 0 <= beyond < STICK_BYTES * math.prod(sizes)
            if spec.output.place.room is not first.place.room or (beyond and not inside):
                return
            if any(arg.place == first.place and arg.place.room is not Room.HBM for arg in spec.inputs):
                return
            coordinates = ahead(spec.output, beyond // STICK_BYTES if inside else 0, sizes)
            output = replace(spec.output, place=first.place, coordinates=coordinates)
            yield replace(spec, args=(*spec.inputs, output))

    def _op_name(self, label: str, at: int, spec: OpSpec) -> str:
        chain = spec.handle.ir_chain if spec.handle else ()
        prefix = f"{label}." if len(self.kernels) > 1 else ""
        wanted = chain[-1] if chain and chain[-1] else f"{prefix}{at}_{spec.op}"
        return _fresh(wanted, self.op_names)

    # Tensors

    def _read(
        self, label: str, at: int, spec: OpSpec, arg: TensorArg, arguments: Mapping[int, KernelArgument]
    ) -> tuple[Tensor, TensorArg]:
        """The tensor that an argument reads, and the argument with coordinates that count from where it begins."""
        tensor = self.live.get(arg.place)
        who = f"op {at} ({spec.op}) of {label}"
        where = _where(arg.place)
        inside = arg.place.room is not Room.HBM
        if tensor is None and inside:
            for place, other in self.live.items():
                beyond = arg.place.at - place.at
                if place.room is arg.place.room and 0 < beyond < other.span and other.size_bytes == arg.size_bytes:
                    coordinates = ahead(arg, beyond // STICK_BYTES, held_sizes(spec, arg))
                    return other, replace(arg, place=place, coordinates=coordinates)
        if tensor is not None and inside and _another(tensor, arg):
            what = f"{arg.name or 'a tensor'} of {arg.size_bytes:,} B"
            last = f"where {tensor.name} of {tensor.size_bytes:,} B was last"
            self.findings.append(f"{who} reads {what} {where}, {last}")
            tensor = None
        elif tensor is None and inside:
            self.findings.append(f"{who} reads {arg.name or 'a tensor'} {where}, which no op has written before")
        elif tensor is not None and tensor.spoiled:
            self.findings.append(f"{who} reads {tensor.name} {where}, which {tensor.spoiled} has written over in part")
        if tensor is None:
            argument = arguments.get(arg.place.at) if arg.place.room is Room.HBM else None
            name = self._tensor_name(label, at, arg, argument, "in")
            tensor = Tensor(name, arg.name, label, arg.place, arg.size_bytes, 0, argument, given=True)
            self.tensors.append(tensor)
            self.live[arg.place] = tensor
        return tensor, arg

    def _write(
        self, label: str, at: int, name: str, specs: tuple[OpSpec, ...], arguments: Mapping[int, KernelArgument]
    ) -> Tensor:
        arg = specs[0].output
        argument = arguments.get(arg.place.at) if arg.place.room is Room.HBM else None
        span = STICK_BYTES * math.prod(held_sizes(specs[0], arg))
        written = [(spec, spec.output) for spec in specs]
        self.findings += [_over(name, spec, read) for spec in specs for read in spec.inputs if _overlap(spec, read)]
        begun = self.live.get(arg.place)
        if begun is not None and begun.name not in self.torn and _unfinished(begun) and _partial(arg, specs[0]):
            begun.uses += written
            return begun
        handle = specs[0].handle  # an op that has a name of its own gives it to what it writes
        writer = name if handle is not None and handle.ir_chain else ""
        called = self._tensor_name(label, at, arg, argument, "t", writer)
        made = Tensor(called, arg.name, label, arg.place, arg.size_bytes, span, argument, given=False)
        made.uses += written
        for place, other in list(self.live.items()):
            if place.room is not arg.place.room or place.room is Room.HBM or place == arg.place:
                continue
            if place.at < arg.place.at + span and arg.place.at < place.at + other.span:
                other.spoiled = name
        self.tensors.append(made)
        self.live[arg.place] = made
        return made

    def _tensor_name(
        self, label: str, at: int, arg: TensorArg, argument: KernelArgument | None, kind: str, writer: str = ""
    ) -> str:
        """Its own name; else that of the kernel argument, or of the op that writes it; else the kernel and the number
        of argument or op."""
        given = arg.name or (argument.name if argument else writer)
        number = f"{label}.arg{arg.place.at}" if arg.place.room is Room.HBM else f"{label}.{kind}{at}"
        return _fresh(given or number, self.names)


def _overlap(spec: OpSpec, read: TensorArg) -> bool:
    """True if a result in the pool covers a part of an operand; an op that goes element by element may write all of it
    in its place."""
    out = spec.output
    if out.place.room is not Room.POOL or read.place.room is not Room.POOL:
        return False
    if out.place == read.place and out.size_bytes == read.size_bytes:
        return spec.op in CONTRACTIONS
    return out.place.at < read.place.at + read.size_bytes and read.place.at < out.place.at + out.size_bytes


def _over(name: str, spec: OpSpec, read: TensorArg) -> str:
    at, size = spec.output.place.at, spec.output.size_bytes
    what = f"{name} writes {size:,} B at byte {at:,} of the pool, over what it reads at byte {read.place.at:,}"
    return Disagreement(what)


def _broken_size(spec: OpSpec) -> str:
    for arg in spec.args:
        if min(arg.device_size) < 1:
            return f"{arg.name or 'a tensor'} {_where(arg.place)} has a device dim of {min(arg.device_size)} places"
    for dim in spec.iteration:
        if dim.slices > max(dim.extent, 0):
            return f"{dim.symbol} of {dim.extent} iterations is cut into {dim.slices} slices"
    return ""


def _fresh(wanted: str, taken: set[str]) -> str:
    """A name that is not taken, and now is."""
    name, number = wanted, 2
    while name in taken:
        name, number = f"{wanted}.{number}", number + 1
    taken.add(name)
    return name


def _own_name(argument: KernelArgument) -> bool:
    """True if the name of an argument is more than its number, which means another tensor in every kernel."""
    return argument.name not in ("", f"arg{argument.number}", str(argument.number))


def _another(tensor: Tensor, arg: TensorArg) -> bool:
    """True if what an argument reads cannot be the tensor that lies at its place."""
    return (arg.name != tensor.called and bool(arg.name and tensor.called)) or arg.size_bytes != tensor.size_bytes


def _where(place: Place) -> str:
    if place.room is Room.HBM:
        return f"from argument {place.at}"
    return f"at byte {place.at:,} of {'LX' if place.room is Room.LX else 'the pool'}"


def _unfinished(tensor: Tensor) -> bool:
    """True if only parts of a tensor have been written, and nobody has read it yet."""
    return not (tensor.given or tensor.readers) and all(_partial(arg, spec) for spec, arg in tensor.uses)


def _partial(arg: TensorArg, spec: OpSpec) -> bool:
    """True if an op leaves out some steps of a device dim of its result."""
    found = reach(arg.coordinates[:-1], spec.extents)
    if found is None:
        return False
    return any(last - first + 1 < size for (first, last), size in zip(found, arg.device_size[:-1], strict=True))


def held_sizes(spec: OpSpec, arg: TensorArg) -> tuple[int, ...]:
    """Device sizes but for the lane of what lies at the place of an argument: in LX, of one core's part."""
    sizes = arg.device_size[:-1]
    if arg.place.room is not Room.LX:
        return sizes
    slices = arg.division.slices if arg.division else {dim.symbol: dim.slices for dim in spec.iteration}
    cuts = [math.prod(slices.get(name, 1) for name in each.symbols) for each in arg.coordinates[:-1]]
    return tuple(-(-size // cut) for size, cut in zip(sizes, cuts, strict=True))
