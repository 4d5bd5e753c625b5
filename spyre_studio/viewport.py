"""The window onto a plane that pans and zooms alike in both directions: the arithmetic of the graph canvas.

Owns: `Rect` and `Viewport2D`. Refuses: Qt, painting, and knowing what lies on the plane.
"""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MIN_ZOOM: Final = 0.002
MAX_ZOOM: Final = 8.0


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle by its corners, x0 <= x1 and y0 <= y1, in world units or pixels as its maker says."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def width(self) -> float:
        """Extent in x."""
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        """Extent in y."""
        return self.y1 - self.y0

    @property
    def centre(self) -> tuple[float, float]:
        """The middle point."""
        return (self.x0 + self.x1) / 2, (self.y0 + self.y1) / 2


@dataclass(frozen=True, slots=True)
class Viewport2D:
    """`x`, `y`: the world point at the top left pixel; `zoom`: pixels per world unit; `width`, `height` in pixels."""

    x: float = 0.0
    y: float = 0.0
    zoom: float = 1.0
    width: float = 1.0
    height: float = 1.0

    def to_px(self, points: Floats) -> Floats:
        """(..., 2) world points as pixels."""
        moved: Floats = (points - np.array([self.x, self.y])) * self.zoom
        return moved

    def to_world(self, px: float, py: float) -> tuple[float, float]:
        """World point under a pixel."""
        return self.x + px / self.zoom, self.y + py / self.zoom

    def visible(self) -> Rect:
        """The part of the world that is on screen, in world units."""
        return Rect(self.x, self.y, self.x + self.width / self.zoom, self.y + self.height / self.zoom)

    def rect_to_px(self, rect: Rect) -> Rect:
        """A world rectangle in pixels."""
        x0, y0 = (rect.x0 - self.x) * self.zoom, (rect.y0 - self.y) * self.zoom
        return Rect(x0, y0, x0 + rect.width * self.zoom, y0 + rect.height * self.zoom)

    def zoomed(self, factor: float, px: float, py: float) -> "Viewport2D":
        """Magnified by `factor` with the world point under (px, py) staying there; zoom stays in MIN_ZOOM..MAX_ZOOM."""
        zoom = min(max(self.zoom * factor, MIN_ZOOM), MAX_ZOOM)
        wx, wy = self.to_world(px, py)
        return replace(self, zoom=zoom, x=wx - px / zoom, y=wy - py / zoom)

    def panned(self, dx: float, dy: float) -> "Viewport2D":
        """The content moved by (dx, dy) pixels."""
        return replace(self, x=self.x - dx / self.zoom, y=self.y - dy / self.zoom)

    def resized(self, width: float, height: float) -> "Viewport2D":
        """The same top left corner and zoom in a window of another size."""
        return replace(self, width=max(width, 1.0), height=max(height, 1.0))

    def centred(self, wx: float, wy: float) -> "Viewport2D":
        """The world point (wx, wy) in the middle."""
        return replace(self, x=wx - self.width / self.zoom / 2, y=wy - self.height / self.zoom / 2)

    def fitted(self, bounds: Rect, margin: float = 24.0, max_zoom: float = 1.0) -> "Viewport2D":
        """All of `bounds` (world) on screen with `margin` pixels around it, never larger than `max_zoom`."""
        across = max(self.width - 2 * margin, 1.0) / max(bounds.width, 1e-9)
        down = max(self.height - 2 * margin, 1.0) / max(bounds.height, 1e-9)
        zoom = min(max(min(across, down, max_zoom), MIN_ZOOM), MAX_ZOOM)
        return replace(self, zoom=zoom).centred(*bounds.centre)

    def revealed(self, rect: Rect, margin: float = 24.0) -> "Viewport2D":
        """Moved as little as needed to show the world rectangle; its top left corner wins if it is too big."""
        seen, gap = self.visible(), margin / self.zoom
        dx = _least_shift(seen.x0, seen.x1, rect.x0 - gap, rect.x1 + gap)
        dy = _least_shift(seen.y0, seen.y1, rect.y0 - gap, rect.y1 + gap)
        return replace(self, x=self.x + dx, y=self.y + dy)

    def kept_near(self, bounds: Rect, keep: float = 64.0) -> "Viewport2D":
        """Panned back so that at least `keep` pixels of `bounds` stay on screen: the content cannot be lost."""
        seen, strip = self.visible(), keep / self.zoom
        across, down = min(strip, bounds.width), min(strip, bounds.height)
        x = min(max(self.x, bounds.x0 + across - seen.width), bounds.x1 - across)
        y = min(max(self.y, bounds.y0 + down - seen.height), bounds.y1 - down)
        return replace(self, x=x, y=y)


def _least_shift(lo: float, hi: float, want_lo: float, want_hi: float) -> float:
    if want_lo < lo or want_hi - want_lo > hi - lo:
        return want_lo - lo
    return max(0.0, want_hi - hi)
