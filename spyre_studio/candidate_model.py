"""Candidate model: the divisions an op could have as rows: time in lanes, points, span, and why each one lost.

Owns: the comparison with the division of the plan, term by term, its words, filters and orders.  Refuses: Qt, colours
and prices of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from compiler.loops import LoopOp
from compiler.price import CostTerm
from spyre_studio.term_groups import Group, group_of, side_us, summed
from spyre_studio.units import format_bytes, format_count, format_number, format_us

if TYPE_CHECKING:
    from compiler.candidates import Candidate

WIDEST: Final = 4.0  # times the best; what is slower fills its bar, else the best ones could not be told apart
_SAME: Final = 0.05  # us; less than the window shows
_POINT: Final = 0.05
_CAUSES: Final = 2  # named in the row; the tooltip has all

RULE: Final = "The published rule chose the split of the plan: by points of preference, which are no time."
PREDICTED: Final = "Predicted time is what counts: a pin overrules the rule."
ALONE_HINT: Final = (
    "Here the op is timed alone: it loads all that it reads itself, and memory turns from reading to writing for it "
    "alone. In a plan the steps of a kernel share both, so that a step takes more or less there."
)
"""Why times of candidates are not those of steps of the plan."""

Piece = tuple[Group, float]
"""A group with its share of the bar's width."""


@dataclass(frozen=True, slots=True)
class Lanes:
    """A time as a bar: compute above memory, which run at the same time, then what hides behind nothing; shares of the
    width."""

    compute: tuple[Piece, ...] = ()
    memory: tuple[Piece, ...] = ()
    alone: tuple[Piece, ...] = ()

    @property
    def hidden(self) -> float:
        """How far both lanes reach before the rest begins."""
        return max(sum(share for _, share in lane) for lane in (self.compute, self.memory))


@dataclass(frozen=True, slots=True)
class CandidateRow:
    """One candidate.  `delta_us` is against the plan; `cause` says why it lost, or what it is; `hint` has every term,
    and what the formula is made of.  `points` are those of the ranking, None where there is none."""

    key: str
    title: str
    cores: int
    total_us: float
    delta_us: float
    lanes: Lanes
    terms: Mapping[str, float]
    points: float | None
    span_bytes: int
    legal: bool
    chosen: bool
    cause: str
    hint: str

    @property
    def verdict(self) -> str:
        """The difference and its cause: '+9.8 µs: K split runs on one corelet'."""
        if self.chosen or not self.legal or abs(self.delta_us) < _SAME:
            return self.cause
        return f"{format_us(self.delta_us, signed=True)}{': ' if self.delta_us > 0 else ', but '}{self.cause}"


Order = Callable[[CandidateRow], tuple[object, ...]]

ORDERS: Final[Mapping[str, tuple[str, Order]]] = {
    "time": ("by time", lambda row: (not row.legal, row.total_us)),
    "points": ("by points", lambda row: (not row.legal, row.points if row.points is not None else row.total_us)),
    "cores": ("by cores", lambda row: (not row.legal, -row.cores, row.total_us)),
    "span": ("by span", lambda row: (not row.legal, row.span_bytes, row.total_us)),
}
"""Key -> words and the order; what is not legal comes last, equals stay as they come."""


def candidate_key(factors: Mapping[str, int]) -> str:
    """Names a candidate by its factors, in any order of the loops."""
    return ",".join(f"{loop}={factor}" for loop, factor in sorted(factors.items()))


def factors_title(factors: Mapping[str, int]) -> str:
    """'b 4 · m 8', 'one core'."""
    return " · ".join(f"{loop} {factor}" for loop, factor in factors.items()) or "one core"


_TOGETHER: Final = ("co-optimize", "improve-division")
"""Passes that divide ops by the time of the whole plan, whatever the published ranking says."""


def ranking_decides(pipeline: str) -> bool:
    """True if a plan of that pipeline has the divisions of the published ranking."""
    return not any(name in pipeline for name in _TOGETHER)


def rows_of(
    candidates: Sequence[Candidate], op: LoopOp, pinned: bool = False, ranked: bool = True
) -> tuple[CandidateRow, ...]:
    """A row per candidate of an op in the order given; its division may be `pinned`.  `ranked`: the published ranking
    chose it, and not the time of the whole plan."""
    chosen = next((one for one in candidates if one.chosen), None)
    totals = [one.total_us for one in candidates if one.legal]
    best = min((total for total in totals if total > 0), default=0.0)
    scale = min(max(totals, default=0.0), best * WIDEST) or 1.0
    judge = _Judge(chosen, tuple(loop.name for loop in op.reduction_loops), pinned, ranked)
    places = {loop.name: place for place, loop in enumerate(op.loops)}
    return tuple(_row(one, judge, scale, places) for one in candidates)


