"""The graph of a large model: bounded work in a frame, the rest beside the window."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from spyre_studio.selection import Selection
from spyre_studio.theme import Theme
from spyre_studio.views.graph import GraphView
from spyre_studio.views.graph_canvas import GraphCanvas
from spyre_studio.views.graph_groups import everything
from spyre_studio.views.graph_paint import MOST_LINES, GraphPainter
from spyre_studio.views.graph_scene import Scene, scene_of
from spyre_studio.views.paint import LineBatch
from tests.spyre_studio.hand import show
from tests.spyre_studio.large import stack
from tests.spyre_studio.plans import compiled
from tests.spyre_studio.stage import Stage


def test_a_frame_of_a_large_graph_draws_a_bounded_number_of_shapes(
    qtbot: QtBot, dark: Theme, monkeypatch: pytest.MonkeyPatch
) -> None:
    from spyre_studio.views.graph_layout import layout_graph
    from tests.benchmarks.graph import drawn

    model = drawn(20_000)
    made = scene_of(model, layout_graph(model.graph, everything(model.graph)))
    canvas = GraphCanvas()
    qtbot.addWidget(canvas)
    canvas.resize(1280, 800)
    canvas.show_scene(made, start=True)
    lines, boxes = [0], [0]
    _count(monkeypatch, LineBatch, "draw", lambda _self, _painter, rows: lines.append(len(rows)))
    _count(monkeypatch, GraphPainter, "_boxes", lambda _self, _painter, rows, *_: boxes.append(len(rows)))
    for zoom in (0.002, 0.01, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6):
        lines[:], boxes[:] = [0], [0]
        canvas.set_viewport(replace(canvas.viewport, zoom=zoom).centred(*canvas.bounds.centre))
        canvas.grab()
        assert sum(lines) <= MOST_LINES
        assert sum(boxes) <= 2000
    canvas.fit_all()
    lines[:] = [0]
    canvas.grab()
    assert 0 < sum(lines) <= MOST_LINES


def _count(monkeypatch: pytest.MonkeyPatch, owner: type, name: str, note: Callable[..., None]) -> None:
    real = getattr(owner, name)

    def counting(self: object, *arguments: object) -> object:
        note(self, *arguments)
        return real(self, *arguments)

    monkeypatch.setattr(owner, name, counting)


def test_words_of_a_large_graph_are_put_beside_the_window(
    qtbot: QtBot, stage: Stage, dark: Theme, monkeypatch: pytest.MonkeyPatch
) -> None:
    import threading

    from spyre_studio.views import graph

    threads = []

    def noting(*arguments: object) -> Scene:
        threads.append(threading.current_thread() is threading.main_thread())
        return scene_of(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(graph, "scene_of", noting)
    stage.put(compiled(program=stack(18)))
    view = GraphView(stage, Selection())
    show(qtbot, view)
    qtbot.waitUntil(lambda: view.canvas.scene is not None, timeout=20_000)
    assert threads == [False]
    view.fold.finish()


def test_what_boxes_are_shaded_by_is_prepared_where_a_plan_is_read() -> None:
    from spyre_studio.prepared import NEEDED
    from spyre_studio.views.graph_measures import measures_of
    from spyre_studio.views.graph_model import planned

    assert {planned, measures_of} <= set(NEEDED)
