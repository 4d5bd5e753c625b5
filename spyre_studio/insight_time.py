"""Insights about time: steps that cost most, terms beside bytes and products, idle cores, and better divisions.

Owns one function per kind, from facts to findings.  Refuses Qt and savings: remedies are worked out by making the plan
again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from frozendict import frozendict

from compiler.division import Division
from compiler.loops import OpKind
from compiler.pins import Pins
from compiler.price import StepCost
from spyre_studio.insight import Evidence, Insight, Remedy
from spyre_studio.insight_facts import Facts, family, grouped, spoken
from spyre_studio.insight_remedies import wholesale
from spyre_studio.insight_weighed import Better
from spyre_studio.units import format_count, format_us

COSTLY: Final = 0.05
"""A step is told of if it, with those like it, takes this share of the plan: twenty of them would be all of it."""
MOST_STEPS: Final = 5
TERM: Final = 0.05
"""As for steps; a term that takes less has little to give back."""
IDLE: Final = 0.5
"""A step is told of if more than this share of the cores has nothing to do: with less, others wait little for it."""
PARTED: Final = 0.02
"""A difference of simulator and cost model is told of from this share of the plan's time on."""
MOST_PARTED: Final = 3

_WHAT: Final = frozendict(
    {
        "read/write turnaround": "Device memory changes between reading and writing",
        "replicated operand": "Operands that many cores need whole are loaded once for each of them",
        "shared operand": "Operands that several cores share are handed out by one load",
        "partitioned operand": "Operands in parts are delivered to few cores at a time",
        "copy requests": "Copies move short runs, each a request of its own",
        "short bursts": "Loads are cut into bursts that are shorter than the card's",
        "relayout": "Buffers go over the ring to other cores",
        "load into LX": "Inputs are loaded into LX before their first step",
        "partial sums": "Partial sums travel from core to core",
        "dim order": "Products walk operands in an order that slows them down",
        "fused reduction": "A reduction of values made in the kernel keeps the vector units busy",
        "indirect store": "Stores go to places that are known only when they run",
    }
)
"""Terms that are not simply bytes or products, and what happens in each."""
_JOINT: Final = frozenset({"read/write turnaround", "replicated operand", "shared operand"})
"""Terms that grow with what divisions and placement leave in device memory, which one search decides together."""


def costly(facts: Facts) -> Iterator[Insight]:
    """The steps that cost most, with what bounds them."""
    better = {family(one.op): one for one in facts.better}
    for name, costs in _costliest(facts):
        taken = _sum(costs)
        steps = [cost.step for cost in costs]
        verb = "takes" if len(costs) == 1 else "take"
        sentence = f"{spoken(steps)} {verb} {facts.share(taken)}, bound by {_bound(facts, costs)}."
        look = Remedy("See the divisions that it could have, and where its time goes", view="inspector")
        size = sum(cost.hbm_bytes for cost in costs)
        other = [_divided(better[name], _like(facts, better[name].op))] if name in better else []
        yield Insight("steps", name, sentence, taken, size, Evidence(tuple(steps)), (*other, look))


def terms(facts: Facts) -> Iterator[Insight]:
    """What takes time beside plain bytes and products, over all steps."""
    found: defaultdict[str, dict[str, float]] = defaultdict(dict)  # a step has a term for each operand
    for cost in facts.compilation.cost.steps:
        for term in cost.terms:
            if term.name in _WHAT and facts.counts(cost, term):
                own = found[str(term.name)]
                own[cost.step] = own.get(cost.step, 0.0) + term.microseconds
    for name, parts in found.items():
        taken = sum(parts.values())
        if not facts.notable(taken, TERM):
            continue
        steps = tuple(sorted(parts, key=lambda step: -parts[step]))
        where = f"in {format_count(len(steps), 'step')}, most of it in {steps[0]}"
        sentence = f"{_WHAT[name]}: {facts.share(taken)} {where}."
        yield Insight("terms", name, sentence, taken, 0, Evidence(steps, view="roofline"), _of_term(facts, name))


def idle_cores(facts: Facts) -> Iterator[Insight]:
    """Steps that leave most cores without work."""
    plan, better = facts.compilation.plan, {one.op: one for one in facts.better}
    slack = [cost for cost in facts.compilation.cost.steps if _idle(facts, cost)]
    for name, costs in grouped(slack, lambda cost: cost.step).items():
        taken = _sum(costs)
        if not facts.notable(taken):
            continue
        first, steps = costs[0].step, [cost.step for cost in costs]
        cores = plan.divisions.get(first, Division()).cores
        verb = "runs" if len(steps) == 1 else "run"
        why = plan.reasons.get(f"division:{first}", "")
        sentence = (
            f"{spoken(steps)} {verb} on {format_count(cores)} of {format_count(plan.cores, 'core')} and "
            f"{'takes' if len(steps) == 1 else 'take'} {facts.share(taken)}{f': {why}' if why else ''}."
        )
        look = Remedy("See why its loops have no larger divisors that fit", view="inspector")
        remedies = [_divided(better[step], steps) for step in steps[:1] if step in better]
        size = sum(cost.hbm_bytes for cost in costs)
        where = Evidence(tuple(steps), core=cores)  # the first one without work
        yield Insight("idle", name, sentence, taken, size, where, (*remedies, look))


