"""Projects in a session: what is open as a project, and a project's plans among those that are known.

Owns both ways between a session and the value of a project.  Refuses files, and putting it on screen, which
`Session.open_project` does.
"""

from __future__ import annotations

from PySide6.QtCore import Signal

from compiler.captured import Captured
from compiler.text.pins_text import print_pins
from spyre_studio.deep_link import from_anywhere
from spyre_studio.project import KeptPlan, ModelReference, Project, ProjectView
from spyre_studio.request import Shared, plan_handle
from spyre_studio.solved import Asked, Solved
from spyre_studio.variant_session import Varying


class Projecting(Varying):
    """`restored` carries the Project that was put on screen, after everything else was told."""

    restored = Signal(object)

    def project(self, view: ProjectView, note: str, saved_as: str = "") -> Project | None:
        """All that is open as a value; None while nothing is."""
        captured = self._captured
        if captured is None or self._model is None:
            return None
        wanted = [self._shown, self._before, *(self._entry_of(one.name) for one in self._variants)]
        entries = list(dict.fromkeys(entry for entry in wanted if entry is not None))
        return Project(
            ModelReference(from_anywhere(self._source), captured.program.source.digest),
            captured,
            self._pins,
            self._device,
            self._options,
            self._variants,
            tuple(KeptPlan(one.compilation, one.asked.pipeline, one.asked.seconds) for one in entries),
            entries.index(self._shown) if self._shown else -1,
            entries.index(self._before) if self._before else -1,
            note,
            view,
            saved_as,
            self.resting.beside(self._pins),
        )

    def _as_it_was(self, shared: Shared, value: Captured) -> tuple[Shared, Captured]:
        """The model that is open, if what was read again is the same: then its plans hold, and none is made again."""
        same = self._captured is not None and self._model is not None and value == self._captured
        if not same or self._captured is None or self._model is None:
            return shared, value
        self.noted.emit("The model is as it was: its plans are kept.")
        return self._model, self._captured

    def _add_plans(self, handle: str, project: Project) -> tuple[Solved, ...]:
        """The plans of a project whose model has this handle, as if they had been made here."""
        asked = [_asked(handle, kept) for kept in project.plans]
        self._plans.spare(frozenset(asked))
        pairs = zip(asked, project.plans, strict=True)
        found = [
            self._plans.add(key, plan_handle(handle, number), kept.compilation)
            for number, (key, kept) in enumerate(pairs)
        ]
        self.jobs.know(entry.shared.handle for entry in found)
        return tuple(found)


def _asked(handle: str, kept: KeptPlan) -> Asked:
    problem = kept.compilation.problem
    return Asked(handle, problem.device, kept.pipeline, kept.seconds, print_pins(problem.pins))
