"""Bench maker: the views of a window, made when they are needed, in turns of the event loop where there is time.

Owns: the workbench, the parts of one that is not whole yet, and its renewal in another size of texts, where what was
in front and open is so again.  Refuses: what the window shows, and when.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QObject, QTimer, Signal
from PySide6.QtWidgets import QStackedWidget
from shiboken6 import delete

from spyre_studio.graph_place import GraphPlace, place_of, put_place
from spyre_studio.views import part_names

if TYPE_CHECKING:
    from spyre_studio.main_window import MainWindow
    from spyre_studio.workbench import Workbench


@dataclass(frozen=True, slots=True)
class _Seen:
    """How somebody had the views: which was in front and alone, the panels, the groups that were open, the place."""

    shown: bool
    key: str
    alone: str
    layout: QByteArray
    opened: frozenset[str]
    place: GraphPlace | None

    def put(self, pages: QStackedWidget, bench: Workbench) -> None:
        """Have them so again."""
        bench.restore_layout(self.layout)
        bench.show_view(self.key)
        if self.shown:
            pages.setCurrentWidget(bench)
            bench.graph.fold.keep_open(self.opened)
            put_place(bench.graph, self.place)
            bench.graph.canvas.setFocus()
        if self.alone:
            bench.full.enter(self.alone)


class BenchMaker(QObject):
    """Of one window.  `made` is called with each workbench once it is whole; `renewed` tells that it stands in place of
    another."""

    renewed = Signal()

    def __init__(self, window: MainWindow, pages: QStackedWidget, made: Callable[[Workbench], object]) -> None:
        super().__init__(window)
        self._window, self._pages, self._made = window, pages, made
        self.bench: Workbench | None = None
        """The views; None until they are whole."""
        self._unmade: Workbench | None = None
        self._unfinished: Callable[[], object] | None = None

    def whole(self) -> Workbench:
        """The views, at once."""
        if self.bench is None:
            while self._make_part():
                pass
            assert self._unmade is not None
            self.bench, self._unmade = self._unmade, None
            self._pages.addWidget(self.bench)
            self._made(self.bench)
        return self.bench

    def soon(self, modules: tuple[str, ...] | None = None) -> None:
        """Import and then make the views while a model is being read, one in a turn of the event loop."""
        modules = part_names() if modules is None else modules
        if self.bench is not None or not self._window.session.opening:
            return
        if modules:
            import_module(modules[0])
        elif not self._make_part():
            self.whole()
            return
        QTimer.singleShot(0, self, lambda: self.soon(modules[1:]))

    def renew(self, between: Callable[[], object]) -> None:
        """Take the views away, do what is to be done between, make them anew in turns; what is on screen stands still
        meanwhile.  Not to be called while an event of a view is being dealt with."""
        self._finish()
        old = self.whole()
        shown = self._pages.currentWidget() is old
        seen = _Seen(
            shown, old.current_view, old.full.key, old.saved_layout(), old.graph.fold.opened, place_of(old.graph)
        )
        self._window.setUpdatesEnabled(not shown)
        self._pages.removeWidget(old)
        delete(old)
        self.bench = None
        between()

        def finish() -> None:
            seen.put(self._pages, self.whole())
            self._window.setUpdatesEnabled(True)
            self.renewed.emit()

        self._unfinished = finish
        QTimer.singleShot(0, self, self._renew_part)

    @property
    def renewing(self) -> bool:
        """True while there are no views because they are made anew."""
        return self._unfinished is not None

    def _renew_part(self) -> None:
        if self._unfinished is not None and self.bench is None and self._make_part():
            QTimer.singleShot(0, self, self._renew_part)
        else:
            self._finish()

    def _finish(self) -> None:
        if self._unfinished is not None:
            finish, self._unfinished = self._unfinished, None
            finish()

    def _make_part(self) -> bool:
        """Make a part of the views; False if there is none left."""
        if self._unmade is None:
            from spyre_studio.workbench import Workbench

            self._unmade = Workbench(self._window.session, self._window.selection, self._pages)
        return next(self._unmade.making, None) is not None
