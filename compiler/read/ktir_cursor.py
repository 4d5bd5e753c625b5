"""What the grammars of KTIR operations have in common: values, types, lists of them, attributes in braces.

Owns these pieces.  Refuses to know operations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from frozendict import frozendict

from compiler.formats.ktir_ir import AffineSet, Attribute, Operation, Region, Scalar, Type
from compiler.read.ktir_sets import read_set, read_space, read_type, skip_map
from compiler.read.ktir_tokens import Tokens

INDEX: Final = Scalar("index")
_MAPS: Final = frozenset({"access_tile_order", "base_map", "variables_space_order"})
_SETS: Final = frozenset({"access_tile_set", "coordinate_set"})


class Cursor:
    """Tokens, and the sets that have names."""

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.aliases: dict[str, AffineSet] = {}

    def type(self) -> Type:
        """One type."""
        return read_type(self.tokens, self.aliases)

    def colon_type(self) -> Type:
        """`: T`."""
        self.tokens.take(":")
        return self.type()

    def types(self) -> tuple[Type, ...]:
        """One type or more, with commas."""
        found = [self.type()]
        while self.tokens.took(","):
            found.append(self.type())
        return tuple(found)

    def values(self) -> tuple[str, ...]:
        """One value or more, with commas."""
        found = [self.tokens.value()]
        while self.tokens.took(","):
            found.append(self.tokens.value())
        return tuple(found)

    def bracketed(self) -> tuple[str, ...]:
        """`[%a, %b]`."""
        self.tokens.take("[")
        return tuple(self.tokens.value() for _ in self.tokens.items("]"))

    def set(self) -> AffineSet:
        """A set."""
        return read_set(self.tokens, self.aliases)

    def assigned_set(self, word: str) -> AffineSet:
        """`word = affine_set<...>`."""
        self.tokens.take(word)
        self.tokens.take("=")
        return self.set()

    def attributes(self) -> dict[str, Attribute]:
        """Sets and memory spaces in braces; maps are left out."""
        tokens, found = self.tokens, dict[str, Attribute]()
        tokens.take("{")
        for _ in tokens.items("}"):
            word = tokens.next
            if word not in _MAPS and word not in _SETS and word != "memory_space":
                raise tokens.expected("an attribute of a view or a tile")
            tokens.take()
            tokens.take("=")
            if word == "memory_space":
                found[word] = read_space(tokens)
            elif word in _MAPS:
                skip_map(tokens)
            else:
                found[word] = self.set()
        return found

    def ins_outs(self) -> tuple[tuple[str, ...], tuple[Type, ...], tuple[Type, ...]]:
        """`ins(%a : T) outs(%b : U)`: values, the types of all, and those of outs."""
        tokens, operands, kinds = self.tokens, list[str](), list[Type]()
        types: tuple[Type, ...] = ()
        for word in ("ins", "outs"):
            tokens.take(word)
            tokens.take("(")
            operands += self.values()
            tokens.take(":")
            types = self.types()
            kinds += types
            tokens.take(")")
        return tuple(operands), tuple(kinds), types


Read = Callable[[Cursor, str], Operation]
"""Reads what follows the name of an operation."""


def made(
    name: str,
    operands: Iterable[str] = (),
    operand_types: Iterable[Type] = (),
    types: Iterable[Type] = (),
    attributes: Mapping[str, Attribute] | None = None,
    regions: Iterable[Region] = (),
) -> Operation:
    """An operation that has neither results nor a line yet."""
    known = frozendict(attributes or {})
    return Operation(name, 0, (), tuple(operands), known, tuple(types), tuple(regions), tuple(operand_types))
