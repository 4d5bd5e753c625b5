"""Unfold: slices that start within a stick, and operands that share no loop."""

from __future__ import annotations

import pytest

from compiler.loops import LoopProgram
from compiler.unfold import unfold
from tests.compiler.unfold_proofs import SPYRE, copies, refused, unfolded
from tests.random_draft import View
from tests.sketch import Sketch


def sliced(start: int, rows: int = 8) -> LoopProgram:
    """64 columns from `start` on, times a matrix."""
    sketch = Sketch()
    part = sketch.input("x", rows, 192).sliced(1, start, start + 64, 1)
    sketch.output(sketch.matmul(part, sketch.parameter("w", 64, 128)))
    return sketch.program()


@pytest.mark.parametrize(("start", "copied"), [(0, False), (32, True), (64, False), (127, True)])
def test_a_slice_is_copied_if_it_starts_within_a_stick(start: int, copied: bool) -> None:
    program = sliced(start)
    assert copies(program, unfolded(program)) == ({"matmul.x": (8, 64)} if copied else {})


def corner(*shape: int) -> LoopProgram:
    """A slice of which no dim starts with a stick, negated."""
    sketch = Sketch()
    view = sketch.input("x", *shape)
    for dim, size in enumerate(shape):
        view = view.sliced(dim, 1 + dim, size, 1)
    sketch.output(sketch.apply("neg", view))
    return sketch.program()


@pytest.mark.parametrize(
    ("shape", "copied"), [((9, 133), (8, 133)), ((300, 70), (300, 68)), ((3, 9, 133), (2, 7, 133)), ((133,), None)]
)
def test_all_offsets_but_one_are_taken_away_by_a_copy(shape: tuple[int, ...], copied: tuple[int, ...] | None) -> None:
    program = corner(*shape)
    if copied is None:
        assert unfold(program, SPYRE) is program
        return
    assert "starts at offset" in refused(program)
    assert copies(program, unfolded(program)) == {"neg.x": copied}


def test_slices_that_are_subtracted_share_their_sticks() -> None:
    """One of them needs no copy."""
    sketch = Sketch()
    x = sketch.input("x", 5, 133)
    late, early = (x.sliced(0, first, first + 4, 1).sliced(1, first, first + 132, 1) for first in (1, 0))
    sketch.output(sketch.apply("sub", late, early))
    program = sketch.program()
    assert copies(program, unfolded(program)) == {"sub.x": (4, 133)}


def test_equal_slices_share_a_copy() -> None:
    sketch = Sketch()
    part = sketch.input("x", 9, 133).sliced(0, 1, 5, 1).sliced(1, 3, 70, 1)
    for name in ("relu", "neg", "abs"):
        sketch.output(sketch.apply(name, part))
    program = sketch.program()
    assert list(copies(program, unfolded(program))) == ["relu.x"]


def test_a_second_factor_whose_dims_all_start_late_is_copied_twice() -> None:
    """It must have its sticks along the columns and end with its last row."""
    sketch = Sketch()
    part = sketch.input("x", 9, 133).sliced(0, 1, 5, 1).sliced(1, 3, 70, 1)
    sketch.output(sketch.matmul(sketch.input("w", 6, 4), part))
    program = sketch.program()
    made = unfolded(program)
    assert copies(program, made) == {"matmul.x": (4, 133), "matmul.x.2": (67, 4)}
    assert [op.reads[0].buffer for op in made.ops[:2]] == ["x", "matmul.x"]


def across(view: View, *places: int) -> View:
    """The view with its dims in these places of four, repeated along the others."""
    strides = [0] * 4
    for stride, place in zip(view.strides, places, strict=True):
        strides[place] = stride
    return View(view.buffer, view.dtype, (4, 3, 5, 70), tuple(strides))


def test_of_operands_that_share_no_loop_one_is_repeated() -> None:
    """A Kronecker product: rows and columns of the one between those of the other."""
    sketch = Sketch()
    one, other = across(sketch.input("x", 4, 5), 0, 2), across(sketch.input("y", 3, 70), 1, 3)
    sketch.output(sketch.apply("mul", one, other))
    program = sketch.program()
    assert "has" in refused(program)
    made = unfolded(program)
    ((name, shape),) = copies(program, made).items()
    assert name in ("mul.x", "mul.y")
    assert shape == made.buffer_map["mul"].shape


def test_a_row_and_a_column_need_no_copy() -> None:
    sketch = Sketch()
    row, column = across(sketch.input("x", 70), 3), across(sketch.input("y", 5), 2)
    sketch.output(sketch.apply("mul", row, column))
    program = sketch.program()
    assert unfold(program, SPYRE) is program
