"""Edges as short straight pieces, and the edge under a point."""

import numpy as np
import pytest

from spyre_studio.views.curves import as_lines, flattened, nearest

ROUTES = np.array([[0.0, 0], [0, 10], [40, 50], [40, 60], [5, 0], [5, 1], [5, 9], [5, 10]])
STARTS = np.array([0, 4, 8])


def test_curves_pass_through_the_route_points_and_leave_upright() -> None:
    points, starts = flattened(ROUTES, STARTS, pieces=16)
    assert starts.tolist() == [0, 19, 38]
    for point in ROUTES[:4].tolist():
        assert point in points[:19].tolist()
    curve = points[1:18]
    assert (np.diff(curve[:, 1]) > 0).all()
    first, middle = curve[1] - curve[0], curve[9] - curve[8]
    assert first[1] > 4 * first[0]  # nearly vertical at the end
    assert middle[0] > middle[1]  # and flat in the middle
    np.testing.assert_allclose(curve[8], [20, 30])


def test_a_straight_route_stays_straight() -> None:
    points, starts = flattened(ROUTES, STARTS)
    assert (points[starts[1] :, 0] == 5).all()


def test_nothing_to_flatten() -> None:
    points, starts = flattened(np.zeros((0, 2)), np.array([0]))
    assert len(points) == 0
    assert starts.tolist() == [0]
    lines, owner = as_lines(points, starts)
    assert lines.shape == (0, 4)
    assert nearest(lines, owner, 0, 0, 10) == -1


def test_lines_do_not_join_two_edges() -> None:
    lines, owner = as_lines(ROUTES, STARTS)
    assert owner.tolist() == [0, 0, 0, 1, 1, 1]
    assert lines[2].tolist() == [40, 50, 40, 60]
    assert lines[3].tolist() == [5, 0, 5, 1]


@pytest.mark.parametrize(("x", "y", "edge"), [(20, 31, 0), (6, 5, 1), (0, 5, 0), (20, 5, -1), (40, 63, 0)])
def test_nearest_edge(x: float, y: float, edge: int) -> None:
    lines, owner = as_lines(*flattened(ROUTES, STARTS))
    assert nearest(lines, owner, x, y, within=4) == edge
