"""Two counts of one program's bytes that share no code: what the memories are asked for as it runs, and what the clock
expects of its accesses.  What a step over the ring reads inside LX, before it is sent, the clock does not count."""

from collections import Counter
from collections.abc import Mapping

import pytest
from torch import Tensor

from compiler.compilation import Compilation
from compiler.program import Program
from simulator.functional.execute import Execution
from simulator.functional.lifetimes import ops_of
from simulator.timing.routes import routes_of
from simulator.timing.simulate import simulate
from simulator.traffic import StepTraffic, Way
from tests.end_to_end.harness import compiled, model
from tests.end_to_end.nightly import WAYS
from tests.simulator.test_compiled_moves import compiled as moved
from tests.simulator.test_compiled_programs import numbers

Key = tuple[str, str, bool, str]
MODELS = ("softmax", "rmsnorm", "convnet", "mismatch", "C05", "C12", "C15", "C16", "C18", "C30", "C31")
WINDOWS = "convnet"
"""Its cores read windows that overlap: the clock lets each core fetch its own."""
CARRIED = (27, 45, 64, 79)
"""Plans whose divisions do not fit, so that cores send each other parts."""
LX, RING = "lx", "ring"
SHARED = {"own", "shared"}
"""Ways on which the clock moves every stick once, however many cores read it."""


def ran(program: Program, inputs: Mapping[str, Tensor]) -> tuple[StepTraffic, ...]:
    execution = Execution(program, inputs)
    for _ in execution.steps:
        execution.run()
    return execution.traffic


def counted(made: Compilation, inputs: Mapping[str, Tensor], *, once_each: bool) -> tuple[Counter[Key], Counter[Key]]:
    """What the clock expects and what was measured, access by access; what is shown of the ring has to be that."""
    trace = simulate(made.program, made.problem.device)
    sent = {op.name for op in ops_of(made.program) if op.ring}
    expected: Counter[Key] = Counter()
    measured: Counter[Key] = Counter()
    once: Counter[Key] = Counter()
    for row in trace.traffic:
        memory = row.way if row.way in (LX, RING) else "hbm"
        key = (trace.steps[row.step], trace.tensors[row.tensor], row.write, memory)
        expected[key] += row.delivered
        once[key] += row.moved if row.way in SHARED else 0
    for each in ran(made.program, inputs):
        key = (each.step, each.buffer, each.write, str(each.way))
        if each.step in sent and each.way is Way.LX and not each.write:
            continue
        measured[key] += each.delivered
        if once[key] and once_each:
            assert once[key] == each.distinct, key
    ring = trace.units.index(routes_of(made.problem.device).ring_name)
    assert int(trace.spans.bytes[trace.spans.unit == ring].sum()) == ring_of(expected).total()
    return +expected, +measured


def ring_of(counts: Counter[Key]) -> Counter[Key]:
    return Counter({key: size for key, size in counts.items() if key[-1] == RING})


@pytest.mark.parametrize(("way", "cores"), [("staged, best-fit", 4), ("staged with moves", 32)])
@pytest.mark.parametrize("name", MODELS)
def test_the_clock_and_the_memories_count_the_same_bytes(name: str, way: str, cores: int) -> None:
    made = compiled(name, cores, pipeline=WAYS[way])
    expected, measured = counted(made, model(name)[1].inputs, once_each=name != WINDOWS)
    assert measured == expected
    assert ring_of(measured) or name != WINDOWS, "its cores hand partial sums on"


@pytest.mark.parametrize("seed", CARRIED)
def test_parts_that_cores_send_each_other_count_the_same(seed: int) -> None:
    """Programs at random, in which the clock does not know what is picked by value."""
    made = moved(seed)
    assert made is not None
    expected, measured = counted(made, numbers(made.problem.program, seed)[0], once_each=False)
    assert ring_of(measured) == ring_of(expected)
    assert any(not write for _, _, write, _ in ring_of(measured))
