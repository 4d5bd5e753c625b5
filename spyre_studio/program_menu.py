"""The rows of the menus that concern the program view.

Owns: their names, keys and when they make sense. Refuses: Qt, and doing anything; `program_actions` does.
"""

from __future__ import annotations

from typing import Final

from spyre_studio.action import Action

PROGRAM_ROWS: Final = (
    Action(
        "show-in-program",
        "Go",
        "Show in program",
        "show_in_program",
        ("Ctrl+G",),
        "Go to the line about the selected op or buffer, in the listing that was read last.",
        "selected",
        section=True,
    ),
    Action(
        "show-passes",
        "Go",
        "Show what each pass did",
        "show_passes",
        ("Ctrl+Shift+G",),
        "The passes of the plan, with what each decided and changed.",
        "plan",
    ),
)
