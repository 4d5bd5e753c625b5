"""The row of the File menu that writes the simulated run.

Owns: its name, and when it makes sense. Refuses: Qt, and doing anything; `run_actions` does.
"""

from __future__ import annotations

from typing import Final

from spyre_studio.action import Action

RUN_ROWS: Final = (
    Action(
        "save-run",
        "File",
        "Save simulated run…",
        "save_run",
        (),
        "Write the trace of the simulated run, for Perfetto and chrome://tracing, or with all of its columns.",
        "plan",
    ),
)
