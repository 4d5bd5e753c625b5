"""What is seen of a lesson in the window: the strip at the lower edge and the outline around what it speaks of.

Owns: both widgets, the words with the figures filled in, and when they are shown.  Refuses: what happens next.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QVBoxLayout, QWidget
from shiboken6 import delete, isValid

from spyre_studio.guide import GuideStep, Lesson
from spyre_studio.guide_figure_names import with_figures
from spyre_studio.guide_figures import Scene, figure
from spyre_studio.guide_places import in_sight, place_widget
from spyre_studio.qt_theme import font
from spyre_studio.views.guide_card import GuideCard, Said
from spyre_studio.views.guide_outline import GuideOutline

if TYPE_CHECKING:
    from spyre_studio.guide_run import Guides
    from spyre_studio.main_window import MainWindow

_NAME: Final = re.compile(r"`([^`]+)`")
_SHORT: Final = 16
_SOLVING: Final = "The plan for this step is being made…"


def _bold(figure: str) -> str:
    """A figure that is not parted from its unit, unless it is long."""
    words = escape(figure)
    return f"<b>{words.replace(' ', '&nbsp;') if len(figure) < _SHORT else words}</b>"


def _code(name: str, family: str) -> str:
    """A name that is not broken between lines."""
    return f"<span style='font-family:{family}'>{name.replace(' ', '&nbsp;')}</span>"


class GuideStage(QObject):
    """Of one window. `card` and `outline` are made anew where texts get another size."""

    def __init__(self, window: MainWindow, guides: Guides) -> None:
        super().__init__(guides)
        self._window, self._guides = window, guides
        self._watched: QWidget | None = None
        self.card, self.outline = self._made()
        guides.changed.connect(self.follow)
        window.maker.renewed.connect(self.follow)
        window.session.settings.changed.connect(self._setting_changed)

    def follow(self) -> None:
        """Say and outline what belongs to the step."""
        lesson, window = self._guides.lesson, self._window
        shown = lesson is not None and window.has_views and not window.start.isVisible()
        self.card.setVisible(shown)
        if lesson is None or not shown:
            self.outline.put_around(None)
            self._watch(None)
            return
        self._say(lesson)
        QTimer.singleShot(0, self, self._outline)  # first everything takes its place

    def plain(self, text: str) -> str:
        """The words of a text with its figures, as they are read aloud."""
        scene = self._scene()
        return with_figures(text, lambda name, about: figure(scene, name, about) if scene else "…").replace("`", "")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The place that is to be brought to front has come, or gone."""
        if event.type() in {QEvent.Type.Show, QEvent.Type.Hide}:
            QTimer.singleShot(0, self._guides, self._guides.look)
        return super().eventFilter(watched, event)

    def _say(self, lesson: Lesson) -> None:
        guides, session = self._guides, self._window.session
        step, done = guides.step, guides.done
        solving = session.stale and not (done and step.done)
        task = step.after if done and step.after else step.task
        said = Said(
            lesson=lesson.heading.title,
            place=f"{guides.number + 1} of {len(lesson.steps)}",
            title=step.title,
            text=_SOLVING if solving and not step.done.changes_plan else self._rich(step.text),
            task=self._rich(task),
            done=done,
            first=guides.number == 0,
            last=guides.number + 1 == len(lesson.steps),
            can_show=True,
            spoken=self._spoken(lesson, step, task, done),
        )
        self.card.make_room(tuple(map(self._room, lesson.steps)))
        self.card.say(said)

    def _spoken(self, lesson: Lesson, step: GuideStep, task: str, done: bool) -> str:
        where = f"Lesson {lesson.heading.title}, step {self._guides.number + 1} of {len(lesson.steps)}"
        state = "Done: " if done and step.done else "To do: " if step.done else ""
        return f"{where}. {step.title}. {self.plain(step.text)} {state}{self.plain(task)}".strip()

    def _room(self, step: GuideStep) -> tuple[str, str]:
        return self._rich(step.text), max(self._rich(step.task), self._rich(step.after), key=len)

    def _rich(self, text: str) -> str:
        """With figures in bold and names as code."""
        scene = self._scene()
        family = escape(font("body", mono=True).family(), quote=True)
        return with_figures(
            text,
            lambda name, about: _bold(figure(scene, name, about) if scene is not None else "…"),
            lambda plain: _NAME.sub(lambda name: _code(name[1], family), escape(plain)),
        )

    def _scene(self) -> Scene | None:
        session = self._window.session
        if session.compilation is None:
            return None
        run = session.timeline
        return Scene(session.compilation, session.before, session.verify_report, run.total_ps if run else None)

    def _outline(self) -> None:
        if self._guides.lesson is None or not self._window.has_views or not isValid(self.outline):
            return
        bench, step = self._window.workbench, self._guides.step
        keys = [key for key in (step.done.at, step.look.at) if key]
        shown = next((key for key in keys if in_sight(bench, key)), keys[-1] if keys else "")
        self.outline.put_around(place_widget(bench, shown) if shown else None)
        self._watch(place_widget(bench, step.done.at) if step.done.at else None)

    def _watch(self, widget: QWidget | None) -> None:
        if self._watched is not None and isValid(self._watched):
            self._watched.removeEventFilter(self)
        self._watched = widget
        if widget is not None:
            widget.installEventFilter(self)

    def _made(self) -> tuple[GuideCard, GuideOutline]:
        page = self._window.centralWidget()
        column = page.layout() if page is not None else None
        assert page is not None
        assert isinstance(column, QVBoxLayout)
        card = GuideCard(page)
        card.hide()
        card.asked.connect(self._asked)
        column.insertWidget(column.count() - 1, card)  # above the status line
        return card, GuideOutline(page)

    def _asked(self, what: str) -> None:
        guides = self._guides
        {"back": guides.back, "show": guides.show_me, "next": guides.next, "leave": guides.leave}[what]()

    def _setting_changed(self, what: str) -> None:
        if what == "text_size":
            QTimer.singleShot(0, self, self._renew)  # the window makes its views anew before

    def _renew(self) -> None:
        for widget in (self.card, self.outline):
            delete(widget)
        self.card, self.outline = self._made()
        self.follow()
