"""What the co-optimiser gains and how long it takes: `python -m tests.benchmarks.joint [--half-lx] [MODEL ...]`.

Predicted time of the examples, of a decoder block, and of four and forty layers at sequence 1 and 512, under `staged`,
`searched`, and `co-optimized` by greedy, annealing and CP-SAT; what CP-SAT proves no plan goes below, the gap to that,
and the seconds that each pass takes.  `--half-lx`: with half of the scratchpad.  Ends with 1 if a plan is slower than
the staged one, or CP-SAT slower than greedy.  On a busy machine fewer seconds of work fit into the time allowed.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from compiler.compilation import Compilation
from compiler.device import Device, load_device
from compiler.graph import ModelGraph
from compiler.passes.co_optimize import CoOptimize
from compiler.pipeline import compile_problem
from compiler.pipelines import PIPELINES
from compiler.problem import Problem
from tests.benchmarks.layouts import captured
from tests.benchmarks.window_times import calibration

GRAPH = ModelGraph("benchmark", (), (), ())
MODELS = {
    "softmax": "softmax",
    "mlp": "mlp",
    "attention": "attention",
    "rmsnorm": "rmsnorm",
    "convnet": "convnet",
    "decoder": "decoder",
    **{
        f"{layers}-layers-{sequence}": f"decoder_stack?layers={layers}&sequence={sequence}"
        for layers in (4, 40)
        for sequence in (1, 512)
    },
}
SOLVERS = ("greedy", "annealing", "cp-sat")
LONG, SECONDS, SECONDS_LONG = 1000, 10.0, 30.0
ROUNDING_US = 1e-6


@dataclass(frozen=True, slots=True)
class Line:
    """A model: its ops, predicted times (us) and seconds of the pass by pipeline, and what is proved."""

    name: str
    ops: int
    times: dict[str, float]
    seconds: dict[str, float]
    bound_us: float
    gap: float

    def __str__(self) -> str:
        times = " | ".join(f"{self.times[key]:,.1f}" for key in ("staged", "searched", *SOLVERS))
        seconds = " | ".join(f"{self.seconds[key]:.1f}" for key in SOLVERS)
        proved = f"{self.bound_us:,.1f} | {self.gap:.2%}" if self.bound_us >= 0 else "none | "
        return f"| {self.name} | {self.ops} | {times} | {proved} | {seconds} |"

    @property
    def worse(self) -> bool:
        """True if a plan is slower than one it should never be slower than."""
        rivals = [(key, "staged") for key in SOLVERS] + [("cp-sat", "greedy")]
        return any(self.times[one] > self.times[other] + ROUNDING_US for one, other in rivals)


HEAD = (
    "| model | ops | staged | searched | greedy | annealing | cp-sat | bound | gap "
    "| s greedy | s annealing | s cp-sat |\n|---|---|---|---|---|---|---|---|---|---|---|---|"
)


def halved(device: Device) -> Device:
    """The device with half of its budget in LX."""
    managed = device.count("lx_bytes") - device.count("lx_program_bytes")
    return device.with_number("lx_backend_fraction", 1 - device.lx_budget_bytes / 2 / managed)


def compiled(problem: Problem, pipeline: str) -> tuple[Compilation, float]:
    """The compilation, and seconds of its last pass."""
    found = compile_problem(GRAPH, problem, pipeline=pipeline)
    return found, next((one.seconds for one in found.log if one.spec.startswith(CoOptimize.name)), 0.0)


def measured(name: str, device: Device) -> Line:
    """A line of the table."""
    problem = Problem(captured(MODELS[name]), device)
    times, seconds = {}, {}
    ops, bound, gap = 0, -1.0, 0.0
    for key in ("staged", "searched"):
        times[key] = compile_problem(GRAPH, problem, pipeline=key).cost.total_us
    for solver in SOLVERS:
        allowed = SECONDS_LONG if len(problem.program.ops) > LONG else SECONDS
        options = f"solver={solver} seconds={allowed}"
        found, seconds[solver] = compiled(
            problem, PIPELINES["co-optimized"].replace("solver=cp-sat seconds=10.0", options)
        )
        times[solver], ops = found.cost.total_us, len(found.problem.program.ops)
        assert found.solver is not None
        bound, gap = found.solver.bound_us, found.solver.gap
    return Line(name, ops, times, seconds, bound, gap)


def main(words: list[str]) -> int:
    """All models, or those that are named."""
    unknown = [word for word in words if word not in MODELS and word != "--half-lx"]
    if unknown:
        print(f"no such model: {', '.join(unknown)}; known are {', '.join(MODELS)}")
        return 2
    device = load_device("spyre")
    device = halved(device) if "--half-lx" in words else device
    print(f"calibration {calibration():.0f} ms; LX {device.lx_budget_bytes:,} B per core; times in us\n{HEAD}")
    worse = False
    for name in [word for word in words if word in MODELS] or MODELS:
        line = measured(name, device)
        worse |= line.worse
        print(line, "WORSE" if line.worse else "", flush=True)
    return int(worse)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
