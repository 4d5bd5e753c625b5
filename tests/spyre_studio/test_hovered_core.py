"""The core under the pointer in one view is marked in all that draw cores, by a repaint and nothing more."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from spyre_studio.selection import Selection
from spyre_studio.stick_model import NOBODY
from spyre_studio.theme import Theme
from spyre_studio.timeline_data import TrackKind
from spyre_studio.views.division import DivisionPanel
from spyre_studio.views.inspector import InspectorView
from spyre_studio.views.sticks import SticksView
from spyre_studio.views.timeline import TimelineView
from spyre_studio.views.timeline_spots import Spot
from spyre_studio.views.verify import VerifyView
from tests.programs import attention
from tests.spyre_studio.plans import compiled, divided
from tests.spyre_studio.stage import Stage, colours_in, staged
from tests.spyre_studio.verified import right


def division(qtbot: QtBot, stage: Stage) -> tuple[DivisionPanel, Selection]:
    stage.put(compiled(program=attention(2, 128, 64), cores=4, pins=divided("scores", i=4)))
    view, selection = staged(qtbot, stage, InspectorView, 420, 900)
    selection.select_op("scores")
    QApplication.processEvents()
    return view.division, selection


def sticks(qtbot: QtBot, stage: Stage) -> tuple[SticksView, Selection]:
    stage.put(compiled(program=attention(2, 128, 64), cores=4, pins=divided("scores", i=4)))
    view, selection = staged(qtbot, stage, InspectorView, 420, 900)
    view.show_tab("Sticks")
    selection.select_op("scores")
    QApplication.processEvents()
    return view.sticks, selection


def timeline(qtbot: QtBot, stage: Stage) -> tuple[TimelineView, Selection]:
    stage.put(compiled(program=attention(2, 128, 64), cores=4))
    return staged(qtbot, stage, TimelineView, 1000, 480)


def centre(panel: DivisionPanel, core: int) -> QPoint:
    grid = panel.space.grid
    return grid.cell_rect(next(cell for cell in grid.grid.cells if cell.core == core)).center().toPoint()


def at(selection: Selection) -> int | None:
    """The core that views mark."""
    return selection.hovered_core


def pixels(widget: QWidget) -> NDArray[np.uint8]:
    image = widget.grab().toImage()
    return np.frombuffer(image.constBits(), np.uint8).copy()


def test_pointing_at_a_cell_or_a_slice_tells_the_core(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    panel, selection = division(qtbot, stage)
    QTest.mouseMove(panel.space.grid, centre(panel, 2))
    assert at(selection) == 2
    QTest.mouseMove(panel.space.grid, QPoint(0, 0))
    assert at(selection) is None
    picture = panel.space.maps.picture_rect(0)
    QTest.mouseMove(panel.space.maps, QPointF(picture.center().x(), picture.bottom() - 2).toPoint())
    assert at(selection) == 3


def test_a_core_that_is_pointed_at_elsewhere_is_marked_in_grid_maps_and_words(
    qtbot: QtBot, stage: Stage, dark: Theme
) -> None:
    panel, selection = division(qtbot, stage)
    selection.hover_core(3)
    assert panel.space.grid.marked == {3}
    assert panel.space.owns.text().startswith("core 3 owns")
    selection.hover_core(None)
    assert panel.space.grid.marked == frozenset()
    assert panel.space.owns.text().startswith("core 0 owns")


def test_rows_of_the_table_of_cores_tell_and_are_outlined(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    panel, selection = division(qtbot, stage)
    panel.space.set_table(True)
    QApplication.processEvents()
    table = panel.space.table.table
    row = table.visualRect(table.model().index(2, 1)).center()
    QTest.mouseMove(table.viewport(), row)
    assert at(selection) == 2
    QApplication.sendEvent(table, QEvent(QEvent.Type.Leave))
    assert at(selection) is None
    before = colours_in(table)
    selection.hover_core(3)
    assert dark.accent in colours_in(table) - before


def test_who_comes_by_keyboard_is_at_the_selected_core(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    panel, selection = division(qtbot, stage)
    with qtbot.waitActive(panel.window()):
        panel.window().activateWindow()
    panel.space.grid.setFocus(Qt.FocusReason.TabFocusReason)
    assert at(selection) == selection.core == 0
    QTest.keyClick(panel.space.grid, Qt.Key.Key_Right)
    assert at(selection) == selection.core == 1
    panel.space.grid.clearFocus()
    assert at(selection) is None


def test_lanes_of_the_timeline_tell_their_core_and_are_outlined_without_a_new_picture(
    qtbot: QtBot, stage: Stage, dark: Theme
) -> None:
    view, selection = timeline(qtbot, stage)
    data = view.data
    assert data is not None
    lane = next(lane for lane in view.canvas.lanes_in_view() if lane.core == 2)
    QTest.mouseMove(view.canvas, QPoint(40, round(lane.top + lane.height / 2)))
    assert at(selection) == 2
    QTest.mouseMove(view.canvas, QPoint(500, 4))
    assert at(selection) is None, "the ruler is of no core"
    view.canvas.grab()
    picture = view.canvas._picture
    selection.hover_core(3)
    view.canvas.grab()
    assert view.canvas._picture is picture, "only the overlay is drawn anew"
    critical = next(n for n, track in enumerate(data.tracks) if track.kind is TrackKind.CRITICAL)
    view.canvas.hovered.emit(Spot("box", critical, 0))
    assert at(selection) == data.trace.critical[0].core


def test_the_strip_below_the_lanes_tells_and_frames(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    view, selection = timeline(qtbot, stage)
    rect = view.strip.plot_rect()
    QTest.mouseMove(view.strip, QPointF(rect.center().x(), rect.top() + rect.height() * 0.6).toPoint())
    assert at(selection) == 2
    selection.hover_core(1)
    assert dark.accent in colours_in(view.strip)
    selection.hover_core(None)
    assert dark.accent not in colours_in(view.strip)


def test_cells_of_the_map_of_errors_tell_and_are_framed(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    compilation, report = right()
    stage.put(compilation)
    view, selection = staged(qtbot, stage, VerifyView, 900, 420)
    stage.put_report(report)
    view.show_page("map")
    QApplication.processEvents()
    canvas = view.pages.error_map.canvas
    QTest.mouseMove(canvas, canvas.cell_rect(0, 0).center().toPoint())
    assert at(selection) == 0
    selection.hover_core(1)
    assert canvas.pointed > 0
    selection.hover_core(None)
    assert canvas.pointed == 0


def test_a_core_pointed_at_elsewhere_is_set_off_in_the_sticks(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    view, selection = sticks(qtbot, stage)
    canvas = view.pictures.first
    assert canvas.model is not None
    assert canvas.model.owners.cores
    before = pixels(canvas)
    selection.hover_core(1)
    assert (before != pixels(canvas)).any()
    selection.hover_core(None)
    assert (before == pixels(canvas)).all()


def test_a_lane_and_the_colours_below_the_sticks_tell_their_core(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    view, selection = sticks(qtbot, stage)
    canvas = view.pictures.first
    QTest.mouseMove(canvas, canvas.plot_rect().center().toPoint())
    lane = view._owner
    assert at(selection) == (lane if lane != NOBODY else None)
    QTest.mouseMove(canvas, QPoint(1, 1))
    assert at(selection) is None
    ramp = view.ramp
    place = next(x for x in range(ramp.width()) if ramp.core_at(x) == 2)
    QTest.mouseMove(ramp, QPoint(place, 4))
    assert at(selection) == 2
