"""Tolerance: how much rounding to expect of every buffer.

Owns the noise that ops add, step by step, and the tolerance that follows from it (the rule is in `simulator.report`).
Refuses to compare: that is `compare`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from frozendict import frozendict

from compiler.dtypes import DType
from compiler.loops import Apply, LoopOp, OpKind
from simulator.report import Tolerance

UNITS = frozendict(
    {DType.F16: 1e-3, DType.BF16: 8e-3, DType.F32: 1e-6, DType.F8E4M3: 0.125, DType.F8E5M2: 0.25},
)
"""Relative size of one rounding, a little above one step of the format."""
SMALLEST = frozendict(
    {DType.F16: 2.0**-24, DType.BF16: 0.0, DType.F32: 0.0, DType.F8E4M3: 2.0**-9, DType.F8E5M2: 2.0**-16},
)
"""The step of the format near zero."""
FP32_STEP = 2.0**-23
_EXACT_NAMES = """
identity bitcast neg abs relu sign floor ceil trunc round isnan isinf signbit logical_not maximum minimum where copysign
eq ne lt le gt ge logical_and logical_or logical_xor bitwise_not bitwise_and bitwise_or bitwise_xor
"""
EXACT = frozenset(_EXACT_NAMES.split())
"""Primitives that round nothing."""
ADDING = frozenset({"add", "sub", "fma"})


@dataclass(frozen=True, slots=True)
class Noise:
    """Squares of E (`own`, relative to an element) and N (`spread`, relative to the root mean square of the result)."""

    own: float = 0.0
    spread: float = 0.0


@dataclass(frozen=True, slots=True)
class Size:
    """Largest value and root mean square of a tensor's finite elements."""

    peak: float
    rms: float


def noise_of(op: LoopOp, reads: Iterable[Noise], dtype: DType) -> Noise:
    """The noise of a result of type `dtype`, given that of the operands."""
    known = tuple(reads)
    own = max((each.own for each in known), default=0.0)
    spread = max((each.spread for each in known), default=0.0)
    if sums(op):
        terms = math.prod(loop.extent for loop in op.reduction_loops)
        spread = max(spread, own) + terms * FP32_STEP**2
    return Noise(own + _roundings(op, dtype), spread)


def _roundings(op: LoopOp, dtype: DType) -> float:
    """Squares of the units of all roundings in one op."""
    rounding = [each for each in op.body if isinstance(each, Apply) and each.primitive not in EXACT]
    inside = sum(UNITS.get(each.dtype, 0.0) ** 2 for each in rounding)
    result = 0.0 if op.kind is OpKind.POINTWISE else UNITS.get(dtype, 0.0) ** 2
    return inside + result


def sums(op: LoopOp) -> bool:
    """True if many terms are added up."""
    return op.kind in (OpKind.MATMUL, OpKind.CONV) or op.combine in ("sum", "prod")


def adds(op: LoopOp) -> bool:
    """True if the result may be much smaller than what it was added up from."""
    return sums(op) or any(isinstance(each, Apply) and each.primitive in ADDING for each in op.body)


def tolerance(noise: Noise, dtype: DType, size: Size, added: float = 0.0) -> Tolerance:
    """The tolerance of a result, given the size of its reference and of the largest value that was added up to make it.

    Integers and exact copies have none.
    """
    own, spread = math.sqrt(noise.own), math.sqrt(noise.spread)
    if not dtype.is_float or own + spread == 0:
        return Tolerance(0.0, 0.0, 0.0)
    near_zero = SMALLEST[dtype]
    absolute = own * min(1.0, max(size.peak, added)) + spread * size.rms + near_zero
    norm = 0.4 * math.hypot(own, spread) * size.rms + 0.1 * own * min(1.0, added) + near_zero
    return Tolerance(absolute, 2 * own, norm)
