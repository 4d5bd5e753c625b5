"""Compare: rows with causes and times, empty and equal plans, and the way from a row to the selection."""

import pytest
from frozendict import frozendict
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from compiler.diff import diff
from compiler.pins import Pins
from spyre_studio.colour import MIN_TEXT, contrast
from spyre_studio.diff_rows import diff_rows
from spyre_studio.selection import Selection
from spyre_studio.theme import THEMES, Theme
from spyre_studio.views.compare import CompareView, delta_colour
from tests.programs import attention
from tests.spyre_studio.plans import compiled, divided
from tests.spyre_studio.stage import Stage, staged


@pytest.fixture
def opened(qtbot: QtBot, stage: Stage, dark: Theme) -> tuple[CompareView, Selection]:
    program = attention(4, 512, 64)
    stage.put(compiled(program=program))
    stage.put(compiled(program=program, pins=divided("scores", j=32)))
    return staged(qtbot, stage, CompareView, 1000, 320)


def test_rows_join_decisions_with_the_times_of_their_steps() -> None:
    program = attention(4, 512, 64)
    found = diff(compiled(program=program), compiled(program=program, pins=divided("scores", j=32)))
    rows = diff_rows(found)
    deltas = {cost.name: cost.delta_us for cost in found.costs}
    division = next(row for row in rows if row.what == "division" and row.name == "scores")
    assert division.delta_us == pytest.approx(deltas["scores"])
    assert not division.is_buffer
    placement = next(row for row in rows if row.what == "placement" and row.name == "scores")
    assert placement.is_buffer
    assert placement.after.startswith("LX 0x")
    assert "divided differently" in placement.cause
    told = sum(row.delta_us for row in rows)
    assert told == pytest.approx(sum(deltas.values())), "every microsecond is told once"


def test_what_only_moved_is_minor() -> None:
    program = attention(4, 512, 64)
    pins = Pins(placement=frozendict({"sub": "hbm"}))
    rows = diff_rows(diff(compiled(program=program), compiled(program=program, pins=pins)))
    assert any(row.kind == "decision" and row.name == "sub" and row.what == "placement" for row in rows)
    decided = [row for row in rows if row.what != "time"]
    assert all(row.kind == "minor" for row in decided if row.what == "address" or row.before == row.after)


def test_the_total_and_the_causes_are_on_screen(opened: tuple[CompareView, Selection], stage: Stage) -> None:
    view, _ = opened
    before, after = stage.before, stage.compilation
    assert before is not None
    assert after is not None
    assert f"{before.cost.total_us:.1f} µs" in view.total.text()
    assert f"{after.cost.total_us:.1f} µs" in view.total.text()
    assert "decisions differ" in view.more.text()
    causes = [row.cells[-1] for row in view.table.shown()]
    assert any("divided differently" in str(cause) for cause in causes)


def test_the_times_shown_explain_the_total(opened: tuple[CompareView, Selection]) -> None:
    view, _ = opened
    assert view._diff is not None
    shown = sum(float(row.cells[2]) for row in view.table.shown())
    steps = sum(cost.delta_us for cost in view._diff.costs)
    assert shown == pytest.approx(steps, abs=0.01)
    assert abs(steps) > 1


def test_everything_is_shown_on_demand(opened: tuple[CompareView, Selection]) -> None:
    view, _ = opened
    few = len(view.table.shown())
    view.shown.choose("all")
    view._show_rows()
    assert len(view.table.shown()) == len(view.rows) >= few


def test_a_row_leads_to_its_op_or_buffer(opened: tuple[CompareView, Selection]) -> None:
    view, selection = opened
    place = next(n for n, row in enumerate(view.table.shown()) if row.cells[:2] == ("scores", "placement"))
    at = view.table.visualRect(view.table.model().index(place, 0)).center()
    QTest.mouseClick(view.table.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert selection.buffer == "scores"
    selection.select_op("scores")
    marked = view.table.keys()
    assert {view.rows[key].name for key in marked if isinstance(key, int)} == {"scores"}


def test_with_one_plan_it_says_what_to_do(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    stage.put(compiled())
    view, _ = staged(qtbot, stage, CompareView)
    assert view.state.kind == "empty"
    assert "Re-solve or pin something" in view.state.sentence


def test_equal_plans_are_called_equal(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    stage.put(compiled())
    stage.put(compiled())
    view, _ = staged(qtbot, stage, CompareView)
    assert view.state.title == "The plans are the same"


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_blue_and_orange_can_be_read(theme: Theme) -> None:
    for delta in (-1.0, 1.0):
        for ground in (theme.panel, theme.bg, theme.selection):
            assert contrast(delta_colour(delta, theme), ground) >= MIN_TEXT
    assert delta_colour(0.0, theme) == ""
