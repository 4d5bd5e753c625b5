"""Lifetimes: addresses and live ranges of what is in LX.

Owns the budget, the real footprint, the range of steps and the proof that no two live buffers share a byte unless one
legally takes the place of the other.  Refuses to know which elements are where: that is `residents`.
"""

from __future__ import annotations

from compiler.checks.case import Case
from compiler.checks.findings import Findings, whole
from compiler.checks.image import Image
from compiler.checks.reuse import place_fault, replaces
from compiler.layout import STICK_BYTES
from compiler.plan import Slot


def budget(case: Case, findings: Findings) -> None:
    """Every slot by itself: numbers, alignment, end, footprint, first and last use."""
    limit, unit = case.device.lx_budget_bytes, case.device.stick_bytes
    for name, slot in case.slots:
        fault = _number_fault(case, slot, unit)
        if fault:
            findings.add(f"{name} {fault}")
            continue
        if slot.address + slot.size_bytes > limit:
            findings.add(f"{name} ends at {slot.address + slot.size_bytes}, the LX budget is {limit} bytes")
        _check_size(case, name, slot, findings)
        _check_uses(case, name, slot, findings)


def _number_fault(case: Case, slot: Slot, unit: int) -> str:
    if not whole(slot.address) or slot.address % unit:
        return f"has the address {slot.address}, which is no multiple of {unit}"
    if not whole(slot.size_bytes, 1):
        return f"has a size of {slot.size_bytes} bytes"
    last = len(case.steps) - 1
    if not whole(slot.first_step) or not whole(slot.last_step, slot.first_step) or slot.last_step > last:
        return f"lives from step {slot.first_step} to {slot.last_step}, the steps are 0 to {last}"
    return ""


def _check_size(case: Case, name: str, slot: Slot, findings: Findings) -> None:
    """The footprint is the box of device coordinates that the writer fills on one core."""
    writers = case.writers(name)
    operands = case.operands(writers[0]) if writers else None
    if operands is None or writers[0].name not in case.divisions or not isinstance(operands[-1].image, Image):
        findings.unproved(name)
        return
    sizes = [footprint(box) for box in case.boxes(writers[0], operands[-1].image) if box is not None]
    if not sizes or max(sizes) != slot.size_bytes:
        real = max(sizes, default=0)
        findings.add(f"{name} has {slot.size_bytes} bytes reserved per core, {writers[0].name} writes {real}")


def footprint(box: tuple[tuple[int, int], ...]) -> int:
    """Bytes of a box of device coordinates, its lanes whole."""
    sticks = 1
    for first, last in box[:-1]:
        sticks *= last - first + 1
    return sticks * STICK_BYTES


def _check_uses(case: Case, name: str, slot: Slot, findings: Findings) -> None:
    for step in (*case.writers(name), *case.readers(name)):
        if not slot.first_step <= step.number <= slot.last_step:
            lives = f"lives from step {slot.first_step} to {slot.last_step}"
            findings.add(f"{name} {lives}, but {step.name} uses it in step {step.number}")


def overlap(case: Case, findings: Findings) -> None:
    """All pairs that are alive together, found by walking along the steps; then what takes the place of what."""
    unit = case.device.stick_bytes
    slots = {}
    for name, slot in case.slots:
        if _number_fault(case, slot, unit):
            findings.unproved(name)
        else:
            slots[name] = slot
    alive: list[str] = []
    for name in sorted(slots, key=lambda name: slots[name].first_step):
        slot = slots[name]
        alive = [other for other in alive if slots[other].last_step >= slot.first_step]
        for other in alive:
            if _share(slot, slots[other]) and not replaces(case, slots, name, other):
                findings.add(_clash(name, slot, other, slots[other]))
        alive.append(name)
    for name, slot in slots.items():
        fault = place_fault(case, slots, name) if slot.in_place_of else ""
        if fault:
            findings.add(f"{name} cannot take the place of {slot.in_place_of}: {fault}")
    _one_child(slots, findings)


def _share(one: Slot, other: Slot) -> bool:
    return one.address < other.address + other.size_bytes and other.address < one.address + one.size_bytes


def _clash(name: str, slot: Slot, other: str, taken: Slot) -> str:
    mine = f"{name} [{slot.address}, {slot.address + slot.size_bytes})"
    theirs = f"{other} [{taken.address}, {taken.address + taken.size_bytes})"
    return f"{mine} and {theirs} are both alive in steps {slot.first_step} to {min(slot.last_step, taken.last_step)}"


def _one_child(slots: dict[str, Slot], findings: Findings) -> None:
    children: dict[str, str] = {}
    for name, slot in slots.items():
        if not slot.in_place_of:
            continue
        first = children.setdefault(slot.in_place_of, name)
        if first != name:
            findings.add(f"{first} and {name} both take the place of {slot.in_place_of}")
