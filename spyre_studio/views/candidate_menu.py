"""The menu of a candidate split: pin it, pin everything alike the same way, or sweep the splits of its op.

Owns: the entries. Refuses: doing more than asking the session.
"""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu, QWidget

from spyre_studio.alike_pins import alike_op
from spyre_studio.candidate_model import factors_title
from spyre_studio.derived import ops_of
from spyre_studio.pin_menu import SWEEP
from spyre_studio.session import Session

APPLY = "Apply this candidate"


def candidate_menu(
    parent: QWidget, session: Session, op: str, factors: Mapping[str, int], legal: bool, at: QPoint
) -> QMenu | None:
    """Show the menu of a candidate of an op of the plan on screen; None without a plan."""
    compilation = session.compilation
    if compilation is None:
        return None
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.setToolTipsVisible(True)
    apply = menu.addAction(f"{APPLY}: {factors_title(factors)}", lambda: session.pin_division(op, factors))
    apply.setEnabled(legal)
    found = alike_op(compilation, session.pins, op, factors)
    if found is not None:
        entry = menu.addAction(found.words, lambda: session.set_pins(found.after))
        entry.setToolTip(f"{', '.join(found.names[:3])}{' …' if len(found.names) > 3 else ''}")
        entry.setEnabled(legal)
    if op in ops_of(compilation):
        menu.addSeparator()
        menu.addAction(SWEEP, lambda: session.start_sweep(f"op:{op}"))
    menu.popup(at)
    return menu
