"""The joint problem: its values, its price and its rules, against an implementation written from the rules alone."""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from frozendict import frozendict

from compiler.device import load_device
from compiler.joint.kinds import rates_of
from compiler.plan import EditKind
from compiler.solvers.joint.faults import faults, loads, stays
from compiler.solvers.joint.price import price_us, times
from compiler.solvers.joint.problem import (
    DEVICE,
    HOME,
    NOWHERE,
    Answer,
    Bill,
    Choice,
    Copy,
    Item,
    JointProblem,
    Load,
    Menu,
    Rates,
    Task,
)
from tests.compiler.joint.brute_joint import PARTLY, allowed, best_of_all, rectangles, worth_us
from tests.compiler.joint.random_answers import everything_away, random_answer, spoilt
from tests.compiler.joint.random_joint import random_joint, realistic_joint

SPYRE = rates_of(load_device("spyre"))

PER_TEST = 40


def drawn(seed: int) -> JointProblem:
    return random_joint(seed, 6, pins=0.1 if seed % 3 == 0 else 0.0, part=seed % 4 == 1)


@pytest.mark.parametrize("first", range(0, 240, PER_TEST))
def test_price_and_rules_equal_those_of_the_enumeration(first: int) -> None:
    for seed in range(first, first + PER_TEST):
        problem, rng = drawn(seed), Random(f"answers {seed}")
        for _ in range(6):
            answer = random_answer(rng, problem)
            us, partly = worth_us(problem, answer)
            assert price_us(problem, answer) == pytest.approx(us, rel=1e-12), seed
            assert price_us(problem, answer, PARTLY) == pytest.approx(partly, rel=1e-12), seed
            for one in (answer, spoilt(rng, problem, answer)):
                assert (faults(problem, one) == []) is allowed(problem, one), (seed, one)


def test_the_answers_say_something() -> None:
    """Some are allowed, some are too large, and every rule is broken at times."""
    said = Counter[str]()
    for seed in range(200):
        problem, rng = drawn(seed), Random(f"answers {seed}")
        for _ in range(6):
            answer = random_answer(rng, problem)
            for one in (answer, spoilt(rng, problem, answer)):
                found = faults(problem, one)
                said.update({"allowed"} if not found else set())
                said.update({fault.split(maxsplit=1)[1].split(": ")[-1] for fault in found if " B are in" not in fault})
                said["full"] += any("B are in LX, which has" in fault for fault in found)
    assert said["allowed"] > 200
    assert said["full"] > 200
    for words in (
        "cannot be in LX as it is written",
        "is cloned out of LX, where it is not",
        "is an output in LX without a clone in device memory",
        "is pinned to device memory",
        "is pinned to LX",
        "it is not in device memory",
        "it is loaded from device memory only",
        "it is not at home",
        "the copy does not serve it",
        "the copy has nothing in device memory to load",
        "cannot be relaid to view 0 from where it is",
    ):
        assert said[words] >= 5, words


@pytest.mark.parametrize("seed", range(40))
def test_everything_in_device_memory_is_allowed(seed: int) -> None:
    problem = random_joint(seed)
    assert faults(problem, everything_away(problem)) == []


def test_the_best_of_all_uses_everything_there_is() -> None:
    used = Counter[str]()
    for seed in range(60):
        problem = random_joint(seed, 4)
        best = best_of_all(problem)
        assert best is not None
        assert faults(problem, best.answer) == [], seed
        assert best.us <= price_us(problem, everything_away(problem)) + 1e-9
        assert (best.us, best.partly_us) == worth_us(problem, best.answer)
        used["divided"] += any(best.answer.choices)
        used["evicted"] += any(
            out and not item.output for out, item in zip(best.answer.out, problem.items, strict=True)
        )
        used["taken over"] += any(one.parent is not None for one in stays(problem, best.answer))
        for number, item in enumerate(problem.items):
            used.update(item.copies[place].kind.value for place in best.answer.copies(number))
    assert used["divided"] > 30
    assert min(used["evicted"], used["taken over"], used["relayout"], used["clone-in"]) >= 3


