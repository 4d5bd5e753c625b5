"""Which modules of the graph are open, and how the picture stays where it was when one is opened or closed.

Owns: the set of open groups of the model on screen, the wish for a picture, the anchor. Refuses: drawing.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from compiler.loops import LoopProgram
from spyre_studio.repeats import Run
from spyre_studio.viewport import Rect
from spyre_studio.views.graph_canvas import GraphCanvas
from spyre_studio.views.graph_groups import GraphInput, everything, first_opened
from spyre_studio.views.graph_hold import hold, never_nothing, put_back
from spyre_studio.views.graph_layout import GraphLayout
from spyre_studio.views.graph_layouts import GraphLayouts
from spyre_studio.views.graph_levels import deeper, shallower
from spyre_studio.views.graph_runs import folded_tree, sign_of, stretch_path
from spyre_studio.views.graph_scene import Scene
from spyre_studio.views.layered import Spacing


class GraphFold(QObject):
    """`laid_out` carries the scene, and True if it is the first one of a model."""

    laid_out = Signal(object, bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._layouts = GraphLayouts(self)
        self._layouts.ready.connect(self._deliver)
        self._graph: GraphInput | None = None
        self._program: LoopProgram | None = None
        self._dress: Callable[[GraphLayout], Scene] | None = None
        self._spacing = Spacing()
        self._opened: frozenset[str] = frozenset()
        self._anchor = ("", "")  # the group that must stay where it is on screen, and what takes its place
        self._first = True
        self._awaited = False

    @property
    def awaited(self) -> bool:
        """True while the picture of what is open is being made."""
        return self._awaited

    @property
    def opened(self) -> frozenset[str]:
        """Paths of the open groups, and signs of the runs of which all blocks are shown."""
        return self._opened

    @property
    def runs(self) -> tuple[Run, ...]:
        """The runs of equal modules."""
        return self._graph.runs if self._graph is not None else ()

    def show(
        self, graph: GraphInput, program: LoopProgram, spacing: Spacing, dress: Callable[[GraphLayout], Scene]
    ) -> None:
        """Another plan of the same model keeps what is open; another model begins anew."""
        if program is not self._program:
            self._layouts.forget()
            self._program, self._first = program, True
            self._opened = first_opened(graph)
        self._graph, self._spacing, self._dress, self._anchor = graph, spacing, dress, ("", "")
        self._want()

    def keep_open(self, opened: frozenset[str]) -> None:
        """Have these groups open, as they were in a graph of the same model before."""
        if opened != self._opened:
            self._set(opened)

    def close(self) -> None:
        """No model."""
        self._layouts.forget()
        self._graph, self._program, self._dress = None, None, None

    def toggle(self, group: str) -> None:
        """Open or close one group, or show all the blocks that are folded in it; it stays where it is on screen."""
        blocks = self.blocks_in(group)
        if blocks:
            run = self.run_of(blocks[0])
            assert run is not None
            self._set(self._opened | {sign_of(run), *_parents(run.parent)}, group, _place_of(run, group, blocks[0]))
        else:
            self._set(self._opened - {group} if group in self._opened else self._opened | {group}, group, group)

    def blocks_in(self, group: str) -> tuple[str, ...]:
        """Paths of the equal modules for which a box stands as long as things are open as they are."""
        if self._graph is None or not self._graph.runs:
            return ()
        return folded_tree(self._graph.tree, self._graph.runs, self._opened).blocks.get(group, ())

    def is_folded(self, group: str) -> bool:
        """True for the box of a whole run, or of the module around one that is all there is in it."""
        return any(group in {run.parent, stretch_path(run.members)} for run in self.runs) and bool(
            self.blocks_in(group)
        )

    def run_of(self, path: str) -> Run | None:
        """The run that a module is a block of."""
        return next((run for run in self.runs if path in run.members), None)

    def unfolded_run(self, path: str) -> Run | None:
        """The run of which this module is a block, or that lies in it, if any of its blocks is shown by itself."""
        runs = (run for run in self.runs if path in run.members or path == run.parent)
        return next((run for run in runs if self._opened & {sign_of(run), *run.members}), None)

    def show_block(self, path: str, box: str) -> None:
        """Open one of the equal modules that are folded in a box."""
        self._set(self._opened | {path, *_parents(path)}, box, path)

    def fold_run(self, run: Run) -> None:
        """All blocks of a run in one box again."""
        self._set(self._opened - {sign_of(run), *run.members})

    def reveal(self, group: str) -> None:
        """Open a group and all around it."""
        self._set(self._opened | _parents(group))

    def deeper(self) -> None:
        """Open the outermost of what is closed."""
        if self._graph is not None:
            self._set(deeper(self._graph, self._opened))

    def shallower(self) -> None:
        """Close the innermost of what is open."""
        if self._graph is not None:
            self._set(shallower(self._graph, self._opened))

    def open_all(self) -> None:
        """Everything open."""
        if self._graph is not None:
            self._set(everything(self._graph))

    def close_all(self) -> None:
        """Everything closed."""
        self._set(frozenset())

    def show_group(self, canvas: GraphCanvas, group: str) -> None:
        """Bring a group into view, open if it is."""
        rect = _rect_of(canvas, group)
        if rect is not None:
            view = canvas.viewport
            canvas.set_viewport(view.fitted(rect, margin=64))

    def keep_place(self, canvas: GraphCanvas, op: str | None, show: Callable[[], None]) -> None:
        """Show the picture with `show`, then move the canvas so that the anchor is where it was; without one, the
        selected op if it was in view, or what was in the middle. Something is in view afterwards."""
        (before, after), self._anchor = self._anchor, ("", "")
        old = _rect_of(canvas, before) if before else None
        at = canvas.viewport.rect_to_px(old) if old is not None else None
        held, zoom = hold(canvas, before, op), canvas.viewport.zoom
        show()
        new = _rect_of(canvas, after) if at is not None else None
        if new is not None and at is not None:
            canvas.keep_at(((new.x0 + new.x1) / 2, new.y0), ((at.x0 + at.x1) / 2, at.y0))
        elif not canvas.at_start:
            put_back(canvas, held, zoom)
        never_nothing(canvas, held)

    def finish(self) -> None:
        """Wait for what runs, before the window goes."""
        self._layouts.finish()

    def _set(self, opened: frozenset[str], before: str = "", after: str = "") -> None:
        if opened != self._opened:
            self._opened, self._anchor = opened, (before, after)
            self._want()

    def _want(self) -> None:
        if self._graph is not None and self._dress is not None:
            self._awaited = True
            self._layouts.want(self._graph, self._opened, self._spacing, self._dress)

    def _deliver(self, scene: Scene) -> None:
        first, self._first = self._first, False
        self._awaited = False
        self.laid_out.emit(scene, first)


def _parents(path: str) -> frozenset[str]:
    """The module and those around it."""
    parts = path.split(".") if path else []
    return frozenset(".".join(parts[: place + 1]) for place in range(len(parts)))


def _place_of(run: Run, group: str, first: str) -> str:
    """What is in the place of a box when its blocks are shown: the module around them, or the first one."""
    return group if group == run.parent else first


def _rect_of(canvas: GraphCanvas, group: str) -> Rect | None:
    """The box or frame of a group on screen, None where it is neither."""
    scene = canvas.scene
    if scene is None or group not in scene.layout.group_paths:
        return None
    layout, number = scene.layout, scene.layout.group_paths.index(group)
    for rects, numbers in ((layout.boxes, layout.box_item - scene.node_count), (layout.frames, layout.frame_group)):
        rows = (numbers == number).nonzero()[0]
        if len(rows):
            return Rect(*rects[rows[0]].tolist())
    return None
