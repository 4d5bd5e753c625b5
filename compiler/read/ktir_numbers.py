"""How KTIR spells operations on numbers and tensors, which have no regions.

Owns the grammars of arith, math, tensor and most of linalg.  Refuses memory, control and other cores.
"""

from __future__ import annotations

import struct
from typing import Final

from frozendict import frozendict

from compiler.formats.ktir_ir import Operation, Scalar, Shaped, Type
from compiler.read.ktir_cursor import INDEX, Cursor, Read, made
from compiler.read.ktir_sets import read_shaped

FLOATS: Final = ("addf", "subf", "mulf", "divf", "maximumf", "minimumf", "maxnumf", "minnumf")
INTEGERS: Final = ("addi", "subi", "muli", "divui", "divsi", "remui", "remsi", "andi", "ori", "xori")
CURVES: Final = ("exp", "log", "sqrt", "rsqrt", "tanh", "erf", "absf", "floor")
CASTS: Final = ("extf", "truncf", "uitofp", "sitofp", "index_cast")


def _plain(cursor: Cursor, name: str) -> Operation:
    operands, kind = cursor.values(), cursor.colon_type()
    return made(name, operands, [kind] * len(operands), [kind])


def _cast(cursor: Cursor, name: str) -> Operation:
    operand, before = cursor.tokens.value(), cursor.colon_type()
    cursor.tokens.take("to")
    return made(name, [operand], [before], [cursor.type()])


def _constant(cursor: Cursor, name: str) -> Operation:
    tokens = cursor.tokens
    dense = tokens.took("dense")
    if dense:
        tokens.take("<")
    negative, line = tokens.took("-"), tokens.line
    word = tokens.take()
    if dense:
        tokens.take(">")
    kind = cursor.colon_type()
    value = _number(word, kind)
    if value is None or dense != isinstance(kind, Shaped):
        raise tokens.fault(f"{word[:40]} is no constant of type {kind}", line)
    return made(name, types=[kind], attributes={"value": -value if negative else value})


def _number(word: str, kind: Type) -> int | float | None:
    """The number of a literal; hexadecimal ones are the bits of a float."""
    element = kind.element if isinstance(kind, Shaped | Scalar) else ""
    if word in ("true", "false"):
        return int(word == "true") if element == "i1" else None
    try:
        if element not in ("f16", "f32"):
            whole = int(word, 0)
            return whole if abs(whole) < 1 << 63 else None
        if word.lower().startswith("0x"):
            form, size = ("<e", 2) if element == "f16" else ("<f", 4)
            return float(struct.unpack(form, int(word, 16).to_bytes(size, "little"))[0])
        return float(word)
    except (ValueError, OverflowError):
        return None


def _compared(cursor: Cursor, name: str) -> Operation:
    predicate = cursor.tokens.take()
    cursor.tokens.take(",")
    operands, kind = cursor.values(), cursor.colon_type()
    truth = Shaped(kind.kind, kind.shape, "i1") if isinstance(kind, Shaped) else Scalar("i1")
    return made(name, operands, [kind] * len(operands), [truth], {"predicate": predicate})


def _selected(cursor: Cursor, name: str) -> Operation:
    operands = cursor.values()
    cursor.tokens.take(":")
    *condition, kind = cursor.types()
    return made(name, operands, [*(condition or [Scalar("i1")]), kind, kind], [kind])


def _empty(cursor: Cursor, name: str) -> Operation:
    cursor.tokens.take("(")
    cursor.tokens.take(")")
    cursor.tokens.take(":")
    return made(name, types=[read_shaped(cursor.tokens)])


def _splat(cursor: Cursor, name: str) -> Operation:
    operand = cursor.tokens.value()
    cursor.tokens.take(":")
    kind = read_shaped(cursor.tokens)
    return made(name, [operand], [Scalar(kind.element)], [kind])


def _extract(cursor: Cursor, name: str) -> Operation:
    tensor, places = cursor.tokens.value(), cursor.bracketed()
    cursor.tokens.take(":")
    kind = read_shaped(cursor.tokens)
    return made(name, [tensor, *places], [kind, *[INDEX] * len(places)], [Scalar(kind.element)])


def _part(cursor: Cursor, name: str) -> Operation:
    """A slice taken out of a tensor, or put into one."""
    tokens = cursor.tokens
    put = name == "tensor.insert_slice"
    operands = [tokens.value()]
    if put:
        tokens.take("into")
        operands.append(tokens.value())
    edges = {word: tokens.integers() for word in ("offsets", "sizes", "strides")}
    tokens.take(":")
    before = read_shaped(tokens)
    tokens.take("into" if put else "to")
    after = read_shaped(tokens)
    return made(name, operands, [before, after] if put else [before], [after], dict(edges))


def _shaped(cursor: Cursor, name: str) -> Operation:
    tokens = cursor.tokens
    operand = tokens.value()
    tokens.take("[")
    groups = tuple(tokens.integers() for _ in tokens.items("]"))
    said = tokens.integers() if tokens.took("output_shape") else None
    tokens.take(":")
    before = read_shaped(tokens)
    tokens.take("into")
    after = read_shaped(tokens)
    if said is not None and said != after.shape:
        raise tokens.fault(f"output_shape is {list(said)}, its result has {list(after.shape)}")
    return made(name, [operand], [before], [after], {"groups": groups})


def _rearranged(cursor: Cursor, name: str) -> Operation:
    operands, kinds, types = cursor.ins_outs()
    word = "permutation" if name == "linalg.transpose" else "dimensions"
    cursor.tokens.take(word)
    cursor.tokens.take("=")
    return made(name, operands, kinds, types, {word: cursor.tokens.integers()})


def _named(cursor: Cursor, name: str) -> Operation:
    operands, kinds, types = cursor.ins_outs()
    if cursor.tokens.took("->"):
        types = (cursor.type(),)
    return made(name, operands, kinds, types)


NUMBERS: Final[frozendict[str, Read]] = frozendict(
    {
        "arith.constant": _constant,
        "arith.cmpf": _compared,
        "arith.cmpi": _compared,
        "arith.select": _selected,
        "arith.negf": _plain,
        "tensor.empty": _empty,
        "tensor.splat": _splat,
        "tensor.extract": _extract,
        "tensor.extract_slice": _part,
        "tensor.insert_slice": _part,
        "tensor.collapse_shape": _shaped,
        "tensor.expand_shape": _shaped,
        "linalg.transpose": _rearranged,
        "linalg.broadcast": _rearranged,
        **dict.fromkeys((f"arith.{name}" for name in (*FLOATS, *INTEGERS)), _plain),
        **dict.fromkeys((f"math.{name}" for name in CURVES), _plain),
        **dict.fromkeys((f"arith.{name}" for name in CASTS), _cast),
        **dict.fromkeys(("linalg.matmul", "linalg.batch_matmul", "linalg.add", "linalg.max", "linalg.fill"), _named),
    }
)
"""Operations by name."""
