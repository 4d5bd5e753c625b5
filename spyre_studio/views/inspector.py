"""The inspector: everything about the selected op or buffer in four tabs, Division, Sticks, Facts and Cost.

Owns: the heading, the tabs and what each says when it has nothing to show. Refuses: the content of the tabs.
"""

from __future__ import annotations

from typing import Final, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QStackedLayout, QTabWidget, QVBoxLayout, QWidget

from compiler.compilation import Compilation
from compiler.schedule import Schedule, Step
from spyre_studio.buffer_facts import subline, tensor_text
from spyre_studio.derived import schedule_of
from spyre_studio.elided import ElidedLabel
from spyre_studio.handover_model import handovers_of, users_of
from spyre_studio.pill import Pill
from spyre_studio.qt_theme import font, px
from spyre_studio.selection import Selection
from spyre_studio.session import Session
from spyre_studio.state_page import StatePage
from spyre_studio.theme import GRID, PAD
from spyre_studio.view_state import READY, Badge, ViewState, empty
from spyre_studio.views.cost import CostPanel
from spyre_studio.views.division import DivisionPanel
from spyre_studio.views.facts import FactsPanel
from spyre_studio.views.paged import PagedView
from spyre_studio.views.sticks import SticksView
from spyre_studio.views.widen import WidenButton

CHOOSE = empty("Nothing is selected", "Click an op of the graph or a box of the scratchpad to see its facts here.")
CHOOSE_OP = empty("No op is selected", "Choose an op to see how its work is divided over the cores.")
NOT_DIVIDED = empty("It runs on the host", "An op without a loop form is not divided over the cores.")
NO_COST = empty("No op is selected", "Choose an op to see what it costs and why.")
TITLES: Final = ("Division", "Sticks", "Facts", "Cost")
_Panel = TypeVar("_Panel", bound=QWidget)


