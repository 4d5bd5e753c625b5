"""Verify: verdicts with sentences, asking for a verification, and the report in rows."""

import csv
from collections.abc import Iterator
from dataclasses import replace
from io import StringIO

import pytest
from PySide6.QtCore import QModelIndex, QPointF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from compiler.audit import audit
from compiler.compilation import Compilation, Verdict
from compiler.dtypes import DType
from compiler.import_log import FILES
from simulator.report import Agreement, Comparison, OutputReport, StepReport, Tolerance, VerifyReport
from spyre_studio.check_words import CHECK_WORDS, OF_FILES
from spyre_studio.failure import Failure
from spyre_studio.qt_theme import apply_theme
from spyre_studio.selection import Selection
from spyre_studio.theme import DARK, LIGHT, Theme
from spyre_studio.views.verify import VerifyView
from tests.spyre_studio.hand import LEFT, NONE
from tests.spyre_studio.plans import compiled, divided
from tests.spyre_studio.stage import Stage, all_texts, colours_in, staged
from tests.spyre_studio.verified import clobbered, measured, moved, right, stopped, wrong


@pytest.fixture
def light(qapp: QApplication) -> Iterator[Theme]:
    apply_theme(qapp, LIGHT)
    yield LIGHT
    apply_theme(qapp, DARK)


def shown(
    qtbot: QtBot, stage: Stage, measured_plan: tuple[Compilation, VerifyReport], width: int = 736, height: int = 310
) -> tuple[VerifyView, Selection]:
    """A plan on screen with its report, in little room."""
    compilation, report = measured_plan
    stage.put(compilation)
    view, selection = staged(qtbot, stage, VerifyView, width, height)
    stage.put_report(report)
    return view, selection


def cell(view: VerifyView, row: int) -> QModelIndex:
    """The first cell of a row of results."""
    return view.table.model().index(row, 0)


TOLERANCE = Tolerance(1e-3, 2e-3, 1e-4)
EQUAL = Comparison(Agreement.EQUAL, 100, 0, 0, 0.0, 0.0, 0.0, 1.0, False, TOLERANCE)
ROUNDED = Comparison(Agreement.ROUNDING, 100, 7, 0, 1e-3, 2e-3, 1e-4, 1.0, False, TOLERANCE, (0, 3), "0.1234", "0.1233")
WRONG = replace(ROUNDED, agreement=Agreement.CORRUPTED, beyond=5, got="nan")


def report_of(*steps: Comparison, fault: str = "") -> VerifyReport:
    names = ("max", "sub", "exp")
    reports = tuple(StepReport(name, name, "model.py:8", found) for name, found in zip(names, steps, strict=False))
    output = OutputReport("out0", "truediv", DType.F16, (128, 256), ROUNDED)
    return VerifyReport("softmax", "spyre", 32, True, (output,), reports, fault, 1.5)


@pytest.fixture
def opened(qtbot: QtBot, stage: Stage, dark: Theme) -> tuple[VerifyView, Selection]:
    stage.put(compiled())
    return staged(qtbot, stage, VerifyView, 1000, 360)


def test_every_check_of_a_plan_has_its_sentence(opened: tuple[VerifyView, Selection], stage: Stage) -> None:
    view, _ = opened
    assert stage.compilation is not None
    stage.put(replace(stage.compilation, verdicts=audit(stage.compilation)))  # as a saved plan is opened
    assert stage.compilation is not None
    assert {line.key for line in view.checks.lines.lines} == {one.check for one in stage.compilation.verdicts}
    assert {line.key for line in view.checks.lines.lines} == set(CHECK_WORDS) - {FILES}
    assert all(line.note and line.mark == "ok" for line in view.checks.lines.lines)
    assert f"all {len(CHECK_WORDS) - len(OF_FILES)} hold, the file too" in all_texts(view), "as many as before saving"


