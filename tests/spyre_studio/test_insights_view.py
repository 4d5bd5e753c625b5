"""The insights on screen: table and detail, links to where it shows, savings that come later, and remedies done."""

from dataclasses import replace
from pathlib import Path

import pytest
from frozendict import frozendict
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from compiler.compilation import Compilation
from compiler.pins import Pins
from spyre_studio.failure import Failure
from spyre_studio.file_dialogs import FileDialogs, with_suffix
from spyre_studio.insight import Basis, Saving
from spyre_studio.insight_trials import weigh
from spyre_studio.insight_weighed import NOT_WEIGHED
from spyre_studio.insights import insights
from spyre_studio.qt_theme import apply_theme
from spyre_studio.report_actions import KINDS as FORMS
from spyre_studio.report_forms import SUFFIXES
from spyre_studio.reporter import Silent
from spyre_studio.session_state import WEIGH
from spyre_studio.theme import LIGHT, Theme
from spyre_studio.views.insights import InsightsView
from tests.programs import attention, chain
from tests.spyre_studio.door import Door, opened
from tests.spyre_studio.plans import compiled
from tests.spyre_studio.stage import Stage, all_texts, quiet_settings, staged

OUT = Pins(placement=frozendict({"neg": "hbm"}))


class Advised(Stage):
    """Answers for the worker once `answer` is called."""

    def weigh(self) -> None:
        if self._shown is not None and self._shown.number not in self._advice:
            self.asked.append("weigh")
            self._phases[WEIGH] = WEIGH
            self.advised.emit()

    def answer(self) -> None:
        assert self._shown is not None
        self._weighed_to(self._shown, weigh(self._shown.compilation, Silent(), searches=False))


@pytest.fixture
def plan() -> Compilation:
    return compiled(program=chain(256, 512), pins=OUT)


@pytest.fixture
def stage(tmp_path: Path, plan: Compilation) -> Advised:
    made = Advised(quiet_settings(str(tmp_path)))
    made.put(plan)
    return made


@pytest.fixture
def view(qtbot: QtBot, stage: Advised, dark: Theme) -> InsightsView:
    return staged(qtbot, stage, InsightsView, 1100, 400)[0]


def test_it_lists_what_was_found_and_asks_what_remedies_save(
    view: InsightsView, stage: Advised, plan: Compilation
) -> None:
    assert [one.key for one in view.found] == [one.key for one in insights(plan)]
    assert stage.asked == ["weigh"]
    assert not view.stop.isHidden()
    assert view.weigh.isHidden()
    assert "not worked out" in all_texts(view.detail).casefold() or not view.found[0].remedies[0].changes


def test_savings_come_in_without_moving_what_is_chosen(view: InsightsView, stage: Advised) -> None:
    key = next(one.key for one in view.found if one.kind == "outside")
    view.table.select([key])
    view.table.chosen.emit((key,))
    before = [one.key for one in view.found]
    stage.answer()
    assert [one.key for one in view.found] == before
    assert view.detail.insight is not None
    assert view.detail.insight.key == key
    assert "Saves" in all_texts(view.detail)
    assert "the best remedy saves" in view.words.text()
    assert view.stop.isHidden()
    assert view.weigh.isHidden()


def test_a_remedy_is_done_as_one_step_that_undo_takes_back(view: InsightsView, stage: Advised) -> None:
    stage.answer()
    view.table.chosen.emit((next(one.key for one in view.found if one.kind == "outside"),))
    button = next(one for one in view.detail.buttons if one.text() == "Do it")
    button.click()
    assert stage.pins == Pins()
    assert stage.undo_stack.undoText().startswith("Remove the pin that keeps neg out")
    stage.undo_stack.undo()
    assert stage.pins == OUT


