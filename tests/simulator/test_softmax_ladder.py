"""The softmax ladder: four placements of one softmax move 8MN + 4N, 8MN, 3MN and 2MN elements of device memory.

The counts are published; here they are measured in the simulated memories while the compiled program runs.
"""

from collections.abc import Mapping
from functools import cache

import pytest
import torch
from frozendict import frozendict
from torch import Tensor

from compiler.captured import Captured
from compiler.device import load_device
from compiler.frontend.capture import capture_program, tensor_inputs, trace
from compiler.loops import ModelSource
from compiler.pins import Pins
from compiler.pipeline import compile_problem
from compiler.pipelines import PIPELINES
from compiler.problem import Problem
from simulator.functional.verify import verify
from simulator.report import VerifyReport
from simulator.traffic import Way, moved
from tests.casebook import of

M, N, BYTES = 512, 1024, 2
STAGED = PIPELINES["staged"].replace("moves=no", "moves=yes")
VECTORS, MATRICES, INPUT = ("softmax/max", "softmax/sum"), ("softmax/sub", "softmax/exp"), "inputs_0"
STAGES = {
    "nothing in LX": ((), 8 * M * N + 4 * N),
    "vectors in LX": (VECTORS, 8 * M * N),
    "all intermediates in LX": ((*VECTORS, *MATRICES), 3 * M * N),
    "the input cloned, too": ((*VECTORS, *MATRICES, INPUT), 2 * M * N),
}


@cache
def model() -> tuple[Captured, Mapping[str, Tensor]]:
    x = torch.randn(M, N, generator=torch.Generator().manual_seed(1)).half()
    module, inputs = of(lambda x: torch.softmax(x, 0), x)
    traced = trace(module, inputs, {})
    ((name, *_),) = tensor_inputs(traced)
    assert name == INPUT
    return capture_program(traced, "ladder", ModelSource("ladder")), {INPUT: x}


@cache
def ran(stage: str) -> VerifyReport:
    captured, inputs = model()
    resident, _ = STAGES[stage]
    everything = (*VECTORS, *MATRICES, INPUT)
    pins = Pins(placement=frozendict({name: "lx" if name in resident else "hbm" for name in everything}))
    problem = Problem(captured.program, load_device("spyre").with_cores(1), pins)
    program = compile_problem(captured.graph, problem, pipeline=STAGED).program
    return verify(program, inputs, {"output": torch.softmax(inputs[INPUT], 0)})


@pytest.mark.parametrize("stage", STAGES)
def test_the_bytes_of_device_memory_are_those_published(stage: str) -> None:
    report = ran(stage)
    assert report.ok
    assert moved(report.traffic, Way.DEVICE_MEMORY) == STAGES[stage][1] * BYTES
    assert moved(report.traffic, Way.DEVICE_MEMORY, distinct=True) == STAGES[stage][1] * BYTES, "nothing is shared"
    assert moved(report.traffic, Way.RING) == 0


def test_what_leaves_device_memory_goes_through_lx() -> None:
    spilled, vectors, stay, cloned = (ran(stage).traffic for stage in STAGES)
    assert moved(spilled, Way.LX) == 0
    assert moved(vectors, Way.LX) == 4 * N * BYTES
    assert moved(stay, Way.LX) == (5 * M * N + 4 * N) * BYTES
    assert moved(cloned, Way.LX) == (8 * M * N + 4 * N) * BYTES, "the clone is written once and read twice"


def test_every_step_says_what_it_moved() -> None:
    rows = [(each.step, each.buffer, each.operand, each.delivered) for each in ran("nothing in LX").traffic]
    matrix, vector = M * N * BYTES, N * BYTES
    assert rows == [
        ("softmax/max", INPUT, 0, matrix),
        ("softmax/max", "softmax/max", -1, vector),
        ("softmax/sub", INPUT, 0, matrix),
        ("softmax/sub", "softmax/max", 1, vector),
        ("softmax/sub", "softmax/sub", -1, matrix),
        ("softmax/exp", "softmax/sub", 0, matrix),
        ("softmax/exp", "softmax/exp", -1, matrix),
        ("softmax/sum", "softmax/exp", 0, matrix),
        ("softmax/sum", "softmax/sum", -1, vector),
        ("softmax/div", "softmax/exp", 0, matrix),
        ("softmax/div", "softmax/sum", 1, vector),
        ("softmax/div", "softmax/div", -1, matrix),
    ]
