"""Why a plan has a copy: who made it, for whom, and what it spares.

Owns the sentence on one inserted copy.  Refuses to decide: what a move spares is the price of the plan without it.
"""

from __future__ import annotations

from dataclasses import replace

from frozendict import frozendict

from compiler.compilation import Compilation
from compiler.cost.model import price
from compiler.plan import HOMEWARD, OUTPUT_READER, Edit, EditKind, Plan, Slot

LEAST_US = 0.005
NAMED = 3
_MAKERS = frozendict(
    {
        EditKind.RESTICKIFY: "insert-restickify",
        EditKind.REORDER: "order-dims",
        EditKind.PAD: "pad-operands",
    }
)
_WHAT = frozendict(
    {
        EditKind.RELAYOUT: "a copy of {} over the ring, to other cores",
        EditKind.CLONE_IN: "one load of {} into LX",
        EditKind.CLONE_OUT: "{} written to device memory",
    }
)


def explain_copy(compilation: Compilation, edit: Edit) -> str:
    """Example: 'co-optimize made it for mul: a copy of matmul over the ring, to other cores; without it, and with
    matmul in device memory, the plan would take 12.50 µs more'."""
    plan = compilation.plan
    made = f"{maker(plan, edit)} made it for {_listed(edit)}"
    if edit.kind not in HOMEWARD:
        why = plan.reasons.get(f"edit:{edit.name}") or plan.reasons.get(f"layout:{edit.target}", "")
        return f"{made}: {why}" if why else made
    return f"{made}: {_WHAT[edit.kind].format(edit.source)}{_spared(compilation, edit)}"


def maker(plan: Plan, edit: Edit) -> str:
    """The pass that inserted it."""
    moved = "co-optimize" if "co-optimize" in plan.claims else "place-scratchpad"
    return _MAKERS.get(edit.kind, moved)


def _spared(compilation: Compilation, edit: Edit) -> str:
    plan = compilation.plan
    inside = isinstance(plan.placement.get(edit.source), Slot)
    spared = price(compilation.problem, _without(plan, edit)).total_us - compilation.cost.total_us
    where = f", and with {edit.source} in device memory," if inside else ""
    more = f"{abs(spared):,.2f} µs {'more' if spared > 0 else 'less'}" if abs(spared) >= LEAST_US else "as long"
    return f"; without it{where} the plan would take {more}"


def _without(plan: Plan, edit: Edit) -> Plan:
    """The plan with one move less, and with less that is copied out of what it makes; all read where its source is,
    which then is in device memory.  It is only priced: nobody finds room for it."""
    gone, source = {edit.target}, edit.source
    edits = []
    for one in plan.edits:
        if one.name == edit.name or (one.kind in HOMEWARD and one.source in gone):
            gone.add(one.target)
        elif one.source in gone:
            edits.append(replace(one, source=source))
        else:
            edits.append(one)
    names = gone | {edit.name}
    return replace(
        plan,
        edits=tuple(edits),
        layouts=frozendict((name, layout) for name, layout in plan.layouts.items() if name not in names),
        divisions=frozendict((name, division) for name, division in plan.divisions.items() if name not in names),
        placement=frozendict((name, place) for name, place in plan.placement.items() if name not in {*names, source}),
        kernels=tuple(
            replace(kernel, steps=tuple(step for step in kernel.steps if step not in names)) for kernel in plan.kernels
        ),
    )


def _listed(edit: Edit) -> str:
    names = [f"output {name.removeprefix(OUTPUT_READER)}" if _is_output(name) else name for name in edit.readers]
    more = [f"{len(names) - NAMED} more"] if len(names) > NAMED else []
    shown = [*names[:NAMED], *more]
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else shown[0]


def _is_output(reader: str) -> bool:
    return reader.startswith(OUTPUT_READER)
