"""Remedies: what a refusal tells the author to do makes the model compile, with the right numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
import torch
from frozendict import frozendict
from torch import Tensor, nn
from torch.nn.functional import linear, scaled_dot_product_attention

from compiler.compilation import Compilation
from compiler.device import load_device
from compiler.errors import UnsupportedError
from compiler.frontend.capture import capture_program, tensor_inputs, trace
from compiler.frontend.eager import run
from compiler.loops import ModelSource
from compiler.pins import Pins
from compiler.pipeline import compile_problem
from compiler.problem import Problem
from simulator.functional.verify import verify
from simulator.report import describe

HALF = torch.float16
Call = Callable[..., object]


class Function(nn.Module):
    """A module around a function of tensors."""

    def __init__(self, function: Call) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: Tensor) -> object:
        return self.function(*inputs)


def noise(*shape: int) -> Tensor:
    """Normal values, the same in each run."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(7)).to(HALF)


def heads(count: int, size: int) -> Call:
    """Attention over heads side by side."""

    def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        q, k, v = (part.view(1, -1, count, size).transpose(1, 2) for part in (query, key, value))
        return scaled_dot_product_attention(q, k, v)

    return attention


@dataclass(frozen=True)
class Row:
    """A model that is refused, words of the remedy, and the model after it was followed."""

    name: str
    refused: Call
    inputs: tuple[Tensor, ...]
    words: str
    followed: Call
    changed: tuple[Tensor, ...] = ()
    pins: frozendict[str, int] = field(default_factory=frozendict)


