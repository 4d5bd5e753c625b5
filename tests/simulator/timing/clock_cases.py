"""Steps for the clock, written by hand: work without ops behind it, and programs that only say who reads what.

Owns constructors and the devices they run on; what comes out is a test's business.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from compiler.device import Device, load_device
from compiler.dtypes import DType
from compiler.layout import stick_layout
from compiler.loops import BufferKind, LoopOp, OpKind, Origin
from compiler.program import DeviceOp, DeviceTensor, Memory, Program, ProgramKernel
from simulator.timing.engine import run
from simulator.timing.timeline import Timeline
from simulator.timing.work import Counts, Fragments, Hop, Operand, OpWork, Stage, Times, Way
from tests.simulator.sketch import at

Each = float | Sequence[float]
"""One value for all cores, or one for each."""
SPYRE = load_device("spyre")
RATE = SPYRE.number("hbm_one_way_bytes_per_ns")
TURN = SPYRE.number("hbm_turnaround_ns_per_byte") * RATE
"""What turning the bus round takes per ns in which bytes go both ways."""


@dataclass(frozen=True)
class Act:
    """A step: its work and the tensors of device memory it reads and writes."""

    work: OpWork
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()


def act(
    name: str,
    cores: Sequence[int],
    *,
    read: Each = 0,
    write: Each = 0,
    own: Each = 0,
    tiles: Each = 1,
    delivery: Each = 0,
    load: Each = 0,
    store: Each = 0,
    ring: Each = 0,
    read_share: Each = 1,
    write_share: Each = 1,
    hops: tuple[Hop, ...] = (),
    fragments: Fragments | None = None,
    reads: tuple[str, ...] = (),
    writes: tuple[str, ...] = (),
) -> Act:
    """A step on some cores; all times in ns.  `load` and `store` are those of the units between card and core."""

    def column(value: Each) -> Times:
        return np.broadcast_to(np.asarray(value, dtype=np.float64), (len(cores),)).copy()

    sides = (("in", True, column(load)), ("out", False, column(store)))
    work = OpWork(
        name=name,
        step=0,
        unit="",
        cores=np.array(cores, dtype=np.int64),
        tiles=column(tiles).astype(np.int64),
        read_ns=column(read),
        write_ns=column(write),
        read_share=column(read_share),
        write_share=column(write_share),
        floor_ns=column(own),
        delivery_ns=column(delivery),
        ring_ns=column(ring),
        operands=(),
        stages=tuple(Stage(unit, 0, read, busy.astype(np.int64), busy) for unit, read, busy in sides if busy.any()),
        hops=hops,
        fragments=fragments,
    )
    return Act(work, reads, writes)


def on_host(name: str, moved: int, reads: tuple[str, ...] = (), writes: tuple[str, ...] = ()) -> Act:
    """A step of the host that moves so many bytes."""
    none, whole = np.zeros(0), np.array([moved], dtype=np.int64)
    count: Counts = np.zeros(0, dtype=np.int64)
    operand = Operand("t", False, Way.HOST, whole, whole, 0)
    columns = (none, none, none, none, none, none, none)
    return Act(OpWork(name, 0, "", count, count, *columns, (operand,), (), on_host=True), reads, writes)


def parts_sent(*parts: tuple[int, int, int]) -> Fragments:
    """(source, target, bytes) of every part."""
    source, target, size = (np.array(column, dtype=np.int64) for column in zip(*parts, strict=True))
    return Fragments(source, target, size)


def device_of(cores: int, **numbers: float) -> Device:
    """Spyre with some numbers changed."""
    device = SPYRE.with_cores(cores)
    for key, value in numbers.items():
        device = device.with_number(key, value)
    return device


def program_of(kernels: Sequence[Sequence[Act]], cores: int) -> Program:
    """A program whose ops only say what they read and write."""
    acts = [each for kernel in kernels for each in kernel]
    names = dict.fromkeys(name for each in acts for name in (*each.reads, *each.writes))
    layout = stick_layout((64,), (1,), 64)
    tensors = tuple(
        DeviceTensor(name, DType.F16, BufferKind.COMPUTED, (64,), (1,), layout, _memory(name), 0) for name in names
    )
    made = tuple(
        ProgramKernel(f"k{number}", tuple(DeviceOp(each.work.name, 0, _op(each), ()) for each in kernel))
        for number, kernel in enumerate(kernels)
    )
    return Program("hand-made", "spyre", cores, tensors, made, (), 0, 0)


def _memory(name: str) -> Memory:
    return Memory.LX if name.startswith("lx_") else Memory.HBM


def _op(each: Act) -> LoopOp:
    reads, writes = (tuple(at(name) for name in names) for names in (each.reads, each.writes))
    return LoopOp(each.work.name, OpKind.POINTWISE, "", (), reads, writes, (), (), Origin())


def timed(*kernels: Sequence[Act], cores: int = 4, device: Device | None = None) -> Timeline:
    """Run kernels by hand."""
    work = tuple(each.work for kernel in kernels for each in kernel)
    return run(program_of(kernels, cores), work, device or device_of(cores))
