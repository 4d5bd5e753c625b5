"""The README: the passes and options it lists are those that exist, its pins are kept, and its limits are limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields

import pytest
import torch
from torch import Tensor, nn

from compiler.device import load_device
from compiler.errors import StudioError
from compiler.frontend.capture import capture_program, trace
from compiler.loops import ModelSource
from compiler.passes.assign_layouts import METHODS
from compiler.passes.order_dims import RULES
from compiler.pins import PinState
from compiler.pipeline import PASSES, compile_problem
from compiler.pipelines import PIPELINES
from compiler.problem import Problem
from compiler.solvers.table import SOLVERS
from compiler.stick_prices import UNITS
from spyre_studio.pins_file import parse_pins
from tests.end_to_end.harness import compiled
from tests.source_tree import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
TABLE = README.partition("| pass | what")[2].partition("\n\n")[0]
HALF = torch.float16


@pytest.mark.parametrize("name", PASSES)
def test_a_pass_is_listed_with_its_options_and_their_defaults(name: str) -> None:
    (row,) = (line for line in TABLE.splitlines() if line.count("|") == 3 and f"`{name}`" in line.split("|")[1])
    for option in fields(PASSES[name]):
        wanted = f"`{option.name}`" if option.default == "yes" else f"`{option.name}={option.default}`"
        assert wanted in row


def test_every_value_of_an_option_is_listed() -> None:
    for value in (*METHODS, *UNITS, *RULES, *SOLVERS, "free", "default", "shared", "each", "yes", "no"):
        assert f"{value}`" in TABLE, value


@pytest.mark.parametrize("name", PIPELINES)
def test_a_named_pipeline_is_described(name: str) -> None:
    assert f"- `{name}`:" in README


def test_the_pins_of_the_example_are_kept() -> None:
    pins = parse_pins(README.partition("```json\n")[2].partition("```")[0])
    states = {key: status.state for key, status in compiled("attention", 32, pins).plan.pins.items()}
    assert states == dict.fromkeys(pins.keys, PinState.HONOURED)


class Function(nn.Module):
    """A module around a function of tensors."""

    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: Tensor) -> object:
        return self.function(*inputs)


def some(*shape: int, dtype: torch.dtype = HALF) -> Tensor:
    return torch.ones(shape, dtype=dtype)


PICKS = torch.tensor([0, 2])
LIMITS: dict[str, tuple[Callable[..., object], tuple[Tensor, ...]]] = {
    "seven dims": (lambda x: x + 1, (some(2, 2, 2, 2, 2, 2, 2),)),
    "an input whose last dim has size 1": (lambda x, y: x.t() @ y, (some(70, 1), some(70, 7))),
    "a product with a single column": (lambda x, y, z: (x @ y) @ z, (some(70, 33), some(33), some(70, 9))),
    "a reduction along its stick": (lambda x, y: x.amin(-1) + y, (some(64, 64, 64), some(64, 64))),
    "heads of one token": (lambda q, k: q.view(1, 4, 80).transpose(0, 1) @ k, (some(1, 320), some(4, 80, 64))),
    "an index for each dim": (lambda x, i, j: x[i, j], (some(9, 100), PICKS, PICKS)),
    "a product over several dims": (lambda x: x.prod(), (some(7, 70),)),
    "argmax over several dims": (lambda x: x.argmax(), (some(7, 70),)),
    "argmin over several dims": (lambda x: x.argmin(), (some(7, 70),)),
    "a conversion of bytes": (lambda x: x.half(), (some(7, 70, dtype=torch.uint8),)),
    "a span": (lambda x: x.t() + 1, (some(1, 1).expand(600_000, 1024),)),
    "nonzero": (torch.nonzero, (some(5, 70),)),
    "unique": (torch.unique, (some(5, 70),)),
    "a mask": (lambda x: x[x > 0], (some(5, 70),)),
    "random numbers": (lambda x: x + torch.rand_like(x), (some(5, 70),)),
    "control flow": (lambda x: x + 1 if x.sum() > 0 else x, (some(5, 70),)),
    "float64": (lambda x: x.double(), (some(5, 70),)),
    "complex numbers": (lambda x: torch.fft.fft(x.float()).abs(), (some(5, 70),)),
}
POSSIBLE: dict[str, tuple[Callable[..., object], tuple[Tensor, ...]]] = {
    "heads of several tokens": (lambda q, k: q.view(2, 4, 80).transpose(0, 1) @ k, (some(2, 320), some(4, 80, 64))),
    "a flattened picture": (lambda x, y: x.flatten(1) @ y, (some(4, 3, 10, 10), some(300, 9))),
    "a slice": (lambda x: x[1:5, 3:70] * 2, (some(9, 133),)),
    "a Kronecker product": (torch.kron, (some(7, 3), some(3, 5))),
    "bytes as bool": (lambda x: x > 3, (some(7, 70, dtype=torch.uint8),)),
}


def plan(function: Callable[..., object], inputs: tuple[Tensor, ...]) -> None:
    captured = capture_program(trace(Function(function).eval(), inputs, {}), "model", ModelSource("model"))
    assert compile_problem(captured.graph, Problem(captured.program, load_device("spyre"))).ok


@pytest.mark.parametrize("name", LIMITS)
def test_what_cannot_be_compiled_is_refused_with_a_remedy(name: str) -> None:
    with pytest.raises(StudioError) as caught:
        plan(*LIMITS[name])
    assert caught.value.remedy


@pytest.mark.parametrize("name", POSSIBLE)
def test_what_is_read_from_copies_compiles(name: str) -> None:
    plan(*POSSIBLE[name])
