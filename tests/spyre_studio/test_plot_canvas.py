"""Plots: two axes that stay within their data, zoom where the pointer is, and can be linked."""

import pytest
from PySide6.QtCore import QPoint
from pytestqt.qtbot import QtBot

from spyre_studio.scales import LinearScale
from spyre_studio.theme import DARK, Theme
from spyre_studio.views.plot_canvas import Limits, PlotCanvas
from tests.spyre_studio.hand import CONTROL, drag, show, turn_wheel


class Plot(PlotCanvas):
    """Steps 0 to 96 by bytes 0 to 1,024."""

    def __init__(self) -> None:
        super().__init__("test plot")
        self.set_limits(Limits(0, 96, 2), Limits(0, 1024, 16))


@pytest.fixture
def plot(qtbot: QtBot, dark: Theme) -> Plot:
    made = Plot()
    show(qtbot, made)
    return made


def ends(axis: LinearScale) -> tuple[float, float]:
    return axis.lo, axis.hi


def test_a_plot_shows_everything_and_cannot_leave_it(plot: Plot) -> None:
    assert ends(plot.x_axis) == (0, 96)
    assert ends(plot.y_axis) == (0, 1024)
    plot.pan_by(-500, 300)
    assert ends(plot.x_axis) == (0, 96)
    assert plot.y_axis.to_px(0.0) > plot.y_axis.to_px(1024.0)  # addresses grow upwards


def test_a_plot_zooms_at_the_pointer_and_stops_at_the_least_span(plot: Plot) -> None:
    at = QPoint(200, 100)
    under = plot.x_axis.to_value(200.0), plot.y_axis.to_value(100.0)
    turn_wheel(plot, at, 3, CONTROL)
    assert plot.x_axis.span < 96
    assert (plot.x_axis.to_value(200.0), plot.y_axis.to_value(100.0)) == pytest.approx(under)
    turn_wheel(plot, at, 100, CONTROL)
    assert plot.x_axis.span == pytest.approx(2)
    assert plot.y_axis.span == pytest.approx(16)


def test_over_the_labels_only_one_axis_zooms(plot: Plot) -> None:
    turn_wheel(plot, QPoint(5, 100), 3, CONTROL)
    assert plot.y_axis.span < 1024
    assert plot.x_axis.span == 96
    plot.fit_all()
    turn_wheel(plot, QPoint(200, 295), 3, CONTROL)
    assert plot.x_axis.span < 96
    assert plot.y_axis.span == 1024


def test_a_plot_may_zoom_sideways_only(plot: Plot) -> None:
    plot.zoom_axes = "x"
    drag(plot, QPoint(100, 60), QPoint(200, 160), CONTROL)
    assert plot.x_axis.to_px(plot.x_axis.lo) == plot.plot_rect().left()
    assert plot.x_axis.span < 40
    assert plot.y_axis.span == 1024


def test_new_limits_keep_a_zoomed_view_and_widen_a_whole_one(plot: Plot) -> None:
    plot.show_x(10, 20)
    plot.set_limits(Limits(0, 200, 2), Limits(0, 4096, 16))
    assert ends(plot.x_axis) == (10, 20)
    assert ends(plot.y_axis) == (0, 4096)


def test_linked_plots_do_not_echo(plot: Plot, qtbot: QtBot) -> None:
    with qtbot.waitSignal(plot.view_changed):
        plot.show_x(10, 20)
    with qtbot.assertNotEmitted(plot.view_changed):
        plot.show_x(10, 20)


def test_focus_in_a_plot(plot: Plot, monkeypatch: pytest.MonkeyPatch) -> None:
    plot.show_x(0, 30)
    plot.focus()
    assert ends(plot.x_axis) == (0, 30)
    monkeypatch.setattr(plot, "selection_ranges", lambda: (50.0, 54.0, 100.0, 200.0))
    plot.focus_selection(fit=False)
    assert ends(plot.x_axis) == (37, 67)
    plot.focus_selection(fit=True)
    assert ends(plot.x_axis) == (46, 58)
    assert ends(plot.y_axis) == (0, 300)


def test_values_and_pixels_of_a_plot(plot: Plot) -> None:
    rect = plot.to_rect(0, 0, 96, 1024)
    assert rect == plot.plot_rect()
    plot.resize(600, 500)
    assert plot.to_rect(0, 0, 96, 1024) == plot.plot_rect()


def test_a_plot_paints_grid_and_labels(plot: Plot) -> None:
    image = plot.grab().toImage()
    inside = plot.plot_rect()
    line = round(plot.y_axis.to_px(plot.y_ticks().values[1]))
    assert image.pixelColor(int(inside.center().x()), line).name() == DARK.line
    left = {image.pixelColor(x, y).name() for x in range(int(inside.left())) for y in range(image.height())}
    assert len(left) > 1  # the numbers of the axis
