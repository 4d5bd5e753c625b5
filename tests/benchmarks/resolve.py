"""How long it takes to re-solve after one pin: `python -m tests.benchmarks.resolve [NAME ...]`.

A model is planned once with the co-optimiser; then divisions of ops all over it are pinned one after the other, each in
the plan before.  Printed are, over all pins, the seconds until the first answer is known (a plan with addresses that
keeps the pin, as the window tells it), until it is refined, and until the whole plan is checked, priced and spelt out;
and whether a pin that states what the plan had gives the same decisions.
"""

from __future__ import annotations

import statistics
import sys
import time

from frozendict import frozendict

from compiler.compilation import Compilation
from compiler.device import load_device
from compiler.graph import ModelGraph
from compiler.loops import OpKind
from compiler.pins import Pins
from compiler.pipeline import compile_problem
from compiler.problem import Problem
from compiler.resolve import resolve
from compiler.watch import Watch
from tests.benchmarks.layouts import captured

GRAPH = ModelGraph("benchmark", (), (), ())
NAMES = ("decoder", "decoder_stack?layers=40&sequence=512", "decoder_stack?layers=40&sequence=1")
TRIED = 12


def pinned(found: Compilation, op: str, factors: frozendict[str, int]) -> tuple[float, float, float, Compilation]:
    """Seconds to the first answer, the last one and the whole plan, and the plan."""
    told: list[float] = []
    began = time.perf_counter()
    watch = Watch(found=lambda _: told.append(time.perf_counter() - began))
    made = resolve(found, Pins(division=frozendict({op: factors})), watch)
    assert made is not None
    return told[0], told[-1], time.perf_counter() - began, made


def measure(name: str) -> None:
    """Print the figures of one model."""
    found = compile_problem(GRAPH, Problem(captured(name), load_device("spyre")), pipeline="co-optimized")
    ops = [
        op for op in found.problem.program.ops if op.kind is not OpKind.OPAQUE and found.plan.divisions[op.name].splits
    ]
    chosen = ops[:: max(1, len(ops) // TRIED)]
    rows, same = [], 0
    for op in chosen:
        held = found.plan.divisions[op.name].factors
        again = pinned(found, op.name, held)[3].plan
        same += (again.divisions, again.placement, again.edits) == (
            found.plan.divisions,
            found.plan.placement,
            found.plan.edits,
        )
        loop = next(iter(held))
        rows.append(pinned(found, op.name, frozendict({loop: held[loop]}) if len(held) > 1 else frozendict())[:3])
    size, solver = len(found.problem.program.ops), found.solver
    print(f"{name}: {size} ops, {len(rows)} pins, {solver.status}, gap {solver.gap:.2%}")
    for word, column in zip(("first answer", "refined", "whole plan"), zip(*rows, strict=True), strict=True):
        print(f"  {word}: median {statistics.median(column):.2f} s, slowest {max(column):.2f} s")
    print(f"  pins of what is: {same} of {len(chosen)} give the same plan")


def main() -> None:
    """All models, or those that are named."""
    for name in sys.argv[1:] or NAMES:
        measure(name)


if __name__ == "__main__":
    main()