def test_a_remedy_whose_plan_was_made_saves_what_that_saves(
    qtbot: QtBot, tmp_path: Path, plan: Compilation, dark: Theme
) -> None:
    stage = Advised(quiet_settings(str(tmp_path)))
    stage.put(compiled(program=chain(256, 512)))
    better = stage.compilation
    stage.put(plan)
    view = staged(qtbot, stage, InsightsView, 1100, 400)[0]
    assert better is not None
    freeing = next(r for one in view.found for r in one.remedies if r.changes and r.pins(OUT) == Pins())
    assert freeing.saving.basis is Basis.SOLVED
    assert freeing.saving.us == plan.cost.total_us - better.cost.total_us


def test_another_pipeline_is_one_step_too(view: InsightsView, stage: Advised) -> None:
    joint = next(r for one in view.found for r in one.remedies if r.pipeline == "co-optimized")
    before = stage.options.pipeline
    stage.take(joint)
    assert stage.options.pipeline == "co-optimized"
    assert stage.pins == OUT
    stage.undo_stack.undo()
    assert stage.options.pipeline == before


def test_nothing_can_be_done_from_a_stale_plan(view: InsightsView, stage: Advised) -> None:
    stage.answer()
    view.table.chosen.emit((next(one.key for one in view.found if one.kind == "outside"),))
    stage.set_pins(Pins())
    assert not any(one.isEnabled() for one in view.detail.buttons if one.text() == "Do it")


def test_what_was_tried_in_vain_cannot_be_done(view: InsightsView, stage: Advised) -> None:
    stage.answer()
    one = next(one for one in view.found if any(remedy.changes for remedy in one.remedies))
    vain = tuple(replace(remedy, saving=Saving(basis=Basis.SOLVED, refused=True)) for remedy in one.remedies)
    view.detail.show_insight(replace(one, remedies=vain), 100.0, awake=True)
    tried = [each for each in view.detail.buttons if each.text() == "Do it"]
    assert tried
    assert not any(each.isEnabled() for each in tried)
    assert "tried" in tried[0].toolTip()


def test_choosing_selects_where_it_shows(qtbot: QtBot, stage: Advised, dark: Theme) -> None:
    view, selection = staged(qtbot, stage, InsightsView, 1100, 400)
    one = next(one for one in view.found if one.kind == "outside")
    view.table.chosen.emit((one.key,))
    assert selection.op == one.evidence.steps[0]
    assert selection.buffer == one.evidence.buffers[0]
    went: list[str] = []
    view.shown.connect(went.append)
    view.table.setFocus()
    QTest.keyClick(view.table, Qt.Key.Key_Return)
    assert went == ["scratchpad"]
    selection.clear()
    view.detail.links[0].click()
    assert selection.buffer == one.evidence.buffers[0]
    assert went == ["scratchpad", "scratchpad"]


def test_what_is_asked_can_be_cancelled_and_asked_again(view: InsightsView, stage: Advised) -> None:
    view.stop.click()
    assert not stage.weighing
    assert not view.weigh.isHidden()
    view.weigh.click()
    assert stage.asked == ["weigh", "weigh"]
    stage._weighing_at(0.5, WEIGH, "Pin a to m 8")
    assert view.words.text() == "Working out what remedies save 50%: Pin a to m 8"
    stage._weighing_failed(Failure("the worker", "it ended", "try again"))
    assert "What remedies save is not known: the worker: it ended; try again." in view.words.text()
    assert not view.weigh.isHidden()


def test_another_plan_forgets_the_question_and_undo_finds_the_answer(view: InsightsView, stage: Advised) -> None:
    stage.answer()
    known = stage.weighed
    assert known is not NOT_WEIGHED
    stage.put(compiled(program=chain(256, 512)))
    assert stage.weighed is NOT_WEIGHED
    assert stage.asked == ["weigh", "weigh"]
    assert "neg is not in LX" not in " ".join(one.sentence for one in view.found)


def test_the_table_can_be_filtered_and_copied(view: InsightsView) -> None:
    view.copy.click()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0].startswith('what,"costs, µs","saves, µs",kind,moved,nearest remedy,finding')
    assert len(lines) == len(view.found) + 1
    view.filter.setText("outside")
    assert len(view.table.shown()) == sum(one.kind == "outside" for one in view.found)


