"""A large model in the window, with a watchdog on its thread, as a process of its own.

Owns: opening, cancelling, pinning and moving about, and writing down how long the window was held up in each phase.
Refuses to judge: the test does.  Run as `python -m tests.spyre_studio.story_large FOLDER [LAYERS]`; it prints one JSON
object: `phases` (name -> processor ms of the window's thread, of all threads, ms by the clock, stack), and `seen`.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton

from compiler.compilation import Compilation
from compiler.loops import OpKind
from spyre_studio.background import take_short_turns
from spyre_studio.collector import Collector
from spyre_studio.main_window import MainWindow
from spyre_studio.qt_theme import ThemeFollower
from spyre_studio.session import Session
from spyre_studio.settings import Settings
from tests.spyre_studio.large import write_stack
from tests.spyre_studio.watchdog import Watchdog
from tests.spyre_studio.window_story import LEFT, NONE, wait_until

LAYERS = 500
_TURNS = 30  # of the event loop that what a phase has begun may take to come to rest


class Large:
    """A window, and what holds it up."""

    def __init__(self, folder: Path, layers: int) -> None:
        self.path = write_stack(folder, layers)
        app = QApplication.instance() or QApplication(sys.argv[:1])
        assert isinstance(app, QApplication)
        self.collector = Collector(app)  # as the program does
        take_short_turns()
        settings = Settings(QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat))
        self.session = Session(settings=settings)
        self.theme = ThemeFollower(app, "dark")
        self.window = MainWindow(self.session, self.theme)
        self.window.resize(1600, 1000)
        self.window.show()
        self.session.warm_up()
        self.dog = Watchdog()
        self.seen: dict[str, object] = {"calibration": calibration()}
        self.told: list[tuple[float, str]] = []
        self.session.progressed.connect(lambda share, phase, _detail: self.told.append((share, phase)))

    def tell(self) -> dict[str, object]:
        self.dog.start()
        self.cancel()
        self.open()
        self.look_at_views()
        self.select()
        self.pin()
        self.fold()
        self.search()
        self.dress()
        self.dog.stop()
        turns = {name: (one.own_ms, one.all_ms, one.clock_ms, one.stack) for name, one in self.dog.worst.items()}
        return {"phases": turns, "seen": self.seen}

    def phase(self, name: str, act: Callable[[], object], done: Callable[[], bool] = lambda: True) -> None:
        with self.dog.phase(name):
            act()
            wait_until(done, name)
            turns = iter(range(_TURNS))
            wait_until(lambda: next(turns, None) is None and not self.session.busy, f"rest after {name}")

    # Phases

    def cancel(self) -> None:
        """As soon as something is told of the work, by the button of the page that shows it."""

        def press() -> None:
            self.window.open(str(self.path))
            wait_until(lambda: any(phase != "open" for _, phase in self.told), "progress")
            page = self.window.loading
            button = next(one for one in page.findChildren(QPushButton) if one.isVisible())
            self.seen["button"] = button.text()
            QTest.mouseClick(button, LEFT, NONE, button.rect().center())

        self.phase("cancel", press, lambda: not self.session.busy)
        self.seen["cancelled"] = self.session.compilation is None and self.window.page is self.window.start

    def open(self) -> None:
        self.told.clear()
        self.phase("open", lambda: self.window.open(str(self.path)), self.ready)
        self.seen["ops"] = len(self.compilation.problem.program.ops)
        self.seen["progress"] = len({phase for _, phase in self.told})

    def ready(self) -> bool:
        shown = self.session.compilation is not None and not self.session.busy
        bench = self.window.maker.bench if shown else None  # asking for the views would make them at once
        return bench is not None and self.window.page is bench and not bench.graph.fold.awaited and not bench.turns.busy

    def look_at_views(self) -> None:
        bench = self.window.workbench
        for key in bench.views:
            if key != "timeline":  # which simulates for a while, in the worker
                self.phase(f"view {key}", partial(bench.show_view, key), self.ready)
        bench.show_view("scratchpad")

    def select(self) -> None:
        ops = self.compilation.problem.program.ops
        for part in (2, 3, 5):
            self.phase("select", partial(self.window.selection.select_op, ops[len(ops) // part].name))

    def pin(self) -> None:
        first = self.compilation
        op = next(op for op in first.problem.program.ops if op.kind is OpKind.MATMUL)
        loop = op.loops[0].name
        self.phase(
            "pin",
            lambda: self.session.pin_division(op.name, {loop: 2}),
            lambda: self.session.compilation is not first and self.ready(),
        )
        self.phase("undo", self.session.undo_stack.undo, self.ready)
        self.seen["undone"] = self.session.compilation is first
        self.phase("redo", self.session.undo_stack.redo, self.ready)

    def fold(self) -> None:
        fold = self.window.workbench.graph.fold
        self.phase("open all", fold.open_all, lambda: not fold.awaited)
        self.phase("close all", fold.close_all, lambda: not fold.awaited)
        self.phase("open a module", lambda: self.window.workbench.graph.show_group("layers.3.attn"), self.ready)

    def search(self) -> None:
        graph = self.window.workbench.graph

        def type_words() -> None:
            graph.open_find()
            line = next(one for one in graph.finder.findChildren(QLineEdit) if one.isVisible())
            for letter in "exp_4":
                with self.dog.phase("search"):
                    QTest.keyClicks(line, letter)
            QTest.keyClick(line, Qt.Key.Key_Return)

        self.phase("search", type_words)
        self.phase("table", lambda: graph.set_table(True))
        self.phase("graph", lambda: graph.set_table(False))

    def dress(self) -> None:
        for _ in range(2):
            self.phase("theme", self.theme.toggle)
        for size in ("110", "100"):
            self.phase("text size", partial(self.session.settings.set, "text_size", size), self.ready)

    @property
    def compilation(self) -> Compilation:
        found = self.session.compilation
        assert found is not None
        return found


def calibration() -> float:
    """Processor milliseconds of a fixed amount of Python work, the least of three."""
    return min(_worked() for _ in range(3))


def _worked() -> float:
    began = time.thread_time()
    sum(number * number for number in range(1_000_000))
    return (time.thread_time() - began) * 1000


if __name__ == "__main__":
    story = Large(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else LAYERS)
    sys.stdout.write(json.dumps(story.tell()))
    sys.stdout.flush()
    story.session.shutdown()
    os._exit(0)  # what a large model was made of need not be taken apart
