"""The fair share of the card's memory: paces by hand, and what holds for all of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.timing.memory_share import MemoryShare
from simulator.timing.work import Times

TURN = 0.861


def paces(*flows: tuple[bool, float, float]) -> tuple[MemoryShare, Times]:
    """The paces of (write, moving, most)."""
    share, out = MemoryShare(len(flows), TURN), np.zeros(len(flows))
    for place, (write, moving, most) in enumerate(flows):
        share.enter(place, write=write, moving=moving, most=most)
    share.paces(out)
    return share, out


def test_one_direction_shares_all_of_it() -> None:
    for write in (False, True):
        assert paces(*[(write, 1.0, 1.0)] * 4)[1].tolist() == [0.25] * 4


def test_a_read_and_a_write_pay_the_turnaround_once() -> None:
    _, out = paces((False, 1.0, 1.0), (True, 1.0, 1.0))
    assert out.tolist() == pytest.approx([1 / (2 + TURN)] * 2)


def test_the_turnaround_is_that_of_the_direction_which_moves_less() -> None:
    """Three reads, one write: 4 s + t s = 1."""
    _, out = paces(*[(False, 1.0, 1.0)] * 3, (True, 1.0, 1.0))
    assert out.tolist() == pytest.approx([1 / (4 + TURN)] * 4)


def test_requests_do_not_turn_the_bus() -> None:
    """A read of which a tenth is bytes: 2 s + t s / 10 = 1."""
    _, out = paces((False, 0.1, 1.0), (True, 1.0, 1.0))
    assert out.tolist() == pytest.approx([1 / (2 + TURN / 10)] * 2)


def test_what_a_slow_one_leaves_is_shared_by_the_others() -> None:
    _, out = paces((False, 1.0, 0.1), (False, 1.0, 1.0), (False, 1.0, 1.0))
    assert out.tolist() == pytest.approx([0.1, 0.45, 0.45])


def test_the_second_slow_one_is_found_once_the_first_has_left_something() -> None:
    """A third each; one takes 0.1, so that 0.45 each would be left, of which the next takes but 0.4."""
    _, out = paces((False, 1.0, 0.1), (False, 1.0, 0.4), (False, 1.0, 1.0))
    assert out.tolist() == pytest.approx([0.1, 0.4, 0.5])


def test_all_slow_leave_the_memory_idle() -> None:
    _, out = paces((False, 1.0, 0.1), (False, 1.0, 0.2))
    assert out.tolist() == pytest.approx([0.1, 0.2])


def test_who_leaves_makes_room() -> None:
    share, out = paces((False, 1.0, 0.1), (False, 1.0, 1.0), (False, 1.0, 1.0))
    share.leave(0)
    share.leave(2)
    assert share.changed
    share.paces(out)
    assert out[1] == 1.0
    assert not share.changed


FLOWS = st.lists(st.tuples(st.booleans(), st.floats(0, 1), st.floats(0.001, 2)), min_size=1, max_size=12)


@given(FLOWS)
@settings(max_examples=200, deadline=None)
def test_the_memory_is_full_or_all_go_as_fast_as_they_can(flows: list[tuple[bool, float, float]]) -> None:
    """The load, added up from bytes and services here, never exceeds 1; who is not at its most goes at the level."""
    _, out = paces(*flows)
    into, outward = (
        sum(pace * moving for pace, (write, moving, _) in zip(out, flows, strict=True) if write is way)
        for way in (False, True)
    )
    load = out.sum() + TURN * min(into, outward)
    assert load <= 1 + 1e-9
    most = np.minimum(1.0, [most for *_, most in flows])
    held = out >= most - 1e-12
    assert held.all() or load == pytest.approx(1)
    free = set(out[~held].tolist())
    assert len(free) <= 1
    assert all(pace <= max(free, default=1.0) + 1e-12 for pace in out)
