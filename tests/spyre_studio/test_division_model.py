"""The division model: grids, ranges and menus, against the division's own arithmetic."""

from itertools import product

import pytest

from compiler.division import Division, Split
from compiler.loops import Loop, LoopOp, OpKind, Origin
from spyre_studio.division_model import grid_of, owned, pinned_factors, splits_of, title_of
from tests.programs import attention
from tests.programs import product as matmul
from tests.spyre_studio.plans import compiled


def division(**factors: int) -> Division:
    return Division(tuple(Split(loop, factor, 64 // factor) for loop, factor in factors.items()))


@pytest.mark.parametrize("factors", [{}, {"m": 32}, {"b": 4, "m": 8}, {"m": 16, "n": 2}, {"a": 2, "b": 2, "c": 8}])
def test_every_core_has_a_cell_of_its_own(factors: dict[str, int]) -> None:
    made = division(**factors)
    grid = grid_of(made)
    assert [cell.core for cell in grid.cells] == list(range(made.cores))
    places = {(cell.column, cell.row) for cell in grid.cells}
    assert len(places) == made.cores
    assert places <= set(product(range(grid.columns), range(grid.rows)))
    assert grid.columns >= grid.rows


def test_cells_of_one_row_share_the_slot_of_the_fastest_split() -> None:
    made = division(b=4, m=8)
    for cell in grid_of(made).cells:
        assert made.slots(cell.core) == {"b": cell.row, "m": cell.column}


def test_a_tower_is_laid_down() -> None:
    made = division(m=16, n=2)
    for cell in grid_of(made).cells:
        assert made.slots(cell.core) == {"m": cell.column, "n": cell.row}


def op_of(*loops: tuple[str, int]) -> LoopOp:
    nest = tuple(Loop(name, extent) for name, extent in loops)
    return LoopOp("op", OpKind.POINTWISE, "", nest, (), (), (), (), Origin())


def test_owned_ranges_are_those_of_the_division() -> None:
    op = op_of(("b", 4), ("m", 512))
    made = Division((Split("b", 4, 1), Split("m", 8, 64)))
    assert owned(op, made, 27) == "core 27 owns b 3, m 384–447"
    assert owned(op, Division((Split("m", 8, 64),)), 9) == "core 9 is idle"
    assert owned(op, Division(), 0) == "core 0 owns everything"


def test_a_slice_beyond_a_short_loop_owns_nothing() -> None:
    made = Division((Split("m", 4, 64),))
    assert owned(op_of(("m", 130)), made, 2) == "core 2 owns m 128–129"
    assert owned(op_of(("m", 130)), made, 3) == "core 3 owns nothing of m"


def test_titles_say_how_many_cores_work() -> None:
    assert title_of(division(b=4, m=8), 32) == "32 cores · b 4 × m 8"
    assert title_of(division(m=8), 32) == "8 of 32 cores · m 8"
    assert title_of(Division(), 32) == "1 of 32 cores · not split"
    assert pinned_factors({"m": 8, "n": 1}) == {"m": 8}


def test_menus_hold_the_legal_factors_and_the_chosen_one() -> None:
    compilation = compiled(program=matmul(128, 256, 512))
    name = compilation.problem.program.ops[0].name
    splits = splits_of(compilation, name)
    assert splits is not None
    for loop in splits.loops:
        assert loop.factors[0] == 1
        assert splits.chosen.factor(loop.name) in loop.factors
        for factor in loop.factors:
            assert not splits.objection({loop.name: factor})
    columns = next(loop for loop in splits.loops if loop.lanes > 1 and not loop.reduced)
    assert columns.words(2) == "4 sticks of 8"
    assert columns.words(1) == "all 512"


def test_impossible_factors_are_named() -> None:
    compilation = compiled(program=attention(2, 64, 64))
    splits = splits_of(compilation, "scores")
    assert splits is not None
    assert "32 are available" in splits.objection({"i": 2, "j": 64})
    assert splits_of(compilation, "nothing") is None
