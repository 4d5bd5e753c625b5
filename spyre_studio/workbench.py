"""The window with a model in it: header, panels at the sides, the graph in the middle, views at the bottom.

Owns: making the views of the table, their docks, and the layout with its reset. Refuses: actions and files.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Protocol, cast

from PySide6.QtCore import QByteArray, QEvent, QObject, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QDockWidget,
    QMainWindow,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from spyre_studio.full_view import FullView
from spyre_studio.header import Header
from spyre_studio.low_room import LowRoom
from spyre_studio.qt_theme import px
from spyre_studio.selection import Selection
from spyre_studio.session import Session
from spyre_studio.theme import GRID
from spyre_studio.turns import Turns
from spyre_studio.unfilter import unfilter
from spyre_studio.view_host import ViewHost
from spyre_studio.views import VIEWS, View, ViewRow
from spyre_studio.views.compare import CompareView
from spyre_studio.views.graph import GraphView
from spyre_studio.views.insights import InsightsView
from spyre_studio.views.inspector import InspectorView
from spyre_studio.views.module_tree import ModuleTree
from spyre_studio.views.pins_panel import PinsPanel
from spyre_studio.views.scratchpad import ScratchpadView
from spyre_studio.views.sweep import SweepView
from spyre_studio.views.variants import VariantsView
from spyre_studio.widgets import SectionLabel

# Shares of the window that the panels take at first, and between which sizes in px.
_LEFT: Final = (0.165, 22 * GRID, 44 * GRID)
_RIGHT: Final = (0.233, 40 * GRID, 60 * GRID)
_BOTTOM: Final = (0.42, 32 * GRID, 64 * GRID)
_MUCH: Final = 0.55  # of the height, for a view at the bottom that is to be seen above all
_TREE: Final = 18 * GRID  # px; the names of modules are read at that width
_PAGE: Final = 31 * GRID  # px; a view at the bottom is scrolled rather than made lower than this
_HIGH: Final = frozenset({"timeline", "sweep"})  # views of many rows: at first they get much
_VERSION: Final = 1  # of the saved layout; another number forgets it


class _ViewWidget(View, Protocol):
    """A view is a widget too."""

    def __call__(self, session: Session, selection: Selection, parent: QWidget | None) -> QWidget:
        """The class makes one."""


class Workbench(QWidget):
    """Made once, when the first model opens. `panels` is the window inside the window that holds the docks; `asked`
    carries the key of an action that a view has a button for.

    It is whole once `making` has come to its end: every view takes a turn of the event loop, unless somebody needs it.
    """

    asked = Signal(str)

    def __init__(self, session: Session, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._selection = session, selection
        self.header: Header = Header(session, self)
        self.turns = Turns(self)
        self.panels = QMainWindow(self)
        self.panels.setWindowFlags(Qt.WindowType.Widget)
        self.tree: ModuleTree = ModuleTree(session, selection, self)
        self.pins: PinsPanel = PinsPanel(session, selection, self)
        self.tabs = QTabWidget(self)
        self.views: dict[str, QWidget] = {}
        self.docks: dict[str, QDockWidget] = {}
        self._hosts: list[ViewHost] = []
        self._follow(self.tree, self.tree)  # before anything waits: a plan that comes meanwhile is its own, too
        self._pressed_height = -1  # px of the bottom views when the mouse was pressed at an edge of a panel
        self._height_chosen = False
        self.full = FullView(self)
        self._first_state = QByteArray()
        self._sized = False
        self.making = self._make()
        session.changed.connect(self._changed)

    def _changed(self, what: str) -> None:
        if what == "model":
            unfilter(self)

    def _make(self) -> Iterator[str]:
        """Make one part after the other; yields the key of each view."""
        self._build()
        for row in VIEWS:
            self._add_view(row)
            yield row.key
        self._turned()
        self.tree.group_chosen.connect(self._show_group)
        self._link_views()
        self._first_state = self.panels.saveState(_VERSION)

    @property
    def graph(self) -> GraphView:
        """The view in the middle."""
        view = self.views["graph"]
        assert isinstance(view, GraphView)
        return view

    def _link_views(self) -> None:
        """Questions that one view asks and another answers."""
        scratchpad, inspector = self.views["scratchpad"], self.views["inspector"]
        if isinstance(scratchpad, ScratchpadView) and isinstance(inspector, InspectorView):
            scratchpad.apart_asked.connect(inspector.show_handover)
        variants, compare = self.views["variants"], self.views["compare"]
        if isinstance(variants, VariantsView) and isinstance(compare, CompareView):
            variants.compared.connect(compare.choose)
            variants.compared.connect(lambda _before, _after: self.show_view("compare"))
            variants.asked.connect(self.asked)
        sweep = self.views["sweep"]
        if isinstance(sweep, SweepView):
            sweep.asked.connect(self.asked)
        insights = self.views["insights"]
        if isinstance(insights, InsightsView):
            insights.shown.connect(self.show_view)

    @property
    def _pages(self) -> QWidget:
        """What the tabs at the bottom keep their views in."""
        pages = self.tabs.findChild(QStackedWidget)
        return pages if isinstance(pages, QStackedWidget) else self.tabs

    @property
    def current_view(self) -> str:
        """Key of the view that is alone, else of the one in front at the bottom; the graph where that is closed."""
        if self.full.key:
            return self.full.key
        shown = None if self.docks["bottom"].isHidden() else self.tabs.currentWidget()
        return next((key for key, view in self.views.items() if view is shown), "graph")

    def show_view(self, key: str) -> bool:
        """Bring a view to the front; False if there is none of that name."""
        widget = self.views.get(key)
        if widget is None:
            return False
        if self.full.key:
            self.full.enter(key)
        elif self.tabs.indexOf(widget) >= 0:
            self.tabs.setCurrentWidget(widget)
            self.docks["bottom"].show()
        elif key in self.docks:
            self.docks[key].show()
        return True

    def give_room(self) -> None:
        """Have the views at the bottom take more than half of the height."""
        high = max(round(_MUCH * self.height()), self.docks["bottom"].height())
        self.panels.resizeDocks([self.docks["bottom"]], [high], Qt.Orientation.Vertical)

    def toggle(self, key: str) -> None:
        """Show or hide the panel 'left', 'right' or 'bottom'."""
        self.full.leave()
        dock = self.docks[key]
        dock.setVisible(dock.isHidden())

    def reset_layout(self) -> None:
        """Panels as they were at first."""
        self.full.leave()
        self.panels.restoreState(self._first_state, _VERSION)
        self._size_docks()

    def saved_layout(self) -> QByteArray:
        """What `restore_layout` takes."""
        return self.full.layout_before or self.panels.saveState(_VERSION)

    def restore_layout(self, state: QByteArray) -> None:
        """Panels as they were when `state` was saved; a state of another version is ignored."""
        self.full.leave()
        self._sized = self._height_chosen = self.panels.restoreState(state, _VERSION)

    def showEvent(self, event: QShowEvent) -> None:
        """Panels get their first size when there is a window to share out."""
        super().showEvent(event)
        if not self._sized:
            self._sized = True
            self._size_docks()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Notice that the edge of the bottom views was dragged: Qt tells nobody."""
        if watched is self.panels and event.type() is QEvent.Type.MouseButtonPress:
            self._pressed_height = self.docks["bottom"].height()
        elif watched is self.panels and event.type() is QEvent.Type.MouseButtonRelease:
            self._height_chosen |= self._pressed_height not in {-1, self.docks["bottom"].height()}
        return super().eventFilter(watched, event)

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addWidget(self.full.strip)
        column.addWidget(self.panels, 1)
        self.panels.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        for corner in (Qt.Corner.TopLeftCorner, Qt.Corner.BottomLeftCorner):
            self.panels.setCorner(corner, Qt.DockWidgetArea.LeftDockWidgetArea)
        for corner in (Qt.Corner.TopRightCorner, Qt.Corner.BottomRightCorner):
            self.panels.setCorner(corner, Qt.DockWidgetArea.RightDockWidgetArea)
        # Whatever holds the views is there before them: Qt dresses all of a widget anew that is given another parent.
        left, bottom = self._made_dock("left", "Model and pins"), self._made_dock("bottom", "Bottom views")
        self._add_dock(left, self._left_panel(left), Qt.DockWidgetArea.LeftDockWidgetArea)
        self._add_dock(bottom, LowRoom(self.tabs, "Bottom views", bottom), Qt.DockWidgetArea.BottomDockWidgetArea)
        self.tabs.setDocumentMode(True)
        self.tabs.setMinimumHeight(px(_PAGE))
        self.tabs.tabBar().setAccessibleName("Bottom views")
        self.tabs.currentChanged.connect(self._turned)
        self.panels.installEventFilter(self)

    def _add_view(self, row: ViewRow) -> None:
        dock = self._made_dock("right", row.title) if row.area == "right" else None
        holder = self._pages if row.area == "bottom" else dock or self.panels
        made = cast("_ViewWidget", row.load())(self._session, self._selection, holder)
        self.views[row.key] = made
        self._follow(cast("View", made), made)
        match row.area:
            case "centre":
                self.panels.setCentralWidget(made)
            case "bottom":
                self.tabs.setTabToolTip(self.tabs.addTab(made, row.title), row.hint)
            case "right":
                assert dock is not None
                self._add_dock(dock, made, Qt.DockWidgetArea.RightDockWidgetArea)

    def _follow(self, view: View, widget: QWidget) -> None:
        turns = None if isinstance(view, GraphView) else self.turns  # where one is in the graph is put back at once
        self._hosts.append(ViewHost(view, widget, self._session, self._selection, turns))

    def _made_dock(self, key: str, title: str) -> QDockWidget:
        """A panel without a title of its own; what it shows says what it is."""
        dock = QDockWidget(title, self.panels)
        dock.setObjectName(key)
        dock.setFeatures(QDockWidget.DockWidgetFeature.NoDockWidgetFeatures)
        dock.setTitleBarWidget(QWidget(dock))
        return dock

    def _add_dock(self, dock: QDockWidget, widget: QWidget, area: Qt.DockWidgetArea) -> None:
        dock.setWidget(widget)
        self.panels.addDockWidget(area, dock)
        self.docks[dock.objectName()] = dock

    def _turned(self) -> None:
        """Only the view in front asks for room. One of many rows gets more, unless somebody has chosen how much there
        is."""
        for view in (each for each in self.views.values() if self.tabs.indexOf(each) >= 0):
            asks = QSizePolicy.Policy.Preferred if view is self.tabs.currentWidget() else QSizePolicy.Policy.Ignored
            view.setSizePolicy(asks, asks)
        high = {self.views[key] for key in _HIGH if key in self.views}
        if self.tabs.currentWidget() in high and not self._height_chosen:
            self.give_room()

    def _size_docks(self) -> None:
        across, left, right = Qt.Orientation.Horizontal, self.docks["left"], self.docks["right"]
        self.panels.resizeDocks([left, right], [_part(_LEFT, self.width()), _part(_RIGHT, self.width())], across)
        down = Qt.Orientation.Vertical
        self.panels.resizeDocks([self.docks["bottom"]], [_part(_BOTTOM, self.height())], down)
        self._height_chosen = False

    def _left_panel(self, dock: QDockWidget) -> QWidget:
        panel, head = QWidget(dock), SectionLabel("Model", "µs")
        head.setContentsMargins(px(2 * GRID), px(1.5 * GRID), px(2 * GRID), 0)
        panel.setMinimumWidth(px(_TREE))
        column = QVBoxLayout(panel)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(px(GRID / 2))
        column.addWidget(head)
        parts = QSplitter(Qt.Orientation.Vertical, panel)
        parts.setObjectName("left-parts")
        parts.setChildrenCollapsible(False)
        parts.addWidget(self.tree)
        parts.addWidget(self.pins)
        parts.setStretchFactor(0, 3)
        parts.setStretchFactor(1, 2)
        column.addWidget(parts, 1)
        return panel

    def _show_group(self, group: str) -> None:
        self.graph.set_table(shown=False)
        self.graph.show_group(group)


def _part(part: tuple[float, int, int], whole: int) -> int:
    share, least, most = part
    return min(max(round(share * whole), px(least)), px(most))
