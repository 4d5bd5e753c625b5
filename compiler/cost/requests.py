"""Requests: the time of copies and of short reads by the number of read requests they take (facts 6.5, 6.6).

Owns the request law and what a copy edit costs as the later passes will run it.  A core reads in bursts that end where
its contiguous run ends, so that short runs take many requests.  Rates were measured for fp16 and for some numbers of
cores; other copies are priced by their bytes alone.  Refuses to choose a division or a layout.
"""

from __future__ import annotations

from functools import lru_cache

from frozendict import frozendict

from compiler.cost.memory import NS_PER_US, one_way_us, restickify_us, turnaround_us
from compiler.cost.patterns import bytes_per_ns
from compiler.cost.runs import UNKNOWN_RUN, run_bytes
from compiler.cost.sightings import pattern_of
from compiler.device import Device
from compiler.dtypes import DType
from compiler.layout import StickLayout
from compiler.loops import Buffer, BufferKind, Origin
from compiler.plan import Edit, EditKind
from compiler.schedule import Schedule, copy_op
from compiler.spaces import space_of
from compiler.splits import largest_first

RATE = "request_ns_cores_"
MEASURED_BYTES = 2  # per element: the rates are those of fp16
SWAP_WORDS = (
    "what max(bytes read and bytes or requests at their rate, transpose at {transpose_bytes_per_ns_core} B per ns and "
    "core) takes beyond bytes / {restickify_bytes_per_ns} B per ns; requests end after {dma_burst_bytes} B or a run"
)
READ_WORDS = (
    "requests at their rate - bytes / {hbm_one_way_bytes_per_ns} B per ns; "
    "requests end after {dma_burst_bytes} B or a run"
)


def requests(device: Device, moved_bytes: int, run_bytes: int) -> float:
    """Read requests of `moved_bytes` in contiguous runs of `run_bytes`.

    >>> from compiler.device import load_device
    >>> [requests(load_device("spyre"), 2097152, run) for run in (64, 128, 1024, 1 << 20)]
    [16384.0, 16384.0, 2048.0, 512.0]
    """
    return moved_bytes / max(device.stick_bytes, min(run_bytes, device.count("dma_burst_bytes")))


def request_ns(device: Device, cores: int) -> float | None:
    """Time of one request with so many cores at work; None where it was not measured."""
    key = f"{RATE}{cores}"
    return device.number(key) if key in device.numbers else None


def operand_request_ns(device: Device, cores: int) -> float:
    """Time of one request of an ordinary read: as with the next lower number of cores that was measured.

    >>> from compiler.device import load_device
    >>> [operand_request_ns(load_device("spyre"), cores) for cores in (1, 3, 22, 32, 40)]
    [8.75, 8.75, 7.5, 3.75, 3.75]
    """
    measured = sorted(int(key.removeprefix(RATE)) for key in device.numbers if key.startswith(RATE))
    below = [count for count in measured if count <= cores] or measured[:1]
    return device.number(f"{RATE}{below[-1]}")


def operand_request_us(device: Device, moved_bytes: int, run_bytes: int, cores: int) -> float:
    """What the requests of an ordinary read take beyond its bytes; UNKNOWN_RUN takes nothing.

    One expert of [2816, 704] read in sticks by 22 cores, 128 times; and of [704, 2816] in runs of 512 B by 11:

    >>> from compiler.device import load_device
    >>> spyre, expert = load_device("spyre"), 2816 * 704 * 2
    >>> [round(128 * operand_request_us(spyre, expert, *read)) for read in ((128, 22), (512, 11))]
    [26354, 4051]
    """
    if run_bytes == UNKNOWN_RUN:
        return 0.0
    issued = requests(device, moved_bytes, run_bytes) * operand_request_ns(device, cores) / NS_PER_US
    return max(0.0, issued - one_way_us(device, moved_bytes))


def swap_us(device: Device, moved_bytes: int, run_bytes: int, cores: int, written_bytes: int | None = None) -> float:
    """Time of a copy to another stick: bytes at the restickify rate, and what its requests take beyond that.

    `moved_bytes` are read, and as many written unless `written_bytes` says otherwise; UNKNOWN_RUN counts bytes only.

    >>> from compiler.device import load_device
    >>> spyre = load_device("spyre")
    >>> [round(swap_us(spyre, 2097152, run, cores) - swap_us(spyre, 2097152, UNKNOWN_RUN, cores), 2)
    ...  for run, cores in ((128, 16), (128, 32), (1024, 16), (128, 1), (128, 25))]
    [104.8, 43.36, 0.0, 125.28, 0.0]
    >>> round(swap_us(spyre, 2097152, 1024, 16), 2)
    36.16
    """
    base = restickify_us(device, moved_bytes + (moved_bytes if written_bytes is None else written_bytes))
    return base + swap_excess_us(device, moved_bytes, run_bytes, cores)


