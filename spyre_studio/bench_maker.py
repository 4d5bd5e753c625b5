"""Bench maker: the views of a window, made when they are needed, in turns of the event loop where there is time.

Owns: the workbench, the parts of one that is not whole yet, and its renewal in another size of texts, where what was
in front and open is so again.  Refuses: what the window shows, and when.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget
from shiboken6 import delete

from spyre_studio.views import part_names

if TYPE_CHECKING:
    from spyre_studio.bench_place import BenchPlace
    from spyre_studio.main_window import MainWindow
    from spyre_studio.workbench import Workbench


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
        self._place: BenchPlace | None = None
        self._blank = QWidget(pages)
        pages.addWidget(self._blank)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._renew_part)

    def whole(self) -> Workbench:
        """The views, at once; while they are made anew, as somebody had them."""
        self.settle()
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
        if self.bench is not None or self.renewing or not self._window.session.opening:
            return
        if modules:
            import_module(modules[0])
        elif not self._make_part():
            self.whole()
            return
        QTimer.singleShot(0, self, lambda: self.soon(modules[1:]))

    def renew(self, between: Callable[[], object]) -> None:
        """Take away the views, or what there is of them, do what is to be done between, and make them anew in turns.

        What is on screen stands still meanwhile, and takes no input.  Not to be called while an event of a view is
        being dealt with.
        """
        self._forget_parts()
        if self.bench is not None:
            self._take_away(self.bench)
        between()
        if self.renewing:
            self._timer.start()
        else:
            self.soon()

    @property
    def renewing(self) -> bool:
        """True while there are no views because they are made anew."""
        return self._place is not None

    def settle(self) -> None:
        """What is made anew is there from now on, if anything is: for whoever is about to use it."""
        if self._place is None:
            return
        place, self._place = self._place, None
        self._timer.stop()
        bench = self.whole()
        if place.shown and self._pages.currentWidget() is self._blank:
            self._pages.setCurrentWidget(bench)
        place.put(bench)
        self._window.setUpdatesEnabled(True)
        self.renewed.emit()

    def _take_away(self, old: Workbench) -> None:
        from spyre_studio.bench_place import bench_place  # knows views: not needed for the first paint

        shown = self._pages.currentWidget() is old
        self._place = bench_place(old, shown=shown)
        if shown:
            self._window.setUpdatesEnabled(False)
            self._pages.setCurrentWidget(self._blank)
        self._pages.removeWidget(old)
        delete(old)
        self.bench = None

    def _forget_parts(self) -> None:
        """They measured themselves by another size."""
        if self._unmade is not None:
            delete(self._unmade)
            self._unmade = None

    def _renew_part(self) -> None:
        if not self._make_part():
            self.settle()

    def _make_part(self) -> bool:
        """Make a part of the views; False if there is none left."""
        if self._unmade is None:
            from spyre_studio.workbench import Workbench

            self._unmade = Workbench(self._window.session, self._window.selection, self._pages)
        return next(self._unmade.making, None) is not None
