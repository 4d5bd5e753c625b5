"""How the graph is looked at: what colours its boxes, and what stands out while the rest steps back.

Owns: the chosen colouring and trace, and bringing both to the canvas whenever plan, folds, report or selection change.
Refuses: drawing and layout.
"""

from __future__ import annotations

from PySide6.QtCore import QObject

from spyre_studio.session import Session
from spyre_studio.views.graph_canvas import GraphCanvas
from spyre_studio.views.graph_measures import MEASURE_ROWS, Measure, Shade, measures_of, shade_of
from spyre_studio.views.graph_overlay import GraphOverlay
from spyre_studio.views.graph_palette import Colouring, measure_of
from spyre_studio.views.graph_trace import Way, trace_of

_NO_REPORT = "Verify the numbers first (F6)"
_NO_PLAN = "Known as soon as there is a plan"


class GraphLook(QObject):
    """Call `refresh` when the canvas has another scene."""

    def __init__(self, session: Session, canvas: GraphCanvas, overlay: GraphOverlay, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._canvas, self._overlay = session, canvas, overlay
        self._colouring: Colouring = "fate"
        self._way: Way | None = None

    @property
    def colouring(self) -> Colouring:
        """What colours the boxes."""
        return self._colouring

    @property
    def way(self) -> Way | None:
        """What stands out: neighbours, all before or all after the selected op; None while everything does."""
        return self._way

    def set_colouring(self, key: Colouring) -> None:
        """Colour by another thing."""
        self._colouring = key
        self.refresh()

    def refresh(self) -> None:
        """Numbers, colours and legend anew."""
        measure = measure_of(self._colouring)
        shade = self._shade(measure) if measure is not None else None
        self._canvas.set_colouring(self._colouring, shade)
        self._overlay.show_colouring(self._colouring)
        if measure is not None:
            self._show_scale(measure, shade)
        self._overlay.minimap.refresh()
        self._overlay.place()

    def report_changed(self) -> None:
        """Errors are known, or not any more."""
        if self._colouring == "error":
            self.refresh()

    def trace(self, way: Way) -> None:
        """Let this stand out around the selected op, or everything again."""
        self._way = None if way == self._way else way
        self.follow()

    def follow(self) -> None:
        """The selection or the folds changed; without a selected op everything stands out."""
        scene, box = self._canvas.scene, self._canvas.marked_box
        if box < 0:
            self._way = None
        if scene is None or self._way is None:
            self._canvas.set_trace(None)
        else:
            self._canvas.set_trace(trace_of(scene.layout.links, len(scene.layout.boxes), box, self._way))

    def _shade(self, measure: Measure) -> Shade | None:
        scene, compilation = self._canvas.scene, self._session.compilation
        if scene is None or compilation is None:
            return None
        report = self._session.verify_report if measure == "error" else None
        measures = measures_of(compilation) if measure != "error" else None
        return shade_of(measure, scene.layout.box_of, len(scene.titles), scene.model, measures, report)

    def _show_scale(self, measure: Measure, shade: Shade | None) -> None:
        row = MEASURE_ROWS[measure]
        if shade is not None:
            self._overlay.show_scale(row.caption, *shade.ends)
        else:
            self._overlay.show_scale(_NO_REPORT if measure == "error" else _NO_PLAN, "", "")
