"""The rows of the menus that concern projects.

Owns: their names, keys and when they make sense. Refuses: Qt, and doing anything; `project_actions` does.
"""

from __future__ import annotations

from typing import Final

from spyre_studio.action import Action

PROJECT_ROWS: Final = (
    Action(
        "save-project",
        "File",
        "Save project",
        "save_project",
        ("Ctrl+S",),
        "Save model, pins, variants with their plans, notes and where you are.",
        "plan",
        section=True,
    ),
    Action(
        "save-project-as",
        "File",
        "Save project as…",
        "save_project_as",
        ("Ctrl+Shift+S",),
        "Save the project in another file.",
        "plan",
    ),
    Action("project-note", "File", "Project note…", "project_note", (), "Write down what the project is for.", "plan"),
)
