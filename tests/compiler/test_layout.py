"""Stick layouts: what a restickify makes of one, and the element order that casts leave behind.

The published worked examples are in `test_layout_table`.
"""

import math

import numpy as np
import pytest

from compiler.dtypes import DType
from compiler.layout import UNIT, Arrangement, StickLayout, stick_layout
from compiler.loops import Buffer, BufferKind
from compiler.operands import restickified
from tests.random_draft import dense

HALF, SINGLE = 64, 32
Padding = tuple[tuple[int, int], ...]


def layout_of(shape: tuple[int, ...], order: tuple[int, ...] | None = None, lanes: int = HALF) -> StickLayout:
    return stick_layout(shape, dense(shape), lanes, order)


def test_a_restickify_trades_the_stick_dim() -> None:
    buffer = Buffer("x", DType.F16, (1024, 256), (256, 1), BufferKind.INPUT)
    other = restickified(layout_of((1024, 256)), buffer, 0, HALF)
    assert (other.device_size, other.stride_map) == ((16, 256, 64), (16384, 1, 256))
    assert restickified(other, buffer, 1, HALF) == layout_of((1024, 256))


def test_a_restickify_of_three_dims_keeps_the_other_dims_in_place() -> None:
    shape = (5, 100, 150)
    buffer = Buffer("x", DType.F16, shape, dense(shape), BufferKind.INPUT)
    assert restickified(layout_of(shape), buffer, 0, HALF).device_size == (100, 1, 150, 64)


def test_a_unit_before_the_stick_puts_every_dim_outside_of_it() -> None:
    layout = layout_of((8192, 32768), (UNIT, 0, 1))
    assert (layout.device_size, layout.stride_map) == ((8192, 512, 1, 64), (32768, 64, -1, 1))
    assert (layout.stick_dim, layout.sparse) == (1, False)
    assert layout.size_bytes == layout_of((8192, 32768)).size_bytes


def test_what_is_padded_lies_behind_the_last_element() -> None:
    plain, padded = layout_of((784, 512)), stick_layout((784, 512), (512, 1), HALF, padding=((0, 832),))
    assert (padded.device_size, padded.stride_map) == ((8, 832, 64), plain.stride_map)
    offsets = np.arange(784 * 512)
    assert (padded.coordinates(offsets) == plain.coordinates(offsets)).all()
    assert padded.size_bytes == 8 * 832 * 128


def place(layout: StickLayout, column: int) -> tuple[int, int]:
    """Stick and lane of a column of a one-row tensor."""
    coordinates = layout.coordinates(np.array([column]))
    return int(coordinates[0, 0]), int(coordinates[-1, 0])


def test_a_cast_to_f32_deals_elements_over_a_pair_of_sticks() -> None:
    layout = stick_layout((1, 128), (128, 1), SINGLE, None, Arrangement.F16_TO_F32)
    assert [place(layout, column) for column in (0, 3, 4, 7, 8, 63)] == [
        (0, 0),
        (0, 3),
        (1, 0),
        (1, 3),
        (0, 4),
        (1, 31),
    ]


def test_a_cast_to_f16_interleaves_the_two_halves_of_a_stick() -> None:
    layout = stick_layout((1, 128), (128, 1), HALF, None, Arrangement.F32_TO_F16)
    assert [place(layout, column) for column in (0, 4, 32, 36, 63, 64)] == [
        (0, 0),
        (0, 8),
        (0, 4),
        (0, 12),
        (0, 63),
        (1, 0),
    ]


def test_an_odd_number_of_f32_sticks_is_padded_to_a_pair() -> None:
    layout = stick_layout((3, 96), (96, 1), SINGLE, None, Arrangement.F16_TO_F32)
    assert layout.device_size == (4, 3, 32)
    assert place(layout, 95) == (3, 15)


@pytest.mark.parametrize("arrangement", list(Arrangement))
@pytest.mark.parametrize("shape", [(3, 70), (2, 3, 128), (64,), (5, 1)])
def test_every_element_has_a_place_of_its_own(shape: tuple[int, ...], arrangement: Arrangement) -> None:
    lanes = HALF if arrangement is Arrangement.F32_TO_F16 else SINGLE
    layout = stick_layout(shape, dense(shape), lanes, None, arrangement)
    positions = layout.positions(np.arange(math.prod(shape)))
    assert len(set(positions.tolist())) == math.prod(shape)
    assert positions.min() >= 0
    assert positions.max() < layout.sticks * lanes


@pytest.mark.parametrize("padding", [(), ((0, 9),)])
@pytest.mark.parametrize("order", [(UNIT, 0, 1, 2), (UNIT, 1, 0, 2), (UNIT, 2, 1, 0), (2, 0, 1)])
def test_every_element_has_a_place_of_its_own_in_any_order(order: tuple[int, ...], padding: Padding) -> None:
    shape = (5, 3, 70)
    padding = padding if order[-1] else ()
    layout = stick_layout(shape, dense(shape), HALF, order, padding=padding)
    positions = layout.positions(np.arange(math.prod(shape)))
    assert len(set(positions.tolist())) == math.prod(shape)
    assert positions.max() < layout.sticks * HALF


def test_too_many_dims_are_refused() -> None:
    with pytest.raises(ValueError, match="more than 6"):
        layout_of((2,) * 7)
