"""Contraction: the sum over reduction loops of the product of two operands (matmul, convolution).

Owns the choice of how to compute it quickly.  Operands are raised to fp32 first: products and sums of narrow floats
are exact to fp32 on the device, and narrow matrix products are very slow on a CPU.  Integers are summed in fp64,
exact to 53 bits.
"""

from __future__ import annotations

import string

import torch
from torch import Tensor

from compiler.loops import Role
from simulator.functional.space import Space

ACCUMULATION = "products and partial sums in fp32 (of integers exactly), rounded once where a core writes the result"
"""How sums are kept: over the range of a core, then along the chain of cores that share one result."""


def contract(space: Space, left: Tensor, right: Tensor) -> Tensor:
    """Sum over the space's reduction loops; the result has the shape of its output loops, fp32 or int64."""
    whole = left.dtype.is_floating_point or right.dtype.is_floating_point
    kind = torch.float32 if whole else torch.float64
    left, right = left.to(kind), right.to(kind)
    names = dict(zip(range(len(space.loops)), string.ascii_letters, strict=False))
    kept = [place for place, loop in enumerate(space.loops) if loop.role is Role.OUTPUT]
    in_left, in_right = _moving(left), _moving(right)
    alone = [p for p, loop in enumerate(space.loops) if loop.role is Role.REDUCTION and p not in in_left | in_right]
    spelled = ["".join(names[place] for place in sorted(places)) for places in (in_left, in_right)]
    result = "".join(names[place] for place in kept if place in in_left | in_right)
    total = torch.einsum(f"{spelled[0]},{spelled[1]}->{result}", _squeezed(left, in_left), _squeezed(right, in_right))
    for place in alone:
        total = total * space.shape[place]
    full = total.reshape([space.shape[p] if p in in_left | in_right else 1 for p in kept])
    full = full.expand([space.shape[place] for place in kept])
    return full if whole else full.to(torch.int64)


def _moving(operand: Tensor) -> set[int]:
    """Loops along which an operand has more than one value."""
    return {place for place, size in enumerate(operand.shape) if size > 1}


def _squeezed(operand: Tensor, places: set[int]) -> Tensor:
    return operand.reshape([operand.shape[place] for place in sorted(places)])
