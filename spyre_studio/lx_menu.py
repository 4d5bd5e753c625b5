"""The rows of the menus that concern the scratchpad.

Owns: their names, keys and when they make sense. Refuses: Qt, and doing anything; `lx_actions` does.
"""

from __future__ import annotations

from typing import Final

from spyre_studio.action import Action

LX_ROWS: Final = (
    Action(
        "follow-buffer",
        "Go",
        "Follow the buffer",
        "follow_buffer",
        ("Ctrl+Shift+F",),
        "In the scratchpad: from its producer over all its copies to its readers, on all cores; once more to stop.",
        "buffer",
        section=True,
    ),
    Action(
        "spilled",
        "Go",
        "Buffers that are not in LX",
        "show_spilled",
        ("Ctrl+Shift+L",),
        "In the scratchpad: the chips of those that would save most there; arrows choose, Enter keeps one in LX.",
        "plan",
    ),
)
