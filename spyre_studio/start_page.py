"""The first page: what this is, the bundled examples, recent files, and where to drop one.

Owns: the lists and their look. Refuses: opening anything; it says what was chosen.
"""

from __future__ import annotations

from functools import partial
from importlib.util import find_spec
from pathlib import Path

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QLabel, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from resources.examples import bundled_script, examples
from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.settings import Settings
from spyre_studio.theme import GRID, PAD, RADIUS
from spyre_studio.widgets import SectionLabel, button

_COLUMN = 51 * GRID
_MOST_RECENT = 8
WHAT = "See, steer and check how a PyTorch model is compiled for the Spyre accelerator."
DROP = "or drop a file anywhere: a traced model (.pt2), a captured model or a saved plan"
TOO = "; or a config.json"  # where the package is installed that builds the model of a Hugging Face config


class RowButton(QAbstractButton):
    """A line of a list: a name and a few quiet words below it."""

    def __init__(self, name: str, words: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setText(name)
        self._words = words
        # Of a long path both ends matter, of a sentence the beginning.
        self._elide = Qt.TextElideMode.ElideMiddle if "/" in words else Qt.TextElideMode.ElideRight
        self.setAccessibleName(f"{name}: {words}")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def words(self) -> str:
        """The quiet words."""
        return self._words

    def sizeHint(self) -> QSize:
        """Two lines of text with room around."""
        lines = QFontMetricsF(font("body", bold=True)).height() + QFontMetricsF(font("label")).height()
        return QSize(px(_COLUMN), round(lines) + 2 * px(GRID))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Ground on hover, ring on focus, two lines elided to the width."""
        theme, painter = active_theme(), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(QPen(qcolor(theme.accent), 1) if self.hasFocus() else Qt.PenStyle.NoPen)
        painter.setBrush(qcolor(theme.selection if self.isDown() else theme.raised))
        if self.underMouse() or self.hasFocus() or self.isDown():
            painter.drawRoundedRect(rect, RADIUS, RADIUS)
        inner = rect.adjusted(px(1.5 * GRID), px(GRID) - 1, -px(1.5 * GRID), -px(GRID))
        for face, colour, text, at in (
            (font("body", bold=True), theme.text, self.text(), Qt.AlignmentFlag.AlignTop),
            (font("label"), theme.mute, self._words, Qt.AlignmentFlag.AlignBottom),
        ):
            painter.setFont(face)
            painter.setPen(qcolor(colour))
            shown = QFontMetricsF(face).elidedText(text, self._elide, inner.width())
            painter.drawText(inner, at | Qt.AlignmentFlag.AlignLeft, shown)
        painter.end()


class StartPage(QWidget):
    """`chosen` carries the spec to open, `browse` that the open dialog is wanted."""

    chosen = Signal(str)
    browse = Signal()

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._recent_rows: list[RowButton] = []
        self._recent = QVBoxLayout()
        self.open_button = button(
            "Open a model…", "primary", "Open a traced model, a captured model or a plan (Ctrl+O)"
        )
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

    def _arrange(self) -> None:
        page = QWidget()
        page.setFixedWidth(2 * px(_COLUMN) + px(4 * GRID))
        column = QVBoxLayout(page)
        column.setContentsMargins(0, px(8 * GRID), 0, px(4 * GRID))
        column.setSpacing(px(GRID))
        column.addLayout(self._head())
        column.addSpacing(px(4 * GRID))
        lists = QHBoxLayout()
        lists.setSpacing(px(4 * GRID))
        lists.addLayout(self._examples_column(), 1)
        lists.addLayout(self._recent_column(), 1)
        column.addLayout(lists)
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
        row.addWidget(self.open_button)
        row.addWidget(drop)
        row.addStretch(1)
        head.addLayout(row)
        self.open_button.clicked.connect(self.browse)
        return head

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


def drop_words() -> str:
    """What can be dropped here: nothing that would be refused."""
    return DROP + (TOO if find_spec("transformers") is not None else "")


def _exists(spec: str) -> bool:
    """True for a bundled example and for a file that is there, with parameters or a function behind it or without."""
    head = spec.partition("?")[0]
    return _is_bundled(spec) or any(Path(path).is_file() for path in (spec, head, head.rpartition(":")[0]) if path)


def _is_bundled(spec: str) -> bool:
    return bundled_script(spec.partition("?")[0]) is not None
