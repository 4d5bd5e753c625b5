"""Imported constants: tensors whose name says their values, as our own op specifications write them.

Owns the reading of such names: a number after `#`, or a comparison of two indices such as a causal mask.  Refuses other
formulas: their tensors stay inputs that the host fills.
"""

from __future__ import annotations

import re
from typing import Final

from frozendict import frozendict

from compiler.dtypes import DType
from compiler.errors import InputError
from compiler.formats.expression import Expression, parse_expression
from compiler.formats.opspec import Room, TensorArg
from compiler.loops import Const, IndexValue
from compiler.read.import_bodies import Body
from compiler.read.import_coordinates import flat_index
from compiler.read.import_flow import Tensor

_NUMBER: Final = re.compile(r"-?(?:\d{1,40}(?:\.\d{1,40})?(?:e[+-]?\d{1,4})?|inf)|nan|True|False")
_COMPARISON: Final = re.compile(r"\(([^<>=!]{1,200}) (<=|>=|<|>|==|!=) ([^<>=!]{1,200})\)")
_PRIMITIVES: Final[frozendict[str, str]] = frozendict(
    {"<=": "le", ">=": "ge", "<": "lt", ">": "gt", "==": "eq", "!=": "ne"}
)


def constant_value(body: Body, tensor: Tensor, arg: TensorArg, dtype: DType) -> int | None:
    """The number of the instruction that makes the value of a constant; None if a tensor is none."""
    _, sign, text = tensor.name.rpartition("#")
    if not (sign and tensor.given and tensor.place.room is Room.HBM):
        return None
    walked = frozenset[str]().union(*(each.symbols for each in arg.coordinates))
    if not walked and _NUMBER.fullmatch(text):
        return body.add(Const(_number(text), dtype))
    found = _COMPARISON.fullmatch(text)
    if found is None:
        return None
    left, right = _index(found[1]), _index(found[3])
    if left is None or right is None or left.symbols | right.symbols != walked:
        return None
    sides = [flat_index((each,), (1,)) for each in (left, right)]
    values = [body.add(IndexValue(each, DType.I64)) for each in sides if each is not None]
    return body.apply(_PRIMITIVES[found[2]], values, DType.BOOL) if len(values) == len(sides) else None


def _number(text: str) -> float | int | bool:
    if text in ("True", "False"):
        return text == "True"
    return int(text) if text.lstrip("-").isdecimal() else float(text)


def _index(text: str) -> Expression | None:
    try:
        return parse_expression(text)
    except InputError:
        return None
