"""Folding: which lines are left to see, and how one comes back to a hidden one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spyre_studio.listing_folds import Folding, folds_of
from spyre_studio.listing_shape import shape_of
from spyre_studio.listing_text import Text

TEXT = """head
  a one
    b one
      c one
    b two
  a two
  d one
  d two
  d three
tail
"""


@pytest.fixture
def folding() -> Folding:
    return Folding(folds_of(shape_of(Text.of(TEXT))), 10)


def shown(folding: Folding) -> list[int]:
    return [int(line) for line in folding.visible]


def test_blocks_are_nested_lines_and_runs(folding: Folding) -> None:
    blocks = list(zip(folding.folds.starts.tolist(), folding.folds.ends.tolist(), strict=True))
    assert blocks == [(0, 9), (1, 5), (2, 4), (6, 9)]
    assert folding.folds.runs.tolist() == [False, False, False, True]
    assert shown(folding) == list(range(10))


def test_folding_hides_and_unfolding_shows(folding: Folding) -> None:
    assert folding.turn(1, closed=True)
    assert shown(folding) == [0, 1, 5, 6, 7, 8, 9]
    assert not folding.turn(1, closed=True), "it is folded already"
    assert not folding.turn(3, closed=True), "it begins no block"
    assert folding.turn(6, closed=True)
    assert shown(folding) == [0, 1, 5, 6, 9]
    assert folding.turn(1, closed=False)
    assert shown(folding) == [0, 1, 2, 3, 4, 5, 6, 9]


def test_what_was_folded_inside_stays_so(folding: Folding) -> None:
    folding.turn(2, closed=True)
    folding.turn(1, closed=True)
    folding.turn(1, closed=False)
    assert shown(folding) == [0, 1, 2, 4, 5, 6, 7, 8, 9]


def test_a_hidden_line_is_seen_in_the_row_of_its_block_until_it_is_revealed(folding: Folding) -> None:
    folding.turn_all(True)
    assert shown(folding) == [0, 1, 5, 6, 9], "the block that is everything stays open"
    assert folding.row_of(3) == folding.row_of(1) == 1
    assert folding.rows_of(np.array([3, 8, 9])).tolist() == [1, 3, 4]
    assert not folding.is_visible(3)
    assert folding.reveal(3)
    assert shown(folding) == [0, 1, 2, 3, 4, 5, 6, 9], "only what hides it is unfolded"
    assert not folding.reveal(3)
    assert folding.head_of(3) == 2
    assert folding.head_of(0) == -1


def test_as_at_first(folding: Folding) -> None:
    folding.turn_all(True)
    folding.as_at_first()
    assert len(folding.visible) == 10


def test_depths_can_be_shut_at_first() -> None:
    folding = Folding(folds_of(shape_of(Text.of(TEXT)), shut=(2, 3)), 10)
    assert shown(folding) == [0, 1, 2, 4, 5, 6, 7, 8, 9]


@given(st.lists(st.integers(0, 4), min_size=1, max_size=30), st.data())
def test_lines_are_visible_unless_a_folded_block_holds_them(depths: list[int], data: st.DataObject) -> None:
    text = "".join(f"{'  ' * depth}w{number}\n" for number, depth in enumerate(depths))
    folding = Folding(folds_of(shape_of(Text.of(text))), len(depths))
    folds = folding.folds
    for line in data.draw(st.lists(st.integers(0, len(depths) - 1), max_size=8)):
        folding.turn(line, closed=True)
    hidden = {
        line
        for start, end, closed in zip(folds.starts, folds.ends, folding.closed, strict=True)
        if closed
        for line in range(start + 1, end)
    }
    assert shown(folding) == [line for line in range(len(depths)) if line not in hidden]
    for line in hidden:
        assert folding.visible[folding.row_of(line)] < line
