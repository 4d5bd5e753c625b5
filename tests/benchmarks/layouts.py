"""How long layouts take and how good they are: `python -m tests.benchmarks.layouts [decoder|stack|gap ...]`.

Times everything between a captured model and its final layouts (views, sticks, copies, orders, padding) for a decoder
block and for a stack of about 2,500 ops: the median of five runs, after a first one.  On a busy machine only the
processor's seconds tell.  Beside it what each method claims: objective, bound, gap and how many states it looked at.
`gap` compares beams of several widths with the optimum on the random graphs of the tests.  Captures are kept in the
folder for temporary files.
"""

from __future__ import annotations

import hashlib
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from compiler.captured import Captured
from compiler.codec import from_json, to_json
from compiler.cost.requests import copy_us
from compiler.device import load_device
from compiler.errors import StudioError
from compiler.loops import LoopProgram
from compiler.passes.assign_layouts import AssignLayouts
from compiler.pins import Pins
from compiler.pipeline import Pass, parse_pipeline
from compiler.plan import Claim, EditKind, Plan
from compiler.problem import Problem
from compiler.schedule import expand
from compiler.unfold import unfold
from tests.benchmarks.window_times import calibration
from tests.programs import problem_of
from tests.stick_graphs import PLANNED, SEEDS, stick_graph

ROOT = Path(__file__).parents[2]
MODELS = {"decoder": "decoder", "stack": "decoder_stack?layers=51&hidden=4096"}
FIRST_AFTER_LAYOUTS = "reduce-span"
METHODS = tuple(
    AssignLayouts(method=method, cost=cost) for cost in ("elements", "time") for method in ("exact", "beam")
)
WIDTHS = (200, 50, 10, 4, 2, 1)
RUNS = 5


@dataclass(frozen=True, slots=True)
class Timed:
    """Seconds by pass, processor seconds of all of them, the problem and the plan they led to."""

    seconds: dict[str, float]
    processor: float
    problem: Problem
    plan: Plan

    @property
    def total(self) -> float:
        """Seconds of all of them."""
        return sum(self.seconds.values())


def captured(spec: str) -> LoopProgram:
    """The program of a model; from a file of an earlier run of this very code, if there is one."""
    sources = sorted(
        [*ROOT.glob("compiler/*.py"), *ROOT.glob("compiler/frontend/*.py"), *ROOT.glob("resources/models/*.py")]
    )
    digest = hashlib.sha256("".join([spec, *(path.read_text("utf-8") for path in sources)]).encode()).hexdigest()
    path = Path(tempfile.gettempdir()) / f"spyre-studio-benchmark-{digest[:16]}.json"
    if path.exists():
        return from_json(Captured, path.read_text("utf-8")).program
    from compiler.frontend.load import load

    model = load(spec)
    path.write_text(to_json(model), encoding="utf-8")
    return model.program


def passes(assign: AssignLayouts) -> tuple[Pass, ...]:
    """The passes that settle layouts, with another first one."""
    staged = parse_pipeline("staged")
    names = [one.name for one in staged]
    return (assign, *staged[1 : names.index(FIRST_AFTER_LAYOUTS)])


def layouts(program: LoopProgram, assign: AssignLayouts) -> Timed:
    """The final layouts of a program, timed."""
    device = load_device("spyre")
    began, worked = time.perf_counter(), time.process_time()
    problem = Problem(unfold(program, device), device, Pins())
    seconds = {"unfold": time.perf_counter() - began}
    plan = Plan(program.name, device.name, device.cores, "")
    for one in passes(assign):
        began = time.perf_counter()
        plan = one(problem, plan)
        seconds[one.name] = time.perf_counter() - began
    return Timed(seconds, time.process_time() - worked, problem, plan)


