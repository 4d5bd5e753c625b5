"""Contractions: which loop of a matmul or convolution is batch, M, N or K, and its sizes for cost terms (facts 3.3).

Owns the roles B, M, N, K.  Refuses ops that contract nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from compiler.cost.matmul import Contraction, Cut
from compiler.layout import StickLayout
from compiler.loops import OpKind
from compiler.spaces import Axis, Space, layout_of, operands


@dataclass(frozen=True, slots=True)
class Roles:
    """Loop names by role; `columns` is empty if N is 1.  `shared`: one weight serves every batch."""

    batch: tuple[str, ...]
    rows: tuple[str, ...]
    columns: str
    inner: tuple[str, ...]
    shared: bool

    def letter(self, loop: str) -> str:
        """B, M, N or K."""
        if loop == self.columns:
            return "N"
        if loop in self.inner:
            return "K"
        return "M" if loop in self.rows else "B"


def roles_of(space: Space) -> Roles:
    """Roles of the loops of a contraction; ValueError if the op contracts nothing.

    N is the loop along the stick of the result.  M is the output loop that only one operand has; of several the one
    that moves the result least, and then the weight counts as shared.  A convolution's image loops are all M.
    """
    op = space.op
    left, right = (access.index.loop_names for access in operands(op))
    inner = tuple(loop.name for loop in op.reduction_loops)
    columns = min(space.result_lanes) if len(space.result_lanes) == 1 else ""
    others = [loop.name for loop in op.output_loops if loop.name != columns]
    private = [name for name in others if (name in left) != (name in right)]
    if op.kind is OpKind.CONV:
        return Roles((), tuple(others), columns, inner, shared=True)
    rows = min(private, key=lambda name: abs(op.write.index.coefficient(name)), default="")
    batch = tuple(name for name in others if name != rows)
    return Roles(batch, (rows,) if rows else (), columns, inner, shared=len(private) > 1 or not batch)


def contraction_of(space: Space, roles: Roles, layouts: Mapping[str, StickLayout]) -> Contraction:
    """Sizes of a contraction; loops along a stick count whole sticks."""
    axes = space.axis_map
    left, _ = operands(space.op)
    return Contraction(
        batch=math.prod(axes[name].extent for name in roles.batch),
        rows=math.prod(axes[name].extent for name in roles.rows),
        columns=_whole(axes[roles.columns]) if roles.columns else 1,
        inner=math.prod(_whole(axes[name]) for name in roles.inner),
        shared=roles.shared,
        in_bytes=layout_of(layouts, left.buffer).element_bytes,
        out_bytes=layout_of(layouts, space.op.write.buffer).element_bytes,
    )


def cut_of(roles: Roles, factors: Mapping[str, int]) -> Cut:
    """The factors of a division gathered by role."""
    return Cut(
        batch=math.prod(factors.get(name, 1) for name in roles.batch),
        rows=math.prod(factors.get(name, 1) for name in roles.rows),
        columns=factors.get(roles.columns, 1),
        inner=math.prod(factors.get(name, 1) for name in roles.inner),
    )


def _whole(axis: Axis) -> int:
    return axis.size * axis.lanes
