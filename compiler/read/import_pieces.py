"""Imported pieces: copies that together are one concatenation, along which dim, and where each one begins.

Owns the proof that pieces fill a tensor seamlessly.  Refuses sets of copies that differ in more than one dim or leave
gaps: these are no concatenation.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from compiler.formats.expression import Expression, Symbol
from compiler.formats.opspec import OpSpec
from compiler.layout import Arrangement
from compiler.read.import_coordinates import host_coordinates, reach, refactored, regular_sizes
from compiler.read.import_host import derived_form
from compiler.read.import_loops import with_loop_names

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Pieces:
    """The copies, the symbol along which they stand side by side, and its first value of each one; `guessed` if the
    files do not say that."""

    specs: tuple[OpSpec, ...]
    along: str
    starts: tuple[int, ...]
    guessed: bool = False

    def with_loop_names(self) -> Pieces:
        """The same with the names that loops of our own programs have."""
        walked = frozenset(dim.symbol for spec in self.specs for dim in spec.iteration if dim.extent > 1)
        kept = walked | {self.along}
        specs = tuple(with_loop_names(spec, kept) for spec in self.specs)
        places = [dim.symbol for dim in self.specs[0].iteration if dim.symbol in kept]
        along = specs[0].iteration[places.index(self.along)].symbol
        return replace(self, specs=specs, along=along)


def pieces_of(run: Sequence[OpSpec]) -> Pieces | None:
    """The longest beginning of a run of copies that fills its tensor; None if none does."""
    for length in range(2, len(run) + 1):
        found = _filled(run[:length])
        if found is not None:
            return found
    return None


def _filled(run: Sequence[OpSpec]) -> Pieces | None:
    first = run[0]
    symbols = [(dim.symbol, dim.slices) for dim in first.iteration]
    if any([(dim.symbol, dim.slices) for dim in spec.iteration] != symbols for spec in run):
        return None
    sizes = regular_sizes(first.output)
    hosts = _hosts(run, sizes)
    if hosts is None:
        return None
    ranges = [reach(own, spec.extents) for own, spec in zip(hosts, run, strict=True)]
    known = [each for each in ranges if each is not None]
    if len(known) < len(run):
        return None
    wholes = (*derived_form(sizes, math.prod(sizes), Arrangement.STANDARD).shape[:-1], 0)
    dims = [dim for dim in range(len(wholes)) if len({each[dim] for each in known}) > 1]
    if len(dims) == 1:
        return _apart(run, hosts, known, wholes, dims[0])
    return _alike(run, hosts, known, sizes) if not dims else None


def _hosts(run: Sequence[OpSpec], sizes: tuple[int, ...]) -> list[tuple[Expression, ...]] | None:
    """Host coordinates of all results, for sticks of any length; also with symbols of one iteration."""
    form = derived_form(sizes, math.prod(sizes), Arrangement.STANDARD)
    found = []
    for spec in run:
        extents = {name: max(extent, 2) for name, extent in spec.extents.items()}
        own = refactored(spec.output.device_size, spec.output.coordinates, sizes, extents)
        if own is None:
            return None
        found.append(host_coordinates(own, form.layout, len(form.shape), extents))
    return found


def _apart(
    run: Sequence[OpSpec],
    hosts: list[tuple[Expression, ...]],
    ranges: list[tuple[Range, ...]],
    wholes: tuple[int, ...],
    dim: int,
) -> Pieces | None:
    """Pieces that say where they begin."""
    found = [_plain(own[dim]) for own in hosts]
    names = {each[0] for each in found if each is not None}
    if None in found or len(names) != 1:
        return None
    ends = sorted(each[dim] for each in ranges)
    if ends[0][0] or any(later[0] != earlier[1] + 1 for earlier, later in pairwise(ends)):
        return None
    if wholes[dim] and ends[-1][1] + 1 != wholes[dim]:
        return None
    return Pieces(tuple(run), names.pop(), tuple(each[dim][0] for each in ranges))


def _alike(
    run: Sequence[OpSpec], hosts: list[tuple[Expression, ...]], ranges: list[tuple[Range, ...]], sizes: tuple[int, ...]
) -> Pieces | None:
    """Pieces of one size that all seem to begin at the start, and that together are as large as the tensor."""
    own = [last - first + 1 for first, last in ranges[0]]
    room = [*derived_form(sizes, math.prod(sizes), Arrangement.STANDARD).shape]
    room[-1] = sizes[max(len(sizes) - 3, 0)] * sizes[-1]
    short = [dim for dim in range(len(own)) if own[dim] < room[dim]]
    if len(short) != 1 or own[short[0]] * len(run) != room[short[0]]:
        return None
    plain = _plain(hosts[0][short[0]])
    if plain is None or plain[1]:
        return None
    starts = tuple(own[short[0]] * place for place in range(len(run)))
    return Pieces(tuple(run), plain[0], starts, guessed=True)


def _plain(one: Expression) -> tuple[str, int] | None:
    """The symbol and the constant of an expression that is nothing more."""
    match one:
        case Expression(constant, ((Symbol(name), 1),)):
            return name, constant
    return None
