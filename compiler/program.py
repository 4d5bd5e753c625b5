"""Program: the plan made concrete, everything the device (or the simulator) needs and nothing it does not.

Owns tensors with memory, address and per-core boxes, and device ops with per-core slices.  Refuses choices:
`compiler.materialize` derives it from problem + plan alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from frozendict import frozendict

from compiler.dtypes import DType
from compiler.layout import StickLayout
from compiler.loops import BufferKind, LoopOp, OutputView


class Memory(StrEnum):
    """Where a tensor lives."""

    HBM = "hbm"
    LX = "lx"


@dataclass(frozen=True, slots=True)
class CoreBox:
    """The part of a tensor one core holds in LX: start and size of every device dim (lane dim included).

    Several cores may hold the same part; a core that passes its partial result on holds none.
    """

    core: int
    start: tuple[int, ...]
    size: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DeviceTensor:
    """A tensor on the device.  `address` is in bytes in its memory; `boxes` only for LX (one per owning core)."""

    name: str
    dtype: DType
    kind: BufferKind
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    layout: StickLayout
    memory: Memory
    address: int
    boxes: tuple[CoreBox, ...] = ()


@dataclass(frozen=True, slots=True)
class CoreSlice:
    """Half-open range of every loop on one core, in the op's loop order; `last` is False for cores whose partial
    result is passed on along the ring to the core `pass_to`."""

    core: int
    ranges: tuple[tuple[int, int], ...]
    pass_to: int = -1


@dataclass(frozen=True, slots=True)
class DeviceOp:
    """One step on the device: the loop nest, the slice of each core, loops whose stick tail is masked.

    With `ring` every core fetches what it reads over the ring from the LX of the cores that hold it: what it holds
    itself from itself, the rest from the core with the lowest number that does.  Without, no core sees another's LX.
    """

    name: str
    step: int
    op: LoopOp
    slices: tuple[CoreSlice, ...]
    masked: tuple[str, ...] = ()
    ring: bool = False


@dataclass(frozen=True, slots=True)
class ProgramKernel:
    """Ops launched together."""

    name: str
    ops: tuple[DeviceOp, ...]


@dataclass(frozen=True, slots=True)
class Program:
    """Tensors and kernels; `hbm_bytes` is the device memory used, `lx_bytes` the highest LX address used."""

    model: str
    device: str
    cores: int
    tensors: tuple[DeviceTensor, ...]
    kernels: tuple[ProgramKernel, ...]
    outputs: tuple[OutputView, ...]
    hbm_bytes: int
    lx_bytes: int

    @property
    def tensor_map(self) -> frozendict[str, DeviceTensor]:
        """Tensor name -> tensor."""
        return frozendict((tensor.name, tensor) for tensor in self.tensors)
