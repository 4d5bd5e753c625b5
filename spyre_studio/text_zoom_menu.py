"""The rows of the menus that concern how large things are shown: texts, and one view alone.

Owns: their names, keys and when they make sense. Refuses: Qt. Ctrl with plus, minus and zero zoom the picture that has
the keyboard; with Alt they are about texts.
"""

from __future__ import annotations

from typing import Final

from spyre_studio.action import Action

SIZE_ROWS: Final = (
    Action(
        "text-larger",
        "View",
        "Larger text",
        "text_larger",
        ("Ctrl+Alt++", "Ctrl+Alt+="),
        "Texts, and all that is measured by them, one step larger.",
        section=True,
    ),
    Action("text-smaller", "View", "Smaller text", "text_smaller", ("Ctrl+Alt+-",), "Texts one step smaller."),
    Action(
        "text-normal", "View", "Text as the system has it", "text_normal", ("Ctrl+Alt+0",), "Texts in their usual size."
    ),
    Action(
        "full-view",
        "View",
        "This view alone",
        "full_view",
        ("F11",),
        "The view with the keyboard fills the window; again, or Esc, for all views.",
        "plan",
        section=True,
    ),
    Action("full-screen", "View", "Full screen", "full_screen", ("Shift+F11",), "The window without its frame."),
)
