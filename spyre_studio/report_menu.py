"""The row of the File menu that writes a report.

Owns: its name, and when it makes sense. Refuses: Qt, and doing anything; `report_actions` does.
"""

from __future__ import annotations

from typing import Final

from spyre_studio.action import Action

REPORT_ROWS: Final = (
    Action(
        "report",
        "File",
        "Save report…",
        "save_report",
        (),
        "Write the plan as a page, or as text, for people without this program.",
        "plan",
    ),
)
