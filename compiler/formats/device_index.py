"""Device index: where an access lies on the device, as one expression per device dim.

Owns the way from a flat index over a host buffer to the coordinates that op specifications hold.  Refuses gathers,
whose element is known only when the program runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from compiler.coordinates import device_dims, outer_dim
from compiler.formats.expression import ZERO, Expression, added, floored, modulo, number, scaled, symbol
from compiler.formats.simplify import simplified
from compiler.layout import SPARSE, StickLayout
from compiler.loops import Access, Buffer, Index, LoopOp
from compiler.walks import Walk, walk_of

Symbols = Mapping[str, str]
"""Names of loops -> names of iteration symbols; a loop that is left out has one iteration."""


def device_coordinates(
    op: LoopOp, access: Access, buffer: Buffer, layout: StickLayout, symbols: Symbols
) -> tuple[Expression, ...] | None:
    """One expression per device dim, the lane last; None where a gathered value chooses the element."""
    if access.index.gathers:
        return None
    walk = walk_of(op, access, buffer)
    if walk.known and all(part.table is None for part in walk.parts):
        hosts = _plain(walk, symbols)
    else:
        extents = {symbols[name]: extent for name, extent in op.extents.items() if name in symbols}
        hosts = [simplified(host, extents) for host in _by_strides(offset_of(access.index, symbols), buffer)]
    return _on_device(hosts, buffer, layout)


def offset_of(index: Index, symbols: Symbols) -> Expression:
    """The flat offset as an expression; gathered parts are left out."""
    total = number(index.offset)
    for term in index.terms:
        loops = [scaled(symbol(symbols[name]), factor) for name, factor in term.loops if name in symbols]
        value = floored(added(*loops, number(term.offset)), term.divisor)
        value = modulo(value, term.modulus) if term.modulus else value
        total = added(total, scaled(value, term.coefficient))
    return total


def _plain(walk: Walk, symbols: Symbols) -> list[Expression]:
    found = [number(start) for start in walk.start]
    for part in walk.parts:
        for dim, step in enumerate(part.steps):
            if step and part.names[0] in symbols:
                found[dim] = added(found[dim], symbol(symbols[part.names[0]], step))
    return found


def _by_strides(offset: Expression, buffer: Buffer) -> list[Expression]:
    """Host coordinates of a flat offset: the quotient by each stride, within the stride above."""
    dims = sorted((d for d, size in enumerate(buffer.shape) if size > 1), key=lambda d: -buffer.strides[d])
    found = [ZERO for _ in buffer.shape]
    above = {inner: buffer.strides[outer] for outer, inner in pairwise(dims)}
    for dim in dims:
        within = modulo(offset, above[dim]) if dim in above else offset
        found[dim] = floored(within, buffer.strides[dim])
    return found


def _on_device(hosts: list[Expression], buffer: Buffer, layout: StickLayout) -> tuple[Expression, ...]:
    dims, lanes, outer = device_dims(layout), layout.elements_per_stick, outer_dim(layout)
    found = []
    for place, dim in enumerate(dims):
        if dim == SPARSE or buffer.shape[dim] == 1:
            found.append(ZERO)
        elif place == len(dims) - 1:
            found.append(modulo(hosts[dim], lanes))
        else:
            found.append(floored(hosts[dim], lanes) if place == outer else hosts[dim])
    return tuple(found)
