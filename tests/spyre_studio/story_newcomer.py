"""What a newcomer does with the decoder block, in a real window and by mouse and keys only, as a process of its own.

Owns: the steps, in order, and writing down what was seen after each; a step that fails is written down too, and the
next one begins where it can.  Refuses to judge: the tests do.
Run as `python -m tests.spyre_studio.story_newcomer FOLDER`; it prints one JSON object: step -> what was seen.
"""

from __future__ import annotations

import json
import sys
import traceback
from pathlib import Path
from typing import Final

from PySide6.QtCore import QPoint, QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QFileDialog,
    QInputDialog,
    QLineEdit,
    QTabWidget,
    QWidget,
)
from shiboken6 import isValid

from compiler.text.document import to_text
from spyre_studio.candidate_model import CandidateRow
from spyre_studio.collector import Collector
from spyre_studio.export_dialog import ExportDialog
from spyre_studio.main_window import MainWindow
from spyre_studio.picker import Picker
from spyre_studio.qt_theme import ThemeFollower
from spyre_studio.session import Session
from spyre_studio.session_state import CANDIDATES
from spyre_studio.settings import Settings
from spyre_studio.variant import FIRST
from spyre_studio.views.candidate_list import CandidatePanel
from spyre_studio.views.candidate_table import CandidateTable
from spyre_studio.views.scratchpad import ScratchpadView
from spyre_studio.views.widen import WidenButton
from tests.spyre_studio.story_hands import Answer, centre, click_row, found, name_file, press, texts_of, type_over
from tests.spyre_studio.window_story import LEFT, NONE, wait_until

NAME: Final = "mine"
WORTH_US: Final = 0.5
Seen = dict[str, object]


