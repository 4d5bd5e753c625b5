"""Insights about memory: buffers outside LX, handovers through device memory, copies, padding, how full LX is, spans.

Owns one function per kind, from facts to findings.  Refuses Qt and savings: remedies are worked out by making the plan
again.  Times of bytes are those at the card's one-way rate, alone, and marked as rough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from frozendict import frozendict

from compiler.liveness import lifetimes
from compiler.loops import BufferKind
from compiler.pins import Pins
from compiler.plan import HOMEWARD, Edit, EditKind, ReasonCode, Slot
from compiler.reasons import REASONS
from compiler.spans import reaches_of
from spyre_studio.edit_words import word
from spyre_studio.insight import Evidence, Insight, Remedy
from spyre_studio.insight_facts import Facts, family, grouped, spoken
from spyre_studio.insight_remedies import moveless, wholesale
from spyre_studio.occupancy import occupancy_of
from spyre_studio.units import format_bytes, format_count, format_percent
from spyre_studio.why_not import WhyNot, traffic_of

MOST: Final = 6
"""Findings of one kind: the table of why-nots has the rest."""
PADDED: Final = 0.25
"""Part of a buffer's device bytes that is padding, from which on it is told of: less is an odd last stick."""
FULL, EMPTY = 0.9, 0.25
"""LX with less than a tenth left refuses what is larger; three quarters empty, room is not what is missing."""
HANDED: Final = 0.05
"""Share of the plan's time from which buffers that could stay in LX are told of together."""
NEAR_SPAN: Final = 0.8
"""Share of the largest span that a core may walk from which on a larger shape may need another division."""

_NO_ROOM: Final = frozenset({ReasonCode.CAPACITY})
_CHANGED_BY: Final = frozenset({ReasonCode.DIVISION_MISMATCH, ReasonCode.PARTIAL_SUMS, ReasonCode.NOT_WORTH_IT})
"""Reasons that other decisions would change, and nothing of the model."""


def outside(facts: Facts) -> Iterator[Insight]:
    """Buffers outside LX that would save most there."""
    families = grouped((one for one in facts.outside if one.saves > 0), lambda one: f"{one.code} {one.buffer}")
    ranked = sorted(families.values(), key=lambda alike: -sum(one.saves for one in alike))
    for alike in ranked[:MOST]:
        saves = sum(one.saves for one in alike)
        rough = facts.moving_us(saves)
        if not facts.notable(rough):
            return
        names = [one.buffer for one in alike]
        size = f"{format_bytes(saves)} to and from device memory"
        detail = f" ({alike[0].detail})" if alike[0].detail else ""
        verb = "is" if len(names) == 1 else "are"
        sentence = (
            f"{spoken(names)} {verb} not in LX: {alike[0].title}{detail}. {size} go to that, about "
            f"{facts.share(rough)}."
        )
        steps = tuple(one.producer for one in alike if one.producer)
        evidence = Evidence(steps, tuple(names), view="scratchpad")
        yield Insight(
            "outside",
            names[0],
            sentence,
            rough,
            saves,
            evidence,
            _inside(facts, alike),
            rough=True,
            title=family(names[0]),
        )


def handovers(facts: Facts) -> Iterator[Insight]:
    """What steps that are divided differently hand over through device memory, all together."""
    apart = [one for one in facts.outside if one.code in _CHANGED_BY and one.saves > 0]
    size = sum(one.saves for one in apart)
    rough = facts.moving_us(size)
    if len(apart) < 2 or not facts.notable(rough, HANDED):
        return
    peak, budget = facts.compilation.program.lx_bytes, facts.compilation.problem.device.lx_budget_bytes
    room = f"; LX is at most {format_percent(peak / budget)} full" if budget and peak < EMPTY * budget else ""
    sentence = (
        f"{format_count(len(apart), 'buffer')} between steps whose divisions do not match move {format_bytes(size)} "
        f"through device memory, about {facts.share(rough)}{room}."
    )
    evidence = Evidence(tuple(one.producer for one in apart), tuple(one.buffer for one in apart), view="scratchpad")
    yield Insight(
        "handovers", "all", sentence, rough, size, evidence, wholesale(facts), rough=True, title="all handovers"
    )


