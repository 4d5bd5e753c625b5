"""A canvas over a plane that pans and zooms alike in both directions: the graph, and whatever has no axes.

Owns: the `Viewport2D` and its navigation. Refuses: what lies on the plane. A subclass sets `set_bounds` after its data
changed and paints in pixels with `self.viewport`; it may implement `selection_bounds`.
"""

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from spyre_studio.viewport import Rect, Viewport2D
from spyre_studio.views.canvas import Canvas


class ViewportCanvas(Canvas):
    """Pan and zoom over `bounds` (world units), fitted until the user moves."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self._viewport = Viewport2D()
        self._bounds = Rect(0, 0, 1, 1)
        self._fitted = True  # stays fitted while the window is resized, until the user moves

    @property
    def viewport(self) -> Viewport2D:
        """The part of the plane on screen."""
        return self._viewport

    @property
    def bounds(self) -> Rect:
        """The extent of the content, in world units."""
        return self._bounds

    @property
    def fitted(self) -> bool:
        """True while everything is in view because that was asked for, until the user moves."""
        return self._fitted

    def selection_bounds(self) -> Rect | None:
        """The extent of the selection in world units, None without one."""
        return None

    def set_bounds(self, bounds: Rect, fit: bool = False) -> None:
        """The content has another extent; `fit` shows all of it, otherwise the view stays where it is."""
        self._bounds = bounds
        if fit or self._fitted:
            self.fit_all()
        else:
            self.invalidate()

    def set_viewport(self, viewport: Viewport2D) -> None:
        """Show another part (history, bookmarks, linked views); the size stays that of the widget."""
        moved = viewport.resized(self.width(), self.height()).kept_near(self._bounds)
        if moved != self._viewport:
            self._viewport, self._fitted = moved, False
            self.moved()

    def pan_by(self, dx: float, dy: float) -> None:
        """Move the content."""
        self.set_viewport(self._viewport.panned(dx, dy))

    def zoom_by(self, factor: float, at: QPointF) -> None:
        """Magnify around `at`."""
        self.set_viewport(self._viewport.zoomed(factor, at.x(), at.y()))

    def zoom_to(self, rect: QRectF) -> None:
        """Fill the view with the rectangle."""
        x0, y0 = self._viewport.to_world(rect.left(), rect.top())
        x1, y1 = self._viewport.to_world(rect.right(), rect.bottom())
        self.set_viewport(self._viewport.fitted(Rect(x0, y0, x1, y1), margin=0, max_zoom=8))

    def zoom_reset(self) -> None:
        """One world unit per pixel of the reference screen, around the middle."""
        self.zoom_by(1 / self._viewport.zoom, QRectF(self.rect()).center())

    def fit_all(self) -> None:
        """Everything in view, never larger than 100 %."""
        self._viewport = self._viewport.resized(self.width(), self.height()).fitted(self._bounds)
        self._fitted = True
        self.moved()

    def focus_selection(self, fit: bool) -> None:
        """Reveal the selection with the least move, or fill the view with it."""
        bounds = self.selection_bounds()
        if bounds is None:
            return
        view = self._viewport
        self.set_viewport(view.fitted(bounds, margin=80, max_zoom=2) if fit else view.centred(*bounds.centre))

    def reveal(self, bounds: Rect) -> None:
        """Move as little as needed to show `bounds`: the selection was made elsewhere."""
        self.set_viewport(self._viewport.revealed(bounds))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Stay fitted, or keep the top left corner."""
        super().resizeEvent(event)
        if self._fitted:
            self.fit_all()
        else:
            self._viewport = self._viewport.resized(self.width(), self.height())
            self.moved()
