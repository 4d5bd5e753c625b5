"""The main job in a real window, as a process of its own: open, look, click, pin, re-solve, compare, undo.

Owns: doing what a user does, by mouse and keys, and writing down what was seen. Refuses to judge: the test does.
Run as `python -m tests.spyre_studio.window_story FOLDER`; it prints one JSON object.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEventLoop, QPoint, QPointF, QSettings, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QPushButton, QWidget

from compiler.text.document import to_text
from spyre_studio.main_window import MainWindow
from spyre_studio.qt_theme import ThemeFollower
from spyre_studio.session import Session
from spyre_studio.settings import Settings

PATIENCE_S = 120
LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
OP = "matmul"


def wait_until(condition: Callable[[], bool], what: str) -> None:
    """Let the event loop run until it holds."""
    loop, ticks = QEventLoop(), QTimer(interval=5)
    end = time.monotonic() + PATIENCE_S
    ticks.timeout.connect(lambda: loop.quit() if condition() or time.monotonic() > end else None)
    ticks.start()
    loop.exec()
    ticks.stop()
    if not condition():
        raise TimeoutError(f"waited in vain for {what}")


class Story:
    """One window and what was seen in it."""

    def __init__(self, folder: Path) -> None:
        self.app = QApplication.instance() or QApplication(sys.argv[:1])
        assert isinstance(self.app, QApplication)
        store = QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat)
        self.session = Session(settings=Settings(store))
        self.window = MainWindow(self.session, ThemeFollower(self.app, "dark"))
        self.window.resize(1400, 860)
        self.window.show()
        self.window.activateWindow()
        wait_until(self.window.isActiveWindow, "an active window")
        self.seen: dict[str, object] = {"platform": self.app.platformName()}

    def tell(self) -> dict[str, object]:
        """From the start page to the first plan, another one, and back."""
        self.open_example()
        self.look_at_views()
        self.click_op()
        self.pin_another_split()
        self.undo()
        self.window.close()
        return self.seen

    def open_example(self) -> None:
        row = next(row for row in self.window.start.examples if row.text() == "attention")
        QTest.mouseClick(row, LEFT, NONE, row.rect().center())
        wait_until(lambda: self.session.compilation is not None and not self.session.busy, "a plan")
        self.seen["first"] = self.plan_text()
        self.seen["title"] = self.window.windowTitle()

    def look_at_views(self) -> None:
        """Every view of the window drawn, by how many colours its picture has."""
        bench = self.window.workbench
        colours = {}
        for key in bench.views:
            assert bench.show_view(key)
            wait_until(bench.views[key].isVisible, f"the view {key}")
            colours[key] = colours_of(bench.views[key])
        self.seen["views"] = colours
        bench.tabs.setCurrentIndex(0)

    def click_op(self) -> None:
        graph = self.window.workbench.graph
        scene = graph.canvas.scene
        assert scene is not None
        graph.canvas.fit_all()
        x0, y0, x1, y1 = graph.canvas.viewport.to_px(scene.layout.boxes[scene.box_of_op(OP)].reshape(2, 2)).ravel()
        QTest.mouseClick(graph.canvas, LEFT, NONE, QPointF((x0 + x1) / 2, (y0 + y1) / 2).toPoint())
        wait_until(lambda: not self.session.jobs.busy("candidates"), "the candidates")
        self.seen["selected"] = self.window.selection.op
        self.seen["tree"] = self.window.workbench.tree.currentIndex().data()

    def pin_another_split(self) -> None:
        """All cores along m, chosen loop by loop with the keyboard, then pinned with the button."""
        inspector = self.window.workbench.views["inspector"]
        for loop, factor in (("n", 1), ("m", 32)):
            box = next(
                box for box in inspector.findChildren(QComboBox) if box.accessibleName() == f"Factor of loop {loop}"
            )
            box.setFocus()
            QTest.keyClick(box, Qt.Key.Key_Home)
            for _ in range(box.findData(factor)):
                QTest.keyClick(box, Qt.Key.Key_Down)
            assert box.currentData() == factor
        pin = next(button for button in inspector.findChildren(QPushButton) if button.text() == "Pin this split")
        started = time.monotonic()
        QTest.mouseClick(pin, LEFT, NONE, pin.rect().center())
        wait_until(lambda: not self.session.busy and not self.session.stale, "the plan with the pin")
        self.seen["seconds"] = time.monotonic() - started
        compilation, before = self.session.compilation, self.session.before
        assert compilation is not None
        self.seen["pin"] = str(compilation.plan.pins[f"division:{OP}"].state)
        self.seen["division"] = dict(compilation.plan.divisions[OP].factors)
        self.seen["card"] = [card.pill.text for card in self.window.workbench.pins.cards]
        self.seen["change"] = self.window.workbench.header.change.text()
        self.seen["second"] = self.plan_text()
        self.seen["before"] = to_text(before.plan) if before else ""

    def undo(self) -> None:
        self.window.activateWindow()
        self.window.workbench.graph.canvas.setFocus()
        QTest.keyClick(self.window.workbench.graph.canvas, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        wait_until(lambda: not self.session.pins and not self.session.busy, "undo")
        self.seen["after undo"] = self.plan_text()
        self.seen["stale"] = self.session.stale
        self.seen["cards"] = len(self.window.workbench.pins.cards)

    def plan_text(self) -> str:
        compilation = self.session.compilation
        assert compilation is not None
        return to_text(compilation.plan)


def colours_of(widget: QWidget) -> int:
    """How many colours a picture of the widget has, looked at every few pixels."""
    image = widget.grab().toImage()
    places = (QPoint(x, y) for x in range(0, image.width(), 3) for y in range(0, image.height(), 3))
    return len({image.pixel(at) for at in places})


if __name__ == "__main__":
    sys.stdout.write(json.dumps(Story(Path(sys.argv[1])).tell()))
