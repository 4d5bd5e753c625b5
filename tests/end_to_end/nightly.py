"""Every example and every case of the casebook, planned in every way there is, executed on poisoned memory.

    python -m tests.end_to_end.nightly [NAME ...]

Owns the list of ways and a table: per way how many plans were made, refused and executed, and what was wrong.  The same
program made in two ways is executed once.  Ends with 1 if a plan fails a check, a program stops the device, or its
numbers differ from PyTorch's by more than rounding.  Refuses to be part of the suite: it takes five minutes and more;
`test_every_way` is a sample of it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from frozendict import frozendict

from compiler.compilation import Compilation
from compiler.errors import StudioError
from compiler.pipelines import PIPELINES
from compiler.program import Program
from compiler.solvers.joint.table import SEARCHES
from compiler.solvers.table import SOLVERS
from resources.examples import examples
from simulator.report import VerifyReport
from tests.casebook import CASES
from tests.end_to_end.harness import compiled, model, verified

CORES = (1, 3, 4, 32)
SECONDS = "seconds=2.0"
NAMES = (*(example.name for example in examples()), *CASES)
REFUSED = frozenset({"C42"})
"""Cases whose point is that nothing is made of them."""


def _ways() -> Iterator[tuple[str, str]]:
    staged = PIPELINES["staged"].replace("seconds=5.0", SECONDS)
    for solver in SOLVERS:
        yield f"staged, {solver}", staged.replace("solver=best-fit", f"solver={solver}")
    moves = staged.replace("moves=no", "moves=yes")
    yield "staged with moves", moves
    yield "searched", PIPELINES["searched"].replace("seconds=5.0", SECONDS)
    for search in SEARCHES:
        joint = PIPELINES["co-optimized"].replace("seconds=10.0", SECONDS)
        yield f"co-optimized, {search}", joint.replace("solver=cp-sat", f"solver={search}")


WAYS: frozendict[str, str] = frozendict(_ways())
"""The name of every way and its pipeline."""


def fault_of(compilation: Compilation, report: VerifyReport) -> str:
    """What is wrong with a plan or its execution, '' if nothing is."""
    if not compilation.ok:
        return f"a check fails: {[verdict for verdict in compilation.verdicts if not verdict.ok]}"[:300]
    wrong = report.first_divergence
    if report.fault or wrong:
        return report.fault or f"step {wrong.step if wrong else ''} diverges"
    return "" if report.ok else f"an output differs: {[each.comparison for each in report.outputs]}"[:300]


@dataclass(slots=True)
class Row:
    """Figures of one way."""

    name: str
    made: int = 0
    refused: int = 0
    executed: int = 0
    seconds: float = 0.0
    wrong: list[str] = field(default_factory=list)

    def line(self) -> str:
        """A line of the table."""
        return (
            f"{self.name:<26} {self.made:>4} plans, {self.refused} refused, {self.executed:>4} executed anew, "
            f"{self.seconds:.0f} s, {len(self.wrong)} wrong"
        )


@dataclass(slots=True)
class Sheet:
    """The table, and what has been executed of the model at hand."""

    rows: tuple[Row, ...]
    known: dict[Program, VerifyReport] = field(default_factory=dict)

    def take(self, row: Row, name: str, cores: int) -> None:
        """Plan a model in one way and execute it."""
        label = f"{name} on {cores}"
        began = time.monotonic()
        try:
            compilation = compiled(name, cores, pipeline=WAYS[row.name])
            row.made += 1
            if compilation.program not in self.known:
                self.known[compilation.program] = verified(name, compilation)
                row.executed += 1
            fault = fault_of(compilation, self.known[compilation.program])
            row.wrong += [f"{label}: {fault}"] if fault else []
        except StudioError as error:
            row.refused += 1
            row.wrong += [] if name in REFUSED else [f"{label}: refused, {error}"[:300]]
        except Exception as error:  # noqa: BLE001 - whatever it is, it is wrong and the next one is to be tried
            row.wrong.append(f"{label}: {type(error).__name__} {error}"[:300])
        row.seconds += time.monotonic() - began


def main(names: tuple[str, ...]) -> int:
    """Run, print, and say whether anything is wrong."""
    sheet = Sheet(tuple(map(Row, WAYS)))
    for name in names:
        began = time.monotonic()
        sheet.known.clear()
        for cores in CORES:
            for row in sheet.rows:
                sheet.take(row, name, cores)
        model.cache_clear()
        executed = len(sheet.known)
        sys.stdout.write(f"{name}: {executed} different programs, {time.monotonic() - began:.0f} s\n")
        sys.stdout.flush()
    for row in sheet.rows:
        sys.stdout.write(f"{row.line()}\n" + "".join(f"    {word}\n" for word in row.wrong))
    return int(any(row.wrong for row in sheet.rows))


if __name__ == "__main__":
    sys.exit(main(tuple(sys.argv[1:]) or NAMES))
