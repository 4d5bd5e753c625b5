"""The rows of the menus that concern what views share.

Owns: their names and keys. Refuses: Qt, and doing anything.
"""

from __future__ import annotations

from typing import Final

from spyre_studio.action import Action

LINK_ROWS: Final = (
    Action(
        "linked",
        "View",
        "Link time and steps",
        "flip",
        ("Ctrl+Alt+L",),
        "Zooming one picture with an axis of steps or of time moves the others to the same steps.",
        setting="linked",
        section=True,
    ),
)
