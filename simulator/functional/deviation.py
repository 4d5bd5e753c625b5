"""Deviation: how far rounding moves every element of what an op computes.

Owns the standard deviation of each result of one op, of its own roundings and of what its operands carry through it.
A rounding counts with the largest error it can make, and errors of different origin add up in squares.  What an error
of an operand does to the result is found by moving the operand by it, so that each op is judged by its own numbers: a
difference of large terms keeps the error of the terms, and a comparison that is close may turn out either way.
Refuses to run programs and to judge them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Protocol

import torch
from torch import Tensor

from compiler.dtypes import DType
from compiler.loops import Apply, IndexValue, Load, LoopOp, OpKind, Role
from simulator.functional.body import gathered_offsets
from simulator.functional.contraction import contract
from simulator.functional.elements import torch_dtype
from simulator.functional.fold import rows_of
from simulator.functional.numerics import value_of
from simulator.functional.space import Space, whole
from simulator.functional.tolerance import ADDED, EXACT, OF_OPERAND, STEPPED, rounding

BEYOND = 6.0
"""Deviations from which on rounding is no explanation for one element: half a step six times over, for two results that
are both rounded."""
Moves = Tensor | None
"""Deviations that broadcast to the space of an op, in fp64; None where nothing is rounded."""


class Known(Protocol):
    """What is known of the operands of an op."""

    def deviation(self, read: int, gathered: Tensor | None, active: Tensor | None) -> Moves:
        """The deviation of what a read fetches, over the space of the op."""

    def range(self, read: int) -> float:
        """How far apart the values of the tensor are that a read looks at."""


class Exact:
    """Operands without any error: the deviation is then that of the op's own roundings."""

    def deviation(self, read: int, gathered: Tensor | None, active: Tensor | None) -> Moves:
        """None."""
        return None

    def range(self, read: int) -> float:
        """None."""
        return 0.0


def deviation(op: LoopOp, body: Sequence[Tensor], result: Tensor, dtype: DType, known: Known) -> Moves:
    """The deviation of every element of an op's result, given the value of every instruction of its body."""
    space = whole(op)
    if space.empty:
        return None
    values = list(body)
    moves: list[Moves] = []
    for instruction, value in zip(op.body, values, strict=True):
        if isinstance(instruction, Load):
            moves.append(_of_load(op, instruction, values, moves, known))
        elif isinstance(instruction, Apply):
            moves.append(_of_apply(instruction, values, moves, value))
        elif isinstance(instruction, IndexValue):
            moves.append(_of_index(instruction, moves))
        else:
            moves.append(None)
    found = moves[op.results[0]] if op.kind is OpKind.POINTWISE else _of_fold(op, space, values, moves, result)
    kept = op.kind is OpKind.POINTWISE or op.combine in ("max", "min")  # a value of the body as it is
    if not kept or values[op.results[0]].dtype != torch_dtype(dtype):
        found = _squared(found, rounding(result, dtype))
    return None if found is None else found.broadcast_to(result.shape)


def rounds(op: LoopOp) -> bool:
    """True if the op makes values that have to be rounded, so that it is not only handed errors on."""
    applied = (each for each in op.body if isinstance(each, Apply))
    summed = op.kind in (OpKind.MATMUL, OpKind.CONV, OpKind.OPAQUE) or op.combine in ("sum", "prod")
    return summed or any(each.primitive not in EXACT and each.dtype.is_float for each in applied)


def _squared(*moves: Moves) -> Moves:
    """Deviations of different origin together."""
    total: Moves = None
    for each in moves:
        if each is not None:
            total = each if total is None else torch.hypot(total, each)
    return total


def _of_load(op: LoopOp, load: Load, values: list[Tensor], moves: list[Moves], known: Known) -> Moves:
    active = None if load.mask is None else values[load.mask]
    index = op.reads[load.read].index
    found = known.deviation(load.read, gathered_offsets(op, index, values, active), active)
    picks = [moves[gather.value] for gather in index.gathers] + ([] if load.mask is None else [moves[load.mask]])
    for pick in picks:
        if pick is not None:  # another element may be picked, whose value may be any
            found = _squared(found, (pick > 0).to(torch.float64) * known.range(load.read))
    return found


