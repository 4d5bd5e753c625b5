"""Products of narrow floats in the reference: computed in fp32, rounded once; everything else as it is."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

from compiler.frontend.eager import run
from compiler.frontend.widened import is_widened, widened
from tests.compiler.frontend.lowered import traced

aten = torch.ops.aten


class Seen(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Notes the types of the floats that go into each product."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.kinds: set[torch.dtype] = set()

    def __torch_dispatch__(
        self, func: Callable[..., object], types: object, args: tuple[object, ...] = (), kwargs: object = None
    ) -> object:
        if any(word in str(func) for word in ("mm", "convolution", "attention")):
            self.kinds |= {arg.dtype for arg in args if isinstance(arg, Tensor)}
        return func(*args, **(kwargs or {}))  # type: ignore[arg-type]


class Products(nn.Module):
    """One of each."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(8, 8)
        self.conv = nn.Conv1d(4, 4, 3)

    def forward(self, x: Tensor) -> Tensor:
        y = torch.baddbmm(x, x, torch.einsum("bij,bjk->bik", x, x).mT) @ self.linear(x)
        heads = y.reshape(1, 4, 8, 8)
        result: Tensor = self.conv(nn.functional.scaled_dot_product_attention(heads, heads, heads)[0, :, :4])
        return result


def test_no_product_of_the_reference_is_narrow() -> None:
    program = traced(Products().half(), torch.zeros(4, 8, 8).half())
    with Seen() as seen:
        found = run(program, {}, 0)
    assert seen.kinds == {torch.float32}
    assert all(value.dtype is torch.float16 for value in found.outputs.values())


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16])
def test_it_is_rounded_once(kind: torch.dtype) -> None:
    generator = torch.Generator().manual_seed(0)
    x, y, z = (torch.randn(32, 32, generator=generator).to(kind) for _ in range(3))
    found = widened(aten.addmm.default, (x, y, z), {"beta": 0.3})
    assert isinstance(found, Tensor)
    assert torch.equal(found, torch.addmm(x.float(), y.float(), z.float(), beta=0.3).to(kind))


def test_the_product_of_a_row_is_rounded_once() -> None:
    x = (1 + torch.randn(5, 200, generator=torch.Generator().manual_seed(0)) / 16).half()
    assert is_widened(aten.prod.dim_int, (x, 1), {})
    found = widened(aten.prod.dim_int, (x, 1), {})
    assert isinstance(found, Tensor)
    assert torch.equal(found, x.float().prod(1).half())
    assert not torch.equal(found, x.prod(1)), "PyTorch rounds at every factor"


@pytest.mark.parametrize(
    ("target", "args"),
    [
        (aten.mm.default, (torch.zeros(2, 2), torch.zeros(2, 2))),
        (aten.mm.default, (torch.zeros(2, 2, dtype=torch.int64),) * 2),
        (aten.mm.dtype, (torch.zeros(2, 2).half(), torch.zeros(2, 2).half(), torch.float32)),
        (aten.add.Tensor, (torch.zeros(2).half(), torch.zeros(2).half())),
        (aten.exp.default, (torch.zeros(2).half(),)),
    ],
)
def test_other_calls_are_left_to_pytorch(target: Callable[..., object], args: tuple[object, ...]) -> None:
    assert not is_widened(target, args, {})
