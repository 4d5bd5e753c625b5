"""The folded graph as a picture: nothing overlaps, data flows down, equal input gives equal pictures, blocks fold."""

import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spyre_studio.views.graph_groups import GraphInput, first_opened, fold
from spyre_studio.views.graph_layout import GraphLayout, LayoutCache, layout_graph
from spyre_studio.views.layer_order import Arcs, cut, layers_of, order_layers, ranked
from spyre_studio.views.layered import Spacing
from tests.spyre_studio.graphs import GraphMaker, decoder, random_graph


def overlaps(rects: np.ndarray) -> int:
    """Number of pairs of rectangles that share area."""
    x0, y0, x1, y1 = rects.T
    across = (x0[:, None] < x1[None] - 1e-6) & (x0[None] < x1[:, None] - 1e-6)
    down = (y0[:, None] < y1[None] - 1e-6) & (y0[None] < y1[:, None] - 1e-6)
    return (int((across & down).sum()) - len(rects)) // 2


def strokes(layout: GraphLayout) -> list[np.ndarray]:
    return [layout.points[a:b] for a, b in zip(layout.starts[:-1], layout.starts[1:], strict=True)]


def everything(graph: GraphInput) -> frozenset[str]:
    return frozenset(graph.tree.paths)


def check_picture(layout: GraphLayout) -> None:
    """What must hold for every picture of a graph without cycles."""
    assert overlaps(np.concatenate([layout.boxes, layout.stubs])) == 0
    x0, y0, x1, y1 = layout.bounds
    corners = layout.boxes.reshape(-1, 2)
    assert (corners >= [x0, y0]).all()
    assert (corners <= [x1, y1]).all()
    for (source, target), points in zip(layout.links, strokes(layout), strict=True):
        assert len(points) % 2 == 0
        assert points[0].tolist() == [layout.boxes[source, [0, 2]].mean(), layout.boxes[source, 3]]
        assert points[-1].tolist() == [layout.boxes[target, [0, 2]].mean(), layout.boxes[target, 1]]
        assert (np.diff(points[:, 1]) >= 0).all()  # downwards all the way
        assert (points[::2, 0] == points[1::2, 0]).all()  # vertical within a pair


def boxes_hit(layout: GraphLayout) -> int:
    """Number of links that run through a box which is not one of their ends."""
    found = 0
    for (source, target), points in zip(layout.links, strokes(layout), strict=True):
        middle = (points[1:] + points[:-1]) / 2
        for x, y in np.concatenate([points, middle]):
            inside = (
                (layout.boxes[:, 0] < x)
                & (x < layout.boxes[:, 2])
                & (layout.boxes[:, 1] < y)
                & (y < layout.boxes[:, 3])
            )
            inside[[source, target]] = False
            found += int(inside.any())
    return found


def test_a_transformer_has_no_crossings_and_no_edge_through_a_box() -> None:
    graph = decoder(4).graph()
    for opened in (frozenset(), frozenset({"layers"}), first_opened(graph), everything(graph)):
        layout = layout_graph(graph, opened)
        check_picture(layout)
        assert layout.crossings == 0
        assert boxes_hit(layout) == 0
        assert not layout.turned.any()


def test_the_spine_of_a_stack_is_straight() -> None:
    layout = layout_graph(decoder(4).graph(), frozenset({"layers", *(f"layers.{block}" for block in range(4))}))
    middles = layout.boxes[:, [0, 2]].mean(axis=1)
    assert np.ptp(middles) == 0


@pytest.mark.parametrize("seed", range(4))
def test_random_graphs_make_lawful_pictures(seed: int) -> None:
    layout = layout_graph(random_graph(120, 6, seed).graph(), frozenset())
    check_picture(layout)
    assert boxes_hit(layout) == 0


def crossings_by_pairs(arcs: Arcs, rank: np.ndarray) -> int:
    level, source, target = arcs.layer[arcs.source], rank[arcs.source], rank[arcs.target]
    same = level[:, None] == level[None]
    return int((same & (source[:, None] < source[None]) & (target[:, None] > target[None])).sum())


@pytest.mark.parametrize("seed", range(3))
def test_crossings_are_counted_right_and_become_fewer(seed: int) -> None:
    edges = np.array(random_graph(200, 10, seed).edges, np.intp)
    none, zero = np.zeros(200, bool), np.zeros(len(edges))
    arcs = cut(edges, layers_of(200, edges, none, none), zero, zero)
    rank, crossings = order_layers(arcs, np.full(arcs.size, 150.0))
    assert crossings == crossings_by_pairs(arcs, rank)
    assert crossings < 0.5 * crossings_by_pairs(arcs, ranked(arcs.layer, np.arange(arcs.size, dtype=float)))


