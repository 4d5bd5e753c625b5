"""Verify: verdicts with sentences, asking for a verification, and the report in rows."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from compiler.audit import audit
from compiler.compilation import Verdict
from compiler.dtypes import DType
from simulator.report import Agreement, Comparison, OutputReport, StepReport, Tolerance, VerifyReport
from spyre_studio.check_words import CHECK_WORDS
from spyre_studio.selection import Selection
from spyre_studio.theme import Theme
from spyre_studio.verify_rows import headline, number_rows
from spyre_studio.views.verify import VerifyView
from tests.spyre_studio.hand import LEFT
from tests.spyre_studio.plans import compiled
from tests.spyre_studio.stage import Stage, all_texts, quiet_settings, staged

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
def stage(tmp_path: Path) -> Stage:
    return Stage(quiet_settings(str(tmp_path)))


@pytest.fixture
def opened(qtbot: QtBot, stage: Stage, dark: Theme) -> tuple[VerifyView, Selection]:
    stage.put(compiled())
    return staged(qtbot, stage, VerifyView, 1000, 360)


def test_every_check_of_a_plan_has_its_sentence(opened: tuple[VerifyView, Selection], stage: Stage) -> None:
    view, _ = opened
    assert stage.compilation is not None
    stage.put(replace(stage.compilation, verdicts=audit(stage.compilation)))  # as a saved plan is opened
    assert stage.compilation is not None
    assert {line.key for line in view.checks.lines} == {one.check for one in stage.compilation.verdicts}
    assert {line.key for line in view.checks.lines} == set(CHECK_WORDS)
    assert all(line.note and line.mark == "ok" for line in view.checks.lines)
    assert f"all {len(CHECK_WORDS)} hold" in all_texts(view)


def test_violations_stand_below_their_check(qtbot: QtBot, stage: Stage, dark: Theme) -> None:
    plan = compiled()
    bad = Verdict("overlap", False, ("exp and sub share bytes at step 2", "and at step 3"))
    verdicts = tuple(bad if verdict.check == "overlap" else verdict for verdict in plan.verdicts)
    stage.put(replace(plan, verdicts=verdicts))
    view, _ = staged(qtbot, stage, VerifyView, 1000, 360)
    place = next(n for n, line in enumerate(view.checks.lines) if line.key == "overlap")
    assert view.checks.lines[place].mark == "bad"
    assert [line.title for line in view.checks.lines[place + 1 : place + 3]] == list(bad.violations)
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
    assert [row.cells[0] for row in view.table.shown()] == ["out0", "max", "sub", "exp"]
    at = view.table.visualRect(view.table.model().index(2, 0)).center()
    QTest.mouseClick(view.table.viewport(), LEFT, pos=at)
    assert (selection.op, selection.buffer) == ("sub", "sub")
    stage.put(compiled())
    assert "Not verified yet" in all_texts(view), "another plan has not been verified"


def test_headlines_say_what_is_wrong_and_where() -> None:
    assert headline(report_of(EQUAL))[:2] == ("Agrees with PyTorch within rounding", "ok")
    title, tone, sentence = headline(report_of(EQUAL, WRONG))
    assert (title, tone) == ("The numbers are wrong", "bad")
    assert "sub (model.py:8)" in sentence
    title, tone, sentence = headline(report_of(fault="core 3 reads outside its box."))
    assert (title, tone) == ("The device stopped", "bad")
    assert sentence.startswith("core 3 reads outside its box.")


def test_rows_name_the_first_difference() -> None:
    rows = number_rows(report_of(EQUAL, WRONG))
    assert [row.what for row in rows] == ["output", "step", "step"]
    assert rows[2].first == "[0,3] is nan, not 0.1233"
    assert (rows[2].verdict, rows[2].tone, rows[2].beyond) == ("corrupted", "bad", 5)
    assert rows[1].first == ""
