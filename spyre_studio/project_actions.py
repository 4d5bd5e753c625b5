"""What can be done with projects from the menus: one method per row of `project_menu`.

Owns: asking for the note. Refuses: saving; the keeper does.
"""

from __future__ import annotations

from PySide6.QtWidgets import QInputDialog

from spyre_studio.action import Action
from spyre_studio.run_actions import RunHandlers


class ProjectHandlers(RunHandlers):
    """The methods of the rows."""

    def save_project(self, _row: Action) -> None:
        """Save where it was saved before; the first time, ask where."""
        self._window.project.save()

    def save_project_as(self, _row: Action) -> None:
        """Ask where to save it."""
        self._window.project.save_as()

    def project_note(self, _row: Action) -> None:
        """Edit the note of the project."""
        project = self._window.project
        dialog = QInputDialog(self._window)
        dialog.setObjectName("project-note")
        dialog.setOption(QInputDialog.InputDialogOption.UsePlainTextEditForTextInput)
        dialog.setWindowTitle("Project note")
        dialog.setLabelText("What the project is for")
        dialog.setTextValue(project.note)
        dialog.textValueSelected.connect(project.annotate)
        dialog.open()
