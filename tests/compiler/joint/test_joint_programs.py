"""Random programs through the co-optimiser by every search: the checker has no objection, nothing gets slower than
staged, and the same question has the same answer."""

import hashlib
import os
import subprocess
import sys
from collections import Counter

import pytest

from compiler.codec import to_json
from compiler.compilation import Compilation
from compiler.pipeline import compile_problem
from compiler.solvers.joint.table import SEARCHES
from tests.compiler.joint.drawn_programs import GRAPH, co_optimized, drawn, spec, staged

PROGRAMS, PER_TEST = 200, 5
SECONDS = 0.15
MICRO = 1e-6


@pytest.mark.parametrize("first", range(0, PROGRAMS, PER_TEST))
def test_every_search_makes_plans_that_pass_and_are_no_slower(first: int) -> None:
    """`co_optimized` raises where a check fails."""
    planned = 0
    for seed in range(first, first + PER_TEST):
        before = staged(seed)
        if before is None:
            continue
        planned += 1
        proved = 0
        for name in SEARCHES:
            found = co_optimized(seed, name, SECONDS)
            assert found.cost.total_us <= before.cost.total_us + MICRO, (seed, name)
            claim = found.plan.claims["co-optimize"]
            assert claim.method == name
            assert 0 <= claim.bound <= claim.objective == round(1000 * found.cost.total_us), (seed, name)
            proved = max(proved, claim.bound)
            assert claim.objective >= proved - 1, (seed, name, "below what CP-SAT proved")
    assert planned > PER_TEST // 2


def test_the_programs_say_something() -> None:
    """Most get faster, most are proved, and there are moves."""
    seen = Counter[str]()
    for seed in range(0, 24, 2):
        before = staged(seed)
        if before is None:
            continue
        found = co_optimized(seed, "cp-sat", SECONDS)
        seen["programs"] += 1
        seen["faster"] += found.cost.total_us < before.cost.total_us - MICRO
        seen["proved"] += found.plan.claims["co-optimize"].gap == 0
        seen.update(edit.kind.value for edit in found.plan.edits)
    assert seen["faster"] > seen["programs"] // 2
    assert seen["proved"] > seen["programs"] // 2
    assert min(seen["clone-in"], seen["clone-out"]) > 0


@pytest.mark.parametrize("solver", SEARCHES)
def test_one_read_of_two_goes_over_a_copy_to_other_sticks_and_the_other_over_a_clone(solver: str) -> None:
    """Seed 1763 multiplies in0 by itself, one of the two turned; a sigmoid reads it too."""
    found = co_optimized(1763, solver, SECONDS)
    readers = {edit.name: edit.readers for edit in found.plan.edits}
    assert readers["in0@d1"] == ("op0/bmm#1", "op2/conv")
    assert all("op0/bmm" not in names for names in readers.values())
    assert solver != "greedy" or readers["in0@in"] == ("op0/bmm#0", "op1/sigmoid")
    again = compile_problem(GRAPH, drawn(1763), pipeline=spec(solver, 0.01), previous=found.plan)
    assert again.plan.edits == found.plan.edits


def digest(found: Compilation) -> str:
    return hashlib.sha256(to_json(found.plan).encode()).hexdigest()


DETERMINED = (0, 3, 7)


def digests() -> list[str]:
    """Of the plans of some programs by every search."""
    compiled = ((seed, name) for seed in DETERMINED if staged(seed) is not None for name in SEARCHES)
    return [f"{seed} {name} {digest(co_optimized(seed, name, 20.0))}" for seed, name in compiled]


def test_the_same_program_has_the_same_plan_twice() -> None:
    assert digests() == digests()


def test_the_order_of_hashes_does_not_matter() -> None:
    code = "from tests.compiler.joint.test_joint_programs import digests\nprint(*digests(), sep='\\n')"
    environment = {**os.environ, "PYTHONHASHSEED": "77"}
    made = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert made.stdout.split("\n")[:-1] == digests()
