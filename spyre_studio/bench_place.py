"""Bench place: how somebody has the views, while they are made anew in another size of texts.

Owns: what is in front and open, what is chosen and typed in each view, the widths of panels, and which of them had the
keyboard.
Refuses what a view works out by itself; a view that is not there is passed over.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QComboBox, QLineEdit

from spyre_studio.graph_place import GraphPlace, place_of, put_place
from spyre_studio.qt_theme import text_zoom
from spyre_studio.views.inspector import InspectorView
from spyre_studio.views.lx_panels import Page
from spyre_studio.views.program import ProgramView
from spyre_studio.views.scratchpad import ScratchpadView
from spyre_studio.views.verify import VerifyView

if TYPE_CHECKING:
    from spyre_studio.views.graph_palette import Colouring
    from spyre_studio.workbench import Workbench

_SIDES = ("left", "right")
Typed = Mapping[tuple[str, str], str]


@dataclass(frozen=True, slots=True)
class BenchPlace:
    """`shown` if the views fill the window; `focus` is the view with the keyboard, '' for none; `zoom` of texts."""

    shown: bool
    front: str
    alone: str
    layout: QByteArray
    zoom: float
    widths: tuple[int, ...]
    opened: frozenset[str]
    graph: GraphPlace | None
    table: bool
    colouring: Colouring
    listing: str
    tab: str
    modules: frozenset[str]
    focus: str
    typed: Typed
    memory: Page
    numbers: str
    search: tuple[bool, bool]

    def put(self, bench: Workbench) -> None:
        """Have the views so again; whoever calls this shows them."""
        bench.restore_layout(self.layout)
        self._put_widths(bench)
        bench.show_view(self.front)
        program, inspector = bench.views["program"], bench.views["inspector"]
        if isinstance(program, ProgramView):
            program.show_kind(self.listing)
            for switch, down in zip((program.search.case, program.search.regex), self.search, strict=True):
                switch.setChecked(down)
        scratchpad, verify = bench.views["scratchpad"], bench.views["verify"]
        if isinstance(scratchpad, ScratchpadView):
            scratchpad.panels.show_page(self.memory)
        if isinstance(verify, VerifyView):
            verify.show_page(self.numbers)
        if isinstance(inspector, InspectorView):
            inspector.show_tab(self.tab)
        bench.tree.open_modules(self.modules)
        bench.graph.overlay.colour.choose(self.colouring)
        bench.graph.set_colouring(self.colouring)
        bench.graph.fold.keep_open(self.opened)
        put_place(bench.graph, self.graph)
        bench.graph.set_table(self.table)
        for at, line in _lines(bench).items():
            quiet = line.blockSignals(at[0] == "graph")  # it searches when it is opened
            line.setText(self.typed.get(at, line.text()))
            line.blockSignals(quiet)
        if self.focus == "graph":
            bench.graph.canvas.setFocus()
        elif self.focus:
            bench.views[self.focus].setFocus()
        if self.alone:
            bench.full.enter(self.alone)

    def _put_widths(self, bench: Workbench) -> None:
        """Panels beside the views grow with their texts."""
        factor = text_zoom() / self.zoom
        sides = [(bench.docks[key], round(wide * factor)) for key, wide in zip(_SIDES, self.widths, strict=True)]
        shown = [(dock, wide) for dock, wide in sides if not dock.isHidden()]
        docks, widths = [dock for dock, _ in shown], [wide for _, wide in shown]
        if factor != 1:
            bench.panels.resizeDocks(docks, widths, Qt.Orientation.Horizontal)


def _lines(bench: Workbench) -> dict[tuple[str, str], QLineEdit]:
    """The lines that one types into, by view and name."""
    found: dict[tuple[str, str], QLineEdit] = {}
    for key, view in bench.views.items():
        for line in view.findChildren(QLineEdit):
            if line.accessibleName() and not isinstance(line.parent(), QAbstractSpinBox | QComboBox):
                found[key, line.accessibleName()] = line
    return found


def bench_place(bench: Workbench, *, shown: bool) -> BenchPlace:
    """How the views are."""
    program, inspector, focus = bench.views["program"], bench.views["inspector"], QApplication.focusWidget()
    scratchpad, verify = bench.views["scratchpad"], bench.views["verify"]
    return BenchPlace(
        shown,
        bench.current_view,
        bench.full.key,
        bench.saved_layout(),
        text_zoom(),
        tuple(bench.docks[key].width() for key in _SIDES),
        bench.graph.fold.opened,
        place_of(bench.graph),
        bench.graph.table_shown,
        bench.graph.look.colouring,
        program.kind.key if isinstance(program, ProgramView) else "",
        inspector.tabs.tabText(inspector.tabs.currentIndex()) if isinstance(inspector, InspectorView) else "",
        bench.tree.open_groups,
        next((key for key, view in bench.views.items() if focus is not None and view.isAncestorOf(focus)), ""),
        {at: line.text() for at, line in _lines(bench).items()},
        scratchpad.panels.page if isinstance(scratchpad, ScratchpadView) else "pictures",
        verify.page_key if isinstance(verify, VerifyView) else "",
        (program.search.case.isChecked(), program.search.regex.isChecked())
        if isinstance(program, ProgramView)
        else (False, False),
    )
