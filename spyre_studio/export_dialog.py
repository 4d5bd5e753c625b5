"""The dialog of exports: every format with what it is, how it begins for this plan, and what it has no words for.

Owns: which format and choices are picked, and that nothing incomplete is exported unless somebody says so.  Refuses to
write, and to ask for a place: `asked` carries what is wanted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from frozendict import frozendict
from PySide6.QtCore import QModelIndex, QSignalBlocker, QStringListModel, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QHBoxLayout,
    QLabel,
    QListView,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from compiler.emit import FORMATS
from compiler.emit.format import Format
from spyre_studio.preview import MOST_FILES
from spyre_studio.qt_theme import font, px
from spyre_studio.theme import GRID, PAD
from spyre_studio.units import format_count
from spyre_studio.while_alive import while_alive
from spyre_studio.widgets import Heading, button, text_label

if TYPE_CHECKING:
    from spyre_studio.failure import Failure
    from spyre_studio.preview import Preview
    from spyre_studio.session import Session

_NAMED = 6  # limits that are told; the rest is counted


@dataclass(frozen=True, slots=True)
class Export:
    """What somebody wants to have written; `partial` if what the format has no words for is to be left out."""

    format: Format
    chosen: frozendict[str, str]
    partial: bool = False


class ExportDialog(QDialog):
    """`asked` carries an Export."""

    asked = Signal(object)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Export")
        self._session = session
        self._rows = tuple(FORMATS.values())
        self._waiting: Export | None = None
        self._known: Preview | None = None
        self.list = QListView(self)
        self.note, self.files, self.limits = text_label("", "mute"), text_label("", "mute"), text_label("", "warn")
        self._choice_rows = {row.name: QWidget(self) for row in self._rows if row.choices}
        self._boxes = {row.name: {each.key: QComboBox(self) for each in row.choices} for row in self._rows}
        self.partial = QCheckBox("Leave these out", self)
        self.text = QPlainTextEdit(self)
        self.export = button("Export…", "primary")
        self.close_button = button("Close")
        self._dress()
        self._arrange()
        self._connect()
        self.list.setCurrentIndex(self._index(0))
        self.list.setFocus()

    @property
    def choices(self) -> dict[str, QComboBox]:
        """What can be chosen of the format that is picked."""
        return self._boxes[self._row.name]

    @property
    def _row(self) -> Format:
        return self._rows[max(self.list.currentIndex().row(), 0)]

    @property
    def wanted(self) -> Export:
        """What is picked now."""
        chosen = frozendict((key, box.currentText()) for key, box in self.choices.items())
        return Export(self._row, chosen, self.partial.isChecked() and not self.partial.isHidden())

    def pick(self, name: str) -> None:
        """Make a format current."""
        self.list.setCurrentIndex(self._index([row.name for row in self._rows].index(name)))

    def _index(self, row: int) -> QModelIndex:
        model = self.list.model()
        assert isinstance(model, QStringListModel)
        return model.index(row)

    def _picked(self) -> None:
        row = self._row
        self.note.setText(row.note)
        for name, widget in self._choice_rows.items():
            widget.setVisible(name == row.name)
        for box in self.choices.values():
            with QSignalBlocker(box):
                box.setCurrentIndex(0)
        self.partial.setChecked(False)
        self._ask()

    def _fill_choices(self, row: Format) -> None:
        line = QHBoxLayout(self._choice_rows[row.name])
        line.setContentsMargins(0, 0, 0, 0)
        for choice in row.choices:
            box = self._boxes[row.name][choice.key]
            box.addItems(list(choice.values))
            box.setToolTip(choice.hint)
            box.setAccessibleName(f"{choice.title}: {choice.hint}")
            box.currentIndexChanged.connect(lambda _: self._ask())
            line.addWidget(QLabel(choice.title, self))
            line.addWidget(box)
        line.addStretch(1)

    def _ask(self) -> None:
        """Have the beginning written; the newest question wins."""
        wanted = self._waiting = self.wanted
        self._known = None
        self.text.setPlainText("")
        self.text.setPlaceholderText("Writing the beginning…")
        self._show_limits()
        self._session.request_preview(
            wanted.format.name,
            wanted.chosen,
            while_alive(self, lambda found: self._answered(wanted, found)),
            while_alive(self, lambda failure: self._failed(wanted, failure)),
        )

    def _answered(self, wanted: Export, found: Preview) -> None:
        if wanted is not self._waiting:
            return
        self._known = found
        self.text.setPlaceholderText("")
        self.text.setPlainText(found.text + ("\n…" if found.more else ""))
        self._show_limits()

    def _failed(self, wanted: Export, failure: Failure) -> None:
        if wanted is self._waiting:
            self.text.setPlaceholderText(failure.sentence)

    def _show_limits(self) -> None:
        known = self._known
        limits = known.limits if known else ()
        named = [*limits[:_NAMED], *([f"and {len(limits) - _NAMED} more"] if len(limits) > _NAMED else [])]
        self.limits.setText("\n".join(["This format has no words for", *named]) if limits else "")
        self.limits.setVisible(bool(limits))
        self.partial.setVisible(bool(limits))
        files = known.files if known else ()
        more = " or more" if len(files) == MOST_FILES else ""
        self.files.setText(f"{format_count(len(files), 'file')}{more}; here the first" if files else "")
        self.files.setVisible(bool(files))
        self._show_button()

    def _show_button(self) -> None:
        self.export.setEnabled(self._known is not None and (not self._known.limits or self.partial.isChecked()))

    def _dress(self) -> None:
        self.list.setModel(QStringListModel([row.title for row in self._rows], self))
        self.list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.list.setAccessibleName("Formats")
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setFixedWidth(px(40 * GRID))
        for label in (self.note, self.limits):
            label.setTextFormat(Qt.TextFormat.PlainText)
        self.text.setReadOnly(True)
        self.text.setFont(font("label", mono=True))
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setAccessibleName("How the export begins")
        self.export.setDefault(True)
        self.resize(px(130 * GRID), px(80 * GRID))

    def _arrange(self) -> None:
        right = QVBoxLayout()
        right.setSpacing(px(GRID))
        right.addWidget(self.note)
        for row in self._rows:
            if row.choices:
                self._fill_choices(row)
                right.addWidget(self._choice_rows[row.name])
        right.addWidget(self.limits)
        right.addWidget(self.partial)
        right.addWidget(self.files)
        right.addWidget(self.text, 1)
        middle = QHBoxLayout()
        middle.setSpacing(px(PAD))
        middle.addWidget(self.list)
        middle.addLayout(right, 1)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(self.close_button)
        foot.addWidget(self.export)
        column = QVBoxLayout(self)
        column.setContentsMargins(px(PAD), px(PAD), px(PAD), px(PAD))
        column.setSpacing(px(GRID))
        column.addWidget(Heading("Format", parent=self))
        column.addLayout(middle, 1)
        column.addLayout(foot)

    def _connect(self) -> None:
        self.list.selectionModel().currentChanged.connect(lambda *_: self._picked())
        self.list.activated.connect(lambda _: self.export.click())
        self.partial.toggled.connect(lambda _: self._show_button())
        self.export.clicked.connect(lambda: self.asked.emit(self.wanted))
        self.close_button.clicked.connect(self.reject)
