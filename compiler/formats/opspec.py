"""Op specifications: the last form of a kernel that torch-spyre's front end has, as values.

Owns ops, their arguments with device coordinates and places, counted loops and kernels, as a plan is exported to and as
files of others are read.  Fields that nobody here knows are kept as `extra`, in JSON text, and written again.  Refuses
names of buffers of ours but as `name`: a kernel knows its arguments by number.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from frozendict import frozendict

from compiler.formats.element_types import BYTES
from compiler.formats.expression import Expression
from compiler.layout import STICK_BYTES

ARGUMENT_SEGMENT_BYTES = 0x4_0000_0000
"""Distance of the address ranges of kernel arguments in files with absolute addresses."""
CONTRACTIONS = frozenset({"batchmatmul", "batchmatmulfp8", "conv2d"})
"""Op functions whose reduced dim goes round the cores first where it is cut."""


def true_sizes(device_size: tuple[int, ...]) -> tuple[int, ...]:
    """The device dims of more than one place: how many of the others are written down varies from file to file."""
    return tuple(size for size in device_size if size > 1)


class Room(StrEnum):
    """Where an argument lies."""

    HBM = "hbm"
    LX = "lx"
    POOL = "hbm_pool"


@dataclass(frozen=True, slots=True)
class Place:
    """`at`: number of the kernel argument (hbm), bytes in the scratchpad of every core (lx), bytes in the pool of the
    kernel (hbm_pool)."""

    room: Room
    at: int


@dataclass(frozen=True, slots=True)
class Dimension:
    """One iteration symbol: its extent without padding, and into how many slices it is cut."""

    symbol: str
    extent: int
    slices: int = 1


@dataclass(frozen=True, slots=True)
class WorkDivision:
    """Who holds which slice of a tensor in LX, where that differs from the op's: slices by symbol, and for every core
    its slice of each symbol."""

    slices: frozendict[str, int]
    of_core: tuple[frozendict[str, int], ...]


@dataclass(frozen=True, slots=True)
class TensorArg:
    """One tensor that an op reads or writes.

    `device_size` has the elements of a stick last; `coordinates` are one expression for each of its dims.  `argument`
    is its number among the arguments of the kernel, -1 for what never leaves it.
    """

    is_input: bool
    argument: int
    device_dtype: str
    device_size: tuple[int, ...]
    coordinates: tuple[Expression, ...]
    place: Place
    arrangement: str = "STANDARD"
    name: str = ""
    division: WorkDivision | None = None
    extra: frozendict[str, str] = field(default_factory=frozendict)

    @property
    def lanes(self) -> int:
        """Elements of a stick."""
        return self.device_size[-1] if self.device_size else 1

    @property
    def word_bytes(self) -> int:
        """Bytes of an element; of a type that nobody knows, what a stick leaves for each of its lanes."""
        return BYTES.get(self.device_dtype, STICK_BYTES // self.lanes)

    @property
    def size_bytes(self) -> int:
        """Bytes of the whole tensor on the device."""
        return math.prod(self.device_size[:-1]) * STICK_BYTES


@dataclass(frozen=True, slots=True)
class Source:
    """A place in a source file; lines and columns count from 1 and 0."""

    file: str
    start_line: int
    start_col: int = 0
    end_line: int = 0
    end_col: int = 0


@dataclass(frozen=True, slots=True)
class DebugHandle:
    """Where an op comes from: a source line, the operator of ATen, and the nodes it went through."""

    source: Source | None
    aten_op: str | None
    ir_chain: tuple[str, ...]
    fused_from: tuple[DebugHandle, ...] = ()


@dataclass(frozen=True, slots=True)
class OpSpec:
    """One op: what is computed over which iterations, on how many slices of each, inputs first, the output last.

    `fastest` are the symbols that are cut, in the order in which slices go round the cores, the first one fastest;
    empty stands for the order of the front end: that of the iteration, a reduced dim of a contraction before all.
    """

    op: str
    is_reduction: bool
    iteration: tuple[Dimension, ...]
    args: tuple[TensorArg, ...]
    constants: frozendict[str, float] = field(default_factory=frozendict)
    handle: DebugHandle | None = None
    fastest: tuple[str, ...] = ()
    extra: frozendict[str, str] = field(default_factory=frozendict)

    @property
    def cores(self) -> int:
        """Cores that work on it."""
        return math.prod(dim.slices for dim in self.iteration)

    @property
    def rounds(self) -> tuple[Dimension, ...]:
        """The dims that are cut, the one whose slice changes from core to core first."""
        cut = {dim.symbol: dim for dim in self.iteration if dim.slices > 1}
        if self.fastest:
            return tuple(cut[name] for name in self.fastest)
        last = self.iteration[-1] if self.iteration else None
        first = [last] if self.op in CONTRACTIONS and last is not None and last.symbol in cut else []
        return (*first, *(dim for dim in cut.values() if dim not in first))

    def slices_of(self, core: int) -> frozendict[str, int]:
        """The slice of every symbol that a core works on."""
        found = dict.fromkeys((dim.symbol for dim in self.iteration), 0)
        for dim in self.rounds:
            core, found[dim.symbol] = divmod(core, dim.slices)
        return frozendict(found)

    @property
    def inputs(self) -> tuple[TensorArg, ...]:
        """All arguments that it reads."""
        return tuple(arg for arg in self.args if arg.is_input)

    @property
    def output(self) -> TensorArg:
        """What it writes."""
        return self.args[-1]

    @property
    def extents(self) -> frozendict[str, int]:
        """Extents by symbol."""
        return frozendict((dim.symbol, dim.extent) for dim in self.iteration)


@dataclass(frozen=True, slots=True)
class LoopSpec:
    """Ops that run `count` times."""

    count: int
    body: tuple[OpSpec | LoopSpec, ...]


@dataclass(frozen=True, slots=True)
class KernelArgument:
    """A tensor that a kernel is launched with: its host form and its device layout."""

    number: int
    name: str
    is_input: bool
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: str
    device_size: tuple[int, ...]
    stride_map: tuple[int, ...]
    device_dtype: str
    arrangement: str = "STANDARD"


@dataclass(frozen=True, slots=True)
class KernelSpec:
    """Ops that are launched together, in the order in which they run; `pool_bytes` of device memory are its own."""

    name: str
    body: tuple[OpSpec | LoopSpec, ...]
    arguments: tuple[KernelArgument, ...] = ()
    pool_bytes: int = 0

    def ops(self) -> Iterator[OpSpec]:
        """All ops, depth first."""
        yield from _ops(self.body)


def _ops(body: tuple[OpSpec | LoopSpec, ...]) -> Iterator[OpSpec]:
    for one in body:
        if isinstance(one, LoopSpec):
            yield from _ops(one.body)
        else:
            yield one
