"""Open, re-solve, undo, look around, and again: what a window and its worker hold after many rounds.

Owns the rounds, and counting after each few: memory of both processes, objects of Python by type, objects of Qt.
Refuses to judge: the test does, and `python -m tests.benchmarks.memory` prints it.
Run as `python -m tests.spyre_studio.story_memory FOLDER ROUNDS`; it prints one JSON object.
"""

from __future__ import annotations

import gc
import json
import sys
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

from PySide6.QtCore import QObject, QSettings
from PySide6.QtWidgets import QApplication, QWidget

from compiler.compilation import Compilation
from compiler.loops import LoopProgram
from spyre_studio.collector import Collector
from spyre_studio.main_window import MainWindow
from spyre_studio.qt_theme import ThemeFollower
from spyre_studio.session import Session
from spyre_studio.settings import Settings
from spyre_studio.workbench import Workbench
from tests.spyre_studio.plans import SUM, write_model
from tests.spyre_studio.strays import strays
from tests.spyre_studio.window_story import wait_until

SAMPLES = 4
_TURNS = 5


@dataclass(frozen=True, slots=True)
class Held:
    """After `rounds` rounds: MB of the window and of the worker, objects by kind, children of the window, widgets,
    plans that the session knows, temporary files of runs, and what is held of Qt that may be gone."""

    rounds: int
    window_mb: float
    worker_mb: float
    objects: dict[str, int]
    children: int
    widgets: int
    plans: int
    files: int
    strays: tuple[str, ...]


class Rounds:
    """A window that is used over and over."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        app = QApplication.instance() or QApplication(sys.argv[:1])
        assert isinstance(app, QApplication)
        self.app = app
        self.collector = Collector(app)  # as the program does
        self.models = tuple(str(self._model(name)) for name in ("one", "other"))
        settings = Settings(QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat))
        self.session = Session(settings=settings)
        self.window = MainWindow(self.session, ThemeFollower(app, "dark"))
        self.window.resize(1280, 800)
        self.window.show()

    def run(self, rounds: int) -> list[Held]:
        """What is held at the end of every part of the rounds."""
        found, part = [], max(1, rounds // SAMPLES)
        for number in range(1, rounds + 1):
            self.round(number)
            if number % part == 0:
                found.append(self.held(number))
        return found

    def round(self, number: int) -> None:
        """Open one of two models, pin, undo, redo, keep a variant, look at a view, simulate now and then."""
        session, bench_keys = self.session, ("scratchpad", "roofline", "compare", "program", "variants")
        session.open(self.models[number % 2])
        self.settle()
        session.pin_division(SUM, {"i": 2 ** (1 + number % 4)})
        self.settle()
        session.undo_stack.undo()
        session.undo_stack.redo()
        session.keep_variant(f"round {number}")
        self.window.workbench.show_view(bench_keys[number % len(bench_keys)])
        self.window.selection.select_op(SUM)
        if number % 5 == 0:
            session.simulate()
        if number % 10 == 0:
            self.window.theme.toggle()
        self.settle()

    def settle(self) -> None:
        turns = iter(range(_TURNS))
        wait_until(lambda: not self.session.busy and next(turns, None) is None, "rest")

    def held(self, rounds: int) -> Held:
        gc.collect()
        process = self.session.jobs._process
        assert process is not None
        folder = self.session._folder
        return Held(
            rounds,
            resident_mb("self"),
            resident_mb(str(process.processId())),
            objects_of(LoopProgram, Compilation, MainWindow, Workbench, QWidget),
            len(self.window.findChildren(QObject)),
            len(self.app.allWidgets()),
            len(self.session._plans.handles),
            len(list(Path(folder.name).iterdir())) if folder is not None else 0,
            strays(),
        )

    def _model(self, name: str) -> Path:
        folder = self.folder / name
        folder.mkdir()
        return write_model(folder)


def resident_mb(process: str) -> float:
    """Resident memory of a process."""
    line = next(line for line in Path(f"/proc/{process}/status").read_text("ascii").splitlines() if "VmRSS" in line)
    return int(line.split()[1]) / 1024


def objects_of(*kinds: type) -> dict[str, int]:
    """How many objects there are of each kind."""
    counted = Counter(kind.__name__ for one in gc.get_objects() for kind in kinds if type(one) is kind)
    return {kind.__name__: counted[kind.__name__] for kind in kinds}


if __name__ == "__main__":
    story = Rounds(Path(sys.argv[1]))
    sys.stdout.write(json.dumps([asdict(one) for one in story.run(int(sys.argv[2]))]))
    story.window.project.end()
    story.window.close()
