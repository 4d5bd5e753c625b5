"""The sweep on screen: picture and table, keys, double click, menus, and what is said in every state."""

from pathlib import Path
from typing import cast

import pytest
from frozendict import frozendict
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from compiler.compilation import Compilation
from compiler.pins import Pins
from spyre_studio.options import CompileOptions
from spyre_studio.sweep import Base, Fault, Outcome, Sweep, figures_of
from spyre_studio.sweep_knobs import settings_of
from spyre_studio.sweep_words import figures_words, standing
from spyre_studio.theme import Theme
from spyre_studio.views.sweep import NOTHING, OLD, SweepView
from tests.spyre_studio.plans import SUM, compiled, divided
from tests.spyre_studio.stage import Stage, colours_in, quiet_settings, staged

COUNTS = ["4", "8", "16", "32"]


class Swept(Stage):
    """A stage on which a sweep is put; `shown` and `kept` collect what the view asked for."""

    def __init__(self, folder: Path) -> None:
        super().__init__(quiet_settings(str(folder)))
        self.shown: list[str] = []
        self.kept: list[str] = []

    def put_sweep(self, sweep: Sweep) -> None:
        self._sweep = sweep
        self._swept_from = self._asked(self._pins)
        self.swept.emit()

    def start_sweep(self, knob: str, values: object = ()) -> None:
        self.asked.append(f"sweep {knob}")

    def show_setting(self, key: str) -> None:
        self.shown.append(key)

    def keep_setting(self, key: str) -> None:
        self.kept.append(key)


@pytest.fixture(scope="module")
def plans() -> dict[str, Compilation]:
    return {count: compiled(cores=int(count)) for count in COUNTS}


@pytest.fixture
def stage(tmp_path: Path, plans: dict[str, Compilation]) -> Swept:
    made = Swept(tmp_path)
    made.put(plans["32"])
    made._device = CompileOptions().load()
    made._shown = made._plans.add(made._asked(Pins()), "plan-32", plans["32"])
    return made


@pytest.fixture
def sweep(plans: dict[str, Compilation]) -> Sweep:
    """Four values: two plans, one without, one that was not tried yet."""
    options = CompileOptions()
    settings = settings_of(Base.of(options.load(), options, Pins()), "cores", COUNTS)
    outcomes: dict[str, Outcome] = {count: figures_of(plans[count]) for count in ("4", "32")}
    outcomes["8"] = Fault("matmul", "it spans too much", "use more cores")
    return Sweep("cores", "Cores", settings, frozendict(outcomes))


@pytest.fixture
def view(qtbot: QtBot, stage: Swept, sweep: Sweep, dark: Theme) -> SweepView:
    shown, _ = staged(qtbot, stage, SweepView, 900, 420)
    stage.put_sweep(sweep)
    return shown


def centre(view: SweepView, key: str) -> QPointF:
    column = view.plot.column_of(key)
    return QPointF(column.center().x(), view.plot.plot_rect().center().y())


def test_before_the_first_sweep_it_says_what_one_is(qtbot: QtBot, stage: Swept, dark: Theme) -> None:
    view, selection = staged(qtbot, stage, SweepView, 900, 420)
    assert view.plot.state == NOTHING
    assert view.run.text() == "Sweep"
    view.run.click()
    view.knob._pick("op")
    selection.select_op(None)
    assert not view.run.isEnabled()
    selection.select_op(SUM)
    assert view.run.isEnabled()
    view.run.click()
    assert stage.asked == ["sweep cores", f"sweep op:{SUM}"]
    assert SUM in view.subject.text()


def test_without_a_model_it_says_what_to_do(qtbot: QtBot, tmp_path: Path, dark: Theme) -> None:
    view, _ = staged(qtbot, Swept(tmp_path), SweepView)
    assert view.state.kind == "empty"
    assert "Open a model" in view.state.sentence


def test_every_value_is_drawn_and_can_be_asked(view: SweepView, dark: Theme) -> None:
    assert view.plot.keys == tuple(COUNTS)
    assert view.plot.state.kind == "ready"
    assert [view.plot.item_at(centre(view, key)) for key in COUNTS] == COUNTS
    assert view.plot.item_at(QPointF(2, 2)) is None
    assert "device memory" in view.plot.tooltip_for("4")
    assert "it spans too much" in view.plot.tooltip_for("8")
    assert "Not tried yet" in view.plot.tooltip_for("16")
    assert view.plot.tooltip_for("nosuch") == ""
    assert {dark.bad, dark.accent} <= colours_in(view.plot)


