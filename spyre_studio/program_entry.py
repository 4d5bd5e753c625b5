"""The entry "Show in program" of menus on ops and buffers.

Owns: the entry. Refuses: the way there; the action of the window goes it.
"""

from __future__ import annotations

from PySide6.QtWidgets import QMenu, QWidget

from spyre_studio.program_menu import PROGRAM_ROWS


def add_show_in_program(menu: QMenu, window: QWidget, op: str = "", buffer: str = "") -> None:
    """An entry of a menu on an op, or else a buffer: selects it, and goes to its line; none outside of the window."""
    from spyre_studio.main_window import MainWindow  # which knows of all that has menus

    if not isinstance(window, MainWindow) or not (op or buffer):
        return

    def show() -> None:
        window.selection.select(op=op or None, buffer=None if op else buffer)
        window.actions_.trigger(PROGRAM_ROWS[0].key)

    menu.addAction(PROGRAM_ROWS[0].text, show)
