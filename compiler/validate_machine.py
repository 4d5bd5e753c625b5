"""Validation of machines: whether memories, units and paths of a device make one machine that data can go through.

Owns names, connections and what there has to be.  Refuses routes, which the simulator finds, and the numbers that the
machine names, which `validate_device` judges with all others.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

from compiler.errors import InputError
from compiler.machine import NO_MACHINE, Machine, MachineMemory, MachineUnit, Scope, UnitKind

CARD_SIZE, CORE_SIZE = "hbm_usable_bytes", "lx_bytes"
"""The numbers that say which memories the compiler places tensors in."""
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
HOST = "host"
"""What runs there belongs to no unit of the device, so that none may have this name."""
MOST_THINGS = 64
"""Memories and units together: more than any machine has, and few enough to search all ways through it."""


def validate_machine(machine: Machine, what: str) -> None:
    """InputError that names the first thing which is missing, doubled or leads nowhere; an empty machine is good."""
    if machine == NO_MACHINE:
        return
    things: tuple[MachineMemory | MachineUnit, ...] = (*machine.memories, *machine.units)
    if len(things) > MOST_THINGS:
        raise InputError(what, f"its machine has {len(things)} memories and units", f"use at most {MOST_THINGS}")
    for fault in (*_names(things), *_memories(machine), *_units(machine), *_paths(machine), *_ends(machine)):
        raise InputError(what, *fault)


def _names(things: tuple[MachineMemory | MachineUnit, ...]) -> Iterator[tuple[str, str]]:
    seen: set[str] = set()
    for thing in things:
        sort = "memory" if isinstance(thing, MachineMemory) else "unit"
        if not NAME.fullmatch(thing.name):
            yield f"a {sort} of its machine is called '{thing.name}'", "use letters, digits and _"
        if thing.name == HOST:
            yield f"a {sort} of its machine is called '{HOST}', as the computer is that the card is in", "rename it"
        if thing.name in seen:
            yield f"two things of its machine are called '{thing.name}'", "give each a name of its own"
        if not thing.title:
            yield f"the title of the {sort} '{thing.name}' is empty", "say what it is"
        seen.add(thing.name)


def _memories(machine: Machine) -> Iterator[tuple[str, str]]:
    card = [memory for memory in machine.memories if memory.scope is Scope.CARD]
    if not card:
        yield "its machine has no memory of the card", f'add one with scope = "card" and size = "{CARD_SIZE}"'
    if len(card) > 1:
        why = f"its machine has two memories of the card, '{card[0].name}' and '{card[1].name}'"
        yield why, "keep the one that all cores share, and give others the scope core"
    for memory in machine.memories:
        if memory.scope is Scope.CARD and memory.size != CARD_SIZE:
            yield f"the size of the card's memory '{memory.name}' is '{memory.size}'", f"write {CARD_SIZE}"
        if memory.scope is Scope.CARD and not memory.rate:
            yield f"the card's memory '{memory.name}' has no rate", "name the number of bytes per ns all cores share"
        if memory.scope is Scope.CORE and memory.rate:
            yield f"the core's memory '{memory.name}' has a rate", "leave it out; the units around it have one"
    planned = [memory.name for memory in machine.memories if memory.scope is Scope.CORE and memory.size == CORE_SIZE]
    if not planned:
        yield "its machine has no scratchpad", f'add a memory with scope = "core" and size = "{CORE_SIZE}"'
    if len(planned) > 1:
        why = f"both '{planned[0]}' and '{planned[1]}' have the size {CORE_SIZE}"
        yield why, "give the one that the compiler does not place tensors in a number of its own"


def _units(machine: Machine) -> Iterator[tuple[str, str]]:
    if not any(unit.kind in (UnitKind.MATRIX, UnitKind.VECTOR) for unit in machine.units):
        yield "its machine has no unit that computes", "add one of kind matrix or vector"
    for unit in machine.units:
        if not unit.rate:
            yield f"the unit '{unit.name}' has no rate", "name the number that says what it does per ns"


def _paths(machine: Machine) -> Iterator[tuple[str, str]]:
    memories = {memory.name for memory in machine.memories}
    known = [*(memory.name for memory in machine.memories), *(unit.name for unit in machine.units)]
    seen: set[tuple[str, str]] = set()
    for path in machine.paths:
        ends = (path.source, path.target)
        written = f"the path from '{path.source}' to '{path.target}'"
        for end in ends:
            if end not in known:
                near = difflib.get_close_matches(end, known, 1)
                remedy = f"write {near[0]}" if near else "add it, or remove the path"
                yield f"in {written}, '{end}' is neither a memory nor a unit", remedy
        if path.source == path.target:
            yield f"{written} leads nowhere", "remove it"
        if memories.issuperset(ends):
            yield f"{written} joins two memories", "put a unit of kind move between them"
        if ends in seen:
            yield f"{written} is listed twice", "remove one of them"
        seen.add(ends)


def _ends(machine: Machine) -> Iterator[tuple[str, str]]:
    """Everything is on some way; a mover has one direction, so that both ways never wait for the same unit."""
    both = {(path.source, path.target) for path in machine.paths}
    for unit in machine.units:
        feeds = [path.source for path in machine.paths if path.target == unit.name]
        takes = [path.target for path in machine.paths if path.source == unit.name]
        if not feeds or not takes:
            way = "to" if not feeds else "from"
            yield f"no path leads {way} the unit '{unit.name}'", "add one, or remove the unit"
        back = next((end for end in feeds if (unit.name, end) in both), None)
        if unit.kind is UnitKind.MOVE and back is not None:
            why = f"the unit '{unit.name}' leads from '{back}' and back to it"
            yield why, "list two units of kind move, one for each direction"
        if unit.kind is UnitKind.RING and back is None:
            why = f"the ring unit '{unit.name}' does not lead back to what it comes from"
            yield why, "add the path, as the same memory of another core is meant"
    for memory in machine.memories:
        if not any(memory.name in (path.source, path.target) for path in machine.paths):
            yield f"no path touches the memory '{memory.name}'", "add one, or remove the memory"
