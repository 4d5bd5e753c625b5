"""Models that cannot be captured: one sentence each, with the call, the line and what to do."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from compiler.errors import UnsupportedError
from tests.casebook import CASES
from tests.compiler.frontend.lowered import Function, captured, noise, numbers

x = noise(4, 8)


def side(x: Tensor) -> Tensor:
    return x + 1 if x.sum() > 0 else x - 1


MODELS: dict[str, tuple[Callable[..., object], tuple[Tensor, ...], str]] = {
    "a branch on a number": (side, (x,), r"the module Function \(test_refusals.py:\d+\): it chooses by a number"),
    "a number taken out": (
        lambda x: x * x.sum().item(),
        (x,),
        r"aten.item.default \(lowered.py:\d+\): its result",
    ),
    "a result of unknown size": (
        torch.nonzero,
        (x,),
        r"aten.nonzero.default .*has the shape \[u0, 2\].*torch\.where",
    ),
    "a choice of rows": (lambda x: x[x > 0], (x,), r"aten.index.Tensor .*\[u0\].*a mask instead of picking"),
    "control flow": (
        lambda x: torch.cond(x.sum() > 0, side_of(1), side_of(-1), (x,)),
        (x,),
        r"cond \(.*\): what it computes is only known when it runs \(control flow\); .*torch.where",
    ),
    "double precision": (lambda x: x * 2, (x.double(),), r"input inputs_0: its element type is float64.*; use float16"),
    "double precision inside": (
        lambda x: (x.double() * 2).float(),
        (x,),
        r"aten.to.dtype \(.*\): its result .* float64",
    ),
    "unsigned words": (lambda x: x + 1, (torch.zeros(4, dtype=torch.uint16),), r"element type is uint16"),
    "quantised tensors": (
        lambda x: torch.quantize_per_tensor(x, 0.1, 0, torch.qint8).dequantize(),
        (x,),
        r"quantize_per_tensor.default .* quantised tensor",
    ),
    "sparse tensors": (lambda x: x.to_sparse().to_dense(), (x,), r"_to_sparse.* its result is not a dense tensor"),
    "random numbers": (
        lambda x: x + torch.rand(4, 8),
        (x,),
        r"aten.rand.default \(.*\): it draws random numbers.*pass the numbers in",
    ),
    "an end": (lambda x: sys.exit(), (x,), r"the module Function \(test_refusals.py:\d+\): it ends the process"),
    "no result": (lambda x: None, (x,), r"this model: it returns no tensor"),
    "a tensor without elements": (lambda x: x[:0] * 2, (x,), r"mul \(.*\): it makes a tensor without elements"),
    "shapes that do not fit": (
        lambda x: x @ x,
        (x,),
        r"the module Function .*: PyTorch cannot trace it \(.*\); change",
    ),
}


def side_of(step: int) -> Callable[[Tensor], Tensor]:
    return lambda x: x + step


@pytest.mark.parametrize("name", MODELS)
def test_is_refused_in_one_sentence(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    model, inputs, sentence = MODELS[name]
    with pytest.raises(UnsupportedError) as refused:
        captured(model, *inputs)
    text = refused.value.sentence
    assert re.search(sentence, text), text
    assert len(text) < 400
    assert not re.search(r"\n|Traceback|/", text.replace("and/or", "")), text
    assert capfd.readouterr() == ("", "")


def test_complex_numbers_are_refused_by_name() -> None:
    """C42."""
    module, inputs = CASES["C42"]()
    with pytest.raises(UnsupportedError, match="its element type is complex64, which the device has no format for"):
        captured(module, *inputs)


def test_open_sizes_are_refused_by_name() -> None:
    """C37: whoever opens the file gives a size; a trace with a symbol is not taken."""
    from compiler.frontend.capture import capture_program
    from compiler.loops import ModelSource

    size = torch.export.Dim("n", min=2, max=512)
    program = torch.export.export(Function(lambda x: x + 1), (x,), dynamic_shapes=(({0: size},),))
    with pytest.raises(UnsupportedError, match=r"has the shape \[s\d+, 8\].*capture the model again with fixed sizes"):
        capture_program(program, "open", ModelSource("open"))


def test_dropout_of_an_evaluated_module_is_nothing() -> None:
    found = captured(nn.Sequential(nn.Dropout(0.5), nn.ReLU()), x)
    assert [op.name for op in found.program.ops] == ["1.relu"]


def test_views_over_memory_need_the_memory_they_were_made_for() -> None:
    """as_strided counts elements of storage, which for a computed tensor is the compiler's own matter."""
    assert [op.name for op in captured(lambda x: (x * 2).as_strided((2, 2), (1, 8)), x).program.ops] == ["mul"]
    with pytest.raises(UnsupportedError, match="as_strided"):
        captured(lambda x: (x.t() * 2).as_strided((2, 2), (1, 8)), x)


def test_an_index_that_is_nested_too_deep_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from compiler.frontend import body
    from compiler.frontend.index import IndexFormError

    def refuse(*arguments: object) -> object:
        raise IndexFormError("(i//2 + j)//3")

    monkeypatch.setattr(body, "to_index", refuse)
    with pytest.raises(UnsupportedError, match=r"aten.mul.Tensor .*not affine with one division \(\(i//2 \+ j\)//3\)"):
        captured(lambda x: x * 2, x)


def test_integer_inputs_are_fine() -> None:
    assert captured(lambda i: i + 1, numbers(9, 4)).program.ops
