"""Keeping a widget under the pointer while what stands above it in a scrolled panel grows or shrinks.

Owns: finding the scroll area, and moving it by as much as the widget moved.  Refuses: widgets that nothing scrolls.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from PySide6.QtCore import QCoreApplication, QEvent, QPoint
from PySide6.QtWidgets import QScrollArea, QWidget

_ROUNDS: Final = 6  # a change passes through as many layouts, one inside the other, at most


def scroll_area_of(widget: QWidget) -> QScrollArea | None:
    """The scroll area around a widget."""
    parent = widget.parentWidget()
    while parent is not None and not isinstance(parent, QScrollArea):
        parent = parent.parentWidget()
    return parent


@contextmanager
def steady(widget: QWidget) -> Iterator[None]:
    """What happens inside leaves `widget` where it is on the screen, as far as there is something to scroll."""
    area = scroll_area_of(widget)
    if area is None or not widget.isVisible():
        yield
        return
    before = widget.mapTo(area, QPoint()).y()
    yield
    for _ in range(_ROUNDS):  # everything takes its new place now, not at the next turn of the event loop
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
    bar = area.verticalScrollBar()
    bar.setValue(bar.value() + widget.mapTo(area, QPoint()).y() - before)
