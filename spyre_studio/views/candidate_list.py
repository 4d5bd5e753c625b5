"""The candidate splits of one op as rows: factors, a bar by cost group, points, and why not where not.

Owns: the words and bars of a candidate. Refuses: asking for candidates and pinning one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from spyre_studio.bars import Part
from spyre_studio.qt_theme import active_theme
from spyre_studio.term_groups import GROUPS, Group, summed
from spyre_studio.theme import Theme
from spyre_studio.units import format_bytes, format_count, format_number, format_us
from spyre_studio.views.graph_model import factors_text
from spyre_studio.views.line_list import Line

if TYPE_CHECKING:
    from compiler.candidates import Candidate

_WIDEST: Final = 4.0  # times the best; what is slower fills its bar, else the best ones could not be told apart


def candidate_key(candidate: Candidate) -> str:
    """Names a candidate by its factors, in their order."""
    return ",".join(f"{loop}={factor}" for loop, factor in candidate.factors.items())


def candidate_lines(candidates: Sequence[Candidate]) -> tuple[Line, ...]:
    """A row per candidate, in the order given."""
    theme = active_theme()
    legal = [one.total_us for one in candidates if one.legal]
    best = min((total for total in legal if total > 0), default=0.0)
    scale = min(max(legal, default=0.0), best * _WIDEST) or 1.0
    return tuple(_line(one, scale, theme) for one in candidates)


def groups_of(candidates: Sequence[Candidate]) -> tuple[Group, ...]:
    """The cost groups that occur, for the legend."""
    found = {group.title for one in candidates for group, _ in summed(one.terms)}
    return tuple(group for group in GROUPS if group.title in found)


def _line(one: Candidate, scale: float, theme: Theme) -> Line:
    return Line(
        key=candidate_key(one),
        title=factors_text(one.factors),
        note=_note(one),
        value=format_number(one.total_us) if one.legal else "",
        parts=_parts(one, scale, theme) if one.legal else (),
        tone="warn" if not one.legal else "mute",
        strong=one.chosen,
        faded=not one.legal,
        hint=_hint(one),
    )


def _note(one: Candidate) -> str:
    if not one.legal:
        return one.why_not
    words = f"{format_count(one.cores, 'core')} · span {format_bytes(one.span_bytes)}"
    return f"this plan · {words}" if one.chosen else words


def _parts(one: Candidate, scale: float, theme: Theme) -> tuple[Part, ...]:
    """Shares of the bar, cut at its end."""
    parts, left = [], 1.0
    for group, total in summed(one.terms):
        share = min(total / scale, left)
        left -= share
        if share > 0:
            parts.append(Part(share, getattr(theme, group.token)))
    return tuple(parts)


def _hint(one: Candidate) -> str:
    if not one.legal:
        return one.why_not
    return "\n".join(f"{term.name}: {format_us(term.microseconds)}\n    {term.formula}" for term in one.terms)
