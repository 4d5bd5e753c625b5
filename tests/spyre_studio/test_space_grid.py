"""Space grids: cells, labels, panels, chains and idle cores, against the division's own arithmetic."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.division import Division, Split
from compiler.loops import Loop, LoopOp, OpKind, Origin, Role
from spyre_studio.space_grid import WRAP, SpaceGrid, handing_note, handing_text, range_text, space_grid

EXTENT = 64


def op_of(*loops: str, reduced: str = "", extent: int = EXTENT) -> LoopOp:
    nest = tuple(Loop(name, extent, Role.REDUCTION if name == reduced else Role.OUTPUT) for name in loops)
    return LoopOp("op", OpKind.MATMUL, "sum", nest, (), (), (), (), Origin())


def divided(**factors: int) -> Division:
    return Division(tuple(Split(loop, factor, -(-EXTENT // factor)) for loop, factor in factors.items()))


def grid_of(reduced: str = "", cores: int = 32, **factors: int) -> SpaceGrid:
    return space_grid(op_of(*factors, reduced=reduced), divided(**factors), cores)


@given(st.lists(st.sampled_from([2, 3, 4, 5, 8]), max_size=4).filter(lambda factors: _size(factors) <= 32))
def test_every_core_has_a_cell_of_its_own(factors: list[int]) -> None:
    made = divided(**dict(zip("abcd", factors, strict=False)))
    grid = space_grid(op_of("a", "b", "c", "d", reduced="a"), made, 32)
    assert [cell.core for cell in grid.cells] == list(range(made.cores))
    assert grid.idle == tuple(range(made.cores, 32))
    places = {(cell.panel, cell.column, cell.row) for cell in grid.cells}
    assert len(places) == made.cores
    assert places <= set(product(range(len(grid.panels)), range(grid.columns), range(grid.rows)))
    assert grid.columns >= grid.rows or grid.wrapped


def _size(factors: list[int]) -> int:
    size = 1
    for factor in factors:
        size *= factor
    return size


def test_cells_stand_at_their_slots() -> None:
    made = divided(b=4, m=8)
    grid = grid_of(b=4, m=8)
    assert (grid.across.loop, grid.down.loop) == ("m", "b")
    for cell in grid.cells:
        assert made.slots(cell.core) == {"b": cell.row, "m": cell.column}
    assert grid.across.slots[1] == (8, 16)
    assert grid.down.slots[3] == (48, 64)


def test_a_tower_is_laid_down() -> None:
    made = divided(m=16, n=2)
    for cell in grid_of(m=16, n=2).cells:
        assert made.slots(cell.core) == {"m": cell.column, "n": cell.row}


def test_one_split_wraps_and_rows_say_how_far_they_reach() -> None:
    grid = grid_of(m=32)
    assert (grid.columns, grid.rows, grid.wrapped) == (WRAP, 4, True)
    assert grid.down.slots == ((0, 16), (16, 32), (32, 48), (48, 64))
    short = grid_of(m=4)
    assert (short.columns, short.rows, short.wrapped) == (4, 1, False)
    assert short.across.slots[2] == (32, 48)


def test_a_third_split_makes_panels_beside_each_other() -> None:
    grid = grid_of(a=2, b=4, c=4)
    assert grid.panels == ("a 0–31", "a 32–63")
    assert grid.panel_columns == 2
    wide = grid_of(a=2, b=2, c=8)
    assert wide.panel_columns == 1, "eight columns fill a row"
    assert grid.panel_rows == 1
    assert wide.panel_rows == 2


def test_four_splits_name_both_outer_slots() -> None:
    assert grid_of(a=2, b=2, c=4, d=2).panels[3] == "b 32–63 · d 32–63"


def test_without_a_split_there_is_one_cell() -> None:
    grid = grid_of()
    assert (grid.columns, grid.rows, len(grid.cells)) == (1, 1, 1)
    assert grid.cells[0].shade == 0
    assert len(grid.idle) == 31


def test_partial_sums_pass_along_neighbours() -> None:
    grid = grid_of(reduced="k", k=4, m=8)
    assert grid.chains[0] == (0, 1, 2, 3)
    assert grid.links[1] == 2
    assert grid.finished == set(range(3, 32, 4))
    assert grid.chain_of(30) == (28, 29, 30, 31)
    cells = {cell.core: cell for cell in grid.cells}
    for one, other in grid.links.items():
        assert abs(cells[one].row - cells[other].row) + abs(cells[one].column - cells[other].column) == 1


def test_a_chain_stays_in_its_panel() -> None:
    grid = grid_of(reduced="k", k=2, m=4, n=4)
    assert "k" in (grid.across.loop, grid.down.loop)
    cells = {cell.core: cell for cell in grid.cells}
    assert all(cells[one].panel == cells[other].panel for one, other in grid.links.items())


def test_slow_reductions_are_chained_too() -> None:
    grid = grid_of(reduced="k", m=2, k=4)
    assert grid.chains == ((0, 2, 4, 6), (1, 3, 5, 7))


def test_what_a_core_does_with_its_sums_is_said() -> None:
    grid = grid_of(reduced="k", k=4, m=2)
    assert handing_text(grid, 0) == "begins the sum, core 1 goes on"
    assert handing_text(grid, 2) == "adds to the sum of core 1, core 3 goes on"
    assert handing_text(grid, 7) == "finishes the sum of 4 cores"
    assert handing_text(grid_of(m=8), 3) == ""
    notes = [handing_note(grid, core) for core in (0, 2, 7)]
    assert notes == ["to 1", "from 1, to 3", "from 6: sum"]
    assert handing_note(grid_of(m=8), 3) == ""


def test_a_slice_beyond_a_short_loop_is_empty() -> None:
    made = Division((Split("m", 4, 64),))
    grid = space_grid(op_of("m", extent=130), made, 32)
    assert [cell.empty for cell in grid.cells] == [False, False, False, True]
    two = space_grid(op_of("m", "n", extent=130), Division((Split("m", 4, 64), Split("n", 2, 65))), 32)
    assert sum(cell.empty for cell in two.cells) == 2


def test_arrows_walk_over_panels() -> None:
    grid = grid_of(a=2, b=4, c=4)
    right = next(cell.core for cell in grid.cells if (cell.panel, cell.column, cell.row) == (0, 3, 1))
    beyond = grid.beside(right, 1, 0)
    cell = grid.cells[beyond]
    assert (cell.panel, cell.column, cell.row) == (1, 0, 1)
    assert grid.beside(0, -1, 0) == -1
    assert grid.beside(31, 0, 1) == -1
    assert grid_of(m=8).beside(20, 0, 0) == 0, "from an idle core one comes to the first"


@pytest.mark.parametrize(("low", "high", "words"), [(3, 4, "3"), (64, 128, "64–127"), (5, 5, "none")])
def test_ranges_in_words(low: int, high: int, words: str) -> None:
    assert range_text(low, high) == words
