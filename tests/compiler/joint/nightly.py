"""Random joint problems and random programs through every search; figures to standard output.

    python -m tests.compiler.joint.nightly [PROBLEMS [TASKS]] [shared]
    python -m tests.compiler.joint.nightly programs [PROGRAMS]

Owns two tables.  Problems, against the enumeration: how often each search finds the optimum, how far it is off, whether
bounds are true and answers allowed; CP-SAT has to find it.  With `shared` clones share loads with readers, which they
never do in programs: CP-SAT does not know of it, and its bounds are not looked at.  Programs, through the checker: how
much faster than staged they get, and how many are proved.  Ends with 1 if anything is wrong.  Refuses to be part of the
suite: 500 problems take a minute, 2,000 programs take ten.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from compiler.solvers.joint.faults import stays
from compiler.solvers.joint.judge import trivial
from compiler.solvers.joint.price import price_us
from compiler.solvers.joint.problem import Answer, JointProblem
from compiler.solvers.joint.table import SEARCHES
from tests.compiler.joint.brute_joint import Best, allowed, best_of_all, rectangles
from tests.compiler.joint.brute_room import overlaps
from tests.compiler.joint.drawn_programs import co_optimized, staged
from tests.compiler.joint.random_joint import random_joint

PROBLEMS, TASKS, PROGRAMS = 500, 5, 2000
SECONDS = 3.0
CLOSE = 1e-6
EXACT, OFF_US = "cp-sat", 1e-4


@dataclass(slots=True)
class Row:
    """Figures of one search."""

    name: str
    optimal: int = 0
    also_second: int = 0
    proved: int = 0
    off: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def line(self, count: int) -> str:
        """A line of the table."""
        return (
            f"{self.name:<10} {self.optimal:>5}/{count} optimal, {self.also_second:>5} by the second aim too, "
            f"{self.proved:>5} proved, mean gap {100 * sum(self.off) / count:.3f} %, "
            f"worst {100 * max(self.off):.2f} %, "
            f"{sum(self.seconds) / count:.3f} s each, at most {max(self.seconds):.2f} s, {len(self.wrong)} wrong"
        )


def run(row: Row, seed: int, problem: JointProblem, best: Best, plain: bool) -> None:
    """One problem through one search."""
    began = time.monotonic()
    outcome = SEARCHES[row.name](problem, [trivial(problem)], SECONDS, 0, _never)
    row.seconds.append(time.monotonic() - began)
    if outcome is None:
        row.wrong.append(f"{seed}: no answer")
        row.off.append(0.0)
        return
    us, partly = (price_us(problem, outcome.answer, overlap) for overlap in (1.0, 0.46))
    row.off.append(max(0.0, us / best.us - 1))
    row.optimal += us <= best.us + CLOSE
    row.also_second += us <= best.us + CLOSE and partly <= best.partly_us + CLOSE
    row.proved += outcome.bound_us >= us * (1 - 1e-4)
    packing = dict(outcome.packing.addresses)
    row.wrong += [f"{seed}: {word}" for word in _wrong(problem, outcome.answer, packing)]
    if us < best.us - CLOSE:
        row.wrong.append(f"{seed}: {us} is below the optimum {best.us}")
    if plain and outcome.bound_us > best.us * (1 + CLOSE):
        row.wrong.append(f"{seed}: bound {outcome.bound_us} is above the optimum {best.us}")
    if row.name == EXACT and plain and us > best.us + OFF_US:
        row.wrong.append(f"{seed}: {us} is not the optimum {best.us}")


def _never(_objective: float, _bound: float) -> bool:
    return False


def _wrong(problem: JointProblem, answer: Answer, addresses: dict[tuple[int, int], int]) -> Iterator[str]:
    """What is not allowed in an answer and its addresses, by the enumeration's rules."""
    if not allowed(problem, answer):
        yield "the answer is not allowed"
        return
    there, unit = rectangles(problem, answer) or [], problem.alignment
    if {one.key for one in there} != set(addresses) or {one.key for one in stays(problem, answer)} != set(addresses):
        yield "addresses are missing"
        return
    at = {key: low // unit for key, low in addresses.items()}
    if overlaps(there, at) or any(at[one.key] + one.height > problem.capacity // unit for one in there):
        yield "addresses overlap"


def main(problems: int = PROBLEMS, tasks: int = TASKS, plain: bool = True) -> int:
    """Run, print, and say whether anything is wrong; `plain` as `random_joint` means it."""
    rows = [Row(name) for name in SEARCHES]
    count, enumerated = 0, 0.0
    for seed in range(problems):
        problem = random_joint(seed, tasks, plain=plain)
        began = time.monotonic()
        best = best_of_all(problem, packed=True)
        enumerated += time.monotonic() - began
        assert best is not None, "everything in device memory is an answer"
        count += 1
        for row in rows:
            run(row, seed, problem, best, plain)
    sys.stdout.write(f"{count} problems of {tasks} steps, enumerated in {enumerated:.1f} s\n")
    for row in rows:
        sys.stdout.write(f"{row.line(count)}\n" + "".join(f"    {word}\n" for word in row.wrong[:20]))
    return int(any(row.wrong for row in rows))


@dataclass(slots=True)
class Column:
    """Figures of one search over programs."""

    name: str
    ratios: list[float] = field(default_factory=list)
    proved: int = 0
    gaps: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def line(self) -> str:
        """A line of the table."""
        count, faster = len(self.ratios), sum(ratio < 1 - CLOSE for ratio in self.ratios)
        bounds = f"{self.proved} proved, gap at most {100 * max(self.gaps):.2f} %" if any(self.gaps) else "no bound"
        bounds = f"{self.proved} proved" if self.proved == count else bounds
        gain = 100 * (1 - sum(self.ratios) / count)
        return (
            f"{self.name:<10} {count} programs, {faster} faster than staged, {gain:.1f} % on average, {bounds}, "
            f"{sum(self.seconds) / count:.3f} s each, at most {max(self.seconds):.2f} s, {len(self.wrong)} wrong"
        )


def planned(column: Column, seed: int, staged_us: float) -> None:
    """One program through one search; the pipeline raises where a check fails."""
    began = time.monotonic()
    try:
        found = co_optimized(seed, column.name, SECONDS)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is wrong and the next one is to be tried
        column.wrong.append(f"{seed}: {type(error).__name__} {error}"[:300])
        return
    column.seconds.append(time.monotonic() - began)
    claim, total = found.plan.claims["co-optimize"], found.cost.total_us
    column.ratios.append(total / staged_us if staged_us else 1.0)
    column.proved += claim.bound == claim.objective
    column.gaps.append(claim.gap if claim.bound else 0.0)
    if total > staged_us + CLOSE:
        column.wrong.append(f"{seed}: {total} us, staged {staged_us}")


def programs(count: int = PROGRAMS) -> int:
    """Run, print, and say whether anything is wrong."""
    columns = [Column(name) for name in SEARCHES]
    refused = 0
    for seed in range(count):
        before = staged(seed)
        refused += before is None
        for column in columns if before is not None else ():
            assert before is not None
            planned(column, seed, before.cost.total_us)
    sys.stdout.write(f"{count} programs, {refused} refused\n")
    for column in columns:
        sys.stdout.write(f"{column.line()}\n" + "".join(f"    {word}\n" for word in column.wrong[:20]))
    return int(any(column.wrong for column in columns))


if __name__ == "__main__":
    words = sys.argv[1:]
    numbers = [int(word) for word in words if word.isdigit()]
    if "programs" in words:
        sys.exit(programs(*numbers[:1]))
    problems, tasks = (*numbers, *(PROBLEMS, TASKS)[len(numbers) :])[:2]
    sys.exit(main(problems, tasks, "shared" not in words))
