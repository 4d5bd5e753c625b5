"""Steps of the device that are one per cent off are found, however much of a per cent rounding costs the whole model.

The outputs of some models (peaked softmax, long chains, sums of what was centred) may be off by more than that from
rounding alone, so that PyTorch's outputs say nothing.  Every step is judged by itself on what it read, where rounding
is small; so all steps of a model can be wrong at once, and each has to be found.
"""

from __future__ import annotations

from functools import cache

import pytest
import torch
from torch import Tensor

from compiler.loops import LoopOp, OpKind
from simulator.functional.fold import fold
from simulator.functional.space import Space
from simulator.report import Agreement
from tests.end_to_end.rounding_models import HALF, NAMES, model
from tests.simulator.compiled_cases import Compiled, prepared

LOST = {("centred sum", torch.float32): "sum", ("mean of a norm", torch.float32): "mean/sum"}
"""Sums of which nothing is left but what rounding made of their terms."""


@cache
def planned(name: str, dtype: torch.dtype) -> Compiled:
    return prepared(model(name, dtype), 3)


@pytest.fixture
def wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """The device makes every float one per cent too large; what judges it does not."""

    def off(op: LoopOp, space: Space, values: list[Tensor]) -> Tensor:
        found = fold(op, space, values)
        return found * 1.01 if found.dtype.is_floating_point else found

    monkeypatch.setattr("simulator.functional.execute.fold", off)


@pytest.mark.usefixtures("wrong")
@pytest.mark.parametrize("dtype", [HALF, torch.float32], ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_every_step_that_is_one_per_cent_off_is_corrupted(name: str, dtype: torch.dtype) -> None:
    case = planned(name, dtype)
    report = case.judge()
    assert report.ok == (name == "transposed convolution"), "the host runs that one"
    for step in report.steps:
        called = case.steps[step.step].op.kind is OpKind.OPAQUE
        stays = not step.comparison.differing or LOST.get((name, dtype)) == step.step  # zeros, infinities, integers
        expected = step.comparison.agreement if called or stays else Agreement.CORRUPTED
        assert step.comparison.agreement is expected, (step.step, step.comparison)


@pytest.mark.parametrize("dtype", [HALF, torch.float32], ids=str)
@pytest.mark.parametrize("name", ["large logits", "layers", "centred sum"])
def test_right_steps_are_equal_or_rounded(name: str, dtype: torch.dtype) -> None:
    """The same models are right if the device is."""
    report = planned(name, dtype).judge()
    assert report.ok
    assert {step.comparison.agreement for step in report.steps} <= {Agreement.EQUAL, Agreement.ROUNDING}
