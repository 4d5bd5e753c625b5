"""Execute: runs a program step by step and core by core out of the simulated memories.

Owns the order of cores, the chain of partial results and which lanes a core walks.  Refuses to judge the numbers:
`verify` does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from torch import Tensor

from compiler.errors import InputError, StoppedError
from compiler.loops import Access, BufferKind, OpKind, OutputView
from compiler.program import CoreSlice, DeviceOp, DeviceTensor, Program
from simulator.errors import DeviceError
from simulator.functional.address import AccessMap, access_map
from simulator.functional.body import evaluate, gathered_offsets
from simulator.functional.elements import as_stored, poisoned, torch_dtype, unwritten
from simulator.functional.fold import fold, join
from simulator.functional.host import walk
from simulator.functional.lifetimes import lifetimes, ops_of
from simulator.functional.memory import HOST, Memories, Spot
from simulator.functional.meter import Meter
from simulator.functional.opaque import call
from simulator.functional.padding import Share, zeros
from simulator.functional.ring import check_ring, fetch
from simulator.functional.space import Space, whole
from simulator.functional.tail import Tail, spoil, tail_of
from simulator.functional.threads import one_thread
from simulator.traffic import StepTraffic

Progress = Callable[[float, str], None]
"""Called with the share of steps done and the name of the step that comes next."""


class Execution:
    """One run of a program.  `run` every step of `steps` in order; results are read back from the bytes at any time.

    `inputs` maps every buffer that is not computed to a host tensor of its shape.  Raises InputError if one is
    missing or of another shape, DeviceError where the program does what the device cannot do.
    """

    def __init__(
        self, program: Program, inputs: Mapping[str, Tensor], *, poison: bool = True, lx_bytes: int | None = None
    ) -> None:
        self.program = program
        self.steps = ops_of(program)
        self.tensors = program.tensor_map
        self.memories = Memories(program.hbm_bytes, program.lx_bytes if lx_bytes is None else lx_bytes, poison)
        self._lives = lifetimes(program)
        self._place = 0
        for tensor in program.tensors:
            if tensor.kind is not BufferKind.COMPUTED:
                self._load(tensor, inputs)
        self._meter = Meter()
        self.memories.watch(self._meter)

    @property
    def traffic(self) -> tuple[StepTraffic, ...]:
        """What the steps that have run have moved."""
        return self._meter.traffic

    def run(self, observe: Callable[[DeviceOp], None] | None = None) -> None:
        """Run the next step; `observe` may read results back before the step's dead tensors are poisoned."""
        op = self.steps[self._place]
        if op.ring:
            check_ring(op)
        for tensor in self._lives.born[self._place]:
            self.memories.born(tensor, alone=op.ring)  # while cores send to each other, nobody knows who writes first
        if op.op.kind is OpKind.OPAQUE:
            self._run_opaque(op)
        else:
            self._run_cores(op)
        self._meter.close()
        if observe:
            observe(op)
        for tensor in self._lives.dying[self._place]:
            self.memories.died(tensor)
        self._place += 1

    def tensor(self, name: str, step: str = "read-back") -> Tensor:
        """A whole tensor of device memory as a host tensor of its shape."""
        return self._host_read(self.tensors[name], self.tensors[name].shape, self.tensors[name].strides, 0, step)

    def output(self, view: OutputView) -> Tensor:
        """A result of the model."""
        return self._host_read(self.tensors[view.buffer], view.shape, view.strides, view.offset, view.name)

    def written(self, op: DeviceOp, gathered: Tensor | None = None) -> Tensor:
        """What a normal step wrote, over its output loops, read back from the memory of the cores that wrote it.

        Elements no core wrote are poison.  `gathered` is needed where the write is a scatter (device memory only).
        """
        tensor = self.tensors[op.op.write.buffer]
        where = self._write_map(op)
        if gathered is not None:
            return self._read(Spot(tensor, HOST, op.name), where, whole(op.op).result, gathered)
        result = unwritten(tuple(loop.extent for loop in op.op.output_loops), tensor.dtype)
        for part in op.slices:
            space = Space(op.op.loops, part.ranges).result
            if part.pass_to < 0 and not space.empty:
                found = self._read(Spot(tensor, part.core, op.name), where, space, None)
                result[tuple(slice(low, high) for low, high in space.ranges)] = found
        return as_stored(result, tensor.dtype)

    def _read(self, spot: Spot, where: AccessMap, space: Space, gathered: Tensor | None) -> Tensor:
        return self.memories.stored(spot, self.memories.block(spot, where, space, gathered))

    def _load(self, tensor: DeviceTensor, inputs: Mapping[str, Tensor]) -> None:
        if tensor.name not in inputs:
            raise InputError(f"input {tensor.name}", "it has no value", "give a tensor for every input and parameter")
        value = inputs[tensor.name]
        if tuple(value.shape) != tensor.shape:
            shapes = f"its shape is {tuple(value.shape)}, the program was compiled for {tensor.shape}"
            raise InputError(f"input {tensor.name}", shapes, "compile the model for these inputs")
        self.memories.born(tensor)
        self._host_write(tensor, value, "load of inputs")

    def _host_write(self, tensor: DeviceTensor, value: Tensor, step: str) -> None:
        elements = walk(tensor.shape, tensor.strides)
        spot = Spot(tensor, HOST, step, write=True)
        if not elements.space.empty:
            where = elements.map(tensor.layout)
            self.memories.write(spot, self.memories.block(spot, where, elements.space), value)
            self._fill_up(spot, where, elements.space, elements.space)

    def _host_read(
        self, tensor: DeviceTensor, shape: tuple[int, ...], strides: tuple[int, ...], offset: int, step: str
    ) -> Tensor:
        elements = walk(shape, strides, offset)
        if elements.space.empty:
            return poisoned(shape, tensor.dtype)
        found = self._read(Spot(tensor, HOST, step), elements.map(tensor.layout), elements.space, None)
        return found.expand(shape).clone()

    def _run_opaque(self, op: DeviceOp) -> None:
        assert op.op.call is not None
        operands = [self._operand(op, number) for number in range(len(op.op.reads))]
        kinds = [torch_dtype(self.tensors[read.buffer].dtype) for read in op.op.reads]
        results = call(op.op.call, [each.to(kind) for each, kind in zip(operands, kinds, strict=True)])
        for access, result in zip(op.op.writes, results, strict=True):
            self._host_write(self.tensors[access.buffer], result, op.name)

    def _operand(self, op: DeviceOp, number: int) -> Tensor:
        """What the host reads for an opaque call."""
        tensor = self.tensors[op.op.reads[number].buffer]
        found = self.tensor(tensor.name, op.name)
        elements, spot = walk(tensor.shape, tensor.strides), Spot(tensor, HOST, op.name, operand=number)
        if not elements.space.empty:
            self.memories.touch(spot, self.memories.block(spot, elements.map(tensor.layout), elements.space))
        return found

    def _run_cores(self, op: DeviceOp) -> None:
        received: dict[int, Tensor] = {}
        tail = tail_of(op.op, lambda read: self.read_map(op, read))
        for part in _in_chain_order(op):
            space = Space(op.op.loops, tuple(self._walked(op, part)))
            if space.empty:
                continue
            values = evaluate(op.op, space, _Core(self, op, part.core, space))
            result = fold(op.op, space, values)
            if tail and space.ranges[tail.place][1] == tail.extent:
                result = spoil(space, result, self._beyond(op, part.core, space, tail, values))
            if part.core in received:
                result = join(op.op, received.pop(part.core), result)
            if part.pass_to >= 0:
                received[part.pass_to] = result
                self._meter.passed(op.name, op.op.write.buffer, part.pass_to, result.numel())
            else:
                self._write(op, part.core, space.result, result, values)

    def _beyond(self, op: DeviceOp, core: int, space: Space, tail: Tail, values: list[Tensor]) -> Tensor:
        """What a core reads of the right operand of a contraction behind its last row."""
        read = op.op.reads[tail.read]
        spot = Spot(self.tensors[read.buffer], core, op.name, operand=tail.read)
        gathered = gathered_offsets(op.op, read.index, values, None)
        return self.memories.beyond(spot, self.read_map(op, read), space, tail.place, tail.count, gathered)

    def _write(self, op: DeviceOp, core: int, space: Space, result: Tensor, values: list[Tensor]) -> None:
        spot = Spot(self.tensors[op.op.write.buffer], core, op.name, write=True)
        gathered = gathered_offsets(op.op, op.op.write.index, values, None)
        where = self._write_map(op)
        self.memories.write(spot, self.memories.block(spot, where, space, gathered), result)
        if gathered is None:
            self._fill_up(spot, where, space, whole(op.op).result)

    def _fill_up(self, spot: Spot, where: AccessMap, space: Space, everything: Space) -> None:
        """Write the zeros that belong to a core's part of a padded tensor, after the part itself."""
        layout = spot.tensor.layout
        if layout.padding:
            share = Share(*where.hull(space), where.hull(everything)[1])
            for box in zeros(layout, spot.tensor.shape, share):
                self.memories.zero(spot, box)

    def _walked(self, op: DeviceOp, part: CoreSlice) -> list[tuple[int, int]]:
        """The ranges of a core.  A reduction along sticks walks whole sticks unless the program masks their tail."""
        ranges = []
        for loop, (low, high) in zip(op.op.loops, part.ranges, strict=True):
            lanes = 1
            if loop in op.op.reduction_loops and loop.name not in op.masked and high == loop.extent:
                lanes = max((self.read_map(op, read).lanes_of(loop.name) for read in op.op.reads), default=0) or 1
            ranges.append((low, -(-high // lanes) * lanes))
        return ranges

    def read_map(self, op: DeviceOp, read: Access) -> AccessMap:
        """Where a read finds its elements."""
        return access_map(read.index, op.op.loops, self.tensors[read.buffer].layout)

    def _write_map(self, op: DeviceOp) -> AccessMap:
        write = op.op.write
        return access_map(write.index, op.op.output_loops, self.tensors[write.buffer].layout)


class _Core:
    """Reads of one core during one step."""

    def __init__(self, execution: Execution, op: DeviceOp, core: int, space: Space) -> None:
        self._execution = execution
        self._op = op
        self._core = core
        self._space = space

    def __call__(self, read: int, gathered: Tensor | None, active: Tensor | None) -> Tensor:
        access = self._op.op.reads[read]
        spot = Spot(self._execution.tensors[access.buffer], self._core, self._op.name, operand=read)
        where = self._execution.read_map(self._op, access)
        memories = self._execution.memories
        if self._op.ring:
            return fetch(memories, spot, where, self._space)
        return memories.read(spot, memories.block(spot, where, self._space, gathered, active))


def _in_chain_order(op: DeviceOp) -> list[CoreSlice]:
    """Slices so that a partial result is there before the core that adds to it runs; a fault if it can never be."""
    waiting = {part.core: part for part in op.slices}
    if len(waiting) != len(op.slices):
        raise DeviceError(f"step {op.name}", "a core has two slices of it")
    order: list[CoreSlice] = []
    while waiting:
        receivers = {part.pass_to for part in waiting.values()}
        ready = [part for core, part in waiting.items() if core not in receivers]
        if not ready:
            raise DeviceError(f"step {op.name}", "partial results go round in a ring and are never written")
        order += ready
        for part in ready:
            del waiting[part.core]
    known = {part.core for part in op.slices}
    lost = [part.pass_to for part in order if part.pass_to >= 0 and part.pass_to not in known]
    if lost:
        raise DeviceError(f"step {op.name}", f"a partial result goes to core {lost[0]}, which does not take part")
    return order


def execute(
    program: Program,
    inputs: Mapping[str, Tensor],
    *,
    poison: bool = True,
    progress: Progress | None = None,
    stopped: Callable[[], bool] | None = None,
) -> dict[str, Tensor]:
    """Run a program to its end; output name -> host tensor.  StoppedError between steps once `stopped` says so."""
    execution = Execution(program, inputs, poison=poison)
    with one_thread():
        for place, op in enumerate(execution.steps):
            if stopped and stopped():
                raise StoppedError
            if progress:
                progress(place / len(execution.steps), op.name)
            execution.run()
        return {view.name: execution.output(view) for view in program.outputs}
