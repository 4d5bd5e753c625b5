"""Sums over spans and work."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from simulator.timing.spans import spans_of
from simulator.timing.usage import traffic_of, unit_use
from simulator.timing.work import Hop, Operand, Way
from simulator.trace import Traffic
from tests.simulator.timing.clock_cases import act, on_host
from tests.simulator.timing.trace_cases import UNITS, Ran, stage, staged, timeline


def test_a_unit_is_used_for_as_long_as_it_works() -> None:
    """In 100 ns: 40 of loading on both cores; 8 of computing on core 0, 20 on core 1."""
    work = staged(act("a", [0, 1], tiles=4), stage("in", [400, 400], 40), stage("unit", [400, 400], [8, 20], level=1))
    each = Ran(start=0, filled=10, read_end=40, steady=50, computed=60, end=100)
    found = timeline([work], 3, {(0, 0): each, (0, 1): each})
    use = {one.unit: one for one in unit_use(spans_of(found, UNITS, "ring"), UNITS[:-1], 3, 100_000)}
    assert use["in"].share == pytest.approx((0.4, 0.4, 0))
    assert use["unit"].share == pytest.approx((0.08, 0.2, 0), abs=1e-4)
    assert use["unit"].least == pytest.approx(0)
    assert use["unit"].most == pytest.approx(0.2, abs=1e-4)
    assert [use[unit].busiest_core for unit in ("unit", "in")] == [1, 0], "of equals the lowest"
    assert use["out"].share == pytest.approx((0, 0, 0))
    assert set(use) == set(UNITS[:-1])


def test_lanes_of_the_card_are_no_unit_of_a_core() -> None:
    found = timeline([on_host("h", 64).work], 2, {(0, core): Ran(start=0, end=9) for core in range(2)})
    assert [one.most for one in unit_use(spans_of(found, UNITS, "ring"), UNITS, 2, 9_000)] == [0] * len(UNITS)


def test_a_run_without_time_uses_nothing() -> None:
    (use,) = unit_use(spans_of(timeline([], 2, {}), UNITS, "ring"), ("in",), 2, 0)
    assert use.share == (0, 0)


def test_traffic_adds_up_cores_and_keeps_accesses_apart() -> None:
    """A load that both cores share is moved once and reaches two."""
    shared = Operand("w", False, Way.SHARED, np.array([256, 256]), np.array([128, 128]), 128)
    own = Operand("y", True, Way.OWN, np.array([128, 384]), np.array([128, 384]), 128)
    step = act("a", [0, 1]).work
    moved = on_host("h", 512).work
    assert traffic_of((replace(step, operands=(shared, own)), moved), {"w": 4, "y": 7, "t": 9}) == (
        Traffic(0, 4, False, "shared", 256, 512),
        Traffic(0, 7, True, "own", 512, 512),
        Traffic(1, 9, False, "host", 512, 512),
    )


def test_what_goes_over_the_ring_is_moved_there() -> None:
    """Parts of a tensor are the reader's; partial results belong to what is written, in device memory or not."""
    sent = Operand("a", False, Way.RING, np.array([0, 384]), np.array([0, 0]), 0)
    kept = Operand("b", True, Way.LX, np.array([512, 512]), np.array([0, 0]), 0)
    carried = replace(act("a@ring", [0, 1]).work, operands=(sent, kept))
    summed = replace(act("sum", [0, 1, 2], hops=(Hop(0, 1, 1, 128), Hop(1, 2, 1, 256))).work, operands=(kept,))
    assert traffic_of((carried, summed), {"a": 0, "b": 1}) == (
        Traffic(0, 0, False, "ring", 384, 384),
        Traffic(0, 1, True, "lx", 0, 1024),
        Traffic(1, 1, True, "lx", 0, 1024),
        Traffic(1, 1, True, "ring", 384, 384),
    )
