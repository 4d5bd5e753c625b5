"""The summary of a compilation: one JSON document with what other programs ask for, and a few lines for people.

Owns the names of its fields, which others rely on.  Refuses to compute: every figure stands in the compilation.
"""

from __future__ import annotations

from collections.abc import Mapping

from compiler.codec import unstructure
from compiler.compilation import Compilation
from compiler.division import Division
from compiler.liveness import Lifetime, lifetimes
from compiler.loops import Buffer, BufferKind, LoopOp
from compiler.pins import PinState
from compiler.plan import HOMEWARD, Claim, EditKind, Slot
from compiler.reasons import REASONS
from compiler.schedule import Schedule, expand
from spyre_studio.edit_words import EDITS, counts_of
from spyre_studio.solver_words import bound_text, solver_text, stand_in_reason, unimproved_note
from spyre_studio.units import format_bytes, format_count, format_us

Document = dict[str, object]


def summary(compilation: Compilation, seconds: Mapping[str, float]) -> Document:
    """The document; `seconds` are those of stages outside the pipeline, its passes are added."""
    plan, cost, device = compilation.plan, compilation.cost, compilation.problem.device
    schedule = expand(compilation.problem.program, plan)
    lives = lifetimes(schedule)
    stages = {record.spec.partition("{")[0]: record.seconds for record in compilation.log}
    return {
        "model": plan.model,
        "device": plan.device,
        "cores": plan.cores,
        "pipeline": plan.pipeline,
        "total_us": cost.total_us,
        "compute_us": cost.compute_us,
        "hbm_us": cost.hbm_us,
        "serial_us": cost.serial_us,
        "hbm_bytes": cost.hbm_bytes,
        "relayout_us": cost.relayout_us,
        "restickify_us": cost.restickify_us,
        "restickify_count": sum(edit.kind is EditKind.RESTICKIFY for edit in plan.edits),
        "restickify_elements": cost.restickify_elements,
        "reorder_count": sum(edit.kind is EditKind.REORDER for edit in plan.edits),
        "pad_count": sum(edit.kind is EditKind.PAD for edit in plan.edits),
        "relayout_count": sum(edit.kind is EditKind.RELAYOUT for edit in plan.edits),
        "clone_in_count": sum(edit.kind is EditKind.CLONE_IN for edit in plan.edits),
        "clone_out_count": sum(edit.kind is EditKind.CLONE_OUT for edit in plan.edits),
        "lx_peak_bytes": compilation.program.lx_bytes,
        "lx_budget_bytes": device.lx_budget_bytes,
        "ops": [_op(compilation, op) for op in compilation.problem.program.ops],
        "buffers": [_buffer(compilation, buffer, lives[name]) for name, buffer in schedule.buffers.items()],
        "edits": _edits(compilation, schedule),
        "pins": [{"key": key, "status": pin.state, "detail": pin.detail} for key, pin in plan.pins.items()],
        "claims": {name: _claim(claim) for name, claim in plan.claims.items()},
        "solver": unstructure(compilation.solver),
        "check": {"ok": compilation.ok, "verdicts": unstructure(compilation.verdicts)},
        "seconds": {**seconds, **stages},
    }


def _op(compilation: Compilation, op: LoopOp) -> Document:
    division = compilation.plan.divisions.get(op.name, Division())
    return {
        "name": op.name,
        "kind": op.kind,
        "origin": op.origin.source,
        "module": op.origin.module,
        "splits": dict(division.factors),
        "cores": division.cores,
        "cost_us": _cost_of(compilation, op.name),
    }


def _claim(claim: Claim) -> Document:
    return {
        "method": claim.method,
        "unit": claim.unit,
        "objective": claim.objective,
        "bound": claim.bound,
        "gap": claim.gap,
        "states": claim.states,
    }


def _buffer(compilation: Compilation, buffer: Buffer, life: Lifetime) -> Document:
    place = compilation.plan.placement[buffer.name]
    layout = compilation.plan.layouts[buffer.name]
    return {
        "name": buffer.name,
        "shape": list(buffer.shape),
        "dtype": buffer.dtype,
        "device_size": list(layout.device_size),
        "dim_order": list(layout.dim_order),
        "padding_bytes": layout.size_bytes - buffer.elements * layout.element_bytes,
        "layout_reason": compilation.plan.reasons.get(f"layout:{buffer.name}", ""),
        "placement": "lx" if isinstance(place, Slot) else "hbm",
        "address": compilation.program.tensor_map[buffer.name].address,
        "bytes_per_core": place.size_bytes if isinstance(place, Slot) else None,
        "first_step": life.first,
        "last_step": life.last,
        "code": None if isinstance(place, Slot) else place.code,
        "reason": reason_text(compilation, buffer.name),
    }