def copies(facts: Facts) -> Iterator[Insight]:
    """Copies that the compiler inserted: to other layouts, and within LX or to and from it."""
    plan, costs = facts.compilation.plan, facts.costs
    families = grouped(plan.edits, lambda edit: f"{edit.kind} {edit.source} {family(edit.before)}")
    found = []
    for alike in families.values():
        taken = sum(costs[edit.name].total_us for edit in alike if edit.name in costs)
        if facts.notable(taken):
            found.append((taken, alike))
    for taken, alike in sorted(found, key=lambda item: -item[0])[:MOST]:
        first, names = alike[0], [edit.source for edit in alike]
        told = plan.reasons.get(f"edit:{first.name}", "")
        where = f"before {first.before}" if first.before else "at the end"
        sentence = f"The {word(first.kind)} of {spoken(names)} {where} takes {facts.share(taken)}"
        size = sum(costs[edit.name].hbm_bytes for edit in alike if edit.name in costs)
        evidence = Evidence(tuple(edit.name for edit in alike), (first.source, first.target), view="inspector")
        because = f": {told}." if told else "."
        title = f"{word(first.kind)} of {family(first.source)}"
        remedies = _uncopied(facts, alike)
        yield Insight("copies", first.name, sentence + because, taken, size, evidence, remedies, title=title)


def padding(facts: Facts) -> Iterator[Insight]:
    """Buffers whose sticks are partly used, by the time that their padding takes on the way."""
    plan, moved, found = facts.compilation.plan, traffic_of(facts.compilation), []
    for name, traffic in moved.items():
        layout, host = plan.layouts[name], facts.schedule.buffers[name]
        unused = 1 - host.elements * layout.element_bytes / layout.size_bytes if layout.size_bytes else 0.0
        if unused >= PADDED and not isinstance(plan.placement.get(name), Slot):
            found.append((round(unused * (traffic.loaded + traffic.written)), unused, name))
    ranked = sorted(grouped(found, lambda row: row[2]).values(), key=lambda rows: -sum(row[0] for row in rows))
    for rows in ranked[:MOST]:
        size, names = sum(row[0] for row in rows), [row[2] for row in rows]
        rough = facts.moving_us(size)
        if not facts.notable(rough):
            return
        yield _padded(facts, names, rows[0][1], size, rough)


def fill(facts: Facts) -> Iterator[Insight]:
    """LX that is nearly full, where that keeps buffers out."""
    peak, budget = facts.compilation.program.lx_bytes, facts.compilation.problem.device.lx_budget_bytes
    crowded = [one for one in facts.outside if one.code in _NO_ROOM and one.saves > 0]
    if not budget or peak < FULL * budget:
        return
    size = sum(one.saves for one in crowded)
    rough = facts.moving_us(size)
    left = format_bytes(budget - peak)
    kept = (
        f"; it keeps {format_count(len(crowded), 'buffer')} out, about {facts.share(rough)}"
        if crowded
        else ", and everything that could be there is"
    )
    sentence = f"LX is {format_percent(peak / budget)} full at its fullest, {left} are left on that core{kept}."
    data = occupancy_of(facts.compilation)
    core = max(range(data.cores), key=lambda one: (data.peak(one)[0], -one))
    evidence = Evidence((), tuple(one.buffer for one in crowded), core, view="scratchpad")
    look = Remedy("See who is there when it is fullest", view="scratchpad")
    remedies = (*wholesale(facts), look) if crowded else (look,)
    yield Insight("fill", "lx", sentence, rough, size, evidence, remedies, rough=True, title="LX")


def spans(facts: Facts) -> Iterator[Insight]:
    """Steps of which a core walks nearly all that it can address."""
    device, plan = facts.compilation.problem.device, facts.compilation.plan
    limit, found = device.span_limit_bytes, []
    for step in facts.schedule.steps:
        division = plan.divisions.get(step.name)
        if division is None:
            continue
        for reach in reaches_of(step.op, facts.schedule, plan.layouts, round(NEAR_SPAN * limit) - 1):
            span = reach.span(division)
            if span >= NEAR_SPAN * limit:
                found.append((span, step.name, reach.buffer))
    for rows in list(grouped(found, lambda row: row[1]).values())[:MOST]:
        span, first, buffer = max(rows)
        steps = list(dict.fromkeys(row[1] for row in rows))
        sentence = (
            f"A core of {spoken(steps)} walks {format_bytes(span)} of {buffer}, {format_percent(span / limit)} of the "
            f"{format_bytes(limit)} that it can address; a larger shape needs another division."
        )
        look = Remedy("See how else it could be divided", view="inspector")
        taken = sum(facts.costs[name].total_us for name in steps)
        yield Insight(
            "spans", first, sentence, taken, 0, Evidence(tuple(steps), (buffer,)), (look,), title=family(first)
        )


