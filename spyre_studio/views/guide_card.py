"""The strip below the views in which a lesson speaks: what to know at the left, what to do at the right.

Owns: its words, its buttons and one height for all steps of a lesson, so that nothing above moves when one goes on.
Refuses: steps and conditions; it is told what to say, and tells which button was pressed.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Final

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QResizeEvent, QTextDocument
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.theme import GRID, PAD, Tone
from spyre_studio.widgets import button, restyle

_WIDEST: Final = (104 * GRID, 56 * GRID)  # px of what is to know and what is to do: lines that are easily read
_SHARES: Final = (62, 38)


@dataclass(frozen=True, slots=True)
class Said:
    """What the strip says of a step.  `text` and `task` are rich text; `task` is what there is to do, or what came of
    it once it is `done`; '' for a step that is only read."""

    lesson: str
    place: str
    title: str
    text: str
    task: str
    done: bool
    first: bool
    last: bool
    can_show: bool
    spoken: str


class GuideCard(QWidget):
    """`asked` carries 'back', 'show', 'next' or 'leave'."""

    asked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._longest: tuple[tuple[str, str], ...] = ()
        self.lesson, self.title, self.text, self.mark, self.task = (QLabel(self) for _ in range(5))
        self.back = button("Back", "secondary", "The step before (Shift+F9)")
        self.show_me = button("Show me", "secondary", "Have it done for you (Ctrl+F9)")
        self.next = button("Next", "secondary", "Go on (F9)")
        self.leave = button("Leave", "quiet", "The lesson goes on from this step when you come back")
        self._arrange()

    def say(self, said: Said) -> None:
        """Say something else."""
        self.lesson.setText(f"{said.lesson}  ·  {said.place}")
        self.title.setText(said.title)
        self.text.setText(said.text)
        self.task.setText(said.task or "Read on when you are ready.")
        waiting = bool(said.task) and not said.done
        self.mark.setText("✓" if said.done and said.task else "→" if said.task else "")
        self._tone(self.mark, "ok" if said.done else "accent")
        self._tone(self.task, "mute" if not said.task else "")
        self.back.setEnabled(not said.first)
        self.show_me.setVisible(bool(said.task))
        self.show_me.setEnabled(waiting and said.can_show)
        self.next.setText("Finish" if said.last else "Next")
        if self.next.property("primary") is waiting:
            self.next.setProperty("primary", not waiting)
            restyle(self.next)
        self.setAccessibleName(said.spoken)

    def make_room(self, longest: tuple[tuple[str, str], ...]) -> None:
        """Be as tall as the tallest of these pairs of rich texts, what is to know and what is to do, needs."""
        self._longest = longest
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width breaks lines elsewhere."""
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Another font needs other room."""
        super().changeEvent(event)
        if event.type() in {QEvent.Type.FontChange, QEvent.Type.StyleChange}:
            self._fit()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """A panel with a line above, and the accent at its left edge."""
        theme, painter = active_theme(), QPainter(self)
        painter.fillRect(self.rect(), qcolor(theme.panel))
        painter.fillRect(QRectF(0, 0, self.width(), 1), qcolor(theme.line))
        painter.fillRect(QRectF(0, 1, px(GRID / 2), self.height() - 1), qcolor(theme.accent))
        painter.end()

    def _fit(self) -> None:
        inner = self.width() - px(PAD) - px(PAD) - px(3 * GRID)
        shares = (inner * share // sum(_SHARES) for share in _SHARES)
        know, do = (min(share, px(widest)) for share, widest in zip(shares, _WIDEST, strict=True))
        self._left.setFixedWidth(max(know, 1))
        self._right.setFixedWidth(max(do, 1))
        if not self._longest:
            return
        lines = QFontMetrics(font("label", bold=True)).height() + QFontMetrics(font("title", bold=True)).height()
        beside = do - px(2.5 * GRID)
        left = max(_height(text, know) for text, _ in self._longest) + lines + px(GRID)
        right = max(_height(task, beside) for _, task in self._longest) + self.next.sizeHint().height() + px(GRID)
        self.setFixedHeight(max(left, right) + 2 * px(1.25 * GRID))

    @staticmethod
    def _tone(label: QLabel, tone: Tone | str) -> None:
        if label.property("tone") != tone:
            label.setProperty("tone", tone)
            restyle(label)

    def _arrange(self) -> None:
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.lesson.setFont(font("label", bold=True))
        self.title.setFont(font("title", bold=True))
        self.lesson.setProperty("tone", "accent")
        top = Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft
        for label in (self.text, self.task):
            label.setFont(font("body"))
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.RichText)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            label.setAlignment(top)
        self.mark.setFont(font("body", bold=True))
        self.mark.setFixedWidth(px(2 * GRID))
        self.mark.setAlignment(top)
        self._left, self._right = QWidget(self), QWidget(self)
        left = QVBoxLayout(self._left)
        for widget in (self.lesson, self.title, self.text):
            left.addWidget(widget)
        left.addStretch(1)
        words = QHBoxLayout()
        words.setSpacing(px(GRID / 2))
        words.addWidget(self.mark, 0, Qt.AlignmentFlag.AlignTop)
        words.addWidget(self.task, 1, Qt.AlignmentFlag.AlignTop)
        right = QVBoxLayout(self._right)
        right.addLayout(words)
        right.addStretch(1)
        right.addLayout(self._buttons())
        row = QHBoxLayout(self)
        row.setContentsMargins(px(PAD), px(1.25 * GRID), px(PAD), px(1.25 * GRID))
        row.setSpacing(px(3 * GRID))
        row.addWidget(self._left)
        row.addWidget(self._right)
        row.addStretch(1)
        for column in (left, right):
            column.setContentsMargins(0, 0, 0, 0)
            column.setSpacing(px(GRID / 2))

    def _buttons(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(px(GRID))
        for key, one in (("back", self.back), ("show", self.show_me), ("next", self.next), ("leave", self.leave)):
            if key == "leave":
                row.addStretch(1)
            row.addWidget(one)
            one.clicked.connect(lambda _checked=False, key=key: self.asked.emit(key))
        return row


def _height(text: str, width: int) -> int:
    """Of rich text in lines of this width."""
    page = QTextDocument()
    page.setDocumentMargin(0)
    page.setDefaultFont(font("body"))
    page.setHtml(text)
    page.setTextWidth(max(width, 1))
    return ceil(page.size().height())
