"""Tensors too large for a core, and pins that end nowhere: an error or a legal plan, never a wrong one."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from frozendict import frozendict

from compiler.captured import Captured
from compiler.compilation import Compilation
from compiler.device import load_device
from compiler.errors import LimitError
from compiler.frontend.load import load
from compiler.pins import Pins, PinState
from compiler.pipeline import compile_problem
from compiler.pipelines import PIPELINES
from compiler.problem import Problem
from compiler.schedule import expand
from compiler.spans import reaches_of

MODELS = """
import torch
from torch import nn
H = torch.float16

class Model(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)

def empty(*shape, dtype=H):
    return torch.empty(*shape, dtype=dtype, device="meta")

def c08():
    return Model(lambda x, y: x + y), tuple(empty(98000, 4096, dtype=torch.bfloat16) for _ in range(2))

def c09():
    return Model(torch.nn.functional.linear), (empty(1, 1, 3840), empty(262144, 3840))

def c09_weight():
    with torch.device("meta"):
        return nn.Linear(3840, 262144, bias=False).half(), (empty(1, 1, 3840),)

def c10():
    return Model(lambda x, y: x * y), (empty(32, 8192, 17408), empty(1, 8192, 17408))

def c38():
    parts = nn.Sequential(nn.Linear(256, 512), nn.GELU(), nn.Linear(512, 256))
    return parts.half().eval(), (torch.zeros(128, 256, dtype=H),)
"""


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file with the factories."""
    path = tmp_path_factory.mktemp("limits") / "limits.py"
    path.write_text(MODELS, encoding="utf-8")
    return path


@cache
def captured(path: Path, name: str) -> Captured:
    return load(f"{path}:{name}")


def problem(path: Path, name: str, cores: int, pins: Pins | None = None) -> Problem:
    return Problem(captured(path, name).program, load_device("spyre").with_cores(cores), pins or Pins())


@pytest.mark.parametrize("pipeline", PIPELINES)
@pytest.mark.parametrize("cores", [1, 2, 3, 4, 32])
@pytest.mark.parametrize("name", ["c08", "c09", "c09_weight", "c10"])
def test_a_limit_is_an_error_or_kept(models: Path, name: str, cores: int, pipeline: str) -> None:
    stated = problem(models, name, cores)
    limit = stated.device.span_limit_bytes
    found = planned(stated, captured(models, name), pipeline)
    if isinstance(found, str):
        assert f"the limit is {limit:,} B" in found
        assert "the best division found is" in found
        return
    schedule = expand(found.problem.program, found.plan)
    for step in schedule.steps:
        for reach in reaches_of(step.op, schedule, found.plan.layouts):
            assert reach.span(found.plan.divisions[step.name]) <= limit
    assert found.ok


def planned(stated: Problem, model: Captured, pipeline: str) -> Compilation | str:
    """The compilation, or the sentence of its refusal."""
    try:
        return compile_problem(model.graph, stated, pipeline=pipeline)
    except LimitError as error:
        return error.sentence


@pytest.mark.parametrize(
    ("name", "cores", "words"),
    [
        ("c08", 1, "inputs_0 needs a span of 802,816,000 B on one core"),
        ("c09", 32, "the copy of inputs_1 that linear/matmul reads needs a span of"),
        ("c10", 32, "inputs_0 needs a span of 285,212,672 B on one core"),
    ],
)
def test_a_refusal_names_op_tensor_span_and_limit(models: Path, name: str, cores: int, words: str) -> None:
    with pytest.raises(LimitError) as caught:
        compile_problem(captured(models, name).graph, problem(models, name, cores))
    assert words in caught.value.sentence
    assert "limits.py:12" in caught.value.sentence


def test_a_vocabulary_is_divided_by_columns(models: Path) -> None:
    """As a weight it is laid out with its columns outermost, and 8 parts or more of them keep the limit."""
    found = compile_problem(captured(models, "c09_weight").graph, problem(models, "c09_weight", 32))
    division = next(found.plan.divisions[op.name] for op in found.problem.program.ops if op.kind == "matmul")
    column = found.problem.program.ops[0].output_loops[-1].name
    assert division.factor(column) >= 8


def test_a_smaller_limit_is_taken_from_the_device(models: Path) -> None:
    stated = problem(models, "c08", 32)
    device = stated.device.with_number("span_limit_bytes", 20_000_000)
    with pytest.raises(LimitError, match="the limit is 20,000,000 B"):
        compile_problem(captured(models, "c08").graph, Problem(stated.program, device, Pins()))


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_every_pin_ends_with_words(models: Path, pipeline: str) -> None:
    pins = Pins(
        division=frozendict({"0.linear/matmul": frozendict({"m": 8}), "0.linear/fused": frozendict({"m": 2})}),
        tiles=frozendict({"0.linear/matmul": frozendict({"m": 2})}),
        placement=frozendict({"1.gelu": "hbm"}),
    )
    found = compile_problem(captured(models, "c38").graph, problem(models, "c38", 32, pins), pipeline=pipeline)
    states = {key: status.state for key, status in found.plan.pins.items()}
    assert states.keys() == set(pins.keys)
    assert states["division:0.linear/fused"] is states["tiles:0.linear/matmul"] is PinState.REFUSED
    assert "there is no op 0.linear/fused; the nearest name" in found.plan.pins["division:0.linear/fused"].detail
    assert "does not tile loops" in found.plan.pins["tiles:0.linear/matmul"].detail
