"""What can be done about reports from the menus: one method per row of `report_menu`.

Owns: asking for the file. Refuses: writing; the session asks the worker.
"""

from __future__ import annotations

from spyre_studio.action import Action
from spyre_studio.file_dialogs import with_suffix
from spyre_studio.graph_actions import GraphHandlers
from spyre_studio.report_forms import SUFFIXES

KINDS = "Pages (*.html);;Text (*.txt)"


class ReportHandlers(GraphHandlers):
    """The method of the row."""

    def save_report(self, _row: Action) -> None:
        """Ask where, and have it written."""
        compilation = self._session.compilation
        if compilation is None:
            return
        proposed = f"{compilation.graph.name}.report.html"
        path, kind = self._window.handlers.dialogs.save_report(proposed, KINDS)
        if path:
            self._session.save_report(with_suffix(path, kind, SUFFIXES))
