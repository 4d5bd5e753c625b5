"""Element types of the device as its formats name them.

Owns the table from ours to theirs, words and sizes.  Refuses types that the device formats have no name for.
"""

from __future__ import annotations

from typing import Final

from frozendict import frozendict

from compiler.dtypes import DType

FP16, FP32, INT32, FP8 = "SEN169_FP16", "IEEE_FP32", "IEEE_INT32", "SEN143_FP8"
DEVICE_TYPES: Final[frozendict[DType, str]] = frozendict(
    {
        DType.F16: FP16,
        DType.BF16: FP16,
        DType.BOOL: FP16,
        DType.F32: FP32,
        DType.I64: INT32,
        DType.I32: INT32,
        DType.F8E4M3: FP8,
    }
)
"""Format of the elements on the device by type on the host; truth values have that of what was compared."""
BYTES: Final[frozendict[str, int]] = frozendict(
    {FP16: 2, FP32: 4, INT32: 4, FP8: 1, "SENUINT32": 4, "SENINT32": 4, "BFLOAT16": 2}
)
"""Bytes of one element by format."""
