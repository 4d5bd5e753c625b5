"""Routes: the units a step's data goes through, by shortest path over the datapaths of the machine.

Owns the way from a memory to a computing unit and back, from memory to memory, and how deep inside the machine each
unit lies.  Refuses times: how long a way takes is a matter of bytes and rates.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import networkx
from frozendict import frozendict

from compiler.device import Device
from compiler.errors import InputError
from compiler.machine import NO_MACHINE, Machine, MachineMemory, MachineUnit, Scope, UnitKind
from compiler.validate_machine import CORE_SIZE

Ways = frozendict[tuple[str, str], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Route:
    """The units on a way, in order, with the level of each: 0 moves between the card's memory and a core's, 1 and
    deeper stay inside a core."""

    units: tuple[MachineUnit, ...]
    levels: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Routes:
    """All shortest ways of a machine.  Where several are as short, each fork takes the path that the device file lists
    first.  No way leads through the card's memory, a ring or a computing unit unless it ends there: what goes there has
    to be somebody's decision.  Every method raises InputError, naming device and ends, where the machine has no way.
    """

    device: str
    machine: Machine
    ways: Ways
    levels: frozendict[str, int]
    card_memory: str
    core_memory: str

    def lanes(self) -> tuple[str, ...]:
        """The names of all units, in the order of the device file."""
        return tuple(unit.name for unit in self.machine.units)

    def level(self, unit: MachineUnit) -> int:
        """How deep a unit lies, as in a Route."""
        return self.levels[unit.name]

    def compute(self, kind: UnitKind) -> MachineUnit:
        """The computing unit of a kind that is nearest to the scratchpad; the first in the file of those as near."""
        units = [unit for unit in self.machine.units if unit.kind is kind]
        if not units:
            raise self._fault(f"it has no {kind} unit", f'add a unit of kind "{kind}" to its machine')
        reached = [unit for unit in units if self._around(unit) < math.inf]
        if not reached:
            core, name = self.core_memory, units[0].name
            why = f"no paths lead from '{core}' to the {kind} unit '{name}' and back"
            raise self._fault(why, "add them to machine.paths")
        return min(reached, key=self._around)

    def load(self, memory: str, kind: UnitKind) -> tuple[MachineUnit, ...]:
        """The units that carry data from a memory to the computing unit of a kind, without that unit."""
        return self._between(memory, self.compute(kind).name)

    def store(self, kind: UnitKind, memory: str) -> tuple[MachineUnit, ...]:
        """The units that carry results from the computing unit of a kind to a memory, without that unit."""
        return self._between(self.compute(kind).name, memory)

    def through(self, source: str, kind: UnitKind, target: str) -> Route:
        """Load, compute and store in one: from a memory through the computing unit of a kind to a memory."""
        return self._route((*self.load(source, kind), self.compute(kind), *self.store(kind, target)))

    def copy(self, source: str, target: str) -> tuple[MachineUnit, ...]:
        """The units that carry data from memory to memory as it is; inside one memory, out of it and back.  Where only
        a computing unit leads there, the vector unit passes data on."""
        if (source, target) in self.ways:
            return self._between(source, target)
        return self.through(source, UnitKind.VECTOR, target).units

    def copying(self, source: str, target: str) -> Route:
        """`copy` with its levels."""
        return self._route(self.copy(source, target))

    @property
    def ring_name(self) -> str:
        """The ring unit by name; '' for a machine without one."""
        return next((unit.name for unit in self.machine.units if unit.kind is UnitKind.RING), "")

    def ring(self) -> MachineUnit:
        """The unit that carries data to the scratchpads of other cores."""
        unit = next((unit for unit in self.machine.units if unit.kind is UnitKind.RING), None)
        if unit is None:
            raise self._fault("it has no ring", 'add a unit of kind "ring" to its machine, or compile for one core')
        self._between(self.core_memory, unit.name)
        self._between(unit.name, self.core_memory)
        return unit

    def _around(self, unit: MachineUnit) -> float:
        """Things on the way from the scratchpad to a unit and back; infinite if there is none."""
        there = self.ways.get((self.core_memory, unit.name))
        back = self.ways.get((unit.name, self.core_memory))
        return math.inf if there is None or back is None else len(there) + len(back)

    def _between(self, source: str, target: str) -> tuple[MachineUnit, ...]:
        """The units strictly between two things."""
        way = self.ways.get((source, target))
        if way is None:
            raise self._fault(f"no path leads from '{source}' to '{target}'", "add one to machine.paths")
        units = {unit.name: unit for unit in self.machine.units}
        return tuple(units[name] for name in way[1:-1] if name in units)

    def _route(self, units: tuple[MachineUnit, ...]) -> Route:
        return Route(units, tuple(map(self.level, units)))

    def _fault(self, why: str, remedy: str) -> InputError:
        return InputError(f"device {self.device}", why, remedy)


def routes_of(device: Device) -> Routes:
    """The ways through a device's machine; InputError for a device without one."""
    machine = device.machine
    if machine == NO_MACHINE:
        why = "it describes no memories, units and paths, without which nothing can be timed"
        raise InputError(f"device {device.name}", why, "compile for a device whose file has a [machine]")
    card = next(memory.name for memory in machine.memories if memory.scope is Scope.CARD)
    core = next(memory.name for memory in machine.memories if _is_scratchpad(memory))
    ends = [memory.name for memory in machine.memories]
    ends += [unit.name for unit in machine.units if unit.kind is not UnitKind.MOVE]
    ways = frozendict({(way[0], way[-1]): way for source in ends for way in _ways(machine, source)})
    return Routes(device.name, machine, ways, _levels(device, card), card, core)