def test_the_best_of_all_is_no_dearer_than_any_answer() -> None:
    for seed in range(30):
        problem, rng = random_joint(seed, 4, part=seed % 3 == 0), Random(f"any {seed}")
        best = best_of_all(problem)
        found = [one for one in (random_answer(rng, problem) for _ in range(30)) if not faults(problem, one)]
        assert best is not None or not found, seed
        assert best is None or all(price_us(problem, one) >= best.us - 1e-9 for one in found), seed


def pair(capacity: int = 1024) -> JointProblem:
    """x -> first -> a -> second -> y; both divide by view 0 or 1, `second` is far better by 1."""
    fast, slow = Bill(1.0, read_bytes=100, written_bytes=100), Bill(9.0, read_bytes=100, written_bytes=100)
    near, home = Bill(1.0, written_bytes=100), Bill(9.0, written_bytes=100)
    away = Bill(1.0, read_bytes=100)
    first = Menu((Choice((0,), (fast, away)), Choice((1,), (slow, Bill(9.0, read_bytes=100)))))
    second = Menu((Choice((0,), (slow, home)), Choice((1,), (fast, near)), Choice((NOWHERE,), (fast, near))))
    move = Copy(EditKind.RELAYOUT, 1, 256, 1, (1,), frozendict({0: Bill(serial_us=2.0)}))
    item = Item("a", 100, 0, (1,), frozendict({0: 512, 1: 512}), out=Bill(written_bytes=100), copies=(move,))
    tasks = (Task("first", (0,), 0, first), Task("second", (0,), -1, second))
    return JointProblem(tasks, (item,), capacity, 128, Rates(10.0, 1.0))


def choose(first: int, second: int, way: int, out: bool = False) -> Answer:
    return Answer((first, second), (way != DEVICE or out,), (out,), ((way,),))


@pytest.mark.parametrize(
    ("answer", "compute", "memory", "serial"),
    [
        (choose(0, 1, DEVICE), 2.0, (400 / 10 + 200) / 1000, 0.0),
        (choose(1, 1, HOME), 10.0, (200 / 10 + 100) / 1000, 0.0),
        (choose(0, 1, 0), 2.0, (200 / 10 + 100) / 1000, 2.0),
        (choose(0, 1, DEVICE, out=True), 2.0, (400 / 10 + 200) / 1000, 0.0),
    ],
)
def test_sums_of_a_kernel(answer: Answer, compute: float, memory: float, serial: float) -> None:
    problem = pair()
    assert faults(problem, answer) == []
    found = times(problem, answer)[0]
    assert (found.compute_us, found.memory_us, found.serial_us) == pytest.approx((compute, memory, serial))
    assert price_us(problem, answer) == pytest.approx(max(compute, memory) + serial)
    assert price_us(problem, answer, 0.0) == pytest.approx(compute + memory + serial)


def test_the_readers_of_an_input_share_one_load_in_the_order_in_which_they_run() -> None:
    """A clone-in that runs first pays for its delivery; what a later reader takes beyond that is its own."""
    dear, cheap = Load(0, 1000, 1.0, 20.0), Load(0, 1000, 10.0, 10.0)
    menu = Menu((Choice((0,), (Bill(loads=(dear,)), Bill())),))
    moved = Copy(EditKind.CLONE_IN, 0, 128, 0, (0, 1), frozendict({DEVICE: Bill(loads=(cheap,))}))
    item = Item("x", 1000, -1, (0, 1), copies=(moved,))
    problem = JointProblem((Task("t0", (0,), -1, menu), Task("t1", (0,), -1, menu)), (item,), 1024, 128, SPYRE)
    cases = {(DEVICE, DEVICE): (1.0, 19.0), (0, DEVICE): (10.0, 10.0), (0, 0): (10.0, 0.0)}
    for ways, (delivered, beyond) in cases.items():
        found = times(problem, Answer((0, 0), (False,), (False,), (ways,)))[0]
        assert found.memory_us == pytest.approx(delivered + problem.rates.memory_us(1000, 0))
        assert found.serial_us == beyond


