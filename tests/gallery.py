"""A gallery of the window: every view in both themes, several sizes, texts and states, to be paged through by a person.

    python -m tests.gallery FOLDER [--model NAME] [--only VIEW ...] [--quick]

Owns: the list of what is drawn, and the page that shows it.  Refuses to judge; tests do.  No worker is started: the
plan is made here, and views are given what they would have asked for.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication, QDialog, QMenu, QWidget

from compiler.captured import Captured
from compiler.compilation import Compilation
from compiler.loops import LoopProgram
from compiler.pins import Pins
from spyre_studio.background import Background
from spyre_studio.failure import Failure
from spyre_studio.main_window import MainWindow
from spyre_studio.qt_theme import ThemeFollower
from spyre_studio.screenshot import _quiet_offscreen
from spyre_studio.settings import Settings
from spyre_studio.text_zoom_apply import wear_text_size
from spyre_studio.views import VIEWS
from spyre_studio.views.inspector import InspectorView
from spyre_studio.views.timeline import TimelineView
from spyre_studio.views.verify import VerifyView
from tests.programs import attention
from tests.sketch import Sketch
from tests.spyre_studio.door import Door
from tests.spyre_studio.plans import compiled
from tests.spyre_studio.stage import quiet_settings
from tests.spyre_studio.verified import wrong

SIZES = ((1280, 800), (2560, 1440))
TEXTS = (100, 150, 200)
STATES = ("ready", "empty", "loading", "error", "stale", "large")
TABS = ("Division", "Sticks", "Facts", "Cost")
LARGE = 5_000  # ops
TURNS = 40


@dataclass(frozen=True, slots=True)
class Picture:
    """One file of the gallery."""

    theme: str
    size: tuple[int, int]
    text: int
    state: str
    view: str

    @property
    def name(self) -> str:
        """The file."""
        return f"{self.theme}-{self.size[0]}x{self.size[1]}-{self.text}-{self.state}-{self.view}.png"


def chain_of(ops: int) -> LoopProgram:
    """A program of so many ops one after the other, every eighth of which is a product."""
    sketch = Sketch("long chain")
    at = sketch.input("x", 256, 256)
    weight = sketch.input("weight", 256, 256)
    for number in range(ops):
        name = f"block{number // 50}/op{number}"
        at = sketch.matmul(at, weight, name) if number % 8 == 0 else sketch.apply("neg", at, name=name)
    sketch.output(at)
    return sketch.program()


class Booth:
    """One window in one theme, size, text size and state; `pictures` draws what it shows."""

    def __init__(self, app: QApplication, plans: dict[str, Compilation], folder: Path) -> None:
        self.app, self.plans, self.folder = app, plans, folder

    def draw(self, theme: str, size: tuple[int, int], text: int, state: str, only: frozenset[str]) -> list[Picture]:
        """Every picture of this setting, written into the folder."""
        with tempfile.TemporaryDirectory() as place:
            door = Door(_settings(place, text))
            setattr(door.jobs, "submit", lambda *_, **__: None)  # noqa: B010  a view that asks waits
            window = MainWindow(door, ThemeFollower(self.app, "light" if theme == "light" else "dark"))
            window.resize(*size)
            window.show()
            self._put(door, window, state)
            self._turn()
            made = []
            for name, widget in self._scenes(window, state):
                if only and name not in only:
                    continue
                picture = Picture(theme, size, text, state, name)
                widget.grab().save(str(self.folder / picture.name))
                made.append(picture)
            door.settings.set("text_size", "100")
            window.close()
            self._turn()
        return made

    def _put(self, door: Door, window: MainWindow, state: str) -> None:
        if state == "loading":
            door._opening = "decoder"
            door._enter("work", "capture")
            door.changed.emit("state")
            door.progressed.emit(0.4, "capture", "tracing the model")
        elif state == "error":
            door.tell_failure(
                Failure("model.pt2", "it is empty (0 bytes)", "write it again with torch.export.save", "the details")
            )
        elif state != "empty":
            key = "large" if state == "large" else "ready"
            door.put_model(self.plans[key])
            self._turn()
            if state == "stale":
                _make_stale(door, window)

    def _scenes(self, window: MainWindow, state: str) -> Iterator[tuple[str, QWidget]]:
        """Name and widget of each picture, shown when it is asked for."""
        if state in {"empty", "loading", "error"}:
            yield "window", window
            bench = window.workbench
            window._pages.setCurrentWidget(bench)
            for key in bench.views:
                self._show(window, key)
                yield key, window
            return
        for row in VIEWS:
            if row.key in window.workbench.views and row.key != "inspector":
                self._show(window, row.key)
                yield row.key, window
        inspector = window.workbench.views["inspector"]
        assert isinstance(inspector, InspectorView)
        for tab in TABS:
            inspector.show_tab(tab)
            self._turn()
            yield f"inspector-{tab.lower()}", window
        if state == "ready":
            yield from self._others(window)

    def _others(self, window: MainWindow) -> Iterator[tuple[str, QWidget]]:
        """The map of errors, tables, dialogs, menus and the palette."""
        door = window.session
        compilation, report = wrong()
        timeline, verify = window.workbench.views["timeline"], window.workbench.views["verify"]
        assert isinstance(timeline, TimelineView)
        assert isinstance(verify, VerifyView)
        self._show(window, "timeline")
        timeline.set_table(True)
        self._turn()
        yield "timeline-table", window
        timeline.set_table(False)
        for action, name in (("keys", "keys"), ("words", "words"), ("palette", "palette"), ("about", "about")):
            if action not in window.actions_.by_key:
                continue
            window.actions_.trigger(action)
            self._turn()
            dialogs = [each for each in window.findChildren(QDialog) if each.isVisible()]
            if dialogs:
                yield name, dialogs[-1]
                dialogs[-1].close()
        menus = {entry.text().replace("&", ""): entry.menu() for entry in window.menuBar().actions()}
        for title, menu in menus.items():
            assert isinstance(menu, QMenu)
            menu.popup(window.mapToGlobal(window.rect().topLeft()))
            self._turn()
            yield f"menu-{title.lower()}", menu
            menu.close()
        assert isinstance(door, Door)
        self._show(window, "compare")
        door.put(self.plans["other"])
        self._turn()
        yield "compare-two", window
        door.put(compilation)
        door.put_report(report)
        window.selection.retarget(compilation)
        self._show(window, "verify")
        verify.show_page("map")
        self._turn()
        yield "verify-map", window

    def _show(self, window: MainWindow, key: str) -> None:
        window.workbench.show_view(key)
        window.workbench.give_room()
        self._turn()

    def _turn(self) -> None:
        for _ in range(TURNS):
            self.app.processEvents()
        while any(one.busy for each in self.app.topLevelWidgets() for one in each.findChildren(Background)):
            self.app.processEvents()


def _make_stale(door: Door, window: MainWindow) -> None:
    compilation = door.compilation
    assert compilation is not None
    op = next(op for op in compilation.problem.program.ops if op.loops)
    window.selection.select_op(op.name)
    door.pin_division(op.name, {op.loops[0].name: 2})


def _settings(place: str, text: int) -> Settings:
    made = quiet_settings(place)
    made.set("text_size", str(text))
    wear_text_size(made)
    return made


def plans(model: str, large: bool) -> dict[str, Compilation]:
    """A plan of the model, bundled or the small one of tests, and of a large one."""
    made = {"ready": _planned(model), "other": _planned(model, "searched")}
    if large:
        made["large"] = compiled(program=chain_of(LARGE))
    return made


def _planned(model: str, pipeline: str = "staged") -> Compilation:
    if model == "attention-by-hand":
        return compiled(program=attention(4, 512, 64), pipeline=pipeline)
    from spyre_studio import tasks
    from spyre_studio.options import CompileOptions
    from spyre_studio.reporter import Silent

    options = CompileOptions(pipeline=pipeline)
    captured = tasks.open_any(model, Silent())
    assert isinstance(captured, Captured)
    return tasks.compile_model(captured, options.load(), Pins(), options, None, Silent())


def write_index(folder: Path, pictures: list[Picture]) -> Path:
    """A page with all pictures, the settings of each above it."""
    lines = ["<!doctype html><meta charset='utf-8'><title>Spyre Studio: gallery</title>"]
    lines.append("<style>body{font:14px sans-serif;background:#888;margin:16px}img{max-width:100%}</style>")
    for one in sorted(pictures, key=lambda one: (one.view, one.state, one.text, one.size, one.theme)):
        words = f"{one.view} · {one.state} · {one.size[0]} × {one.size[1]} · text {one.text} % · {one.theme}"
        lines.append(f"<h3>{escape(words)}</h3><img loading='lazy' src='{escape(one.name)}' alt='{escape(words)}'>")
    page = folder / "index.html"
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return page


def settings_of(quick: bool) -> list[tuple[str, tuple[int, int], int, str]]:
    """Theme, size, percent of texts and state of every window that is drawn."""
    themes = ("dark", "light")
    whole = [(theme, size, 100, state) for theme in themes for size in SIZES for state in STATES]
    if quick:
        return [("dark", SIZES[0], 100, "ready"), ("light", SIZES[0], 100, "ready"), ("dark", SIZES[0], 200, "ready")]
    return whole + [(theme, SIZES[0], text, "ready") for theme in themes for text in TEXTS[1:]]


def main(arguments: list[str], told: Callable[[str], object] = print) -> int:
    """Draw everything; 0."""
    parser = argparse.ArgumentParser(prog="python -m tests.gallery")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--model", default="decoder")
    parser.add_argument("--only", nargs="*", default=[], help="names of pictures, such as timeline or menu-file")
    parser.add_argument("--quick", action="store_true", help="one size, one state")
    asked = parser.parse_args(arguments)
    asked.folder.mkdir(parents=True, exist_ok=True)
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    wanted = settings_of(asked.quick)
    booth = Booth(app, plans(asked.model, any(state == "large" for *_, state in wanted)), asked.folder)
    pictures: list[Picture] = []
    with _quiet_offscreen():
        for theme, size, text, state in wanted:
            pictures += booth.draw(theme, size, text, state, frozenset(asked.only))
            told(f"{theme} {size[0]}x{size[1]} text {text} {state}: {len(pictures)} pictures")
    told(str(write_index(asked.folder, pictures)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