def _is_scratchpad(memory: MachineMemory) -> bool:
    """The memory that the compiler places tensors in."""
    return memory.scope is Scope.CORE and memory.size == CORE_SIZE


def _passable(machine: Machine) -> set[str]:
    """What ways may lead through: movers, and memories that a core has for itself."""
    inner = {memory.name for memory in machine.memories if memory.scope is Scope.CORE}
    return inner | {unit.name for unit in machine.units if unit.kind is UnitKind.MOVE}


def _ways(machine: Machine, source: str) -> list[tuple[str, ...]]:
    """Shortest ways from a thing to all others, and back to itself."""
    inner = _passable(machine)
    graph = networkx.DiGraph()
    graph.add_node(source)
    graph.add_edges_from((path.source, path.target) for path in machine.paths if path.source in {source, *inner})
    found: dict[str, list[str]] = networkx.single_source_shortest_path(graph, source)
    ways = [tuple(way) for way in found.values() if len(way) > 1]
    closed = [(*way, source) for way in ways if way[-1] in inner and graph.has_edge(way[-1], source)]
    return [*ways, *sorted(closed, key=len)[:1]]


def _levels(device: Device, card: str) -> frozendict[str, int]:
    """Memories that lie between the card's and a unit: a mover counts from the outer of the memories it joins, a
    computing unit from the inner of those that feed it, never less than 1."""
    machine = device.machine
    depths = _depths(device, card)
    levels = {}
    for unit in machine.units:
        feeds = [depths[name] for name in _nearest(machine, unit.name, forward=False)]
        takes = [depths[name] for name in _nearest(machine, unit.name, forward=True)]
        moves = unit.kind is UnitKind.MOVE
        levels[unit.name] = min(feeds + takes, default=1) if moves else max([1, *feeds])
    return frozendict(levels)


def _depths(device: Device, card: str) -> dict[str, int]:
    """Memories between the card's and each, along movers whichever way they lead."""
    machine = device.machine
    known = [memory.name for memory in machine.memories]
    graph = networkx.Graph()
    graph.add_nodes_from(known)
    things = {*known, *_passable(machine)}
    graph.add_edges_from((path.source, path.target) for path in machine.paths if things >= {path.source, path.target})
    found: dict[str, list[str]] = networkx.single_source_shortest_path(graph, card)
    for memory in machine.memories:
        if memory.name not in found:
            why = f"no path joins the memory '{memory.name}' with '{card}'"
            raise InputError(f"device {device.name}", why, "add one to machine.paths")
    return {name: sum(step in known for step in found[name]) - 1 for name in known}


def _nearest(machine: Machine, unit: str, *, forward: bool) -> list[str]:
    """The memories that data reaches from a unit, or comes from, through movers alone."""
    movers = {other.name for other in machine.units if other.kind is UnitKind.MOVE}
    ends = [(path.source, path.target) if forward else (path.target, path.source) for path in machine.paths]
    graph = networkx.DiGraph()
    graph.add_node(unit)
    graph.add_edges_from(end for end in ends if end[0] in {unit, *movers})
    reached = networkx.descendants(graph, unit)
    return [memory.name for memory in machine.memories if memory.name in reached]
