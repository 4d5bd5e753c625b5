"""Pinned: whether every pin came back with a status, and what is called honoured is in the plan.

Refuses to judge why a pin was not honoured; it must only be said.
"""

from __future__ import annotations

from compiler.checks.case import Case
from compiler.checks.findings import Findings
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
    loops = case.schedule.step_map[name].op.extents
    for loop, factor in case.problem.pins.division[name].items():
        if loop not in loops:
            return f"there is no loop {loop}"
        if factors.get(loop, 1) != factor:
            return f"{loop} has the factor {factors.get(loop, 1)}"
    return ""