class Newcomer:
    """Two windows, one after the other, and what was seen in them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        app = QApplication.instance() or QApplication(sys.argv[:1])
        assert isinstance(app, QApplication)
        self.app = app
        self.collector = Collector(app)  # as the program does
        self.store = QSettings(str(folder / "window.ini"), QSettings.Format.IniFormat)
        self.seen: dict[str, Seen] = {}
        self.first, self.second, self.op = "", "", ""
        self.open_window()

    def open_window(self) -> None:
        settings = Settings(QSettings(str(self.folder / "settings.ini"), QSettings.Format.IniFormat))
        self.session = Session(settings=settings)
        self.window = MainWindow(self.session, ThemeFollower(self.app, "dark"), self.store)
        self.window.resize(1400, 860)
        self.window.show()
        self.window.activateWindow()
        wait_until(self.window.isActiveWindow, "an active window")

    def tell(self) -> dict[str, Seen]:
        """All steps."""
        for step in (
            self.open_example,
            self.find_heaviest,
            self.find_why,
            self.pin_better,
            self.see_saving,
            self.name_variant,
            self.compare,
            self.undo_all,
            self.redo_all,
            self.export_program,
            self.export_run,
            self.export_picture,
            self.save,
            self.reopen,
        ):
            try:
                self.seen[step.__name__] = step()
            except Exception:  # noqa: BLE001  what failed is written down, and what comes after is seen too
                self.seen[step.__name__] = {"failed": traceback.format_exc()}
        self.window.project.end()
        self.window.close()
        return self.seen

    # Steps

    def open_example(self) -> Seen:
        row = next(row for row in self.window.start.examples if row.text() == "decoder")
        press(row)
        wait_until(lambda: self.session.compilation is not None and not self.session.busy, "a plan")
        self.first = self.plan_text()
        return {"title": self.window.windowTitle(), "platform": self.app.platformName()}

    def find_heaviest(self) -> Seen:
        """The table of ops, the longest first."""
        self.key(Qt.Key.Key_T, Qt.KeyboardModifier.ControlModifier)
        table = self.window.workbench.graph.table.table
        wait_until(table.isVisible, "the table of ops")
        titles = [str(table.model().headerData(at, Qt.Orientation.Horizontal)) for at in range(8)]
        place = next(at for at, title in enumerate(titles) if title.startswith("time"))
        header = table.horizontalHeader()
        for _ in range(2):  # upwards, then downwards
            x = header.sectionViewportPosition(place) + header.sectionSize(place) // 2
            QTest.mouseClick(header.viewport(), LEFT, NONE, QPoint(x, header.height() // 2))
            if header.sortIndicatorOrder() == Qt.SortOrder.DescendingOrder:
                break
        click_row(table, 0)
        wait_until(lambda: not self.session.jobs.busy(CANDIDATES), "the candidates")
        compilation = self.session.compilation
        assert compilation is not None
        self.op = self.window.selection.op or ""
        times = {cost.step: cost.total_us for cost in compilation.cost.steps}
        self.key(Qt.Key.Key_T, Qt.KeyboardModifier.ControlModifier)
        return {"op": self.op, "us": times[self.op], "most": max(times.values())}

    def find_why(self) -> Seen:
        """The list of what is not in LX: the second row, and what it says."""
        bench = self.window.workbench
        view = bench.views["scratchpad"]
        assert isinstance(view, ScratchpadView)
        bar = bench.tabs.tabBar()
        QTest.mouseClick(bar, LEFT, NONE, bar.tabRect(bench.tabs.indexOf(view)).center())
        wait_until(view.isVisible, "the scratchpad")
        press(view.panels.why_button)
        table = view.why.table
        wait_until(table.isVisible, "the list of what is not in LX")
        click_row(table, 1)
        buffer = self.window.selection.buffer
        index = table.selectionModel().currentIndex()
        cells = [str(index.siblingAtColumn(at).data()) for at in range(table.model().columnCount())]
        return {"buffer": buffer, "row": cells, "inspector": self.every_tab(bench.views["inspector"])}

    def every_tab(self, view: QWidget) -> str:
        """What the pages of a view say, one after the other."""
        tabs, said = found(view, QTabWidget), []
        bar, before = tabs.tabBar(), tabs.currentIndex()
        for number in (*range(tabs.count()), before):
            QTest.mouseClick(bar, LEFT, NONE, bar.tabRect(number).center())
            said.append(texts_of(view))
        return "\n".join(said)

    def pin_better(self) -> Seen:
        """The candidates of the op in their table, and a double click on the best that is not the plan's."""
        inspector, before = self.window.workbench.views["inspector"], self.session.compilation
        assert before is not None
        press(found(inspector, WidenButton))
        panel = found(inspector, CandidatePanel)
        table = found(panel, CandidateTable)
        wait_until(table.isVisible, "the candidates in a table")
        best = self.better_split(panel)
        number = next(at for at in range(table.model().rowCount()) if table._row(at).key == best.key)
        click_row(table, number)
        QTest.mouseDClick(table.viewport(), LEFT, NONE, centre(table, number))
        wait_until(lambda: self.session.compilation is not before and not self.session.busy, "the plan with the pin")
        compilation = self.session.compilation
        assert compilation is not None
        self.second = self.plan_text()
        press(found(inspector, WidenButton))
        return {
            "op": self.op,
            "wanted": best.key,
            "pins": {key: str(fate.state) for key, fate in compilation.plan.pins.items()},
            "saved": before.cost.total_us - compilation.cost.total_us,
        }

    def better_split(self, panel: CandidatePanel) -> CandidateRow:
        """From the op that costs most downwards: the first with a quicker split than the plan's."""
        compilation = self.session.compilation
        assert compilation is not None
        ops = compilation.problem.program.op_map
        steps = sorted((cost for cost in compilation.cost.steps if cost.step in ops), key=lambda cost: -cost.total_us)
        for cost in steps:
            self.goto(cost.step)
            wait_until(lambda: not self.session.jobs.busy(CANDIDATES), "the candidates")
            now = next(row for row in panel.rows if row.chosen)
            quicker = [row for row in panel.rows if row.legal and row.total_us < now.total_us - WORTH_US]
            if quicker:
                self.op = cost.step
                return min(quicker, key=lambda row: row.total_us)
        raise LookupError("no op has a quicker split")

    def see_saving(self) -> Seen:
        header = self.window.workbench.header
        return {"change": header.change.text(), "hint": header.change.toolTip(), "shown": header.change.isVisible()}

    def name_variant(self) -> Seen:
        self.key(Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
        dialog = self.window.findChild(QInputDialog, "variant-name")
        assert dialog is not None
        wait_until(dialog.isVisible, "the question for a name")
        proposed = dialog.textValue()
        type_over(found(dialog, QLineEdit), NAME)
        wait_until(lambda: not isValid(dialog) or not dialog.isVisible(), "the end of the question")
        return {"proposed": proposed, "names": [one.name for one in self.session.variants]}

    def compare(self) -> Seen:
        """The plan on screen with the first, by the name of the action."""
        self.palette("Compare with")
        self.answer_picker(FIRST)
        view = self.window.workbench.views["compare"]
        wait_until(view.isVisible, "the comparison")
        wait_until(lambda: self.op in texts_of(view), "what differs")
        return {"sides": list(view.sides.names), "texts": texts_of(view)}  # type: ignore[attr-defined]

    def undo_all(self) -> Seen:
        stack, count = self.session.undo_stack, 0
        while stack.canUndo():
            self.key(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
            count += 1
            assert count < 20
        wait_until(lambda: not self.session.busy, "the end of undo")
        return {
            "count": count,
            "pins": len(self.session.pins.keys),
            "same": self.plan_text() == self.first,
            "stale": self.session.stale,
            "names": [one.name for one in self.session.variants],
        }

    def redo_all(self) -> Seen:
        stack = self.session.undo_stack
        while stack.canRedo():
            self.key(Qt.Key.Key_Y, Qt.KeyboardModifier.ControlModifier)
        wait_until(lambda: not self.session.busy, "the end of redo")
        return {"same": self.plan_text() == self.second, "names": [one.name for one in self.session.variants]}

    def export_program(self) -> Seen:
        path = self.folder / "program.txt"
        formats: list[str] = []

        self.key(Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
        dialog = found(self.window, ExportDialog)
        model = dialog.list.model()
        formats.extend(str(model.index(at, 0).data()) for at in range(model.rowCount()))
        for _ in range(formats.index("Device program as a listing")):
            QTest.keyClick(dialog.list, Qt.Key.Key_Down)
        wait_until(dialog.export.isEnabled, "how the program begins")
        Answer(QFileDialog, lambda other: name_file(other, path))
        QTest.keyClick(dialog.list, Qt.Key.Key_Return)
        wait_until(path.exists, "the program")
        return {"formats": formats, "text": path.read_text("utf-8")[:400]}

    def export_run(self) -> Seen:
        """Simulated first, then its trace saved."""
        self.key(Qt.Key.Key_F7)
        wait_until(lambda: self.session.timeline is not None, "the simulated run")
        path = self.folder / "run.json"
        Answer(QFileDialog, lambda dialog: name_file(dialog, path))
        self.palette("Save simulated run")
        wait_until(path.exists, "the trace")
        events = json.loads(path.read_text("utf-8"))["traceEvents"]
        return {"events": len(events), "view": self.window.workbench.current_view}

    def export_picture(self) -> Seen:
        path = self.folder / "graph.png"
        Answer(QFileDialog, lambda dialog: name_file(dialog, path))
        self.palette("Save graph as PNG")
        wait_until(path.exists, "the picture")
        return {"bytes": path.stat().st_size}

    def save(self) -> Seen:
        """Save where one is, close, and nothing is asked."""
        bench = self.window.workbench
        self.goto(self.op)
        canvas = bench.graph.canvas
        canvas.setFocus()
        self.key(Qt.Key.Key_0, Qt.KeyboardModifier.ControlModifier)
        self.key(Qt.Key.Key_Plus, Qt.KeyboardModifier.ControlModifier)
        path = self.folder / "work.spyre"
        Answer(QFileDialog, lambda dialog: name_file(dialog, path))
        self.key(Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
        wait_until(lambda: path.exists() and not self.window.project.unsaved, "the project")
        self.place = self.where()
        closed = self.window.close()
        return {"closed": closed, "place": self.place, "title": self.window.windowTitle()}

    def reopen(self) -> Seen:
        self.open_window()
        row = next(row for row in self.window.start.recent if "work" in row.text())
        press(row)
        wait_until(lambda: self.session.compilation is not None and not self.session.busy, "the project")
        wait_until(lambda: not self.window.workbench.graph.fold.awaited, "the graph")
        zoom = self.place["zoom"]
        wait_until(lambda: self.where()["zoom"] == zoom, "the zoom")
        return {"place": self.where(), "same plan": self.plan_text() == self.second}

    # Hands and eyes

    def where(self) -> Seen:
        bench, selection = self.window.workbench, self.window.selection
        view = bench.graph.canvas.viewport
        return {
            "op": selection.op,
            "buffer": selection.buffer,
            "front": bench.current_view,
            "zoom": round(view.zoom, 6),
            "x": round(view.x, 2),
            "y": round(view.y, 2),
            "pins": sorted(self.session.pins.keys),
            "variants": [one.name for one in self.session.variants],
            "shown": self.session.shown_variant,
            "title": self.window.windowTitle(),
        }

    def key(self, key: Qt.Key, held: Qt.KeyboardModifier = NONE) -> None:
        """A key pressed where the keyboard is; without a window manager nobody gives it back after a dialog."""
        if self.app.focusWidget() is None:
            self.window.activateWindow()
            wait_until(lambda: self.app.focusWidget() is not None, "the keyboard back in the window")
        focused = self.app.focusWidget()
        assert focused is not None
        QTest.keyClick(focused, key, held)

    def palette(self, words: str) -> None:
        """An action by a part of its name."""
        self.key(Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
        self.answer_picker(words)

    def goto(self, name: str) -> None:
        """A place by its name."""
        self.key(Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier)
        self.answer_picker(name)
        wait_until(lambda: self.window.selection.op == name, f"{name} selected")

    def answer_picker(self, words: str) -> None:
        """What is typed into a list that has opened over the window, and its first row."""
        wait_until(lambda: self.picker_line() is not None, "a list to choose from")
        line = self.picker_line()
        assert line is not None
        type_over(line, words)
        wait_until(lambda: not isValid(line) or not line.isVisible(), "the end of the list")

    def picker_line(self) -> QLineEdit | None:
        """Where the open list takes words."""
        pickers = (picker for picker in self.window.findChildren(Picker) if picker.isVisible())
        return next((found(picker, QLineEdit) for picker in pickers), None)

    def plan_text(self) -> str:
        compilation = self.session.compilation
        assert compilation is not None
        return to_text(compilation.plan)


if __name__ == "__main__":
    sys.stdout.write(json.dumps(Newcomer(Path(sys.argv[1])).tell()))
