"""Two counts of one program's bytes that share no code: what the memories are asked for as it runs, and what the clock
expects of its accesses.  Ring copies are left out: the clock sends a core its own part, too."""

from collections import Counter

import pytest

from compiler.program import Program
from simulator.functional.execute import Execution
from simulator.functional.lifetimes import ops_of
from simulator.timing.simulate import simulate
from simulator.traffic import StepTraffic, Way
from tests.end_to_end.harness import compiled, model
from tests.end_to_end.nightly import WAYS

Key = tuple[str, str, bool, str]
MODELS = ("softmax", "rmsnorm", "convnet", "mismatch", "C05", "C12", "C15", "C16", "C18", "C30", "C31")
WINDOWS = "convnet"
"""Its cores read windows that overlap: the clock lets each core fetch its own."""
LX = "lx"
SHARED = {"own", "shared"}
"""Ways on which the clock moves every stick once, however many cores read it."""


def ran(program: Program, name: str) -> tuple[StepTraffic, ...]:
    execution = Execution(program, model(name)[1].inputs)
    for _ in execution.steps:
        execution.run()
    return execution.traffic


@pytest.mark.parametrize(("way", "cores"), [("staged, best-fit", 4), ("staged with moves", 32)])
@pytest.mark.parametrize("name", MODELS)
def test_the_clock_and_the_memories_count_the_same_bytes(name: str, way: str, cores: int) -> None:
    made = compiled(name, cores, pipeline=WAYS[way])
    trace = simulate(made.program, made.problem.device)
    carried = {op.name for op in ops_of(made.program) if op.ring}
    expected: Counter[Key] = Counter()
    measured: Counter[Key] = Counter()
    once: Counter[Key] = Counter()
    for row in trace.traffic:
        step = trace.steps[row.step]
        if step not in carried:
            memory = row.way if row.way in (LX, "ring") else "hbm"
            key = (step, trace.tensors[row.tensor], row.write, memory)
            expected[key] += row.delivered
            once[key] += row.moved if row.way in SHARED else 0
    for each in ran(made.program, name):
        key = (each.step, each.buffer, each.write, str(each.way))
        if each.step not in carried and each.way is not Way.RING:
            measured[key] += each.delivered
            if once[key] and name != WINDOWS:
                assert once[key] == each.distinct, key
    assert measured == expected
