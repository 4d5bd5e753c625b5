"""Addresses for answers to joint problems, as the enumeration says, and who stands in whose way."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random

import pytest

from compiler.solvers.joint.faults import Stay, faults, leaving, loads, stays
from compiler.solvers.joint.pack import Clash, Key, Packing, pack, place
from compiler.solvers.joint.problem import HOME, Answer, JointProblem
from compiler.solvers.joint.shelf import Box, Shelf
from tests.compiler.joint.brute_joint import rectangles
from tests.compiler.joint.brute_room import Rectangle, crowded, lie, overlaps
from tests.compiler.joint.full_shelves import UNIT, Span, scrambled, shelf_problem, tiled
from tests.compiler.joint.random_answers import random_answer
from tests.compiler.joint.random_joint import random_joint, realistic_joint

NO_PARENTS: Mapping[Key, tuple[Key, ...]] = {}
GAPS = (512, 807, 1338)
"""Seeds of spans that fit at every step but have no addresses."""


def shelf_of(seed: int) -> list[Span]:
    """Fourteen spans that fill ten units over nine steps."""
    rng = Random(f"s{seed}")
    return scrambled(rng, tiled(rng, 9, 10, 14), 420)


def stays_of(spans: Sequence[Span]) -> tuple[Stay, ...]:
    return tuple(
        Stay(number, 0, 0, span.units * UNIT, 2 * span.first, 2 * span.last + 1) for number, span in enumerate(spans)
    )


def rectangles_of(found: Sequence[Stay]) -> list[Rectangle]:
    return [
        Rectangle(one.key, (one.view, one.foot_bytes), one.foot_bytes // UNIT, one.first, one.last) for one in found
    ]


def check(found: Packing | Clash, there: list[Rectangle], units: int) -> None:
    """A packing is one; a clash that is proved has no addresses."""
    if isinstance(found, Clash):
        keys = {one.key for one in found.stays}
        inside = [replace(one, parents=()) for one in there if one.key in keys]
        assert not found.proved or not lie([*inside], units)
        return
    at = {key: low // UNIT for key, low in found.addresses.items()}
    assert list(at) == [one.key for one in there]
    assert all(low % UNIT == 0 for low in found.addresses.values())
    assert all(0 <= at[one.key] <= units - one.height for one in there)
    assert overlaps(there, at) == []
    taken = {one.key: parent for one in there for parent in one.parents if at[parent] == at[one.key]}
    assert found.parents == taken


@pytest.mark.parametrize("seed", [*range(30), *GAPS])
def test_full_shelves_have_addresses_where_the_enumeration_finds_some(seed: int) -> None:
    found = stays_of(shelf_of(seed))
    packed = place(found, NO_PARENTS, 10 * UNIT)
    there = rectangles_of(found)
    assert isinstance(packed, Packing) is lie(there, 10)
    check(packed, there, 10)


@pytest.mark.parametrize("seed", GAPS)
def test_a_clash_names_no_more_than_stand_in_the_way(seed: int) -> None:
    """Any one of them gone, the others have addresses; at no tick are they too much."""
    clash = place(stays_of(shelf_of(seed)), NO_PARENTS, 10 * UNIT)
    assert isinstance(clash, Clash)
    assert clash.proved
    assert clash.asked_bytes <= clash.capacity == 10 * UNIT
    assert 0 <= clash.first <= clash.last <= 17
    there = rectangles_of(clash.stays)
    assert not lie(there, 10)
    assert all(lie([other for other in there if other is not one], 10) for one in there)


def test_answers_of_random_problems() -> None:
    """LX of just the most that is there at once, or a unit more or less."""
    packed = taken = 0
    for seed in range(120):
        rng = Random(f"packs {seed}")
        problem = random_joint(seed, 6)
        answer = random_answer(rng, problem)
        units = max(loads(problem, answer).values(), default=1) + rng.choice((0, 0, 0, 1, -1))
        problem = replace(problem, capacity=max(1, units) * UNIT)
        there = rectangles(problem, answer)
        assert there is not None
        found = pack(problem, answer)
        assert isinstance(found, Packing) is lie(there, max(1, units)), seed
        assert isinstance(found, Packing) is not crowded(there, max(1, units)), "none of these has a gap"
        if isinstance(found, Packing):
            check(found, sorted(there, key=lambda one: list(found.addresses).index(one.key)), max(1, units))
            taken += len(found.parents)
        packed += isinstance(found, Packing)
    assert 80 < packed < 115
    assert taken > 50


def made(rng: Random) -> tuple[JointProblem, Answer]:
    """Spans of which some are made by steps, and take over the places of others."""
    spans = scrambled(rng, tiled(rng, 7, 8, 12), 100)
    starts = set[int]()
    found = []
    for span in spans:
        free = span.first not in starts and rng.random() < 0.8
        starts |= {span.first} if free else set()
        found.append(replace(span, made=free))
    longer = [replace(span, last=min(6, span.last + (rng.random() < 0.4))) for span in found]
    return shelf_problem(longer, 8)


def test_places_that_are_taken_over() -> None:
    packed = taken = 0
    for seed in range(60):
        problem, answer = made(Random(f"made {seed}"))
        units = max(loads(problem, answer).values())
        problem = replace(problem, capacity=units * UNIT)
        assert faults(problem, answer) == []
        there = rectangles(problem, answer)
        assert there is not None
        found = pack(problem, answer)
        assert isinstance(found, Packing) is lie(there, units), seed
        if isinstance(found, Packing):
            check(found, sorted(there, key=lambda one: list(found.addresses).index(one.key)), units)
            taken += len(found.parents)
            packed += 1
    assert packed > 40
    assert taken > 30


def test_a_row_of_heirs_lies_at_one_address() -> None:
    """Two units each, and room for three."""
    problem, answer = shelf_problem([Span(2, 0, 1, True), Span(2, 1, 2, True), Span(2, 2, 3, True)], 3)
    found = pack(problem, answer)
    assert found == Packing(
        addresses={(number, HOME): 0 for number in range(3)},  # type: ignore[arg-type]
        parents={(1, HOME): (0, HOME), (2, HOME): (1, HOME)},  # type: ignore[arg-type]
    )


def test_without_the_in_place_pair_there_is_no_room() -> None:
    problem, answer = shelf_problem([Span(2, 0, 1, True), Span(2, 1, 2, True)], 3)
    apart = replace(problem, items=tuple(replace(item, parents=()) for item in problem.items))
    clash = pack(apart, answer)
    assert clash == Clash(stays(apart, answer), 3, 3, 4 * UNIT, 3 * UNIT, True)


def test_either_of_two_parents_may_give_its_place() -> None:
    """A step reads two for the last time, and there is room for two: its result lies where one of them lay."""
    found = (Stay(0, 0, 0, UNIT, 0, 3), Stay(1, 0, 0, UNIT, 0, 3), Stay(2, HOME, 0, UNIT, 3, 6))
    for first, second in ((0, 1), (1, 0)):
        packed = place(found, {(2, HOME): ((first, 0), (second, 0))}, 2 * UNIT)
        assert isinstance(packed, Packing)
        assert packed.parents == {(2, HOME): (first, 0)}


def test_what_is_too_much_at_a_tick_is_told_by_the_largest_of_it() -> None:
    spans = [Span(1, 0, 5), Span(6, 1, 3), Span(5, 2, 4), Span(2, 2, 2)]
    clash = place(stays_of(spans), NO_PARENTS, 10 * UNIT)
    assert isinstance(clash, Clash)
    assert [one.item for one in clash.stays] == [1, 2]
    assert (clash.first, clash.last, clash.asked_bytes, clash.proved) == (4, 7, 11 * UNIT, True)


def test_one_that_is_larger_than_lx_clashes_alone() -> None:
    clash = place(stays_of([Span(1, 0, 5), Span(11, 1, 3)]), NO_PARENTS, 10 * UNIT)
    assert isinstance(clash, Clash)
    assert ([one.item for one in clash.stays], clash.first, clash.last) == ([1], 2, 7)


def test_sizes_are_rounded_up_to_the_alignment() -> None:
    found = tuple(Stay(number, 0, 0, 129, 0, 1) for number in range(2))
    packed = place(found, NO_PARENTS, 600)
    assert isinstance(packed, Packing)
    assert dict(packed.addresses) == {(0, 0): 0, (1, 0): 256}
    assert isinstance(place(found, NO_PARENTS, 511), Clash)


def test_nothing_in_lx_needs_no_addresses() -> None:
    assert place((), NO_PARENTS, 0) == Packing(addresses={}, parents={})  # type: ignore[arg-type]


def test_a_part_of_a_program_is_refused() -> None:
    problem, answer = shelf_problem([Span(2, 0, 1, True)], 3)
    with pytest.raises(ValueError, match="only whole programs have addresses"):
        pack(replace(problem, reserved=(UNIT, 0)), answer)


def test_the_same_question_has_the_same_answer() -> None:
    rng = Random("again")
    found = stays_of(scrambled(rng, tiled(rng, 20, 40, 40), 400))
    assert place(found, NO_PARENTS, 40 * UNIT, seed=3) == place(found, NO_PARENTS, 40 * UNIT, seed=3)


def test_without_the_solver_nothing_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "ortools"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "ortools", None)
    for seed in (*range(10), GAPS[0]):
        found = stays_of(shelf_of(seed))
        packed = place(found, NO_PARENTS, 10 * UNIT)
        assert isinstance(packed, Packing) is (seed != GAPS[0])
        assert isinstance(packed, Packing) or not packed.proved


def test_a_program_of_many_layers() -> None:
    """All that steps hand to the next ones in LX: every layer alike, at a glance."""
    problem = realistic_joint(4, 6)
    inside = tuple(item.writer >= 0 and 0 < len(item.readers) < 3 for item in problem.items)
    served = tuple(
        (HOME if kept else -2,) * len(item.readers) for kept, item in zip(inside, problem.items, strict=True)
    )
    answer = Answer((0,) * len(problem.tasks), inside, (False,) * len(inside), served)
    found = {one.key: one for one in stays(problem, answer)}
    most = max(loads(problem, answer).values()) * problem.alignment
    parents = {key: tuple(dying.key for dying in leaving(problem, answer, found, one)) for key, one in found.items()}
    packed = place(tuple(found.values()), parents, 2 * most)
    assert isinstance(packed, Packing)
    assert len(packed.addresses) > 150
    assert len(packed.parents) > 60
    assert isinstance(place(tuple(found.values()), parents, most - problem.alignment), Clash)


def test_a_shelf_prefers_the_gap_that_is_left_smallest() -> None:
    boxes = (Box(2, 0, 9), Box(3, 0, 3), Box(2, 0, 9), Box(3, 5, 9))
    shelf = Shelf(boxes, 10)
    order = [(0,), (1,), (2,), (3,)]
    assert shelf.drop(order, {}) == {0: 0, 1: 2, 2: 5, 3: 2}
    assert shelf.drop([(3,), (0,)], {2: 3}, best=True)[3] == 0
    assert shelf.drop([(3,)], {2: 4}, best=False)[3] == 0
    assert shelf.drop([(1,), (3,)], {0: 0, 2: 4}) == {0: 0, 2: 4, 1: 6, 3: 6}


def test_rows_on_a_shelf_part_where_they_have_to() -> None:
    """The row of 0 and 1 does not fit at one height, as 2 lies there later."""
    boxes = (Box(2, 0, 3), Box(2, 3, 6, (0,)), Box(2, 4, 9), Box(2, 0, 2))
    shelf = Shelf(boxes, 4)
    assert shelf.groups == ((0, 1), (2,), (3,))
    assert shelf.drop(shelf.groups, {2: 0, 3: 2}) == {2: 0, 3: 2, 0: 0, 1: 2}
