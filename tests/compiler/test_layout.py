"""Stick layouts: the published worked examples, and the element order that casts leave behind."""

import math

import numpy as np
import pytest

from compiler.device import load_device
from compiler.dtypes import DType
from compiler.errors import InputError
from compiler.layout import Arrangement, StickLayout, stick_layout
from compiler.loops import Buffer, BufferKind
from compiler.operands import restickified
from tests.random_draft import dense

HALF, SINGLE = 64, 32


def layout_of(shape: tuple[int, ...], order: tuple[int, ...] | None = None, lanes: int = HALF) -> StickLayout:
    return stick_layout(shape, dense(shape), lanes, order)


@pytest.mark.parametrize(
    ("shape", "order", "lanes", "sizes", "strides", "size_bytes"),
    [
        ((1024, 256), None, HALF, (4, 1024, 64), (64, 256, 1), 524_288),
        ((1024, 256), (1, 0), HALF, (16, 256, 64), (16384, 1, 256), 524_288),
        ((5, 100, 150), None, HALF, (100, 3, 5, 64), (150, 64, 15000, 1), 192_000),
        ((5, 100, 150), (1, 0, 2), HALF, (5, 3, 100, 64), (15000, 64, 150, 1), 192_000),
        ((50, 10, 200), None, HALF, (10, 4, 50, 64), (200, 64, 2000, 1), 256_000),
        ((128, 256, 512), None, HALF, (256, 8, 128, 64), (512, 64, 131072, 1), 33_554_432),
        ((8, 256, 512), None, HALF, (256, 8, 8, 64), (512, 64, 131072, 1), 2_097_152),
        ((8192, 32768), None, HALF, (512, 8192, 64), (64, 32768, 1), 536_870_912),
        ((67,), None, HALF, (2, 64), (64, 1), 256),
        ((512,), (0, -1), HALF, (1, 512, 64), (-1, 1, -1), 65_536),
        ((512, 1), (0, 1, -1), HALF, (1, 1, 512, 64), (-1, -1, 1, -1), 65_536),
        ((33, 768), None, SINGLE, (24, 33, 32), (32, 768, 1), 101_376),
        ((), None, HALF, (1, 64), (-1, -1), 128),
    ],
)
def test_worked_examples(
    shape: tuple[int, ...],
    order: tuple[int, ...] | None,
    lanes: int,
    sizes: tuple[int, ...],
    strides: tuple[int, ...],
    size_bytes: int,
) -> None:
    layout = layout_of(shape, order, lanes)
    assert (layout.device_size, layout.stride_map, layout.size_bytes) == (sizes, strides, size_bytes)


def test_a_host_copy_is_three_nested_loops() -> None:
    layout = layout_of((1024, 256))
    assert layout.device_size == (4, 1024, 64)
    assert layout.device_strides == (65536, 64, 1)
    assert layout.stride_map == (64, 256, 1)


def test_a_restickify_trades_the_stick_dim() -> None:
    buffer = Buffer("x", DType.F16, (1024, 256), (256, 1), BufferKind.INPUT)
    other = restickified(layout_of((1024, 256)), buffer, 0, HALF)
    assert (other.device_size, other.stride_map) == ((16, 256, 64), (16384, 1, 256))
    assert buffer.elements == 262_144
    assert restickified(other, buffer, 1, HALF) == layout_of((1024, 256))


def test_a_restickify_of_three_dims_keeps_the_other_dims_in_place() -> None:
    shape = (5, 100, 150)
    buffer = Buffer("x", DType.F16, shape, dense(shape), BufferKind.INPUT)
    assert restickified(layout_of(shape), buffer, 0, HALF).device_size == (100, 1, 150, 64)


def test_a_reduction_along_the_stick_takes_a_stick_per_value() -> None:
    layout = layout_of((512,), (0, -1))
    assert layout.sparse
    assert layout.sticks == 512
    assert layout.size_bytes == 64 * 1024


@pytest.mark.parametrize(("fraction", "budget"), [(0.0, 2_031_616), (0.2, 1_625_344), (1.0, 0)])
def test_the_budget_follows_the_back_ends_fraction(fraction: float, budget: int) -> None:
    assert load_device("spyre").with_number("lx_backend_fraction", fraction).lx_budget_bytes == budget


@pytest.mark.parametrize("fraction", ["-0.01", "1.01", "nan"])
def test_a_fraction_outside_of_0_to_1_is_refused(fraction: str) -> None:
    from importlib import resources

    from compiler.device import parse_device

    text = resources.files("resources").joinpath("devices", "spyre.toml").read_text("utf-8")
    head, tail = text.split("[lx_backend_fraction]\nvalue = ")
    broken = f"{head}[lx_backend_fraction]\nvalue = {fraction}\n{tail.split(chr(10), 1)[1]}"
    with pytest.raises(InputError, match="lx_backend_fraction"):
        parse_device(broken, "broken.toml")


def place(layout: StickLayout, column: int) -> tuple[int, int]:
    """Stick and lane of a column of a one-row tensor."""
    coordinates = layout.coordinates(np.array([column]))
    return int(coordinates[0, 0]), int(coordinates[-1, 0])


def test_a_cast_to_f32_deals_elements_over_a_pair_of_sticks() -> None:
    layout = stick_layout((1, 128), (128, 1), SINGLE, None, Arrangement.F16_TO_F32)
    assert place(layout, 70) == (3, 2)
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


def test_too_many_dims_are_refused() -> None:
    with pytest.raises(ValueError, match="more than 6"):
        layout_of((2,) * 7)
