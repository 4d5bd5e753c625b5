"""The colours of a timeline: one code per look of a box, with its brush, its pixel and the ground that texts stand on.

Owns: which kind of step and which cause of a wait has which look, alone, beside a selection, and selected.  What works
is solid in the colour of its kind, what waits is hatched in that of the cause.  Refuses: painting.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QBrush, QColor

from spyre_studio.colour import mix
from spyre_studio.occupancy import KINDS
from spyre_studio.qt_theme import qcolor
from spyre_studio.theme import Theme
from spyre_studio.timeline_data import Track, TrackKind
from spyre_studio.timeline_words import CAUSES
from spyre_studio.views.paint import hatch

Codes = NDArray[np.intp]

PLAIN, DIMMED, SELECTED = 0, 1, 2
_STATES: Final = 3
_BODY: Final = (0.62, 0.36, 1.0)  # of the colour, by state
_HATCHED: Final = (0.14, 0.08, 0.3)  # of the colour in the ground of a hatched box
_CAUSES: Final = max(CAUSES) + 1
_WAITS: Final = len(KINDS) * _STATES
_KERNELS: Final = _WAITS + _CAUSES * _STATES
_ALTERNATE: Final = (0.16, 0.28)  # of the text colour in kernels, in turn


def codes_of(track: Track, places: Codes, step_kinds: Codes, states: Codes) -> Codes:
    """The look of some rows of a track; `step_kinds` (codes into KINDS) and `states` are by step."""
    if track.kind is TrackKind.KERNELS:
        return _KERNELS + places % 2
    steps = track.step[places]
    if track.kind is TrackKind.WAITS:
        return np.asarray(_WAITS + track.cause[places].astype(np.intp) * _STATES + states[steps], np.intp)
    return np.asarray(step_kinds[steps] * _STATES + states[steps], np.intp)


def is_hatched(code: int) -> bool:
    """True for waits, on whose ground no text can be read."""
    return _WAITS <= code < _KERNELS


@dataclass(frozen=True, slots=True, eq=False)
class Palette:
    """By code: a brush, the '#rrggbb' of the ground, and the pixel; the pixel behind the last is that of a gap."""

    brushes: tuple[QBrush | QColor, ...]
    grounds: tuple[str, ...]
    pixels: NDArray[np.uint32]

    @classmethod
    def of(cls, theme: Theme, ratio: float) -> Palette:
        """The colours under a theme, for a screen of this device pixel ratio."""
        grounds = [mix(theme.bg, theme.kind(kind), share) for kind in KINDS for share in _BODY]
        brushes: list[QBrush | QColor] = [qcolor(ground) for ground in grounds]
        for cause in range(_CAUSES):
            colour = str(getattr(theme, CAUSES[cause].token))
            for line, ground in zip(_BODY, _HATCHED, strict=True):
                grounds.append(mix(theme.bg, colour, (line + ground) / 2))
                brushes.append(hatch(mix(theme.bg, colour, line), mix(theme.bg, colour, ground), ratio))
        for share in _ALTERNATE:
            grounds.append(mix(theme.bg, theme.text, share))
            brushes.append(qcolor(grounds[-1]))
        pixels = np.array([0xFF000000 | int(colour[1:], 16) for colour in (*grounds, theme.bg)], np.uint32)
        return cls(tuple(brushes), tuple(grounds), pixels)
