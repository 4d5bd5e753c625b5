"""Plans with moves, damaged at random: the checker rejects what does harm, and the oracle sees none in the rest."""

import random
from dataclasses import replace

import pytest

from compiler.check import check
from compiler.plan import EditKind, Plan
from compiler.problem import Problem
from tests.compiler.legality_oracle import plan_faults
from tests.compiler.moved_plans import GOOD
from tests.compiler.tiny import failed
from tests.corruptions import corrupted
from tests.oracle import judge

DAMAGES = 30
MOVES = (EditKind.RELAYOUT, EditKind.CLONE_IN, EditKind.CLONE_OUT)


def resent(rng: random.Random, problem: Problem, plan: Plan) -> Plan:
    """One edit with another number of replicas, another kind, place, or other readers."""
    number = rng.randrange(len(plan.edits))
    edits, edit = list(plan.edits), plan.edits[number]
    ops = ["", *(op.name for op in problem.program.ops)]
    readers = [*ops[1:], "output:out0", *(f"{name}#0" for name in ops[1:])]
    edits[number] = rng.choice(
        (
            replace(edit, replicas=rng.choice((1, 2, 4))),
            replace(edit, kind=rng.choice(MOVES)),
            replace(edit, before=rng.choice(ops)),
            replace(edit, readers=(rng.choice(readers),)),
            replace(edit, readers=(*edit.readers, rng.choice(readers))),
            replace(edit, source=rng.choice(sorted(plan.layouts))),
        )
    )
    return replace(plan, edits=tuple(edits))


@pytest.mark.parametrize("name", GOOD)
def test_damaged_moves_are_rejected_or_do_no_harm(name: str) -> None:
    problem, plan = GOOD[name]()
    rng, rejected = random.Random(name), 0
    for _ in range(DAMAGES):
        kind, damaged = ("resent", resent(rng, problem, plan)) if rng.random() < 0.4 else corrupted(rng, problem, plan)
        if damaged == plan:
            continue
        found = failed(check(problem, damaged))
        rejected += bool(found)
        if not found:
            assert judge(problem, damaged) == [], kind
            assert plan_faults(problem, damaged, finished=True) == [], kind
    assert rejected > DAMAGES // 3
