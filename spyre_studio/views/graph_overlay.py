"""The controls that lie over the graph, each in its corner: path, colouring, table, find, overview; and its legend.

Owns: making and placing them, and which can be seen. Refuses: what they do; the graph view connects them.
"""

from __future__ import annotations

from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from spyre_studio.legend import Legend, ScaleLegend
from spyre_studio.qt_theme import active_theme, font, px, qcolor
from spyre_studio.theme import GRID, PAD
from spyre_studio.views.breadcrumb import Breadcrumb
from spyre_studio.views.find_panel import FindPanel
from spyre_studio.views.graph_canvas import GraphCanvas
from spyre_studio.views.graph_hints import LEGENDS
from spyre_studio.views.graph_palette import COLOURINGS, Colouring, is_measure
from spyre_studio.views.minimap import Minimap
from spyre_studio.views.overlay import Chooser, OverlayPanel


class GraphOverlay:
    """Lies over `view`; call `place` when the view has another size or shows another thing."""

    def __init__(self, view: QWidget, canvas: GraphCanvas) -> None:
        self._view, self._canvas = view, canvas
        self.crumbs, self.finder, self.minimap = Breadcrumb(view), FindPanel(view), Minimap(canvas, view)
        self.colour = Chooser("Colour by", COLOURINGS)
        self.table_button = QToolButton()
        self.strip = _Strip(view)
        self.legend, self.ramp = Legend(parent=self.strip), QWidget(self.strip)
        self.controls = OverlayPanel(view)
        self._scale = ScaleLegend("0", "")
        self._caption = QLabel(self.ramp)
        self._caption.setProperty("tone", "mute")
        self._caption.setFont(font("label"))
        self._wants_minimap = True
        self._colouring: Colouring = "fate"
        self._drawn = self._open = False
        self.table_button.setText("Table")
        self.table_button.setCheckable(True)
        self.table_button.setToolTip("Show the ops as a table (Ctrl+T)")
        self.controls.row.addWidget(self.colour)
        self.controls.row.addWidget(self.table_button)
        self._arrange_strip()

    def _arrange_strip(self) -> None:
        self._ramp_row = QHBoxLayout(self.ramp)
        self._ramp_row.setContentsMargins(0, 0, 0, 0)
        self._ramp_row.setSpacing(px(1.5 * GRID))
        self._ramp_row.addWidget(self._caption)
        self._ramp_row.addWidget(self._scale)
        self.ramp.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.strip.row.addWidget(self.legend)
        self.strip.row.addWidget(self.ramp)
        self.strip.row.addStretch(1)

    def show(self, opened: bool, drawn: bool) -> None:
        """`opened`: there is a model; `drawn`: it is drawn as a picture, not as a table."""
        self._open, self._drawn = opened, drawn
        self.place()

    def show_colouring(self, key: Colouring) -> None:
        """The words and the legend of a colouring."""
        self._colouring = key
        self.colour.choose(key)
        self.legend.set_entries(LEGENDS.get(key, ()))

    @property
    def legend_shown(self) -> QWidget:
        """The legend of the colouring."""
        return self.ramp if is_measure(self._colouring) else self.legend

    def show_scale(self, caption: str, low: str, high: str) -> None:
        """What the colours of a measure stand for, from no colour to full colour; no scale where nothing is known."""
        self._ramp_row.removeWidget(self._scale)
        self._scale.hide()
        self._scale.deleteLater()
        self._scale = ScaleLegend(low, high)
        self._caption.setText(caption)
        self.ramp.setAccessibleName(f"Legend: {caption}" + (f", from {low} to {high}" if high else ""))
        self._ramp_row.addWidget(self._scale)
        self._scale.setVisible(bool(high))

    def toggle_minimap(self) -> None:
        """Show or hide the overview."""
        self._wants_minimap = not self._wants_minimap
        self.place_minimap()

    def place(self) -> None:
        """Everything into its corner."""
        view, pad = self._view, px(PAD)
        shown = self.strip.height() if self._drawn else 0
        right, bottom = view.width() - pad, view.height() - shown - pad
        scaled = is_measure(self._colouring)
        self.controls.setVisible(self._open)
        self.crumbs.setVisible(self._drawn)
        self.strip.setVisible(self._drawn)
        self.legend.setVisible(not scaled)
        self.ramp.setVisible(scaled)
        self.controls.adjustSize()
        self.finder.adjustSize()
        self.crumbs.fit(right - self.controls.width() - pad - px(GRID))
        for widget in (self.crumbs, self.controls, self.finder):
            widget.raise_()
        self.crumbs.move(pad - px(GRID / 2), pad - px(GRID / 4))
        self.controls.move(right - self.controls.width(), pad - px(GRID / 2))
        below = self.controls.geometry().bottom() + px(GRID / 2)
        left = self.crumbs.geometry().right() + pad if self.crumbs.isVisible() else pad
        self._canvas.keep_clear(left, self.controls.geometry().left() - pad, below)
        self.finder.move((view.width() - self.finder.width()) // 2, below)
        self.minimap.move(right - self.minimap.width(), bottom - self.minimap.height())
        self.place_minimap()

    def place_minimap(self) -> None:
        """The overview is there when something is out of sight, and there is room for it."""
        fits = self._view.height() > 3 * self.minimap.height() / 2 and self._view.width() > 5 * self.minimap.width()
        self.minimap.setVisible(self._wants_minimap and self._drawn and fits and self.minimap.is_useful)
        self.minimap.raise_()


class _Strip(QWidget):
    """A line under the picture, on its ground: what lay over the picture would hide a part of it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(px(PAD), 0, px(PAD), px(GRID / 2))
        self.setFixedHeight(px(3.5 * GRID))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The ground of the canvas."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), qcolor(active_theme().bg))
        painter.end()
