"""Imported loops: iteration symbols of a file under the names that loops of our own programs have.

Owns the rule for these names, so that a division in a file and one of ours can be compared: i, j, k, ... in order; of a
product b for batches, m for rows, n for columns, k for what is summed up.  Refuses to rename anything else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from frozendict import frozendict

from compiler.formats.expression import (
    ZERO,
    Expression,
    Floor,
    Mod,
    Symbol,
    added,
    floored,
    modulo,
    number,
    scaled,
    symbol,
)
from compiler.formats.opspec import OpSpec, TensorArg, WorkDivision
from compiler.read.import_bodies import PRODUCTS

_LETTERS: Final = "ijklmnopqrstuvwxyz"
_TWO: Final = 2


def with_loop_names(spec: OpSpec, kept: frozenset[str] = frozenset()) -> OpSpec:
    """The op with other names for its iteration symbols, and without those of one iteration but the `kept` ones; as it
    is if there are more of them than there are names."""
    symbols = [dim.symbol for dim in spec.iteration if dim.extent > 1 or dim.symbol in kept]
    if len(symbols) > len(_LETTERS):
        return spec
    product = spec.op in PRODUCTS and len(spec.args) > _TWO
    names = _of_product(spec, symbols) if product else dict(zip(symbols, _LETTERS, strict=False))
    names |= {dim.symbol: "" for dim in spec.iteration if dim.symbol not in symbols}
    return replace(
        spec,
        iteration=tuple(replace(dim, symbol=names[dim.symbol]) for dim in spec.iteration if dim.symbol in symbols),
        args=tuple(_argument(arg, names) for arg in spec.args),
        fastest=tuple(names[each] for each in spec.fastest),
    )


def _of_product(spec: OpSpec, symbols: list[str]) -> dict[str, str]:
    left, right, result = (_walked(spec.args[place]) for place in (0, 1, -1))
    kept = [name for name in symbols if name in result]
    columns = [name for name in kept[-1:] if name in right - left]
    rows = [name for name in kept[: len(kept) - len(columns)][-1:] if name in left - right]
    batches = [name for name in kept if name not in (*rows, *columns)]
    reduced = [name for name in symbols if name not in result]
    return {
        name: letter if len(members) == 1 else f"{letter}{place}"
        for letter, members in (("b", batches), ("m", rows), ("n", columns), ("k", reduced))
        for place, name in enumerate(members)
    }


def _walked(arg: TensorArg) -> frozenset[str]:
    return frozenset().union(*(each.symbols for each in arg.coordinates))


def _argument(arg: TensorArg, names: Mapping[str, str]) -> TensorArg:
    coordinates = tuple(_renamed(each, names) for each in arg.coordinates)
    return replace(arg, coordinates=coordinates, division=_division(arg.division, names))


def _division(division: WorkDivision | None, names: Mapping[str, str]) -> WorkDivision | None:
    if division is None:
        return None
    slices, *cores = (
        frozendict((names[name], value) for name, value in each.items() if names.get(name))
        for each in (division.slices, *division.of_core)
    )
    return WorkDivision(slices, tuple(cores))


def _renamed(one: Expression, names: Mapping[str, str]) -> Expression:
    parts = [number(one.constant)]
    for atom, factor in one.terms:
        match atom:
            case Symbol(name):
                own = symbol(names.get(name, name)) if names.get(name, name) else ZERO
            case Floor(of, by):
                own = floored(_renamed(of, names), by)
            case Mod(of, by):
                own = modulo(_renamed(of, names), by)
        parts.append(scaled(own, factor))
    return added(*parts)
