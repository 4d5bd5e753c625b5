"""Report theme: the colours of a report's page, taken from the themes of the window.

Owns which token stands for which name of the page's style.  Refuses colours of its own.
"""

from __future__ import annotations

from typing import Final

from frozendict import frozendict

from compiler.report.drawing import LEVELS
from spyre_studio.theme import DARK, LIGHT, Theme


def palette(theme: Theme) -> frozendict[str, str]:
    """Colours by the names of `compiler.report.style`."""
    last = len(theme.fill) - 1
    heat = {f"h{level}": theme.fill[round(level * last / LEVELS)] for level in range(1, LEVELS + 1)}
    return frozendict(
        {
            "bg": theme.bg,
            "panel": theme.panel,
            "raised": theme.raised,
            "line": theme.line,
            "text": theme.text,
            "mute": theme.mute,
            "accent": theme.accent_text,
            "ok": theme.ok_text,
            "warn": theme.warn_text,
            "bad": theme.bad_text,
            "matmul": theme.matmul,
            "reduction": theme.reduction,
            "pointwise": theme.pointwise,
            "move": theme.move,
            "h0": theme.raised,
            **heat,
        }
    )


LIGHT_PAGE: Final = palette(LIGHT)
DARK_PAGE: Final = palette(DARK)