def _of_index(instruction: IndexValue, moves: list[Moves]) -> Moves:
    return _squared(*(_scaled(moves[each.value], abs(each.coefficient)) for each in instruction.index.gathers))


def _scaled(moves: Moves, factor: float) -> Moves:
    return None if moves is None else moves * factor


def _of_apply(apply: Apply, values: list[Tensor], moves: list[Moves], value: Tensor) -> Moves:
    carried = [_carried(apply, values, place, moves[place]) for place in dict.fromkeys(apply.args)]
    if apply.primitive in EXACT or not apply.dtype.is_float:
        return _squared(*carried)
    rounded = values[apply.args[0]] if apply.primitive in OF_OPERAND else value
    return _squared(*carried, rounding(rounded, apply.dtype))


def _carried(apply: Apply, values: list[Tensor], place: int, moves: Moves) -> Moves:
    """What becomes of the deviation of one operand, wherever it is used in the instruction."""
    if moves is None:
        return None
    kind = torch.float64 if apply.dtype.is_float else torch_dtype(apply.dtype)
    args = [_wide(values[each]) for each in apply.args]
    still = value_of(apply.primitive, args, kind).to(torch.float64)

    def change(other: Tensor) -> Tensor:
        used = [other if each == place else arg for each, arg in zip(apply.args, args, strict=True)]
        found = value_of(apply.primitive, used, kind).to(torch.float64)
        return torch.nan_to_num((found - still).abs(), 0.0, math.inf, math.inf)

    value = values[place]
    if kind is not torch.float64 or apply.primitive in STEPPED or not value.is_floating_point():
        return torch.maximum(*(change(_jumped(value, moves * BEYOND, sign)) for sign in (1, -1)))
    wide = _wide(value)
    nearer = wide.abs().minimum(BEYOND * moves)  # 0 is where most functions turn or have no value
    steps = torch.where(nearer > moves, nearer / moves, 1.0)
    ends = torch.maximum(change(wide + moves), change(wide - moves))
    return torch.maximum(ends, change(wide - wide.sign() * nearer) / steps)


def _wide(value: Tensor) -> Tensor:
    return value.to(torch.float64) if value.is_floating_point() else value


def _jumped(value: Tensor, reach: Tensor, sign: int) -> Tensor:
    """A value at the end of its reach; a bool that is not certain turns round."""
    if value.dtype is torch.bool:
        return value ^ (reach > 0)
    if value.is_floating_point():
        return value.to(torch.float64) + sign * reach
    return (value.to(torch.float64) + sign * reach.ceil()).to(value.dtype)


def _of_fold(op: LoopOp, space: Space, values: list[Tensor], moves: list[Moves], result: Tensor) -> Moves:
    if op.kind in (OpKind.MATMUL, OpKind.CONV):
        return _of_contraction(op, space, values, moves, result)
    value, carried = values[op.results[0]], moves[op.results[0]]
    rows = rows_of(space, _wide(value))
    spread = None if carried is None else _rows_of_moves(space, carried)
    return _FOLDS[op.combine](rows, spread, result)


def _rows_of_moves(space: Space, moves: Tensor) -> Tensor:
    """The deviations of the terms; one error that enters n terms counts n times, not as often as n different ones."""
    shared = [
        place for place, loop in enumerate(space.loops) if loop.role is Role.REDUCTION and moves.shape[place] == 1
    ]
    times = math.prod(space.shape[place] for place in shared)
    return rows_of(space, moves * math.sqrt(times))


def _of_sum(rows: Tensor, spread: Moves, result: Tensor) -> Moves:
    total = result.to(torch.float64)
    added = _added(rows.shape[-1], rows.square().sum(-1), total) if rows.is_floating_point() else None
    return _squared(added, None if spread is None else spread.square().sum(-1).sqrt())


def _added(terms: int, squares: Tensor, total: Tensor) -> Tensor:
    """What fp32 loses of a sum: a sum on the way is about as large as the result, or as its terms in squares."""
    size = torch.nan_to_num(squares + total.square(), 0.0, 0.0, 0.0)
    return ADDED * math.sqrt(terms) * size.sqrt()