def test_equal_input_gives_equal_pictures_in_another_process() -> None:
    code = (
        "from tests.spyre_studio.graphs import *; from spyre_studio.views.graph_layout import *\n"
        "import hashlib; made = layout_graph(random_graph(150, 8, 3).graph(), frozenset())\n"
        "deco = layout_graph(decoder(2).graph(), frozenset({'layers', 'layers.0', 'layers.0.attn'}))\n"
        "parts = [made.boxes, made.points, deco.boxes, deco.points, deco.frames, deco.stubs]\n"
        "print(hashlib.sha256(b''.join(part.tobytes() for part in parts)).hexdigest())"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1]


def test_folding_shows_one_box_per_closed_module() -> None:
    made = decoder(4)
    graph, count = made.graph(), len(made.names)
    closed = layout_graph(graph, frozenset())
    shown = [item if item < count else closed.group_paths[item - count] for item in closed.box_item.tolist()]
    assert shown == [made.names.index("embed"), "layers", made.names.index("lm_head")]
    assert closed.links.tolist() == [[0, 1], [1, 2]]
    layers = closed.group_paths.index("layers")
    assert closed.group_sizes[layers] == count - 5  # all but mask, cos, sin, embed, lm_head
    assert set(closed.box_of[4 : count - 1].tolist()) == {1}


def test_opening_a_module_frames_its_children() -> None:
    made = decoder(2)
    graph = made.graph()
    layout = layout_graph(graph, frozenset({"layers", "layers.1", "layers.1.attn"}))
    paths = [layout.group_paths[group] for group in layout.frame_group.tolist()]
    assert paths == ["layers", "layers.1", "layers.1.attn"]
    for outer, inner in ((0, 1), (1, 2)):
        assert (layout.frames[outer, :2] < layout.frames[inner, :2]).all()
        assert (layout.frames[outer, 2:] > layout.frames[inner, 2:]).all()
    attention = layout.frames[2]
    for node, module in enumerate(made.modules):
        if module != "layers.1.attn":
            continue
        box = layout.boxes[layout.box_of[node]]
        assert (box[:2] > attention[:2]).all()
        assert (box[2:] < attention[2:]).all()


def test_a_module_opens_only_inside_open_modules() -> None:
    folded = fold(decoder(2).graph(), frozenset({"layers.0"}))
    assert folded.opened.count(True) == 1  # the whole graph: 'layers' itself is closed


def test_every_edge_finds_its_link() -> None:
    made = decoder(2)
    graph = made.graph()
    layout = layout_graph(graph, frozenset({"layers", "layers.0"}))
    ends = layout.box_of[np.array(made.edges)]
    shown = layout.link_of >= 0
    np.testing.assert_array_equal(layout.links[layout.link_of[shown]], ends[shown])
    hidden = ends[~shown]
    assert ((hidden[:, 0] == -1) | (hidden[:, 0] == hidden[:, 1])).all()
    assert set(layout.link_of[shown].tolist()) == set(range(len(layout.links)))


def test_hubs_become_stubs_beside_their_readers() -> None:
    made = decoder(4)
    graph = made.graph()
    assert [made.names[node] for node in np.flatnonzero(graph.hubs)] == ["mask", "cos", "sin"]
    layout = layout_graph(graph, everything(graph))
    assert layout.box_of[:3].tolist() == [-1, -1, -1]
    masks = layout.stub_box[layout.stub_hub == 0]
    assert sorted(masks.tolist()) == sorted(
        int(layout.box_of[node]) for node, name in enumerate(made.names) if name == "add mask"
    )
    right_of_stub = layout.boxes[layout.stub_box, 0] - layout.stubs[:, 2]
    assert (right_of_stub == Spacing().stub_gap).all()
    folded = layout_graph(graph, frozenset({"layers"}))
    assert folded.stub_more.tolist() == [0, 1] * 4  # mask, and 'cos +1' beside each of the four blocks


def test_a_constant_with_few_readers_is_an_ordinary_box() -> None:
    made = GraphMaker()
    table = made.node("table", "", constant=True)
    for place in range(3):
        made.node(f"use {place}", "", table)
    layout = layout_graph(made.graph(), frozenset())
    assert len(layout.stubs) == 0
    assert layout.box_of[table] >= 0


