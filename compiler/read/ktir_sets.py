"""Types, sets and memory spaces in KTIR text.

Owns how they are spelled, in both spellings of memory spaces.  Refuses expressions that are not linear, but for
quotients and remainders by whole numbers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from compiler.formats.ktir_ir import Affine, AffineSet, Future, MemorySpace, Scalar, Shaped, Type
from compiler.read.ktir_tokens import LONGEST, Tokens

Aliases = Mapping[str, AffineSet]
DEEPEST: Final = 50
MOST_ELEMENTS: Final = 1 << 40
"""Elements of a tensor or a view."""
_MOST_TERMS, _DIGITS = 64, 14
_ELEMENTS: Final = frozenset({"f16", "f32", "i1", "i32", "i64", "index"})
_SHAPED: Final = frozenset({"tensor", "memref", "!ktdp.access_tile"})


def read_type(tokens: Tokens, aliases: Aliases) -> Type:
    """A type; the prefix of a future may be left out."""
    word = tokens.next
    if word in _ELEMENTS:
        tokens.take()
        return Scalar(word)
    if word in _SHAPED:
        return read_shaped(tokens)
    if word not in ("!ktdp.tile_future", "<"):
        raise tokens.expected("a type")
    if word != "<":
        tokens.take()
    tokens.take("<")
    tensor = read_shaped(tokens)
    tokens.take(",")
    tokens.take("groups")
    tokens.take("=")
    groups = read_set(tokens, aliases)
    tokens.take(">")
    if len(groups.dims) != 1:
        raise tokens.fault("groups are numbered by one name")
    return Future(tensor, groups)


def read_shaped(tokens: Tokens) -> Shaped:
    """The type of a tensor, a memref or a tile."""
    word = tokens.next
    if word not in _SHAPED:
        raise tokens.expected("a tensor type")
    tokens.take()
    tokens.take("<")
    shape, element = _shape(tokens)
    tokens.take(">")
    return Shaped("access_tile" if word.startswith("!") else word, shape, element)


def _shape(tokens: Tokens) -> tuple[tuple[int, ...], str]:
    word = tokens.next
    *sizes, element = word.split("x") if word[:1].isdigit() else [word]
    if word.endswith("index") and word[:1].isdigit():  # 'index' has an x of its own
        sizes, element = word.removesuffix("index").rstrip("x").split("x"), "index"
    if element not in _ELEMENTS or not all(size.isdecimal() and len(size) < _DIGITS for size in sizes):
        raise tokens.expected("a shape with an element type")
    shape = tuple(map(int, sizes))
    if math.prod(shape) < 1 or math.prod(shape) > MOST_ELEMENTS:
        raise tokens.fault(f"{word} has no element, or more than any device holds")
    tokens.take()
    return shape, element


def read_space(tokens: Tokens) -> MemorySpace:
    """`#ktdp.memory_space<ct_local, ct_id = 7>` or `#ktdp.spyre_memory_space<LX, core = 7>`."""
    word = tokens.next
    if word not in ("#ktdp.memory_space", "#ktdp.spyre_memory_space"):
        raise tokens.expected("a memory space")
    if tokens.spelling not in ("", word):
        raise tokens.fault("memory spaces are spelled in two ways")
    tokens.spelling = tokens.take()
    tokens.take("<")
    kind = tokens.take()
    kinds = {"global": False, "ct_local": True} if word == "#ktdp.memory_space" else {"HBM": False, "LX": True}
    if kind not in kinds:
        raise tokens.fault(f"{kind[:20]} is no kind of {word[1:]}, which are {' and '.join(kinds)}")
    core = -1
    if tokens.took(","):
        tokens.take("ct_id" if word == "#ktdp.memory_space" else "core")
        tokens.take("=")
        core = tokens.integer()
        if core < 0 or not kinds[kind]:
            raise tokens.fault("only the memory of a core has the number of one")
    tokens.take(">")
    return MemorySpace(kinds[kind], core)


def read_set(tokens: Tokens, aliases: Aliases) -> AffineSet:
    """`affine_set<(d0)[s0] : (...)>`, or the name of one."""
    if tokens.next.startswith("#"):
        if tokens.next not in aliases:
            raise tokens.expected("the name of a set")
        return aliases[tokens.take()]
    tokens.take("affine_set")
    tokens.take("<")
    dims, symbols = _names(tokens, "(", ")"), _names(tokens, "[", "]") if tokens.next == "[" else ()
    tokens.take(":")
    tokens.take("(")
    known = frozenset({*dims, *symbols})
    constraints = tuple(_constraint(tokens, known) for _ in tokens.items(")"))
    tokens.take(">")
    return AffineSet(dims, symbols, constraints)


def _constraint(tokens: Tokens, known: frozenset[str]) -> tuple[Affine, bool]:
    left = _sum(tokens, known, 0)
    sign = tokens.next
    if sign not in (">=", "<=", "=="):
        raise tokens.expected("a comparison")
    tokens.take()
    right = _sum(tokens, known, 0)
    whole = _difference(right, left) if sign == "<=" else _difference(left, right)
    return whole, sign == "=="


def skip_map(tokens: Tokens) -> None:
    """An `affine_map<...>` or the name of one, which nothing here needs."""
    if tokens.next.startswith("#"):
        tokens.take()
        return
    tokens.take("affine_map")
    tokens.take("<")
    for _ in range(LONGEST):
        if tokens.take() == ">":
            return
    raise tokens.fault("a map does not end")


def _names(tokens: Tokens, first: str, last: str) -> tuple[str, ...]:
    tokens.take(first)
    return tuple(tokens.take() for _ in tokens.items(last))


def _difference(left: Affine, right: Affine) -> Affine:
    return Affine(
        left.constant - right.constant,
        (*left.terms, *((-factor, *rest) for factor, *rest in right.terms)),  # type: ignore[arg-type]
    )


def _sum(tokens: Tokens, known: frozenset[str], depth: int) -> Affine:
    total = _term(tokens, known, depth)
    while tokens.next in ("+", "-") or (tokens.next.startswith("-") and len(tokens.next) > 1):
        if tokens.next in ("+", "-"):
            minus = tokens.take() == "-"
            part = _term(tokens, known, depth)
            total = _difference(total, part) if minus else _added(total, part)
        else:
            total = _added(total, Affine(tokens.integer()))
        if len(total.terms) > _MOST_TERMS:
            raise tokens.fault(f"a sum has more than {_MOST_TERMS} terms")
    return total


def _added(left: Affine, right: Affine) -> Affine:
    return Affine(left.constant + right.constant, (*left.terms, *right.terms))


def _term(tokens: Tokens, known: frozenset[str], depth: int) -> Affine:
    found, signs = _atom(tokens, known, depth), 0
    while tokens.next in ("*", "mod", "floordiv"):
        sign, signs = tokens.take(), signs + 1
        if signs > _MOST_TERMS:
            raise tokens.fault(f"a product has more than {_MOST_TERMS} signs")
        right = _atom(tokens, known, depth)
        if sign == "*":
            number, other = (found.constant, right) if not found.terms else (right.constant, found)
            if found.terms and right.terms:
                raise tokens.fault("two names are multiplied")
            found = Affine(number * other.constant, tuple((number * f, *rest) for f, *rest in other.terms))  # type: ignore[misc]
        elif right.terms or right.constant < 1:
            raise tokens.fault(f"{sign} needs a whole number above 0")
        else:
            parts = (1, found, right.constant, 0) if sign == "floordiv" else (1, found, 1, right.constant)
            found = Affine(0, (parts,))
    return found


def _atom(tokens: Tokens, known: frozenset[str], depth: int) -> Affine:
    if depth > DEEPEST:
        raise tokens.fault("an expression is nested too deeply")
    if tokens.took("("):
        found = _sum(tokens, known, depth + 1)
        tokens.take(")")
        return found
    if tokens.took("-"):
        return _difference(Affine(), _atom(tokens, known, depth + 1))
    word = tokens.next
    if word in known:
        tokens.take()
        return Affine(0, ((1, word, 1, 0),))
    if word.startswith("-") and word[1:] in known:
        tokens.take()
        return Affine(0, ((-1, word[1:], 1, 0),))
    return Affine(tokens.integer())
