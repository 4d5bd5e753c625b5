"""Room of the scratchpad: holes step by step against a count of single sticks, and where one more buffer would fit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spyre_studio.lx_room import Fit, fit_of, room_of, work_of
from spyre_studio.occupancy import Hole, Occupancy, occupancy_of
from tests.programs import attention
from tests.spyre_studio.crowds import crowd
from tests.spyre_studio.occupancies import BUDGET, STICK, made_occupancy
from tests.spyre_studio.plans import compiled


def holes_at(data: Occupancy, core: int, step: int) -> list[Hole]:
    """Free ranges, one stick at a time."""
    taken = np.zeros(data.budget // data.stick_bytes, np.bool_)
    for row in data.on_core(core).tolist():
        one = data.residents[row]
        if one.first <= step <= one.last:
            taken[one.address // STICK : (one.address + one.size) // STICK] = True
    edges = np.flatnonzero(np.diff(taken.astype(np.int8), prepend=1, append=1))
    starts, ends = edges[::2].tolist(), edges[1::2].tolist()
    return [Hole(start * STICK, (end - start) * STICK) for start, end in zip(starts, ends, strict=True)]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 60), st.integers(1, 9), st.integers(1, 5), st.integers(0, 99))
def test_every_step_is_counted(buffers: int, steps: int, lanes: int, seed: int) -> None:
    data = made_occupancy(buffers, steps, cores=2, lanes=lanes, seed=seed)
    for core in (0, 1):
        room = room_of(data, core)
        for step in range(steps):
            holes = holes_at(data, core, step)
            largest = max(holes, key=lambda hole: hole.size, default=Hole(BUDGET, 0))
            free = sum(hole.size for hole in holes)
            assert (room.largest[step], room.start[step]) == (largest.size, largest.start)
            assert (room.free[step], room.holes[step]) == (free, len(holes))
            assert room.fragmentation[step] == pytest.approx(1 - largest.size / free if free else 0)


def test_used_bytes_are_those_of_the_fill() -> None:
    data = occupancy_of(compiled(program=attention(2, 64, 64)))
    for core in (0, 31):
        assert room_of(data, core).used.tolist() == data.fill[core].tolist()


def test_without_a_buffer_all_is_one_hole() -> None:
    room = room_of(made_occupancy(0, 3), 0)
    assert room.largest.tolist() == [BUDGET] * 3
    assert room.holes.tolist() == [1, 1, 1]
    assert not room.fragmentation.any()
    assert work_of(made_occupancy(0, 3), 0) == 0


def test_two_holes_of_a_size_name_the_lower_one() -> None:
    data = crowd((0, BUDGET // 4, 0, 0), (BUDGET // 2, BUDGET // 4, 0, 0))
    room = room_of(data, 0)
    assert room.start[0] == BUDGET // 4
    assert room.fragmentation[0] == pytest.approx(0.5, abs=0.01)


# Where one more buffer fits


def fitted(data: Occupancy, need: int, first: int, last: int, *without: str) -> Fit:
    return fit_of(data, "new", need, (first, last), 1, without)


def test_a_hole_has_to_stay_free_all_the_time() -> None:
    data = crowd((0, 1000, 0, 1), (1000, 1000, 2, 3))
    fit = fitted(data, 500, 1, 2)
    assert fit.holes == (Hole(2000, BUDGET - 2000),)
    assert fit.fitting == fit.holes
    assert fit.lacking == 0
    assert fitted(data, 500, 2, 3).holes[0] == Hole(0, 1000)


def test_what_lacks_and_who_is_in_the_way() -> None:
    half = BUDGET // 2
    data = crowd((0, half, 0, 1), (half, half - 256, 1, 2), (BUDGET - 256, 128, 1, 1))
    fit = fitted(data, 1024, 0, 2)
    assert fit.step == 1
    assert fit.largest == 128
    assert fit.free == 128
    assert fit.lacking == 1024 - 128
    assert [one.name for one in fit.blockers] == ["b0", "b1", "b2"]
    assert fit.nearest(0) is None
    assert not fitted(data, 1024, 0, 2, "b0").lacking, "it fits where that one leaves"


def test_the_nearest_place_lies_around_the_pointer() -> None:
    data = crowd((1000, 1000, 0, 0))
    fit = fitted(data, 400, 0, 0)
    assert fit.nearest(500) == Hole(300, 400)
    assert fit.nearest(-1e6) == Hole(0, 400)
    assert fit.nearest(1900) == Hole(2000, 400)
    assert fit.nearest(1e9) == Hole(BUDGET - 400, 400)


def test_a_buffer_is_not_in_its_own_way() -> None:
    data = crowd((0, BUDGET, 0, 3))
    assert fit_of(data, "b0", 512, (0, 3), 1).lacking == 0


def test_only_cores_that_would_hold_it_count() -> None:
    data = made_occupancy(1, 1, cores=2, lanes=1)
    assert data.present[0].tolist() == [True, False]
    taken = data.residents[0].size
    assert fit_of(data, "new", BUDGET, (0, 0), 1).lacking == taken
    data.present[0] = [False, True]
    assert fit_of(data, "new", BUDGET, (0, 0), 1).lacking == 0
    assert fit_of(data, "new", BUDGET, (0, 0), 2).lacking == taken
