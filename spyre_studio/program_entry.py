"""The way into the program view from elsewhere: the entry "Show in program" of menus on ops and buffers.

Owns: the entry, and bringing the view to the front. Refuses: what is shown there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtWidgets import QMenu, QWidget

from spyre_studio.program_menu import PROGRAM_ROWS

if TYPE_CHECKING:
    from spyre_studio.main_window import MainWindow
    from spyre_studio.views.program import ProgramView


def program_view(window: MainWindow) -> ProgramView:
    """The view, brought to the front."""
    window.workbench.show_view("program")
    return cast("ProgramView", window.workbench.views["program"])


def add_show_in_program(menu: QMenu, window: QWidget, op: str = "", buffer: str = "") -> None:
    """An entry of a menu on an op, or else a buffer: selects it, and goes to its line; none outside of the window."""
    from spyre_studio.main_window import MainWindow  # which knows of all that has menus

    if not isinstance(window, MainWindow) or not (op or buffer):
        return
    place = (op, None) if op else (None, buffer)

    def show() -> None:
        window.selection.select(op=place[0], buffer=place[1])
        program_view(window).show_place(*place)

    menu.addAction(PROGRAM_ROWS[0].text, show)
