"""The rows of the menus that ask 'what if': sweeps of a knob, and pins for everything that is alike.

Owns: their names, keys and when they make sense. Refuses: Qt, and doing anything; `whatif_actions` does.
"""

from __future__ import annotations

from typing import Final

from spyre_studio.action import Action

SWEEP_ROWS: Final = (
    Action(
        "sweep",
        "Plan",
        "Sweep…",
        "sweep_knob",
        ("Ctrl+Alt+S",),
        "Make the plan for every value of one knob, such as cores, and compare what each costs.",
        "plan",
        section=True,
    ),
    Action(
        "sweep-op",
        "Plan",
        "Sweep the splits of the op",
        "sweep_op",
        (),
        "Make the plan for each of the best splits of the selected op.",
        "op",
    ),
)
ALIKE_ROWS: Final = (
    Action(
        "pin-alike",
        "Edit",
        "Pin all ops like this",
        "pin_alike",
        ("Ctrl+Shift+U",),
        "Divide all ops that are the same as the selected one in the same way.",
        "op",
    ),
    Action(
        "pin-alike-buffer",
        "Edit",
        "Pin all buffers like this",
        "pin_alike_buffer",
        (),
        "Pin all buffers that are the same as the selected one in the same way: place, layout and relayout.",
        "buffer",
    ),
    Action(
        "unpin-alike",
        "Edit",
        "Unpin everything like this",
        "unpin_alike",
        (),
        "Remove the pins of all that are the same as the selected op or buffer.",
        "op",
    ),
)
