"""Values in SuperDSC files: constants, whose numbers are bits of the device.

Owns the way back from SEN169 and IEEE bits, written as text or as numbers.  Refuses bits that no word of the type has.

>>> value_of_bits(10752, "SEN169_FP16"), value_of_bits(15872, "SEN169_FP16")
(0.0009765625, 1.0)
"""

from __future__ import annotations

import json
import math
import struct
from typing import Final

from frozendict import frozendict

from compiler.errors import InputError
from compiler.formats.element_types import BYTES, FP32
from compiler.read.plain import REMEDY, Node, integer

MASK: Final = "samv-maskvalue"
"""The constant that fills padding; it follows from the op and is no constant of it."""
_FRACTION, _BIAS = 9, 31


def value_of_bits(bits: int, device_dtype: str) -> float:
    """The number that bits stand for in an element type of the device; types with integers are their own bits."""
    if device_dtype == FP32:
        value: float = struct.unpack("<f", struct.pack("<I", bits))[0]
        return value
    if BYTES.get(device_dtype) != 2:
        return float(bits)
    sign = -1.0 if bits & 0x8000 else 1.0
    exponent, fraction = bits >> _FRACTION & 0x3F, bits & (1 << _FRACTION) - 1
    if not exponent:
        return sign * math.ldexp(fraction, 1 - _BIAS - _FRACTION)
    return sign * math.ldexp((1 << _FRACTION) + fraction, exponent - _BIAS - _FRACTION)


def read_constants(dsc: Node) -> frozendict[str, float]:
    """Constants of an op by name, without the value of its masks."""
    given = dsc.get("constantInfo_", "{}")
    if isinstance(given, str):
        if given.strip() not in ("", "{}"):
            raise InputError(dsc.origin, f"{dsc.at('constantInfo_')} is a text that is not empty", REMEDY)
        return frozendict()
    table, found = dsc.node("constantInfo_"), dict[str, float]()
    for key in table.data:
        name, value = _constant(table.node(key))
        if name != MASK:
            found[name] = value
    return frozendict(found)


def _constant(node: Node) -> tuple[str, float]:
    kind, data = node.text("dataFormat_"), node.node("data_")
    inner = data.node("data_") if data.has("data_") else data
    given = next(iter(inner.data.values()), None)
    first = given[0] if isinstance(given, list) and given else given
    bits = integer(first, node.origin, inner.where, 0)
    if bits >> 8 * BYTES.get(kind, 4):
        raise InputError(node.origin, f"{inner.where} has bits that no {kind} has ({json.dumps(bits)})", REMEDY)
    value = value_of_bits(bits, kind)
    if not math.isfinite(value):
        raise InputError(node.origin, f"{inner.where} is no finite number", REMEDY)
    return node.text("name_"), value
