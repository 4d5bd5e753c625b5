"""The pan and zoom plane: anchors hold, fitting shows everything, content cannot be lost."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spyre_studio.viewport import MAX_ZOOM, MIN_ZOOM, Rect, Viewport2D

coordinates = st.floats(-1e5, 1e5, allow_nan=False)
sizes = st.floats(1, 1e5)
views = st.builds(
    Viewport2D,
    coordinates,
    coordinates,
    st.floats(MIN_ZOOM, MAX_ZOOM),
    st.floats(100, 2000),
    st.floats(100, 2000),
)
rects = st.builds(lambda x, y, w, h: Rect(x, y, x + w, y + h), coordinates, coordinates, sizes, sizes)


@given(views, st.floats(0, 2000), st.floats(0, 2000))
def test_pixel_to_world_and_back(view: Viewport2D, px: float, py: float) -> None:
    back = view.to_px(np.array(view.to_world(px, py)))
    np.testing.assert_allclose(back, [px, py], atol=1e-4)


@given(views, st.floats(0.01, 100), st.floats(0, 2000), st.floats(0, 2000))
def test_zoom_keeps_the_point_under_the_cursor(view: Viewport2D, factor: float, px: float, py: float) -> None:
    zoomed = view.zoomed(factor, px, py)
    assert MIN_ZOOM <= zoomed.zoom <= MAX_ZOOM
    np.testing.assert_allclose(zoomed.to_world(px, py), view.to_world(px, py), rtol=1e-6, atol=1e-3)


@given(views, rects)
def test_fit_shows_everything(view: Viewport2D, bounds: Rect) -> None:
    fitted = view.fitted(bounds)
    seen = fitted.visible()
    if fitted.zoom > MIN_ZOOM:
        slack = 1e-6 * max(abs(bounds.x0), abs(bounds.y0), abs(bounds.x1), abs(bounds.y1), 1)
        assert seen.x0 <= bounds.x0 + slack
        assert seen.x1 >= bounds.x1 - slack
        assert seen.y0 <= bounds.y0 + slack
        assert seen.y1 >= bounds.y1 - slack
    assert fitted.zoom <= 1.0


@given(views, rects)
def test_reveal_shows_what_fits_and_moves_nothing_twice(view: Viewport2D, rect: Rect) -> None:
    revealed = view.revealed(rect, margin=0)
    seen = revealed.visible()
    if rect.width <= seen.width * 0.999 and rect.height <= seen.height * 0.999:
        slack = 1e-6 * max(abs(rect.x0), abs(rect.y0), abs(rect.x1), abs(rect.y1), 1)
        assert seen.x0 - slack <= rect.x0
        assert rect.x1 <= seen.x1 + slack
        assert seen.y0 - slack <= rect.y0
        assert rect.y1 <= seen.y1 + slack
    again = revealed.revealed(rect, margin=0)
    assert again.x == pytest.approx(revealed.x, abs=1e-4)
    assert again.y == pytest.approx(revealed.y, abs=1e-4)


@given(views, rects, st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_content_stays_in_reach(view: Viewport2D, bounds: Rect, dx: float, dy: float) -> None:
    near = view.panned(dx, dy).kept_near(bounds)
    on_screen = near.rect_to_px(bounds)
    strip_x = min(64.0, bounds.width * near.zoom) - 0.01
    strip_y = min(64.0, bounds.height * near.zoom) - 0.01
    assert min(on_screen.x1, near.width) - max(on_screen.x0, 0.0) >= min(strip_x, near.width) - 0.01
    assert min(on_screen.y1, near.height) - max(on_screen.y0, 0.0) >= min(strip_y, near.height) - 0.01


def test_pan_centre_resize() -> None:
    view = Viewport2D(width=800, height=600)
    assert view.panned(10, -20).to_world(10, -20) == (0, 0)
    assert view.centred(100, 50).to_world(400, 300) == (100, 50)
    assert view.resized(0, 50).width == 1
    assert view.rect_to_px(Rect(1, 2, 3, 4)) == Rect(1, 2, 3, 4)
    assert Rect(0, 0, 4, 2).centre == (2, 1)
