"""Why an op takes the time it takes: its division and the next best ones, and every term of its price.

Owns the facts of one step in words, each term with its formula, inputs and the constants it uses, their kind and
accuracy.  Refuses to decide: divisions are those that `compiler.candidates` lists.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from compiler.candidates import Candidate, candidates
from compiler.compilation import Compilation
from compiler.cost.matmul import EXECUTION
from compiler.counts import counted, verb
from compiler.device import Device
from compiler.explain_copy import explain_copy
from compiler.liveness import lifetimes
from compiler.ownership import gap, holding, mismatch, partial_sums
from compiler.plan import HOMEWARD, Edit, EditKind, Plan, Slot
from compiler.price import CostTerm, StepCost
from compiler.schedule import Schedule, Step, expand
from compiler.spaces import space_of
from compiler.text.plan_text import print_division

SHOWN = 5


def explain_op(compilation: Compilation, name: str) -> str:
    """The facts of one step as lines for a person; InputError if there is no such step."""
    rows = candidates(compilation.problem, compilation.plan, name)
    schedule = expand(compilation.problem.program, compilation.plan)
    step = schedule.step_map[name]
    division = compilation.plan.divisions[name]
    cost = next(cost for cost in compilation.cost.steps if cost.step == name)
    loops = ", ".join(f"{loop.name} {loop.extent} {loop.role}" for loop in step.op.loops)
    source = f"  ({step.op.origin.source})" if step.op.origin.source else ""
    lines = [f"{name}  {step.op.kind} {step.op.combine}".rstrip() + source, f"  loops      {loops or 'none'}"]
    used = f"{division.cores} of {counted(compilation.plan.cores, 'core')}"
    lines.append(f"  divided    {print_division(division)}, {used}")
    if step.edit is not None:
        lines.append(f"  copy       {explain_copy(compilation, step.edit)}")
    lines.append(f"  why        {_why(compilation.plan, step)}")
    lines.append(f"  takes      {_time(cost)}")
    for term in cost.terms:
        lines += _term(term, compilation.problem.device)
    lines += _choices(compilation, schedule, step, rows)
    return "\n".join(lines) + "\n"


def _why(plan: Plan, step: Step) -> str:
    """Why it is divided so; a move follows the step at its other end."""
    told = plan.reasons.get(f"division:{step.name}")
    if told is None and step.edit is not None and step.edit.kind in HOMEWARD:
        return _follows(step.edit)
    return told or "no reason is recorded"


def _follows(edit: Edit) -> str:
    """What a move is divided after."""
    held = edit.kind is EditKind.CLONE_OUT
    readers = " and ".join(edit.readers[:2])
    return f"as {edit.source} is held" if held else f"as {readers} {verb(edit.readers, 'read')} it"


def _time(cost: StepCost) -> str:
    parts = f"compute {cost.compute_us:,.2f} µs, device memory {cost.hbm_us:,.2f} µs"
    if cost.serial_us:
        parts += f", {cost.serial_us:,.2f} µs that overlap with nothing"
    return f"{cost.total_us:,.2f} µs of its kernel ({parts})"


def _term(term: CostTerm, device: Device) -> list[str]:
    lines = [f"    {term.name}: {term.microseconds:,.3f} µs = {term.formula}", f"      {term.inputs}"]
    for key in term.constants:
        number = device.numbers[key]
        accuracy = f"; {number.accuracy}" if number.accuracy else ""
        lines.append(f"      {key} = {number.value:g} {_unit(number.unit)} ({number.kind}: {number.source}{accuracy})")
    return lines


def _unit(name: str) -> str:
    """A unit of a device file as people read it.

    >>> _unit("us/element"), _unit("bytes/ns")
    ('µs/element', 'bytes/ns')
    """
    return "/".join("µs" + part.removeprefix("us") if part.split(" ")[0] == "us" else part for part in name.split("/"))


def _shown(rows: tuple[Candidate, ...]) -> list[Candidate]:
    best = list(rows[:SHOWN])
    return best + [row for row in rows[SHOWN:] if row.chosen]


def _row(row: Candidate, rows: tuple[Candidate, ...], away: list[str]) -> str:
    chosen = next(one for one in rows if one.chosen)
    factors = " ".join(f"{loop} {factor}" for loop, factor in row.factors.items()) or "1 core"
    span = f"span {row.span_bytes:,} B, {counted(row.cores, 'core')}"
    points = f"; ranked {_ranked(row)}" if row.ranking else ""
    if not row.legal:
        return f"{factors}: not possible, {row.why_not}"
    apart = "chosen" if row.chosen else f"{row.total_us - chosen.total_us:+,.2f} µs"
    lost = f"; {' and '.join(away)} would leave LX, which is not in this time" if away and not row.chosen else ""
    return f"{factors}: {row.total_us:,.2f} µs ({apart}; {span}{points}{lost})"


def _choices(compilation: Compilation, schedule: Schedule, step: Step, rows: tuple[Candidate, ...]) -> Iterator[str]:
    """The next best divisions; of a move none under which what it is for would leave LX."""
    away = [(row, _driven_out(compilation, schedule, step, row)) for row in _shown(rows)]
    if step.edit is not None and step.edit.kind in HOMEWARD:
        away = [(row, names) for row, names in away if row.chosen or not (names and row.legal)]
        if all(row.chosen for row, _ in away):
            yield f"  could be   nothing else: it is divided {_follows(step.edit)}"
            return
    yield "  could be   (priced alone, with the buffers where they are)"
    yield from (f"    {_row(row, rows, names)}" for row, names in away)


def _ranked(row: Candidate) -> str:
    """The figure of the staged ranking, its time and its points of preference apart."""
    names = {formula.name for formula in EXECUTION}
    time = math.fsum(term.microseconds for term in row.ranking if term.name in names)
    return f"{row.points:,.1f} by the staged rule: {time:,.1f} µs and {row.points - time:,.1f} points of preference"


def _driven_out(compilation: Compilation, schedule: Schedule, step: Step, row: Candidate) -> list[str]:
    """Buffers in LX that the step could not share with the others any more."""
    space = space_of(step.op, schedule, compilation.plan.layouts)
    divisions = compilation.plan.divisions.set(step.name, space.division(row.factors))
    plan = replace(compilation.plan, divisions=divisions)
    lives, found = lifetimes(schedule), []
    for name in step.op.touched:
        if not isinstance(plan.placement.get(name), Slot) or not lives[name].writes:
            continue
        held = holding(schedule.steps[lives[name].writes[0]], name, schedule, plan)
        readers = (schedule.steps[number] for number in lives[name].reads)
        if partial_sums(held) or gap(held) or any(mismatch(held, reader, schedule, plan) for reader in readers):
            found.append(name)
    return found
