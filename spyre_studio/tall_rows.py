"""Tall rows: those of a tree are as high as those of a table, whatever the tree wears when they are first measured.

Owns their least height.  A tree with rows of one height measures the first, once; what the style sheet asks for holds
only from when the tree is dressed, and a column that is hidden does not count.
"""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from spyre_studio.qt_theme import px
from spyre_studio.theme import ROW


class TallRows(QStyledItemDelegate):
    """For all columns of a tree that have no other."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """What the style says, at least the height of a row."""
        hint = super().sizeHint(option, index)
        return QSize(hint.width(), max(hint.height(), px(ROW)))
