"""The rows of the menus that concern variants.

Owns: their names, keys and when they make sense. Refuses: Qt, and doing anything; `variant_actions` does.
"""

from __future__ import annotations

from typing import Final

from spyre_studio.action import Action

VARIANT_ROWS: Final = (
    Action(
        "keep-variant",
        "Plan",
        "Keep as variant…",
        "keep_variant",
        ("Ctrl+D",),
        "Give pins, options and plan a name, to find and compare them again.",
        "plan",
        section=True,
    ),
    Action(
        "show-variant",
        "Plan",
        "Show variant…",
        "show_variant",
        ("Ctrl+Shift+D",),
        "Put a variant on screen; its plan is not made again.",
        "variants",
    ),
    Action(
        "compare-variant",
        "Plan",
        "Compare with…",
        "compare_variant",
        (),
        "The plan on screen and a variant.",
        "variants",
    ),
    Action("rename-variant", "Plan", "Rename variant", "rename_variant", (), "Edit its name in Variants.", "variants"),
    Action(
        "remove-variant", "Plan", "Remove variant…", "remove_variant", (), "What was made from it stays.", "variants"
    ),
)
