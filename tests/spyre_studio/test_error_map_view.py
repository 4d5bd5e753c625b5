"""The map of errors in the verify view: the frame of the selected core, its legend, its axes, and the room it takes."""

from pytestqt.qtbot import QtBot

from spyre_studio.selection import Selection
from spyre_studio.theme import DARK, LIGHT, Theme
from spyre_studio.views.error_map_canvas import frame_colour
from spyre_studio.views.verify import VerifyView
from tests.spyre_studio.stage import Stage, colours_in, staged
from tests.spyre_studio.verified import right


def shown(qtbot: QtBot, stage: Stage, width: int = 736, height: int = 310) -> tuple[VerifyView, Selection]:
    """A plan that is right with its report on screen."""
    compilation, report = right()
    stage.put(compilation)
    view, selection = staged(qtbot, stage, VerifyView, width, height)
    stage.put_report(report)
    return view, selection


def test_the_frame_of_the_selected_core_is_told_and_is_no_error(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    view, selection = shown(qtbot, stage)
    view.show_page("map")
    selection.select_core(2)
    canvas, legend = view.pages.error_map.canvas, view.pages.error_map.legend
    assert canvas.framed > 0
    assert legend.words[-1] == "core 2"
    assert "framed: the cells of core 2" in legend.accessibleName()
    for theme in (DARK, LIGHT):
        assert frame_colour(theme) not in {theme.bad, theme.accent, *theme.fill}
    assert frame_colour(DARK) in colours_in(canvas)
    assert frame_colour(DARK) in colours_in(legend)
    view.pages.error_map.set_by("stick")
    assert canvas.framed == 0
    assert legend.words[-1] == "beyond rounding", "sticks belong to no single core"


def test_axes_end_where_the_result_ends_and_no_tooltip_covers_the_line_below(
    qtbot: QtBot, stage: Stage, dark: Theme
) -> None:
    view, _ = shown(qtbot, stage, 1280, 800)
    canvas = view.pages.error_map.canvas
    assert (canvas.x_ticks().labels[-1], canvas.y_ticks().labels[-1]) == ("256", "128")
    assert list(canvas.y_ticks().values) == sorted(set(canvas.y_ticks().values))
    assert canvas.tooltip_for((0, 0)) == ""
    assert canvas.words_for((0, 0)).startswith("[0–1, 0–3] · ")
    canvas.show_x(0, 100)
    assert canvas.x_ticks().labels[-1] == "100"


def test_a_report_that_came_while_nobody_looked_is_arranged_for_the_room_there_is(
    qtbot: QtBot, stage: Stage, dark: Theme
) -> None:
    compilation, report = right()
    stage.put(compilation)
    view, _ = staged(qtbot, stage, VerifyView, 500, 310)
    view.hide()
    view.resize(1600, 800)
    stage.put_report(report)
    view.show()
    assert view.pages.error_map.isVisible(), "the map stands beside the results"
    assert view.pages.summary.isVisible()
