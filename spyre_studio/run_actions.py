"""What can be done with the simulated run from the menus: one method per row of `run_menu`.

Owns: asking for the file. Refuses: simulating and writing; the session asks the worker.
"""

from __future__ import annotations

from typing import Final

from spyre_studio.action import Action
from spyre_studio.file_dialogs import with_suffix
from spyre_studio.report_actions import ReportHandlers

KINDS: Final = "Trace for Perfetto (*.json);;Columns of numbers (*.npz)"
SUFFIXES: Final = (".json", ".npz")


class RunHandlers(ReportHandlers):
    """The method of the row."""

    def save_run(self, _row: Action) -> None:
        """Ask where, and have it written."""
        compilation = self._session.compilation
        if compilation is None:
            return
        proposed = f"{compilation.graph.name}.run.json"
        path, kind = self._window.handlers.dialogs.save_run(proposed, KINDS)
        if path:
            self._session.save_run(with_suffix(path, kind, SUFFIXES))
