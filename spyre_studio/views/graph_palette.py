"""The fill of every box of the graph in each of its colourings, near and far.

Owns: which colours there are and which box has which, as numbers, so that thousands are drawn at once. Refuses:
drawing. Far out a box is a few pixels without stripe, hatch or number: there the colours are strong.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from spyre_studio.colour import mix
from spyre_studio.theme import Theme
from spyre_studio.views.graph_measures import MEASURES, Measure, Shade
from spyre_studio.views.graph_model import HBM, LX, NODE_KINDS, UNKNOWN
from spyre_studio.views.graph_scene import PARTLY, Scene

Ints = NDArray[np.intp]
Colouring = Literal["fate", "kind", "residency"] | Measure

COLOURINGS: Final[tuple[tuple[Colouring, str], ...]] = (
    ("fate", "fate of data"),
    ("kind", "kind of op"),
    ("time", "time"),
    ("residency", "LX residency"),
    *((row.key, row.words) for row in MEASURES if row.key != "time"),
)
_DATA: Final = frozenset({"input", "output"})


@dataclass(frozen=True, slots=True, eq=False)
class Palette:
    """`codes` (b,): which of `colours` fills each box."""

    codes: Ints
    colours: tuple[str, ...]

    def colour(self, box: int) -> str:
        """The fill of one box."""
        return self.colours[int(self.codes[box])]


def measure_of(colouring: Colouring) -> Measure | None:
    """The number by which a colouring shades, None for the others."""
    return next((row.key for row in MEASURES if row.key == colouring), None)


def is_measure(colouring: Colouring) -> bool:
    """True for the colourings that shade by a number."""
    return measure_of(colouring) is not None


def near_palette(scene: Scene, colouring: Colouring, shade: Shade | None, theme: Theme) -> Palette:
    """Quiet grounds behind texts."""
    if is_measure(colouring):
        return _shaded(scene, shade, theme, theme.panel)
    if colouring == "kind":
        return Palette(scene.kinds, tuple(theme.tint(theme.kind(kind), _tint(kind)) for kind in NODE_KINDS))
    if colouring == "residency":
        lx, part, hbm = theme.tint(theme.lx, 0.2), theme.tint(theme.lx, 0.1), theme.tint(theme.hbm, 0.14)
        return Palette(scene.residency, _by_residency(lx, part, hbm, theme.panel))
    return Palette(np.zeros(len(scene.titles), np.intp), (theme.panel,))


def far_palette(scene: Scene, colouring: Colouring, shade: Shade | None, theme: Theme) -> Palette:
    """Marks that are seen at the size of a few pixels."""
    if is_measure(colouring):
        return _shaded(scene, shade, theme, mix(theme.bg, theme.mute, 0.25))
    if colouring == "residency":
        lx, part = mix(theme.bg, theme.lx, 0.8), mix(theme.bg, theme.lx, 0.4)
        return Palette(scene.residency, _by_residency(lx, part, theme.hbm, theme.panel))
    return Palette(scene.kinds, tuple(mix(theme.bg, theme.kind(kind), 0.8) for kind in NODE_KINDS))


def _shaded(scene: Scene, shade: Shade | None, theme: Theme, unknown: str) -> Palette:
    codes = shade.codes() + 1 if shade is not None else np.zeros(len(scene.titles), np.intp)
    return Palette(codes, (unknown, *theme.fill))


def _tint(kind: str) -> float:
    return 0.0 if kind in _DATA else 0.2


def _by_residency(lx: str, part: str, hbm: str, unknown: str) -> tuple[str, ...]:
    found = {LX: lx, PARTLY: part, HBM: hbm, UNKNOWN: unknown}
    return tuple(found[code] for code in range(UNKNOWN + 1))