def test_bytes_at_a_rate_of_their_own_are_paid_by_who_loads_them_first() -> None:
    apart, pooled = Load(0, 1000, bytes_per_ns=2.0), Load(0, 1000)
    menus = [Menu((Choice((), (Bill(loads=(load,)),)),)) for load in (apart, pooled)]
    item = Item("x", 1000, -1, (0, 1))
    for order, expected in (((0, 1), 0.5), ((1, 0), SPYRE.memory_us(1000, 0))):
        tasks = tuple(Task("t", (), -1, menus[place], inputs=(0,)) for place in order)
        answer = Answer((0, 0), (False,), (False,), ((DEVICE, DEVICE),))
        assert times(JointProblem(tasks, (item,), 1024, 128, SPYRE), answer)[0].memory_us == pytest.approx(expected)


def test_only_the_slowest_fused_reduction_of_a_kernel_counts() -> None:
    menus = [Menu((Choice((), (Bill(1.0, slowest),)),)) for slowest in (2.0, 5.0, 4.0)]
    tasks = tuple(Task("t", (), -1, menu, kernel) for menu, kernel in zip(menus, (0, 0, 1), strict=True))
    problem = JointProblem(tasks, (), 1024, 128, SPYRE)
    assert price_us(problem, Answer((0, 0, 0), (), (), ())) == (2 + 5) + (1 + 4)
    more = replace(problem, base=frozendict({1: Bill(0.5, 9.0)}))
    assert price_us(more, Answer((0, 0, 0), (), (), ())) == (2 + 5) + (1.5 + 9)


def test_source_and_relayout_are_both_in_lx_while_it_is_made() -> None:
    problem = pair()
    found = {one.key: one for one in stays(problem, choose(0, 1, 0))}
    assert {key: (one.first, one.last, one.foot_bytes) for key, one in found.items()} == {
        (0, HOME): (1, 2, 512),
        (0, 0): (2, 3, 256),
    }
    assert loads(problem, choose(0, 1, 0)) == {1: 4, 2: 6, 3: 2}
    assert faults(pair(768), choose(0, 1, 0)) == []
    assert faults(pair(640), choose(0, 1, 0)) == ["at second 768 B are in LX, which has 640"]


def test_what_others_take_of_a_part_counts() -> None:
    problem = replace(pair(768), reserved=(0, 1))
    assert faults(problem, choose(0, 1, 0)) == ["at second 896 B are in LX, which has 768"]
    assert faults(problem, choose(0, 1, DEVICE)) == []
    assert faults(replace(problem, reserved=(769, 0)), choose(0, 1, DEVICE)) != []


def test_a_partial_result_is_nowhere() -> None:
    assert faults(pair(), choose(0, 2, HOME)) == ["a in second: it is not at home"]


def test_every_set_of_operands_needs_a_bill() -> None:
    with pytest.raises(ValueError, match="2 operands need 4 bills, not 3"):
        Choice((0, 1), (Bill(), Bill(), Bill()))


def test_choices_by_view() -> None:
    menu = pair().tasks[1].menu
    assert menu.by_view == (frozendict({0: (0,), 1: (1,), NOWHERE: (2,)}),)


def test_heights_are_rounded_up_and_kernels_keep_their_order() -> None:
    problem = pair()
    assert [problem.height(size) for size in (0, 1, 128, 129)] == [0, 1, 1, 2]
    tasks = tuple(replace(task, kernel=kernel) for task, kernel in zip(problem.tasks, (5, 2), strict=True))
    assert replace(problem, tasks=tasks).kernels == (5, 2)


@pytest.mark.parametrize("seed", range(2))
def test_realistic_problems_share_menus_between_layers(seed: int) -> None:
    one, three = realistic_joint(seed, 1), realistic_joint(seed, 3)
    assert len(three.tasks) == 3 * len(one.tasks)
    assert len({id(task.menu) for task in three.tasks}) < len(one.tasks) + 10
    assert max(len(item.readers) for item in three.items) >= 6
    assert faults(three, everything_away(three)) == []
    rng = Random(seed)
    answer = random_answer(rng, one)
    assert (faults(one, answer) == []) is allowed(one, answer)
    assert rectangles(one, answer)
    assert price_us(one, answer) == pytest.approx(worth_us(one, answer)[0], rel=1e-12)
