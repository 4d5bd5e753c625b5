"""The window while a search runs and after it: who is missing, Escape, and pins by keys."""

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from compiler.compilation import Compilation
from compiler.watch import Finding
from spyre_studio.main_window import MainWindow
from spyre_studio.picker import Picker
from tests.spyre_studio.door import Door
from tests.spyre_studio.plans import compiled


def without_or_tools(plan: Compilation) -> Compilation:
    return replace(plan, solver=replace(plan.solver, name="greedy-without-or-tools"))


def test_a_missing_solver_is_said_until_it_is_dismissed(qtbot: QtBot, window: MainWindow, door: Door) -> None:
    plan = compiled()
    door.put_model(without_or_tools(plan))
    assert window.banner.isVisible()
    assert window.banner.kind == "warn"
    assert "pip install ortools" in window.banner.sentence
    door.put(plan)
    assert not window.banner.isVisible(), "this plan did not miss it"
    door.put(without_or_tools(compiled(cores=4)))
    assert window.banner.isVisible()
    window.banner.dismiss()
    door.put(without_or_tools(compiled(cores=8)))
    assert not window.banner.isVisible(), "it is known by now"


def test_escape_ends_a_search_and_the_plan_stays(window: MainWindow, door: Door) -> None:
    plan = compiled()
    door.put_model(plan)
    door._enter("work", "co-optimize")
    door._found(Finding("cp-sat", 10.0, 9.0, 0.1))
    window.status.stop.setFocus()
    QTest.keyClick(window.status.stop, Qt.Key.Key_Escape)
    assert (door.busy, door.search, door.compilation) == ("", None, plan)
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert door.compilation is plan


def test_a_selected_buffer_is_pinned_by_keys(window: MainWindow, door: Door) -> None:
    door.put_model(compiled())
    window.selection.select_buffer("exp")
    QTest.keyClick(window, Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier)
    assert door.pins.placement == {"exp": "lx"}
    for key in ("pin-hbm", "pin-ring", "pin-none"):
        window.actions_.trigger(key)
    assert not door.pins.placement
    assert door.pins.relayout == {"exp": "none"}
    window.selection.select_op("sum")
    window.actions_.trigger("pin-same")
    picker = window.findChild(Picker)
    assert picker is not None
    QTest.keyClicks(picker.line, "max")
    QTest.keyClick(picker.line, Qt.Key.Key_Return)
    assert door.pins.same == {"sum": "max"}