def test_violations_stand_below_their_check(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    plan = compiled()
    bad = Verdict("overlap", False, ("exp and sub share bytes at step 2", "and at step 3"))
    verdicts = tuple(bad if verdict.check == "overlap" else verdict for verdict in plan.verdicts)
    stage.put(replace(plan, verdicts=verdicts))
    view, _ = staged(qtbot, stage, VerifyView, 1000, 360)
    place = next(n for n, line in enumerate(view.checks.lines.lines) if line.key == "overlap")
    assert view.checks.lines.lines[place].mark == "bad"
    assert [line.title for line in view.checks.lines.lines[place + 1 : place + 3]] == list(bad.violations)
    assert "1 check failed" in all_texts(view)


def test_the_button_asks_for_a_verification(opened: tuple[VerifyView, Selection], stage: Stage) -> None:
    view, _ = opened
    assert "Not verified yet" in all_texts(view)
    QTest.mouseClick(view.waiting.action, LEFT)
    assert stage.asked == ["verify"]


def test_a_running_verification_can_be_cancelled(opened: tuple[VerifyView, Selection], stage: Stage) -> None:
    view, _ = opened
    stage._enter("verify", "Run on the device")
    assert view.waiting.state.kind == "loading"
    assert "Run on the device" in all_texts(view)
    QTest.mouseClick(view.waiting.action, LEFT)
    assert not stage.verifying
    assert view.waiting.state.title == "Not verified yet"


def test_a_report_is_shown_with_outputs_first(opened: tuple[VerifyView, Selection], stage: Stage) -> None:
    view, selection = opened
    stage.put_report(report_of(EQUAL, ROUNDED, EQUAL))
    assert "Agrees with PyTorch within rounding" in view.verdict.text()
    view.show_page("results")
    assert [row.cells[0] for row in view.table.shown()] == ["out0", "max", "sub", "exp"]
    at = view.table.visualRect(view.table.model().index(2, 0)).center()
    QTest.mouseClick(view.table.viewport(), LEFT, pos=at)
    assert (selection.op, selection.buffer) == ("sub", "sub")
    stage.put(compiled())
    assert "Not verified yet" in all_texts(view), "another plan has not been verified"


def test_checks_without_a_verdict_were_not_run(opened: tuple[VerifyView, Selection]) -> None:
    view, _ = opened
    lines = {line.key: line for line in view.checks.lines.lines}
    assert lines["coverage"].value == "holds"
    assert (lines["record"].value, lines["record"].mark) == ("not run", "mute")
    assert "opened from a file" in lines["record"].note


def test_a_click_on_a_violation_selects_what_it_speaks_of(opened: tuple[VerifyView, Selection], stage: Stage) -> None:
    view, selection = opened
    assert stage.compilation is not None
    bad = Verdict("ownership", False, ("exp is in LX, but in truediv (step 4) core 3 holds none of it",))
    others = tuple(verdict for verdict in stage.compilation.verdicts if verdict.check != "ownership")
    stage.put(replace(stage.compilation, verdicts=(bad, *others)))
    lines = view.checks.lines
    QTest.mouseClick(lines.viewport(), LEFT, pos=lines.visualRect(lines.model().index(1, 0)).center())
    assert (selection.buffer, selection.core) == ("exp", 3)
    assert lines.lines[1].hint.endswith("Click to select step exp · buffer exp · core 3.")


def test_wrong_numbers_show_the_first_divergence_first(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    view, selection = shown(qtbot, stage, clobbered())
    assert view.verdict.text() == "■ The numbers are wrong"
    assert view.page_key == "summary"
    assert "step truediv writes truediv · model.py:5" in all_texts(view)
    QTest.mouseClick(view.pages.summary.select, LEFT)
    assert (selection.op, selection.buffer, selection.core) == ("truediv", "truediv", 0)
    QTest.mouseClick(view.pages.summary.map, LEFT)
    assert view.page_key == "map"
    assert view.pages.error_map.subject is not None
    assert view.pages.error_map.subject.key == "step:truediv:truediv"


def test_a_device_that_stopped_says_where(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    view, selection = shown(qtbot, stage, stopped())
    assert "The device stopped" in view.verdict.text()
    assert "step truediv · buffer exp · core 0" in all_texts(view)
    QTest.mouseClick(view.pages.summary.select, LEFT)
    assert (selection.op, selection.buffer) == ("truediv", "exp")
    assert not view.pages.summary.map.isVisible()
    view.show_page("map")
    assert view.pages.error_map.state.title == "No results to map"


def test_a_row_shows_its_map_or_why_there_is_none(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    view, _ = shown(qtbot, stage, clobbered())
    view.show_page("results")
    assert view.pages.error_map.subject is not None
    assert view.pages.error_map.subject.title == "truediv"
    for row, title in ((1, "Equal: nothing to show"), (0, "")):
        QTest.mouseClick(view.table.viewport(), LEFT, pos=view.table.visualRect(cell(view, row)).center())
        assert view.pages.error_map.state.title == title
    assert view.pages.error_map.subject.title == "out0"


def test_results_can_be_narrowed(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    view, _ = shown(qtbot, stage, clobbered())
    view.show_page("results")
    assert view.pages.results.words.text() == "6 results · 2 wrong"
    for key, names in (
        ("wrong", ["out0", "truediv"]),
        ("output", ["out0"]),
        ("step", ["max", "sub", "exp", "sum", "truediv"]),
    ):
        view.pages.results.shown.choose(key)
        view.pages.results.shown.chosen.emit(key)
        assert [row.cells[0] for row in view.table.shown()] == names
    assert view.pages.results.words.text() == "5 of 6 results · 2 wrong"


def test_a_click_on_the_map_selects_core_and_step(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    view, selection = shown(qtbot, stage, clobbered())
    view.show_page("map")
    canvas = view.pages.error_map.canvas
    QTest.mouseClick(canvas, LEFT, NONE, canvas.cell_rect(40, 0).center().toPoint())
    assert (selection.op, selection.buffer, selection.core) == ("truediv", "truediv", 2)
    assert view.pages.error_map.readout.text().startswith("[80–81, 0–3] · ")
    assert canvas.framed > 0, "the rows of core 2"
    view.pages.error_map.set_by("core")
    QTest.mouseClick(canvas, LEFT, NONE, canvas.cell_rect(0, 3).center().toPoint())
    assert selection.core == 3
    assert canvas.item_at(QPointF(canvas.cell_rect(0, 5).center())) is None, "there are four cores"


def test_the_map_is_walked_by_keys_and_its_table_chosen_from(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    view, selection = shown(qtbot, stage, clobbered())
    view.show_page("map")
    canvas = view.pages.error_map.canvas
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Right):
        QTest.keyClick(canvas, key)
    assert canvas.current_item() == (1, 1)
    assert view.pages.error_map.readout.text().startswith("[2–3, 4–7] · ")
    QTest.keyClick(canvas, Qt.Key.Key_Return)
    assert selection.op == "truediv"
    view.pages.error_map.set_by("core")
    view.pages.error_map.set_table(True)
    table = view.pages.error_map.table.table
    assert [row.cells[0] for row in table.shown()] == [0, 1, 2, 3]
    table.setFocus()
    QTest.keyClick(table, Qt.Key.Key_Down)
    assert selection.core == 1
    QTest.mouseClick(view.pages.error_map.copy, LEFT)
    rows = list(csv.DictReader(StringIO(QGuiApplication.clipboard().text())))
    assert [row["beyond"] for row in rows] == ["32"] * 4


def test_elements_of_the_table_come_worst_first(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    view, _ = shown(qtbot, stage, clobbered())
    view.show_page("map")
    view.pages.error_map.set_table(True)
    deviations = [float(row.cells[1]) for row in view.pages.error_map.table.table.shown()]
    assert len(deviations) >= 64
    assert deviations == sorted(deviations, reverse=True)


def test_equal_numbers_leave_nothing_to_map(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    compilation, report = right()
    stage.put(compilation)
    view, _ = staged(qtbot, stage, VerifyView, 736, 310)
    output = replace(report.outputs[0], comparison=EQUAL, errors=None)
    stage.put_report(replace(report, outputs=(output,)))
    view.show_page("map")
    assert view.pages.error_map.state.title == "Equal: nothing to show"
    assert "to the last bit" in all_texts(view.pages.error_map)


def test_traffic_is_listed_selected_and_copied(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    view, selection = shown(qtbot, stage, right())
    view.show_page("traffic")
    assert "Device memory 128 KiB read, 64 KiB written" in all_texts(view)
    table = view.pages.traffic.table
    table.sortByColumn(3, Qt.SortOrder.DescendingOrder)
    assert table.shown()[0].key == "truediv"
    QTest.mouseClick(table.viewport(), LEFT, pos=table.visualRect(table.model().index(0, 0)).center())
    assert selection.op == "truediv"
    QTest.mouseClick(view.pages.traffic.copy, LEFT)
    rows = {row["step"]: row for row in csv.DictReader(StringIO(QGuiApplication.clipboard().text()))}
    assert rows["max"]["memory read"] == "65536"
    assert rows["truediv"]["memory written"] == "65536"


def test_a_report_without_traffic_says_so(opened: tuple[VerifyView, Selection], stage: Stage) -> None:
    view, _ = opened
    stage.put_report(report_of(EQUAL))
    view.show_page("traffic")
    assert "Nothing was measured in this run." in all_texts(view)


def test_the_poison_switch_is_the_setting(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    view, _ = shown(qtbot, stage, right())
    assert view.poison.isChecked()
    assert not view.badge.isVisible()
    view.poison.click()
    assert stage.settings.on("poison") is False
    assert view.badge.text == "poison was on"
    assert "NaN" in view.poison.toolTip()
    stage.settings.set("poison", True)
    assert view.poison.isChecked()
    assert not view.badge.isVisible()


def test_a_report_that_comes_while_nobody_looks_is_shown_later(
    opened: tuple[VerifyView, Selection], stage: Stage
) -> None:
    view, _ = opened
    view.hide()
    stage.put_report(report_of(EQUAL))
    view.show()
    assert "Agrees with PyTorch within rounding" in view.verdict.text()


def test_progress_and_failure_of_a_verification(opened: tuple[VerifyView, Selection], stage: Stage) -> None:
    view, _ = opened
    stage._enter("verify", "verify")
    stage._progress("verify")(0.25, "simulate", "exp")
    assert view.waiting.state.progress == 0.25
    assert view.waiting.state.sentence == "Running on the simulated device · exp"
    stage._stopped("verify", Failure("model.py", "its file changed since the plan was made", "compile the model again"))
    assert view.waiting.state.kind == "error"
    assert "model.py: its file changed since the plan was made; compile the model again." in all_texts(view)
    QTest.mouseClick(view.waiting.action, LEFT)
    assert stage.asked == ["verify"]
    stage.put(compiled())
    assert view.waiting.state.title == "Not verified yet"


def test_what_fails_elsewhere_is_no_failed_verification(opened: tuple[VerifyView, Selection], stage: Stage) -> None:
    view, _ = opened
    stage._fail(Failure("pins.toml", "it cannot be read", "choose another file"))
    assert view.waiting.state.title == "Not verified yet"


def test_changed_pins_make_the_report_stale(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    view, _ = shown(qtbot, stage, right())
    stage.set_pins(divided("sum", i=2))
    assert view.badge.text == "pins changed since this plan"
    assert "Agrees with PyTorch" in view.verdict.text()


def test_room_decides_what_stands_beside_what(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    compilation, report = wrong()
    stage.put(compilation)
    view, _ = staged(qtbot, stage, VerifyView, 1728, 512)
    stage.put_report(report)
    assert (view.pages.summary.isVisible(), view.pages.results.isVisible(), view.pages.error_map.isVisible()) == (
        True,
        True,
        True,
    )
    assert [view.pages.tabs.isTabVisible(place) for place in range(4)] == [False, True, False, True]
    view.resize(736, 310)
    assert (view.width(), view.height()) == (736, 310), "nothing forces it to be larger"
    assert all(view.pages.tabs.isTabVisible(place) for place in range(4))
    seen = {}
    for key in ("summary", "results", "map", "traffic"):
        view.show_page(key)
        seen[key] = [
            w.isVisible() for w in (view.pages.summary, view.pages.results, view.pages.error_map, view.pages.traffic)
        ]
    assert seen["summary"] == [True, False, False, False]
    assert seen["results"] == [False, True, False, False]
    assert seen["map"] == [False, False, True, False]
    assert seen["traffic"] == [False, False, False, True]


def test_one_core_and_one_row(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    view, selection = shown(qtbot, stage, measured(moved("sum", 0), cores=1, rows=2, columns=64))
    view.show_page("map")
    for by in ("element", "stick", "core"):
        view.pages.error_map.set_by(by)
        canvas = view.pages.error_map.canvas
        assert "deviation" in canvas.words_for((0, 0))
        QTest.mouseClick(canvas, LEFT, NONE, canvas.cell_rect(0, 0).center().toPoint())
        assert (selection.op, selection.core) == ("truediv", 0)


def test_no_part_of_the_view_is_a_window_of_its_own(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    view, _ = shown(qtbot, stage, wrong())
    assert [each for each in QApplication.topLevelWidgets() if each.isVisible() and each is not view] == []


def test_every_control_is_reached_by_keyboard_and_named(qtbot: QtBot, stage: Stage, light: Theme) -> None:
    view, _ = shown(qtbot, stage, wrong())
    view.show_page("map")
    panel = view.pages.error_map
    for control in (*panel.by_buttons.values(), panel.table_button, panel.chooser, view.poison, view.again):
        assert control.focusPolicy() & Qt.FocusPolicy.TabFocus, control
    assert panel.canvas.accessibleName() == "Map of errors"
    assert colours_in(panel.canvas) >= {light.fill[255], light.fill[0], light.bad}
