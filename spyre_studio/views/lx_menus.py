"""Context menus of the scratchpad pictures, where no buffer is under the pointer.

Owns: the entries. Refuses: doing more than asking the selection and the pictures.
"""

from __future__ import annotations

from PySide6.QtWidgets import QMenu

from spyre_studio.selection import Selection
from spyre_studio.views.lx_map import Spot
from spyre_studio.views.lx_panels import LxPanels, Page


def fill_plot_menu(menu: QMenu, item: object, selection: Selection, parts: LxPanels, twin: Page) -> None:
    """What can be done at a step (a Spot or a number) or at a (core, step); `twin` is the table of the picture."""
    core, step = -1, -1
    match item:
        case Spot("step", number):
            step = number
        case (int(row), int(number)):
            core, step = row, number
        case int(number):
            step = number
    if core >= 0:
        menu.addAction(f"Look at core {core}", lambda: selection.select_core(core))
    if step >= 0:
        menu.addAction(f"Go to step {step}", lambda: selection.select_step(step))
        menu.addSeparator()
    menu.addAction("All steps and addresses", parts.map.fit_all)
    menu.addAction("As a table", lambda: parts.show_page(twin))
