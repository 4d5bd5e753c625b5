"""Candidates as rows: bars in lanes, orders, and why each one lost."""

from dataclasses import replace

import pytest
from frozendict import frozendict

from compiler.candidates import Candidate, candidates
from compiler.loops import Loop, LoopOp, OpKind, Origin, Role
from compiler.pipelines import PIPELINES
from compiler.price import CostTerm
from spyre_studio.candidate_model import (
    ORDERS,
    PREDICTED,
    CandidateRow,
    alone_words,
    arranged,
    candidate_key,
    factors_title,
    groups_in,
    quicker_words,
    ranking_decides,
    rows_of,
    term_names,
)
from spyre_studio.term_groups import ALONE, COMPUTE, MEMORY
from tests.programs import attention, product
from tests.spyre_studio.plans import compiled

OP = LoopOp(
    "op",
    OpKind.MATMUL,
    "sum",
    (Loop("m", 64), Loop("n", 64), Loop("k", 64, Role.REDUCTION)),
    (),
    (),
    (),
    (),
    Origin(),
)


def terms(**times: float) -> tuple[CostTerm, ...]:
    return tuple(CostTerm(name.replace("_", " "), time, "formula", "") for name, time in times.items())


def candidate(total: float, shown: tuple[CostTerm, ...] = (), cores: int = 32, **factors: int) -> Candidate:
    return Candidate(frozendict(factors), True, "", total, shown, cores, 1024, False)


CHOSEN = replace(candidate(30.0, terms(compute=10, device_memory=30), m=32), chosen=True)


def row_of(other: Candidate, chosen: Candidate = CHOSEN, pinned: bool = False) -> CandidateRow:
    return rows_of((chosen, other), OP, pinned)[1]


def test_the_plan_is_named() -> None:
    assert rows_of((CHOSEN,), OP)[0].verdict == "this plan"


def test_a_k_split_that_is_slower_says_so() -> None:
    row = row_of(candidate(39.8, terms(compute=39.8, device_memory=30), m=8, k=4))
    assert row.verdict == "+9.8 µs: K split runs on one corelet"
    assert row.cause == "K split runs on one corelet"


def test_what_hides_is_no_cause() -> None:
    hidden = candidate(35.0, terms(compute=20, device_memory=35), n=32)
    assert row_of(hidden).verdict == "+5.0 µs: more bytes move", "compute grew too, but memory lasts longer"


def test_fewer_cores_and_partial_sums_are_causes() -> None:
    fewer = candidate(50.0, terms(compute=50, device_memory=30), cores=8, m=8)
    assert row_of(fewer).cause == "8 cores compute instead of 32"
    single = candidate(50.0, terms(compute=50, device_memory=30), cores=1)
    assert row_of(single).cause == "1 core computes instead of 32"
    sums = candidate(60.0, terms(compute=20, partial_sums=40, device_memory=30), k=8, m=4)
    assert row_of(sums).cause == "partial sums pass 8 cores, K split runs on one corelet"


def test_bursts_come_on_top_of_everything() -> None:
    row = row_of(candidate(36.0, terms(compute=10, device_memory=30, short_bursts=6), n=32))
    assert row.verdict == "+6.0 µs: shorter runs, more requests"
    assert row.lanes.alone


def test_a_faster_one_says_what_held_it_back() -> None:
    ranked = replace(CHOSEN, points=100.0, ranking=terms(compute=10, M_lanes=0))
    fast = replace(
        candidate(20.0, terms(device_memory=20), n=32), points=120.5, ranking=terms(compute=10, M_lanes=20.5)
    )
    assert row_of(fast, ranked).verdict == "−10.0 µs, but the rule dislikes it: M lanes"
    assert (
        "It puts this split 20.5 points behind that of the plan, most of all for: M lanes.\n"
        in row_of(fast, ranked).hint
    )
    assert PREDICTED in row_of(fast, ranked).hint
    assert PREDICTED not in row_of(ranked, ranked).hint
    assert row_of(fast, ranked, pinned=True).verdict == "−10.0 µs, but the pin decides"
    plain = candidate(20.0, terms(device_memory=20), n=32)
    assert row_of(plain).verdict == "−10.0 µs, but not chosen by time alone"


def test_where_the_whole_plan_was_timed_the_published_ranking_is_no_cause() -> None:
    """A co-optimised plan has other divisions than those of the ranking, which nobody asked."""
    ranked = replace(CHOSEN, points=100.0, ranking=terms(compute=10, M_lanes=0))
    behind = {"points": 120.5, "ranking": terms(compute=10, M_lanes=20.5)}
    fast = replace(candidate(20.0, terms(device_memory=20), n=32), **behind)  # type: ignore[arg-type]
    same = replace(candidate(30.0, terms(device_memory=30), cores=16, n=16), **behind)  # type: ignore[arg-type]
    _, quick, tie = rows_of((ranked, fast, same), OP, ranked=False)
    assert quick.verdict == "−10.0 µs, but only alone: the plan as a whole was timed"
    assert tie.verdict == "same time, 16 cores instead of 32"
    assert "Ranking of the published rule, which did not decide here (points" in quick.hint
    assert rows_of((ranked, same), OP)[1].verdict == "same time, the rule dislikes it: M lanes"
    assert rows_of((ranked, fast), OP, pinned=True, ranked=False)[1].verdict == "−10.0 µs, but the pin decides"


@pytest.mark.parametrize(("name", "decides"), [("staged", True), ("searched", False), ("co-optimized", False)])
def test_which_pipelines_follow_the_ranking(name: str, decides: bool) -> None:
    assert ranking_decides(PIPELINES[name]) is decides


