"""Op names: which op function of the device a loop nest is, and what its operands are.

Owns the table from primitives to op functions and the reading of bodies: one primitive over loads and constants, a
cast, a copy, a fold, a contraction, or a concatenation of copies.  Refuses bodies of several primitives on data: they
have no op function, and `why` says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from frozendict import frozendict

from compiler.dtypes import DType
from compiler.loops import Apply, Const, IndexValue, Instruction, Load, LoopOp, OpKind
from compiler.masks import mask_ranges

_ARITHMETIC: Final = ("add", "sub", "mul", "maximum", "minimum", "abs", "neg", "floor", "identity")
_CURVES: Final = ("exp", "log", "sqrt", "rsqrt", "reciprocal", "silu", "sigmoid", "tanh")
POINTWISE: Final[frozendict[str, str]] = frozendict(
    {
        **{name: name for name in (*_ARITHMETIC, *_CURVES)},
        "truediv": "realdiv",
        "eq": "equal",
        "ne": "notequal",
        "gt": "greaterthan",
        "ge": "greaterequal",
        "lt": "lesserthan",
        "le": "lesserequal",
        "where": "where3",
        "relu": "relufwd",
        "gelu": "gelufwd",
    }
)
"""Op function by primitive."""
REDUCTIONS: Final = frozenset({"sum", "max", "min", "prod"})
IDENTITY, CONTRACTION = "identity", "batchmatmul"
_CASTS: Final[frozendict[tuple[DType, DType], str]] = frozendict(
    {
        (DType.F16, DType.F32): "dl16tofp32",
        (DType.BF16, DType.F32): "dl16tofp32",
        (DType.F32, DType.F16): "fp32todl16",
        (DType.F32, DType.BF16): "fp32todl16",
        (DType.F8E4M3, DType.F16): "fp8todl16",
    }
)
_RELABELLED: Final = frozenset({DType.F16, DType.BF16, DType.BOOL, DType.I32, DType.I64, DType.F32})


@dataclass(frozen=True, slots=True)
class Operand:
    """A read of the op by its number, or (-1) a value that does not depend on data: body instruction `constant`."""

    read: int
    constant: int = -1


@dataclass(frozen=True, slots=True)
class Piece:
    """A copy that is a part of a concatenation: what it reads, and the range of each loop in which it happens."""

    read: int
    ranges: frozendict[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class NamedOp:
    """An op function with its operands, or the pieces of a concatenation (then `name` is that of a copy)."""

    name: str
    operands: tuple[Operand, ...]
    pieces: tuple[Piece, ...] = ()


def named_op(op: LoopOp) -> NamedOp | str:
    """What an op is on the device, or in words why it is nothing that has a name there."""
    if op.kind is OpKind.OPAQUE:
        return f"{op.call.target if op.call else 'a call'} runs on the host"
    if op.kind is OpKind.CONV:
        return "it is a convolution that was not turned into copies and products"
    if op.kind is OpKind.MATMUL:
        return _contraction(op)
    if op.kind is OpKind.REDUCTION:
        return _reduction(op)
    return _pointwise(op)


def _contraction(op: LoopOp) -> NamedOp | str:
    loads = [op.body[value] for value in op.results]
    if op.combine != "sum" or not all(isinstance(load, Load) and load.mask is None for load in loads):
        return "it does more with its operands than multiply and add them"
    return NamedOp(CONTRACTION, tuple(Operand(load.read) for load in loads if isinstance(load, Load)))


def _reduction(op: LoopOp) -> NamedOp | str:
    if op.combine not in REDUCTIONS:
        return f"there is no op function that folds by {op.combine}"
    result = op.body[op.results[0]]
    if not isinstance(result, Load) or result.mask is not None:
        return "it computes something before it folds"
    return NamedOp(op.combine, (Operand(result.read),))


def _pointwise(op: LoopOp) -> NamedOp | str:
    result = op.body[op.results[0]]
    if isinstance(result, Load) and result.mask is None:
        return NamedOp(IDENTITY, (Operand(result.read),))
    if not isinstance(result, Apply):
        return "its result does not depend on any tensor" if not isinstance(result, Load) else "it reads under a mask"
    pieces = _pieces(op)
    if pieces:
        return NamedOp(IDENTITY, tuple(Operand(piece.read) for piece in pieces), pieces)
    operands = [_operand(op, value) for value in result.args]
    if any(operand is None for operand in operands):
        return "it does several things in one loop nest"
    kept = tuple(operand for operand in operands if operand is not None)
    if all(operand.read < 0 for operand in kept):
        return "its result does not depend on any tensor"
    name = _cast(op, result, kept) if result.primitive == "cast" else POINTWISE.get(result.primitive)
    return NamedOp(name, kept) if name else f"there is no op function for {result.primitive}"


def _cast(op: LoopOp, cast: Apply, operands: tuple[Operand, ...]) -> str | None:
    source = op.body[cast.args[0]].dtype
    found = _CASTS.get((source, cast.dtype))
    if found is not None or operands[0].read < 0:
        return found
    return IDENTITY if source in _RELABELLED and source.device_bytes == cast.dtype.device_bytes else None


def _operand(op: LoopOp, value: int) -> Operand | None:
    """The operand that a body instruction is; None if it computes with data."""
    instruction = op.body[value]
    if isinstance(instruction, Load):
        return Operand(instruction.read) if instruction.mask is None else None
    return Operand(-1, value) if without_data(op.body, value) else None


def without_data(body: tuple[Instruction, ...], value: int) -> bool:
    """True if an instruction depends on nothing that is read."""
    instruction = body[value]
    if isinstance(instruction, Const):
        return True
    if isinstance(instruction, IndexValue):
        return not instruction.index.gathers
    return isinstance(instruction, Apply) and all(without_data(body, arg) for arg in instruction.args)


def _pieces(op: LoopOp) -> tuple[Piece, ...]:
    """The copies that a chain of `where` on index values picks from, in order, if together they fill the result."""
    reads = _chosen(op, op.results[0], 0)
    if len(reads) < 2 or len(set(reads)) < len(reads):
        return ()
    pieces = [Piece(read, frozendict(mask_ranges(op, read))) for read in reads]
    loops = {name for piece in pieces for name in piece.ranges}
    if len(loops) != 1:
        return ()
    loop = loops.pop()
    ranges = sorted(piece.ranges.get(loop, (0, 0)) for piece in pieces)
    ends = [0, *(end for _, end in ranges)]
    seamless = all(first == end for (first, _), end in zip(ranges, ends, strict=False))
    return tuple(pieces) if seamless and ends[-1] == op.extents[loop] else ()


def _chosen(op: LoopOp, value: int, depth: int) -> list[int]:
    """Numbers of the masked reads among the branches of nested `where`s on index values; [] if anything else is."""
    instruction = op.body[value]
    if isinstance(instruction, Load):
        return [instruction.read] if instruction.mask is not None else [-1]
    if isinstance(instruction, Const):
        return []
    if not isinstance(instruction, Apply) or instruction.primitive != "where" or depth > len(op.body):
        return [-1, -1]
    condition, yes, no = instruction.args
    if not without_data(op.body, condition):
        return [-1, -1]
    return [*_chosen(op, yes, depth + 1), *_chosen(op, no, depth + 1)]
