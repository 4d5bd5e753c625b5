"""What-if from menus and candidates: apply one, pin everything alike, and what the whole plan is known to gain."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from frozendict import frozendict
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from compiler.candidates import candidates
from compiler.pins import Pins
from spyre_studio.candidate_model import ALONE_HINT
from spyre_studio.main_window import MainWindow
from spyre_studio.picker import Picker
from spyre_studio.session import Session
from spyre_studio.theme import Theme
from spyre_studio.units import format_us
from spyre_studio.views.candidate_list import CandidatePanel, PinMark
from spyre_studio.views.candidate_menu import candidate_menu
from spyre_studio.views.sweep import SweepView
from tests.programs import attention
from tests.spyre_studio.blocks import blocks
from tests.spyre_studio.door import Door, opened
from tests.spyre_studio.hand import show
from tests.spyre_studio.plans import compiled, divided
from tests.spyre_studio.stage import Stage, quiet_settings

GATE = "layers.1.mlp.gate"


class WhatIfDoor(Door):
    """Notes which sweeps were asked for."""

    def start_sweep(self, knob: str, values: object = ()) -> None:
        self.asked.append(f"sweep {knob}")
        self.sweep_begun.emit(knob)


@pytest.fixture
def door(tmp_path: Path) -> WhatIfDoor:
    return WhatIfDoor(quiet_settings(str(tmp_path)))


@pytest.fixture
def window(qtbot: QtBot, qapp: QApplication, door: WhatIfDoor, dark: Theme) -> Iterator[MainWindow]:
    made = opened(qtbot, qapp, door, None)
    door.put_model(compiled(program=blocks()))
    yield made
    made.close()


def popup() -> QMenu:
    return cast("QMenu", QApplication.activePopupWidget())


def test_the_menu_bar_says_how_many_before_it_is_done(qtbot: QtBot, window: MainWindow, door: WhatIfDoor) -> None:
    window.selection.select_op(GATE)
    actions = window.actions_
    qtbot.waitUntil(lambda: actions.by_key["pin-alike"].text() == "Pin 3 ops like this")
    actions.trigger("pin-alike")
    assert len(door.pins.division) == 3
    assert door.undo_stack.undoText() == "Pin division of 3 ops"
    qtbot.waitUntil(lambda: "3 pins" in actions.by_key["unpin-alike"].text())
    actions.trigger("unpin-alike")
    assert not door.pins
    door.undo_stack.undo()
    assert len(door.pins.division) == 3
    assert any("Pin 3 ops like this" in choice.text for choice in actions.choices("pin 3 ops"))


def test_buffers_alike_are_pinned_from_the_menu_bar(qtbot: QtBot, window: MainWindow, door: WhatIfDoor) -> None:
    window.selection.select_buffer("layers.0.mlp.gate.weight")
    actions = window.actions_
    qtbot.waitUntil(lambda: actions.by_key["pin-alike-buffer"].text() == "Pin 3 buffers like this")
    actions.trigger("pin-alike-buffer")
    assert len(door.pins.placement) == 3


def test_what_is_alone_says_so(qtbot: QtBot, qapp: QApplication, door: WhatIfDoor, dark: Theme) -> None:
    made = opened(qtbot, qapp, door, None)
    door.put_model(compiled())
    made.selection.select_op("sum")
    made.actions_.trigger("pin-alike")
    assert not door.pins
    assert "Nothing else" in made.status.words.text()
    made.actions_.trigger("unpin-alike")
    assert "Nothing like it is pinned" in made.status.words.text()
    made.close()


def test_a_knob_is_picked_by_keys_and_the_view_comes_to_the_front(window: MainWindow, door: WhatIfDoor) -> None:
    window.selection.select_op(GATE)
    window.actions_.trigger("sweep")
    picker = window.findChild(Picker)
    assert picker is not None
    keys = [choice.key for choice in picker.list.choices]
    assert keys == ["cores", "lx", "pipeline", "solver", "moves", f"op:{GATE}"]
    QTest.keyClicks(picker.line, "share")
    QTest.keyClick(picker.line, Qt.Key.Key_Return)
    assert door.asked[-1] == "sweep lx"
    assert window.workbench.current_view == "sweep"
    view = window.workbench.views["sweep"]
    assert isinstance(view, SweepView)
    assert view.knob.key == "lx"
    window.actions_.trigger("sweep-op")
    assert door.asked[-1] == f"sweep op:{GATE}"
    assert view.knob.key == "op"


def test_what_the_last_change_did_stands_in_the_status_line(window: MainWindow, door: WhatIfDoor) -> None:
    door.put(compiled(divided("head.neg", i=1), program=blocks()))
    assert "1 pin: 1 honoured" in window.status.words.text()


@pytest.fixture
def panel(qtbot: QtBot, dark: Theme) -> CandidatePanel:
    made = CandidatePanel()
    show(qtbot, made, 400, 500)
    plan = compiled(program=blocks())
    found = candidates(plan.problem, plan.plan, GATE)
    made.show_candidates(found, plan.problem.program.op_map[GATE], PinMark())
    return made


@pytest.mark.parametrize("wide", [False, True])
def test_the_menu_key_on_a_candidate_asks_for_its_menu(panel: CandidatePanel, wide: bool) -> None:
    told: list[tuple[object, bool]] = []
    panel.menu_requested.connect(lambda factors, legal, _at: told.append((factors, legal)))
    panel.set_wide(wide)
    view = panel.table if wide else panel.list
    panel.show_draft(panel._factors[panel.rows[1].key])
    view.customContextMenuRequested.emit(view.visualRect(view.currentIndex()).center())
    assert told == [(panel._factors[panel.rows[1].key], True)]


def test_a_candidate_is_applied_to_all_alike(qtbot: QtBot, tmp_path: Path, dark: Theme) -> None:
    stage, holder = Stage(quiet_settings(str(tmp_path))), QWidget()
    show(qtbot, holder)
    assert candidate_menu(holder, stage, GATE, {"m": 4}, True, QPoint(5, 5)) is None
    stage.put(compiled(program=blocks()))
    candidate_menu(holder, stage, GATE, {"m": 4}, True, holder.mapToGlobal(QPoint(5, 5)))
    texts = [action.text() for action in popup().actions() if not action.isSeparator()]
    assert texts == ["Apply this candidate: m 4", "Pin 3 ops like this", "Sweep its splits"]
    popup().actions()[1].trigger()
    popup().close()
    assert set(stage.pins.division.values()) == {frozendict(m=4)}
    candidate_menu(holder, stage, GATE, {"m": 5}, False, holder.mapToGlobal(QPoint(5, 5)))
    assert [action.isEnabled() for action in popup().actions()[:2]] == [False, False]
    popup().close()


def test_what_the_whole_plan_gains_is_known_once_it_was_made(qtbot: QtBot, session: Session) -> None:
    first = session.compilation
    assert first is not None
    assert session.known_changes("sum") == ()
    session.pin_division("sum", {"i": 4})
    qtbot.waitUntil(lambda: not session.busy and not session.stale, timeout=60_000)
    second = session.compilation
    assert second is not None
    assert session.known_changes("sum") == (({"i": 4}, 0.0),)
    session.undo_stack.undo()
    ((factors, change),) = session.known_changes("sum")
    assert dict(factors) == {"i": 4}
    assert change == pytest.approx(second.cost.total_us - first.cost.total_us)
    session.start_sweep("op:sum")
    qtbot.waitUntil(lambda: not session.busy, timeout=60_000)
    assert session.sweep is not None
    assert len(session.known_changes("sum")) >= len(session.sweep.settings) - 1
    session.pin_division("exp", {"i": 2})
    qtbot.waitUntil(lambda: not session.busy and not session.stale, timeout=60_000)
    assert session.known_changes("sum") == (), "those plans were made without the other pin"


@pytest.mark.parametrize("wide", [False, True])
def test_candidates_begin_at_the_top_and_say_how_many_are_quicker(qtbot: QtBot, dark: Theme, wide: bool) -> None:
    """The row of the plan is marked but not scrolled to; another one that is gone to is."""
    plan = compiled(program=attention(2, 128, 64))
    found = candidates(plan.problem, plan.plan, "scores")
    slowest = max((one for one in found if one.legal), key=lambda one: one.total_us)
    found = tuple(replace(one, chosen=one is slowest) for one in found)
    made = CandidatePanel()
    show(qtbot, made, 400, 260)
    made.set_wide(wide)
    op = plan.problem.program.op_map["scores"]
    made.show_candidates(found, op, PinMark(), in_plan_us=slowest.total_us + 3)
    made.show_draft(slowest.factors)
    QApplication.processEvents()
    view = made.table if wide else made.list
    assert view.currentIndex().row() > 5, "it stands far below"
    assert view.verticalScrollBar().maximum() > 0
    assert view.verticalScrollBar().value() == 0
    words = made.quicker.text().replace("\N{NO-BREAK SPACE}", " ")
    quicker = sum(row.legal and row.delta_us <= -0.05 for row in made.rows)
    assert words.startswith(f"{quicker} quicker, the best by ")
    assert words.endswith(f"timed alone (in the plan {format_us(slowest.total_us + 3)})")
    own = next(line for line in made.list.lines if line.strong)
    assert own.hint.endswith(ALONE_HINT)
    last = [row for row in made.rows if row.legal][-2]
    made.show_draft(made._factors[last.key])
    assert view.verticalScrollBar().value() > 0, "what one goes to is seen"


def test_known_changes_stand_beside_candidates(panel: CandidatePanel) -> None:
    panel.show_known({panel.rows[1].key: -12.34})
    assert panel.list.lines[1].note.startswith("whole plan −12.3 µs")
    panel.show_known({})
    assert "whole plan" not in panel.list.lines[1].note
    assert not Pins()
