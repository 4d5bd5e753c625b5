"""The published rows of scratchpad placement, with the listed addresses, for every solver.

Sizes in bytes, capacity beside them, alignment 1 unless stated; addresses in input order, None where a buffer has no
place.  Rows whose answer differs between solvers say so; CP-SAT and annealing may leave out other buffers than the
fixed orders do, where that saves more traffic.
"""

from dataclasses import dataclass, replace

import pytest

from compiler.solvers.placement import Effort, PlacementProblem, Status
from compiler.solvers.request import Request
from compiler.solvers.table import SOLVERS
from tests.compiler.placement_cases import faults, rows

ALL = tuple(SOLVERS)
FIXED_ORDER = ("best-fit", "first-fit", "greedy")
SEARCHES = ("annealing", "cp-sat")
RANKED = ("best-fit", "first-fit", "annealing", "cp-sat")

Addresses = tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """One row: what is asked, the listed answers (one of them), and whose they are."""

    name: str
    requests: tuple[Request, ...]
    capacity: int
    answers: tuple[Addresses, ...]
    alignment: int = 1
    solvers: tuple[str, ...] = ALL

    @property
    def problem(self) -> PlacementProblem:
        return PlacementProblem(self.requests, self.capacity, self.alignment)


THREE = rows((3, (0, 1)), (3, (0, 1)), (4, (0, 1)))
STAIRS = rows((10, (0, 3)), (20, (0, 3)), (30, (0, 3)))
HEIR = (Request("p", 512, (0, 3)), Request("c", 512, (3,), ("p",)))
GAPS = rows((40, (2, 3)), (30, (1, 4)), (30, (3, 7)), (10, (4, 8)))
CHAIN = (
    Request("gp", 100, (0, 1), computed=True),
    Request("p", 100, (1, 2), ("gp",), computed=True),
    Request("c", 100, (2, 3), ("p",), computed=True),
)
TABLE = (
    Row("S1", THREE, 10, ((0, 3, 6),)),
    Row("S2", THREE, 512, ((0, 128, 256),), 128),
    Row("S3", THREE, 10, ((0, None, None), (None, 0, None), (None, None, 0)), 128),
    Row("S4", rows((7, (0, 1)), (4, (0, 1)), (3, (0, 1))), 10, ((0, None, 7),)),
    Row("S5", rows((10, (0, 1)), (3, (2,))), 10, ((0, 0),)),
    Row("S6", rows((3, (0, 3)), (3, (1, 2)), (3, (2, 3)), (3, (3,))), 10, ((0, 3, 6, 3), (6, 0, 3, 0))),
    Row("S8", HEIR, 513, ((0, 0),), 128),
    Row("S8 without the edge", (HEIR[0], replace(HEIR[1], parents=())), 512, ((0, None), (None, 0)), 128),
    Row("S9", rows((10, (0, 1)), (10, (0, 1)), (10, (0, 1)), (10, (2,))), 10, ((0, None, None, 0),)),
    Row("S10 in 60", STAIRS, 60, ((0, 10, 30),)),
    Row("S10 in 50", STAIRS, 50, ((0, 10, None),), solvers=FIXED_ORDER),
    Row("S10 in 50, searched", STAIRS, 50, ((None, 0, 20),), solvers=SEARCHES),
    Row("S11", rows((13, (0, 4)), (12, (0, 4))), 30, ((0, None),), 10),
    Row("S12", (Request("p", 20, (0, 4)), Request("c", 15, (4, 8), ("p",))), 512, ((0, 0),)),
    Row("S13", (Request("p", 200, (0, 4)), Request("c", 15, (4, 8), ("p",))), 100, ((None, 0),)),
    Row("S14 first fit", GAPS, 120, ((0, 40, 70, 0),), solvers=("first-fit",)),
    Row("S14 best fit", GAPS, 120, ((0, 40, 70, 100),), solvers=("best-fit", *SEARCHES)),
    Row("S15", rows((10, (0, 4)), (10, (0, 1, 2, 3, 4))), 10, ((None, 0),), solvers=RANKED),
    Row(
        "S16",
        (Request("plain", 10, (0, 4)), Request("p", 10, (0, 4)), Request("c", 10, (4, 8), ("p",))),
        10,
        ((None, 0, 0),),
        solvers=RANKED,
    ),
    Row(
        "S17",
        (Request("reader", 10, (0, 4)), Request("writer", 10, (0, 4), computed=True)),
        10,
        ((None, 0),),
        solvers=RANKED,
    ),
    Row("S22 as placement", CHAIN, 150, ((0, 0, 0),)),
    Row("S23 as placement", (Request("producer", 1000 // 4, (0, 1), computed=True),), 200, ((None,),)),
)


@pytest.mark.parametrize(("row", "solver"), [(row, name) for row in TABLE for name in row.solvers], ids=str)
def test_the_listed_addresses(row: Row, solver: str) -> None:
    found = SOLVERS[solver](row.problem, Effort())
    assert tuple(found.addresses.get(one.name) for one in row.requests) in row.answers
    assert faults(row.problem, found.addresses) == []


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
def test_cp_sat_proves_every_row(row: Row) -> None:
    found = SOLVERS["cp-sat"](row.problem, Effort())
    assert found.status is Status.OPTIMAL
    assert found.bound == found.objective
    for name in FIXED_ORDER:
        assert SOLVERS[name](row.problem, Effort()).objective >= found.objective


@pytest.mark.parametrize("solver", ALL)
def test_s19_a_parent_that_was_only_written_is_refused_and_one_that_was_read_is_not(solver: str) -> None:
    child = Request("child", 8, (2, 3), ("parent",))
    with pytest.raises(ValueError, match="child cannot take the place of parent, which is only written"):
        PlacementProblem((Request("parent", 8, (2,), computed=True), child), 100)
    allowed = PlacementProblem((Request("parent", 8, (2,)), child), 100)
    assert dict(SOLVERS[solver](allowed, Effort()).addresses) == {"parent": 0, "child": 0}


@pytest.mark.parametrize("uses", [(), (3, 3), (5, 4)])
def test_s20_uses_increase_strictly(uses: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="increase strictly"):
        Request("r", 1, uses)


def test_s20_reads_of_a_computed_buffer_and_of_an_input() -> None:
    assert Request("computed", 1, (3, 5, 8), computed=True).reads == 2
    assert Request("input", 1, (3, 5, 8)).reads == 3


@pytest.mark.parametrize("solver", ALL)
def test_s24_a_producer_that_no_reader_matches_asks_for_nothing(solver: str) -> None:
    """Eligibility bars it before placement, and what it would hand over stays where it is."""
    question = PlacementProblem((Request("reader", 100, (1, 2), ("producer",), computed=True),), 256)
    assert dict(SOLVERS[solver](question, Effort()).addresses) == {"reader": 0}


@pytest.mark.parametrize("solver", ALL)
def test_nothing_asked_nothing_lost(solver: str) -> None:
    found = SOLVERS[solver](PlacementProblem((), 100), Effort())
    assert (dict(found.addresses), found.objective, found.bound) == ({}, 0, 0)
    assert found.status is Status.OPTIMAL


def test_two_of_one_name_and_a_negative_worth_are_refused() -> None:
    with pytest.raises(ValueError, match="same name"):
        PlacementProblem((Request("r", 1, (0,)), Request("r", 1, (0,))), 8)
    with pytest.raises(ValueError, match="cannot save -1 bytes"):
        Request("r", 1, (0,), worth=-1)


@pytest.mark.parametrize("solver", ALL)
def test_pinned_buffers_come_first_and_what_is_too_large_keeps_nobody_out(solver: str) -> None:
    asked = (
        Request("dear", 8, (0, 1, 2, 3), computed=True),
        Request("pinned", 8, (1, 2), computed=True, pinned=True),
        Request("huge", 100, (0, 3), computed=True, pinned=True),
    )
    found = SOLVERS[solver](PlacementProblem(asked, 10), Effort())
    assert dict(found.addresses) == {"pinned": 0}
    assert found.objective == 4 * 8 + 2 * 100