def arranged(rows: Sequence[CandidateRow], legal_only: bool, order: str) -> tuple[CandidateRow, ...]:
    """Filtered and sorted; the division of the plan is never filtered away."""
    kept = [row for row in rows if row.legal or row.chosen or not legal_only]
    return tuple(sorted(kept, key=ORDERS[order][1]))


def quicker_words(rows: Sequence[CandidateRow]) -> str:
    """How many would take less time than that of the plan, each alone. Example: '12 quicker, the best by
    17.7 µs'; '' where nothing is known."""
    if not any(row.chosen for row in rows):
        return ""
    saved = [-row.delta_us for row in rows if row.legal and row.delta_us <= -_SAME]
    if not saved:
        return "none is quicker"
    return f"{len(saved)} quicker, {'the best ' if len(saved) > 1 else ''}by {format_us(max(saved))}"


def alone_words(rows: Sequence[CandidateRow], in_plan_us: float) -> str:
    """Where the plan's row differs from what the op takes in the plan: the latter; '' where it does not."""
    apart = any(row.chosen and abs(row.total_us - in_plan_us) >= _SAME for row in rows)
    return f"timed alone (in the plan {format_us(in_plan_us)})" if apart else ""


def groups_in(candidates: Sequence[Candidate]) -> tuple[Group, ...]:
    """The groups that occur in the bars, in the order of the table of groups."""
    found = {group.title: group for one in candidates if one.legal for group, _ in summed(one.terms)}
    return tuple(sorted(found.values(), key=lambda group: (group.side != "compute", group.side != "memory")))


def term_names(rows: Sequence[CandidateRow]) -> tuple[str, ...]:
    """The terms that occur in any legal row, in the order in which they are met."""
    return tuple(dict.fromkeys(name for row in rows if row.legal for name in row.terms))


def _row(one: Candidate, judge: _Judge, scale: float, places: Mapping[str, int]) -> CandidateRow:
    chosen, loops = judge.chosen, sorted(one.factors, key=lambda loop: places.get(loop, 0))
    terms: dict[str, float] = {}
    for term in one.terms:
        terms[term.name] = terms.get(term.name, 0.0) + term.microseconds
    return CandidateRow(
        key=candidate_key(one.factors),
        title=factors_title({loop: one.factors[loop] for loop in loops}),
        cores=one.cores,
        total_us=one.total_us,
        delta_us=one.total_us - chosen.total_us if chosen else 0.0,
        lanes=_lanes(one, scale) if one.legal else Lanes(),
        terms=terms,
        points=one.points if one.ranking else None,
        span_bytes=one.span_bytes,
        legal=one.legal,
        chosen=one.chosen,
        cause=judge.cause(one),
        hint=_hint(one, chosen, judge.ranked),
    )


def _lanes(one: Candidate, scale: float) -> Lanes:
    """Cut at the end of the bar."""
    pieces = {side: [p for p in summed(one.terms) if p[0].side == side] for side in ("compute", "memory", "alone")}
    compute, memory = (_cut(pieces[side], scale, 1.0) for side in ("compute", "memory"))
    room = 1.0 - max(sum(share for _, share in lane) for lane in (compute, memory))
    return Lanes(compute, memory, _cut(pieces["alone"], scale, room))


def _cut(pieces: Sequence[Piece], scale: float, room: float) -> tuple[Piece, ...]:
    found = []
    for group, time in pieces:
        share = min(time / scale, room)
        room -= share
        if share > 0:
            found.append((group, share))
    return tuple(found)


# Why it lost


