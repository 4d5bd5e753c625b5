"""Imported program: the loop nests, buffers and moves behind the ops of kernels.

Owns the order of steps, the body and the accesses of each, and which copy every reader reads.  Refuses decisions about
cores and places: those are in `import_plan`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from compiler.errors import InputError
from compiler.formats.expression import Expression
from compiler.formats.opspec import OpSpec, TensorArg
from compiler.loops import (
    Access,
    Buffer,
    BufferKind,
    Const,
    Index,
    Load,
    Loop,
    LoopOp,
    LoopProgram,
    ModelSource,
    OpaqueCall,
    OpKind,
    Origin,
    OutputView,
    Role,
)
from compiler.plan import HOMEWARD, OUTPUT_READER, Edit
from compiler.read.import_bodies import SHUFFLE, Body, arity, combine_of, computed, kind_of, piece_mask
from compiler.read.import_constants import constant_value
from compiler.read.import_coordinates import flat_index
from compiler.read.import_copies import Move, move_of
from compiler.read.import_flow import Act, Flow, Tensor
from compiler.read.import_forms import Forms


@dataclass(slots=True)
class Step:
    """A step of the schedule: the act it is, and its move if the plan inserts it; `readers` of that in order."""

    act: Act
    name: str
    move: Move | None = None
    before: str = ""
    readers: list[str] = field(default_factory=list)
    opaque: bool = False


class ProgramMaker:
    """Goes through the acts of a flow; `steps` are all in order, `edits` those that the plan inserts.

    `results` are names of what the host gets, if that is known.
    """

    def __init__(self, flow: Flow, name: str, results: frozenset[str] = frozenset()) -> None:
        self.flow, self.name = flow, name
        last = {tensor.argument.name: tensor for tensor in flow.tensors if tensor.leaves and tensor.argument}
        self.results = [tensor for called, tensor in last.items() if called in results]
        self.forms = Forms(flow.acts)
        self.findings: list[str] = []
        self.steps: list[Step] = []
        self.ops: list[LoopOp] = []
        self.copies: dict[str, Step] = {}
        self.waiting: list[Step] = []
        for act in flow.acts:
            try:
                self._act(act)
            except InputError as error:
                raise InputError(f"op {act.name} ({act.spec.op})", error.why, error.remedy) from error
        self.program = self._program()
        self.edits = tuple(self._edit(step) for step in self.steps if step.move)

    def _act(self, act: Act) -> None:
        for tensor in act.reads:
            self.forms.of(tensor)
        self.forms.trimmed(act)
        move = None if act.open else move_of(act, self.forms)
        if move is not None and act.write.leaves and not self._homeward(act, move):
            move = None
        if move is not None:
            self.forms.copied(act.write, act.reads[0], move.host)
            step = Step(act, act.name, move)
            self.copies[act.write.name] = step
            self.waiting.append(step)
            self.steps.append(step)
            return
        if act.spec.op == SHUFFLE and not any(tensor.given for tensor in act.reads):
            self.findings.append(
                f"{act.name} is a shuffle that moves no whole tensor from LX to LX: it is shown as a copy"
            )
        self.forms.of(act.write)
        op = self._op(act)
        for step in self.waiting:
            step.before = op.name
        self.waiting = []
        self.ops.append(op)
        self.steps.append(Step(act, op.name, opaque=op.kind is OpKind.OPAQUE))

    def _homeward(self, act: Act, move: Move) -> bool:
        """True if all copies from the program's buffer to what the host gets keep the layout."""
        moves = [move, *(step.move for step in self._chain(act.reads[0].name) if step.move)]
        return all(each.kind in HOMEWARD for each in moves)

    def _chain(self, name: str) -> list[Step]:
        """The moves that lead to a tensor, the last one first."""
        found = []
        while name in self.copies:
            found.append(self.copies[name])
            name = found[-1].act.reads[0].name
        return found

    def root(self, name: str) -> str:
        """The buffer of the program that a tensor is a copy of, or the tensor itself."""
        chain = self._chain(name)
        return chain[-1].act.reads[0].name if chain else name

    # Ops

    def _op(self, act: Act) -> LoopOp:
        if act.open:
            self.findings.append(
                f"{act.name} ({act.spec.op}) writes only a part of {act.write.name}: it is left a call"
            )
            return self._call(act)
        kind = kind_of(act.spec.op)
        made = self._concatenation(act) if act.along else self._nest(act, kind) if kind is not OpKind.OPAQUE else None
        if made is None:
            what = f"{act.name} ({act.spec.op})"
            self.findings.append(f"{what} has no loop form here: what it computes and how it is divided is left open")
            made = self._call(act)
        return made

    def _nest(self, act: Act, kind: OpKind) -> LoopOp | None:
        spec, body = act.spec, Body()
        if len(spec.inputs) != arity(spec.op):
            return None
        values = self._operands(act, body, kind)
        write = self._access(act, act.write, spec, spec.output)
        if values is None or write is None:
            return None
        results = computed(body, spec.op, values, spec.constants, self.forms.of(act.write).dtype)
        if results is None:
            return None
        kept = {name for each in spec.output.coordinates for name in each.symbols}
        loops = tuple(Loop(dim.symbol, dim.extent, _role(kind, dim.symbol in kept)) for dim in spec.iteration)
        return LoopOp(
            act.name,
            kind,
            combine_of(spec.op),
            loops,
            tuple(body.reads),
            (write,),
            tuple(body.steps),
            results,
            origin_of(act),
        )

    def _operands(self, act: Act, body: Body, kind: OpKind) -> list[int] | None:
        """The values of all operands; None if one of them cannot be said, or none depends on data."""
        values, read = list[int](), list[Tensor]()
        for tensor, arg in zip(act.reads, act.spec.inputs, strict=True):
            dtype = self.forms.of(tensor).dtype
            constant = constant_value(body, tensor, arg, dtype) if kind is OpKind.POINTWISE else None
            if constant is not None:
                values.append(constant)
                continue
            access = self._access(act, tensor, act.spec, arg)
            if access is None:
                return None
            known = [place for place, other in enumerate(read) if other is tensor and body.reads[place] == access]
            if known and kind is not OpKind.MATMUL:
                values.append(body.add(Load(known[0], dtype)))
                continue
            values.append(body.load(access, dtype))
            read.append(tensor)
        self._point(act, read)
        return values if read else None

    def _concatenation(self, act: Act) -> LoopOp | None:
        ends = [start + spec.extents[act.along] for start, spec in zip(act.starts, act.specs, strict=True)]
        whole, body, masks, values = max(ends), Body(), list[int](), list[int]()
        dtype = self.forms.of(act.write).dtype
        for start, end, spec, tensor in zip(act.starts, ends, act.specs, act.reads, strict=True):
            access = self._access(act, tensor, spec, spec.inputs[0], {act.along: -start})
            if access is None:
                return None
            masks.append(piece_mask(body, act.along, start, end, whole))
            values.append(body.load(access, self.forms.of(tensor).dtype, masks[-1]))
        result = body.add(Const(0.0, dtype))
        for mask, value in zip(reversed(masks), reversed(values), strict=True):
            result = body.apply("where", (mask, value, result), dtype)
        first = act.spec
        extents = {**first.extents, act.along: whole}
        dims = tuple(replace(dim, extent=extents[dim.symbol]) for dim in first.iteration)
        begun = tuple(each.shifted({act.along: -act.starts[0]}) for each in first.output.coordinates)
        output = replace(first.output, coordinates=begun)
        write = self._access(act, act.write, replace(first, iteration=dims), output)
        if write is None:
            return None
        loops = tuple(Loop(name, extent) for name, extent in extents.items())
        self._point(act, list(act.reads))
        return LoopOp(
            act.name,
            OpKind.POINTWISE,
            "",
            loops,
            tuple(body.reads),
            (write,),
            tuple(body.steps),
            (result,),
            origin_of(act),
        )

    def _call(self, act: Act) -> LoopOp:
        """An op without a loop form."""
        reads = tuple(dict.fromkeys(tensor.name for tensor in act.reads))
        arguments = tuple(json.dumps({"read": reads.index(tensor.name)}) for tensor in act.reads)
        words = tuple((name, json.dumps(value)) for name, value in act.spec.constants.items())
        self._point(act, [tensor for name in reads for tensor in act.reads if tensor.name == name][: len(reads)])
        return LoopOp(
            act.name,
            OpKind.OPAQUE,
            "",
            (),
            tuple(Access(self.root(name), Index(0)) for name in reads),
            (Access(act.write.name, Index(0)),),
            (),
            (),
            origin_of(act),
            OpaqueCall(act.spec.op, arguments, words),
        )

    def _access(
        self, act: Act, tensor: Tensor, spec: OpSpec, arg: TensorArg, starts: dict[str, int] | None = None
    ) -> Access | None:
        """The access of an argument, in the host terms of the buffer that its tensor is or is a copy of."""
        hosts: tuple[Expression, ...] | None = self.forms.walk(tensor, spec, arg)
        if hosts is None:
            sizes = " x ".join(map(str, arg.device_size))
            held = " x ".join(map(str, self.forms.of(tensor).host.layout.device_size))
            self.findings.append(f"{act.name} sees {tensor.name} as {sizes} on the device, it is {held}")
            return None
        shifted = tuple(each.shifted(starts) for each in hosts) if starts else hosts
        index = flat_index(shifted, self.forms.of(tensor).host.strides)
        chosen = index is not None and not index.loop_names <= spec.extents.keys()
        return None if index is None or chosen else Access(self.root(tensor.name), index)

    def _point(self, act: Act, read: Sequence[Tensor]) -> None:
        """Tell moves which reads, by their number, read what they write."""
        roots = [self.root(tensor.name) for tensor in read]
        for place, (tensor, root) in enumerate(zip(read, roots, strict=True)):
            same = {other.name for other, own in zip(read, roots, strict=True) if own == root}
            reader = act.name if len(same) == 1 else f"{act.name}#{place}"
            for step in self._chain(tensor.name):
                if reader not in step.readers:
                    step.readers.append(reader)

    # The whole

    def _program(self) -> LoopProgram:
        used = {name for op in self.ops for name in op.touched} | {self.root(name) for name in self.copies}
        tensors = [tensor for tensor in self.flow.tensors if tensor.name in used and tensor.name not in self.copies]
        buffers = [self._buffer(tensor) for tensor in sorted(tensors, key=lambda tensor: not tensor.given)]
        outputs = tuple(self._output(tensor) for tensor in self.flow.tensors if self._returned(tensor))
        return LoopProgram(self.name, ModelSource(""), tuple(buffers), tuple(self.ops), outputs)

    def _buffer(self, tensor: Tensor) -> Buffer:
        form = self.forms.of(tensor)
        kind = form.kind if tensor.given else BufferKind.COMPUTED
        return Buffer(tensor.name, form.dtype, form.host.shape, form.host.strides, kind)

    def _returned(self, tensor: Tensor) -> bool:
        """True if the host gets a tensor: it is one of the results, or, where these are not known, no later kernel
        reads what an op has written."""
        if self.results:
            return tensor in self.results
        return tensor.leaves and all(act.kernel == tensor.kernel for act in tensor.readers)

    def _output(self, tensor: Tensor) -> OutputView:
        form = self.forms.of(tensor)
        for step in self._chain(tensor.name):
            step.readers.append(f"{OUTPUT_READER}{tensor.name}")
        return OutputView(tensor.name, self.root(tensor.name), form.host.shape, form.host.strides)

    def _edit(self, step: Step) -> Edit:
        assert step.move is not None  # asked for moves only
        source, target = step.act.reads[0].name, step.act.write.name
        move = step.move
        return Edit(step.name, move.kind, source, target, step.before, tuple(step.readers), move.replicas)


def _role(kind: OpKind, kept: bool) -> Role:
    return Role.OUTPUT if kept or kind is OpKind.POINTWISE else Role.REDUCTION


def origin_of(act: Act) -> Origin:
    """Where an op comes from, as far as its debug handle tells."""
    handle = act.spec.handle
    if handle is None:
        return Origin((act.name,), target=act.spec.op)
    source = f"{handle.source.file}:{handle.source.start_line}" if handle.source else ""
    return Origin((act.name,), source=source, target=handle.aten_op or act.spec.op)