PICKED = (torch.tensor([3, 0, 8, 3]), torch.tensor([99, 5, 64, 0]))
ROWS = (
    Row(
        *("a column", lambda a, b: a.reshape(70) @ b, (noise(70, 1), noise(70, 7))),
        *("pass inputs_0 as [1, 70], not [70, 1]", lambda a, b: a.reshape(70) @ b, (noise(1, 70), noise(70, 7))),
    ),
    Row(
        *("a column turned", lambda a, b: a.t() @ b, (noise(67, 1), noise(67, 7))),
        *("pass inputs_0 as [1, 67], not [67, 1]", lambda a, b: a @ b, (noise(1, 67), noise(67, 7))),
    ),
    Row(
        *("a column behind other ops", lambda a, b: (a * 2).amax(0).t() @ b, (noise(4, 70, 1), noise(70, 7))),
        *("pass inputs_0 as [4, 1, 70], not", lambda a, b: (a * 2).amax(0) @ b, (noise(4, 1, 70), noise(70, 7))),
    ),
    Row(
        *("a column beside others", lambda a, b: torch.cat([a, b], 1) * 2, (noise(5, 1), noise(5, 4))),
        *("pass inputs_0 as [1, 5], not [5, 1]", lambda a, b: torch.cat([a.mT, b], 1) * 2, (noise(1, 5), noise(5, 4))),
    ),
    Row(
        "a column of means beside others",
        lambda a, b: torch.cat([a.mean(1).float().half(), b * 2], 1),
        (noise(5, 9, 1), noise(5, 4)),
        "pass inputs_0 as [9, 1, 5], not [5, 9, 1]",
        lambda a, b: torch.cat([a.permute(2, 0, 1).mean(1).float().half(), b * 2], 1),
        (noise(9, 1, 5), noise(5, 4)),
    ),
    Row(
        *("one column", lambda a, b, c: (a @ b).t() @ c, (noise(70, 33), noise(33, 1), noise(70, 9))),
        "write matmul as y.mT @ x.mT, not as x @ y, so that its values fill sticks, and pass inputs_1 as [1, 33]",
        *(lambda a, b, c: (b @ a.mT) @ c, (noise(70, 33), noise(1, 33), noise(70, 9))),
    ),
    Row(
        *("a vector", lambda a, b, c: (a @ b) @ c, (noise(70, 33), noise(33), noise(70, 9))),
        *("write matmul as y.mT @ x.mT", lambda a, b, c: (b[None] @ a.mT) @ c),
    ),
    Row(
        "attention pooling",
        lambda x, w, b: linear(x, w, b).squeeze(-1).softmax(-1).unsqueeze(1) @ x,
        (noise(3, 70, 100), noise(1, 100), noise(1)),
        "write linear/matmul as weight @ x.mT + bias[:, None], not as a Linear",
        lambda x, w, b: (w @ x.mT + b[:, None]).softmax(-1) @ x,
    ),
    Row(
        "a softmax over one element",
        lambda a, b, c: a.transpose(0, 2) + (b @ c).softmax(2),
        (noise(1, 5, 64), noise(64, 5, 5), noise(64, 5, 1)),
        "write matmul as y.mT @ x.mT, not as x @ y, so that its values fill sticks, and pass inputs_2 as [64, 1, 5]",
        lambda a, b, c: a.transpose(0, 2) + (c @ b.mT).mT.softmax(2),
        (noise(1, 5, 64), noise(64, 5, 5), noise(64, 1, 5)),
    ),
    Row(
        "one output channel",
        lambda x, w, v: nn.functional.conv2d(x, w)[:, 0] @ v,
        (noise(2, 3, 9, 11), noise(1, 3, 3, 3), noise(9, 5)),
        "give conv at least 2 output channels",
        lambda x, w, v: nn.functional.conv2d(x, w)[:, 0] @ v,
        (noise(2, 3, 9, 11), noise(2, 3, 3, 3), noise(9, 5)),
    ),
    Row(
        *("heads of one token", heads(4, 80), (noise(1, 1, 320), noise(1, 10, 320), noise(1, 10, 320))),
        "make j, which is 80 here, a multiple of 64 (128), or read more than one row of inputs_0 at a time (the size "
        "of a head, and a row is a token)",
        *(heads(4, 128), (noise(1, 1, 512), noise(1, 10, 512), noise(1, 10, 512))),
    ),
    Row(
        *("heads of two tokens", heads(4, 80), (noise(1, 1, 320), noise(1, 10, 320), noise(1, 10, 320))),
        *("or read more than one row of inputs_0 at a time", heads(4, 80)),
        (noise(1, 2, 320), noise(1, 10, 320), noise(1, 10, 320)),
    ),
    Row(
        *(
            "heads without attention",
            lambda q, k: q.view(1, 4, 80).transpose(0, 1) @ k,
            (noise(1, 320), noise(4, 80, 64)),
        ),
        "make k, which is 80 here, a multiple of 64 (128), or read more than one row of inputs_0",
        *(lambda q, k: q.view(2, 4, 80).transpose(0, 1) @ k, (noise(2, 320), noise(4, 80, 64))),
    ),
    Row(
        *("an element by two indices", lambda x, i, j: x[i, j], (noise(9, 100), *PICKED)),
        "pick rows of inputs_0 first and one value of each row then, inputs_0[i].gather(-1, j.unsqueeze(-1))",
        lambda x, i, j: x[i].gather(-1, j.unsqueeze(-1)),
    ),
    Row(
        *("by three indices", lambda x, i, j, k: x[i, j, k], (noise(9, 100, 5), *PICKED, torch.tensor([4, 0, 1, 1]))),
        *("inputs_0[i, j].gather(-1, k.unsqueeze(-1))", lambda x, i, j, k: x[i, j].gather(-1, k.unsqueeze(-1))),
    ),
    Row(
        *("a product of everything", lambda x: x.prod(), (noise(7, 70),)),
        *("reduce along one dim after the other", lambda x: x.prod(0).prod(0)),
    ),
    Row(
        *("the largest of everything", lambda x: x.argmax(), (noise(7, 70),)),
        *("reduce along one dim after the other", lambda x: (x.amax(1).argmax(0), x.argmax(1))),
    ),
    Row(
        *("a diagonal", lambda x: x.diagonal(3)[1:] * 2, (noise(80, 133),)),
        *("start the slice at a multiple of 64 along i;", lambda x: x.diagonal(3)[64:] * 2),
    ),
    Row(
        *("a flat function", lambda x, y: (x * 1).reshape(2100) + y, (noise(70, 30), noise(2100))),
        *("make dim 1 of mul, 30 here, a multiple of 64 (64)", lambda x, y: (x * 1).reshape(4480) + y),
        (noise(70, 64), noise(4480)),
    ),
    Row(
        *("bytes", lambda x, y: x.half() + y, (torch.ones(7, 70, dtype=torch.uint8), noise(7, 70))),
        *(
            "convert inputs_0 to float16 before it enters the model",
            lambda x, y: x.half() + y,
            (noise(7, 70), noise(7, 70)),
        ),
    ),
    Row(
        *("a reduced tensor", lambda a, b: a.amin(-1) + b, (noise(64, 64, 64), noise(64, 64))),
        *("pin the layout of the reduced tensor to one of its dims", lambda a, b: a.amin(-1) + b, ()),
        frozendict({"min": 1}),
    ),
    Row(
        "a reduced tensor, converted",
        *(lambda a, b: (a.mean(2).float() + b.relu()).half(), (noise(5, 64, 70), noise(5, 64))),
        "to one of its dims, so that mean/sum is not reduced along the stick",
        *(lambda a, b: (a.mean(2).float() + b.relu()).half(), ()),
        frozendict({"mean/sum": 0}),
    ),
)


def compiled(function: Call, inputs: tuple[Tensor, ...], pins: frozendict[str, int]) -> Compilation:
    traced = trace(Function(function).eval(), inputs, {})
    captured = capture_program(traced, "model", ModelSource("model"))
    return compile_problem(
        captured.graph, Problem(captured.program, load_device("spyre").with_cores(3), Pins(layout=pins))
    )


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_remedy_is_told(row: Row) -> None:
    with pytest.raises(UnsupportedError) as caught:
        compiled(row.refused, row.inputs, frozendict())
    assert row.words in caught.value.sentence


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_remedy_works(row: Row) -> None:
    inputs = row.changed or row.inputs
    traced = trace(Function(row.followed).eval(), inputs, {})
    users = [entry[0] for entry in tensor_inputs(traced) if entry[1].kind.name == "USER_INPUT"]
    known = run(traced, dict(zip(users, inputs, strict=True)), 0)
    report = verify(compiled(row.followed, inputs, row.pins).program, known.inputs, known.outputs)
    assert report.ok, describe(report)
