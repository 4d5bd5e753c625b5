"""Work off the window's thread: the newest answer only, on the window's thread."""

from threading import Event, get_ident

from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from spyre_studio.background import Background


def test_the_answer_arrives_on_the_windows_thread(qtbot: QtBot) -> None:
    background, got = Background(), list[tuple[int, int]]()
    background.run(get_ident, lambda worker: got.append((worker, get_ident())))
    assert background.busy
    qtbot.waitUntil(lambda: bool(got))
    worker, here = got[0]
    assert here == get_ident()
    assert worker != here
    assert not background.busy


def test_only_the_newest_answer_counts(qtbot: QtBot) -> None:
    background, gate, got = Background(), Event(), list[str]()

    def slow() -> str:
        gate.wait(5)
        return "old"

    background.run(slow, got.append)
    background.run(lambda: "new", got.append)
    gate.set()
    qtbot.waitUntil(lambda: bool(got))
    assert got == ["new"]


def test_a_cancelled_answer_is_dropped(qtbot: QtBot) -> None:
    background, got = Background(), list[str]()
    background.run(lambda: "dropped", got.append)
    background.cancel()
    background.run(lambda: "kept", got.append)
    qtbot.waitUntil(lambda: bool(got))
    assert got == ["kept"]


def test_who_asked_may_go_before_the_answer(qtbot: QtBot) -> None:
    """Nobody waits for a piece of a view that goes, and nothing is told to it."""
    owner, gate, got = QObject(), Event(), list[str]()
    background, other = Background(owner), Background()

    def slow() -> str:
        gate.wait(5)
        return "for nobody"

    background.run(slow, got.append)
    delete(owner)
    assert not gate.is_set(), "it was gone at once"
    gate.set()
    other.run(lambda: "for somebody", got.append)
    qtbot.waitUntil(lambda: "for somebody" in got)
    assert got == ["for somebody"]


def test_a_mistake_on_the_thread_is_one_of_the_window(qtbot: QtBot) -> None:
    background = Background()
    with qtbot.captureExceptions() as raised:
        background.run(lambda: 1 / 0, lambda _: None)
        qtbot.waitUntil(lambda: bool(raised))
    assert raised[0][0] is ZeroDivisionError
    assert not background.busy


def test_who_is_patient_lets_the_window_come_to_rest_first(qtbot: QtBot) -> None:
    background, began = Background(patient=True), Event()
    background.run(began.set, lambda _answer: None)
    assert (background.busy, background.running) == (True, False)
    background.cancel()
    assert (background.busy, background.running) == (False, False)
    got = list[str]()
    background.run(lambda: "late", got.append)
    qtbot.waitUntil(lambda: bool(got))
    assert got == ["late"]
    assert not began.is_set(), "what was cancelled before it began never runs"
