"""Specs of models and factories: what is run, how, and what is said when it cannot be."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensor

from compiler.errors import InputError, StudioError
from compiler.frontend.factory import build
from compiler.frontend.load import load, notes
from compiler.frontend.specs import ArchiveSpec, FactorySpec, read_spec
from resources.examples import bundled_script

SCRIPT = """
import sys
import torch
from torch import nn
from neighbour import WIDTH

def plain():
    return nn.Linear(WIDTH, 4), (torch.zeros(2, WIDTH),)

def half():
    module = nn.Linear(WIDTH, 4).half()
    return module, (torch.zeros(2, WIDTH, dtype=torch.float16),)

def double_default():
    torch.set_default_dtype(torch.bfloat16)
    return nn.Linear(WIDTH, 4), (torch.zeros(2, WIDTH, dtype=torch.bfloat16),)

def huge():
    return nn.Linear(1 << 20, 1 << 20), (torch.zeros(2, 1 << 20, device="meta"),)

class Reads(nn.Module):
    def __init__(self, device):
        super().__init__()
        self.rates = [rate.item() for rate in torch.linspace(0, 1, 4, device=device)]
        self.table = torch.ones(WIDTH)
        self.linear = nn.Linear(WIDTH, WIDTH)
    def forward(self, x):
        return self.linear(x) * self.rates[1] + self.table

def reads_numbers():
    return Reads(None), (torch.zeros(2, WIDTH),)

def reads_numbers_on_cpu():
    return Reads("cpu"), (torch.zeros(2, WIDTH),)

class Named(nn.Module):
    def forward(self, x, *, scale, times):
        return x * scale * times

def keywords():
    return Named(), (torch.zeros(3),), {"scale": torch.zeros(3), "times": 2}

def sized(rows=2, scale=1.5, double=False, label="x"):
    assert label in {"x", "wide"}, label
    print("to stdout"); print("to stderr", file=sys.stderr)
    return nn.ReLU(), (torch.zeros(rows * (2 if double else 1), 3),)

def fails():
    raise RuntimeError("out of luck\\nand of lines")

def exits():
    sys.exit(0)

def returns_module():
    return nn.ReLU()

def returns_number():
    return 3, ()

def returns_text():
    return nn.ReLU(), "x"

def _private():
    pass
"""


@pytest.fixture
def script(tmp_path: Path) -> str:
    (tmp_path / "neighbour.py").write_text("WIDTH = 8\n", encoding="utf-8")
    path = tmp_path / "some model.py"
    path.write_text(SCRIPT, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("name", ["plain", "half", "double_default", "reads_numbers", "reads_numbers_on_cpu", "huge"])
def test_weights_stay_fake(script: str, name: str) -> None:
    spec = read_spec(f"{script}:{name}")
    assert isinstance(spec, FactorySpec)
    made = build(spec)
    tensors = [*made.module.parameters(), *made.args]
    assert all(isinstance(tensor, FakeTensor) for tensor in tensors)
    assert torch.get_default_dtype() is torch.float32
    assert not torch.__future__.get_overwrite_module_params_on_conversion()


def test_models_are_captured(script: str) -> None:
    captured = load(f"{script}:reads_numbers")
    assert captured.program.name == "reads_numbers"
    assert [op.name for op in captured.program.ops] == ["linear.linear/matmul", "linear.linear/add", "mul", "add"]
    assert captured.program.buffer_map["table"].kind == "constant"
    halved = load(f"{script}:half").program
    assert {buffer.dtype.torch_name for buffer in halved.buffers} == {"float16"}
    assert str(Path(script).parent) not in sys.path


def test_keyword_arguments_are_inputs(script: str) -> None:
    program = load(f"{script}:keywords").program
    assert [buffer.name for buffer in program.buffers] == ["x", "scale", "mul", "mul.2"]


def test_parameters_of_a_factory(script: str) -> None:
    spec = read_spec(f"{script}:sized?rows=3&scale=2.5&double=true&label=wide")
    assert isinstance(spec, FactorySpec)
    assert spec.parameters == (("rows", 3), ("scale", 2.5), ("double", True), ("label", "wide"))
    assert build(spec, real=True).args[0].shape == (6, 3)  # type: ignore[attr-defined]


def test_bundled_scripts_take_parameters() -> None:
    script = bundled_script("decoder")
    assert script is not None
    assert read_spec("decoder?sequence=64") == FactorySpec(script, "factory", (("sequence", 64),))
    assert read_spec("decoder") == ArchiveSpec(script.with_suffix(".pt2"))
    assert isinstance(read_spec("decoder_stack"), FactorySpec)


def test_code_that_is_run_is_announced(script: str) -> None:
    assert notes("softmax") == ()
    assert notes("softmax?rows=64") == ()
    assert notes(f"{script}:plain") == (f"{script} is run as a program with your rights, because it builds the model.",)


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        ("fails", r":fails: fails\(\) failed with RuntimeError at some model.py:\d+ \(out of luck\); correct the"),
        ("returns_module", r"it returns ReLU, not a pair; return \(module, example_args\) or"),
        ("returns_number", r"the first thing it returns is int, not a torch.nn.Module"),
        ("returns_text", r"its arguments are not a tuple"),
        ("missing", r"it has no function missing; choose one of plain, half, .*returns_text\."),
        ("sized?rows", r"the parameters 'rows' are not name=value"),
        ("sized?columns=3", r"sized: it has no parameter columns; it takes rows, scale, double, label\."),
        ("sized?rows=3,scale=2", r"',' does not part one parameter from the next; write .*sized\?rows=3&scale=2\."),
        ("sized?rows=3; scale=2", r"';' does not part one parameter from the next; write .*sized\?rows=3&scale=2\."),
        ("sized?rows=three", r"sized: its parameter rows is 'three' and not a number; write it as rows=\d+\."),
        ("plain?columns=3", r"plain: it has no parameter columns; it takes no parameters\."),
        ("sized?label=long", r"failed with AssertionError at some model.py:\d+ \(long\)"),
        ("exits", r"exits: the factory ended the process with sys.exit at some model.py:\d+; let it return"),
    ],
)
def test_factories_that_cannot_be_used(script: str, function: str, sentence: str) -> None:
    with pytest.raises(InputError) as refused:
        load(f"{script}:{function}")
    assert re.search(sentence, refused.value.sentence), refused.value.sentence


def test_files_that_cannot_be_run(tmp_path: Path) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("def factory(:\n", encoding="utf-8")
    empty = tmp_path / "empty.py"
    empty.write_text("", encoding="utf-8")
    for spec, sentence in {
        f"{broken}:factory": r"broken.py: Python cannot run it, SyntaxError \(.*\); correct the file",
        f"{empty}:factory": r"empty.py: it has no function factory; define it there",
        f"{tmp_path / 'no.py'}:factory": r"there is no file .*no.py; check the path",
        str(empty): r"it is empty",
        str(broken): r"it is a Python file, and which function in it builds the model is not said",
        str(tmp_path): r"it is a folder, not a file",
        "nothing": r"nothing: there is no such file; check the path",
        "": r"no model: its name is empty",
    }.items():
        with pytest.raises(StudioError) as refused:
            load(spec)
        assert re.search(sentence, refused.value.sentence), refused.value.sentence


def test_other_files_are_told_apart(tmp_path: Path) -> None:
    weights = tmp_path / "weights.pt"
    torch.save({"w": torch.zeros(2)}, weights)
    with pytest.raises(InputError, match=r"weights or pickled objects but no graph"):
        load(str(weights))
