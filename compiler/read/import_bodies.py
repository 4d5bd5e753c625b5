"""Imported bodies: what an op function computes, as the body of a loop nest.

Owns the way back from op functions to primitives, folds and contractions, and the copies of a concatenation.  Refuses
functions whose arithmetic is not public, such as the layer norm trio: for these there is no body.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from frozendict import frozendict

from compiler.dtypes import DType
from compiler.formats.element_types import FP8, FP16, FP32, INT32
from compiler.formats.op_names import IDENTITY, POINTWISE, REDUCTIONS
from compiler.loops import Access, Apply, Const, Index, IndexValue, Instruction, Load, OpKind, Term
from compiler.primitives import PRIMITIVES

RESTICKIFY, SHUFFLE = "ReStickifyOpHBM", "shuffle"
COPIES: Final = frozenset({IDENTITY, RESTICKIFY, SHUFFLE})
PRODUCTS: Final = frozenset({"batchmatmul", "batchmatmulfp8"})
COMPARISONS: Final = frozenset({"eq", "ne", "gt", "ge", "lt", "le"})
_CASTS: Final = frozenset({"dl16tofp32", "fp32todl16", "fp8todl16"})
_PRIMITIVES: Final = frozendict({function: primitive for primitive, function in POINTWISE.items()})
_TYPES: Final[frozendict[str, tuple[DType, ...]]] = frozendict(
    {
        FP16: (DType.F16, DType.BF16, DType.BOOL),
        FP32: (DType.F32, DType.BOOL),
        INT32: (DType.I32, DType.I64, DType.BOOL),
        FP8: (DType.F8E4M3,),
        "SENUINT32": (DType.I32, DType.I64),
        "SENINT32": (DType.I32, DType.I64),
        "BFLOAT16": (DType.BF16,),
    }
)


@dataclass(slots=True)
class Body:
    """Reads and instructions of an op while it is made; equal instructions are there once."""

    reads: list[Access] = field(default_factory=list)
    steps: list[Instruction] = field(default_factory=list)

    def load(self, access: Access, dtype: DType, mask: int | None = None) -> int:
        """The value of an access, as a read of its own."""
        self.reads.append(access)
        return self.add(Load(len(self.reads) - 1, dtype, mask))

    def add(self, step: Instruction) -> int:
        """The number of an instruction."""
        same = (place for place, known in enumerate(self.steps) if repr(known) == repr(step))  # 0.0 is not -0.0
        place = next(same, len(self.steps))
        if place == len(self.steps):
            self.steps.append(step)
        return place

    def apply(self, primitive: str, args: Sequence[int], dtype: DType) -> int:
        """The number of a primitive applied to earlier values."""
        return self.add(Apply(primitive, tuple(args), dtype))


def kind_of(function: str) -> OpKind:
    """What kind of op a function is."""
    if function in PRODUCTS:
        return OpKind.MATMUL
    if function in REDUCTIONS or function == "mean":
        return OpKind.REDUCTION
    known = function in COPIES | _CASTS | {"clip", "softplus"} or function in _PRIMITIVES
    return OpKind.POINTWISE if known else OpKind.OPAQUE


def combine_of(function: str) -> str:
    """How an op function folds its reduced loops, '' if it does not."""
    if function in PRODUCTS or function == "mean":
        return "sum"
    return function if function in REDUCTIONS else ""


def arity(function: str) -> int:
    """How many operands an op function that has a body takes."""
    if function in PRODUCTS:
        return 2
    primitive = _PRIMITIVES.get(function)
    return PRIMITIVES[primitive].arity if primitive else 1


def computed(
    body: Body, function: str, values: Sequence[int], constants: Mapping[str, float], dtype: DType
) -> tuple[int, ...] | None:
    """The results of an op function on these values; None if a number that it needs is missing."""
    if function in PRODUCTS:
        return tuple(values)
    if function == "mean":
        if "scaling_factor" not in constants:
            return None
        factor = body.add(Const(constants["scaling_factor"], dtype))
        return (body.apply("mul", (values[0], factor), dtype),)
    if function in REDUCTIONS:
        return (values[0],)
    if function in COPIES | _CASTS:
        source = body.steps[values[0]].dtype
        return (values[0] if source is dtype else body.apply("cast", values, dtype),)
    if function == "clip":
        return _clip(body, values[0], constants, dtype)
    if function == "softplus":
        return _softplus(body, values[0], constants, dtype)
    return (body.apply(_PRIMITIVES[function], values, dtype),)


def _clip(body: Body, value: int, constants: Mapping[str, float], dtype: DType) -> tuple[int, ...]:
    for name, primitive in (("clipMin", "maximum"), ("clipMax", "minimum")):
        if name in constants:
            value = body.apply(primitive, (value, body.add(Const(constants[name], dtype))), dtype)
    return (value,)


def _softplus(body: Body, value: int, constants: Mapping[str, float], dtype: DType) -> tuple[int, ...] | None:
    """`log(1 + exp(beta x)) / beta`, and x itself where beta x is above the threshold."""
    if not {"softplusBeta", "softplusThresh"} <= set(constants):
        return None
    beta, limit = (body.add(Const(constants[name], dtype)) for name in ("softplusBeta", "softplusThresh"))
    steep = body.apply("mul", (value, beta), dtype)
    soft = body.apply("log1p", (body.apply("exp", (steep,), dtype),), dtype)
    small = body.apply("truediv", (soft, beta), dtype)
    above = body.apply("gt", (steep, limit), DType.BOOL)
    return (body.apply("where", (above, value, small), dtype),)


def result_type(function: str, device_dtype: str, sources: Sequence[DType]) -> DType:
    """The host type of a result: that of an operand where the device does not tell them apart."""
    possible = _TYPES.get(device_dtype, (DType.F16,))
    if _PRIMITIVES.get(function) in COMPARISONS:
        return DType.BOOL
    if function not in COPIES:
        possible = tuple(kind for kind in possible if kind is not DType.BOOL)
    likely = [kind for kind in reversed(sources) if kind in possible]
    return likely[0] if likely else possible[0]


def piece_mask(body: Body, loop: str, first: int, end: int, whole: int) -> int:
    """The condition `first <= loop < end` of a piece of a concatenation over `whole` iterations."""
    value = body.add(IndexValue(Index(0, (Term(1, ((loop, 1),)),)), DType.I64))
    parts = []
    if first:
        parts.append(body.apply("ge", (value, body.add(Const(first, DType.I64))), DType.BOOL))
    if end < whole:
        parts.append(body.apply("lt", (value, body.add(Const(end, DType.I64))), DType.BOOL))
    return parts[0] if len(parts) == 1 else body.apply("logical_and", parts, DType.BOOL)
