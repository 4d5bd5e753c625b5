"""Pinned: whether every pin came back with a status, and what is called honoured is in the plan.

Refuses to judge why a pin was not honoured; it must only be said.
"""

from __future__ import annotations

from compiler.checks.case import Case
from compiler.checks.findings import Findings
from compiler.loops import LoopOp
from compiler.pins import PinState, PinStatus
from compiler.plan import Slot


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
        placement = case.placement(name)
        if placement is None:
            return "there is no such placement"
        place = "lx" if isinstance(placement, Slot) else "hbm"
        return "" if place == table.placement[name] else f"it is in {place}"
    return "a plan has no tiles"


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
