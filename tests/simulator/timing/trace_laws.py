"""What holds for the trace of every run, whatever ran: each law a function.

Owns the laws; which runs have to keep them is a test's business.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from compiler.device import Device
from compiler.machine import UnitKind
from compiler.program import Program
from simulator.timing.timeline import Cause, Timeline
from simulator.timing.work import OpWork, Way
from simulator.trace import CARD, PS_PER_NS, Trace

WITHIN = (Cause.MEMORY, Cause.RING, Cause.PARTIAL)
"""Waits within a step; the others are between steps."""
MOVED = (Way.OWN, Way.SHARED, Way.REPLICATED)
Column = NDArray[np.integer]


def every_trace(program: Program, timeline: Timeline, trace: Trace, device: Device) -> None:
    """All that is true whatever runs."""
    units_work_one_tile_at_a_time(trace)
    ring = next(unit.name for unit in device.machine.units if unit.kind is UnitKind.RING)
    tiles_add_up_to_stages(timeline, trace, ring)
    transfers_add_up_to_operands(timeline, trace)
    units_are_no_faster_than_they_can_be(trace, device)
    no_step_is_faster_than_its_products(timeline, trace, device)
    waits_do_not_overlap(trace)
    the_path_has_no_gaps(trace, round(device.number("kernel_launch_ns") * PS_PER_NS))
    places_are_held_by_one(trace, device.lx_budget_bytes)
    numbers_are_sound(program, timeline, trace)


def disjoint(group: Column, start: Column, end: Column) -> bool:
    """Whether nothing of a group overlaps."""
    order = np.lexsort((end, start, group))
    group, start, end = group[order], start[order], end[order]
    return bool(((group[1:] != group[:-1]) | (start[1:] >= end[:-1])).all())


def units_work_one_tile_at_a_time(trace: Trace) -> None:
    spans = trace.spans.expanded()
    assert disjoint(spans.core.astype(np.int64) * len(trace.units) + spans.unit, spans.start_ps, spans.end_ps)
    assert disjoint(
        trace.spans.core.astype(np.int64) * len(trace.units) + trace.spans.unit,
        trace.spans.start_ps,
        trace.spans.end_ps,
    )
    core = np.where(spans.core == CARD, 0, spans.core)
    assert (spans.start_ps >= trace.runs.start_ps[spans.step, core]).all()
    assert (spans.end_ps <= trace.runs.end_ps[spans.step, core]).all()
    assert (spans.end_ps > spans.start_ps).all()
    assert ((spans.core == CARD) == (spans.unit == len(trace.units) - 1)).all()
    assert spans.tiles == trace.spans.tiles
    assert spans.bytes.sum() == trace.spans.bytes.sum()


def tiles_add_up_to_stages(timeline: Timeline, trace: Trace, ring: str) -> None:
    names = list(trace.units)
    found = np.zeros((len(trace.steps), len(names), trace.cores), dtype=np.int64)
    tiles = np.zeros_like(found)
    mine = trace.spans.core >= 0
    places = trace.spans.step[mine], trace.spans.unit[mine], trace.spans.core[mine]
    np.add.at(found, places, trace.spans.bytes[mine])
    np.add.at(tiles, places, trace.spans.count[mine])
    for step, work in enumerate(timeline.work):
        for name in {stage.unit for stage in work.stages}:
            stages = [stage for stage in work.stages if stage.unit == name]
            size = sum(stage.bytes for stage in stages)
            unit = names.index(name)
            assert found[step, unit, work.cores].tolist() == np.asarray(size).tolist(), (work.name, name)
            assert (tiles[step, unit, work.cores] <= work.tiles * len(stages)).all()
            found[step, unit, work.cores] = 0
        if work.hops:
            assert found[step, names.index(ring)].tolist() == passed(work, trace.cores).tolist()
            found[step, names.index(ring)] = 0
    assert not found.any()


def passed(work: OpWork, cores: int) -> Column:
    """Bytes of partial results that reach each core."""
    total = np.zeros(cores, dtype=np.int64)
    for hop in work.hops:
        total[hop.target] += hop.bytes
    return total


def transfers_add_up_to_operands(timeline: Timeline, trace: Trace) -> None:
    outer = _bytes_by_direction(timeline, trace)
    for step, work in enumerate(timeline.work):
        for write in (False, True):
            whole = sum(int(one.bytes.sum()) for one in work.operands if one.write is write and one.way in MOVED)
            assert outer[step, int(write)] == whole, (work.name, write)


def units_are_no_faster_than_they_can_be(trace: Trace, device: Device) -> None:
    """Whole bytes and whole picoseconds: a tile may have a byte and its time a picosecond too much or too little."""
    for spans in (trace.spans, trace.spans.expanded()):
        for unit in device.machine.units:
            mine = spans.unit == trace.units.index(unit.name)
            if unit.kind is UnitKind.MATRIX:
                continue  # its rate counts multiply-accumulates
            most = device.number(unit.rate) * (spans.end_ps - spans.start_ps + 1)[mine] / PS_PER_NS
            assert (spans.bytes[mine] <= most + spans.count[mine]).all(), unit.name


def no_step_is_faster_than_its_products(timeline: Timeline, trace: Trace, device: Device) -> None:
    for step, work in enumerate(timeline.work):
        if work.macs is None:
            continue
        rate = next(device.number(unit.rate) for unit in device.machine.units if unit.name == work.unit)
        took = (trace.runs.end_ps - trace.runs.start_ps)[step, work.cores]
        assert (work.macs <= rate * (took + 1) / PS_PER_NS).all(), work.name


def _bytes_by_direction(timeline: Timeline, trace: Trace) -> NDArray[np.int64]:
    """Bytes in and out of cores, by step, from the spans of the units that touch the card's memory."""
    found = np.zeros((len(trace.steps), 2), dtype=np.int64)
    directions = {
        (step, trace.units.index(stage.unit)): int(not stage.read)
        for step, work in enumerate(timeline.work)
        for stage in work.stages
        if stage.level == 0
    }
    spans = trace.spans
    for step, unit, size in zip(spans.step.tolist(), spans.unit.tolist(), spans.bytes.tolist(), strict=True):
        if (step, unit) in directions:
            found[step, directions[step, unit]] += size
    return found


