"""The checks of a plan as lights with a sentence each, and what violates them.

Owns: the rows and which step, buffer and core a click on one means.  Refuses: checking, and the selection; `located`
tells what was clicked.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from compiler.compilation import Compilation, Verdict
from compiler.import_log import FILES
from spyre_studio.check_words import CHECK_WORDS, OF_FILES
from spyre_studio.qt_theme import px
from spyre_studio.theme import GRID, PAD
from spyre_studio.units import format_count
from spyre_studio.verify_places import Spoken, spoken_of
from spyre_studio.views.line_list import Line, LineList
from spyre_studio.widgets import Heading

TITLE: Final = "Checks of the plan"
_NOT_RUN: Final = "It was not run on this plan."
_ONLY_FILES: Final = "It is run on plans that are opened from a file."


class VerifyChecks(QWidget):
    """`located` carries a Spoken."""

    located = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._places: dict[str, Spoken] = {}
        self.heading, self.lines = Heading(TITLE), LineList(TITLE, readable=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(px(PAD), px(1.5 * GRID), px(GRID), px(GRID))
        column.setSpacing(px(GRID))
        column.addWidget(self.heading)
        column.addWidget(self.lines, 1)
        self.lines.chosen.connect(self._chosen)

    def show_compilation(self, compilation: Compilation) -> None:
        """The verdicts on another plan, and the checks that it has no verdict of."""
        verdicts = compilation.verdicts
        self._places = {
            _key(verdict, number): spoken_of(violation, compilation)
            for verdict in verdicts
            for number, violation in enumerate(verdict.violations)
        }
        lines = [line for verdict in verdicts for line in self._lines_of(verdict)]
        known = {verdict.check for verdict in verdicts}
        possible = [check for check in CHECK_WORDS if compilation.imported or check != FILES]
        self.lines.show_lines([*lines, *(_not_run(check) for check in possible if check not in known)])
        bad = sum(not verdict.ok for verdict in verdicts)
        of_plan = len(known - OF_FILES)
        good = f"all {of_plan} hold{', the file too' if len(known) > of_plan else ''}"
        note = f"{format_count(bad, 'check')} failed" if bad else good
        self.heading.set_heading(TITLE, note, "bad" if bad else "ok")

    def _lines_of(self, verdict: Verdict) -> list[Line]:
        """The check, and a row per violation under it."""
        words = CHECK_WORDS.get(verdict.check, "")
        count = "holds" if verdict.ok else format_count(len(verdict.violations), "violation")
        head = Line(
            verdict.check,
            verdict.check,
            words,
            count,
            mark="ok" if verdict.ok else "bad",
            strong=not verdict.ok,
            hint=words,
        )
        return [head, *(self._fault(verdict, number) for number in range(len(verdict.violations)))]

    def _fault(self, verdict: Verdict, number: int) -> Line:
        key, violation = _key(verdict, number), verdict.violations[number]
        where = self._places[key].words
        hint = f"{violation}\nClick to select {where}." if where else violation
        return Line(key, violation, tone="bad", wrapped=True, hint=hint)

    def _chosen(self, key: str) -> None:
        spoken = self._places.get(key) or self._places.get(f"{key}#0")
        if spoken is not None:
            self.located.emit(spoken)


def _key(verdict: Verdict, number: int) -> str:
    return f"{verdict.check}#{number}"


def _not_run(check: str) -> Line:
    why = _ONLY_FILES if check in OF_FILES else _NOT_RUN
    return Line(check, check, why, "not run", mark="mute", faded=True, hint=f"{CHECK_WORDS[check]} {why}")
