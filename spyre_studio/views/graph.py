"""The graph view: the ops of the model with what the plan makes of their data, folded by module.

Owns: folding and unfolding, colouring, finding, the controls over the canvas, and what clicks mean. Refuses: changing
anything; it speaks to the selection.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QStackedLayout, QVBoxLayout, QWidget

from compiler.compilation import Compilation
from compiler.plan import Plan
from compiler.schedule import expand
from spyre_studio.finder import Entry, entries
from spyre_studio.phases import phase_words, spoken_name
from spyre_studio.picture import Picture
from spyre_studio.qt_theme import scale
from spyre_studio.selection import Selection
from spyre_studio.session import Session
from spyre_studio.units import format_count, format_us
from spyre_studio.view_state import ViewState, empty, loading, stale
from spyre_studio.views.graph_aim import GraphAim
from spyre_studio.views.graph_canvas import GraphCanvas, Hit
from spyre_studio.views.graph_entries import graph_entries
from spyre_studio.views.graph_fold import GraphFold
from spyre_studio.views.graph_hints import hint_of
from spyre_studio.views.graph_look import GraphLook
from spyre_studio.views.graph_menu import graph_menu
from spyre_studio.views.graph_model import GraphModel, planned, unplanned
from spyre_studio.views.graph_names import shown_path
from spyre_studio.views.graph_overlay import GraphOverlay
from spyre_studio.views.graph_palette import COLOURINGS, Colouring
from spyre_studio.views.graph_picture import graph_picture
from spyre_studio.views.graph_scene import Scene, scene_of
from spyre_studio.views.layered import Spacing
from spyre_studio.views.op_table import OpTable

EMPTY = empty("No model is open", "Open a model to see its ops and what the plan makes of their data.")


class GraphView(QWidget):
    """Ops, moves and data. Signals nothing: clicks go to the selection."""

    key = "graph"
    title = "Graph"

    def __init__(self, session: Session, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._selection = session, selection
        self._model: GraphModel | None = None
        self._shown: object = None
        self._name = ""
        self.fold = GraphFold(self)
        self._aim = GraphAim(self.fold)
        self.canvas = GraphCanvas(self)
        self.table = OpTable(self)
        self.overlay = GraphOverlay(self, self.canvas)
        self.look = GraphLook(session, self.canvas, self.overlay, self)
        self.crumbs, self.finder, self.minimap = self.overlay.crumbs, self.overlay.finder, self.overlay.minimap
        self._arrange()
        self._connect()
        self.show_compilation(session.compilation)

    # What the window calls

    def show_compilation(self, compilation: Compilation | None) -> None:
        """Draw this plan, or the model that waits for its first plan."""
        captured = self._session.captured
        source = compilation or captured
        if source is not self._shown:
            self._shown = source
            self._rebuild(compilation)
        self._show_state()

    def show_selection(self) -> None:
        """Outline the selected op and the edges of the selected buffer."""
        self._mark(reveal=True)
        if self.fold.awaited:
            self._aim.go(self._reveal_marked)

    def set_table(self, shown: bool) -> None:
        """The table of ops instead of the picture."""
        self.overlay.table_button.setChecked(shown)
        self._stack.setCurrentWidget(self.table if shown else self.canvas)
        self._show_overlay()

    @property
    def table_shown(self) -> bool:
        """True while the table stands for the picture."""
        return self._stack.currentWidget() is self.table

    def set_colouring(self, key: Colouring) -> None:
        """Colour by another thing."""
        self.look.set_colouring(key)

    def picture(self, in_view: bool) -> Picture | None:
        """The graph to save or copy, with its legend; None while there is none."""
        compilation, words = self._session.compilation, dict(COLOURINGS)[self.look.colouring]
        facts = [self._name]
        if compilation is not None:
            plan = compilation.plan
            facts += [f"{plan.device}, {format_count(plan.cores, 'core')}", format_us(compilation.cost.total_us)]
        title = " · ".join([*facts, f"coloured by {words}"])
        return graph_picture(self.canvas, self.overlay.legend_shown, title, in_view)

    def open_find(self) -> None:
        """Search for an op or a buffer."""
        self.finder.open()
        self.overlay.place()

    def show_group(self, group: str) -> None:
        """Bring a module into view, opened; equal modules that are folded stay so."""
        if not self.fold.is_folded(group):
            self.fold.reveal(group)
        self._aim.go(lambda: self.fold.show_group(self.canvas, group))

    def reveal_selection(self) -> None:
        """Open the modules around what is selected and bring it to the middle."""
        model = self._model
        if model is None:
            return
        node = model.of_op.get(self._selection.op or "", model.of_buffer.get(self._selection.buffer or ""))
        if node is not None:
            self.fold.reveal(model.nodes[node].group)
        self._mark(reveal=False)
        self._aim.go(lambda: self.canvas.focus_selection(fit=False))

    def close_around(self) -> None:
        """Close the module of the selected op."""
        model, op = self._model, self._selection.op
        if model is None or op is None or op not in model.of_op:
            return
        parts = model.nodes[model.of_op[op]].group.split(".")
        while parts and ".".join(parts) not in self.fold.opened:
            parts.pop()
        if parts and parts != [""]:
            self.fold.toggle(".".join(parts))

    # Building

    def _rebuild(self, compilation: Compilation | None) -> None:
        captured = self._session.captured
        program = compilation.problem.program if compilation else captured.program if captured else None
        if program is None:
            self._model = None
            self._aim.drop()
            self.fold.close()
            self.canvas.show_scene(None, start=True)
            return
        self._name = compilation.graph.name if compilation else captured.graph.name if captured else ""
        self._model = planned(compilation) if compilation else unplanned(program)
        if compilation is not None:
            self.finder.set_entries(graph_entries(compilation))
            self.table.show_plan(compilation)
        else:
            self.finder.set_entries(entries(expand(program, Plan(program.name, "", 1, "")), None))
            self.table.show_program(program)
        model = self._model
        self.fold.show(model.graph, program, self._spacing(), lambda layout: scene_of(model, layout))

    def _spacing(self) -> Spacing:
        """Sizes of boxes for the size of the font."""
        grown = scale()
        fields = {name: getattr(Spacing(), name) * grown for name in Spacing.__slots__}
        return Spacing(**fields)

    def _laid_out(self, scene: Scene, start: bool) -> None:
        self.fold.keep_place(self.canvas, self._selection.op, lambda: self._show_scene(scene, start))
        self._aim.land()

    def _show_scene(self, scene: Scene, start: bool) -> None:
        self.canvas.set_pinned(scene.model.pinned(self._session.pins))
        self.canvas.show_scene(scene, start)
        self.look.refresh()
        self._mark(reveal=False)
        if self.canvas.at_start:
            self.canvas.show_start()
        self.overlay.place()

    # State and selection

    def _session_changed(self, what: str) -> None:
        if what in {"pins", "state", "options"}:
            self._show_state()
        elif what == "verify":
            self.look.report_changed()

    def _show_state(self) -> None:
        session = self._session
        self.canvas.show_state(self._state())
        if self._model is not None:
            self.canvas.set_pinned(self._model.pinned(session.pins))
        self._show_overlay()

    def _show_overlay(self) -> None:
        opened = self._model is not None
        self.overlay.show(opened, opened and not self.table_shown)

    def _state(self) -> ViewState:
        if self._model is not None:
            return stale(self._session.stale_words)
        if self._session.state == "loading":
            return loading(f"Opening {spoken_name(self._session.opening)}", phase_words(self._session.busy))
        return EMPTY

    def _mark(self, reveal: bool) -> None:
        scene = self.canvas.scene
        if scene is None:
            return
        box = scene.box_of_op(self._selection.op)
        links = frozenset(scene.links_of_buffer(self._selection.buffer))
        moved = box != self.canvas.marked_box
        self.canvas.mark(box, links)
        self.look.follow()
        if reveal and moved and box >= 0:
            self._reveal_marked()
        self.table.select(self._selection.op)
        self._show_path()

    def _reveal_marked(self) -> None:
        bounds = self.canvas.selection_bounds()
        if bounds is not None:
            self.canvas.reveal(bounds)

    def _show_path(self) -> None:
        model = self._model
        if model is None:
            return
        node = model.of_op.get(self._selection.op) if self._selection.op is not None else None
        group = model.nodes[node].group if node is not None else ""
        self.crumbs.set_path((self._name, *shown_path(group)))
        self.overlay.place()

    # What the user does

    def _clicked(self, item: object, _modifiers: object) -> None:
        match item:
            case Hit("box", row):
                self._select_box(row)
            case Hit("link", row):
                self._select_link(row)
            case Hit("stub", row):
                self._select_stub(row)
            case None:
                self._selection.clear()
            case _:
                pass

    def _select_box(self, row: int) -> None:
        scene = self.canvas.scene
        assert scene is not None
        node = scene.node_of_box(row)
        if node is None:
            self.canvas.mark(row, frozenset())
            self.look.follow()
            return
        found = scene.model.nodes[node]
        self._selection.select(op=found.name or None, buffer=found.buffer or None)

    def _select_link(self, row: int) -> None:
        scene = self.canvas.scene
        assert scene is not None
        buffers = scene.carried[row]
        current = buffers.index(self._selection.buffer) if self._selection.buffer in buffers else -1
        self._selection.select_buffer(buffers[(current + 1) % len(buffers)])

    def _select_stub(self, row: int) -> None:
        scene = self.canvas.scene
        assert scene is not None
        self._selection.select_buffer(scene.model.nodes[int(scene.layout.stub_hub[row])].buffer)

    def _activated(self, item: object) -> None:
        scene = self.canvas.scene
        if scene is None or not isinstance(item, Hit):
            return
        if item.kind == "frame":
            self.fold.toggle(scene.layout.group_paths[int(scene.layout.frame_group[item.row])])
        elif item.kind == "box":
            group = scene.group_of_box(item.row)
            if group is not None:
                self.fold.toggle(group)
            else:
                self._select_box(item.row)
                self.canvas.focus_selection(fit=False)

    def _found(self, entry: Entry) -> None:
        model = self._model
        if model is None:
            return
        name = entry.name
        node = model.of_buffer.get(name) if entry.kind == "buffer" else model.of_op.get(name)
        if node is not None:
            self.fold.reveal(model.nodes[node].group)
        if entry.kind == "module":
            self.show_group(name)
            return
        if entry.kind == "buffer":
            self._selection.select_buffer(name)
        else:
            self._selection.select_op(name)
        self._aim.go(self._show_found)

    def _show_found(self) -> None:
        self.canvas.focus_selection(fit=False)
        if not self.finder.isHidden():
            self.canvas.pan_by(0, self.finder.height() / 2)  # not behind the list

    def _crumb_chosen(self, place: int) -> None:
        model, op = self._model, self._selection.op
        if place == 0 or model is None or op is None:
            self.canvas.fit_all()
            return
        group = model.nodes[model.of_op[op]].group
        self._aim.go(lambda: self.fold.show_group(self.canvas, ".".join(group.split(".")[:place])))

    def _show_menu(self, item: object, at: QPoint) -> None:
        scene = self.canvas.scene
        if scene is not None and self._session.compilation is not None:
            hit = item if isinstance(item, Hit) else None
            graph_menu(scene, hit, self._session, self.fold, self).popup(at)

    def _hint(self, item: Hit) -> str:
        scene = self.canvas.scene
        return hint_of(scene, item, self._session.compilation) if scene else ""

    # Arrangement

    def _arrange(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self._stack = QStackedLayout()
        column.addLayout(self._stack, 1)
        column.addWidget(self.overlay.strip)
        self._stack.addWidget(self.canvas)
        self._stack.addWidget(self.table)
        self.canvas.set_hints(self._hint)
        self.set_colouring("fate")

    def _connect(self) -> None:
        self.canvas.clicked.connect(self._clicked)
        self.canvas.activated.connect(self._activated)
        self.canvas.walked.connect(self._select_box)
        self.canvas.acted.connect(self._session.cancel)
        self.canvas.menu_requested.connect(self._show_menu)
        self.canvas.view_changed.connect(self.overlay.place_minimap)
        self.overlay.colour.chosen.connect(self.set_colouring)
        self.overlay.table_button.toggled.connect(self.set_table)
        self.table.chosen.connect(self._selection.select_op)
        self.crumbs.chosen.connect(self._crumb_chosen)
        self.finder.found.connect(self._found)
        self.finder.closed.connect(self.canvas.setFocus)
        self.fold.laid_out.connect(self._laid_out)
        self._session.changed.connect(self._session_changed)
        self._session.progressed.connect(self._show_state)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Controls stay in their corners."""
        super().resizeEvent(event)
        self.overlay.place()

    def changeEvent(self, event: QEvent) -> None:
        """Fonts of another theme may need other room."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.overlay.place()