class Tab(QWidget):
    """A panel in a scroll area, or a page that says why there is none.

    Whatever holds the panel is there before it, since Qt dresses all of a widget anew that is given another parent.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.page = StatePage(READY, self)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.page)
        self._shown = area = QScrollArea(self)
        self.holder = holder = QWidget(area)
        self._column = QVBoxLayout(holder)
        self._column.setContentsMargins(px(PAD - GRID), px(1.5 * GRID), px(PAD), px(PAD))
        area.setAccessibleName("Part of the inspector")
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidget(holder)
        area.viewport().setAutoFillBackground(False)
        holder.setAutoFillBackground(False)
        self._stack.addWidget(area)

    def put(self, panel: QWidget) -> None:
        """The panel, which was made in `holder`."""
        self._column.addWidget(panel)

    @property
    def needed_width(self) -> int:
        """Pixels in which the panel needs no scroll bar below."""
        bar = self._shown.verticalScrollBar().sizeHint().width()
        return self.holder.minimumSizeHint().width() + bar + 2 * self._shown.frameWidth()

    def show_state(self, state: ViewState) -> None:
        """The panel if the state is ready."""
        self.page.show_state(state)
        self._stack.setCurrentWidget(self._shown if state.kind == "ready" else self.page)


class InspectorView(PagedView):
    """What is selected, and why it is as it is."""

    key = "inspector"
    title = "Inspector"
    nothing = empty("No model is open", "Open a model, then choose an op to see its division, layout, facts and cost.")

    def __init__(self, session: Session, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(session, selection, parent)
        self._schedule: Schedule | None = None
        self._head, self._holder = QWidget(self.body), QWidget(self.body)
        self.heading, self.subline, self.badge = ElidedLabel(), ElidedLabel(), Pill()
        self._inset, self._choose = QWidget(self._holder), StatePage(CHOOSE, self._holder)
        self.tabs, self.widen = QTabWidget(self._inset), WidenButton()
        self.tabs.tabBar().setAccessibleName("Parts of the inspector")
        self._tabs: dict[str, Tab] = {}
        self._panels: dict[str, QWidget] = {}
        self._arrange()
        self._put("Division", DivisionPanel(session, selection, self._tabs["Division"].holder))

    # The panels: the first is there at once, the others when they are first wanted

    @property
    def division(self) -> DivisionPanel:
        """How the op is divided over the cores."""
        panel = self._panels["Division"]
        assert isinstance(panel, DivisionPanel)
        return panel

    @property
    def sticks(self) -> SticksView:
        """How a buffer lies in sticks."""
        panel = self._panels.get("Sticks")
        if not isinstance(panel, SticksView):
            panel = self._put("Sticks", SticksView(self.session, self.selection, self._tabs["Sticks"].holder))
        return panel

    @property
    def facts(self) -> FactsPanel:
        """What is known of op and buffer."""
        panel = self._panels.get("Facts")
        if not isinstance(panel, FactsPanel):
            panel = self._put("Facts", FactsPanel(self.session, self.selection, self._tabs["Facts"].holder))
        return panel

    @property
    def cost(self) -> CostPanel:
        """What the op costs."""
        panel = self._panels.get("Cost")
        if not isinstance(panel, CostPanel):
            panel = self._put("Cost", CostPanel(self._tabs["Cost"].holder))
        return panel

    def _put(self, title: str, panel: _Panel) -> _Panel:
        self._panels[title] = panel
        self._tabs[title].put(panel)
        return panel

    # What is shown

    def fill(self, compilation: Compilation) -> None:
        """Another plan."""
        self._schedule = schedule_of(compilation)

    def mark(self) -> None:
        """Another op or buffer."""
        self.widen.refresh()
        compilation, schedule = self.compilation, self._schedule
        if compilation is None or schedule is None:
            return
        place = self.selection.place
        step = schedule.step_map.get(place.op) if place.op is not None else None
        buffer = place.buffer if place.buffer in schedule.buffers else None
        chosen = step is not None or buffer is not None
        teaches = self._front is self._tabs["Sticks"]  # says what a stick is while there is none to show
        self._inner.setCurrentWidget(self._inset if chosen or teaches else self._choose)
        self._head.setVisible(chosen)
        self._say_heading(compilation, schedule, step, buffer)
        self._show_tab()

    def noted(self, what: str) -> None:
        """Pins changed: their words, not the plan."""
        if what in {"pins", "state"} and self.compilation is not None:
            self.mark()
            self.division.show_pins()
            if "Sticks" in self._panels:
                self.sticks.show_pins()

    def show_badges(self, badges: tuple[Badge, ...]) -> None:
        """Beside the heading."""
        self.badge.setVisible(bool(badges))
        for badge in badges:
            self.badge.set_pill("stale", badge.tone, f"{badge.text}. {badge.hint}")

    def resizeEvent(self, event: QResizeEvent) -> None:
        """All tabs stay in sight."""
        super().resizeEvent(event)
        bar = self.tabs.tabBar()
        wanted = sum(bar.tabRect(place).width() for place in range(bar.count()))
        self.widen.fit(self.width() - wanted - px(2 * PAD))

    @property
    def needed_width(self) -> int:
        """Pixels in which nothing of the tab in front is out of sight."""
        return self._front.needed_width

    def show_tab(self, title: str) -> None:
        """Bring a tab to the front by its title."""
        self.tabs.setCurrentWidget(self._tabs[title])

    def show_handover(self, buffer: str) -> None:
        """Show where a buffer changes hands between cores, at the first reader that is apart from its writer."""
        compilation = self.session.compilation
        writers, _ = users_of(compilation).get(buffer, ((), ())) if compilation is not None else ((), ())
        if compilation is None or not writers:
            return
        apart = handovers_of(compilation, writers[0].name).apart
        pair = next((pair for pair in apart if pair.buffer == buffer), None)
        if pair is not None:
            self.selection.select_op(pair.reader)
            self.show_tab("Division")
            self.division.show_handover(buffer)

    def _say_heading(self, compilation: Compilation, schedule: Schedule, step: Step | None, buffer: str | None) -> None:
        if step is not None:
            self.heading.say(step.name)
            self.subline.say(subline(compilation, step))
        elif buffer is not None:
            self.heading.say(buffer)
            self.subline.say(tensor_text(schedule, buffer))
        else:
            self.heading.say("")
            self.subline.say("")

    @property
    def _front(self) -> Tab:
        return self._tabs[self.tabs.tabText(self.tabs.currentIndex())]

    def _show_tab(self) -> None:
        """Fill the tab in front; the others follow when they come to the front."""
        compilation, schedule = self.compilation, self._schedule
        if compilation is None or schedule is None:
            return
        place = self.selection.place
        step = schedule.step_map.get(place.op) if place.op is not None else None
        buffer = place.buffer if place.buffer in schedule.buffers else None
        self._front.show_state(self._fill_tab(self._front, compilation, schedule, step, buffer))

    def _fill_tab(
        self, front: Tab, compilation: Compilation, schedule: Schedule, step: Step | None, buffer: str | None
    ) -> ViewState:
        if front is self._tabs["Facts"]:
            self.facts.show_facts(compilation, schedule, step, buffer)
            return READY
        if front is self._tabs["Sticks"]:
            name = buffer or (step.op.writes[0].buffer if step and step.op.writes else None)
            self.sticks.show_buffer(compilation, schedule, name)
            return READY
        if step is None:
            return CHOOSE_OP if front is self._tabs["Division"] else NO_COST
        if front is self._tabs["Division"]:
            return READY if self.division.show_op(compilation, step.name, schedule) else NOT_DIVIDED
        return READY if self.cost.show_step(compilation, step.name) else NO_COST

    # Arrangement

    def _arrange(self) -> None:
        self.heading.setFont(font("title", bold=True))
        self.heading.setProperty("heading", "title")
        self.subline.setFont(font("label"))
        self.subline.setProperty("tone", "mute")
        self.badge.hide()
        for title in TITLES:
            self._tabs[title] = Tab(self.tabs)
            self.tabs.addTab(self._tabs[title], title)
        self.tabs.setDocumentMode(True)
        self.tabs.setCornerWidget(_set_in(self.widen), Qt.Corner.TopRightCorner)
        self.tabs.currentChanged.connect(lambda _index: self._show_tab())
        head = QVBoxLayout(self._head)
        head.setContentsMargins(px(PAD), px(PAD), px(PAD), px(GRID))
        head.setSpacing(px(GRID / 4))
        head.addWidget(self.heading)
        head.addWidget(self.subline)
        head.addWidget(self.badge)
        row = QVBoxLayout(self._inset)
        row.setContentsMargins(px(GRID), 0, 0, 0)  # the word of the first tab stands under the heading
        row.addWidget(self.tabs)
        self._inner = QStackedLayout(self._holder)
        self._inner.addWidget(self._inset)
        self._inner.addWidget(self._choose)
        column = QVBoxLayout(self.body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._head)
        column.addWidget(self._holder, 1)


def _set_in(widget: QWidget) -> QWidget:
    """A holder that keeps a widget off the edge, where the content of the tabs ends."""
    holder = QWidget()
    row = QVBoxLayout(holder)
    row.setContentsMargins(0, 0, px(PAD - GRID / 2), px(GRID / 2))
    row.addWidget(widget)
    return holder
