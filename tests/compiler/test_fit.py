"""Placement of requests with known sizes and lifetimes: best fit, first fit and the greedy sweep."""

from collections.abc import Callable, Sequence
from random import Random

import pytest

from compiler.solvers.fit import fit, order
from compiler.solvers.greedy import greedy
from compiler.solvers.request import Request

Solver = Callable[[Sequence[Request], int, int], dict[str, int]]


def best(requests: Sequence[Request], capacity: int, alignment: int) -> dict[str, int]:
    return dict(fit(requests, capacity, alignment))


def first(requests: Sequence[Request], capacity: int, alignment: int) -> dict[str, int]:
    return dict(fit(requests, capacity, alignment, best=False))


def sweep(requests: Sequence[Request], capacity: int, alignment: int) -> dict[str, int]:
    return dict(greedy(requests, capacity, alignment))


ALL = pytest.mark.parametrize("solver", [best, first, sweep])
FITS = pytest.mark.parametrize("solver", [best, first])


def requests(*rows: tuple[int, tuple[int, ...]]) -> list[Request]:
    return [Request(f"r{number}", size, uses) for number, (size, uses) in enumerate(rows)]


def addresses(solver: Solver, asked: list[Request], capacity: int, alignment: int = 1) -> list[int | None]:
    placed = solver(asked, capacity, alignment)
    return [placed.get(request.name) for request in asked]


@ALL
def test_side_by_side(solver: Solver) -> None:
    assert addresses(solver, requests((3, (0, 1)), (3, (0, 1)), (4, (0, 1))), 10) == [0, 3, 6]


@ALL
def test_starts_are_aligned(solver: Solver) -> None:
    asked = requests((3, (0, 1)), (3, (0, 1)), (4, (0, 1)))
    assert addresses(solver, asked, 512, 128) == [0, 128, 256]
    assert sorted(map(str, addresses(solver, asked, 10, 128))) == ["0", "None", "None"]
    assert addresses(solver, requests((13, (0, 4)), (12, (0, 4))), 30, 10) == [0, None]


@ALL
def test_what_does_not_fit_stays_out_and_what_follows_may_still_fit(solver: Solver) -> None:
    assert addresses(solver, requests((7, (0, 1)), (4, (0, 1)), (3, (0, 1))), 10) == [0, None, 7]


@ALL
def test_space_of_the_dead_is_used_again(solver: Solver) -> None:
    assert addresses(solver, requests((10, (0, 1)), (3, (2,))), 10) == [0, 0]
    assert addresses(solver, requests((10, (0, 1)), (10, (0, 1)), (10, (0, 1)), (10, (2,))), 10) == [0, None, None, 0]


@ALL
def test_lifetimes_that_overlap_at_one_step_are_kept_apart(solver: Solver) -> None:
    asked = requests((3, (0, 3)), (3, (1, 2)), (3, (2, 3)), (3, (3,)))
    assert addresses(solver, asked, 10) in ([0, 3, 6, 3], [6, 0, 3, 0])


@ALL
def test_child_takes_the_address_of_its_parent_only_where_declared(solver: Solver) -> None:
    parent = Request("parent", 512, (0, 3))
    assert addresses(solver, [parent, Request("child", 512, (3,), ("parent",))], 513, 128) == [0, 0]
    assert addresses(solver, [parent, Request("child", 512, (3,))], 512, 128).count(None) == 1


@FITS
def test_capacity_decides_who_is_left_out(solver: Solver) -> None:
    asked = requests((10, (0, 3)), (20, (0, 3)), (30, (0, 3)))
    assert addresses(solver, asked, 60) == [0, 10, 30]
    assert addresses(solver, asked, 50) == [0, 10, None]


@ALL
def test_smaller_child_in_place_and_child_of_a_spilled_parent(solver: Solver) -> None:
    child = Request("child", 15, (4, 8), ("parent",))
    assert addresses(solver, [Request("parent", 20, (0, 4)), child], 512) == [0, 0]
    assert addresses(solver, [Request("parent", 200, (0, 4)), child], 100) == [None, 0]


@pytest.mark.parametrize(("solver", "address"), [(first, 0), (best, 100)])
def test_lowest_gap_or_tightest_gap(solver: Solver, address: int) -> None:
    asked = requests((40, (2, 3)), (30, (1, 4)), (30, (3, 7)), (10, (4, 8)))
    assert addresses(solver, asked, 120) == [0, 40, 70, address]


