"""Work off the window's thread: the newest answer only, on the window's thread."""

from threading import Event, get_ident

from pytestqt.qtbot import QtBot

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
