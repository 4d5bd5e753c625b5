"""Published rows on divisions and residents decided together, each for every search and for the enumeration.

A byte takes a nanosecond unless a row is about real rates, so that times are bytes to and from device memory.
"""

from collections.abc import Mapping, Sequence

import pytest
from frozendict import frozendict

from compiler.device import load_device
from compiler.joint.kinds import rates_of
from compiler.plan import EditKind
from compiler.solvers.joint.faults import faults
from compiler.solvers.joint.judge import trivial
from compiler.solvers.joint.pack import Packing, pack
from compiler.solvers.joint.price import price_us
from compiler.solvers.joint.problem import (
    DEVICE,
    HOME,
    Answer,
    Bill,
    Choice,
    Copy,
    Item,
    JointProblem,
    Menu,
    Rates,
    Task,
)
from compiler.solvers.joint.table import SEARCHES
from tests.compiler.joint.brute_joint import best_of_all

SPYRE = rates_of(load_device("spyre"))

ENUMERATION = "enumeration"
SOLVERS = (ENUMERATION, *SEARCHES)
BYTES = Rates(1.0, 0.0)
QUARTERS, WHOLE = 0, 1


def solved(solver: str, problem: JointProblem) -> tuple[Answer, Packing]:
    """The answer of a search with its addresses."""
    if solver == ENUMERATION:
        best = best_of_all(problem, packed=True)
        assert best is not None
        found = pack(problem, best.answer)
        assert isinstance(found, Packing)
        return best.answer, found
    outcome = SEARCHES[solver](problem, [trivial(problem)], 2.0, 0, lambda _objective, _bound: False)
    assert outcome is not None
    assert faults(problem, outcome.answer) == []
    assert outcome.objective_us == pytest.approx(price_us(problem, outcome.answer))
    return outcome.answer, outcome.packing


def menu(sizes: Sequence[int], writes: bool, views: Sequence[Sequence[int]], compute: float = 0.0) -> Menu:
    """A division for each row of views, one by operand; what is not in LX costs its bytes."""
    bills = []
    for bits in range(1 << len(sizes)):
        away = [place for place in range(len(sizes)) if not bits >> place & 1]
        written = sum(sizes[place] for place in away if writes and place == len(sizes) - 1)
        bills.append(Bill(compute, read_bytes=sum(sizes[place] for place in away) - written, written_bytes=written))
    return Menu(tuple(Choice(tuple(row), tuple(bills)) for row in views))


