"""The page a view shows in place of its picture: empty, loading or error, always in the same place and shape.

Owns: title, sentence, progress, one button and details on demand, centred. Refuses: deciding which state holds.
"""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPlainTextEdit, QProgressBar, QPushButton, QVBoxLayout, QWidget

from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.theme import GRID, PAD
from spyre_studio.view_state import READY, ViewState

_WIDTH = 400  # px; about sixty letters, a comfortable line
_LEAST = 160  # px


class _Column(QWidget):
    """What a page is made of, in the middle of it."""

    def __init__(self, page: QWidget) -> None:
        super().__init__(page)
        self.title = QLabel(self)
        self.sentence = QLabel(self)
        self.progress = QProgressBar(self)
        self.action = QPushButton(self)
        self.more = QPushButton("Details", self)
        self._details: QPlainTextEdit | None = None
        self._dress()
        self._column = self._arrange()

    def tell(self, state: ViewState) -> None:
        """Say this; the button keeps its focus if it stays."""
        self.title.setText(state.title)
        self.sentence.setText(state.sentence)
        self.sentence.setVisible(bool(state.sentence))
        self._tell_progress(state)
        self.action.setText(state.action)
        self.action.setVisible(bool(state.action))
        self.action.setProperty("primary", state.kind == "empty")
        self.title.setProperty("tone", "bad" if state.kind == "error" else "")
        for widget in (self.action, self.title):
            widget.style().unpolish(widget)
            widget.style().polish(widget)
        self.more.setVisible(bool(state.details))
        if state.details or self._details is not None:
            self.details.setPlainText(state.details)
            self.details.hide()

    def fit(self, width: int) -> None:
        """Lines of this length."""
        for label in (self.title, self.sentence):
            label.setFixedWidth(width)
        if self._details is not None:
            self._details.setFixedWidth(width)

    @property
    def details(self) -> QPlainTextEdit:
        """Made for the first state that has some."""
        if self._details is None:
            self._details = QPlainTextEdit(self)
            self._details.setReadOnly(True)
            self._details.setFont(font("label", mono=True))
            self._details.setFixedSize(self.title.maximumWidth(), px(_WIDTH / 3))
            self._column.insertWidget(self._column.count() - 1, self._details, 0, Qt.AlignmentFlag.AlignCenter)
        return self._details

    def _tell_progress(self, state: ViewState) -> None:
        self.progress.setVisible(state.kind == "loading")
        self.progress.setTextVisible(False)
        if state.progress is None:
            self.progress.setRange(0, 0)
            return
        self.progress.setRange(0, 1000)
        self.progress.setValue(round(min(max(state.progress, 0.0), 1.0) * 1000))

    def _dress(self) -> None:
        self.title.setFont(font("title", bold=True))
        self.title.setProperty("heading", "title")
        self.sentence.setProperty("tone", "mute")
        self.more.setProperty("quiet", True)
        self.more.clicked.connect(lambda: self.details.setVisible(self.details.isHidden()))
        self.progress.setFixedWidth(px(_WIDTH / 2))
        for label in (self.title, self.sentence):
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            label.setWordWrap(True)
            label.setFixedWidth(px(_WIDTH))
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)

    def _arrange(self) -> QVBoxLayout:
        # A wrapped label tells its height to the layout only if it may fill its cell: the column is centred, not they.
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(px(GRID))
        column.addStretch(2)
        for label in (self.title, self.sentence):
            column.addWidget(label)
        column.addSpacing(px(GRID / 2))
        for widget in (self.progress, self.action, self.more):
            column.addWidget(widget, 0, Qt.AlignmentFlag.AlignCenter)
        column.addStretch(3)
        return column


class StatePage(QWidget):
    """Shows one ViewState; hidden while the state is 'ready'. `acted` tells that the button was pressed.

    What it is made of is made once somebody sees it: every view has such a page, and most are never seen.
    """

    acted = Signal()

    def __init__(self, state: ViewState = READY, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._made: _Column | None = None
        row = QHBoxLayout(self)
        row.setContentsMargins(px(PAD), px(PAD), px(PAD), px(PAD))
        self.setMinimumSize(px(_LEAST), px(_LEAST) // 2)  # a narrow panel wraps the lines, it does not grow
        self.show_state(state)

    def show_state(self, state: ViewState) -> None:
        """Show this state instead; the button keeps its focus if it stays."""
        self._state = state
        if self._made is not None:
            self._made.tell(state)
        self.setAccessibleName(f"{state.title}. {state.sentence}")
        if state.kind == "ready":
            self.hide()
        elif self.parentWidget() is not None:  # else it would be a window for a moment; it is shown with its parent
            self.show()

    @property
    def state(self) -> ViewState:
        """What is shown."""
        return self._state

    @property
    def action(self) -> QPushButton:
        """The one button."""
        return self._column.action

    @property
    def details(self) -> QPlainTextEdit:
        """The text that 'Details' opens."""
        return self._column.details

    @property
    def more(self) -> QPushButton:
        """The button that opens the details."""
        return self._column.more

    def showEvent(self, event: QShowEvent) -> None:
        """Somebody sees it."""
        self._column.show()
        super().showEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """An opaque ground, so that an old picture does not shine through."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), qcolor(active_theme().bg))
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lines no longer than a narrow panel is wide."""
        super().resizeEvent(event)
        if self._made is not None:
            self._made.fit(self._line())

    @property
    def _column(self) -> _Column:
        if self._made is None:
            made = self._made = _Column(self)
            made.action.clicked.connect(self.acted)
            made.fit(self._line())
            row = self.layout()
            assert isinstance(row, QHBoxLayout)
            row.addStretch(1)
            row.addWidget(made)
            row.addStretch(1)
            made.tell(self._state)
        return self._made

    def _line(self) -> int:
        return max(px(GRID), min(px(_WIDTH), self.width() - 2 * px(PAD)))