@dataclass(frozen=True, slots=True)
class _Judge:
    """Compares with the chosen candidate; `reduced` are the reduced loops of the op."""

    chosen: Candidate | None
    reduced: tuple[str, ...]
    pinned: bool
    ranked: bool

    def cause(self, one: Candidate) -> str:
        """Why it is not the plan, or that it is."""
        chosen = self.chosen
        if one.chosen or chosen is None:
            return "this plan" if one.legal else f"this plan; {one.why_not}"
        if not one.legal:
            return one.why_not
        delta = one.total_us - chosen.total_us
        if delta >= _SAME:
            return ", ".join(self._causes(one, chosen))
        if delta > -_SAME:
            return f"same time, {self._behind(one, chosen) or _smaller(one, chosen)}"
        if self.pinned:
            return "the pin decides"
        if not self.ranked:
            return "only alone: the plan as a whole was timed"
        return self._behind(one, chosen) or "not chosen by time alone"

    def _behind(self, one: Candidate, chosen: Candidate) -> str:
        return _ranked(one, chosen) if self.ranked else ""

    def _causes(self, slow: Candidate, fast: Candidate) -> list[str]:
        """What makes the slow one slow: of compute and memory the side that lasts, and what hides behind nothing."""
        lasting = "compute" if side_us(slow.terms, "compute") > side_us(slow.terms, "memory") else "memory"
        more = [(time, name) for name, time in _more(slow, fast).items()]
        found = [(time, name) for time, name in more if time >= _SAME and group_of(name).side in (lasting, "alone")]
        found = found or [(time, name) for time, name in more if time > 0]
        words = [self._words(name, slow, fast) for _, name in sorted(found, reverse=True)[:_CAUSES]]
        return list(dict.fromkeys(words)) or ["more in all"]

    def _words(self, term: str, slow: Candidate, fast: Candidate) -> str:
        """A term in words."""
        folded = [loop for loop in slow.factors if loop in self.reduced]
        if term == "compute":
            if folded and not any(loop in self.reduced for loop in fast.factors):
                return f"{folded[0].upper()} split runs on one corelet"
            if slow.cores < fast.cores:
                return f"{_computing(slow.cores)} instead of {fast.cores}"
            return "rows of a core fill less of the array"
        if term == "partial sums":
            return f"partial sums pass {slow.factors[folded[0]] if folded else slow.cores} cores"
        return _WORDS.get(term, f"more {term}")


def _more(one: Candidate, other: Candidate) -> dict[str, float]:
    """Microseconds by which each term of `one` is above that of `other`."""
    sums: dict[str, float] = {}
    for terms, sign in ((one.terms, 1.0), (other.terms, -1.0)):
        for term in terms:
            sums[term.name] = sums.get(term.name, 0.0) + sign * term.microseconds
    return sums


def _computing(cores: int) -> str:
    return "1 core computes" if cores == 1 else f"{cores} cores compute"


_WORDS: Final = {
    "batch step": "batches are split where rows would do",
    "dim order": "the dim order slows the array",
    "fused reduction": "fewer cores reduce",
    "device memory": "more bytes move",
    "read/write turnaround": "memory turns around more",
    "reduction alone": "fewer cores read",
    "replicated operand": "cores load an operand one by one",
    "shared operand": "more cores wait for one operand",
    "partitioned operand": "cores load their parts slowly",
    "indirect store": "fewer cores store by value",
    "short bursts": "shorter runs, more requests",
    "copy requests": "shorter runs, more requests",
}


def _ranked(one: Candidate, chosen: Candidate) -> str:
    """'the rule dislikes it: short M tile', '' if it does not."""
    worst = _disliked(one, chosen)
    return f"the rule dislikes it: {worst}" if worst else ""


def _disliked(one: Candidate, chosen: Candidate) -> str:
    """What puts it behind in the published ranking, most of all; '' if nothing does."""
    if not one.ranking or one.points - chosen.points < _POINT:
        return ""
    before = {term.name: term.microseconds for term in chosen.ranking}
    more = [(term.microseconds - before.get(term.name, 0.0), term.name) for term in one.ranking]
    return max(more, default=(0.0, ""))[1]


def _smaller(one: Candidate, chosen: Candidate) -> str:
    if one.cores < chosen.cores:
        return f"{format_count(one.cores, 'core')} instead of {chosen.cores}"
    return "a tie"


# The tooltip


def _hint(one: Candidate, chosen: Candidate | None, ranked: bool) -> str:
    if not one.legal:
        return one.why_not
    more = _more(one, chosen) if chosen is not None and not one.chosen else {}
    lines = [f"{format_us(one.total_us)} on {format_count(one.cores, 'core')}, span {format_bytes(one.span_bytes)}"]
    lines += [_term_line(term, more.get(term.name)) for term in one.terms]
    lines += _rule_lines(one, chosen) if chosen is not None and ranked else []
    if one.ranking:
        part = "" if ranked else " of the published rule, which did not decide here"
        lines.append(f"Ranking{part} (points of preference, no time): {format_number(one.points)}")
        lines += [f"    {term.name} {format_number(term.microseconds)}" for term in one.ranking]
    return "\n".join(lines)


def _rule_lines(one: Candidate, chosen: Candidate) -> list[str]:
    """Why the plan has another one although this one is not slower."""
    worst = _disliked(one, chosen)
    if not worst or one.total_us - chosen.total_us >= _SAME:
        return []
    points = format_number(one.points - chosen.points)
    return [RULE, f"It puts this split {points} points behind that of the plan, most of all for: {worst}.", PREDICTED]


def _term_line(term: CostTerm, more: float | None) -> str:
    against = f" ({format_us(more, signed=True)})" if more is not None and abs(more) >= _SAME else ""
    return f"{term.name}: {format_us(term.microseconds)}{against}\n    {term.formula}"
