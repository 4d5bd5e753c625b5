"""The list of lessons on the start page: title, one line, minutes, how far one is, and a tick for what is finished.

Owns: reading no more of the files than that needs, and not before the page is shown.  Refuses: beginning a lesson.
"""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from compiler.errors import StudioError
from spyre_studio.guide_file import LESSONS, heading_of, lesson_path
from spyre_studio.guide_heading import Heading
from spyre_studio.guide_progress import progress_of
from spyre_studio.qt_theme import px
from spyre_studio.row_button import RowButton
from spyre_studio.settings import Settings
from spyre_studio.theme import GRID


class LessonRows(QWidget):
    """`chosen` carries the key of a lesson."""

    chosen = Signal(str)

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self.rows: tuple[RowButton, ...] = ()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(px(GRID / 2))
        settings.changed.connect(lambda what: self._refresh() if what == "lessons" else None)

    def showEvent(self, event: QShowEvent) -> None:
        """Read the headings when they are first looked at."""
        super().showEvent(event)
        column = self.layout()
        if not self.rows and column is not None:
            self.rows = tuple(self._row(key) for key in LESSONS)
            for row in self.rows:
                column.addWidget(row)
            self._refresh()

    def _row(self, key: str) -> RowButton:
        try:
            heading = heading_of(lesson_path(key))
            row = RowButton(heading.title, heading.line)
        except StudioError as error:
            row = RowButton(key, error.sentence)
        row.setToolTip(row.words)
        row.clicked.connect(lambda: self.chosen.emit(key))
        return row

    def _refresh(self) -> None:
        for key, row in zip(LESSONS, self.rows, strict=False):
            try:
                self._note(row, heading_of(lesson_path(key)))
            except StudioError:
                continue  # its row says what is wrong with it

    def _note(self, row: RowButton, heading: Heading) -> None:
        progress = progress_of(self._settings, heading.key)
        minutes = f"{heading.minutes} min"
        words = [f"at step {progress.step + 1}"] if progress.step else []
        spoken = ", ".join([*(["finished"] if progress.finished else []), *words, minutes])
        note = " · ".join([*words, minutes])
        if progress.finished:
            row.set_note(f"✓ {note}", "ok", spoken)
        else:
            row.set_note(note, "accent" if words else "mute", spoken)
