"""Building blocks of loop nests in Inductor's form, for our lowerings.

Owns, with `inductor`, all contact with Inductor's private interface.  Refuses to know ATen: what a call becomes is
`lowerings`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sympy
import torch
from torch._inductor import ir
from torch._inductor import lowering as inductor_lowering
from torch._inductor.runtime.hints import ReductionHint
from torch._inductor.virtualized import V, ops

Box = ir.TensorBox
Lower = Callable[..., object]
Target = Callable[..., object] | str
Sizes = Sequence[int]
Index = Sequence[sympy.Expr]
Reader = Callable[[Index, Index], Sequence[object]]
Space = tuple[Sizes, Sizes]
MATMUL, CONV = "spyre_matmul", "spyre_conv"


def sizes_of(box: Box) -> list[int]:
    """The shape as integers."""
    return [int(size) for size in box.get_size()]


def realized(box: object) -> Box:
    """Make a value an op of its own with a dense, contiguous result."""
    assert isinstance(box, ir.TensorBox)
    inner = box.data.unwrap_view() if isinstance(box.data, ir.BaseView) else box.data
    if isinstance(inner, ir.BaseConstant):
        box = pointwise(box, box.get_dtype(), box.get_size(), box.make_loader())
    box.realize()
    (box.data.unwrap_view() if isinstance(box.data, ir.BaseView) else box).freeze_layout()
    return box


def pointwise(like: Box, dtype: torch.dtype, sizes: Sequence[object], body: Callable[..., object]) -> Box:
    """`body(index)` for each point of `sizes`."""
    result = ir.Pointwise.create(device=like.get_device(), dtype=dtype, inner_fn=body, ranges=list(sizes))
    assert isinstance(result, ir.TensorBox)
    return result


def function(name: str, x: Box) -> Box:
    """A scalar function applied to each element."""
    load = x.make_loader()
    return pointwise(x, x.get_dtype(), x.get_size(), lambda index: getattr(ops, name)(load(index)))


def contraction(
    kind: str, operands: tuple[Box, Box], at: tuple[Reader, Reader], space: Space, dtype: torch.dtype
) -> Box:
    """Sum over `space[1]` of the product of both operands, read at `at`, for each point of `space[0]`."""
    loads = realized(operands[0]).make_loader(), realized(operands[1]).make_loader()

    def read(index: Index, inner: Index) -> tuple[object, object]:
        return loads[0](at[0](index, inner)), loads[1](at[1](index, inner))

    return _reduction(kind, operands[0], read, space, dtype)


def reduction(combine: str, x: Box, value: Callable[..., object], space: Space) -> Box:
    """Fold `value(load, index, inner)` over `space[1]` for each point of `space[0]`."""
    load = realized(x).make_loader()
    return _reduction(combine, x, lambda index, inner: value(load, index, inner), space, x.get_dtype())


def _reduction(kind: str, like: Box, body: Callable[..., object], space: Space, dtype: torch.dtype) -> Box:
    # Not Reduction.create: it turns a fold of length one into a pointwise op, which a contraction is not.
    loops = ir.Reduction(
        device=like.get_device() or torch.device("cpu"),
        dtype=dtype,
        inner_fn=body,
        ranges=[sympy.Integer(size) for size in space[0]],
        reduction_ranges=[sympy.Integer(size) for size in space[1]],
        reduction_type=kind,  # type: ignore[arg-type]
        src_dtype=like.get_dtype(),
        reduction_hint=ReductionHint.DEFAULT,
    )
    loops._post_init_setattr("origin_node", V.graph.current_node)
    result = ir.TensorBox.create(loops)
    assert isinstance(result, ir.TensorBox)
    return realized(result)


def product_of(left: object, right: object) -> object:
    """The product of two values inside a loop body."""
    return ops.mul(left, right)


def cast(x: Box, dtype: torch.dtype) -> Box:
    """The value in another type, as an op of its own."""
    return x if x.get_dtype() == dtype else realized(inductor_lowering.to_dtype(x, dtype))


def copy(x: Box) -> Box:
    """The value element by element, without the view it is seen through."""
    result = inductor_lowering.clone(x)
    assert isinstance(result, ir.TensorBox)
    return result


def is_dense(x: Box) -> bool:
    """True for a stored tensor, as a whole, in the order of its elements."""
    stored = isinstance(x.data, ir.StorageBox) and isinstance(x.data.data, ir.Buffer)
    return stored and list(x.get_stride()) == list(ir.FlexibleLayout.contiguous_strides(x.get_size()))


def call(target: Target, *arguments: object) -> Box:
    """Lower another ATen call as part of this one."""
    result = inductor_lowering.lowerings[target](*arguments)
    assert isinstance(result, ir.TensorBox)
    return result


def concatenation(parts: Sequence[Box], dim: int) -> Box:
    """One op that reads each part where its mask says so, so that the result has one writer."""
    result = inductor_lowering.pointwise_cat(list(parts), dim)  # type: ignore[no-untyped-call]
    assert isinstance(result, ir.TensorBox)
    return result
