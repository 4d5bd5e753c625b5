"""Less data than pixels without losing what matters, and the rectangles under a point."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spyre_studio.detail import MaxPyramid, clipped, hit, overlapping, reduce_max, widened

RECTS = np.array([[0.0, 0, 10, 10], [5, 5, 20, 20], [30, 0, 40, 10]])


def slow_reduce(values: np.ndarray, lo: float, hi: float, columns: int) -> np.ndarray:
    result = np.zeros((values.shape[0], columns), values.dtype)
    for column in range(columns):
        left = lo + (hi - lo) * column / columns
        right = lo + (hi - lo) * (column + 1) / columns
        touched = [step for step in range(values.shape[1]) if step + 1 > left + 1e-9 and step < right - 1e-9]
        if touched:
            result[:, column] = values[:, touched].max(axis=1)
    return result


@given(st.integers(1, 60), st.floats(-20, 60), st.floats(0.5, 90), st.integers(1, 40), st.integers(0, 5))
def test_reduce_max_equals_the_slow_way(steps: int, lo: float, width: float, columns: int, seed: int) -> None:
    values = np.random.default_rng(seed).integers(1, 200, (3, steps)).astype(np.uint8)
    got = reduce_max(values, lo, lo + width, columns)
    np.testing.assert_array_equal(got, slow_reduce(values, lo, lo + width, columns))


def test_a_single_peak_survives_any_reduction() -> None:
    values = np.zeros((2, 100_000), np.float32)
    values[1, 77_777] = 1.0
    assert reduce_max(values, 0, 100_000, 300).max() == 1.0
    pyramid = MaxPyramid.of(values)
    reduced = pyramid.reduce(0, 100_000, 300)
    assert reduced[0].max() == 0.0
    assert np.flatnonzero(reduced[1]).tolist() == [233]
    np.testing.assert_array_equal(pyramid.reduce(77_700, 77_800, 200), reduce_max(values, 77_700, 77_800, 200))


def test_pyramid_of_an_odd_number_of_steps_keeps_the_last() -> None:
    values = np.zeros((1, 2049), np.uint8)
    values[0, -1] = 9
    assert MaxPyramid.of(values).reduce(0, 2049, 4)[0].tolist() == [0, 0, 0, 9]


def test_nothing_to_reduce() -> None:
    assert reduce_max(np.zeros((3, 0), np.uint8), 0, 10, 4).shape == (3, 4)
    assert reduce_max(np.ones((1, 5), np.uint8), 7, 9, 2).tolist() == [[0, 0]]
    assert reduce_max(np.ones((1, 5), np.uint8), 3, 3, 2).tolist() == [[0, 0]]


@pytest.mark.parametrize(("x", "y", "index"), [(1, 1, 0), (7, 7, 1), (35, 5, 2), (25, 5, -1), (0, 0, 0)])
def test_hit_finds_the_topmost(x: float, y: float, index: int) -> None:
    assert hit(RECTS, x, y) == index


def test_hit_with_slack_and_without_rectangles() -> None:
    assert hit(RECTS, 28.5, 5, slack=2) == 2
    assert hit(np.empty((0, 4)), 1, 1) == -1


def test_overlapping_counts_touching_edges() -> None:
    assert overlapping(RECTS, 10, 0, 30, 3).tolist() == [0, 2]
    assert overlapping(RECTS, 100, 100, 200, 200).tolist() == []


def test_clipped_cuts_but_never_grows() -> None:
    index, cut = clipped(np.array([[-1e9, 1, 1e9, 2], [500, 500, 600, 600]]), 0, 0, 100, 50)
    assert index.tolist() == [0]
    assert cut.tolist() == [[-2, 1, 102, 2]]


def test_widened_keeps_thin_things_visible() -> None:
    assert widened(np.array([[10.0, 0, 10.2, 9]]), 1, 1).tolist() == [pytest.approx([9.6, 0, 10.6, 9])]