def better_divisions(facts: Facts) -> Iterator[Insight]:
    """Ops with another division that is quicker, priced alone, which are not told of as costly steps."""
    costs, told = facts.costs, {name for name, _ in _costliest(facts)}
    for one in facts.better:
        if family(one.op) in told:
            continue
        alike = _like(facts, one.op)
        gain = (one.now_us - one.then_us) * len(alike)
        if not facts.notable(gain):
            continue
        sentence = (
            f"{spoken(alike)} would take {format_us(one.then_us)} in place of {format_us(one.now_us)}"
            f"{' each' if len(alike) > 1 else ''} if it were divided {_apart(one)}, priced alone with all buffers "
            "where they are."
        )
        taken = sum(costs[name].total_us for name in alike)
        yield Insight(
            "better", one.op, sentence, taken, 0, Evidence(tuple(alike)), (_divided(one, alike),), title=family(one.op)
        )


def apart(facts: Facts) -> Iterator[Insight]:
    """Steps of which simulator and cost model differ most."""
    names = [step.name for step in facts.schedule.steps]
    if len(names) != len(facts.opinions):
        return
    rows = []
    for name, one in zip(names, facts.opinions, strict=True):
        simulated = one.predicted_us * one.ratio if one.ratio is not None else None
        if simulated is not None and one.reason:
            rows.append((name, one, simulated))
    families = grouped(rows, lambda row: row[0])
    ranked = sorted(families.items(), key=lambda item: -sum(abs(row[2] - row[1].predicted_us) for row in item[1]))
    for name, alike in ranked[:MOST_PARTED]:
        predicted, simulated = (sum(row[1].predicted_us for row in alike), sum(row[2] for row in alike))
        if not facts.notable(abs(simulated - predicted), PARTED):
            return
        steps = [row[0] for row in alike]
        said = f"predicted {format_us(predicted)}, simulated {format_us(simulated)}"
        sentence = f"{spoken(steps)}: {said}, {alike[0][1].reason}."
        look = Remedy("See the simulated run of this step before relying on either time", view="timeline")
        yield Insight("apart", name, sentence, predicted, 0, Evidence(tuple(steps), view="timeline"), (look,))


def _idle(facts: Facts, cost: StepCost) -> bool:
    if facts.step(cost.step).op.kind is OpKind.OPAQUE:
        return False
    used = facts.compilation.plan.divisions.get(cost.step, Division()).cores
    return used < (1 - IDLE) * facts.compilation.plan.cores


def _bound(facts: Facts, costs: list[StepCost]) -> str:
    """The terms that decide, the largest first: 'device memory 45.0 µs, read/write turnaround 6.2 µs; compute 9.4 µs
    hides behind it'."""
    deciding: defaultdict[str, float] = defaultdict(float)
    hidden = 0.0
    for cost in costs:
        for term in cost.terms:
            if facts.counts(cost, term):
                deciding[str(term.name)] += term.microseconds
            else:
                hidden += term.microseconds
    ranked = sorted(deciding.items(), key=lambda item: -item[1])
    words = ", ".join(f"{name} {format_us(us)}" for name, us in ranked[:3])
    behind = "compute" if costs[0].step in facts.memory_bound else "device memory"
    return f"{words}; {behind} of {format_us(hidden)} hides behind it" if hidden > 0 else words


def _of_term(facts: Facts, name: str) -> tuple[Remedy, ...]:
    look = Remedy("See which steps are far below their roof", view="roofline")
    return (*wholesale(facts), look) if name in _JOINT else (look,)


def _divided(one: Better, steps: list[str]) -> Remedy:
    words = f"Pin {one.op if len(steps) == 1 else f'all {len(steps)}'} to {_factors(one)}"
    return Remedy(words, more=Pins(division=frozendict((step, one.factors) for step in steps)))


def _factors(one: Better) -> str:
    return f"{_apart(one)} ({format_count(one.cores, 'core')})" if one.factors else "one core"


def _apart(one: Better) -> str:
    return " ".join(f"{loop} {factor}" for loop, factor in one.factors.items()) or "not at all"


def _costliest(facts: Facts) -> list[tuple[str, list[StepCost]]]:
    """The families of steps that are told of, by name."""
    families = grouped(facts.compilation.cost.steps, lambda cost: cost.step)
    ranked = sorted(families.items(), key=lambda item: -_sum(item[1]))[:MOST_STEPS]
    return [(name, costs) for name, costs in ranked if facts.notable(_sum(costs), COSTLY)]


def _like(facts: Facts, op: str) -> list[str]:
    """Steps of equal layers that are divided as this one now and cost as much, in their order."""
    own = facts.costs[op]
    divisions = facts.compilation.plan.divisions
    names = next((names for names in grouped(facts.costs, str).values() if op in names), [op])
    return [
        name
        for name in names
        if divisions.get(name) == divisions.get(op) and facts.costs[name].hbm_bytes == own.hbm_bytes
    ]


def _sum(costs: list[StepCost]) -> float:
    return sum(cost.total_us for cost in costs)