def joint(
    steps: Sequence[tuple[str, str]],
    sizes: Mapping[str, int],
    capacity: int,
    views: Mapping[int, int],
    outputs: str = "",
    pairs: Mapping[int, Sequence[Sequence[int]]] | None = None,
    copies: Mapping[str, Sequence[Copy]] | None = None,
) -> JointProblem:
    """Steps by the letters of what they read and write; `views` by how many cores a view splits a buffer over.

    A step has one division per view unless `pairs` says which views its operands have together.
    """
    names = list(sizes)
    tasks = []
    for number, (reads, written) in enumerate(steps):
        operands = [*reads, *written]
        rows = (pairs or {}).get(number) or [[view] * len(operands) for view in views]
        found = menu([sizes[name] for name in operands], bool(written), rows)
        place = len(operands) - 1 if written else -1
        tasks.append(Task(f"t{number}", tuple(names.index(name) for name in operands), place, found))
    items = []
    for name, size in sizes.items():
        writer = next((number for number, (_, written) in enumerate(steps) if name in written), -1)
        readers = tuple(number for number, (reads, _) in enumerate(steps) if name in reads)
        parents = [names.index(read) for read in steps[writer][0]] if writer >= 0 else []
        feet = frozendict((view, -(-size // cores)) for view, cores in views.items() if writer >= 0)
        same = tuple(parent for parent in parents if sizes[names[parent]] == size)
        made = tuple((copies or {}).get(name, ()))
        items.append(Item(name, size, writer, readers, feet, name in outputs, Bill(written_bytes=size), made, same))
    return JointProblem(tuple(tasks), tuple(items), capacity, 1, BYTES)


def clone(view: int, foot: int, size: int, readers: tuple[int, ...]) -> Copy:
    """A clone-in, or a reload, of a whole buffer."""
    bill = Bill(read_bytes=size)
    return Copy(EditKind.CLONE_IN, view, foot, readers[0], readers, frozendict({DEVICE: bill}))


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("seed_view", [QUARTERS, WHOLE])
def test_s21_two_residents_take_the_division_under_which_both_fit(solver: str, seed_view: int) -> None:
    views = {view: {QUARTERS: 4, WHOLE: 1}[view] for view in (seed_view, 1 - seed_view)}
    steps = [("", "P"), ("P", "C"), ("", ""), ("C", "D"), ("D", "")]
    problem = joint(steps, {"P": 400, "C": 400, "D": 100}, 256, views, pairs={2: [[]]})
    answer, packing = solved(solver, problem)
    assert answer.resident == (True, True, True)
    chosen = [task.menu.choices[place].views for task, place in zip(problem.tasks, answer.choices, strict=True)]
    assert [row[0] for row in chosen if row][:3] == [QUARTERS] * 3
    assert {0, 1} <= {item for item, _ in packing.addresses}
    assert price_us(problem, answer) == 0


@pytest.mark.parametrize("solver", SOLVERS)
def test_s22_a_chain_of_heirs_lies_at_one_address(solver: str) -> None:
    problem = joint([("", "g"), ("g", "p"), ("p", "c"), ("c", "")], {"g": 100, "p": 100, "c": 100}, 150, {0: 1})
    answer, packing = solved(solver, problem)
    assert answer.resident == (True, True, True)
    assert len(set(packing.addresses.values())) == 1
    assert dict(packing.parents) == {(1, HOME): (0, HOME), (2, HOME): (1, HOME)}


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(("capacity", "resident"), [(200, False), (249, False), (250, True)])
def test_s23_what_no_division_makes_small_enough_stays_out(solver: str, capacity: int, resident: bool) -> None:
    problem = joint([("", "p"), ("p", "")], {"p": 1000}, capacity, {0: 4})
    answer, packing = solved(solver, problem)
    assert answer.resident == (resident,)
    assert dict(packing.addresses) == ({(0, HOME): 0} if resident else {})
    assert price_us(problem, answer) == (0 if resident else 2.0)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("reader_view", [0, 1])
def test_s24_an_edge_on_which_no_views_meet_keeps_its_buffer_out(solver: str, reader_view: int) -> None:
    pairs = {0: [[0]], 1: [[reader_view]]}
    problem = joint([("", "p"), ("p", "")], {"p": 100}, 200, {0: 4, 1: 2}, pairs=pairs)
    answer, _ = solved(solver, problem)
    assert answer.resident == (reader_view == 0,)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(
    ("steps", "outputs", "copies", "saved"),
    [
        ([("", "s"), ("s", ""), ("s", "")], "", (), 3),
        ([("s", ""), ("s", ""), ("s", "")], "", (clone(0, 1000, 1000, (0, 1, 2)),), 2),
        ([("", "s"), ("s", "")], "s", (), 1),
    ],
    ids=["between two reads", "an input with three reads", "an output with one read"],
)
def test_c9_what_a_place_in_lx_saves(
    solver: str, steps: list[tuple[str, str]], outputs: str, copies: tuple[Copy, ...], saved: int
) -> None:
    problem = joint(steps, {"s": 1000}, 1000, {0: 1}, outputs, copies={"s": copies})
    answer, _ = solved(solver, problem)
    assert price_us(problem, trivial(problem)) - price_us(problem, answer) == pytest.approx(saved * 1.0)


def forced(relayout: bool) -> JointProblem:
    """relu(neg(x)), 2,097,152 B each, on 8 cores, the two steps divided in different ways; the rates of the device."""
    size = 2_097_152
    neg, relu = menu([size, size], True, [[0, 0]]), menu([size, size], True, [[1, 1]])
    move = Copy(EditKind.RELAYOUT, 1, size // 8, 1, (1,), frozendict({0: Bill(serial_us=1.1364)}))
    feet = frozendict({0: size // 8, 1: size // 8})
    items = (
        Item("x", size, -1, (0,)),
        Item("neg", size, 0, (1,), feet, out=Bill(written_bytes=size), copies=(move,) if relayout else ()),
        Item("relu", size, 1, (), feet, True, Bill(written_bytes=size)),
    )
    return JointProblem((Task("neg", (0, 1), 1, neg), Task("relu", (1, 2), 1, relu)), items, 1_625_344, 128, SPYRE)


@pytest.mark.parametrize("solver", SOLVERS)
def test_c1_a_relayout_over_the_ring_in_place_of_a_round_trip(solver: str) -> None:
    for relayout, expected in ((False, 79.999), (True, 41.136)):
        problem = forced(relayout)
        answer, packing = solved(solver, problem)
        assert price_us(problem, answer) == pytest.approx(expected, abs=0.002)
        assert answer.resident[1] is relayout
        assert ((1, 0) in packing.addresses) is relayout


@pytest.mark.parametrize("solver", SOLVERS)
def test_p4_what_is_needed_again_is_sent_out_and_loaded_back(solver: str) -> None:
    """A fills LX, then B does for two reads, then A is read twice more."""
    steps = [("", "A"), ("A", ""), ("", "B"), ("B", ""), ("B", ""), ("A", ""), ("A", "")]
    problem = joint(steps, {"A": 1000, "B": 1000}, 1000, {0: 1}, copies={"A": [clone(0, 1000, 1000, (5, 6))]})
    answer, packing = solved(solver, problem)
    assert (answer.resident, answer.out) == ((True, True), (True, False))
    assert answer.served == ((HOME, 0, 0), (HOME, HOME))
    assert price_us(problem, answer) == pytest.approx(2.0)
    assert set(packing.addresses.values()) == {0}


@pytest.mark.parametrize("solver", [solver for solver in SOLVERS if solver != "annealing"])
def test_p5_three_make_room_for_one_that_needs_the_room_of_two(solver: str) -> None:
    """Each of three thirds is read with B later, which takes two thirds: one stays, two are sent out.

    Annealing is not asked: it would have to change three at once.
    """
    steps = [("", "x"), ("", "y"), ("", "z"), ("xyz", ""), ("", "B"), ("xB", ""), ("yB", ""), ("zB", "")]
    sizes = {"x": 1000, "y": 1000, "z": 1000, "B": 2000}
    problem = joint(steps, sizes, 3000, {0: 1})
    answer, packing = solved(solver, problem)
    assert answer.resident == (True, True, True, True)
    assert sum(answer.out) == 2
    assert price_us(problem, answer) == pytest.approx(4.0)
    staying = answer.out.index(False)
    assert packing.addresses[staying, HOME] in (0, 2000), "or B would have no gap"
