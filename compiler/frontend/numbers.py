"""Numbers for a traced program: seeded random weights and inputs of a sensible size, where none are given.

Owns the scales and the ranges of integers.  Refuses global random state: the same seed gives the same numbers.
"""

from __future__ import annotations

import math

import torch
from torch.export.graph_signature import InputKind, InputSpec

aten = torch.ops.aten
# Calls that hand indices on as they are.
_PASSED_ON = frozenset(
    {"view", "reshape", "unsqueeze", "squeeze", "expand", "to", "_to_copy", "clone", "slice", "flatten"}
)
# Where the indexed tensor and the dim stand in calls that look up by index: argument of the table, argument of the dim.
_TABLES = {"embedding": (0, None), "index_select": (0, 1), "gather": (0, 1), "index": (0, None)}


def numbers_for(name: str, spec: InputSpec, node: torch.fx.Node, generator: torch.Generator) -> torch.Tensor:
    """A tensor like the placeholder's: weights N(0, 1/fan in), scales near 1, indices within their table."""
    value = node.meta["val"]
    shape, dtype = tuple(int(size) for size in value.shape), value.dtype
    if not dtype.is_floating_point:
        return _whole_numbers(node, shape, dtype, generator)
    noise = torch.randn(shape, generator=generator)
    if spec.kind in {InputKind.PARAMETER, InputKind.BUFFER}:
        noise = _weights(name.rpartition(".")[2], shape, noise)
    return noise.to(dtype)


def _weights(leaf: str, shape: tuple[int, ...], noise: torch.Tensor) -> torch.Tensor:
    if len(shape) > 1:
        return noise / math.sqrt(math.prod(shape[1:]))
    if "bias" in leaf or "mean" in leaf:
        return noise / 16
    if "var" in leaf:
        return noise.abs() / 2 + 0.5
    return 1 + noise / 16


def _whole_numbers(
    node: torch.fx.Node, shape: tuple[int, ...], dtype: torch.dtype, generator: torch.Generator
) -> torch.Tensor:
    if dtype == torch.bool:
        return torch.rand(shape, generator=generator) < 0.75
    below = min((size for size in _limits(node)), default=2)
    return torch.randint(0, max(1, below), shape, generator=generator).to(dtype)


def _limits(node: torch.fx.Node) -> list[int]:
    """Sizes of the tables that a value is used as an index into."""
    found: list[int] = []
    for user in node.users:
        name = _base_name(user)
        if name in _PASSED_ON:
            found += _limits(user)
        elif name in _TABLES:
            found += _entries(user, node, name)
    return found


def _entries(user: torch.fx.Node, node: torch.fx.Node, name: str) -> list[int]:
    place, dim_place = _TABLES[name]
    table = user.args[place]
    if not isinstance(table, torch.fx.Node) or table is node:
        return []
    shape = table.meta["val"].shape
    if name == "index":
        indices = user.args[1]
        assert isinstance(indices, list | tuple)
        return [int(shape[dim]) for dim, index in enumerate(indices) if index is node]
    dim = 0 if dim_place is None else user.args[dim_place]
    assert isinstance(dim, int)
    return [int(shape[dim])]


def _base_name(node: torch.fx.Node) -> str:
    target = node.target
    return target._schema.name.split("::")[-1] if isinstance(target, torch._ops.OpOverload) else ""
