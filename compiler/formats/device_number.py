"""Device numbers: how a constant is written for the device, as the decimal text of its bits.

Owns SEN169 (1 sign, 6 exponent bits with bias 31, 9 fraction bits; round to nearest even) and IEEE fp32.  Refuses
infinity and NaN in SEN169, whose bits are not public: the largest finite number stands for infinity.

>>> device_number(1 / 1024, "SEN169_FP16"), device_number(1 / 200, "SEN169_FP16"), device_number(1.0, "SEN169_FP16")
('10752', '11919', '15872')
"""

from __future__ import annotations

import math
import struct
from typing import Final

from compiler.formats.element_types import FP32

_FRACTION, _BIAS, _TOP = 9, 31, 63
LARGEST: Final = (2 - 2.0**-_FRACTION) * 2.0 ** (_TOP - _BIAS)


def device_number(value: float, device_dtype: str) -> str:
    """The bits of a value in an element type of the device, as decimal text."""
    if device_dtype == FP32:
        return str(struct.unpack("<I", struct.pack("<f", value))[0])
    return str(_sen169(value))


def _sen169(value: float) -> int:
    sign = 0x8000 if math.copysign(1.0, value) < 0 else 0
    size = min(abs(value), LARGEST)
    if size == 0 or math.isnan(size):
        return sign
    exponent = max(math.frexp(size)[1] - 1, 1 - _BIAS)
    scaled = round(size / 2.0 ** (exponent - _FRACTION))  # to nearest, ties to even
    if scaled == 2 << _FRACTION:
        scaled, exponent = 1 << _FRACTION, exponent + 1
    if scaled < 1 << _FRACTION:
        return sign | scaled
    return sign | ((exponent + _BIAS) << _FRACTION) + scaled - (1 << _FRACTION)
