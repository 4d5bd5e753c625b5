"""Widened calls: products of narrow floats, computed in fp32 and rounded once.

Owns which calls those are.  PyTorch on a CPU is very slow at them (a 2048x2048 product in fp16 takes most of a minute
in some layouts), and for some, as for the product of a row, it rounds on the way.  They are defined in fp32, so that
one rounding at the end is both faster and nearer to what the call means.  Refuses every other call: those keep
PyTorch's own roundings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from torch import Tensor
from torch.utils import _pytree as pytree

_NAMES = (
    *("mm", "bmm", "addmm", "baddbmm", "matmul", "linear", "mv", "dot", "einsum", "bilinear"),
    *("convolution", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d"),
    *("scaled_dot_product_attention", "prod"),
)
_NARROW = frozenset({torch.float16, torch.bfloat16})


def _overloads(name: str) -> list[object]:
    """All that return something new."""
    packet = getattr(torch.ops.aten, name)
    found = [getattr(packet, overload) for overload in packet.overloads()]
    return [each for each in found if not each._schema.is_mutable]


_TARGETS = frozenset(each for name in _NAMES for each in _overloads(name))


def is_widened(target: object, args: tuple[object, ...], kwargs: Mapping[str, object]) -> bool:
    """True for a product whose float operands are all of one narrow type: only then is that its result's too."""
    if target not in _TARGETS:
        return False
    tensors = [leaf for leaf in pytree.tree_leaves((args, dict(kwargs))) if isinstance(leaf, Tensor)]
    kinds = {tensor.dtype for tensor in tensors if tensor.dtype.is_floating_point}
    stated = any(isinstance(leaf, torch.dtype) for leaf in pytree.tree_leaves((args, dict(kwargs))))
    return len(kinds) == 1 and kinds <= _NARROW and not stated


def widened(target: Callable[..., object], args: tuple[object, ...], kwargs: Mapping[str, object]) -> object:
    """What the call returns, with its operands as fp32 and its result rounded to their type."""
    narrow: set[torch.dtype] = set()

    def wide(leaf: object) -> object:
        if not isinstance(leaf, Tensor) or leaf.dtype not in _NARROW:
            return leaf
        narrow.add(leaf.dtype)
        return leaf.float()

    wide_args, wide_kwargs = pytree.tree_map(wide, (args, dict(kwargs)))
    (kind,) = narrow
    result = target(*wide_args, **wide_kwargs)
    assert isinstance(result, Tensor)
    return result.to(kind)
