"""Tiles in KTIR: from a tile in device order to the logical tile that an op computes on, and back.

Owns the chains of transpose, collapse, slice, and their reverse.  Refuses to compute on values.
"""

from __future__ import annotations

from collections.abc import Sequence

from compiler.emit.ktir_geometry import Tile
from compiler.emit.ktir_text import Lines, tensor_type

Shape = Sequence[int]


def to_logical(out: Lines, value: str, tile: Tile, element: str) -> tuple[str, tuple[int, ...]]:
    """The loaded tile as a tensor over `tile.symbols`; one element of shape (1,) where no symbol walks it."""
    sizes = list(tile.sizes)
    if not tile.form.lane:
        value = _slice(out, value, sizes, [*sizes[:-1], 1], element)
        sizes[-1] = 1
    order, groups = _order(tile)
    shape = [sizes[place] for place in order]
    value = transposed(out, value, sizes, order, element)
    padded = [tile.padded[name] for name in tile.symbols] or [1]
    value = collapsed(out, value, shape, groups, padded, element)
    wanted = [tile.extents[name] for name in tile.symbols] or [1]
    return _slice(out, value, padded, wanted, element), tuple(wanted)


def to_device(out: Lines, value: str, tile: Tile, element: str) -> str:
    """A tensor over `tile.symbols` as a tile in device order; what is added holds zeros."""
    shape = [tile.extents[name] for name in tile.symbols] or [1]
    padded = [tile.padded[name] for name in tile.symbols] or [1]
    value = inserted(out, value, shape, padded, element)
    sizes = list(tile.sizes)
    if not tile.form.lane:
        sizes[-1] = 1
    order, groups = _order(tile)
    inner = [sizes[place] for place in order]
    value = expanded(out, value, padded, groups, inner, element)
    back = [order.index(place) for place in range(len(order))]
    value = transposed(out, value, inner, back, element)
    return inserted(out, value, sizes, list(tile.sizes), element)


def _order(tile: Tile) -> tuple[list[int], list[list[int]]]:
    """Device dims in logical order, and which of them make up each logical dim."""
    dims, lane = tile.form.dims, len(tile.form.dims)
    by_symbol: dict[str, list[int]] = {}
    for place, dim in enumerate(dims):
        by_symbol.setdefault(dim.symbol, []).append(place)
    by_symbol.setdefault(tile.form.lane, []).append(lane)
    idle = by_symbol.pop("", [])
    order, groups = list(idle), list[list[int]]()
    for name in tile.symbols:
        own = by_symbol[name]
        groups.append(list(range(len(order), len(order) + len(own))))
        order += own
    if idle and groups:
        groups[0] = [*range(len(idle)), *groups[0]]
    return order, groups or [list(range(len(order)))]


def transposed(out: Lines, value: str, shape: Shape, order: Sequence[int], element: str) -> str:
    """The tensor with its dims in another order."""
    if list(order) == sorted(order):
        return value
    kind = tensor_type([shape[place] for place in order], element)
    empty = out.value(f"tensor.empty() : {kind}")
    permutation = f"permutation = [{', '.join(map(str, order))}]"
    return out.value(
        f"linalg.transpose ins({value} : {tensor_type(shape, element)}) outs({empty} : {kind}) {permutation}"
    )


def collapsed(
    out: Lines, value: str, shape: Shape, groups: Sequence[Sequence[int]], wanted: Shape, element: str
) -> str:
    """Dims of each group as one."""
    if len(shape) == len(wanted):
        return value
    kinds = f"{tensor_type(shape, element)} into {tensor_type(wanted, element)}"
    return out.value(f"tensor.collapse_shape {value} {_groups(groups)} : {kinds}")


def expanded(out: Lines, value: str, shape: Shape, groups: Sequence[Sequence[int]], wanted: Shape, element: str) -> str:
    """One dim as those of its group."""
    if len(shape) == len(wanted):
        return value
    kinds = f"{tensor_type(shape, element)} into {tensor_type(wanted, element)}"
    sizes = f"output_shape [{', '.join(map(str, wanted))}]"
    return out.value(f"tensor.expand_shape {value} {_groups(groups)} {sizes} : {kinds}")


def inserted(out: Lines, value: str, shape: Shape, wanted: Shape, element: str) -> str:
    """The tensor at the beginning of a larger one of zeros."""
    if list(shape) == list(wanted):
        return value
    kind = tensor_type(wanted, element)
    zeros = filled(out, 0.0, wanted, element)
    part = f"[{_list([0] * len(shape))}] [{_list(shape)}] [{_list([1] * len(shape))}]"
    return out.value(f"tensor.insert_slice {value} into {zeros}{part} : {tensor_type(shape, element)} into {kind}")


def filled(out: Lines, number: float, shape: Shape, element: str) -> str:
    """A tensor of one number."""
    constant, kind = out.constant(number, element), tensor_type(shape, element)
    return out.value(f"tensor.splat {constant} : {kind}")


def broadcast(out: Lines, value: str, shape: Shape, wanted: Shape, missing: Sequence[int], element: str) -> str:
    """The tensor repeated along the dims of `wanted` that it does not have."""
    if not missing:
        return value
    kind = tensor_type(wanted, element)
    empty = out.value(f"tensor.empty() : {kind}")
    dims = f"dimensions = [{_list(missing)}]"
    return out.value(f"linalg.broadcast ins({value} : {tensor_type(shape, element)}) outs({empty} : {kind}) {dims}")


def _slice(out: Lines, value: str, shape: Shape, wanted: Shape, element: str) -> str:
    """The beginning of a tensor."""
    if list(shape) == list(wanted):
        return value
    part = f"[{_list([0] * len(shape))}] [{_list(wanted)}] [{_list([1] * len(shape))}]"
    kinds = f"{tensor_type(shape, element)} to {tensor_type(wanted, element)}"
    return out.value(f"tensor.extract_slice {value}{part} : {kinds}")


def _groups(groups: Sequence[Sequence[int]]) -> str:
    return f"[{', '.join(f'[{_list(group)}]' for group in groups)}]"


def _list(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))
