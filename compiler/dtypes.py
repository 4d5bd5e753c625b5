"""Element types: the names used in listings, their width on the host and on the device.

Refuses types the device has no format for (complex, float64, quantised): the front end names them in its refusal.
"""

from __future__ import annotations

from enum import StrEnum


class DType(StrEnum):
    """An element type; the value is its name in every text form."""

    F16 = "f16"
    BF16 = "bf16"
    F32 = "f32"
    F8E4M3 = "f8e4m3"
    F8E5M2 = "f8e5m2"
    I8 = "i8"
    U8 = "u8"
    I16 = "i16"
    I32 = "i32"
    I64 = "i64"
    BOOL = "bool"

    @property
    def torch_name(self) -> str:
        """The attribute of `torch` that holds this type, e.g. `float16`."""
        return _TORCH[self]

    @property
    def host_bytes(self) -> int:
        """Bytes of one element in host memory."""
        return _HOST_BYTES[self]

    @property
    def device_bytes(self) -> int:
        """Bytes of one element on the device: int64 is stored as int32; bool defaults to 2 (after fp16)."""
        return _DEVICE_BYTES.get(self, self.host_bytes)

    @property
    def is_float(self) -> bool:
        """True for the floating formats, fp8 included."""
        return self in _FLOATS


_TORCH = {
    DType.F16: "float16",
    DType.BF16: "bfloat16",
    DType.F32: "float32",
    DType.F8E4M3: "float8_e4m3fn",
    DType.F8E5M2: "float8_e5m2",
    DType.I8: "int8",
    DType.U8: "uint8",
    DType.I16: "int16",
    DType.I32: "int32",
    DType.I64: "int64",
    DType.BOOL: "bool",
}
_HOST_BYTES = {
    DType.F16: 2,
    DType.BF16: 2,
    DType.F32: 4,
    DType.F8E4M3: 1,
    DType.F8E5M2: 1,
    DType.I8: 1,
    DType.U8: 1,
    DType.I16: 2,
    DType.I32: 4,
    DType.I64: 8,
    DType.BOOL: 1,
}
_DEVICE_BYTES = {DType.I64: 4, DType.BOOL: 2}
_FLOATS = frozenset({DType.F16, DType.BF16, DType.F32, DType.F8E4M3, DType.F8E5M2})
BY_TORCH_NAME = {name: dtype for dtype, name in _TORCH.items()}