def test_words_of_a_setting(stage: Swept, sweep: Sweep, plans: dict[str, Compilation]) -> None:
    assert standing(sweep, sweep.best, "32")[-1] == "best"
    assert standing(sweep, "8", "32") == ("no plan",)
    assert standing(sweep, "16", "32") == ("waiting",)
    time, parts, memory = figures_words(sweep, "4", "32")
    assert "to the plan on screen" in time
    assert parts.startswith("compute ")
    assert "of traffic" in memory
    assert figures_words(sweep, "32", "32")[0].count(",") == 0
    assert figures_words(sweep, "nosuch", "") == ()


def test_arrows_walk_and_enter_shows(view: SweepView, stage: Swept) -> None:
    assert view.current == "32", "it begins at the plan on screen"
    view.plot.setFocus()
    assert not view.show_plan.isEnabled()
    for wanted in ("16", "8", "4", "4"):
        QTest.keyClick(view.plot, Qt.Key.Key_Left)
        assert view.current == wanted
    assert view.show_plan.isEnabled()
    assert "4 cores" in view.line.text()
    QTest.keyClick(view.plot, Qt.Key.Key_Return)
    assert stage.shown == ["4"]
    QTest.keyClick(view.plot, Qt.Key.Key_Right)
    assert (view.current, view.show_plan.isEnabled(), view.keep.isEnabled()) == ("8", False, False)
    QTest.keyClick(view.plot, Qt.Key.Key_Return)
    assert stage.shown == ["4"], "a value without a plan has nothing to show"


def test_double_click_shows_and_buttons_do(view: SweepView, stage: Swept) -> None:
    at = centre(view, "4").toPoint()
    QTest.mouseClick(view.plot, Qt.MouseButton.LeftButton, pos=at)
    assert (view.current, stage.shown) == ("4", [])
    QTest.mouseDClick(view.plot, Qt.MouseButton.LeftButton, pos=at)
    view.show_plan.click()
    view.keep.click()
    assert (stage.shown, stage.kept) == (["4", "4"], ["4"])


def test_the_table_says_the_same(view: SweepView, stage: Swept, plans: dict[str, Compilation]) -> None:
    view.table_button.setChecked(True)
    rows = {row.key: row.cells for row in view.table.shown()}
    assert list(rows) == COUNTS
    assert rows["4"][2] == pytest.approx(plans["4"].cost.total_us)
    assert rows["8"][1] == "no plan: matmul: it spans too much; use more cores."
    assert rows["16"][1] == "waiting"
    view.filter.setText("spans")
    assert [row.key for row in view.table.shown()] == ["8"]
    view.filter.clear()
    view.table.select(["4"])
    view.table.setFocus()
    QTest.keyClick(view.table, Qt.Key.Key_Return)
    assert stage.shown == ["4"]
    view.copy.click()
    copied = QApplication.clipboard().text().splitlines()
    assert copied[0].startswith("value,what,")
    assert len(copied) == 5


def test_the_menu_has_what_the_buttons_do(qtbot: QtBot, view: SweepView, stage: Swept) -> None:
    view.plot.menu_requested.emit("4", view.mapToGlobal(centre(view, "4").toPoint()))
    menu = cast("QMenu", QApplication.activePopupWidget())
    assert [action.text() for action in menu.actions()] == ["Show this plan", "Keep as variant", "", "Copy as CSV"]
    menu.actions()[0].trigger()
    menu.actions()[3].trigger()
    menu.close()
    assert stage.shown == ["4"]
    assert QApplication.clipboard().text().startswith("value,")


def test_while_it_runs_it_can_be_cancelled(view: SweepView, stage: Swept, sweep: Sweep) -> None:
    from dataclasses import replace

    stage._phases["sweep"] = "sweep"
    stage.put_sweep(replace(sweep, running="16", share=0.44, phase="compile"))
    assert view.cancel.isVisible()
    assert not view.run.isVisible()
    assert view.line.text() == "4 of 4: 16 cores · Planning 44%"
    view.cancel.click()
    assert not view.cancel.isVisible()
    assert stage.sweep is not None
    assert set(stage.sweep.outcomes) == {"4", "8", "32"}


def test_a_sweep_of_other_pins_says_so(view: SweepView, stage: Swept) -> None:
    assert not view.plot.state.badges
    stage._set_pins(divided(SUM, i=4))
    assert OLD in view.plot.state.badges


def test_listing_the_splits_is_told(view: SweepView, stage: Swept) -> None:
    stage.put_sweep(Sweep(f"op:{SUM}", f"Splits of {SUM}", ()))
    assert view.plot.state.kind == "loading"


def test_a_narrow_or_low_view_is_drawn_too(qtbot: QtBot, view: SweepView) -> None:
    for width, height in ((320, 260), (1600, 900)):
        view.resize(width, height)
        assert not view.grab().isNull()
        top = max(view.plot.y_axis.hi, 1.0)
        assert float(view.plot.y_axis.to_px(top)) >= view.plot.plot_rect().top() - 1