def test_a_narrow_view_puts_the_detail_below(qtbot: QtBot, stage: Advised, dark: Theme) -> None:
    view, _ = staged(qtbot, stage, InsightsView, 420, 700)
    assert view.halves.orientation() is Qt.Orientation.Vertical
    view.resize(1200, 400)
    assert view.halves.orientation() is Qt.Orientation.Horizontal


def test_without_a_model_it_says_what_to_do(qtbot: QtBot, tmp_path: Path, dark: Theme) -> None:
    view, _ = staged(qtbot, Stage(quiet_settings(str(tmp_path))), InsightsView)
    assert view.state.kind == "empty"
    assert "what costs most" in all_texts(view)


def test_large_plans_are_looked_through_aside_and_only_weighed_when_asked(
    qtbot: QtBot, tmp_path: Path, dark: Theme
) -> None:
    stage = Advised(quiet_settings(str(tmp_path)))
    primitives = ("neg", "relu") * 201
    stage.put(
        compiled(
            program=chain(64, 64, primitives=primitives),
            pipeline="assign-layouts,insert-restickify,divide-rest,place-scratchpad",
        )
    )
    view, _ = staged(qtbot, stage, InsightsView, 900, 400)
    qtbot.waitUntil(lambda: bool(view.found))
    assert stage.asked == []
    assert not view.weigh.isHidden()


def test_another_theme_leaves_the_insight(qtbot: QtBot, qapp: QApplication, view: InsightsView, dark: Theme) -> None:
    before = view.detail.insight
    apply_theme(qapp, LIGHT)
    qapp.processEvents()
    assert view.detail.insight == before
    assert view.detail.buttons


# In the window


def test_the_window_goes_where_an_insight_shows_and_saves_a_report(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path, plan: Compilation, monkeypatch: pytest.MonkeyPatch
) -> None:
    door = Door(quiet_settings(str(tmp_path)))
    window = opened(qtbot, qapp, door, None)
    monkeypatch.setattr(door, "weigh", lambda: None)
    door.put_model(plan)
    window.workbench.show_view("insights")
    view = window.workbench.views["insights"]
    assert isinstance(view, InsightsView)
    view.shown.emit("roofline")
    assert window.workbench.current_view == "roofline"
    asked: list[str] = []
    monkeypatch.setattr(door, "save_report", asked.append)
    chosen = (str(tmp_path / "r"), FORMS.split(";;")[1])
    monkeypatch.setattr(FileDialogs, "save_report", lambda *_words: chosen)
    window.actions_.trigger("report")
    assert asked == [str(tmp_path / "r.txt")]
    window.close()


def test_a_report_gets_the_suffix_of_its_kind() -> None:
    page, text = FORMS.split(";;")
    assert with_suffix("a", page, SUFFIXES) == "a.html"
    assert with_suffix("a", text, SUFFIXES) == "a.txt"
    assert with_suffix("a.HTML", text, SUFFIXES) == "a.HTML"


def test_attention_names_its_dearest_step_first(qtbot: QtBot, tmp_path: Path, dark: Theme) -> None:
    stage = Advised(quiet_settings(str(tmp_path)))
    stage.put(compiled(program=attention()))
    view, _ = staged(qtbot, stage, InsightsView, 900, 400)
    costs = [one.cost_us for one in view.found if not one.urgent]
    assert costs == sorted(costs, reverse=True)
    assert view.detail.insight is view.found[0]


def test_no_empty_table_is_shown_while_it_looks(
    qtbot: QtBot, stage: Advised, dark: Theme, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spyre_studio.views.insights._AT_ONCE", 0)
    monkeypatch.setattr("spyre_studio.background.Background.run", lambda *_: None)
    view = staged(qtbot, stage, InsightsView, 1100, 400)[0]
    assert view.inside.isVisible()
    assert view.halves.isHidden()
    assert view.weigh.isHidden()