def _of_product(rows: Tensor, spread: Moves, result: Tensor) -> Moves:
    wide = rows.to(torch.float64)
    added = ADDED * math.sqrt(rows.shape[-1]) * torch.nan_to_num(result.to(torch.float64), 0.0, 0.0, 0.0).abs()
    if spread is None:
        return added if rows.is_floating_point() else None
    ones = torch.ones_like(wide[..., :1])
    before = torch.cat([ones, wide[..., :-1]], -1).cumprod(-1)
    behind = torch.cat([wide[..., 1:], ones], -1).flip(-1).cumprod(-1).flip(-1)
    return _squared(added, torch.nan_to_num((before * behind * spread).square().sum(-1).sqrt(), 0.0))


def _of_largest(rows: Tensor, spread: Moves, result: Tensor) -> Moves:  # noqa: ARG001
    if spread is None:
        return None
    largest = rows.to(torch.float64).amax(-1)
    up, down = (rows + spread).amax(-1) - largest, largest - (rows - spread).amax(-1)
    return torch.nan_to_num(torch.maximum(up, down), 0.0)


def _of_least(rows: Tensor, spread: Moves, result: Tensor) -> Moves:
    return _of_largest(-rows, spread, result)


def _of_any(rows: Tensor, spread: Moves, result: Tensor) -> Moves:  # noqa: ARG001
    if spread is None:
        return None
    certain = ((rows != 0) & (spread == 0)).any(-1)
    return ((spread > 0).any(-1) & ~certain).to(torch.float64)


def _of_place(rows: Tensor, spread: Moves, result: Tensor) -> Moves:  # noqa: ARG001
    """Any place where two terms are too close to tell which one is the largest."""
    if spread is None:
        return None
    reach = BEYOND * spread
    rivals = (rows + reach) >= (rows - reach).amax(-1, keepdim=True)
    return torch.where(rivals.sum(-1) > 1, float(rows.shape[-1]), 0.0).to(torch.float64)


def _of_last_place(rows: Tensor, spread: Moves, result: Tensor) -> Moves:
    return _of_place(-rows, spread, result)


_FOLDS: dict[str, Callable[[Tensor, Moves, Tensor], Moves]] = {
    "sum": _of_sum,
    "prod": _of_product,
    "max": _of_largest,
    "min": _of_least,
    "any": _of_any,
    "argmax": _of_place,
    "argmin": _of_last_place,
}


def _of_contraction(op: LoopOp, space: Space, values: list[Tensor], moves: list[Moves], result: Tensor) -> Moves:
    """Each product adds its first operand's error times the second, and the other way round, in squares."""
    first, second = op.results
    left, right = (values[place] for place in op.results)
    if (
        not left.is_floating_point()
        and not right.is_floating_point()
        and moves[first] is None
        and moves[second] is None
    ):
        return None
    terms = math.prod(loop.extent for loop in op.reduction_loops)
    sizes = [_peak(left), _peak(right)]
    squares = [(each.to(torch.float32) / size).square() for each, size in zip((left, right), sizes, strict=True)]
    own = squares[0] * (terms * ADDED**2)
    if (carried := moves[first]) is not None:
        own = own + (carried / sizes[0]).square().to(torch.float32)
    total = contract(space, own, squares[1])
    if (carried := moves[second]) is not None:
        total = total + contract(space, squares[0], (carried / sizes[1]).square().to(torch.float32))
    found = total.to(torch.float64).sqrt() * (sizes[0] * sizes[1])
    at_last = torch.nan_to_num(result.to(torch.float64), 0.0, 0.0, 0.0).abs() * (ADDED * math.sqrt(terms))
    return torch.hypot(torch.nan_to_num(found, 0.0), at_last)


def _peak(value: Tensor) -> float:
    """The largest finite value, by which squares are kept within what fp32 holds; 1 if all are 0."""
    finite = torch.nan_to_num(value.to(torch.float32), 0.0, 0.0, 0.0).abs()
    return float(finite.max()) or 1.0 if finite.numel() else 1.0
