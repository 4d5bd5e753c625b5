"""Stages: the units that a step's data goes through, and how long each is busy.

Owns the assembly from routes, operands and computing: what every unit carries, the time of the inner pipeline and the
number of transfers.  Refuses rates of its own: each stands in the device file under the name that its unit gives.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from compiler.machine import MachineUnit, UnitKind
from simulator.timing.case import Case, Moved
from simulator.timing.work import Counts, Stage, Times


def computing_stages(case: Case, unit: MachineUnit, size: Counts, busy: Times) -> tuple[Stage, ...]:
    """Load, compute, store: every operand by its own way from or to its memory."""
    routes, kind = case.routes, unit.kind
    loads = [(one, routes.load(_memory(case, one), kind)) for one in case.reads]
    stores = [(one, routes.store(kind, _memory(case, one))) for one in case.writes]
    middle = Stage(unit.name, routes.level(unit), True, size, busy)
    return (*_movers(case, loads, True), middle, *_movers(case, stores, False))


def copying_stages(case: Case) -> tuple[Stage, ...]:
    """In, out, or both: data that stays as it is goes no further into a core than it has to."""
    routes, (source, target) = case.routes, (case.reads[0], case.writes[0])
    found: list[Stage] = []
    if source.on_card:
        found += _passing(case, routes.copy(routes.card_memory, routes.core_memory), source.bytes, True)
    if target.on_card:
        found += _passing(case, routes.copy(routes.core_memory, routes.card_memory), target.bytes, False)
    return tuple(found)


def copying_unit(case: Case, stages: Sequence[Stage]) -> str:
    """The computing unit that a copy goes through for want of another way; '' if there is none."""
    kinds = {unit.name: unit.kind for unit in case.routes.machine.units}
    return next((stage.unit for stage in stages if kinds[stage.unit] is UnitKind.VECTOR), "")


def floor_of(case: Case, stages: Sequence[Stage]) -> Times:
    """Time of the pipeline inside a core: its slowest stage in full, one inner tile of each other stage."""
    inner = [stage for stage in stages if stage.level > 0]
    if not inner:
        return case.nothing()
    busy = np.array([stage.busy for stage in inner])
    size = np.array([stage.bytes for stage in inner], dtype=np.float64)
    part = np.minimum(1.0, case.device.count("inner_tile_bytes") / np.maximum(size, 1.0))
    slowest = busy.argmax(axis=0), np.arange(busy.shape[1])
    tiles = busy * part
    return np.asarray(busy[slowest] + tiles.sum(axis=0) - tiles[slowest], dtype=np.float64)


def tiles_of(case: Case) -> Counts:
    """Transfers that each core cuts its part into, by the largest of what comes in, goes out and is walked."""
    most = case.device.count("transfer_tile_bytes")
    into, out = (_total(case, [one for one in each if one.on_card]) for each in (case.reads, case.writes))
    inside = np.maximum(_total(case, case.reads), _total(case, case.writes))
    largest = np.maximum(np.maximum(into, out), inside)
    return np.asarray(np.maximum(1, -(-largest // most)), dtype=np.int64)


def _memory(case: Case, moved: Moved) -> str:
    return case.routes.card_memory if moved.on_card else case.routes.core_memory


def _total(case: Case, moved: Sequence[Moved]) -> Counts:
    """Bytes of several operands together."""
    none = np.zeros(len(case.parts), dtype=np.int64)
    return np.asarray(np.sum([none, *(one.bytes for one in moved)], axis=0), dtype=np.int64)


def _movers(case: Case, ways: Sequence[tuple[Moved, tuple[MachineUnit, ...]]], read: bool) -> tuple[Stage, ...]:
    """The units of several ways, the longest way first, each with all that goes through it."""
    units: dict[str, MachineUnit] = {}
    for _, way in sorted(ways, key=lambda one: -len(one[1])):
        units |= {unit.name: unit for unit in way if unit.name not in units}
    found = []
    for unit in units.values():
        size = _total(case, [moved for moved, way in ways if unit in way])
        found.append(_stage(case, unit, size, read))
    return tuple(sorted(found, key=lambda stage: stage.level if read else -stage.level))


def _passing(case: Case, units: tuple[MachineUnit, ...], size: Counts, into: bool) -> list[Stage]:
    """Units of a copy; what comes behind a computing unit leads away from it."""
    kinds = [unit.kind is UnitKind.VECTOR for unit in units]
    turn = kinds.index(True) if True in kinds else len(units) if into else -1
    return [_stage(case, unit, size, place <= turn) for place, unit in enumerate(units)]


def _stage(case: Case, unit: MachineUnit, size: Counts, read: bool) -> Stage:
    return Stage(unit.name, case.routes.level(unit), read, size, size / case.device.number(unit.rate))
