"""A session with a plan on screen but no worker behind it, for tests of views.

Owns putting a compilation on screen, answering for the worker at once, and showing a view with its selection wired.
Refuses opening and solving: views only ask for them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

import numpy as np
from PySide6.QtCore import QSettings
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from compiler.candidates import Candidate, candidates
from compiler.captured import Captured
from compiler.compilation import Compilation
from compiler.emit import ready
from compiler.errors import StudioError
from compiler.handover import Handover
from compiler.handovers import handover
from compiler.layout_candidate import LayoutCandidate
from compiler.layout_candidates import layout_candidates
from compiler.pass_replay import replay
from compiler.pass_story import PassStory
from compiler.watch import Watch
from simulator.report import VerifyReport
from simulator.timing.simulate import simulate
from spyre_studio.export_file import preview
from spyre_studio.failure import Failure
from spyre_studio.jobs import Progress
from spyre_studio.preview import Preview
from spyre_studio.request import Shared
from spyre_studio.selection import Selection
from spyre_studio.session import Session
from spyre_studio.settings import Settings
from spyre_studio.tasks import step_opinions
from spyre_studio.timeline_data import timeline_of
from spyre_studio.views.paged import PagedView
from tests.spyre_studio.hand import show

View = TypeVar("View", bound=PagedView)


class Stage(Session):
    """`put` shows a plan; `asked` collects what views asked for."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings=settings)
        self.asked: list[str] = []
        self.waiting: list[Callable[[tuple[Candidate, ...]], None]] = []
        self.waiting_layouts: list[Callable[[tuple[LayoutCandidate, ...]], None]] = []
        self.waiting_handovers: list[Callable[[Handover], None]] = []
        self.waiting_passes: list[Callable[[PassStory], None]] = []
        self.waiting_previews: list[Callable[[Preview], None]] = []
        self.layouts_failure: Failure | None = None
        self.passes_failure: Failure | None = None
        self.handover_failure: Failure | None = None
        self.answers = True
        self._made = 0

    def put(self, compilation: Compilation) -> None:
        """Show a plan; the one before it becomes `before`."""
        self._made += 1
        first = self._model is None
        if first:
            self._model = Shared("model", Captured(compilation.graph, compilation.problem.program))
        self._device, self._pins = compilation.problem.device, compilation.problem.pins
        self._before = self._shown
        self._shown = self._plans.add(self._asked(self._pins), f"plan-{self._made}", compilation)
        if first:
            self._begin_variants()
        for what in ("plan", "pins", "verify", "state"):
            self.changed.emit(what)

    def put_report(self, report: VerifyReport) -> None:
        """Let verify have found something."""
        assert self._shown is not None
        self._shown.report = report
        self.changed.emit("verify")

    def resolve(self) -> None:
        """Only noted."""
        self.asked.append("resolve")

    def verify(self) -> None:
        """Only noted."""
        self.asked.append("verify")

    def weigh(self) -> None:
        """Only noted."""
        self.asked.append("weigh")

    def simulate(self) -> None:
        """Answered at once, or only noted."""
        self.asked.append("simulate")
        entry = self._shown
        if entry is None or not self.answers:
            return
        try:
            trace = simulate(entry.compilation.program, entry.compilation.problem.device)
        except StudioError as error:
            self._simulated_to(entry, Failure.of(error))
        else:
            self._simulated_to(entry, timeline_of(trace, step_opinions(entry.compilation, trace)))

    def request_candidates(self, op: str, callback: Callable[[tuple[Candidate, ...]], None]) -> None:
        """Answered at once, or kept in `waiting`."""
        self.asked.append(f"candidates {op}")
        compilation = self.compilation
        assert compilation is not None
        if self.answers:
            callback(candidates(compilation.problem, compilation.plan, op))
        else:
            self.waiting.append(callback)

    def request_handover(
        self,
        buffer: str,
        ends: tuple[str, str],
        drafts: Mapping[str, Mapping[str, int]],
        callback: Callable[[Handover], None],
        failed: Callable[[Failure], None],
    ) -> None:
        """Answered at once, kept in `waiting_handovers`, or failed."""
        self.asked.append(f"handover {buffer}")
        compilation = self.compilation
        assert compilation is not None
        if self.handover_failure is not None:
            failed(self.handover_failure)
        elif self.answers:
            callback(handover(compilation.problem, compilation.plan, buffer, ends, drafts))
        else:
            self.waiting_handovers.append(callback)

    def request_layouts(
        self,
        buffer: str,
        follow: bool,
        callback: Callable[[tuple[LayoutCandidate, ...]], None],
        failed: Callable[[Failure], None],
    ) -> None:
        """Answered at once, kept in `waiting_layouts`, or failed."""
        self.asked.append(f"layouts {buffer}{' follow' if follow else ''}")
        compilation = self.compilation
        assert compilation is not None
        if self.layouts_failure is not None:
            failed(self.layouts_failure)
        elif self.answers:
            callback(layout_candidates(compilation.problem, compilation.plan, buffer, follow))
        else:
            self.waiting_layouts.append(callback)

    def request_preview(
        self,
        name: str,
        chosen: Mapping[str, str],
        callback: Callable[[Preview], None],
        failed: Callable[[Failure], None],
    ) -> None:
        """Answered at once, or kept in `waiting_previews`."""
        words = " ".join([name, *(f"{key}={value}" for key, value in chosen.items())])
        self.asked.append(f"preview {words}")
        compilation = self.compilation
        assert compilation is not None
        if self.answers:
            try:
                callback(preview(ready(compilation, name, chosen)))
            except StudioError as error:
                failed(Failure.of(error))
        else:
            self.waiting_previews.append(callback)

    def request_passes(
        self, callback: Callable[[PassStory], None], failed: Callable[[Failure], None], progress: Progress
    ) -> None:
        """Answered at once, kept in `waiting_passes`, or failed."""
        self.asked.append("passes")
        compilation = self.compilation
        assert compilation is not None
        if self.passes_failure is not None:
            failed(self.passes_failure)
        elif self.answers:
            callback(replay(compilation, self.before, Watch()))
        else:
            progress(0.5, "assign-layouts", "")
            self.waiting_passes.append(callback)

    def cancel_passes(self) -> None:
        """Nobody waits."""
        self.asked.append("cancel passes")
        self.waiting_passes.clear()


