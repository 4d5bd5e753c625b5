"""The window: start page or workbench, menus, banner, status line.

Owns: the application's life, drops, what is remembered between runs. Refuses: what views show and what actions do.
The first paint comes without the views: they are made when the first model opens.
"""

from __future__ import annotations

import sys
import traceback
from types import TracebackType
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QSettings, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeyEvent
from PySide6.QtWidgets import QMainWindow, QMenu, QStackedWidget, QVBoxLayout, QWidget

from compiler.import_log import disagreements
from resources.examples import examples
from spyre_studio.action_set import ActionSet, bind
from spyre_studio.banner import Banner, BannerKind
from spyre_studio.bench_maker import BenchMaker
from spyre_studio.deep_link_follow import DeepLinks
from spyre_studio.derived import ops_of
from spyre_studio.end_teller import EndTeller
from spyre_studio.guide_run import Guides
from spyre_studio.handlers import Handlers
from spyre_studio.import_words import import_words, told
from spyre_studio.phases import phase_words, spoken_name
from spyre_studio.project import is_project
from spyre_studio.project_keeper import ProjectKeeper
from spyre_studio.qt_theme import ThemeFollower, dress, system_scale
from spyre_studio.selection import Selection
from spyre_studio.session import Session
from spyre_studio.solver_words import missing_note
from spyre_studio.start_page import StartPage
from spyre_studio.state_page import StatePage
from spyre_studio.status_line import StatusLine
from spyre_studio.text_zoom_apply import TextSize
from spyre_studio.user_folder import write_traceback
from spyre_studio.view_state import loading

if TYPE_CHECKING:
    from spyre_studio.workbench import Workbench

_SOON_MS = 20  # the page that says what is opened is painted before
GEOMETRY, _LAYOUT = "window/geometry", "window/layout"


