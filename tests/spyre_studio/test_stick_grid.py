"""The stick grid against brute force: every lane of every layout, as the tensor looks and as memory lies."""

from itertools import product
from math import prod

import numpy as np
import pytest

from compiler.layout import Arrangement, stick_layout
from spyre_studio.stick_grid import (
    COLUMN,
    ELEMENT,
    PADDING,
    ZERO,
    StickGrid,
    arranged,
    memory_grid,
    tensor_grid,
    unarranged,
)
from tests.spyre_studio.stick_cases import CASES, TO_F16, TO_F32, Case, dense, layout_of


def grids(case: Case) -> tuple[StickGrid, StickGrid]:
    layout = layout_of(case)
    return tensor_grid(layout, case[0]), memory_grid(layout, case[0])


def lane_of(grid: StickGrid, index: tuple[int, ...]) -> tuple[int, ...]:
    """Device coordinates of an element, by the layout's own arithmetic."""
    offset = sum(place * stride for place, stride in zip(index, dense(grid.shape), strict=True))
    return tuple(grid.layout.coordinates(np.array([offset]))[:, 0].tolist())


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_element_is_where_the_layout_puts_it(case: Case) -> None:
    for grid in grids(case):
        assert grid.rows * grid.columns == grid.layout.sticks * grid.lanes
        for index in list(product(*(range(size) for size in grid.shape)))[::7]:
            place = grid.place(*grid.find(index))
            assert place.index == index
            assert place.coordinates == lane_of(grid, index)
            assert grid.locate(place.coordinates) == grid.find(index)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_all_else_is_padding_or_zeros(case: Case) -> None:
    for grid in grids(case):
        states = grid.states(np.arange(grid.rows), np.arange(grid.columns))
        assert int((states == ELEMENT).sum()) == prod(grid.shape)
        sticks = grid.layout.sticks
        for dim, size in grid.layout.padding:
            sticks = sticks // size * grid.shape[dim]
        assert int((states == ZERO).sum()) == (grid.layout.sticks - sticks) * grid.lanes
        for row, column in product(range(0, grid.rows, 5), range(0, grid.columns, 11)):
            place = grid.place(row, column)
            assert place.state == states[row, column]
            assert (place.index is None) == (place.state != ELEMENT)
            assert grid.locate(place.coordinates) == (row, column)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_lane_of_a_stick_lies_in_its_runs(case: Case) -> None:
    for grid in grids(case):
        places = np.arange(grid.length)
        device = places if grid.in_memory_order else arranged(places, grid.layout)
        for place in range(0, grid.length, 13):
            mine = {lane for first, last in grid.runs(place) for lane in range(first, last)}
            assert mine == set(np.flatnonzero(device // grid.lanes == device[place] // grid.lanes).tolist())
            assert len(mine) == grid.lanes


def test_rows_read_like_the_tensor() -> None:
    shape = (3, 5, 70)
    grid = tensor_grid(stick_layout(shape, dense(shape), 64), shape)
    assert (grid.rows, grid.columns, grid.upright) == (15, 128, False)
    assert grid.place(1 * 5 + 2, 67).index == (1, 2, 67)


def test_sticks_of_another_dim_than_the_last_stand_upright() -> None:
    shape = (3, 100, 20)
    grid = tensor_grid(stick_layout(shape, dense(shape), 64, (0, 2, 1)), shape)
    assert grid.upright
    assert (grid.rows, grid.columns) == (3 * 128, 20)
    assert grid.place(128 + 5, 7).index == (1, 5, 7)
    assert grid.place(128 + 100, 7).state == PADDING


def test_memory_lies_in_blocks_of_columns_of_sticks() -> None:
    shape = (5, 100, 150)
    grid = memory_grid(stick_layout(shape, dense(shape), 64), shape)
    assert (grid.down, grid.across) == ((0, 2), COLUMN)
    numbers = [np.dot(grid.place(row, 64 * c).coordinates[:-1], (15, 5, 1)) for c in range(3) for row in range(5)]
    assert numbers == list(range(15)), "a block is 3 columns of 5 sticks, column after column"
    assert grid.place(5, 0).coordinates == (1, 0, 0, 0)


@pytest.mark.parametrize(("first", "second"), [((0, 1, 2), (0, 2, 1)), ((0, 1, 2), (1, 2, 0)), ((0, 2, 1), (1, 2, 0))])
def test_two_layouts_are_laid_flat_alike(first: tuple[int, ...], second: tuple[int, ...]) -> None:
    shape = (70, 80, 90)
    one, other = (stick_layout(shape, dense(shape), 64, order) for order in (first, second))
    here, there = tensor_grid(one, shape, other), tensor_grid(other, shape, one)
    assert [here.dim_of(axis) for axis in (*here.down, here.across)] == [
        there.dim_of(axis) for axis in (*there.down, there.across)
    ]
    assert here.upright is not there.upright
    for grid in (here, there):
        assert grid.place(*grid.find((3, 4, 5))).index == (3, 4, 5)


@pytest.mark.parametrize("arrangement", [TO_F32, TO_F16])
def test_arranging_is_undone(arrangement: Arrangement) -> None:
    layout = stick_layout((256,), (1,), 32 if arrangement is TO_F32 else 64, None, arrangement)
    columns = np.arange(256)
    assert unarranged(arranged(columns, layout), layout).tolist() == columns.tolist()
    assert sorted(arranged(columns, layout).tolist()) == columns.tolist()
    assert arranged(columns, layout).tolist() != columns.tolist()


def test_tones_tell_the_sticks_of_a_pair_apart() -> None:
    shape = (4, 128)
    grid = tensor_grid(stick_layout(shape, dense(shape), 32, None, TO_F32), shape)
    assert grid.tones(np.arange(16)).tolist() == [0, 0, 0, 0, 1, 1, 1, 1] * 2
    memory = memory_grid(grid.layout, shape)
    assert memory.tones(np.arange(0, 128, 32)).tolist() == [0, 1, 0, 1]
    halves = tensor_grid(stick_layout(shape, dense(shape), 64, None, TO_F16), shape)
    assert halves.tones(np.array([0, 31, 32, 63, 64])).tolist() == [0, 0, 1, 1, 0]
    assert memory_grid(halves.layout, shape).tones(np.arange(8)).tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    plain = tensor_grid(stick_layout(shape, dense(shape), 64), shape)
    assert not plain.tones(np.arange(128)).any()


def test_keys_are_equal_within_a_stick_alone() -> None:
    shape = (3, 100, 20)
    grid = tensor_grid(stick_layout(shape, dense(shape), 64, (0, 2, 1)), shape)
    assert grid.stick_keys(np.array([0, 63, 64, 127, 128])).tolist() == [0, 0, 1, 1, 2]


def test_a_window_of_a_huge_tensor_is_as_cheap_as_any() -> None:
    shape = (1 << 16, 1 << 14)
    grid = tensor_grid(stick_layout(shape, dense(shape), 64), shape)
    states = grid.states(np.linspace(0, grid.rows - 1, 400).astype(np.int64), np.arange(300))
    assert states.shape == (400, 300)
    assert not states.any()
