"""The canvas of the timeline alone: level of detail, gaps, and that the pointer finds what is drawn."""

from itertools import pairwise

import numpy as np
from PySide6.QtCore import QPointF
from pytestqt.qtbot import QtBot

from spyre_studio.theme import Theme
from spyre_studio.timeline_data import timeline_of
from spyre_studio.views.timeline_canvas import TimelineCanvas
from spyre_studio.views.timeline_paint import Counts
from tests.spyre_studio.hand import show
from tests.spyre_studio.traces import STEP_PS, made_trace


def test_one_core_and_thousands_of_steps(qtbot: QtBot, dark: Theme) -> None:
    data = timeline_of(made_trace(cores=1, steps=5000, tiles=8))
    canvas = TimelineCanvas()
    show(qtbot, canvas, 900, 400)
    canvas.show_data(data, np.arange(5000) % 4, data.trace.steps, {})
    painter = canvas.lanes_painter
    painter.counts = Counts()
    canvas.grab()
    assert painter.counts.boxes <= 2
    assert painter.counts.sampled == 7, "critical path, steps, four units and waits"
    canvas.show_span(100 * STEP_PS, 110 * STEP_PS)
    painter.counts = Counts()
    canvas.grab()
    assert painter.counts.sampled == 0
    assert 4 * 8 * 10 < painter.counts.boxes < 4 * 8 * 30
    assert painter.counts.names > 10


def test_gaps_are_seen_and_the_pointer_finds_what_is_drawn(qtbot: QtBot, dark: Theme) -> None:
    data = timeline_of(made_trace(cores=1, steps=4, tiles=1))
    canvas = TimelineCanvas()
    show(qtbot, canvas, 900, 300)
    canvas.show_critical(False)
    canvas.show_data(data, np.zeros(4, np.intp), data.trace.steps, {})
    picture = canvas.grab().toImage()
    steps = next(lane for lane in canvas.lanes_in_view() if lane.is_head)
    borders = sorted([step * STEP_PS + part for step in range(4) for part in (0, STEP_PS * 9 // 10)] + [4 * STEP_PS])
    ticks = canvas.x_ticks().values
    for start, end in pairwise(borders):
        for share in (0.2, 0.4, 0.6, 0.8):
            time_ps = start + share * (end - start)
            at = QPointF(round(canvas.x_axis.to_px(time_ps)), steps.top + 4)
            works = time_ps % STEP_PS < 0.9 * STEP_PS
            assert (canvas.item_at(at) is not None) == works
            if all(abs(canvas.x_axis.to_px(tick) - at.x()) > 2 for tick in ticks):
                assert (picture.pixelColor(at.toPoint()).name() != dark.bg) == works
