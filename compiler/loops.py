"""LoopProgram: the lowered model as loop nests over buffers, torch-free.

Owns loops, accesses (affine maps with floor/mod, or indirect), SSA bodies and origins.  Refuses decisions: no layout,
no division, no address ever lives here.  Indices are flat offsets, in elements, into the storage of a buffer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from frozendict import frozendict
from numpy.typing import NDArray

from compiler.dtypes import DType


class Role(StrEnum):
    """What a loop does to the result."""

    OUTPUT = "output"
    REDUCTION = "reduced"


@dataclass(frozen=True, slots=True)
class Loop:
    """A named loop `0 <= name < extent`."""

    name: str
    extent: int
    role: Role = Role.OUTPUT


@dataclass(frozen=True, slots=True)
class Term:
    """`coefficient * ((sum of factor*loop + offset) // divisor % modulus)`; modulus 0 means none."""

    coefficient: int
    loops: tuple[tuple[str, int], ...]
    offset: int = 0
    divisor: int = 1
    modulus: int = 0

    def evaluate(self, values: Mapping[str, NDArray[np.int64]]) -> NDArray[np.int64]:
        """The term at loop values (arrays that broadcast); floor semantics for negative sums."""
        total = np.asarray(self.offset, dtype=np.int64)
        for name, factor in self.loops:
            total = total + values[name] * factor
        total = total // self.divisor
        return np.asarray((total % self.modulus if self.modulus else total) * self.coefficient, dtype=np.int64)

    @property
    def plain(self) -> bool:
        """True for `coefficient * loop` with nothing else."""
        return (
            len(self.loops) == 1 and self.loops[0][1] == 1 and not (self.offset or self.modulus) and self.divisor == 1
        )


@dataclass(frozen=True, slots=True)
class Gather:
    """`coefficient * value of body instruction`; a negative value counts from the end of `size` entries."""

    coefficient: int
    value: int
    size: int


@dataclass(frozen=True, slots=True)
class Index:
    """Flat element offset into a buffer: constant + terms + gathered indices."""

    offset: int
    terms: tuple[Term, ...] = ()
    gathers: tuple[Gather, ...] = ()

    @property
    def affine(self) -> bool:
        """True if every term is `coefficient * loop` and nothing is gathered."""
        return not self.gathers and all(term.plain for term in self.terms)

    @property
    def loop_names(self) -> frozenset[str]:
        """Loops this index depends on directly (not through a gathered value)."""
        return frozenset(name for term in self.terms for name, _ in term.loops)

    def evaluate(self, values: Mapping[str, NDArray[np.int64]]) -> NDArray[np.int64]:
        """Flat offsets at loop values (arrays that broadcast); gathered parts are left out and must be added by the
        caller."""
        total = np.asarray(self.offset, dtype=np.int64)
        for term in self.terms:
            total = total + term.evaluate(values)
        return np.asarray(total, dtype=np.int64)

    def coefficient(self, loop: str) -> int:
        """Elements one step of `loop` moves, counting plain terms only."""
        return sum(term.coefficient for term in self.terms if term.plain and term.loops[0][0] == loop)


@dataclass(frozen=True, slots=True)
class Access:
    """A read or a write of one element per iteration."""

    buffer: str
    index: Index


@dataclass(frozen=True, slots=True)
class Load:
    """Body: the element of `reads[read]`; with `mask` (an instruction) no access happens where the mask is false."""

    read: int
    dtype: DType
    mask: int | None = None


@dataclass(frozen=True, slots=True)
class Const:
    """Body: a scalar."""

    value: float | int | bool
    dtype: DType


@dataclass(frozen=True, slots=True)
class IndexValue:
    """Body: the value of an index expression (an iota)."""

    index: Index
    dtype: DType


@dataclass(frozen=True, slots=True)
class Apply:
    """Body: a primitive of `compiler.primitives` on earlier instructions."""

    primitive: str
    args: tuple[int, ...]
    dtype: DType


Instruction = Load | Const | IndexValue | Apply


class OpKind(StrEnum):
    """What the hardware does for an op."""

    POINTWISE = "pointwise"
    REDUCTION = "reduction"
    MATMUL = "matmul"
    CONV = "conv"
    OPAQUE = "opaque"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an op comes from: ModelGraph nodes, module path, `file.py:line`, ATen name."""

    nodes: tuple[str, ...] = ()
    module: str = ""
    source: str = ""
    target: str = ""