def _inside(facts: Facts, alike: list[WhyNot]) -> tuple[Remedy, ...]:
    """What may bring them into LX, the least change first."""
    first, names = alike[0], [one.buffer for one in alike]
    code = ReasonCode(first.code)
    look = Remedy(REASONS[code].remedy, view="scratchpad", advice=True)
    if code is ReasonCode.PINNED:
        keys = tuple(f"placement:{name}" for name in names)
        return (Remedy(f"Remove the pin that keeps {spoken(names)} out", less=keys),)
    into = Remedy(f"Pin {_them(names)} to LX", more=Pins(placement=frozendict((name, "lx") for name in names)))
    found = [*_matched(facts, names), into] if code in _CHANGED_BY else [into]
    given = facts.schedule.buffers[first.buffer].kind is not BufferKind.COMPUTED
    if given or code is ReasonCode.GRAPH_OUTPUT:
        return (*(() if moveless(facts) else (into,)), *wholesale(facts), look)
    return (*found, look)


def _matched(facts: Facts, names: list[str]) -> Iterator[Remedy]:
    """One division for writer and reader, and the way over the ring."""
    ops = facts.compilation.problem.program.op_map
    lives = lifetimes(facts.schedule)
    ends = []
    for name in names:
        writes, reads = (
            [facts.schedule.steps[number].name for number in numbers]
            for numbers in (lives[name].writes, lives[name].reads)
        )
        if len(writes) == 1 and reads and writes[0] in ops and reads[0] in ops and writes[0] != reads[0]:
            ends.append((writes[0], reads[0]))
    if len(ends) == len(names):
        for words, pick in _FOLLOW:
            pairs = [pick(end) for end in ends]
            other = pairs[0][1]
            more = Pins(same=frozendict(pairs))
            yield Remedy(f"{words}: divide {spoken([pair[0] for pair in pairs])} as {other}", more=more)
    if not moveless(facts):
        words = f"Bring {_them(names)} over the ring to the cores that read {'it' if len(names) == 1 else 'them'}"
        yield Remedy(words, Pins(relayout=frozendict((name, "ring") for name in names)))


Ends = tuple[str, str]
_FOLLOW: Final[tuple[tuple[str, Callable[[Ends], Ends]], ...]] = (
    ("Let the reader follow", lambda end: (end[1], end[0])),
    ("Let the writer follow", lambda end: end),
)


def _uncopied(facts: Facts, alike: list[Edit]) -> tuple[Remedy, ...]:
    """What may make them unnecessary."""
    first, layouts = alike[0], facts.compilation.plan.layouts
    look = Remedy("See what it is made for", view="inspector")
    sources = {edit.source for edit in alike}
    if first.kind is EditKind.RELAYOUT:
        never = Pins(relayout=frozendict((name, "none") for name in sources))
        return (Remedy(f"Never bring {_them(sorted(sources))} over the ring", more=never), look)
    if first.kind in HOMEWARD:
        return (look,)
    program = facts.compilation.problem.program.buffer_map
    dims = {edit.source: layouts[edit.target].stick_dim for edit in alike if edit.source in program}
    if first.kind is not EditKind.RESTICKIFY or len(dims) != len(sources) or min(dims.values()) < 0:
        return (look,)
    words = f"Cut {spoken(sorted(sources))} into sticks of dim {dims[first.source]}, as its reader needs it"
    return (Remedy(words, more=Pins(layout=frozendict(dims))), look)


def _padded(facts: Facts, names: list[str], unused: float, size: int, rough: float) -> Insight:
    layout, host = facts.compilation.plan.layouts[names[0]], facts.schedule.buffers[names[0]]
    lanes = layout.elements_per_stick
    what = "one value per stick" if layout.sparse else f"sticks of dim {layout.stick_dim}, {lanes} elements each"
    sentence = (
        f"{format_percent(unused)} of {spoken(names)} is padding ({what}): {format_bytes(size)} of it are moved, about "
        f"{facts.share(rough)}."
    )
    whole = [dim for dim, extent in enumerate(host.shape) if extent % lanes == 0 and dim != layout.stick_dim]
    pinned = [name for name in names if name in facts.compilation.problem.program.buffer_map]
    remedies = [
        Remedy(
            f"Cut {_them(names)} into sticks of dim {dim}, which fills them",
            more=Pins(layout=frozendict((name, dim) for name in pinned)),
        )
        for dim in whole[:1]
        if len(pinned) == len(names)
    ]
    look = Remedy("See which lanes of its sticks are used, and how much a larger size would waste", view="inspector")
    evidence = Evidence((), tuple(names))
    return Insight(
        "padding", names[0], sentence, rough, size, evidence, (*remedies, look), rough=True, title=family(names[0])
    )


def _them(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"all {len(names)}"