def test_ties_are_explained() -> None:
    same = candidate(30.0, terms(device_memory=30), cores=16, n=16)
    assert row_of(same).verdict == "same time, 16 cores instead of 32"
    tie = candidate(30.0, terms(device_memory=30), n=32)
    assert row_of(tie).verdict == "same time, a tie"


def test_what_is_not_legal_says_why_and_has_no_bar() -> None:
    row = row_of(replace(candidate(20.0, terms(compute=20), n=7), legal=False, why_not="7 does not divide 64"))
    assert row.verdict == "7 does not divide 64"
    assert row.lanes.compute == ()
    assert row.hint == "7 does not divide 64"


def test_lanes_are_shares_and_end_with_the_bar() -> None:
    rows = rows_of((CHOSEN, candidate(900.0, terms(compute=900, device_memory=30, short_bursts=30), n=2)), OP)
    chosen, slow = (row.lanes for row in rows)
    assert [group for group, _ in (*chosen.compute, *chosen.memory)] == [COMPUTE, MEMORY]
    assert [share for _, share in (*chosen.compute, *chosen.memory)] == pytest.approx([10 / 120, 30 / 120])
    assert chosen.hidden == pytest.approx(0.25)
    assert slow.hidden == 1
    assert slow.alone == (), "no room is left behind a full bar"


def test_bars_of_a_menu_fit() -> None:
    compilation = compiled(program=attention(2, 128, 64))
    found = candidates(compilation.problem, compilation.plan, "scores")
    for row in rows_of(found, compilation.problem.program.ops[0]):
        after = sum(share for _, share in row.lanes.alone)
        assert row.lanes.hidden + after <= 1 + 1e-9


def test_orders_put_what_is_not_legal_last_and_filters_keep_the_plan() -> None:
    barred = replace(candidate(1.0, (), cores=2, n=2), legal=False, why_not="no")
    outside = replace(CHOSEN, legal=False, why_not="beyond the limit")
    rows = rows_of((outside, candidate(9.0, (), cores=4, m=4), candidate(7.0, (), cores=2, m=2), barred), OP)
    for order in ORDERS:
        assert [row.legal for row in arranged(rows, False, order)] == [True, True, False, False]
    assert [row.title for row in arranged(rows, True, "time")] == ["m 2", "m 4", "m 32"]
    assert next(row.title for row in arranged(rows, True, "cores")) == "m 4"


def test_points_are_apart_from_time() -> None:
    compilation = compiled(program=product(64, 128, 256))
    op = compilation.problem.program.ops[0]
    rows = rows_of(candidates(compilation.problem, compilation.plan, op.name), op)
    ranked = [row for row in rows if row.points is not None]
    assert ranked
    assert "M lanes" not in term_names(rows)
    assert all("Ranking (points of preference, no time)" in row.hint for row in ranked)
    order = [row.points for row in arranged(ranked, True, "points") if row.points is not None]
    assert order == sorted(order)


def test_groups_are_those_of_the_bars_compute_first() -> None:
    shown = (candidate(1.0, terms(short_bursts=1, device_memory=2, compute=3), m=2),)
    assert groups_in(shown) == (COMPUTE, MEMORY, ALONE)


def test_how_many_are_quicker_is_told_with_the_best() -> None:
    quick, quicker = candidate(20.0, (), n=8), candidate(12.3, (), n=16)
    barred = replace(candidate(1.0, (), n=7), legal=False, why_not="no")
    assert quicker_words(rows_of((CHOSEN, quick, quicker, barred), OP)) == "2 quicker, the best by 17.7 µs"
    assert quicker_words(rows_of((CHOSEN, quick), OP)) == "1 quicker, by 10.0 µs"
    assert quicker_words(rows_of((CHOSEN, candidate(40.0, (), n=8)), OP)) == "none is quicker"
    assert quicker_words(rows_of((quick,), OP)) == "", "nothing to compare with"


def test_a_step_takes_another_time_in_the_plan_than_alone_only_for_what_its_kernel_shares() -> None:
    """What is said of the difference is what the prices are made of."""
    compilation = compiled(program=attention(2, 128, 64))
    op, shared = compilation.problem.program.ops[0], {"read/write turnaround", "device memory"}
    step = next(one for one in compilation.cost.steps if one.step == op.name)
    found = candidates(compilation.problem, compilation.plan, op.name)
    alone = next(one for one in found if one.chosen)
    ours, theirs = ({t.name: t.microseconds for t in one.terms if t.name not in shared} for one in (step, alone))
    assert ours == pytest.approx(theirs)
    rows = rows_of(found, op)
    assert alone_words(rows, alone.total_us) == ""
    assert alone_words(rows, 51.2) == "timed alone (in the plan 51.2 µs)"


def test_names_and_keys() -> None:
    assert candidate_key({"m": 8, "b": 4}) == candidate_key({"b": 4, "m": 8})
    assert factors_title({}) == "one core"
    row = rows_of((CHOSEN, candidate(40.0, (), k=2, m=8)), OP)[1]
    assert row.title == "m 8 · k 2", "in the order of the loops"


def test_the_hint_has_every_term_with_its_difference_and_formula() -> None:
    hint = row_of(candidate(39.8, terms(compute=39.8, device_memory=30), k=4)).hint
    assert "compute: 39.8 µs (+29.8 µs)\n    formula" in hint
    assert "device memory: 30.0 µs\n" in hint
