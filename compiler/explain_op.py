"""Why an op takes the time it takes: its division and the next best ones, and every term of its price.

Owns the facts of one step in words, each term with its formula, inputs and the constants it uses, their kind and
accuracy.  Refuses to decide: divisions are those that `compiler.candidates` lists.
"""

from __future__ import annotations

from compiler.candidates import Candidate, candidates
from compiler.compilation import Compilation
from compiler.device import Device
from compiler.price import CostTerm, StepCost
from compiler.schedule import expand
from compiler.text.plan_text import print_division

SHOWN = 5


def explain_op(compilation: Compilation, name: str) -> str:
    """The facts of one step as lines for a person; InputError if there is no such step."""
    rows = candidates(compilation.problem, compilation.plan, name)
    step = expand(compilation.problem.program, compilation.plan).step_map[name]
    division = compilation.plan.divisions[name]
    cost = next(cost for cost in compilation.cost.steps if cost.step == name)
    loops = ", ".join(f"{loop.name} {loop.extent} {loop.role}" for loop in step.op.loops)
    source = f"  ({step.op.origin.source})" if step.op.origin.source else ""
    lines = [f"{name}  {step.op.kind} {step.op.combine}".rstrip() + source, f"  loops      {loops or 'none'}"]
    lines.append(f"  divided    {print_division(division)}, {division.cores} of {compilation.plan.cores} cores")
    lines.append(f"  why        {compilation.plan.reasons.get(f'division:{name}', 'no reason is recorded')}")
    lines.append(f"  takes      {_time(cost)}")
    for term in cost.terms:
        lines += _term(term, compilation.problem.device)
    lines.append("  could be   (priced alone, with the buffers where they are)")
    lines += [f"    {_row(row, rows)}" for row in _shown(rows)]
    return "\n".join(lines) + "\n"


def _time(cost: StepCost) -> str:
    parts = f"compute {cost.compute_us:,.2f} us, device memory {cost.hbm_us:,.2f} us"
    if cost.serial_us:
        parts += f", {cost.serial_us:,.2f} us that overlap with nothing"
    return f"{cost.total_us:,.2f} us of its kernel ({parts})"


def _term(term: CostTerm, device: Device) -> list[str]:
    lines = [f"    {term.name}: {term.microseconds:,.3f} us = {term.formula}", f"      {term.inputs}"]
    for key in term.constants:
        number = device.numbers[key]
        accuracy = f"; {number.accuracy}" if number.accuracy else ""
        lines.append(f"      {key} = {number.value:g} {number.unit} ({number.kind}: {number.source}{accuracy})")
    return lines


def _shown(rows: tuple[Candidate, ...]) -> list[Candidate]:
    best = list(rows[:SHOWN])
    return best + [row for row in rows[SHOWN:] if row.chosen]


def _row(row: Candidate, rows: tuple[Candidate, ...]) -> str:
    chosen = next(one for one in rows if one.chosen)
    factors = " ".join(f"{loop} {factor}" for loop, factor in row.factors.items()) or "1 core"
    span = f"span {row.span_bytes:,} B, {row.cores} cores"
    points = f", {row.points:,.1f} µs and points by the staged ranking" if row.ranking else ""
    if not row.legal:
        return f"{factors}: not possible, {row.why_not}"
    apart = "chosen" if row.chosen else f"{row.total_us - chosen.total_us:+,.2f} us"
    return f"{factors}: {row.total_us:,.2f} us ({apart}; {span}{points})"