def swap_excess_us(device: Device, moved_bytes: int, run_bytes: int, cores: int) -> float:
    """What the requests and the transpose of such a copy take beyond its bytes; nothing that was not measured."""
    rate = request_ns(device, cores)
    if rate is None or run_bytes == UNKNOWN_RUN:
        return 0.0
    one_way = restickify_us(device, moved_bytes)
    issued = requests(device, moved_bytes, run_bytes) * rate / NS_PER_US
    turned = moved_bytes / cores / device.number("transpose_bytes_per_ns_core") / NS_PER_US
    return max(0.0, max(one_way + max(one_way, issued), turned) - 2 * one_way)


def plain_copy_us(
    device: Device, moved_bytes: int, run_bytes: int, cores: int, written_bytes: int | None = None
) -> float:
    """Time of a copy that keeps the stick: bytes each way, turnaround, and what its requests take beyond the reads.

    `moved_bytes` are read, and as many written unless `written_bytes` says otherwise; UNKNOWN_RUN counts bytes only.

    >>> from compiler.device import load_device
    >>> spyre = load_device("spyre")
    >>> [round(plain_copy_us(spyre, 2097152, run, cores), 2) for run, cores in ((4096, 32), (128, 32), (128, 25))]
    [40.0, 87.46, 40.0]
    """
    written = moved_bytes if written_bytes is None else written_bytes
    base = one_way_us(device, moved_bytes + written) + turnaround_us(device, moved_bytes, written)
    return base + plain_excess_us(device, moved_bytes, run_bytes, cores)


def plain_excess_us(device: Device, moved_bytes: int, run_bytes: int, cores: int) -> float:
    """What the requests of a copy that keeps the stick, or goes into LX, take beyond its reads; nothing that was not
    measured."""
    rate = request_ns(device, cores)
    if rate is None or run_bytes == UNKNOWN_RUN:
        return 0.0
    issued = requests(device, moved_bytes, run_bytes) * rate / NS_PER_US
    return max(0.0, issued - one_way_us(device, moved_bytes))


def copy_us(device: Device, buffer: Buffer, source: StickLayout, target: StickLayout) -> float:
    """Time of an edit that copies `buffer` from one layout to another, divided as divide-rest would divide it.

    A new stick, other lanes or another arrangement is a swap; a new order or padding is a plain copy, but where two
    outer dims change places it has the rate measured for that.
    """
    return _copy_us(device, buffer.shape, buffer.strides, buffer.dtype, source, target)


def swaps(source: StickLayout, target: StickLayout) -> bool:
    """True if a copy changes which elements share a stick or their order in it.

    >>> from compiler.layout import stick_layout
    >>> rows = stick_layout((4, 512, 64), (32768, 64, 1), 64)
    >>> [swaps(rows, stick_layout((4, 512, 64), (32768, 64, 1), 64, order)) for order in ((1, 0, 2), (0, 2, 1))]
    [False, True]
    """
    before = (source.stick_dim, source.elements_per_stick, source.arrangement)
    return before != (target.stick_dim, target.elements_per_stick, target.arrangement)


@lru_cache(maxsize=1 << 15)
def _copy_us(
    device: Device,
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    dtype: DType,
    source: StickLayout,
    target: StickLayout,
) -> float:
    """Kept by structure: the search for layouts asks for the same copies thousands of times."""
    copied = Buffer("source", dtype, shape, strides, BufferKind.COMPUTED)
    edit = Edit("copy", EditKind.RESTICKIFY, copied.name, "target", "copy", ())
    op = copy_op(edit, copied, Origin())
    buffers = frozendict({edit.source: copied, edit.target: copied})
    layouts = frozendict({edit.source: source, edit.target: target})
    space = space_of(op, Schedule((), buffers), layouts)
    division = space.division(largest_first(space, device.cores))
    measured = source.element_bytes == MEASURED_BYTES and copied.elements
    run = run_bytes(op, op.reads[0], copied, source, division) if measured else UNKNOWN_RUN
    if swaps(source, target):
        return swap_us(device, source.size_bytes, run, division.cores, target.size_bytes)
    seen = pattern_of(op, buffers, layouts)
    if seen is None:
        return plain_copy_us(device, source.size_bytes, run, division.cores, target.size_bytes)
    moved = (source.size_bytes + target.size_bytes) / bytes_per_ns(device, seen) / NS_PER_US
    return moved + plain_excess_us(device, source.size_bytes, run, division.cores)
