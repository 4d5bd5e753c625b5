"""Imported coordinates: device coordinates of an op specification as coordinates of a host tensor, and as an index.

Owns the way back from device dims to host dims, also where a file cuts the same memory into other dims.  Refuses floors
of floors that no term of a loop program can say: the answer is None.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from compiler.coordinates import device_dims, outer_dim
from compiler.formats.expression import ZERO, Expression, Floor, Mod, Symbol, added, floored, modulo, number, scaled
from compiler.formats.opspec import TensorArg
from compiler.formats.simplify import bounds, joined, simplified
from compiler.layout import MAX_DIM_ORDER, StickLayout
from compiler.loops import Index, Term

Extents = Mapping[str, int]
Coordinates = tuple[Expression, ...]


def regular_sizes(arg: TensorArg) -> tuple[int, ...]:
    """Device sizes of the same memory in the order of a StickLayout: the dim that counts sticks last but two."""
    sizes, lanes = list(arg.device_size[:-1]), arg.lanes
    natural = max(len(sizes) - 2, 0)
    outer = _outer(arg)
    if not sizes:
        return 1, lanes
    if outer is None and sizes[natural] != 1:
        sizes.insert(len(sizes) - 1, 1)
    elif outer is not None and outer != natural and outer == len(sizes) - 1:
        sizes.append(1)
    elif outer is not None and outer != natural:
        sizes = [*sizes[: outer + 1], math.prod(sizes[outer + 1 :])]
    while len(sizes) > MAX_DIM_ORDER:
        sizes = [sizes[0] * sizes[1], *sizes[2:]]
    return (*sizes, lanes)


def _outer(arg: TensorArg) -> int | None:
    """The dim that counts the sticks of the lane's index; None if there is no such dim."""
    lane = arg.coordinates[-1]
    if not lane.terms:
        return None
    places = range(len(arg.coordinates) - 2, -1, -1)
    return next((at for at in places if joined(arg.coordinates[at], lane, arg.lanes) is not None), None)


def refactored(
    sizes: Sequence[int], coordinates: Coordinates, wanted: Sequence[int], extents: Extents
) -> Coordinates | None:
    """Coordinates (the lane last) in the device dims `wanted` of the same memory; None if it is of another size."""
    if tuple(sizes) == tuple(wanted):
        return coordinates
    if math.prod(sizes) != math.prod(wanted) or sizes[-1] != wanted[-1]:
        return None
    found: list[Expression] = []
    old, new = list(zip(sizes[:-1], coordinates[:-1], strict=True)), list(wanted[:-1])
    while old or new:
        mine, theirs = ([old.pop(0)] if old else []), ([new.pop(0)] if new else [])
        while (left := math.prod(size for size, _ in mine)) != (right := math.prod(theirs)):
            if left < right and old:
                mine.append(old.pop(0))
            elif right < left and new:
                theirs.append(new.pop(0))
            else:
                return None
        found += _cut(mine, theirs, extents)
    return (*found, coordinates[-1])


def _cut(mine: list[tuple[int, Expression]], theirs: list[int], extents: Extents) -> list[Expression]:
    """Dims that together are the same memory as others."""
    if len(mine) == len(theirs) == 1:
        return [mine[0][1]]
    flat = ZERO
    for size, coordinate in mine:
        flat = joined(flat, coordinate, size) or added(scaled(flat, size), coordinate)
    found = []
    for place in range(len(theirs)):
        own = floored(flat, math.prod(theirs[place + 1 :]))
        own = own if place == 0 else modulo(own, theirs[place])
        found.append(ZERO if theirs[place] == 1 else simplified(own, extents))
    return found


def host_coordinates(coordinates: Coordinates, layout: StickLayout, rank: int, extents: Extents) -> Coordinates:
    """One expression per host dim for coordinates in the device dims of a layout."""
    found, sticks = [ZERO] * rank, ZERO
    lanes, last = layout.elements_per_stick, len(layout.device_size) - 1
    for place, dim in enumerate(device_dims(layout)):
        if dim < 0:
            continue
        if place == outer_dim(layout) and place != last and dim == layout.stick_dim:
            sticks = coordinates[place]
        elif place == last:
            lane = coordinates[place]
            found[dim] = joined(sticks, lane, lanes) or added(scaled(sticks, lanes), lane)
        else:
            found[dim] = coordinates[place]
    return tuple(simplified(each, extents) for each in found)


def ahead(arg: TensorArg, sticks: int, sizes: Sequence[int]) -> Coordinates:
    """Coordinates of an argument that begins so many sticks inside of what lies there; `sizes` are those of its device
    dims but for the lane."""
    found, rest = list[Expression](), sticks
    for place, coordinate in enumerate(arg.coordinates[:-1]):
        steps, rest = divmod(rest, math.prod(sizes[place + 1 :]))
        found.append(added(coordinate, number(steps)))
    return (*found, arg.coordinates[-1])


def reach(coordinates: Coordinates, extents: Extents) -> tuple[tuple[int, int], ...] | None:
    """First and last value of every coordinate; None if one of its symbols has no extent."""
    found = [bounds(each, extents) for each in coordinates]
    known = [each for each in found if each is not None]
    return tuple(known) if len(known) == len(found) else None


def flat_index(hosts: Coordinates, strides: Sequence[int]) -> Index | None:
    """The element that host coordinates lead to, as an index; None if it needs floors inside of each other."""
    flat = added(*(scaled(each, stride) for each, stride in zip(hosts, strides, strict=True)))
    terms = [_term(atom, factor) for atom, factor in flat.terms]
    known = tuple(term for term in terms if term is not None)
    return Index(flat.constant, known) if len(known) == len(terms) else None


def _term(atom: Symbol | Floor | Mod, factor: int) -> Term | None:
    match atom:
        case Symbol(name):
            return Term(factor, ((name, 1),))
        case Floor(Expression(0, ((Mod(of, whole), 1),)), by) if whole % by == 0 and of.affine:
            return Term(factor, _loops(of), of.constant, by, whole // by)
        case Floor(of, by) if of.affine:
            return Term(factor, _loops(of), of.constant, by)
        case Mod(Expression(0, ((Floor(of, by), 1),)), whole) if of.affine:
            return Term(factor, _loops(of), of.constant, by, whole)
        case Mod(of, whole) if of.affine:
            return Term(factor, _loops(of), of.constant, 1, whole)
    return None


def _loops(of: Expression) -> tuple[tuple[str, int], ...]:
    return tuple((atom.name, factor) for atom, factor in of.terms if isinstance(atom, Symbol))
