"""The first page: what this is, lessons, the bundled examples, recent files, and where to drop one.

Owns: the lists and where they stand. Refuses: opening anything; it says what was chosen.
"""

from __future__ import annotations

from functools import partial
from importlib.util import find_spec
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from resources.examples import bundled_script, examples
from spyre_studio.lesson_rows import LessonRows
from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.row_button import WIDTH, RowButton
from spyre_studio.settings import Settings
from spyre_studio.theme import GRID, PAD
from spyre_studio.widgets import SectionLabel, button

_GAP = 3 * GRID
_THREE = 0.86  # of the width of three columns: with less room there are two
_MOST_RECENT = 8
_LETTERS = 32  # of the name of what is open
WHAT = "See, steer and check how a PyTorch model is compiled for the Spyre accelerator."
DROP = "or drop a file anywhere: a traced model (.pt2), a captured model or a saved plan"
TOO = "; or a config.json"  # where the package is installed that builds the model of a Hugging Face config


class StartPage(QWidget):
    """`chosen` carries the spec to open, `lesson_chosen` the key of a lesson, `browse` that the open dialog is
    wanted, `back` that one wants to go back to what is open."""

    chosen = Signal(str)
    lesson_chosen = Signal(str)
    browse = Signal()
    back = Signal()

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._recent_rows: list[RowButton] = []
        self._recent = QVBoxLayout()
        self._page, self._grid = QWidget(), QGridLayout()
        self._parts: tuple[QWidget, ...] = ()
        self._three: bool | None = None
        self.open_button = button(
            "Open a model…", "primary", "Open a traced model, a captured model or a plan (Ctrl+O)"
        )
        self.back_button = button("", "secondary", "What is open is as you left it (Esc, Alt+Left)")
        self.lessons = LessonRows(settings)
        self.examples = tuple(RowButton(each.name, each.title) for each in examples())
        self._arrange()
        self.setAccessibleName("Start page")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # no ring on the first button before Tab is pressed
        settings.changed.connect(lambda what: self.refresh() if what == "recent" else None)
        self.refresh()

    @property
    def recent(self) -> tuple[RowButton, ...]:
        """The rows of recent files."""
        return tuple(self._recent_rows)

    def refresh(self) -> None:
        """Read the recent files again; what is gone is not offered."""
        for row in self._recent_rows:
            row.hide()
            row.deleteLater()
        self._recent_rows = [self._row(spec) for spec in self._settings.recent if _exists(spec)][:_MOST_RECENT]
        for row in self._recent_rows:
            self._recent.insertWidget(self._recent.count() - 1, row)
        self._nothing.setVisible(not self._recent_rows)

    def offer_back(self, name: str) -> None:
        """The way back to what is open, which is called so; '' for nothing."""
        short = name if len(name) <= _LETTERS else f"{name[: _LETTERS - 1]}…"
        self.back_button.setText(f"← Back to {short}")
        self.back_button.setAccessibleName(f"Back to {name}")
        self.back_button.setVisible(bool(name))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The ground of a canvas."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), qcolor(active_theme().bg))
        painter.end()

    def _row(self, spec: str) -> RowButton:
        path = Path(spec)
        made = RowButton(spec, "bundled example") if _is_bundled(spec) else RowButton(path.name, str(path.parent))
        made.setToolTip(spec)
        made.clicked.connect(lambda: self.chosen.emit(spec))
        return made

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Two columns where three have no room."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        three = self.width() - 2 * px(PAD) >= _THREE * _width(3)
        if three is self._three:
            return
        self._three = three
        for part in self._parts:
            self._grid.removeWidget(part)
        lessons, examples, recent = self._parts
        self._grid.addWidget(lessons, 0, 0)
        self._grid.addWidget(examples, 0, 1, 1 if three else 2, 1)
        self._grid.addWidget(recent, 0 if three else 1, 2 if three else 0)
        self._grid.setColumnStretch(2, 1 if three else 0)
        self._grid.setHorizontalSpacing(px(_GAP))
        self._grid.setVerticalSpacing(px(_GAP))
        self._page.setMaximumWidth(_width(3 if three else 2))

    def _arrange(self) -> None:
        page = self._page
        column = QVBoxLayout(page)
        column.setContentsMargins(0, px(8 * GRID), 0, px(4 * GRID))
        column.setSpacing(px(GRID))
        column.addLayout(self._head())
        column.addSpacing(px(4 * GRID))
        self._parts = tuple(map(_holder, (self._lessons_column(), self._examples_column(), self._recent_column())))
        self._grid.setColumnStretch(0, 1)
        self._grid.setColumnStretch(1, 1)
        column.addLayout(self._grid)
        column.addStretch(1)
        area = QScrollArea(self)
        area.setWidget(page)
        area.setWidgetResizable(True)
        area.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.viewport().setAutoFillBackground(False)
        page.setAutoFillBackground(False)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(px(PAD), 0, px(PAD), 0)
        whole.addWidget(area)

    def _head(self) -> QVBoxLayout:
        title, what, drop = QLabel("Spyre Studio"), QLabel(WHAT), QLabel(drop_words())
        face = font("title", bold=True)
        face.setPixelSize(round(face.pixelSize() * 1.6))
        title.setFont(face)
        what.setProperty("tone", "mute")
        drop.setProperty("tone", "mute")
        drop.setFont(font("label"))
        head = QVBoxLayout()
        head.setContentsMargins(px(1.5 * GRID), 0, 0, 0)
        head.setSpacing(px(GRID))
        head.addWidget(title)
        head.addWidget(what)
        head.addSpacing(px(GRID))
        row = QHBoxLayout()
        row.setSpacing(px(2 * GRID))
        row.addWidget(self.back_button)
        row.addWidget(self.open_button)
        row.addWidget(drop)
        row.addStretch(1)
        head.addLayout(row)
        self.open_button.clicked.connect(self.browse)
        self.back_button.clicked.connect(self.back)
        self.back_button.hide()
        return head

    def _lessons_column(self) -> QVBoxLayout:
        column = _list_column("Lessons")
        column.addWidget(self.lessons)
        column.addStretch(1)
        self.lessons.chosen.connect(self.lesson_chosen)
        return column

    def _examples_column(self) -> QVBoxLayout:
        column = _list_column("Examples")
        for row in self.examples:
            column.addWidget(row)
            row.clicked.connect(partial(self.chosen.emit, row.text()))
        column.addStretch(1)
        return column

    def _recent_column(self) -> QVBoxLayout:
        column = _list_column("Recent")
        self._nothing = QLabel("What you open is listed here.")
        self._nothing.setProperty("tone", "mute")
        self._nothing.setContentsMargins(px(1.5 * GRID), px(GRID), 0, 0)
        column.addWidget(self._nothing)
        self._recent.setSpacing(px(GRID / 2))
        self._recent.addStretch(1)
        column.addLayout(self._recent, 1)
        return column


def _list_column(title: str) -> QVBoxLayout:
    column = QVBoxLayout()
    column.setSpacing(px(GRID / 2))
    label = SectionLabel(title)
    label.setContentsMargins(px(1.5 * GRID), 0, 0, px(GRID / 2))
    column.addWidget(label)
    return column


def _holder(column: QVBoxLayout) -> QWidget:
    holder = QWidget()
    column.setContentsMargins(0, 0, 0, 0)
    holder.setLayout(column)
    return holder


def _width(columns: int) -> int:
    """px of so many columns side by side."""
    return columns * px(WIDTH) + (columns - 1) * px(_GAP)


def drop_words() -> str:
    """What can be dropped here: nothing that would be refused."""
    return DROP + (TOO if find_spec("transformers") is not None else "")


def _exists(spec: str) -> bool:
    """True for a bundled example and for a file that is there, with parameters or a function behind it or without."""
    head = spec.partition("?")[0]
    return _is_bundled(spec) or any(Path(path).is_file() for path in (spec, head, head.rpartition(":")[0]) if path)


def _is_bundled(spec: str) -> bool:
    return bundled_script(spec.partition("?")[0]) is not None