class MainWindow(QMainWindow):
    """Everything of one session."""

    def __init__(
        self, session: Session, theme: ThemeFollower, store: QSettings | None = None, parent: QWidget | None = None
    ) -> None:
        """`store` remembers geometry and layout; None remembers nothing, as for a picture."""
        super().__init__(parent)
        dress(self)
        self.session, self.selection, self.theme = session, Selection(self), theme
        self._store = store
        self._told, self._chose = "", False
        self._missing, self._missed = "", True
        self.text_size = TextSize(self)
        self.start = StartPage(session.settings, self)
        self.loading = StatePage(parent=self)
        self.banner = Banner(self)
        self.status = StatusLine(session, self)
        self.ends = EndTeller(session, self)
        self._pages = QStackedWidget(self)
        self.maker = BenchMaker(self, self._pages, self._made)
        self.maker.renewed.connect(self.text_size.fit_sides)
        self.actions_ = ActionSet(session, self.selection, self)
        self.handlers = Handlers(self)
        self.project = ProjectKeeper(self)
        self.links = DeepLinks(self)
        self.guides = Guides(self)
        self._arrange()
        self._connect()
        if store is not None:
            self.restoreGeometry(_bytes(store.value(GEOMETRY)))
        self._show_page()
        self.start.setFocus()

    @property
    def workbench(self) -> Workbench:
        """The views; imported and made when first needed, so that the start page is there at once."""
        return self.maker.whole()

    @property
    def has_views(self) -> bool:
        """False until the first model opens, and while they are made anew."""
        return self.maker.bench is not None

    def _made(self, bench: Workbench) -> None:
        bench.header.asked.connect(self._asked)
        bench.asked.connect(self.actions_.trigger)
        bench.pins.told.connect(self.status.say)
        bench.graph.addActions(self.actions_.of_scope("graph"))
        if self._store is not None:
            bench.restore_layout(_bytes(self._store.value(_LAYOUT)))

    @property
    def page(self) -> QWidget | None:
        """What fills the window: start page or workbench."""
        return self._pages.currentWidget()

    def open(self, spec: str) -> None:
        """Open a model, a plan, a project, an example, or a link to a place in one; what is open stays until it is
        there.  Changes that are not saved are asked about first.  A link into what is open only goes there."""
        if self.links.stays(spec):
            self.leave_start_page()
            return
        self.project.leave(lambda: self._open(spec))

    def _open(self, spec: str) -> None:
        self.banner.hide()
        found = self.links.opened(spec)
        if is_project(found):
            self.project.open(found)
        else:
            self.project.elsewhere()
            self.session.open(found)
        QTimer.singleShot(_SOON_MS, self, self.maker.soon)

    def toggle_start_page(self) -> None:
        """Start page, or back to what is open."""
        if not self.leave_start_page():
            self._pages.setCurrentWidget(self.start)
            self.start.setFocus()

    def leave_start_page(self) -> bool:
        """Back from the start page to what is open; False if it is not in front, or nothing is open."""
        there = self.session.compilation is not None and self.page is self.start
        if there:
            self._pages.setCurrentWidget(self.workbench)
            self.workbench.graph.canvas.setFocus()
        return there

    def _chosen(self, spec: str) -> None:
        """Something on the start page: what is open already is gone back to as it is."""
        own = str(self.project.path) if self.project.path else self.session.source
        if spec != own or self.session.opening or not self.leave_start_page():
            self.open(spec)

    def mistaken(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """What Python calls for an exception nobody caught: say so, keep the details, and go on."""
        details = "".join(traceback.format_exception(kind, error, trace))
        sys.stderr.write(details)
        write_traceback(details)
        told = f"Spyre Studio made a mistake of its own ({kind.__name__}: {error}); report it with the details."
        self.banner.say("error", " ".join(told.split()), details)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take one local file."""
        if _dropped(event):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open it."""
        path = _dropped(event)
        if path:
            event.acceptProposedAction()
            self.open(path)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape leads from the start page back to what is open, else ends what runs, where nothing nearer to the
        keyboard had a use for it."""
        escape = event.key() == Qt.Key.Key_Escape
        if escape and self.leave_start_page():
            return
        if escape and self.session.busy:
            self.session.cancel()
        else:
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask about what is not saved, remember how it looked, and end the worker."""
        if self._store is not None and self.project.unsaved:
            event.ignore()
            self.project.leave(self.close)
            return
        self.maker.settle()
        self.project.end()
        if self._store is not None:
            self._store.setValue(GEOMETRY, self.saveGeometry())
            if self.has_views:
                self._store.setValue(_LAYOUT, self.workbench.saved_layout())
        if self.has_views:
            self.workbench.graph.fold.finish()
        self.session.shutdown()
        super().closeEvent(event)

    def _asked(self, what: str) -> None:
        match what:
            case "resolve":
                self.actions_.trigger("resolve")
            case "pins":
                self.workbench.docks["left"].show()
            case _:
                self.workbench.show_view("verify")

    def _changed(self, what: str) -> None:
        if what in {"model", "plan"}:
            if what == "model":
                self.selection.forget()
            self.selection.retarget(self.session.compilation)
        if what == "model":
            self._select_heaviest()
            self._pages.setCurrentWidget(self.workbench)
            self.workbench.graph.canvas.setFocus()
            self.links.arrived()
        if what in {"model", "state"}:
            self._show_page()
            self._take_back()
        if what == "plan":
            self._tell_missing()

    def _tell_missing(self) -> None:
        """Say that a plan was made without a solver that is not installed, until somebody has dismissed it."""
        shown, compilation = self.banner.sentence == self._missing, self.session.compilation
        self._missing = missing_note(compilation) if compilation is not None else ""
        if self._missing and self._missed:
            self.banner.say("warn", self._missing)
        elif shown and not self._missing:
            self.banner.hide()

    def _dismissed(self) -> None:
        if self._missing and self.banner.sentence == self._missing:
            self._missed = False

    def _take_back(self) -> None:
        """What went wrong is no longer said once something succeeded after it; other messages stay."""
        if self._told and self.session.failure is None:
            if self.banner.sentence == self._told:
                self.banner.hide()
            self._told = ""

    def _select_heaviest(self) -> None:
        """A new model begins at the op that costs most; what is done about inserted moves is decided at ops."""
        compilation = self.session.compilation
        if compilation is None:
            return
        ops = ops_of(compilation)
        heaviest = max(compilation.cost.steps, key=lambda cost: (cost.step in ops, cost.total_us), default=None)
        self.selection.select_op(heaviest.step if heaviest else None)

    def _show_page(self) -> None:
        """The workbench once there is a plan; before that, and where one chose from it, the start page, or what is
        being opened."""
        session, compilation = self.session, self.session.compilation
        if session.state == "loading" or (session.opening and self.page is self.start):
            self._chose = self.page is self.start or (self._chose and self.page is self.loading)
            self._pages.setCurrentWidget(self.loading)
        elif compilation is None:
            self._pages.setCurrentWidget(self.start)
        elif self.page is self.loading and not session.opening:
            self._pages.setCurrentWidget(self.start if self._chose else self.workbench)
        self._show_title()

    def _show_title(self) -> None:
        compilation = self.session.compilation
        name = self.project.name(compilation.graph.name) if compilation else ""
        self.start.offer_back(name.removesuffix("*"))
        self.setWindowTitle(f"{name} – Spyre Studio" if name else "Spyre Studio")

    def _tell_way_back(self) -> None:
        self.actions_.way_back = self.page is self.start and self.session.compilation is not None
        self.actions_.refresh()

    def _progressed(self, share: float, phase: str, detail: str) -> None:
        title = f"Opening {spoken_name(self.session.opening)}"
        words = " · ".join(part for part in (phase_words(phase), detail) if part)
        self.loading.show_state(loading(title, words, share if share >= 0 else None))

    def _failed(self, what: str, why: str, remedy: str) -> None:
        failure = self.session.failure
        self.banner.say("error", f"{what}: {why}; {remedy}.", failure.details if failure else "")
        self._told = self.banner.sentence

    def _arrange(self) -> None:
        self.setObjectName("main")
        self.setAcceptDrops(True)
        self.setMinimumSize(round(960 * system_scale()), round(600 * system_scale()))  # larger text, smaller room
        page = QWidget(self)
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self._pages.addWidget(self.start)
        self._pages.addWidget(self.loading)
        for widget in (self.banner, self._pages, self.status):
            column.addWidget(widget, 1 if widget is self._pages else 0)
        self.setCentralWidget(page)
        menus = self.actions_.fill(self.menuBar())
        first = menus["File"].actions()[1]
        for title, fill in (("Open example", self._fill_examples), ("Open recent", self._fill_recent)):
            menu = QMenu(title, self)
            menu.aboutToShow.connect(lambda menu=menu, fill=fill: fill(menu))
            menus["File"].insertMenu(first, menu)
        self.addActions(self.actions_.of_scope("window"))

    def _connect(self) -> None:
        self.actions_.triggered.connect(lambda _row: self.maker.settle())  # before what is triggered is done
        bind(self.actions_, self.handlers)
        self.start.chosen.connect(self._chosen)
        self.start.back.connect(self.leave_start_page)
        self._pages.currentChanged.connect(lambda _place: self._tell_way_back())
        self.start.browse.connect(lambda: self.actions_.trigger("open"))
        self.ends.told.connect(self.status.say)
        self.status.cancelled.connect(self.session.cancel)
        self.banner.dismissed.connect(self._dismissed)
        self.status.stopped.connect(self.session.stop)
        self.loading.acted.connect(self.session.cancel)
        self.session.progressed.connect(self._progressed)
        self.session.changed.connect(self._changed)
        self.project.changed.connect(self._show_title)
        self.session.failed.connect(self._failed)
        self.session.noted.connect(self._noted)
        self.theme.changed.connect(lambda _name: self.session.settings.set("theme", self.theme.choice))

    def _noted(self, sentence: str) -> None:
        """Of a plan from files of others, details have all that was found in them."""
        whole = self.session.compilation
        found = told(whole) if whole is not None and sentence == import_words(whole) else ()
        kind: BannerKind = "warn" if whole is not None and found and disagreements(whole) else "info"
        self.banner.say(kind, sentence, "\n".join(found) if len(found) > 1 else "")

    def _fill_examples(self, menu: QMenu) -> None:
        menu.clear()
        for each in examples():
            self._offer(menu, f"{each.name}  –  {each.title}", each.name)

    def _fill_recent(self, menu: QMenu) -> None:
        menu.clear()
        for spec in self.session.settings.recent:
            self._offer(menu, spec, spec)
        if not menu.actions():
            menu.addAction("Nothing yet").setEnabled(False)

    def _offer(self, menu: QMenu, words: str, spec: str) -> None:
        menu.addAction(words).triggered.connect(lambda: self.open(spec))


def _bytes(value: object) -> QByteArray:
    return value if isinstance(value, QByteArray) else QByteArray()


def _dropped(event: QDropEvent) -> str:
    """The path of the one local file that is dragged, '' for anything else."""
    urls = event.mimeData().urls()
    return urls[0].toLocalFile() if len(urls) == 1 and urls[0].isLocalFile() else ""