@dataclass(frozen=True, slots=True)
class OpaqueCall:
    """A call with no loop form.  Arguments are JSON texts; `{"read": 0}` stands for a tensor."""

    target: str
    arguments: tuple[str, ...]
    keywords: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class LoopOp:
    """One loop nest.

    `results` are body instructions: one value (pointwise, reduction) or the two operands of a contraction (matmul,
    conv).
    `combine` is how reduction loops fold: sum, max, min, prod, any, argmax, argmin ('' for pointwise and opaque).
    Normal ops have one write; only opaque ops have several, and only opaque ops have an empty body.
    """

    name: str
    kind: OpKind
    combine: str
    loops: tuple[Loop, ...]
    reads: tuple[Access, ...]
    writes: tuple[Access, ...]
    body: tuple[Instruction, ...]
    results: tuple[int, ...]
    origin: Origin
    call: OpaqueCall | None = None

    @property
    def write(self) -> Access:
        """The only write of a normal op."""
        return self.writes[0]

    @property
    def accesses(self) -> tuple[Access, ...]:
        """All accesses, reads first."""
        return (*self.reads, *self.writes)

    @property
    def touched(self) -> tuple[str, ...]:
        """The buffers of all accesses, each once."""
        return tuple(dict.fromkeys(access.buffer for access in self.accesses))

    @property
    def extents(self) -> frozendict[str, int]:
        """Loop name -> extent."""
        return frozendict((loop.name, loop.extent) for loop in self.loops)

    @property
    def output_loops(self) -> tuple[Loop, ...]:
        """Loops that index the result."""
        return tuple(loop for loop in self.loops if loop.role is Role.OUTPUT)

    @property
    def reduction_loops(self) -> tuple[Loop, ...]:
        """Loops folded away by `combine`."""
        return tuple(loop for loop in self.loops if loop.role is Role.REDUCTION)

    @property
    def iterations(self) -> int:
        """Points of the iteration space."""
        return math.prod(loop.extent for loop in self.loops)

    def masked(self, read: int) -> bool:
        """True if some load of this read happens under a mask."""
        return any(isinstance(step, Load) and step.read == read and step.mask is not None for step in self.body)


class BufferKind(StrEnum):
    """Who fills a buffer."""

    INPUT = "input"
    PARAMETER = "parameter"
    CONSTANT = "constant"
    COMPUTED = "computed"


@dataclass(frozen=True, slots=True)
class Buffer:
    """A tensor in host terms: sizes and strides in elements of one dense storage."""

    name: str
    dtype: DType
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    kind: BufferKind

    @property
    def elements(self) -> int:
        """Number of logical elements."""
        return math.prod(self.shape)

    @property
    def storage_elements(self) -> int:
        """Elements from the first to the last addressed one."""
        if 0 in self.shape:
            return 0
        return 1 + sum((size - 1) * stride for size, stride in zip(self.shape, self.strides, strict=True))


@dataclass(frozen=True, slots=True)
class OutputView:
    """A result of the model: a strided view of a buffer."""

    name: str
    buffer: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int = 0


@dataclass(frozen=True, slots=True)
class ModelSource:
    """How to find the model again: the spec as given on the command line and a digest of its file."""

    spec: str
    digest: str = ""


@dataclass(frozen=True, slots=True)
class LoopProgram:
    """Buffers and ops in schedule order; buffers are listed inputs first, then in order of their writers."""

    name: str
    source: ModelSource
    buffers: tuple[Buffer, ...]
    ops: tuple[LoopOp, ...]
    outputs: tuple[OutputView, ...]

    @property
    def buffer_map(self) -> frozendict[str, Buffer]:
        """Buffer name -> Buffer."""
        return frozendict((buffer.name, buffer) for buffer in self.buffers)

    @property
    def op_map(self) -> frozendict[str, LoopOp]:
        """Op name -> LoopOp."""
        return frozendict((op.name, op) for op in self.ops)
