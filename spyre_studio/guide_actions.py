"""What can be done with lessons from the menus: one method per row of `guide_menu`.

Owns: nothing but the way to the lessons of the window.  Refuses: everything else.
"""

from __future__ import annotations

from spyre_studio.action import Action
from spyre_studio.guide_menu import lesson_of
from spyre_studio.project_actions import ProjectHandlers


class GuideHandlers(ProjectHandlers):
    """The methods of the rows."""

    def begin_lesson(self, row: Action) -> None:
        """Begin a lesson, or go on where it was left."""
        self._window.guides.begin(lesson_of(row.key))

    def next_lesson_step(self, _row: Action) -> None:
        """Go on."""
        self._window.guides.next()

    def previous_lesson_step(self, _row: Action) -> None:
        """Go back."""
        self._window.guides.back()

    def show_lesson_step(self, _row: Action) -> None:
        """Do the task."""
        self._window.guides.show_me()

    def end_lesson(self, _row: Action) -> None:
        """Leave it."""
        self._window.guides.leave()
