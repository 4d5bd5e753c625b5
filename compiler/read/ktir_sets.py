"""Types, sets and memory spaces in KTIR text.

Owns how they are spelled, in both spellings of memory spaces.  Refuses expressions that are not linear, but for
quotients and remainders by whole numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from compiler.formats.ktir_ir import Affine, AffineSet, Future, MemorySpace, Scalar, Shaped, Type
from compiler.read.ktir_tokens import Tokens

Aliases = Mapping[str, AffineSet]
DEEPEST: Final = 50
_ELEMENTS: Final = frozenset({"f16", "f32", "bf16", "i1", "i8", "i32", "i64", "index"})


def read_type(tokens: Tokens, aliases: Aliases) -> Type:
    """A type; the prefix of a future may be left out."""
    word = tokens.take()
    if word in _ELEMENTS:
        return Scalar(word)
    if word in ("tensor", "memref", "!ktdp.access_tile"):
        tokens.take("<")
        shape, element = _shape(tokens)
        tokens.take(">")
        return Shaped("access_tile" if word.startswith("!") else word, shape, element)
    if word == "!ktdp.tile_future":
        word = tokens.take()
    if word == "<":
        tensor = read_type(tokens, aliases)
        if not isinstance(tensor, Shaped):
            raise tokens.fault("a future holds a tensor")
        tokens.take(",")
        tokens.take("groups")
        tokens.take("=")
        groups = read_set(tokens, aliases)
        tokens.take(">")
        return Future(tensor, groups)
    raise tokens.fault(f"{word} is no type that is read here")


def _shape(tokens: Tokens) -> tuple[tuple[int, ...], str]:
    word = tokens.take()
    *sizes, element = word.split("x") if word[0].isdigit() else [word]
    if word.endswith("index") and word[0].isdigit():  # 'index' has an x of its own
        sizes, element = word.removesuffix("index").rstrip("x").split("x"), "index"
    if element not in _ELEMENTS or not all(size.isdecimal() for size in sizes):
        raise tokens.fault(f"{word} is no shape with an element type")
    return tuple(map(int, sizes)), element


def read_space(tokens: Tokens) -> MemorySpace:
    """`#ktdp.memory_space<ct_local, ct_id = 7>` or `#ktdp.spyre_memory_space<LX, core = 7>`."""
    word = tokens.take()
    if word not in ("#ktdp.memory_space", "#ktdp.spyre_memory_space"):
        raise tokens.fault(f"{word} is no memory space")
    tokens.take("<")
    kind = tokens.take()
    kinds = {"global": False, "ct_local": True} if word == "#ktdp.memory_space" else {"HBM": False, "LX": True}
    if kind not in kinds:
        raise tokens.fault(f"{kind} is no kind of {word[1:]}; it has {' and '.join(kinds)}")
    core = -1
    if tokens.took(","):
        tokens.take()
        tokens.take("=")
        core = tokens.integer()
    tokens.take(">")
    return MemorySpace(kinds[kind], core)


def read_set(tokens: Tokens, aliases: Aliases) -> AffineSet:
    """`affine_set<(d0)[s0] : (...)>`, or the name of one."""
    word = tokens.take()
    if word.startswith("#"):
        if word not in aliases:
            raise tokens.fault(f"nothing is known under {word}")
        return aliases[word]
    if word != "affine_set":
        raise tokens.fault(f"{word} stands where a set is expected")
    tokens.take("<")
    dims, symbols = _names(tokens, "(", ")"), _names(tokens, "[", "]") if tokens.next == "[" else ()
    tokens.take(":")
    tokens.take("(")
    constraints: list[tuple[Affine, bool]] = []
    known = frozenset({*dims, *symbols})
    while not tokens.took(")"):
        left = _sum(tokens, known, 0)
        sign = tokens.take()
        right = _sum(tokens, known, 0)
        if sign not in (">=", "<=", "=="):
            raise tokens.fault(f"{sign} compares nothing")
        whole = _difference(right, left) if sign == "<=" else _difference(left, right)
        constraints.append((whole, sign == "=="))
        tokens.took(",")
    tokens.take(">")
    return AffineSet(dims, symbols, tuple(constraints))


def skip_map(tokens: Tokens) -> None:
    """An `affine_map<...>` or the name of one, which nothing here needs."""
    word = tokens.take()
    if word.startswith("#"):
        return
    if word != "affine_map":
        raise tokens.fault(f"{word} stands where a map is expected")
    tokens.take("<")
    while tokens.take() != ">":
        pass


def _names(tokens: Tokens, first: str, last: str) -> tuple[str, ...]:
    tokens.take(first)
    found: list[str] = []
    while not tokens.took(last):
        found.append(tokens.take())
        tokens.took(",")
    return tuple(found)


def _difference(left: Affine, right: Affine) -> Affine:
    return Affine(
        left.constant - right.constant,
        (*left.terms, *((-factor, *rest) for factor, *rest in right.terms)),  # type: ignore[arg-type]
    )


def _sum(tokens: Tokens, known: frozenset[str], depth: int) -> Affine:
    if depth > DEEPEST:
        raise tokens.fault("an expression is nested too deeply")
    total = _term(tokens, known, depth)
    while tokens.next in ("+", "-") or (tokens.next.startswith("-") and len(tokens.next) > 1):
        if tokens.next in ("+", "-"):
            minus = tokens.take() == "-"
            part = _term(tokens, known, depth)
            total = _difference(total, part) if minus else _added(total, part)
        else:
            total = _added(total, Affine(tokens.integer()))
    return total


def _added(left: Affine, right: Affine) -> Affine:
    return Affine(left.constant + right.constant, (*left.terms, *right.terms))


def _term(tokens: Tokens, known: frozenset[str], depth: int) -> Affine:
    found = _atom(tokens, known, depth)
    while tokens.next in ("*", "mod", "floordiv"):
        sign = tokens.take()
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
