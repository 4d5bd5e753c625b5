"""Has lists show all of their rows again, as for another model: what was looked for in the one before is not in it.

Owns: which fields are filters: those whose accessible name begins so.  Refuses: what a filter means to its list.
"""

from __future__ import annotations

from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget

_NAME = "Filter"


def unfilter(parts: QWidget) -> None:
    """Clear every filter in `parts`; of the entries of a filter the first one stands for all rows."""
    for field in parts.findChildren(QLineEdit):
        if field.accessibleName().startswith(_NAME):
            field.clear()
    for choice in parts.findChildren(QComboBox):
        if choice.accessibleName().startswith(_NAME):
            choice.setCurrentIndex(0)
