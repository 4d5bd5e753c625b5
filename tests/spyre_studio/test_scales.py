"""Axes: values to pixels and back, zoom that keeps the value under the cursor, ticks at round places."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spyre_studio.scales import LinearScale, byte_ticks, nice_step, number_ticks, step_ticks, thin

finite = st.floats(-1e9, 1e9, allow_nan=False)
spans = st.floats(1e-3, 1e9)
pixels = st.floats(-4000, 4000, allow_nan=False)


@st.composite
def axes(draw: st.DrawFn) -> LinearScale:
    lo = draw(finite)
    start = draw(pixels)
    length = draw(st.floats(1, 4000)) * draw(st.sampled_from((1, -1)))
    return LinearScale(lo, lo + max(draw(spans), abs(lo) * 1e-6), start, start + length)


@given(axes(), st.floats(0, 1))
def test_value_to_pixel_and_back(axis: LinearScale, share: float) -> None:
    value = axis.lo + share * axis.span
    assert axis.to_value(axis.to_px(value)) == pytest.approx(value, abs=axis.span * 1e-6)


@given(axes(), st.floats(0.1, 10), st.floats(0, 1))
def test_zoom_keeps_the_value_under_the_cursor(axis: LinearScale, factor: float, share: float) -> None:
    px = axis.start + share * (axis.end - axis.start)
    zoomed = axis.zoomed(factor, px)
    assert zoomed.to_value(px) == pytest.approx(axis.to_value(px), abs=axis.span * 1e-6)
    assert zoomed.span == pytest.approx(axis.span / factor, rel=1e-6, abs=axis.span * 1e-6)


@given(axes(), pixels)
def test_pan_moves_the_content_and_back(axis: LinearScale, shift: float) -> None:
    value = axis.lo + axis.span / 3
    assert axis.panned(shift).to_px(value) == pytest.approx(axis.to_px(value) + shift, abs=1e-2)
    assert axis.panned(shift).panned(-shift).lo == pytest.approx(axis.lo, abs=axis.span * 1e-6)


@given(axes(), finite, st.floats(1, 1e9), st.floats(0.001, 10))
def test_clamp_shows_nothing_outside(axis: LinearScale, lo: float, width: float, least: float) -> None:
    hi = lo + width
    clamped = axis.clamped(lo, hi, least)
    slack = 1e-6 * max(abs(lo), abs(hi), 1)
    assert lo - slack <= clamped.lo < clamped.hi <= hi + slack
    assert clamped.span >= min(least, width) - slack


def test_clamp_leaves_a_good_view_alone() -> None:
    axis = LinearScale(10, 20, 0, 100)
    assert axis.clamped(0, 96, 1) == axis


def test_arrays_are_mapped_like_values() -> None:
    axis = LinearScale(0, 2**21, 600, 0)  # addresses grow upwards
    values = np.array([0.0, 2.0**20, 2.0**21])
    np.testing.assert_allclose(axis.to_px(values), [600, 300, 0])
    np.testing.assert_allclose(axis.to_value(axis.to_px(values)), values)
    assert axis.pixels_per_value == pytest.approx(600 / 2**21)


@pytest.mark.parametrize(
    "ends", [(0, 0, 0, 1), (1, 0, 0, 1), (0, 1, 5, 5), (0, float("nan"), 0, 1), (0, 1, 0, float("inf"))]
)
def test_an_axis_without_span_is_refused(ends: tuple[float, float, float, float]) -> None:
    with pytest.raises(ValueError, match="an axis needs"):
        LinearScale(*ends)


def test_with_domain_and_range() -> None:
    axis = LinearScale(0, 1, 0, 100)
    assert axis.with_range(10, 20).to_px(0.5) == 15
    assert axis.with_domain(2, 4).to_px(3.0) == 50


@pytest.mark.parametrize(("span", "count", "step"), [(10, 5, 2), (96, 8, 20), (1, 4, 0.5), (7, 7, 1), (0.3, 3, 0.1)])
def test_nice_step(span: float, count: int, step: float) -> None:
    assert nice_step(span, count) == pytest.approx(step)


@given(axes(), st.integers(2, 20))
def test_ticks_are_inside_ascending_and_few(axis: LinearScale, count: int) -> None:
    for ticks in (number_ticks(axis, count), step_ticks(axis, count), byte_ticks(axis, count)):
        assert len(ticks.values) == len(ticks.labels) <= count + 1
        assert all(before < after for before, after in pairwise(ticks.values))
        assert all(axis.lo - 1e-6 * axis.span <= value <= axis.hi + 1e-6 * axis.span for value in ticks.values)


def test_number_ticks_show_the_digits_of_the_step() -> None:
    assert number_ticks(LinearScale(0, 1, 0, 100), 4).labels == ("0.0", "0.5", "1.0")
    assert number_ticks(LinearScale(0, 3000, 0, 100), 3, "µs").labels == ("0", "1,000", "2,000", "3,000")


def test_step_ticks_are_whole_even_when_zoomed_in() -> None:
    assert step_ticks(LinearScale(40.2, 43.1, 0, 900), 12).values == (41, 42, 43)
    assert step_ticks(LinearScale(0, 96, 0, 900), 8).labels == ("0", "20", "40", "60", "80")


def test_byte_ticks_are_round_addresses() -> None:
    whole = byte_ticks(LinearScale(0, 1.75 * 2**20, 300, 0), 8)
    assert whole.unit == "MiB"
    assert whole.labels == ("0.00", "0.25", "0.50", "0.75", "1.00", "1.25", "1.50", "1.75")
    close = byte_ticks(LinearScale(2**20, 2**20 + 2**14, 300, 0), 4)
    assert close.unit == "KiB"
    assert close.labels == ("1,024", "1,028", "1,032", "1,036", "1,040")
    bare = byte_ticks(LinearScale(0, 100, 300, 0), 4)
    assert bare.unit == "B"
    assert bare.labels == ("0", "32", "64", "96")


def test_thin_keeps_labels_apart() -> None:
    assert thin([0, 10, 25, 30, 60], 20) == (0, 2, 4)
    assert thin([], 20) == ()
