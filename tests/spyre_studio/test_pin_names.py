"""Pins are told apart where they stand in a narrow list: by the short name with what differs, and in full words."""

from pathlib import Path

import pytest
from frozendict import frozendict
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from compiler.pins import Pins, PinState, PinStatus
from spyre_studio.elided import ElidedLabel
from spyre_studio.qt_theme import font
from spyre_studio.selection import Selection
from spyre_studio.short_names import told_names
from spyre_studio.theme import Theme
from spyre_studio.views.line_list import Line, shown_title
from spyre_studio.views.pin_card import PinCard
from spyre_studio.views.pins_panel import PinsPanel
from tests.spyre_studio.hand import show
from tests.spyre_studio.large import stack
from tests.spyre_studio.plans import compiled
from tests.spyre_studio.stage import Stage, quiet_settings

WHOLE, SHORT = "layers.2.mlp.gate_proj.linear/matmul", "gate_proj · layers.2"


@pytest.fixture
def panel(qtbot: QtBot, tmp_path: Path, dark: Theme) -> PinsPanel:
    """A panel with so many pins of equal ops that they are a list."""
    program = stack(12)
    ops = [op.name for op in program.ops if op.name.startswith("layers.")] or [op.name for op in program.ops]
    stage = Stage(quiet_settings(str(tmp_path)))
    stage.put(compiled(program=program))
    made = PinsPanel(stage, Selection())
    show(qtbot, made, 220, 600)
    stage.set_pins(Pins(division=frozendict((name, frozendict()) for name in ops[:40])))
    return made


def test_rows_of_a_long_list_have_short_names_that_differ(panel: PinsPanel) -> None:
    lines = panel.list.list.lines
    assert len(lines) == 40
    assert all(line.short for line in lines)
    assert len({line.short for line in lines}) == 40
    assert all(line.key.partition(":")[2] in line.hint for line in lines), "the whole name is in the tooltip"


def test_a_title_that_does_not_fit_gives_way_to_the_short_one(dark: Theme) -> None:
    line, metrics = Line("k", WHOLE, short=SHORT), QFontMetricsF(font("body"))
    assert shown_title(line, metrics, 1000) == WHOLE
    assert shown_title(line, metrics, metrics.horizontalAdvance(SHORT) + 1) == SHORT
    assert "…" in shown_title(line, metrics, 40)
    assert "…" in shown_title(Line("k", WHOLE), metrics, metrics.horizontalAdvance(SHORT) + 1)


def test_a_label_shows_the_short_words_before_it_leaves_anything_out(qtbot: QtBot, dark: Theme) -> None:
    label = ElidedLabel()
    qtbot.addWidget(label)
    label.say(WHOLE, SHORT)
    label.resize(1000, 20)
    assert label.shown == WHOLE
    label.resize(label.fontMetrics().horizontalAdvance(SHORT) + 2, 20)
    assert label.shown == SHORT
    assert label.toolTip() == WHOLE


def test_what_a_card_fixes_is_said_in_full(qtbot: QtBot, dark: Theme) -> None:
    card = PinCard("placement:x", "keep in device memory", PinStatus(PinState.HONOURED))
    show(qtbot, card, 190, 90)
    card.adjustSize()
    card.resize(190, card.sizeHint().height())
    QApplication.processEvents()
    what = next(label for label in card.findChildren(QLabel) if label.text() == "keep in device memory")
    needed = what.fontMetrics().boundingRect(what.rect(), int(Qt.TextFlag.TextWordWrap), what.text())
    assert not isinstance(what, ElidedLabel)
    assert needed.height() <= what.height() + 1
    assert needed.width() <= what.width() + 1


def test_names_of_a_plan_are_all_different() -> None:
    plan = compiled(program=stack(3))
    names = told_names(plan)
    assert len(set(names.steps.values())) == len(names.steps)
