"""Checks at run time are left out with their tokens; what else has effects or is no tensor is refused by name."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from torch.export.graph_signature import InputKind

from compiler.errors import UnsupportedError
from compiler.frontend.capture import decomposed
from compiler.frontend.effects import without_tokens
from compiler.frontend.model_graph import model_graph
from compiler.loops import OpKind
from tests.compiler.frontend.lowered import captured, loops, noise, traced

square = noise(4, 4) + 4 * torch.eye(4)
MODELS: dict[str, tuple[Callable[..., Tensor], tuple[Tensor, ...], str]] = {
    "inv": (torch.linalg.inv, (square,), "aten.linalg_inv_ex.default"),
    "solve": (torch.linalg.solve, (square, noise(4, 2)), "aten._linalg_solve_ex.default"),
    "cholesky": (lambda x: torch.linalg.cholesky(x @ x.T) + 1, (square,), "aten.linalg_cholesky_ex.default"),
    "two in a row": (
        lambda x, y: torch.linalg.inv(torch.linalg.solve(x, y)),
        (square, square + 1),
        "aten.linalg_inv_ex.default",
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_check_is_left_out_with_its_token(name: str) -> None:
    function, inputs, target = MODELS[name]
    program = loops(function, *inputs)
    assert target in {op.call.target for op in program.ops if op.kind is OpKind.OPAQUE and op.call}
    assert [output.shape for output in program.outputs] == [tuple(function(*inputs).shape)]
    assert {buffer.name for buffer in program.buffers if buffer.kind == "input"} == {
        f"inputs_{place}" for place in range(len(inputs))
    }


def test_a_program_without_tokens_stays_as_it_is() -> None:
    simple = decomposed(traced(torch.relu, square))
    assert without_tokens(simple) is simple


def test_another_effect_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("compiler.frontend.effects._CHECKS", ("aten.other.",))
    with pytest.raises(UnsupportedError, match=r"aten._linalg_check_errors.default.*: it does more than compute"):
        captured(torch.linalg.inv, square)


def test_an_object_that_is_no_tensor_is_refused() -> None:
    program = traced(lambda x, n: x * n, square, 2)
    program.graph_signature.input_specs[1].kind = InputKind.CUSTOM_OBJ
    with pytest.raises(UnsupportedError, match="an input of the kind custom_obj; pass tensors only"):
        model_graph("m", program)
