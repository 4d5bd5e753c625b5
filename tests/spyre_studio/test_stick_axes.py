"""Axes of a stick picture: first views in which sticks can be told apart, and ticks that are indices."""

import pytest

from compiler.layout import stick_layout
from spyre_studio.scales import LinearScale
from spyre_studio.stick_axes import (
    CELL,
    STICK,
    THICKEST,
    column_label,
    column_name,
    column_ticks,
    first_extent,
    row_label,
    row_name,
    row_ticks,
    thickness,
)
from spyre_studio.stick_grid import StickGrid, memory_grid, tensor_grid
from tests.spyre_studio.stick_cases import CASES, TO_F32, Case, dense, layout_of


def grid_of(shape: tuple[int, ...], order: tuple[int, ...] | None = None, memory: bool = False) -> StickGrid:
    layout = stick_layout(shape, dense(shape), 64, order)
    return memory_grid(layout, shape) if memory else tensor_grid(layout, shape)


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("size", [(250, 150), (1500, 800)])
def test_a_first_view_shows_whole_sticks_large_enough(case: Case, size: tuple[int, int]) -> None:
    width, height = size
    for grid in (tensor_grid(layout_of(case), case[0]), memory_grid(layout_of(case), case[0])):
        shown = first_extent(grid, width, height)
        along, beside = (shown.rows, shown.columns) if grid.upright else (shown.columns, shown.rows)
        room = (height, width) if grid.upright else (width, height)
        assert along % grid.lanes == 0
        assert room[0] / along * grid.lanes >= min(STICK, room[0])
        assert room[1] / beside >= CELL - 0.01
        assert 0 < shown.columns <= grid.columns
        assert 0 < shown.rows <= grid.rows


def test_woven_sticks_begin_with_lanes_that_can_be_told_apart() -> None:
    layout = stick_layout((512, 1024), (1024, 1), 32, None, TO_F32)
    shown = first_extent(tensor_grid(layout, (512, 1024)), 250, 200)
    assert 250 / shown.columns >= 3.5


def test_few_sticks_stay_thin() -> None:
    assert thickness(grid_of((67,))) == THICKEST
    assert thickness(grid_of((5, 64), (1, 0))) == 64 * THICKEST
    assert thickness(grid_of((5, 64))) == 5 * THICKEST


def test_rows_are_named_and_labelled_by_their_dims() -> None:
    grid = grid_of((5, 100, 150))
    assert (row_name(grid), column_name(grid)) == ("d0,d1", "d2")
    assert row_label(grid, 2 * 100 + 17) == "2,17"
    memory = grid_of((5, 100, 150), memory=True)
    assert row_name(memory) == "d1,d0"
    assert row_label(memory, 2 * 5 + 3) == "2,3"
    assert column_label(memory, 130) == "2", "in memory columns of sticks are counted"
    assert column_label(grid, 1300) == "1,300"
    single = grid_of((1, 512, 768))
    assert (row_name(single), row_label(single, 400)) == ("d1", "400"), "dims of size 1 say nothing"
    assert row_name(grid_of((67,))) == ""


def test_ticks_of_a_matrix_stand_at_round_rows_and_at_sticks() -> None:
    grid = grid_of((1024, 256))
    rows = row_ticks(grid, LinearScale(0, 1024, 0, 500), 6)
    assert rows.labels == ("0", "200", "400", "600", "800", "1,000")
    assert rows.values[1] == 200.5
    columns = column_ticks(grid, LinearScale(0, 256, 0, 500), 4)
    assert columns.labels == ("0", "64", "128", "192")
    assert (rows.unit, columns.unit) == ("d0", "d1")


def test_ticks_begin_anew_in_every_block() -> None:
    grid = grid_of((5, 100, 150))
    shown = row_ticks(grid, LinearScale(80, 220, 0, 500), 8)
    assert shown.labels == ("0,80", "1,0", "1,20", "1,40", "1,60", "1,80", "2,0")
    blocks = row_ticks(grid, LinearScale(0, 500, 0, 500), 4)
    assert set(blocks.labels) <= {"0,0", "1,0", "2,0", "3,0", "4,0"}


def test_ticks_of_standing_sticks_are_powers_of_two() -> None:
    grid = grid_of((1024, 256), (1, 0))
    assert row_ticks(grid, LinearScale(0, 192, 0, 100), 6).labels == ("0", "32", "64", "96", "128", "160")
    assert column_ticks(grid, LinearScale(0, 10, 0, 100), 5).labels == ("0", "2", "4", "6", "8")


def test_memory_counts_columns_of_sticks_and_close_by_lanes() -> None:
    grid = grid_of((1024, 256), memory=True)
    far = column_ticks(grid, LinearScale(0, 256, 0, 500), 8)
    assert (far.labels, far.values, far.unit) == (("0", "1", "2", "3"), (32.0, 96.0, 160.0, 224.0), "column")
    near = column_ticks(grid, LinearScale(64, 96, 0, 500), 4)
    assert (near.labels, near.unit) == (("0", "8", "16", "24"), "lane")


def test_ticks_of_a_huge_tensor_close_by_are_few() -> None:
    grid = grid_of((4, 1 << 20, 64))
    ticks = row_ticks(grid, LinearScale(3 * (1 << 20) + 500_000, 3 * (1 << 20) + 500_010, 0, 100), 5)
    assert ticks.labels == ("3,500000", "3,500002", "3,500004", "3,500006", "3,500008")
