"""Elements: how a value of each type is kept in device bytes.

Owns the carrier (an integer of the element's width), the conversion both ways and the poison patterns.  Refuses
addresses.
"""

from __future__ import annotations

import torch
from torch import Tensor

from compiler.dtypes import DType
from compiler.program import DeviceTensor
from simulator.errors import DeviceError

FLOAT_POISON = 0xFF
INTEGER_POISON = 0x7F
_CARRIERS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def torch_dtype(dtype: DType) -> torch.dtype:
    """The torch type of a listing's type name."""
    found = getattr(torch, dtype.torch_name)
    assert isinstance(found, torch.dtype)
    return found


def carrier(tensor: DeviceTensor) -> torch.dtype:
    """The integer type as wide as one element on the device; DeviceError if the layout does not fit the type."""
    width = tensor.layout.element_bytes
    fits = width in (1, 2, 4) if tensor.dtype is DType.BOOL else width == tensor.dtype.device_bytes
    if not fits:
        lanes = tensor.layout.elements_per_stick
        raise DeviceError(f"tensor {tensor.name}", f"its layout has {lanes} elements per stick, {tensor.dtype} has not")
    return _CARRIERS[width]


def decode(raw: Tensor, dtype: DType) -> Tensor:
    """Values of carrier elements: int32 becomes int64 again, any non-zero is True."""
    if dtype is DType.BOOL:
        return raw != 0
    if dtype is DType.I64:
        return raw.to(torch.int64)
    return raw.view(torch_dtype(dtype))


def as_stored(raw: Tensor, dtype: DType) -> Tensor:
    """The same for whoever compares: a bool that is neither 0 nor 1 was never written and stays the number it is."""
    if dtype is DType.BOOL and not ((raw == 0) | (raw == 1)).all():
        return raw
    return decode(raw, dtype)


def encode(values: Tensor, dtype: DType, kind: torch.dtype) -> Tensor:
    """Carrier elements of values, rounded to the type first; int64 is cut to 32 bits, bool becomes 0 or 1."""
    if dtype is DType.BOOL:
        return values.to(torch.bool).to(kind)
    if dtype is DType.I64:
        return values.to(torch.int64).to(kind)
    return values.to(torch_dtype(dtype)).view(kind)


def unwritten(shape: tuple[int, ...], dtype: DType) -> Tensor:
    """What `as_stored` gives for memory nobody has written."""
    if dtype is DType.BOOL:
        return torch.full(shape, INTEGER_POISON, dtype=torch.uint8)
    return poisoned(shape, dtype)


def poison_byte(dtype: DType) -> int:
    """Every byte of memory nobody has written: NaN for all floating formats, a large number for integers."""
    return FLOAT_POISON if dtype.is_float else INTEGER_POISON


def poisoned(shape: tuple[int, ...], dtype: DType) -> Tensor:
    """A host tensor that holds nothing yet: NaN, or the integers whose bytes are 0x7F; bool is False."""
    kind = torch_dtype(dtype)
    if dtype is DType.BOOL:
        return torch.zeros(shape, dtype=kind)
    width = _CARRIERS[kind.itemsize]
    pattern = int.from_bytes([poison_byte(dtype)] * kind.itemsize, "little", signed=width is not torch.uint8)
    return torch.full(shape, pattern, dtype=width).view(kind)
