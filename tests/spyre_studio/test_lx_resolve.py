"""Dragging with a worker behind it: the plan answers each drop, a refusal is explained, its remedy done, and undone."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QSettings
from pytestqt.qtbot import QtBot

from compiler.plan import Slot
from spyre_studio.selection import Selection
from spyre_studio.session import Session
from spyre_studio.settings import Settings
from spyre_studio.theme import Theme
from spyre_studio.views.scratchpad import ScratchpadView
from tests.spyre_studio.crowds import crowded_program
from tests.spyre_studio.hand import drag, show
from tests.spyre_studio.plans import write_model

PATIENCE_MS = 60_000


@pytest.fixture
def session(qtbot: QtBot, tmp_path: Path) -> Iterator[Session]:
    made = Session(settings=Settings(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)))
    made.set_options("spyre", 8, "staged")
    made.open(str(write_model(tmp_path, crowded_program())))
    settle(qtbot, made)
    yield made
    made.shutdown()


def settle(qtbot: QtBot, session: Session) -> None:
    """Wait until the plan is that of the pins."""
    qtbot.waitUntil(lambda: session.state == "ready" and not session.busy and not session.stale, timeout=PATIENCE_MS)


def resident(session: Session) -> set[str]:
    """What is in LX, of the buffers that live long."""
    assert session.compilation is not None
    placement = session.compilation.plan.placement
    return {name for name in "abcd" if isinstance(placement[name], Slot)}


def test_drops_are_answered_explained_and_undone(qtbot: QtBot, session: Session, dark: Theme) -> None:
    selection = Selection()
    selection.retarget(session.compilation)
    view = ScratchpadView(session, selection)
    session.changed.connect(lambda what: view.show_compilation(session.compilation) if what == "plan" else None)
    selection.changed.connect(view.show_selection)
    show(qtbot, view, 900, 560)
    first = session.compilation
    assert resident(session) == set()
    for number, name in enumerate("abc"):
        chip = next(one.rect.center().toPoint() for one in view.tray.chips if one.buffer == name)
        middle = view.tray.mapFromGlobal(view.map.mapToGlobal(view.map.plot_rect().center().toPoint()))
        drag(view.tray, chip, middle)
        settle(qtbot, session)
        assert session.undo_stack.count() == number + 1
    assert len(resident(session)) == 2, "three do not fit"
    conflict = view.conflict.conflict
    assert conflict is not None
    assert conflict.buffer not in resident(session)
    other = conflict.remedies[0].target
    view.conflict.deeds[0].click()
    settle(qtbot, session)
    assert resident(session) == set("abc") - {other}
    assert view.conflict.conflict is None
    box = view._data.rects[view._data.resident_map[conflict.buffer]] if view._data else ()
    drag(view.map, view.map.to_rect(*box).center().toPoint(), QPoint(5, 100))
    settle(qtbot, session)
    assert conflict.buffer not in resident(session)
    while session.undo_stack.canUndo():
        session.undo_stack.undo()
    assert session.compilation is first, "the very plan comes back"
