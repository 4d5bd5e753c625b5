"""How progress is told, and how work is ended."""

from __future__ import annotations

import doctest

import pytest

from compiler.errors import StoppedError
from simulator.timing import watch
from simulator.timing.watch import REPORTS, Watch, between


def test_of_many_steps_a_hundred_are_told() -> None:
    told: list[tuple[float, str]] = []
    seen = Watch(1000, lambda share, name: told.append((share, name)), None)
    for step in range(1000):
        seen.ended(str(step))
    assert len(told) == REPORTS
    assert (told[0], told[-1]) == ((0.01, "9"), (1.0, "999"))


def test_each_of_few_steps_is_told_once() -> None:
    told: list[float] = []
    seen = Watch(3, lambda share, _: told.append(share), None)
    for step in "abc":
        seen.ended(step)
    assert told == pytest.approx([1 / 3, 2 / 3, 1])


def test_who_is_stopped_tells_nothing_more() -> None:
    told: list[float] = []
    seen = Watch(2, lambda share, _: told.append(share), lambda: bool(told))
    seen.ended("a")
    with pytest.raises(StoppedError):
        seen.ended("b")
    assert told == [0.5]


def test_a_part_without_anybody_to_tell_has_nobody_either() -> None:
    assert between(None, 0.0, 0.5) is None
    assert doctest.testmod(watch).failed == 0
