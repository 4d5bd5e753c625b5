"""How a step's work is cut into parts, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from simulator.timing.parts import Parts, parts_of
from simulator.timing.work import Hop
from tests.simulator.timing.clock_cases import Act, act, on_host, timed


def cut(step: Act, own: float = 0, cores: int = 2, buffers: int = 2) -> Parts:
    return parts_of([step.work], np.full((1, cores), own), cores, buffers)


def written(parts: Parts, core: int) -> list[float]:
    """The service of writes in the steady part, beside the last tile, and at the end."""
    return [float(column[0, core]) for column in (parts.steady_write, parts.last_write, parts.drain)]


def test_ten_tiles() -> None:
    parts = cut(act("a", [0], read=100, write=50, tiles=10), own=200)
    assert [float(each[0, 0]) for each in (parts.fill, parts.steady_read)] == [10, 90]
    assert [float(each[0, 0]) for each in (parts.steady_own, parts.last_own)] == [180, 20]
    assert written(parts, 0) == [40, 5, 5]
    assert written(parts, 1) == [0, 0, 0]


@pytest.mark.parametrize(("tiles", "buffers"), [(1, 2), (10, 1)])
def test_one_tile_or_one_buffer_overlaps_nothing(tiles: int, buffers: int) -> None:
    parts = cut(act("a", [0], read=100, write=50, tiles=tiles), own=200, buffers=buffers)
    assert [float(each[0, 0]) for each in (parts.fill, parts.steady_read)] == [100, 0]
    assert [float(each[0, 0]) for each in (parts.steady_own, parts.last_own)] == [0, 200]
    assert written(parts, 0) == [0, 0, 50]


def test_who_gets_a_partial_result_writes_all_of_its_own_after_that() -> None:
    parts = cut(act("a", [0, 1], write=50, tiles=10, hops=(Hop(0, 1, 7.0),)))
    assert written(parts, 0) == [40, 5, 5]
    assert written(parts, 1) == [0, 0, 50]


def test_the_write_of_a_sum_does_not_begin_before_it_is_whole() -> None:
    """100 to compute on both, 7 on the way, and then all 50: nothing of it was written in between."""
    found = timed([act("a", [0, 1], own=100, write=[0, 50], tiles=10, hops=(Hop(0, 1, 7.0),))], cores=2)
    assert found.end[0].tolist() == pytest.approx([107, 157])
    assert found.write_end[0, 1] == found.filled[0, 1] == 0
    assert found.alone_ns[0, 1] == pytest.approx(157)


def test_a_step_of_the_host_has_no_parts() -> None:
    parts = cut(on_host("h", 64), own=3)
    assert float(parts.fill.sum() + parts.drain.sum()) == 0
    assert float(parts.last_own[0, 0]) == 3