def waits_do_not_overlap(trace: Trace) -> None:
    stalls, runs = trace.stalls, trace.runs
    assert disjoint(stalls.core, stalls.start_ps, stalls.end_ps)
    within = np.isin(stalls.cause, WITHIN)
    here = stalls.step[within], stalls.core[within]
    assert (stalls.start_ps[within] >= runs.start_ps[here]).all()
    assert (stalls.end_ps[within] <= runs.end_ps[here]).all()
    for core in range(trace.cores):
        between = ~within & (stalls.core == core)
        took = (runs.end_ps[:, core] > runs.start_ps[:, core]).nonzero()[0]
        start = np.concatenate((stalls.start_ps[between], runs.start_ps[took, core]))
        end = np.concatenate((stalls.end_ps[between], runs.end_ps[took, core]))
        assert disjoint(np.zeros(len(start), dtype=np.int64), start, end)
    assert np.array_equal(np.lexsort((stalls.start_ps, stalls.core)), np.arange(len(stalls.core)))


def the_path_has_no_gaps(trace: Trace, launch: int) -> None:
    """But for the launch of kernels."""
    links, begins = trace.critical, {kernel.start_ps for kernel in trace.kernels}
    ends = [0, *(link.end_ps for link in links)]
    for end, link in zip(ends, links, strict=False):
        gap = link.start_ps - end
        assert gap == 0 or (launch > 0 and gap % launch == 0 and link.start_ps in begins)
        core = max(link.core, 0)
        assert trace.runs.start_ps[link.step, core] <= link.start_ps < link.end_ps
        assert link.end_ps <= trace.runs.end_ps[link.step, core]
    assert ends[-1] == trace.total_ps


def places_are_held_by_one(trace: Trace, budget: int) -> None:
    holds = trace.holds
    assert (holds.start_ps < holds.end_ps).all()
    assert (holds.end_ps <= trace.total_ps).all()
    assert (holds.address + holds.bytes <= budget).all()
    for core in range(trace.cores):
        rows = holds.core == core
        low, high, start, end = (
            column[rows] for column in (holds.address, holds.address + holds.bytes, holds.start_ps, holds.end_ps)
        )
        apart = (high[:, None] <= low) | (low[:, None] >= high) | (end[:, None] <= start) | (start[:, None] >= end)
        assert (apart | np.eye(len(low), dtype=bool)).all()
        use = trace.lx[core]
        held = [int((high - low)[(start <= at) & (at < end)].sum()) for at in start]
        assert use.peak_bytes == max(held, default=0)
        assert 0 <= use.mean_bytes <= use.peak_bytes <= budget
        assert 0 <= use.fragmentation < 1


def numbers_are_sound(program: Program, timeline: Timeline, trace: Trace) -> None:
    for use in trace.use:
        assert len(use.share) == trace.cores
        assert all(0 <= share <= 1 for share in use.share)
    assert trace.total_ps == round(timeline.total_ns * 1000) == trace.runs.end_ps.max() == trace.kernels[-1].end_ps
    assert all(one.end_ps <= other.start_ps for one, other in pairwise(trace.kernels))
    assert trace.steps == tuple(op.name for kernel in program.kernels for op in kernel.ops)
    assert [(one.name, one.last - one.first) for one in trace.kernels] == [
        (kernel.name, len(kernel.ops)) for kernel in program.kernels
    ]
    assert sum(one.moved for one in trace.traffic if one.way != Way.RING) == sum(
        int(one.charged.sum()) for work in timeline.work for one in work.operands
    )
    assert all(taken(work, trace, step) for step, work in enumerate(timeline.work))


def taken(work: OpWork, trace: Trace, step: int) -> bool:
    """Whether the cores of a step are those it ran on."""
    ran_on = set(np.flatnonzero(trace.runs.start_ps[step] >= 0).tolist())
    return ran_on == set(range(trace.cores)) if work.on_host else ran_on >= set(work.cores.tolist())
