"""What blocks prove together is no more than the best answer of the whole takes, whatever reaches over a seam."""

from __future__ import annotations

import pytest
from frozendict import frozendict

from compiler.plan import EditKind
from compiler.solvers.joint.blocks import Blocks, form
from compiler.solvers.joint.problem import Bill, Choice, Copy, Item, JointProblem, Load, Menu, Rates, Task
from compiler.solvers.joint.tables import Weights
from tests.compiler.joint.bound_cases import CLOSE, LARGE, SMALL, Case, case
from tests.compiler.joint.brute_joint import best_of_all

MEMORY, COMPUTE = Weights(0.0, 1.0), Weights(1.0, 0.0)
AWAY_US = 10.0
ONE_TO_ONE = Rates(0.001, 0.0)  # a microsecond per byte


@pytest.mark.parametrize("first", range(0, 200, 25))
def test_no_bound_is_more_than_what_the_best_answer_counts(first: int) -> None:
    tight = 0
    for seed in range(first, first + 25):
        one = case(seed, LARGE)
        bound, least = one.bound_us(), one.least_us()
        if bound is None or least is None:
            continue
        assert bound <= least + CLOSE, seed
        tight += bound > 0.9 * least
    assert tight > 4


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_no_bound_is_more_than_the_least_time_of_all(first: int) -> None:
    seen = 0
    for seed in range(first, first + 20):
        one = case(seed, SMALL)
        bound = one.sure_us() if not one.problem.ties else None
        best = best_of_all(one.problem) if bound is not None else None
        if bound is None or best is None:
            continue
        assert bound <= best.us + CLOSE, seed
        seen += 1
    assert seen > 12


def reads(items: tuple[int, ...], writes: int = -1, away_us: float = AWAY_US, kernel: int = 0) -> Task:
    """A task under view 0, or 1 of what it reads, to which each operand in device memory is as dear."""
    count = len(items)
    bills = tuple(Bill(memory_us=away_us * (count - bits.bit_count())) for bits in range(1 << count))
    return Task("", items, writes, Menu((Choice((1 if writes < 0 else 0,) * count, bills),)), kernel)


def test_what_a_relayout_long_ago_was_made_from_takes_no_room() -> None:
    """x is relaid before b, which writes y where x was; both c and d then find what they read in LX."""
    ring = Copy(EditKind.RELAYOUT, 1, 128, 1, (3,), frozendict({0: Bill(serial_us=1.0)}))
    feet = frozendict({0: 128})
    x = Item("x", 128, 0, (3,), feet, copies=(ring,))
    y = Item("y", 128, 1, (2,), frozendict({0: 128}))
    tasks = (reads((0,), 0), reads((1,), 0), _under(reads((1,)), 0), reads((0,)))
    problem = JointProblem(tasks, (x, y), 256, 128, ONE_TO_ONE)
    best = best_of_all(problem, packed=True)
    assert best is not None
    assert best.us == pytest.approx(1.0)
    for place in (1, 2, 3):
        bound = Case(problem, (0, place, 4), MEMORY).bound_us()
        assert bound is not None
        assert bound <= best.us + CLOSE, place
    assert Case(problem, (0, 4), MEMORY).bound_us() == pytest.approx(best.us, abs=1e-4)


def _under(task: Task, view: int) -> Task:
    choice = task.menu.choices[0]
    return Task(task.name, task.operands, task.writes, Menu((Choice((view,) * len(choice.views), choice.bills),)))


def loading(*rows: tuple[int, Load], kernels: tuple[int, ...] = ()) -> JointProblem:
    """Tasks that each load an input of 100 bytes, given by its number."""
    menus = {load: Menu((Choice((), (Bill(loads=(load,)),)),)) for _, load in rows}
    tasks = tuple(
        Task("", (), -1, menus[load], kernel, (item,))
        for (item, load), kernel in zip(rows, kernels or (0,) * len(rows), strict=True)
    )
    items = tuple(
        Item(str(item), 100, -1, tuple(number for number, row in enumerate(rows) if row[0] == item))
        for item in range(max(item for item, _ in rows) + 1)
    )
    return JointProblem(tasks, items, 1024, 128, ONE_TO_ONE)


def test_an_input_that_blocks_share_counts_at_the_fastest_rate_of_all() -> None:
    """Who comes first pays, whichever that is."""
    slow, fast = Load(0, 100), Load(0, 100, bytes_per_ns=0.01)
    for rows, least in (((fast, slow), 10.0), ((slow, fast), 100.0)):
        problem = loading(*((0, row) for row in rows))
        best = best_of_all(problem)
        assert best is not None
        assert best.us == pytest.approx(least)
        assert Case(problem, (0, 1, 2), MEMORY).bound_us() == pytest.approx(10.0, abs=1e-4)


def test_what_comes_on_top_of_a_shared_input_counts_too() -> None:
    dear = Load(0, 100, delivery_us=7.0, burst_us=2.0)
    problem = loading((0, dear), (0, Load(0, 100)))
    assert Case(problem, (0, 1, 2), MEMORY).bound_us() == pytest.approx(107.0, abs=1e-4)


def test_a_part_that_was_loaded_before_is_not_all_of_an_input() -> None:
    """40 bytes, and then the 60 others at another rate."""
    problem = loading((0, Load(0, 40)), (0, Load(0, 100, bytes_per_ns=0.002)))
    best = best_of_all(problem)
    assert best is not None
    assert best.us == pytest.approx(70.0)
    bound = Case(problem, (0, 2), MEMORY).bound_us()
    assert bound is not None
    assert 60.0 <= bound <= best.us + CLOSE


def test_blocks_are_equal_only_if_their_tasks_share_kernels_alike() -> None:
    """Two kernels load an input twice, one does once."""
    whole = Load(0, 100)
    problem = loading(*((item, whole) for item in (0, 0, 1, 1)), kernels=(0, 1, 2, 2))
    case_ = Case(problem, (0, 2, 4), MEMORY)
    assert case_.bound_us() == pytest.approx(300.0, abs=1e-3)
    assert case_.least_us() == pytest.approx(300.0)
    alike = loading(*((item, whole) for item in (0, 0, 1, 1)), kernels=(0, 0, 2, 2))
    first, second = (form(part) for part in Blocks(alike, (0, 2, 4)).parts)
    assert first == second


def test_the_slowest_reduction_of_a_kernel_counts_once() -> None:
    """3 of the first kernel, for nothing is quicker there, and 5 of the second."""
    menus = [Menu(tuple(Choice((), (Bill(compute_us=1.0, fused_us=us),)) for us in row)) for row in ((2, 4), (3, 9))]
    menus.append(Menu((Choice((), (Bill(fused_us=5.0),)),)))
    tasks = tuple(Task("", (), -1, menu, kernel) for menu, kernel in zip(menus, (0, 0, 1), strict=True))
    one = Case(JointProblem(tasks, (), 1024, 128, ONE_TO_ONE), (0, 1, 3), COMPUTE)
    assert one.bound_us() == pytest.approx(10.0, abs=1e-4)
    best = best_of_all(one.problem)
    assert best is not None
    assert best.us == pytest.approx(10.0)
