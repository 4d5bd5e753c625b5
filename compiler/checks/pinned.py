"""Pinned: whether every pin came back with a status, and what is called honoured is in the plan.

Refuses to judge why a pin was not honoured; it must only be said.
"""

from __future__ import annotations

from compiler.checks.case import Case
from compiler.checks.findings import Findings
from compiler.counts import counted
from compiler.division import Division
from compiler.loops import LoopOp
from compiler.pins import PinState, PinStatus
from compiler.plan import HOMEWARD, EditKind, Slot

RING, NO_RELAYOUT = "ring", "none"


def pins(case: Case, findings: Findings) -> None:
    """Both ways: pins without a status, statuses without a pin; then the honoured ones."""
    wanted, given = case.problem.pins.keys, case.plan.pins
    for key in given:
        if key not in wanted:
            findings.add(f"there is a status for {key}, which is not pinned")
    for key in wanted:
        status: object = given.get(key)
        if status is None and not case.complete:
            continue  # a later pass decides it
        if not isinstance(status, PinStatus):
            findings.add(f"pin {key} has no status")
        elif status.state is PinState.HONOURED:
            fault = _honoured_fault(case, key)
            if fault:
                findings.add(f"pin {key} is called honoured, but {fault}")
        elif not status.detail:
            findings.add(f"pin {key} is {status.state} without saying why")


def _honoured_fault(case: Case, key: str) -> str:
    kind, _, name = key.partition(":")
    table = case.problem.pins
    if kind == "division":
        return _division_fault(case, name)
    if kind == "layout":
        layout = case.layouts.get(name)
        if layout is None:
            return "there is no such layout"
        return "" if layout.stick_dim == table.layout[name] else f"its stick dim is {layout.stick_dim}"
    if kind == "order":
        layout = case.layouts.get(name)
        if layout is None:
            return "there is no such layout"
        return "" if layout.dim_order == table.order[name] else f"its dim order is {layout.dim_order}"
    if kind == "placement":
        return _placement_fault(case, name)
    if kind == "same":
        return _same_fault(case, name, table.same[name])
    if kind == "relayout":
        return _relayout_fault(case, name, table.relayout[name])
    return "a plan has no tiles"


def _placement_fault(case: Case, name: str) -> str:
    """A buffer that is loaded into LX for its readers counts as in LX."""
    placement, wanted = case.placement(name), case.problem.pins.placement[name]
    if placement is None:
        return "there is no such placement"
    loads = [step for step in case.readers(name) if step.edit and step.edit.kind is EditKind.CLONE_IN]
    loaded = next((step for step in loads if step.edit and isinstance(case.placement(step.edit.target), Slot)), None)
    place = "lx" if isinstance(placement, Slot) or loaded else "hbm"
    if place == wanted:
        return ""
    return f"{loaded.name} loads it into lx" if loaded else f"it is in {place}"


def _relayout_fault(case: Case, name: str, way: str) -> str:
    """Copies that keep the layout count as the buffer itself."""
    if name not in case.buffers:
        return "there is no such buffer"
    if way not in (RING, NO_RELAYOUT):
        return f"{way!r} is no way to other cores"
    forms = {name}
    for step in case.steps:  # a copy comes after its source
        edit = step.edit
        if edit is None or edit.kind not in HOMEWARD or edit.source not in forms:
            continue
        forms.add(edit.target)
        if edit.kind is EditKind.RELAYOUT:
            return "" if way == RING else f"{edit.name} (step {step.number}) moves it over the ring"
    return "" if way == NO_RELAYOUT else "nothing moves it over the ring"


def _same_fault(case: Case, name: str, other: str) -> str:
    """Both run on as many cores, and cut their results alike along every dim."""
    known = []
    for op in (name, other):
        division = case.divisions.get(op)
        if division is None:
            return f"there is no division of {op}"
        factors = _result_factors(case, case.schedule.step_map[op].op, division)
        if isinstance(factors, str):
            return factors
        known.append((division.cores, factors))
    (cores, mine), (other_cores, theirs) = known
    if cores != other_cores:
        return f"{name} runs on {counted(cores, 'core')}, {other} on {other_cores}"
    if len(mine) != len(theirs):
        return f"the results have {len(mine)} and {len(theirs)} dims, of which none can be told to be the same"
    for dim, (one, two) in enumerate(zip(mine, theirs, strict=True)):
        if one != two:
            return f"dim {dim} of the result of {name} is cut into {one}, that of {other} into {two}"
    return ""


def _result_factors(case: Case, op: LoopOp, division: Division) -> tuple[int, ...] | str:
    """Into how many parts an op cuts each dim of its result; a clause if that cannot be told."""
    if not op.writes:
        return f"{op.name} has no result"
    result = case.buffers[op.writes[0].buffer]
    cut = {split.loop: split.factor for split in division.splits if split.factor > 1}
    factors = [1] * len(result.shape)
    told = {loop.name for loop in op.reduction_loops}
    for dim, (size, stride) in enumerate(zip(result.shape, result.strides, strict=True)):
        for term in op.writes[0].index.terms:
            if size > 1 and term.plain and term.coefficient == stride:
                factors[dim] *= cut.get(term.loops[0][0], 1)
                told.add(term.loops[0][0])
    vague = next((loop for loop in cut if loop not in told), "")
    return f"{op.name} cuts {vague}, which does not run along a dim of {result.name}" if vague else tuple(factors)


def _division_fault(case: Case, name: str) -> str:
    division = case.divisions.get(name)
    if division is None:
        return "there is no such division"
    factors = {split.loop: split.factor for split in division.splits}
    op = case.schedule.step_map[name].op
    for wanted, factor in case.problem.pins.division[name].items():
        loop = wanted if wanted in op.extents else _along(case, op, wanted)
        if loop is None or (not loop and factor != 1):
            return f"there is no loop {wanted}"
        if factors.get(loop, 1) != factor:
            return f"{loop} has the factor {factors.get(loop, 1)}"
    return ""


def _along(case: Case, op: LoopOp, name: str) -> str | None:
    """The loop that steps through dim K of the result of an op, where the name is dK; '' if it has but one place."""
    number = name.removeprefix("d")
    if not op.writes or number == name or not number.isdecimal():
        return None
    result = case.buffers[op.writes[0].buffer]
    if int(number) >= len(result.shape) or result.shape[int(number)] == 1:
        return "" if int(number) < len(result.shape) else None
    for term in op.writes[0].index.terms:
        if term.plain and term.coefficient == result.strides[int(number)]:
            return term.loops[0][0]
    return None
