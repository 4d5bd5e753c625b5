"""The project of a window: its file, whether it is saved, and asking before something unsaved is left.

Owns: path, note, what was saved last, saving on a thread, autosaving. Refuses: what belongs to a project (`project`),
and opening one, which the session does.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QMessageBox

from compiler.errors import StudioError
from compiler.text.pins_text import print_pins
from spyre_studio.background import Background
from spyre_studio.failure import Failure
from spyre_studio.project import SUFFIX, Project
from spyre_studio.project_recovery import Left, Recovery

if TYPE_CHECKING:
    from spyre_studio.main_window import MainWindow

AUTOSAVE_MS: Final = 120_000
UNSAVED: Final = "Save the project before it is closed?"


class ProjectKeeper(QObject):
    """`changed`: saved, opened, or no longer as it was saved."""

    changed = Signal()

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window, self._session = window, window.session
        self.path: Path | None = None
        self.note = ""
        self._saved: tuple[object, ...] = self._state()
        self._source = ""
        self._wanted: Path | None = None
        self._taken: Left | None = None
        self._recovery: Recovery | None = None
        self._writing, self._autosaving = Background(self), Background(self)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.autosave)
        self._session.changed.connect(self._changed)
        self._session.restored.connect(self._restored)
        self._session.failed.connect(self._failed)

    @property
    def unsaved(self) -> bool:
        """True if closing would lose something that somebody did: pins, variants, notes, or a change of a saved one."""
        session = self._session
        pinned = bool(session.pins) or bool(session.resting.beside(session.pins))
        mine = self.path is not None or pinned or len(session.variants) > 1 or bool(self.note)
        return mine and self._session.compilation is not None and self._state() != self._saved

    def name(self, model: str) -> str:
        """What the window is called, with a mark where something is not saved."""
        return f"{self.path.stem if self.path else model}{'*' if self.unsaved else ''}"

    def open(self, path: str) -> None:
        """Open a project file."""
        self._wanted = Path(path).expanduser().absolute()
        self._session.open_project(str(self._wanted))

    def elsewhere(self) -> None:
        """Something else than a project is opened instead."""
        self._wanted = self._taken = None

    def annotate(self, note: str) -> None:
        """Change the note."""
        self.note = note
        self.changed.emit()

    # Saving

    def save(self, then: Callable[[], object] | None = None) -> None:
        """Save it; the first time, ask where.  `then` is called once it is saved."""
        if self.path is None:
            self.save_as(then)
        else:
            self._write(self.path, then)

    def save_as(self, then: Callable[[], object] | None = None) -> None:
        """Ask where, and save it."""
        compilation = self._session.compilation
        if compilation is None:
            return
        name = self.path.name if self.path else f"{compilation.graph.name}{SUFFIX}"
        found = self._window.handlers.dialogs.save_project(name)
        if found:
            path = Path(found)
            self._write(path if path.suffix else path.with_suffix(SUFFIX), then)

    def _write(self, path: Path, then: Callable[[], object] | None) -> None:
        project, state = self._project(""), self._state()
        if project is None:
            return

        def written(failure: Failure | None) -> None:
            if failure is not None:
                self._session.tell_failure(failure)
                return
            self.path, self._saved = path, state
            self._drop_autosaved()
            self._session.settings.add_recent(str(path))
            self._session.saved.emit(str(path))
            self.changed.emit()
            if then is not None:
                then()

        self._writing.run(lambda: _written(path, project), written)

    # Leaving

    def leave(self, then: Callable[[], object]) -> None:
        """Call `then` at once if nothing is lost, or when somebody has saved or does not want to."""
        if not self.unsaved:
            then()
            return
        box = QMessageBox(self._window)
        box.setObjectName("unsaved")
        box.setIcon(QMessageBox.Icon.Warning)
        box.setWindowTitle("Unsaved changes")
        box.setText(UNSAVED)
        box.setInformativeText("Pins, variants and notes that are not saved will be lost.")
        kinds = QMessageBox.StandardButton
        box.setStandardButtons(kinds.Save | kinds.Discard | kinds.Cancel)
        box.setDefaultButton(kinds.Save)
        box.setEscapeButton(kinds.Cancel)
        box.finished.connect(lambda result: self._answered(kinds(result), then))
        self.autosave()
        box.open()

    def _answered(self, answer: QMessageBox.StandardButton, then: Callable[[], object]) -> None:
        if answer is QMessageBox.StandardButton.Save:
            self.save(then)
        elif answer is QMessageBox.StandardButton.Discard:
            self._saved = self._state()
            self._drop_autosaved()
            then()

    # What a crash would leave behind

    def guard(self, recovery: Recovery, every_ms: int = AUTOSAVE_MS) -> None:
        """Autosave from now on, and offer what was left behind."""
        self._recovery = recovery
        self._timer.start(every_ms)
        left = recovery.left()
        if left:
            self._offer(left[0])

    def autosave(self) -> None:
        """Write what is not saved to where it is found again; where there is nothing, nothing is kept."""
        if not self.unsaved:
            self._drop_autosaved()
            return
        place = self._recovery.place() if self._recovery is not None else None
        project = self._project(str(self.path or "")) if place is not None else None
        if place is not None and project is not None:
            self._autosaving.run(lambda: _written(place, project), lambda _failure: None)

    def end(self) -> None:
        """The window closes, and nothing is left behind."""
        self._timer.stop()
        self._autosaving.finish()
        if self._recovery is not None:
            self._recovery.end()

    def _drop_autosaved(self) -> None:
        self._autosaving.finish()
        if self._recovery is not None:
            self._recovery.drop()

    def _offer(self, left: Left) -> None:
        when = left.when.astimezone().strftime("%Y-%m-%d %H:%M")
        box = QMessageBox(self._window)
        box.setObjectName("left-behind")
        box.setWindowTitle("Unsaved project")
        box.setText("Spyre Studio ended before a project was saved.")
        box.setInformativeText(f"It was kept at {when}. Opening it changes no file.")
        restore = box.addButton("Open it", QMessageBox.ButtonRole.AcceptRole)
        discard = box.addButton("Delete it", QMessageBox.ButtonRole.DestructiveRole)
        later = box.addButton("Later", QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(restore)
        box.setEscapeButton(later)

        def answered(_result: int) -> None:
            if box.clickedButton() is restore:
                self._taken = left
                self._window.open(str(left.path))
            elif box.clickedButton() is discard and self._recovery is not None:
                self._recovery.forget(left)

        box.finished.connect(answered)
        box.open()

    # What the session tells

    def _changed(self, what: str) -> None:
        if what == "model" and self._wanted is None:
            if self._session.source != self._source:
                self.path, self.note = None, ""
            self._source = self._session.source
            if self.path is None:
                self._saved = self._state()
        if what in {"model", "pins", "options", "variants"}:
            self.changed.emit()

    def _restored(self, project: Project) -> None:
        from spyre_studio.project_view import put_view

        opened, self._wanted = self._wanted, None
        taken, self._taken = self._taken, None
        if taken is not None and taken.path != opened:
            taken = None  # somebody thought better of it before it was opened
        self._source, self.note = self._session.source, project.note
        if taken is not None:
            self._session.settings.drop_recent(str(taken.path))
            self.path = Path(project.saved_as) if project.saved_as else None
            self._saved = ()
            self.autosave()
            self._autosaving.finish()
            if self._recovery is not None and self._recovery.keeps:
                self._recovery.forget(taken)
        else:
            self.path, self._saved = opened, self._state()
        put_view(self._window, project.view)
        self.changed.emit()

    def _failed(self, _what: str, _why: str, _remedy: str) -> None:
        if not self._session.opening:
            self.elsewhere()

    def _project(self, saved_as: str) -> Project | None:
        from spyre_studio.project_view import view_of

        if self._session.compilation is None:
            return None
        return self._session.project(view_of(self._window), self.note, saved_as)

    def _state(self) -> tuple[object, ...]:
        """What is saved, so far as a person makes it."""
        session = self._session
        return (
            session.source,
            print_pins(session.pins),
            print_pins(session.resting.beside(session.pins)),
            session.options,
            session.device,
            session.variants,
            self.note,
        )


def _written(path: Path, project: Project) -> Failure | None:
    """On a thread: write it; what went wrong is told on the window's."""
    from spyre_studio.project_check import referred
    from spyre_studio.project_document import write_project

    try:
        write_project(path, referred(project))
    except StudioError as error:
        return Failure.of(error)
    return None
