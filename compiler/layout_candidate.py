"""LayoutCandidate: one layout that a buffer could have, and what the whole graph would pay for it.

Owns the row that lists of layouts show.  Refuses to search: `compiler.layout_candidates` fills it in.
"""

from __future__ import annotations

from dataclasses import dataclass

from compiler.layout import StickLayout

UNKNOWN = -1


@dataclass(frozen=True, slots=True)
class LayoutCandidate:
    """A layout of one buffer, chosen or not, legal or not (then `why_not` is a clause).

    `alone_*`: restickified elements (host count) and copy time in microseconds of the whole graph if only this buffer
    changes; `follow_*`: if everything else is chosen anew around it.  UNKNOWN where it was not worked out.
    """

    layout: StickLayout
    chosen: bool
    legal: bool
    why_not: str
    alone_elements: int
    alone_us: float
    follow_elements: int
    follow_us: float
    size_bytes: int
    padding_bytes: int
