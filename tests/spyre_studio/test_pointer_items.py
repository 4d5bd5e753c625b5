"""What is under the pointer ends with what is shown: no picture is painted with items of another one."""

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from spyre_studio.occupancy import occupancy_of
from spyre_studio.theme import Theme
from spyre_studio.views.canvas import Canvas
from spyre_studio.views.graph_canvas import GraphCanvas
from spyre_studio.views.graph_groups import everything
from spyre_studio.views.graph_layout import layout_graph
from spyre_studio.views.graph_model import planned
from spyre_studio.views.graph_names import titles_of
from spyre_studio.views.graph_scene import scene_of
from spyre_studio.views.lx_map import LxMap
from tests.programs import attention, softmax
from tests.spyre_studio.hand import LEFT, NONE, show
from tests.spyre_studio.plans import compiled

LARGE, SMALL = compiled(program=attention(2, 64, 64)), compiled(program=softmax(64, 128))


def graph(canvas: GraphCanvas, plan: object) -> None:
    model = planned(LARGE if plan is LARGE else SMALL)
    canvas.show_scene(scene_of(model, layout_graph(model.graph, everything(model.graph))), start=True)
    canvas.fit_all()


def scratchpad(canvas: LxMap, plan: object) -> None:
    whole = LARGE if plan is LARGE else SMALL
    canvas.show_data(occupancy_of(whole), titles_of(whole))


def last_place(canvas: Canvas) -> QPointF:
    """Somewhere over the item with the highest number."""
    points = [QPointF(x, y) for x in range(0, canvas.width(), 4) for y in range(0, canvas.height(), 4)]
    found = [
        (getattr(item, "row", getattr(item, "number", -1)), at)
        for at in points
        if (item := canvas.item_at(at)) is not None
    ]
    numbers = np.array([number for number, _ in found])
    return found[int(numbers.argmax())][1]


@pytest.mark.parametrize(("make", "fill"), [(GraphCanvas, graph), (LxMap, scratchpad)], ids=["graph", "scratchpad"])
def test_less_is_shown_while_the_pointer_rests_on_what_is_gone(
    qtbot: QtBot, dark: Theme, make: Callable[[], Canvas], fill: Callable[[QWidget, object], None]
) -> None:
    canvas = make()
    show(qtbot, canvas, 700, 500)
    fill(canvas, LARGE)
    at = last_place(canvas)
    canvas._pointer.hover(at)  # as a move of the mouse does, wherever that was before
    assert canvas.hover_item is not None
    told: list[object] = []
    canvas.hovered.connect(told.append)
    fill(canvas, SMALL)
    assert canvas.hover_item is None
    assert told == [None]
    canvas.grab()


def test_a_click_that_began_on_what_is_gone_is_none(qtbot: QtBot, dark: Theme) -> None:
    canvas = GraphCanvas()
    show(qtbot, canvas, 700, 500)
    graph(canvas, LARGE)
    clicks: list[object] = []
    canvas.clicked.connect(lambda item, _held: clicks.append(item))
    at = last_place(canvas).toPoint()
    QTest.mousePress(canvas, LEFT, NONE, at)
    graph(canvas, SMALL)
    QTest.mouseRelease(canvas, LEFT, NONE, at)
    assert clicks == []
