"""How KTIR spells views of memory, access tiles, loads and stores.

Owns the grammars of these operations of `ktdp`.  Refuses what a view may not be: the checker of types does.
"""

from __future__ import annotations

from typing import Final

from frozendict import frozendict

from compiler.formats.ktir_ir import Attribute, Operation
from compiler.read.ktir_cursor import INDEX, Cursor, Read, made


def _identity(cursor: Cursor, name: str) -> Operation:
    cursor.tokens.take(":")
    return made(name, types=cursor.types())


def _view(cursor: Cursor, name: str) -> Operation:
    tokens = cursor.tokens
    base = tokens.value()
    attributes: dict[str, Attribute] = {}
    for word in ("sizes", "strides"):
        tokens.take(",")
        tokens.take(word)
        tokens.take(":")
        attributes[word] = tokens.integers()
    attributes |= cursor.attributes()
    return made(name, [base], [INDEX], [cursor.colon_type()], attributes)


def _distributed(cursor: Cursor, name: str) -> Operation:
    tokens = cursor.tokens
    tokens.take("(")
    operands = cursor.values()
    tokens.take(":")
    kinds = cursor.types()
    tokens.take(")")
    return made(name, operands, kinds, [cursor.colon_type()])


def _tile(cursor: Cursor, name: str) -> Operation:
    view, starts, attributes = cursor.tokens.value(), cursor.bracketed(), cursor.attributes()
    kind = cursor.colon_type()
    cursor.tokens.take("->")
    return made(name, [view, *starts], [kind, *[INDEX] * len(starts)], [cursor.type()], attributes)


def _load(cursor: Cursor, name: str) -> Operation:
    tile, kind = cursor.tokens.value(), cursor.colon_type()
    cursor.tokens.take("->")
    return made(name, [tile], [kind], [cursor.type()])


def _store(cursor: Cursor, name: str) -> Operation:
    operands = cursor.values()
    cursor.tokens.take(":")
    return made(name, operands, cursor.types())


MEMORY: Final[frozendict[str, Read]] = frozendict(
    {
        "ktdp.get_compute_tile_id": _identity,
        "ktdp.construct_memory_view": _view,
        "ktdp.construct_distributed_memory_view": _distributed,
        "ktdp.construct_access_tile": _tile,
        "ktdp.load": _load,
        "ktdp.store": _store,
    }
)
"""Operations by name."""
