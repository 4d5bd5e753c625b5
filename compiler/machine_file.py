"""The machine in a device file: `[machine]` with its paths, `[machine.memories.NAME]` and `[machine.units.NAME]`.

Owns the form in TOML, both ways.  Refuses what has not that form; whether the machine makes sense is judged by
`validate_machine`, for files and saved plans alike.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from enum import StrEnum
from typing import TypeVar

from compiler.errors import InputError
from compiler.machine import NO_MACHINE, DataPath, Machine, MachineMemory, MachineUnit, Scope, UnitKind

PARTS = ("memories", "units", "paths")
MEMORY_ENTRIES, MEMORY_EXTRAS = ("title", "scope", "size"), ("rate",)
UNIT_ENTRIES, UNIT_EXTRAS = ("title", "kind", "rate"), ("instances",)
E = TypeVar("E", bound=StrEnum)
V = TypeVar("V")


def read_machine(what: str, table: object) -> Machine:
    """The machine of the TOML table `[machine]`; `what` names the file in errors."""
    if not isinstance(table, dict):
        raise InputError(what, "'machine' is not a table", "write [machine] with paths, memories and units")
    unknown = next((part for part in table if part not in PARTS), None)
    if unknown is not None:
        raise InputError(what, f"[machine] has an unknown entry '{unknown}'", f"use {', '.join(PARTS)}")
    missing = next((part for part in PARTS if part not in table), None)
    if missing is not None:
        raise InputError(what, f"[machine] has no {missing}", "start from a bundled device file")
    memories = _things(what, "memories", table["memories"], _memory)
    units = _things(what, "units", table["units"], _unit)
    return Machine(memories, units, _paths(what, table["paths"]))


def print_machine(machine: Machine) -> list[str]:
    """The lines of the tables, each table after an empty line; none for an empty machine."""
    if machine == NO_MACHINE:
        return []
    paths = [f"    [{_text(path.source)}, {_text(path.target)}]," for path in machine.paths]
    lines = ["", "[machine]", "paths = [", *paths, "]"]
    for memory in machine.memories:
        lines += ["", f"[machine.memories.{_text(memory.name)}]", f"title = {_text(memory.title)}"]
        lines += [f"scope = {_text(memory.scope)}", f"size = {_text(memory.size)}"]
        lines += [f"rate = {_text(memory.rate)}"] if memory.rate else []
    for unit in machine.units:
        lines += ["", f"[machine.units.{_text(unit.name)}]", f"title = {_text(unit.title)}"]
        lines += [f"kind = {_text(unit.kind)}", f"rate = {_text(unit.rate)}"]
        lines += [f"instances = {_text(unit.instances)}"] if unit.instances else []
    return lines


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _memory(where: str, name: str, entry: object) -> MachineMemory:
    texts = _texts(where, entry, MEMORY_ENTRIES, MEMORY_EXTRAS)
    scope = _word(where, "scope", texts["scope"], Scope)
    return MachineMemory(name, texts["title"], scope, texts["size"], texts.get("rate", ""))


def _unit(where: str, name: str, entry: object) -> MachineUnit:
    texts = _texts(where, entry, UNIT_ENTRIES, UNIT_EXTRAS)
    kind = _word(where, "kind", texts["kind"], UnitKind)
    return MachineUnit(name, texts["title"], kind, texts["rate"], texts.get("instances", ""))


def _things(what: str, part: str, table: object, read: Callable[[str, str, object], V]) -> tuple[V, ...]:
    if not isinstance(table, dict):
        raise InputError(what, f"'machine.{part}' is not a table", f"write [machine.{part}.NAME] for each of them")
    return tuple(read(f"{what}, [machine.{part}.{name}]", name, entry) for name, entry in table.items())


def _texts(where: str, entry: object, needed: tuple[str, ...], extras: tuple[str, ...]) -> dict[str, str]:
    remedy = f"write {', '.join(needed)} and, where it applies, {extras[0]}"
    if not isinstance(entry, dict):
        raise InputError(where, "it is not a table", remedy)
    unknown = next((part for part in entry if part not in needed + extras), None)
    if unknown is not None:
        raise InputError(where, f"it has an unknown entry '{unknown}'", remedy)
    missing = next((part for part in needed if part not in entry), None)
    if missing is not None:
        raise InputError(where, f"it has no {missing}", remedy)
    wrong = next((part for part, text in entry.items() if not isinstance(text, str)), None)
    if wrong is not None:
        raise InputError(where, f"its {wrong} is {entry[wrong]!r}", _named(wrong))
    return {part: str(text) for part, text in entry.items()}


def _named(part: str) -> str:
    """What to write for a part that is not even a text."""
    return "give a text" if part in ("title", "scope", "kind") else "give the name of a number of this file"


def _word(where: str, part: str, text: str, words: type[E]) -> E:
    if text not in set(words):
        raise InputError(where, f"its {part} is '{text}'", f"use one of {', '.join(words)}")
    return words(text)


def _paths(what: str, table: object) -> tuple[DataPath, ...]:
    remedy = 'write paths = [["source", "target"], ...] with names of memories and units'
    if not isinstance(table, list):
        raise InputError(what, "'machine.paths' is not a list", remedy)
    for path in table:
        if not isinstance(path, list) or len(path) != 2 or not all(isinstance(end, str) for end in path):
            raise InputError(what, f"machine.paths has the entry {path!r}, which is no pair of names", remedy)
    return tuple(DataPath(source, target) for source, target in table)