def test_modules_that_feed_each_other_are_drawn_with_one_edge_upwards() -> None:
    made = GraphMaker()
    first = made.node("a1", "a")
    second = made.node("b1", "b", first)
    made.node("a2", "a", second)
    layout = layout_graph(made.graph(), frozenset())
    assert len(layout.boxes) == 2
    assert sorted(layout.turned.tolist()) == [False, True]
    upwards = strokes(layout)[int(np.flatnonzero(layout.turned)[0])]
    assert (np.diff(upwards[:, 1]) <= 0).all()
    open_a = layout_graph(made.graph(), frozenset({"a"}))
    assert len(open_a.boxes) == 3
    assert overlaps(open_a.boxes) == 0


@given(st.integers(0, 10**6), st.integers(1, 30))
def test_any_modules_and_any_folding_hold_together(seed: int, nodes: int) -> None:
    rng = np.random.default_rng(seed)
    paths = ["", "a", "b", "a.x", "a.y", "a.x.p", "b.z"]
    made = GraphMaker()
    for place in range(nodes):
        reads = sorted(set(rng.integers(0, place, int(rng.integers(0, 3))).tolist())) if place else []
        made.node(f"n{place}", str(rng.choice(paths)), *reads)
    opened = frozenset(path for path in paths if rng.random() < 0.6)
    layout = layout_graph(made.graph(), opened)
    assert overlaps(np.concatenate([layout.boxes, layout.stubs])) == 0
    assert (layout.box_of >= 0).all()
    for (source, target), points in zip(layout.links, strokes(layout), strict=True):
        assert layout.boxes[source, 0] <= points[0, 0] <= layout.boxes[source, 2]
        assert layout.boxes[target, 0] <= points[-1, 0] <= layout.boxes[target, 2]


def test_small_graphs() -> None:
    empty = layout_graph(GraphInput.of((), np.zeros((0, 2), np.intp), np.zeros(0, bool)), frozenset())
    assert empty.bounds == (0.0, 0.0, 0.0, 0.0)
    assert len(empty.boxes) == 0
    single = GraphMaker()
    single.node("only", "m")
    assert len(layout_graph(single.graph(), frozenset({"m"})).frames) == 1


def test_unconnected_nodes_stand_in_rows() -> None:
    made = GraphMaker()
    for place in range(20):
        made.node(f"n{place}", "")
    layout = layout_graph(made.graph(), frozenset())
    assert len(np.unique(layout.boxes[:, 1])) == 3
    check_picture(layout)


@pytest.mark.parametrize(
    ("edges", "constants", "words"),
    [
        (np.zeros((1, 3), np.intp), np.zeros(2, bool), "pairs of node numbers"),
        (np.array([[0, 2]]), np.zeros(2, bool), "outside 0..1"),
        (np.array([[0, 1]]), np.zeros(3, bool), "one flag for each of 2 nodes"),
        (np.array([[0, 1]]), np.array([False, True]), "a constant reads nothing"),
    ],
)
def test_bad_graphs_are_refused(edges: np.ndarray, constants: np.ndarray, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        GraphInput.of(("", ""), edges, constants)


def test_equal_blocks_are_laid_out_once() -> None:
    graph = decoder(32).graph()
    cache = LayoutCache()
    opened = everything(graph)
    first = layout_graph(graph, opened, cache)
    assert len(cache.known) < 16  # 32 blocks of 6 groups each
    again = layout_graph(graph, opened, cache)
    np.testing.assert_array_equal(first.boxes, again.boxes)


def test_first_opened_keeps_the_picture_small() -> None:
    graph = decoder(4).graph()
    assert "layers.3" in first_opened(graph, 40)
    assert first_opened(graph, 5) == frozenset()
    assert len(layout_graph(graph, first_opened(graph, 40)).boxes) <= 40


def test_large_graphs_are_quick() -> None:
    """Generous limits, because machines differ: the point is that nothing grows with the square."""
    flat, deep = random_graph(2000, 40, 0).graph(), decoder(2000).graph()
    began = time.perf_counter()
    assert len(layout_graph(flat, frozenset()).boxes) == 2000
    flat_seconds = time.perf_counter() - began
    began = time.perf_counter()
    assert len(layout_graph(deep, frozenset({"layers", "layers.7"})).boxes) > 2000
    deep_seconds = time.perf_counter() - began
    assert flat_seconds < 5
    assert deep_seconds < 2.5
