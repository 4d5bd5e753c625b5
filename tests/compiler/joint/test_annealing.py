"""Annealing over joint problems, and the state that it walks on: which says what price and rules say, step by step."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from random import Random

import pytest

from compiler.solvers.joint.annealing import annealing
from compiler.solvers.joint.beam import beam
from compiler.solvers.joint.faults import faults, loads
from compiler.solvers.joint.judge import aims, trivial
from compiler.solvers.joint.price import price_us
from compiler.solvers.joint.problem import DEVICE, HOME, Answer, JointProblem, Tie
from compiler.solvers.joint.state import State, Wish
from tests.compiler.joint.brute_joint import best_of_all
from tests.compiler.joint.hand_made import chain, evicted, forked, pinned, rivals, shared_ring
from tests.compiler.joint.random_joint import random_joint
from tests.compiler.joint.realistic_joint import realistic_joint


def any_wish(rng: Random, one: JointProblem, state: State) -> Wish:
    """A change or two, whether it makes sense or not."""
    wish = Wish()
    for _ in range(rng.choice((1, 1, 2))):
        task, item = rng.randrange(len(one.tasks)), rng.randrange(len(one.items))
        kind, row = rng.randrange(3), one.items[item]
        if kind == 0:
            wish.choices[task] = rng.randrange(len(one.tasks[task].menu.choices))
        elif kind == 1:
            wish.resident[item] = not state.places[item][0]
        else:
            ways = (DEVICE, HOME, *range(len(row.copies)))
            wish.ways[item] = tuple(rng.choice(ways) for _ in row.readers)
    return wish


@pytest.mark.parametrize("first", range(0, 100, 20))
def test_a_state_says_what_price_and_rules_say(first: int) -> None:
    made = 0
    for seed in range(first, first + 20):
        one, rng = random_joint(seed, 3 + seed % 8, 4, part=seed % 4 == 1), Random(f"walk {seed}")
        state = State.of(one, trivial(one))
        for _ in range(40):
            proposal = state.propose(any_wish(rng, one, state))
            if proposal is None:
                continue
            state.commit(proposal)
            answer, made = state.answer(), made + 1
            assert faults(one, answer) == [], seed
            exact = price_us(one, answer), price_us(one, answer, 0.46)
            assert state.aims == pytest.approx(exact, abs=1e-6), seed
            free = one.capacity // one.alignment
            taken = loads(one, answer)
            assert [free - room + load for room, load in zip(state.rooms, state.load, strict=True)] == [
                taken.get(tick, 0) for tick in range(len(state.load))
            ]
    assert made > 300


def test_what_has_to_change_with_a_decision() -> None:
    one = forked()
    state = State.of(one, trivial(one))
    home = state.propose(Wish({1: 1}, {1: True}))
    assert home is not None
    assert home.places == {1: (True, (HOME,))}
    state.commit(home)
    away = state.propose(Wish({1: 0}))
    assert away is not None
    assert away.places == {1: (True, (DEVICE,))}
    state.commit(away)
    assert state.answer().out == (False, True)
    back = state.propose(Wish({1: 1}))
    assert back is not None
    assert back.places == {1: (True, (HOME,))}


def test_what_is_not_allowed_is_not_proposed() -> None:
    tight = State.of(rivals(199), trivial(rivals(199)))
    assert tight.propose(Wish(resident={0: True, 1: True})) is None
    assert tight.propose(Wish(resident={0: True})) is not None
    kept = pinned(rivals(200), i0="lx")
    start = beam(kept)
    assert start is not None
    assert State.of(kept, start).propose(Wish(resident={0: False})) is None
    barred = pinned(rivals(200), i0="hbm")
    proposal = State.of(barred, trivial(barred)).propose(Wish(resident={0: True}))
    assert proposal is not None
    assert proposal.places == {}


@pytest.mark.parametrize(
    "one", [forked(), rivals(199), rivals(200), chain(4, True), chain(4, False), shared_ring(False)]
)
def test_finds_the_best_of_what_is_small(one: JointProblem) -> None:
    least = best_of_all(one)
    assert least is not None
    answer = annealing(one, trivial(one))
    assert faults(one, answer) == []
    assert price_us(one, answer) == pytest.approx(least.us)


def test_keeps_what_was_sent_out_and_is_loaded_again() -> None:
    start = beam(evicted())
    assert start is not None
    assert price_us(evicted(), annealing(evicted(), start)) == pytest.approx(price_us(evicted(), start))


@pytest.mark.parametrize("first", range(0, 60, 15))
def test_random_problems_get_no_faults_and_nothing_worse_than_the_start(first: int) -> None:
    for seed in range(first, first + 15):
        one = random_joint(seed, 4 + seed % 7, 4, pins=0.2 * (seed % 4 == 0), part=seed % 3 == 0)
        start = beam(one, 1)
        if start is None:
            continue
        answer = annealing(one, start, seed, 120)
        assert faults(one, answer) == [], seed
        assert aims(one, answer) <= aims(one, start), seed


def test_from_nothing_it_comes_near_the_best_of_all() -> None:
    """2 % above it on average after 200 steps from everything in device memory."""
    excesses = []
    for seed in range(30):
        one = random_joint(seed, 3 + seed % 2, 3)
        least = best_of_all(one)
        assert least is not None
        excesses.append(price_us(one, annealing(one, trivial(one), seed)) / least.us - 1)
    assert min(excesses) > -1e-9
    assert sum(excesses) / len(excesses) < 0.05


def test_pins_and_ties_are_kept() -> None:
    one = replace(forked(), ties=(Tie((0, 1), ((7, 8), (7, 8))),))
    answer = annealing(one, trivial(one))
    assert answer.choices == (1, 1, 0)
    kept = pinned(rivals(199), i0="lx")
    start = beam(kept)
    assert start is not None
    assert annealing(kept, start, 3).resident == (True, False)


def test_the_same_seed_gives_the_same_answer() -> None:
    one = realistic_joint(1, 1)
    assert annealing(one, trivial(one), 5, 300) == annealing(one, trivial(one), 5, 300)


def test_stops_when_told_and_when_time_is_up() -> None:
    one = realistic_joint(1, 1)
    assert annealing(one, trivial(one), until=-inf) == trivial(one)
    heard: list[int] = []

    def tell(done: int) -> bool:
        heard.append(done)
        return done >= 64

    answer = annealing(one, trivial(one), 0, 100_000, tell=tell)
    assert heard[:2] == [0, 64]
    assert faults(one, answer) == []


def test_nothing_to_do() -> None:
    empty = JointProblem((), (), 100, 1, rivals(100).rates)
    assert annealing(empty, trivial(empty)) == Answer((), (), (), ())
    one = chain(2, True)
    alone = replace(one, items=tuple(replace(item, pinned="hbm") for item in one.items))
    assert annealing(alone, trivial(alone)) == trivial(alone)
