"""Tolerance: how large the error of one rounding may be.

Owns the unit of every type and which primitives round.  Refuses whole ops: what becomes of roundings is in `deviation`.
"""

from __future__ import annotations

import torch
from frozendict import frozendict
from torch import Tensor

from compiler.dtypes import DType

UNITS = frozendict(
    {DType.F16: 2.0**-11, DType.BF16: 2.0**-8, DType.F32: 2.0**-20, DType.F8E4M3: 2.0**-4, DType.F8E5M2: 2.0**-3},
)
"""The largest error of one rounding, relative to the value: half a step.  In fp32 it is 16 times as much: functions are
not rounded correctly, and PyTorch computes norms in other ways than step by step."""
SMALLEST = frozendict(
    {DType.F16: 2.0**-25, DType.BF16: 2.0**-134, DType.F32: 2.0**-149, DType.F8E4M3: 2.0**-10, DType.F8E5M2: 2.0**-17},
)
"""Half a step near zero; in fp32 a whole one, the least number in which deviations themselves are kept."""
ADDED = 2.0**-24
"""The largest error of one addition in fp32, in which sums are kept, relative to the sum so far."""
_EXACT_NAMES = """
identity bitcast neg abs relu sign floor ceil trunc round isnan isinf signbit logical_not maximum minimum where copysign
eq ne lt le gt ge logical_and logical_or logical_xor bitwise_not bitwise_and bitwise_or bitwise_xor
"""
EXACT = frozenset(_EXACT_NAMES.split())
"""Primitives that round nothing."""
_STEPPED_NAMES = "sign floor ceil trunc round floordiv truncdiv mod remainder copysign"
STEPPED = frozenset(_STEPPED_NAMES.split())
"""Primitives that jump: an operand a little larger may give a result a whole step larger."""
OF_OPERAND = frozenset({"gelu", "gelu_tanh"})
"""Primitives whose error is relative to the operand: it is multiplied by what is left of 1 after a subtraction."""


def rounding(value: Tensor, dtype: DType) -> Tensor:
    """The largest error of rounding each value to a type, in fp64; infinity and NaN have none, nor have integers."""
    if not dtype.is_float:
        return torch.zeros(value.shape, dtype=torch.float64)
    size = torch.nan_to_num(value.to(torch.float64), 0.0, 0.0, 0.0).abs()
    return (size * UNITS[dtype]).clamp_min_(SMALLEST[dtype])
