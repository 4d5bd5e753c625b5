"""How long dividing takes and what a search gains: `python -m tests.benchmarks.divisions [menus|stack|gain ...]`.

`menus`: seconds to price the full menu of every op of the decoder block.  `stack`: seconds of the dividing passes on a
stack of about 2,500 ops, each with the processor's own seconds, which alone tell on a busy machine.  `gain`: predicted
time of every example and of a four-layer decoder at sequence 1 and 512, staged against searched.
"""

from __future__ import annotations

import statistics
import sys
import time

from compiler.candidates import candidates
from compiler.compilation import Compilation
from compiler.device import load_device
from compiler.graph import ModelGraph
from compiler.pipeline import compile_problem, parse_pipeline
from compiler.plan import Plan
from compiler.problem import Problem
from compiler.unfold import unfold
from resources.examples import examples
from tests.benchmarks.layouts import MODELS, captured

GRAPH = ModelGraph("benchmark", (), (), ())
LAYERS = tuple(f"decoder_stack?layers=4&sequence={sequence}" for sequence in (1, 512))
DIVIDING = ("lift-floors", "reduce-span", "divide-matmul", "divide-rest", "improve-division")


def planned(spec: str, pipeline: str) -> Compilation:
    """A model planned for all cores of the card."""
    return compile_problem(GRAPH, Problem(captured(spec), load_device("spyre")), pipeline=pipeline)


def menus() -> None:
    """Print what a menu takes, the first time and once equal ops have been priced."""
    found = planned("decoder", "staged")
    names = [step for step in found.plan.divisions if not step.startswith("@")]
    for round_ in ("first", "again"):
        times = []
        for name in names:
            began = time.process_time()
            rows = candidates(found.problem, found.plan, name)
            times.append((time.process_time() - began, len(rows), name))
        slowest = max(times)
        middle = statistics.median(seconds for seconds, _, _ in times)
        print(f"menus of {len(names)} ops, {round_}: median {middle * 1000:.1f} ms, slowest {slowest[0] * 1000:.1f} ms")
        print(f"  (the slowest: {slowest[1]} divisions of {slowest[2]})")


def stack() -> None:
    """Print seconds of every dividing pass on the large stack."""
    device = load_device("spyre")
    problem = Problem(unfold(captured(MODELS["stack"]), device), device)
    plan = Plan(problem.program.name, device.name, device.cores, "")
    total = 0.0
    print(f"stack of {len(problem.program.ops)} ops")
    for one in parse_pipeline("searched"):
        began, worked = time.perf_counter(), time.process_time()
        plan = one(problem, plan)
        seconds, processor = time.perf_counter() - began, time.process_time() - worked
        if one.name in DIVIDING:
            total += processor
            print(f"  {one.name}: {seconds:.2f} s (processor {processor:.2f} s)")
    print(f"  all of dividing: processor {total:.2f} s")


def gain() -> None:
    """Print the table of predicted times."""
    print("| model | ops | staged | searched | gain |\n|---|---|---|---|---|")
    for spec in (*(example.name for example in examples()), *LAYERS):
        staged, searched = planned(spec, "staged"), planned(spec, "searched")
        before, after = staged.cost.total_us, searched.cost.total_us
        ops = len(staged.problem.program.ops)
        print(f"| {spec} | {ops} | {before:,.1f} µs | {after:,.1f} µs | {1 - after / before:.1%} |")


if __name__ == "__main__":
    chosen = sys.argv[1:] or ["menus", "stack", "gain"]
    for word in chosen:
        {"menus": menus, "stack": stack, "gain": gain}[word]()
