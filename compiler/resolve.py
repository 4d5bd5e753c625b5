"""Re-solve: the plan for other pins, out of the plan before, changed as little as needed.

Owns what pins a plan can be changed for without laying out everything anew, and the plan to start from: the one before
without its moves.  Refuses other pipelines than those that end with co-optimize, and pins of layouts, orders and tiles:
for these everything is compiled again.
"""

from __future__ import annotations

import time
from dataclasses import replace

from frozendict import frozendict

from compiler.compilation import Compilation
from compiler.passes.co_optimize import CoOptimize
from compiler.pinning import apply_division_pins
from compiler.pins import Pins
from compiler.pipeline import finished, parse_pipeline, record_of
from compiler.plan import HOMEWARD, Plan
from compiler.watch import Watch

NEAR_TABLES = ("division", "placement", "same", "relayout")
KEPT = "kept from the plan before"


def resolve(before: Compilation, pins: Pins, watch: Watch) -> Compilation | None:
    """The plan for these pins; None if it has to be compiled from the start.

    Raises what `compile_problem` raises.
    """
    passes = parse_pipeline(before.plan.pipeline)
    last = passes[-1]
    changed = changed_pins(before.problem.pins, pins)
    if not isinstance(last, CoOptimize) or changed is None or not changed:
        return None
    started = time.perf_counter()
    problem = replace(before.problem, pins=pins)
    watch.enter(0.0, "re-solve")
    seed = _seed(before.plan, before.problem.pins, pins)
    seed = apply_division_pins(problem, seed)
    made = last.near(problem, seed, before.plan, changed, _only_more(before.problem.pins, pins), watch)
    if made is None:
        return None
    log = (record_of(last, made, time.perf_counter() - started),)
    return finished(before.graph, problem, made, passes, log, watch, "co-optimized", started, before.plan)


def changed_pins(old: Pins, new: Pins) -> frozenset[str] | None:
    """Ops and buffers whose pins differ; None if pins of other tables do."""
    if (old.layout, old.order, old.tiles) != (new.layout, new.order, new.tiles):
        return None
    found: set[str] = set()
    for name in NEAR_TABLES:
        before, after = dict(getattr(old, name)), dict(getattr(new, name))
        names = {key for key in {*before, *after} if before.get(key) != after.get(key)}
        found |= names
        found |= {str(table[key]) for table in (before, after) for key in names & set(table) if name == "same"}
    return frozenset(found)


def _only_more(old: Pins, new: Pins) -> bool:
    """True if every pin of before still is there, so that what no plan went below, none goes below now."""
    return all(
        dict(getattr(new, name)).get(key) == value for name in NEAR_TABLES for key, value in getattr(old, name).items()
    )


def _seed(plan: Plan, old: Pins, new: Pins) -> Plan:
    """The plan without moves, placement, and what was said of them; divisions stay, but are pinned no more."""
    moved = {edit.target: edit.source for edit in plan.edits if edit.kind in HOMEWARD}
    names = {edit.name for edit in plan.edits if edit.kind in HOMEWARD}
    edits = tuple(replace(edit, source=_origin(edit.source, moved)) for edit in plan.edits if edit.kind not in HOMEWARD)
    gone = {*names, *moved}
    reasons = {key: why for key, why in plan.reasons.items() if key.partition(":")[2] not in gone}
    reasons.pop(f"pass:{CoOptimize.name}", None)
    for op in {*old.division, *old.same}:
        reasons[f"division:{op}"] = KEPT
    near = {f"{name}:{key}" for name in NEAR_TABLES for key in (*getattr(old, name), *getattr(new, name))}
    return replace(
        plan,
        edits=edits,
        layouts=frozendict((name, layout) for name, layout in plan.layouts.items() if name not in gone),
        divisions=frozendict((name, division) for name, division in plan.divisions.items() if name not in gone),
        placement=frozendict(),
        kernels=(),
        reasons=frozendict(reasons),
        pins=frozendict((key, status) for key, status in plan.pins.items() if key not in near),
        claims=plan.claims.delete(CoOptimize.name) if CoOptimize.name in plan.claims else plan.claims,
    )


def _origin(buffer: str, moved: dict[str, str]) -> str:
    while buffer in moved:
        buffer = moved[buffer]
    return buffer
