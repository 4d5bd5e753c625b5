"""The rows of the menus that concern lessons.

Owns: their names, keys and when they make sense.  Refuses: Qt, files, and doing anything; `guide_actions` does.
"""

from __future__ import annotations

from typing import Final

from spyre_studio.action import Action

_PREFIX: Final = "lesson-"
_ABOUT: Final = (
    ("softmax", "softmax", "Sticks, reductions, and what staying in LX saves"),
    ("mlp", "fused MLP", "Splits of matrix products, and pins that make neighbours agree"),
    ("attention", "attention", "Layouts, the run over time, and everything decided at once"),
    ("mismatch", "mismatch", "Neighbours divided differently, and the way over the ring"),
)


def lesson_of(action: str) -> str:
    """The key of the lesson that an action begins."""
    return action.removeprefix(_PREFIX)


LESSON_ROWS: Final = (
    *(
        Action(f"{_PREFIX}{key}", "Help", f"Lesson on {name}", "begin_lesson", (), f"{about}.", submenu="Lessons")
        for key, name, about in _ABOUT
    ),
    Action(
        "lesson-next",
        "Help",
        "Next step of the lesson",
        "next_lesson_step",
        ("F9",),
        "Go on, whether the task is done or not.",
        "lesson",
        section=True,
        submenu="Lessons",
    ),
    Action(
        "lesson-back",
        "Help",
        "Step back in the lesson",
        "previous_lesson_step",
        ("Shift+F9",),
        "The step before, with the plan that it speaks of.",
        "lesson",
        submenu="Lessons",
    ),
    Action(
        "lesson-show",
        "Help",
        "Show me",
        "show_lesson_step",
        ("Ctrl+F9",),
        "Have the task of the lesson done for you.",
        "lesson",
        submenu="Lessons",
    ),
    Action(
        "lesson-end",
        "Help",
        "Leave the lesson",
        "end_lesson",
        (),
        "It goes on from this step when you come back.",
        "lesson",
        submenu="Lessons",
    ),
)
