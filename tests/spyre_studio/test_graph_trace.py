"""What leads to a box and what follows from it."""

import numpy as np

from spyre_studio.views.graph_trace import trace_of

#        0   1
#         \ / \
#          2   5
#         / \
#        3   4      6 (alone)
LINKS = np.array([[0, 2], [1, 2], [2, 3], [2, 4], [1, 5]])


def reached(start: int, way: str) -> tuple[set[int], set[int]]:
    trace = trace_of(LINKS, 7, start, way)  # type: ignore[arg-type]
    return set(np.flatnonzero(trace.boxes).tolist()), set(np.flatnonzero(trace.links).tolist())


def test_neighbours_are_one_edge_away() -> None:
    assert reached(2, "near") == ({0, 1, 2, 3, 4}, {0, 1, 2, 3})
    assert reached(3, "near") == ({2, 3}, {2})
    assert reached(6, "near") == ({6}, set())


def test_all_the_way_up_and_down() -> None:
    assert reached(3, "up") == ({0, 1, 2, 3}, {0, 1, 2})
    assert reached(1, "down") == ({1, 2, 3, 4, 5}, {1, 2, 3, 4})
    assert reached(0, "up") == ({0}, set())
    assert reached(4, "down") == ({4}, set())


def test_a_cycle_ends() -> None:
    links = np.array([[0, 1], [1, 2], [2, 0]])
    assert trace_of(links, 3, 1, "down").boxes.all()
    assert trace_of(links, 3, 1, "up").links.all()


def test_no_edges_at_all() -> None:
    assert trace_of(np.zeros((0, 2), np.intp), 2, 1, "up").boxes.tolist() == [False, True]
