"""Numerics: what every primitive means in numbers.

Owns the table with the keys of `compiler.primitives.PRIMITIVES` and the rule of types: a narrow float is computed in
fp32 and rounded once per instruction, which is what eager fp16 and bf16 do on a CPU.  Refuses memory and loops.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import torch
from frozendict import frozendict
from torch import Tensor
from torch.nn import functional

from compiler.dtypes import DType
from simulator.functional.elements import torch_dtype

Function = Callable[..., Tensor]


def _identity(value: Tensor) -> Tensor:
    return value


def _divide(rounding: str) -> Function:
    """Division of floats and of integers; an integer divided by zero is 0 here, where torch stops the whole tensor."""

    def divide(left: Tensor, right: Tensor) -> Tensor:
        if right.dtype.is_floating_point:
            return torch.div(left, right, rounding_mode=rounding)
        return torch.where(right == 0, 0, torch.div(left, torch.where(right == 0, 1, right), rounding_mode=rounding))

    return divide


def _rest(function: Function) -> Function:
    def rest(left: Tensor, right: Tensor) -> Tensor:
        if right.dtype.is_floating_point:
            return function(left, right)
        return torch.where(right == 0, 0, function(left, torch.where(right == 0, 1, right)))

    return rest


def _gelu_tanh(value: Tensor) -> Tensor:
    return functional.gelu(value, approximate="tanh")


def _fma(left: Tensor, right: Tensor, added: Tensor) -> Tensor:
    return left * right + added


def _named(module: object, names: str) -> dict[str, Function]:
    return {name: getattr(module, name) for name in names.split()}


NUMERICS: frozendict[str, Function] = frozendict(
    {
        **dict.fromkeys(("identity", "cast", "bitcast"), _identity),
        **_named(torch, "neg abs relu square sign floor ceil trunc round isnan isinf signbit logical_not bitwise_not"),
        **_named(torch, "exp exp2 expm1 log log2 log10 log1p sqrt rsqrt reciprocal"),
        **_named(torch, "sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf erfc sigmoid"),
        **_named(functional, "gelu silu"),
        "gelu_tanh": _gelu_tanh,
        **_named(torch, "add sub mul maximum minimum pow atan2 eq ne lt le gt ge copysign where"),
        "truediv": torch.true_divide,
        "floordiv": _divide("floor"),
        "truncdiv": _divide("trunc"),
        "mod": _rest(torch.fmod),
        "remainder": _rest(torch.remainder),
        **_named(torch, "logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor"),
        **_named(torch, "bitwise_left_shift bitwise_right_shift"),
        "fma": _fma,
    }
)


def apply(primitive: str, args: list[Tensor], dtype: DType) -> Tensor:
    """The value of one instruction, rounded to `dtype`.  Tensors broadcast against each other."""
    return value_of(primitive, args, torch_dtype(dtype))


def value_of(primitive: str, args: list[Tensor], kind: torch.dtype) -> Tensor:
    """The same for any type of torch.

    Operands meet in the widest of their types and the result's (a bool result says nothing about them).
    """
    if primitive == "bitcast":
        return args[0].contiguous().view(kind)
    if primitive in ("cast", "identity"):
        return args[0].to(kind)
    operands = args[1:] if primitive == "where" else args
    kinds = [each.dtype for each in operands] + ([] if kind is torch.bool else [kind])
    common = reduce(torch.promote_types, [_computed_in(each) for each in kinds])
    operands = [each.to(common) for each in operands]
    if primitive == "where":
        operands = [args[0].to(torch.bool), *operands]
    return NUMERICS[primitive](*operands).to(kind)


def _computed_in(kind: torch.dtype) -> torch.dtype:
    """fp32 for narrow floats, the type itself otherwise."""
    return torch.float32 if kind.is_floating_point and kind.itemsize < 4 else kind
