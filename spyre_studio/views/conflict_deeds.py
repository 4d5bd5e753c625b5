"""What is done about a conflict: each remedy as a change of pins or options, or as another selection.

Owns: the way from a remedy to session and selection. Refuses: choosing one.
"""

from __future__ import annotations

from spyre_studio.conflict_model import Remedy
from spyre_studio.selection import Selection
from spyre_studio.session import Session


def do(remedy: Remedy, session: Session, selection: Selection) -> None:
    """Do it; who holds what (`apart`) is only selected here, because another view shows it."""
    match remedy.deed:
        case "unpin":
            session.unpin(f"placement:{remedy.target}")
        case "evict":
            session.pin_placement(remedy.target, "hbm")
        case "buffer" | "apart":
            selection.select_buffer(remedy.target)
        case "op":
            selection.select_op(remedy.target)
        case "step":
            selection.select_step(int(remedy.target))
        case "clones":
            options = session.options
            session.set_options(options.device, options.cores, remedy.target)
