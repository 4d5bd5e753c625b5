"""Folding equal modules in the graph: one box for all, any of them alone, level by level, and back."""

import numpy as np
import pytest

from spyre_studio.repeats import Run
from spyre_studio.views.graph_groups import GraphInput, everything, first_opened, fold
from spyre_studio.views.graph_layout import layout_graph
from spyre_studio.views.graph_levels import deeper, shallower
from spyre_studio.views.graph_runs import sign_of, sole_runs, stretch_path, stretches_of
from spyre_studio.views.layered import layered
from tests.spyre_studio.graphs import GraphMaker, decoder

BLOCKS = 5


def made(blocks: int = BLOCKS, beside: bool = False) -> GraphInput:
    """Decoder layers whose run is known; `beside`: an op of the module around them too."""
    maker: GraphMaker = decoder(blocks)
    if beside:
        maker.node("last", "layers", len(maker.names) - 2)
    graph = maker.graph()
    run = Run("layers", tuple(f"layers.{block}" for block in range(blocks)))
    return GraphInput(graph.edges, graph.tree, graph.hubs, (run,))


def boxes(graph: GraphInput, *opened: str) -> list[str]:
    """Paths of the closed groups on screen, in the order of the schedule."""
    layout = layout_graph(graph, frozenset(opened))
    items = sorted(layout.box_item[layout.box_item >= graph.size].tolist())
    return [layout.group_paths[item - graph.size] for item in items]


def test_a_run_that_is_all_of_a_module_is_shown_in_its_place() -> None:
    graph = made()
    assert sole_runs(graph.tree, graph.runs) == {"layers"}
    assert boxes(graph) == boxes(graph, "layers") == ["layers"]
    layout = layout_graph(graph, frozenset())
    assert layout.blocks == {"layers": graph.runs[0].members}
    assert len(layout.frames) == 0


def test_one_opened_block_stands_between_the_others() -> None:
    graph = made()
    assert [path for path in boxes(graph, "layers", "layers.2") if "–" in path] == [
        "layers.0–layers.1",
        "layers.3–layers.4",
    ]
    folded = layout_graph(graph, frozenset({"layers", "layers.2"}))
    assert folded.blocks == {
        "layers.0–layers.1": ("layers.0", "layers.1"),
        "layers.3–layers.4": ("layers.3", "layers.4"),
    }
    assert folded.crossings == 0


def test_one_that_is_left_over_is_a_closed_module() -> None:
    graph = made()
    shown = boxes(graph, "layers", "layers.1")
    assert "layers.0" in shown
    assert "layers.2–layers.4" in shown


def test_the_sign_shows_all_blocks() -> None:
    graph = made()
    assert boxes(graph, "layers", sign_of(graph.runs[0])) == list(graph.runs[0].members)
    assert boxes(graph, sign_of(graph.runs[0])) == ["layers"], "the module around them is closed"


def test_beside_other_ops_a_run_has_a_box_of_its_own() -> None:
    graph = made(beside=True)
    assert sole_runs(graph.tree, graph.runs) == frozenset()
    whole = stretch_path(graph.runs[0].members)
    assert boxes(graph) == ["layers"]
    assert layout_graph(graph, frozenset()).blocks == {whole: graph.runs[0].members}
    assert boxes(graph, "layers") == [whole]


def test_every_node_stays_in_one_box_and_no_edge_is_lost() -> None:
    graph = made(beside=True)
    for opened in ((), ("layers",), ("layers", "layers.2"), ("layers", "layers.0", "layers.4")):
        folded = fold(graph, frozenset(opened))
        assert np.array_equal(folded.stands_for < 0, graph.hubs)
        ends = folded.stands_for[graph.edges]
        between = (ends[:, 0] != ends[:, 1]) & (ends >= 0).all(axis=1)
        assert np.array_equal(folded.link_of >= 0, between)


def test_folds_by_default_unless_all_can_be_seen() -> None:
    large, small = made(), made(1)
    assert layout_graph(large, first_opened(large)).blocks
    tiny = GraphInput(small.edges, small.tree, small.hubs, (Run("", ("layers",)),))
    assert first_opened(tiny) == everything(tiny)


def test_levels_open_one_after_the_other_and_close_the_same_way() -> None:
    graph = made()
    levels = [frozenset[str]()]
    while deeper(graph, levels[-1]) != levels[-1]:
        levels.append(deeper(graph, levels[-1]))
    assert levels[-1] == everything(graph)
    shown = [len(layout_graph(graph, level).boxes) for level in levels]
    assert shown == sorted(set(shown)), "every level shows more"
    assert shown[0] == 3
    assert shown[1] == 2 + BLOCKS
    back = [levels[-1]]
    while shallower(graph, back[-1]) != back[-1]:
        back.append(shallower(graph, back[-1]))
    assert [len(layout_graph(graph, level).boxes) for level in back][-1] == 3


def test_closing_a_level_folds_blocks_that_are_all_closed() -> None:
    graph = made(beside=True)
    spread = frozenset({"layers", sign_of(graph.runs[0])})
    assert shallower(graph, spread) == {"layers"}
    assert shallower(graph, shallower(graph, spread)) == frozenset()
    assert shallower(graph, frozenset()) == frozenset()


@pytest.mark.parametrize("opened", [(), ("b",), ("a", "d"), ("b", "c")])
def test_stretches_hold_every_block_that_is_not_open(opened: tuple[str, ...]) -> None:
    run = Run("", ("a", "b", "c", "d"))
    stretches = stretches_of(run, frozenset(opened))
    assert all(len(stretch) > 1 for stretch in stretches)
    held = [path for stretch in stretches for path in stretch]
    assert not set(held) & set(opened)
    assert held == [path for path in run.members if path in held]


def test_layouts_of_ten_thousand_nodes_lay_out_each_shape_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What makes a large stack quick: its blocks are laid out once, however many there are."""
    calls = []

    def counting(*arguments: object) -> object:
        calls.append(arguments)
        return layered(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr("spyre_studio.views.graph_layout.layered", counting)
    graph = made(400)
    assert graph.size > 10_000
    layout = layout_graph(graph, everything(graph))
    assert len(layout.boxes) > 10_000
    assert len(calls) < 30