def quiet_settings(folder: str) -> Settings:
    """Settings of their own, under which pins do not start a solve."""
    settings = Settings(QSettings(f"{folder}/settings.ini", QSettings.Format.IniFormat))
    settings.set("resolve_automatically", False)
    return settings


def staged(
    qtbot: QtBot, stage: Stage, view_class: Callable[[Session, Selection], View], width: int = 800, height: int = 480
) -> tuple[View, Selection]:
    """The view on screen with what the stage shows, following a selection."""
    selection = Selection()
    selection.retarget(stage.compilation)
    view = view_class(stage, selection)
    selection.changed.connect(view.show_selection)
    stage.changed.connect(lambda what: _plan_changed(stage, selection, view) if what == "plan" else None)
    show(qtbot, view, width, height)
    view.show_compilation(stage.compilation)
    return view, selection


def _plan_changed(stage: Stage, selection: Selection, view: PagedView) -> None:
    selection.retarget(stage.compilation)
    view.show_compilation(stage.compilation)


def all_texts(widget: QWidget) -> str:
    """Everything that labels below a widget say, one line each."""
    from PySide6.QtWidgets import QLabel

    return "\n".join(label.text() for label in widget.findChildren(QLabel) if label.isVisible())


def colours_in(widget: QWidget) -> frozenset[str]:
    """Every colour of a widget as it is painted now, '#rrggbb'."""
    picture = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(picture.constBits(), np.uint32) & 0xFFFFFF
    return frozenset(f"#{value:06x}" for value in np.unique(pixels).tolist())
