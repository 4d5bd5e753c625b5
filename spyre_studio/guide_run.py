"""The lesson that runs in a window: which step one is at, whether it is done, and what comes next.

Owns: the order of things, and that a step finds the plan that it takes for granted.  Refuses: how words look, what
conditions mean, and files.  A lesson lives through re-solves, undo and changes of view; another model ends it, and it
goes on where it was left.  What only a running lesson needs is imported when one begins: a window starts without.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QTimer, Signal

from compiler.errors import StudioError
from compiler.pins import Pins
from spyre_studio.guide_file import lesson_path, read_lesson
from spyre_studio.guide_progress import keep_progress, progress_of

if TYPE_CHECKING:
    from spyre_studio.guide import GuideStep, Lesson
    from spyre_studio.guide_stage import GuideStage
    from spyre_studio.main_window import MainWindow

_FIRST_PIPELINE = "staged"


class Guides(QObject):
    """Of one window.  `changed`: another lesson, step or plan, or the task was done."""

    changed = Signal()

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._lesson: Lesson | None = None
        self._awaited: Lesson | None = None
        self._number = 0
        self._done = False
        self._stage: GuideStage | None = None
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self.look)
        session, selection = window.session, window.selection
        session.changed.connect(self._session_changed)
        session.simulated.connect(self._simulated)
        session.failed.connect(self._failed)
        selection.changed.connect(self._soon.start)
        window.start.lesson_chosen.connect(self.begin)
        window.start.installEventFilter(self)

    # What can be read

    @property
    def lesson(self) -> Lesson | None:
        """The lesson that runs."""
        return self._lesson

    @property
    def number(self) -> int:
        """The step one is at, counted from 0."""
        return self._number

    @property
    def step(self) -> GuideStep:
        """The step one is at; there is a lesson."""
        assert self._lesson is not None
        return self._lesson.steps[self._number]

    @property
    def done(self) -> bool:
        """True once the task of the step was done, and for a step without one."""
        return self._done

    @property
    def stage(self) -> GuideStage:
        """The strip and the outline, made with the first lesson."""
        if self._stage is None:
            from spyre_studio.guide_stage import GuideStage

            self._stage = GuideStage(self._window, self)
        return self._stage

    # What the reader does

    def begin(self, key: str) -> None:
        """Begin a lesson, or go on where it was left, with its example opened if it is not."""
        try:
            lesson = read_lesson(lesson_path(key))
        except StudioError as error:
            self._window.banner.say("error", error.sentence)
            return
        session = self._window.session
        self.leave()
        if session.compilation is not None and session.source == lesson.heading.model and not session.opening:
            if self._window.page is self._window.start:
                self._window.toggle_start_page()
            self._start(lesson)
        else:
            self._awaited = lesson
            self._window.open(lesson.heading.model)

    def next(self) -> None:
        """The next step; after the last one the lesson is finished."""
        if self._lesson is None:
            return
        if self._number + 1 < len(self._lesson.steps):
            self._go(self._number + 1, prepare=not self._done)
            return
        key, title = self._lesson.heading.key, self._lesson.heading.title
        self._end()
        keep_progress(self._window.session.settings, key, progress_of(self._window.session.settings, key).ended())
        self._window.status.say(f"You finished the lesson “{title}”; the plan stays as it is")

    def back(self) -> None:
        """The step before, with the plan that it speaks of."""
        if self._lesson is not None and self._number > 0:
            self._go(self._number - 1, prepare=True)

    def show_me(self) -> None:
        """Have the task of this step done."""
        if self._lesson is not None and self.step.done and not self._done:
            from spyre_studio.guide_conditions import do

            do(self.step.done, self._window)
            self.look()

    def leave(self) -> None:
        """End the lesson; it goes on from this step when it is begun again."""
        self._awaited = None
        if self._lesson is not None:
            self._end()

    def look(self) -> None:
        """See whether the task was done meanwhile."""
        if self._lesson is None or not self._window.has_views:
            return
        from spyre_studio.guide_conditions import holds

        before, self._done = self._done, self._done or holds(self.step.done, self._window)
        if self._done and not before:
            self.changed.emit()

    # How it works

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """A lesson speaks of the views: it is silent on the start page."""
        if event.type() in {QEvent.Type.Show, QEvent.Type.Hide} and self._lesson is not None:
            self.changed.emit()
        return super().eventFilter(watched, event)

    def _start(self, lesson: Lesson) -> None:
        self._awaited, self._lesson = None, lesson
        self.stage.follow()
        number = progress_of(self._window.session.settings, lesson.heading.key).step
        self._window.actions_.lesson_runs = True
        self._window.actions_.refresh()
        self._go(number if number < len(lesson.steps) else 0, prepare=True)

    def _go(self, number: int, prepare: bool) -> None:
        from spyre_studio.guide_conditions import holds, look_at

        lesson, settings = self._lesson, self._window.session.settings
        assert lesson is not None
        self._number = number
        key = lesson.heading.key
        keep_progress(settings, key, progress_of(settings, key).at(number))
        if prepare:
            self._prepare(lesson)
        look_at(self.step.look, self._window)
        self._done = not self.step.done or holds(self.step.done, self._window)
        self.changed.emit()

    def _prepare(self, lesson: Lesson) -> None:
        """Have the plan that this step takes for granted."""
        from spyre_studio.guide_conditions import bring_to

        session = self._window.session
        pins: Pins = lesson.pins_at(self._number, session.pins)
        bring_to(session, pins, lesson.pipeline_at(self._number, _FIRST_PIPELINE))

    def _end(self) -> None:
        self._lesson = None
        self._number, self._done = 0, False
        self._window.actions_.lesson_runs = False
        self._window.actions_.refresh()
        self.changed.emit()

    def _session_changed(self, what: str) -> None:
        if what == "model":
            self._model_changed()
        elif what == "state" and self._awaited is not None:
            self._plan_first(self._awaited)
        elif self._lesson is not None:
            if what in {"plan", "state"}:
                self.changed.emit()
            self._soon.start()

    def _plan_first(self, lesson: Lesson) -> None:
        """What is opened for a lesson is planned as its first step takes it for granted: there is no plan before."""
        from spyre_studio.guide_conditions import plan_as_usual

        session = self._window.session
        if session.opening == lesson.heading.model:
            plan_as_usual(session, lesson.pipeline_at(0, _FIRST_PIPELINE))

    def _simulated(self) -> None:
        self._soon.start()
        if self._lesson is not None and self._window.session.timeline is not None:
            self.changed.emit()

    def _model_changed(self) -> None:
        source, awaited, running = self._window.session.source, self._awaited, self._lesson
        self._awaited = None
        if awaited is not None and source == awaited.heading.model:
            # In a turn of its own: the window shows the model first.
            QTimer.singleShot(0, self, lambda: self._arrived(awaited))
        elif running is not None and source != running.heading.model:
            self._end()
            self._window.status.say(f"The lesson “{running.heading.title}” waits for you under Help > Lessons")

    def _arrived(self, lesson: Lesson) -> None:
        session = self._window.session
        if self._lesson is None and session.source == lesson.heading.model and not session.opening:
            self._start(lesson)

    def _failed(self, _what: str, _why: str, _remedy: str) -> None:
        """What was to be opened for a lesson cannot be."""
        if self._awaited is not None and not self._window.session.opening:
            self._awaited = None
