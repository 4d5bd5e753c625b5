"""StickLayout: where each element of a tensor sits in device memory, in 128-byte sticks.

Owns the arithmetic of facts 2.1-2.2 and 2.7: building a layout from a host shape, host offset -> device coordinate,
and dims that are padded with zeros.  Refuses to choose: which layout a buffer gets is a pass's decision.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

STICK_BYTES = 128
SPARSE = -1
UNIT = -2
MAX_DIM_ORDER = 6


class Arrangement(StrEnum):
    """Order of elements inside pairs of sticks after a width-changing cast (facts 2.7)."""

    STANDARD = "standard"
    F16_TO_F32 = "f16-to-f32"
    F32_TO_F16 = "f32-to-f16"


@dataclass(frozen=True, slots=True)
class StickLayout:
    """Device sizes (last = elements per stick), host stride of every device dim (-1 = none), arrangement.

    `dim_order` remembers the request: host dims, the last one is cut into sticks; -1 last = sparse; -2 first = a device
    dim of size 1 stands just before the stick, so that all host dims lie outside of it.
    `padding` lists (host dim, size) of dims that are longer on the device than on the host; what is added holds zeros.
    """

    device_size: tuple[int, ...]
    stride_map: tuple[int, ...]
    dim_order: tuple[int, ...]
    arrangement: Arrangement = Arrangement.STANDARD
    padding: tuple[tuple[int, int], ...] = ()

    @property
    def elements_per_stick(self) -> int:
        """Elements in one stick; fixes the bytes of an element."""
        return self.device_size[-1]

    @property
    def element_bytes(self) -> int:
        """Bytes of one element on the device."""
        return STICK_BYTES // self.elements_per_stick

    @property
    def sticks(self) -> int:
        """Sticks of the whole tensor."""
        return math.prod(self.device_size[:-1])

    @property
    def size_bytes(self) -> int:
        """Device bytes of the whole tensor, padding included."""
        return STICK_BYTES * self.sticks

    @property
    def stick_dim(self) -> int:
        """Host dim cut into sticks, or -1 for a sparse layout or a 0-d tensor."""
        return self.dim_order[-1] if self.dim_order else SPARSE

    @property
    def sparse(self) -> bool:
        """True if every element sits alone in its stick."""
        return self.stick_dim == SPARSE

    @property
    def device_strides(self) -> tuple[int, ...]:
        """Device stride of every device dim, in elements."""
        return tuple(math.prod(self.device_size[dim + 1 :]) for dim in range(len(self.device_size)))

    def coordinates(self, offsets: NDArray[np.int64]) -> NDArray[np.int64]:
        """Device coordinates, shape (device dims, *offsets.shape), of host element offsets into dense storage."""
        result = np.zeros((len(self.device_size), *offsets.shape), dtype=np.int64)
        rest = offsets.astype(np.int64, copy=True)
        for dim in sorted(range(len(self.stride_map)), key=lambda d: -self.stride_map[d]):
            if self.stride_map[dim] > 0 and self.device_size[dim] > 1:
                result[dim], rest = np.divmod(rest, self.stride_map[dim])
        return self._arrange(result)

    def positions(self, offsets: NDArray[np.int64]) -> NDArray[np.int64]:
        """Device element numbers (0 = first element of the tensor) of host element offsets."""
        coordinates = self.coordinates(offsets)
        strides = np.array(self.device_strides, dtype=np.int64).reshape(-1, *([1] * offsets.ndim))
        return np.asarray((coordinates * strides).sum(axis=0), dtype=np.int64)

    def _arrange(self, coordinates: NDArray[np.int64]) -> NDArray[np.int64]:
        """Move lanes (and, for fp32 pairs, sticks) as the hardware's width-changing casts leave them."""
        if self.arrangement is Arrangement.STANDARD or self.sparse:
            return coordinates
        outer_dim = len(self.device_size) - 3 if len(self.device_size) > 2 else 0
        lane = coordinates[-1]
        if self.arrangement is Arrangement.F32_TO_F16:
            half, group, element = lane // 32, lane % 32 // 4, lane % 4
            coordinates[-1] = 8 * group + 4 * half + element
            return coordinates
        column = coordinates[outer_dim] * self.elements_per_stick + lane
        pair, within = np.divmod(column, 2 * self.elements_per_stick)
        group, second, element = within // 8, within % 8 // 4, within % 4
        coordinates[outer_dim] = 2 * pair + second
        coordinates[-1] = 4 * group + element
        return coordinates


@lru_cache(maxsize=1 << 14)
def stick_layout(
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    elements_per_stick: int,
    dim_order: tuple[int, ...] | None = None,
    arrangement: Arrangement = Arrangement.STANDARD,
    padding: tuple[tuple[int, int], ...] = (),
) -> StickLayout:
    """Layout of a host tensor for a dim order (default: identity, the last dim is cut); facts 2.2.

    `padding` gives the device sizes of dims, other than the stick's, that are filled up with zeros (facts 2.6).

    >>> stick_layout((5, 100, 150), (15000, 150, 1), 64).device_size
    (100, 3, 5, 64)
    >>> stick_layout((512,), (1,), 64, (0, -1)).stride_map
    (-1, 1, -1)
    >>> stick_layout((8192, 32768), (32768, 1), 64, (UNIT, 0, 1)).device_size
    (8192, 512, 1, 64)
    >>> stick_layout((784, 512), (512, 1), 64, padding=((0, 832),)).device_size
    (8, 832, 64)
    """
    order = tuple(range(len(shape))) if dim_order is None else dim_order
    if not order:
        return StickLayout((1, elements_per_stick), (-1, -1), (), arrangement)
    if len(order) > MAX_DIM_ORDER:
        raise ValueError(f"dim order {order} has more than {MAX_DIM_ORDER} entries")
    dims = _device_dims(order)
    sizes, stride_map = _sizes_and_strides(dims, shape, strides, elements_per_stick, arrangement)
    longer = dict(padding)
    inner = tuple(max(size, longer.get(dim, 0)) for dim, size in zip(dims[:-1], sizes[:-1], strict=True))
    return StickLayout((*inner, sizes[-1]), stride_map, order, arrangement, padding)


def _device_dims(order: tuple[int, ...]) -> tuple[int, ...]:
    """Host dim (or -1, -2) of every device dim: middle dims, stick outer, first dim, lane."""
    if len(order) == 1:
        return (order[0], order[0])
    return (*order[1:-1], order[-1], order[0], order[-1])


def _sizes_and_strides(
    dims: tuple[int, ...], shape: tuple[int, ...], strides: tuple[int, ...], lanes: int, arrangement: Arrangement
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    outer = 0 if len(dims) == 2 else len(dims) - 3
    sizes: list[int] = []
    stride_map: list[int] = []
    for position, dim in enumerate(dims):
        if position == len(dims) - 1:
            sizes.append(lanes)
            stride_map.append(strides[dim] if dim != SPARSE and shape[dim] > 1 else -1)
        elif position == outer:
            count = 1 if dim == SPARSE else -(-shape[dim] // lanes)
            paired = arrangement is Arrangement.F16_TO_F32 and dim != SPARSE
            sizes.append(count + count % 2 if paired else count)
            carries = dim != SPARSE and shape[dim] > 1 and not (paired and count == 1)
            stride_map.append(strides[dim] * lanes if carries else -1)
        else:
            sizes.append(1 if dim == UNIT else shape[dim])
            stride_map.append(strides[dim] if dim != UNIT and shape[dim] > 1 else -1)
    return tuple(sizes), tuple(stride_map)