@FITS
def test_many_uses_come_first(solver: Solver) -> None:
    assert addresses(solver, requests((10, (0, 4)), (10, (0, 1, 2, 3, 4))), 10) == [None, 0]


@FITS
def test_chains_come_before_loners(solver: Solver) -> None:
    chain = [Request("parent", 10, (0, 4)), Request("child", 10, (4, 8), ("parent",))]
    assert addresses(solver, [Request("plain", 10, (0, 4)), *chain], 10) == [None, 0, 0]


@FITS
def test_a_writer_comes_before_a_reader(solver: Solver) -> None:
    asked = [Request("reader", 10, (0, 4)), Request("writer", 10, (0, 4), computed=True)]
    assert addresses(solver, asked, 10) == [None, 0]


@ALL
def test_a_parent_that_was_only_written_is_refused(solver: Solver) -> None:
    child = Request("child", 8, (2, 3), ("parent",))
    with pytest.raises(ValueError, match="only written"):
        solver([Request("parent", 8, (2,), computed=True), child], 100, 1)
    assert addresses(solver, [Request("parent", 8, (2,)), child], 100) == [0, 0]


@pytest.mark.parametrize("uses", [(), (3, 3), (5, 4)])
def test_uses_must_increase(uses: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="increase"):
        Request("r", 1, uses)


def test_an_empty_request_is_refused() -> None:
    with pytest.raises(ValueError, match="0 bytes"):
        Request("r", 0, (1,))


def test_names_are_unique() -> None:
    with pytest.raises(ValueError, match="same name"):
        fit([Request("r", 1, (0,)), Request("r", 1, (0,))], 8, 1)


@ALL
def test_bytes_above_a_smaller_child_stay_reserved_for_the_shared_step(solver: Solver) -> None:
    asked = [
        Request("parent", 20, (0, 1, 2, 3, 4)),
        Request("child", 10, (4, 8), ("parent",)),
        Request("third", 10, (4, 6)),
    ]
    placed = solver(asked, 25, 1)
    assert placed["child"] == placed["parent"]
    assert "third" not in placed or placed["third"] >= placed["parent"] + 20


@FITS
def test_fixed_addresses_stay_and_others_avoid_them(solver: Solver) -> None:
    asked = requests((4, (0, 3)), (4, (1, 2)))
    placed = fit(asked, 10, 1, best=solver is best, fixed={"r0": 0})
    assert dict(placed) == {"r0": 0, "r1": 4}
    assert dict(greedy(asked, 10, 1, fixed={"r0": 5})) == {"r0": 5, "r1": 0}


def test_order_is_parents_first() -> None:
    asked = [Request("child", 1, (3, 4, 5), ("parent",)), Request("parent", 1, (0, 3))]
    assert [request.name for request in order(asked)] == ["parent", "child"]


def random_requests(rng: Random) -> list[Request]:
    asked: list[Request] = []
    for number in range(rng.randint(1, 14)):
        uses = tuple(sorted(rng.sample(range(12), rng.randint(2, 4))))
        ending = [one.name for one in asked if one.end == uses[0] + 1]
        parents = (ending[0],) if ending and rng.random() < 0.7 else ()
        asked.append(Request(f"r{number}", rng.randint(1, 40), uses, parents, computed=True))
    return asked


@ALL
@pytest.mark.parametrize("seed", range(40))
def test_random_placements_never_overlap(solver: Solver, seed: int) -> None:
    rng = Random(seed)
    asked, capacity, alignment = random_requests(rng), rng.randint(20, 120), rng.choice((1, 4, 8))
    placed = solver(asked, capacity, alignment)
    for index, one in enumerate(asked):
        if one.name not in placed:
            continue
        low, high = placed[one.name], placed[one.name] + one.size
        assert low % alignment == 0
        assert high <= capacity
        for other in asked[index + 1 :]:
            if other.name not in placed or one.start >= other.end or other.start >= one.end:
                continue
            other_low, other_high = placed[other.name], placed[other.name] + other.size
            shared = low == other_low and (one.name in other.parents or other.name in one.parents)
            assert shared or high <= other_low or other_high <= low, f"{one} and {other} overlap"