def reason_text(compilation: Compilation, buffer: str) -> str:
    """Why a buffer is where it is, in one line."""
    place = compilation.plan.placement[buffer]
    if isinstance(place, Slot):
        return f"in LX, in place of {place.in_place_of}" if place.in_place_of else "in LX"
    return f"{REASONS[place.code].title}: {place.detail or REASONS[place.code].sentence}"


def _edits(compilation: Compilation, schedule: Schedule) -> list[Document]:
    steps = schedule.step_map
    return [
        {
            "name": edit.name,
            "kind": edit.kind,
            "buffer": edit.source,
            "target": edit.target,
            "at_step": steps[edit.name].number,
            "replicas": edit.replicas,
            "cost_us": _cost_of(compilation, edit.name),
        }
        for edit in compilation.plan.edits
    ]


def _cost_of(compilation: Compilation, step: str) -> float:
    return next((cost.total_us for cost in compilation.cost.steps if cost.step == step), 0.0)


def describe(compilation: Compilation) -> tuple[str, ...]:
    """The verdict in a few lines."""
    plan, cost, device = compilation.plan, compilation.cost, compilation.problem.device
    computed = [b.name for b in compilation.problem.program.buffers if b.kind is BufferKind.COMPUTED]
    inside = sum(isinstance(plan.placement.get(name), Slot) for name in computed)
    failed = [verdict.check for verdict in compilation.verdicts if not verdict.ok]
    parts = f"compute {format_us(cost.compute_us)}, device memory {format_us(cost.hbm_us)}"
    parts += f", {format_us(cost.serial_us)} beside them" if cost.serial_us else ""
    used, budget = format_bytes(compilation.program.lx_bytes), format_bytes(device.lx_budget_bytes)
    buffers = format_count(len(computed), "computed buffer")
    lines = [
        f"{plan.model} on {device.name}, {format_count(plan.cores, 'core')}",
        f"  predicted  {format_us(cost.total_us)} ({parts})",
        *_made(compilation),
        f"  traffic    {format_bytes(cost.hbm_bytes)}",
        f"  LX         {used} of {budget} per core; {inside} of {buffers} inside",
    ]
    moves = counts_of([edit for edit in plan.edits if edit.kind in HOMEWARD])
    if moves:
        lines.append(f"  moves      {', '.join(moves)}")
    lines.append(f"  check      {'failed: ' + ', '.join(failed) if failed else 'ok'}")
    if plan.pins:
        counts = {state: sum(pin.state is state for pin in plan.pins.values()) for state in PinState}
        lines.append("  pins       " + ", ".join(f"{count} {state}" for state, count in counts.items() if count))
    return tuple(lines)


def _made(compilation: Compilation) -> list[str]:
    """Who made it, and how good it is known to be, where somebody has searched."""
    plan, lines = compilation.plan, list[str]()
    if compilation.solver.bound_us >= 0 or "co-optimize" in plan.claims:
        lines.append(f"  plan       {_found(compilation)}")
    if instead := stand_in_reason(compilation):
        lines.append(f"  solver     {instead}")
    claim = plan.claims.get("assign-layouts")
    if claim is not None:
        lines.append(f"  layouts    {_copies(compilation)}; {_proof(claim)}")
    return lines


def _found(compilation: Compilation) -> str:
    """`objective 305.0 µs · no bound known; out of time after 1.4 s · cp-sat`; and if nothing better was found than
    what the search started from, that."""
    solver, note = compilation.solver, unimproved_note(compilation)
    found = f"objective {format_us(solver.objective_us)} · {bound_text(solver)}; {solver_text(solver)}"
    return f"{found}; {note}" if note else found


def _copies(compilation: Compilation) -> str:
    """`1 restickify of 131,072 elements, 2 pads`."""
    edits = [edit for edit in compilation.plan.edits if edit.kind not in HOMEWARD]
    turned = [edit for edit in edits if edit.kind is EditKind.RESTICKIFY]
    moved = format_count(compilation.cost.restickify_elements, "element")
    first = ", ".join(counts_of(turned)) or f"0 {EDITS[EditKind.RESTICKIFY].many}"
    return ", ".join((f"{first} of {moved}", *counts_of([edit for edit in edits if edit not in turned])))


def _proof(claim: Claim) -> str:
    if claim.objective == claim.bound:
        return "proved to be the fewest"
    return f"at most {claim.gap:.1%} of it could be saved"
