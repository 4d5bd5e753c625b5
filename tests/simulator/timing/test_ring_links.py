"""Ways and loads on rings of 4 and 8 cores, by hand."""

import numpy as np
import pytest

from simulator.timing.ring_links import busiest_links, busiest_links_alone, link_loads, ways_of
from tests.simulator.timing.clock_cases import parts_sent


def loads(cores: int, *parts: tuple[int, int, int]) -> list[list[float]]:
    """What the links carry: rising, falling."""
    found = link_loads(ways_of(parts_sent(*parts), cores)).tolist()
    assert isinstance(found, list)
    return found


def test_a_part_takes_the_shorter_way() -> None:
    assert loads(8, (1, 4, 10)) == [[0, 10, 10, 10, 0, 0, 0, 0], [0] * 8]
    assert loads(8, (4, 1, 10)) == [[0] * 8, [0, 0, 10, 10, 10, 0, 0, 0]]


def test_the_last_core_is_next_to_the_first() -> None:
    assert loads(8, (7, 1, 10)) == [[10, 0, 0, 0, 0, 0, 0, 10], [0] * 8]
    assert loads(8, (1, 6, 10)) == [[0] * 8, [10, 10, 0, 0, 0, 0, 0, 10]]


def test_of_two_equal_ways_the_rising_one_is_taken() -> None:
    assert loads(4, (3, 1, 10)) == [[10, 0, 0, 10], [0] * 4]


def test_what_a_core_keeps_takes_no_link() -> None:
    assert loads(4, (2, 2, 10)) == [[0] * 4, [0] * 4]


def test_every_core_to_every_other_one() -> None:
    """On a ring of 4: one hop both ways, and two hops that all rise: 1 + 2 rising, 1 falling."""
    parts = [(source, target, 10) for source in range(4) for target in range(4) if source != target]
    assert loads(4, *parts) == [[30] * 4, [10] * 4]


def test_a_ring_of_three_and_of_one() -> None:
    assert loads(3, (0, 2, 10), (0, 1, 20)) == [[20, 0, 0], [10, 0, 0]]
    assert loads(1, (0, 0, 10)) == [[0], [0]]


def test_the_busiest_link_of_each_core() -> None:
    """0 -> 2 and 1 -> 2 meet between 1 and 2; 5 -> 4 goes the other way round, alone."""
    ways = ways_of(parts_sent((0, 2, 10), (1, 2, 10), (5, 4, 7)), 8)
    assert busiest_links(ways).tolist() == [20, 20, 20, 0, 7, 7, 0, 0]
    assert busiest_links_alone(ways).tolist() == [10, 10, 20, 0, 7, 7, 0, 0]


@pytest.mark.parametrize("cores", [4, 7, 8, 32])
def test_loads_are_bytes_times_hops(cores: int) -> None:
    generator = np.random.default_rng(cores)
    parts = [(int(a), int(b), int(c)) for a, b, c in generator.integers(0, (cores, cores, 1000), (50, 3))]
    total = sum(size * min((b - a) % cores, (a - b) % cores) for a, b, size in parts)
    assert link_loads(ways_of(parts_sent(*parts), cores)).sum() == total
