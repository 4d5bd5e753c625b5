"""The page a view shows in place of its picture: empty, loading or error, always in the same place and shape.

Owns: title, sentence, progress, one button and details on demand, centred. Refuses: deciding which state holds.
"""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPlainTextEdit, QProgressBar, QPushButton, QVBoxLayout, QWidget

from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.theme import GRID, PAD
from spyre_studio.view_state import READY, ViewState

_WIDTH = 400  # px; about sixty letters, a comfortable line
_LEAST = 160  # px


class StatePage(QWidget):
    """Shows one ViewState; hidden while the state is 'ready'. `acted` tells that the button was pressed."""

    acted = Signal()

    def __init__(self, state: ViewState = READY, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = QLabel(self)
        self._sentence = QLabel(self)
        self._progress = QProgressBar(self)
        self._action = QPushButton(self)
        self._more = QPushButton("Details", self)
        self._details = QPlainTextEdit(self)
        self._arrange()
        self.setMinimumSize(px(_LEAST), px(_LEAST) // 2)  # a narrow panel wraps the lines, it does not grow
        self.show_state(state)

    def show_state(self, state: ViewState) -> None:
        """Show this state instead; the button keeps its focus if it stays."""
        self._state = state
        self._title.setText(state.title)
        self._sentence.setText(state.sentence)
        self._sentence.setVisible(bool(state.sentence))
        self._show_progress(state)
        self._action.setText(state.action)
        self._action.setVisible(bool(state.action))
        self._action.setProperty("primary", state.kind == "empty")
        self._title.setProperty("tone", "bad" if state.kind == "error" else "")
        for widget in (self._action, self._title):
            widget.style().unpolish(widget)
            widget.style().polish(widget)
        self._more.setVisible(bool(state.details))
        self._details.setPlainText(state.details)
        self._details.hide()
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
        return self._action

    @property
    def details(self) -> QPlainTextEdit:
        """The text that 'Details' opens."""
        return self._details

    @property
    def more(self) -> QPushButton:
        """The button that opens the details."""
        return self._more

    def paintEvent(self, _event: QPaintEvent) -> None:
        """An opaque ground, so that an old picture does not shine through."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), qcolor(active_theme().bg))
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lines no longer than a narrow panel is wide."""
        super().resizeEvent(event)
        width = max(px(GRID), min(px(_WIDTH), self.width() - 2 * px(PAD)))
        for label in (self._title, self._sentence):
            label.setFixedWidth(width)
        self._details.setFixedWidth(width)

    def _show_progress(self, state: ViewState) -> None:
        self._progress.setVisible(state.kind == "loading")
        self._progress.setTextVisible(False)
        if state.progress is None:
            self._progress.setRange(0, 0)
            return
        self._progress.setRange(0, 1000)
        self._progress.setValue(round(min(max(state.progress, 0.0), 1.0) * 1000))

    def _arrange(self) -> None:
        centre = Qt.AlignmentFlag.AlignCenter
        self._title.setFont(font("title", bold=True))
        self._title.setProperty("heading", "title")
        self._sentence.setProperty("tone", "mute")
        self._more.setProperty("quiet", True)
        self._more.clicked.connect(lambda: self._details.setVisible(self._details.isHidden()))
        self._action.clicked.connect(self.acted)
        self._details.setReadOnly(True)
        self._details.setFont(font("label", mono=True))
        # A wrapped label tells its height to the layout only if it may fill its cell: the column is centred, not they.
        column = QVBoxLayout()
        column.setSpacing(px(GRID))
        column.addStretch(2)
        for label in (self._title, self._sentence):
            label.setAlignment(centre)
            label.setWordWrap(True)
            label.setFixedWidth(px(_WIDTH))
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            column.addWidget(label)
        self._progress.setFixedWidth(px(_WIDTH / 2))
        self._details.setFixedSize(px(_WIDTH), px(_WIDTH / 3))
        column.addSpacing(px(GRID / 2))
        for widget in (self._progress, self._action, self._more, self._details):
            column.addWidget(widget, 0, centre)
        column.addStretch(3)
        row = QHBoxLayout(self)
        row.setContentsMargins(px(PAD), px(PAD), px(PAD), px(PAD))
        row.addStretch(1)
        row.addLayout(column)
        row.addStretch(1)