def measure(name: str) -> None:
    """Print what layouts of a model cost in seconds, and what they are worth."""
    program = captured(MODELS[name])
    print(f"{name}: {len(program.ops)} ops, {len(program.buffers)} buffers")
    for assign in METHODS:
        first, *others = [layouts(program, assign) for _ in range(1 + RUNS)]
        claim = first.plan.claims[AssignLayouts.name]
        middle, worked = (
            statistics.median(times) for times in zip(*((t.total, t.processor) for t in others), strict=True)
        )
        times = f"{middle:.3f} s (processor {worked:.3f} s, first run {first.total:.3f} s)"
        print(f"  {assign.method} {assign.cost}: {times}; {words(claim)}")
        steps = {key: statistics.median(one.seconds[key] for one in others) for key in first.seconds}
        print("    " + ", ".join(f"{key} {seconds:.3f} s" for key, seconds in steps.items()))
        print("    " + copies(first))


def copies(timed: Timed) -> str:
    """How many copies of each kind there are, their host elements and their time."""
    plan, device = timed.plan, timed.problem.device
    buffers = expand(timed.problem.program, plan).buffers
    parts = []
    for kind in EditKind:
        edits = [edit for edit in plan.edits if edit.kind is kind]
        elements = sum(buffers[edit.source].elements for edit in edits)
        times = (copy_us(device, buffers[e.source], plan.layouts[e.source], plan.layouts[e.target]) for e in edits)
        parts.append(f"{len(edits)} {kind} ({elements:,} elements, {sum(times):.1f} µs)")
    return ", ".join(parts)


def words(claim: Claim) -> str:
    """A claim on one line."""
    proof = "proved" if claim.gap == 0 else f"gap {claim.gap:.2%}"
    return f"{claim.objective:,} {claim.unit}, bound {claim.bound:,} ({proof}), {claim.states:,} states"


def gap() -> None:
    """Print how far beams are from the optimum on the random graphs of the tests."""
    graphs = [(problem_of(graph.program), graph.weights) for graph in map(stick_graph, SEEDS)]
    best = [(problem, weights, claim_of(problem, AssignLayouts(weights=weights))) for problem, weights in graphs]
    solved = [(problem, weights, claim) for problem, weights, claim in best if claim is not None][:PLANNED]
    proved = sum(claim.gap == 0 for *_, claim in solved)
    needy = sum(claim.objective > 0 for *_, claim in solved)
    print(f"gap: {len(solved)} random graphs, optimum proved on {proved}, {needy} need copies")
    for width in WIDTHS:
        beam = AssignLayouts(method="beam", width=width)
        pairs = [
            (claim_of(problem, replace(beam, weights=weights)), claim.objective) for problem, weights, claim in solved
        ]
        found = [(claim, least) for claim, least in pairs if claim is not None]
        print(f"  width {width:3}: {gap_words([(claim.objective, least) for claim, least in found])}, " + stuck(pairs))


def claim_of(problem: Problem, assign: AssignLayouts) -> Claim | None:
    """What a method claims; None if it is refused."""
    try:
        return assign(problem, Plan(problem.program.name, "spyre", 32, "")).claims[AssignLayouts.name]
    except StudioError:
        return None


def gap_words(pairs: Iterable[tuple[int, int]]) -> str:
    """Share of graphs at their optimum, mean and largest gap, of pairs (found, least)."""
    gaps = [(found - least) / found if found else 0.0 for found, least in pairs]
    at_least = sum(one == 0 for one in gaps)
    return f"{at_least} at the optimum, gap {statistics.fmean(gaps):.3%} on average, {max(gaps):.1%} at most"


def stuck(pairs: list[tuple[Claim | None, int]]) -> str:
    """How many graphs a beam found nothing for."""
    return f"{sum(claim is None for claim, _ in pairs)} without a result"


def main() -> None:
    """All sections, or those that are named."""
    chosen = sys.argv[1:] or [*MODELS, "gap"]
    print(f"calibration {calibration():.0f} ms")
    for name in chosen:
        if name == "gap":
            gap()
        else:
            measure(name)


if __name__ == "__main__":
    main()
