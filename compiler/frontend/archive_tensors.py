"""Descriptions of tensors in an archive: element type, sizes, strides, place in their storage.

Owns what a description may say and how far a tensor reaches.  Refuses layouts and element types the device has no
form for.
"""

from __future__ import annotations

import torch
from torch._export.serde import schema
from torch._export.serde.serialize import deserialize_scalar_type

from compiler.errors import UnsupportedError
from compiler.frontend.archive_error import ArchiveError

BYTES = 1 << 46
RANK = 64
_COMPLEX = {
    schema.ScalarType.COMPLEXHALF: "complex32",
    schema.ScalarType.COMPLEXFLOAT: "complex64",
    schema.ScalarType.COMPLEXDOUBLE: "complex128",
}


def check_tensor(name: str, meta: schema.TensorMeta, source: str = "") -> None:
    """Check the description of a tensor whose sizes are closed, and place it on the CPU, where no device is needed."""
    meta.device = schema.Device(type="cpu")
    meta.requires_grad = False
    sizes, strides = sizes_of(meta), strides_of(meta)
    if len(sizes) != len(strides) or len(sizes) > RANK or min([*sizes, *strides, meta.storage_offset.as_int, 0]) < 0:
        raise ArchiveError(f"the tensor {name} has sizes {sizes} and strides {strides}, which do not fit")
    if meta.layout != schema.Layout.Strided:
        why = f"it is stored in the layout {meta.layout.name}, for which there is no form on the device"
        raise UnsupportedError(f"tensor {name}{source}", why, "make it dense before exporting")
    if meta.dtype in _COMPLEX:
        why = f"it has the element type {_COMPLEX[meta.dtype]}, for which the device has no format"
        raise UnsupportedError(f"tensor {name}{source}", why, "keep real and imaginary parts in two real tensors")
    if meta.dtype == schema.ScalarType.UNKNOWN:
        raise ArchiveError(f"the tensor {name} has no element type")
    if extent(meta) * dtype_of(meta).itemsize > BYTES:
        raise ArchiveError(f"the tensor {name} of sizes {sizes} would need more than {BYTES >> 40} TiB")


def dtype_of(meta: schema.TensorMeta) -> torch.dtype:
    """The element type; `check_tensor` has made sure that there is one."""
    return deserialize_scalar_type(meta.dtype)


def sizes_of(meta: schema.TensorMeta) -> tuple[int, ...]:
    """The sizes in elements; ArchiveError if one is not a plain number."""
    return tuple(map(_plain, meta.sizes))


def strides_of(meta: schema.TensorMeta) -> tuple[int, ...]:
    """The strides in elements; ArchiveError if one is not a plain number."""
    return tuple(map(_plain, meta.strides))


def extent(meta: schema.TensorMeta) -> int:
    """The number of elements of its storage that a tensor reaches over, 0 for an empty one."""
    sizes = sizes_of(meta)
    if 0 in sizes:
        return 0
    reach = sum((size - 1) * stride for size, stride in zip(sizes, strides_of(meta), strict=True))
    return _plain(meta.storage_offset) + reach + 1


def _plain(number: schema.SymInt) -> int:
    if number.type != "as_int":
        raise ArchiveError("the size of a stored tensor is not a plain number")
    return number.as_int
