"""What Python holds of Qt without hearing of its end: the source of crashes that come much later.

Owns finding it.  Qt deletes items that it made itself (heads of a table, items of a layout) without telling Python.  An
object of Python that is kept for one of them then stands for whatever comes to lie at the same place, and when that is
a widget, its end takes the wrong memory apart.  Refuses to judge: the tests do.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QLineF, QMetaObject, QObject, QRectF
from PySide6.QtWidgets import QApplication, QLayout, QLayoutItem
from shiboken6 import Shiboken

_ALWAYS_THERE: Final = (QMetaObject,)
_IN_BUFFERS: Final = (QRectF, QLineF)  # of numpy, which live as long as they do: see spyre_studio/views/paint.py


def strays() -> tuple[str, ...]:
    """What is held of Qt, was made by Qt, is no QObject and is not seen to be there still: its kinds, sorted."""
    held = [
        one
        for one in Shiboken.getAllValidWrappers()
        if not isinstance(one, (QObject, *_ALWAYS_THERE, *_IN_BUFFERS))
        and not Shiboken.ownedByPython(one)
        and not Shiboken.createdByPython(one)
    ]
    there = _places_of_layout_items() if any(isinstance(one, QLayoutItem) for one in held) else set()
    return tuple(sorted(type(one).__name__ for one in held if _place(one) not in there))


def _places_of_layout_items() -> set[int]:
    """Where the items of all layouts of all widgets lie; what is looked at is not held afterwards."""
    held = {id(one) for one in Shiboken.getAllValidWrappers()}
    widgets = QApplication.allWidgets()  # kept: what is found in them goes with them
    todo = [layout for widget in widgets if (layout := widget.layout()) is not None]
    found: dict[int, QLayoutItem] = {}
    while todo:
        layout = todo.pop()
        items = [item for place in range(layout.count()) if (item := layout.itemAt(place)) is not None]
        found |= {_place(item): item for item in items if not isinstance(item, QLayout)}
        todo += [item for item in items if isinstance(item, QLayout)]
    for item in found.values():
        if id(item) not in held:
            Shiboken.invalidate(item)
    return set(found)


def _place(one: Shiboken.Object) -> int:
    """The address of what is held."""
    return Shiboken.getCppPointer(one)[0]
