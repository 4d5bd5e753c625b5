"""The bundled examples: a list without torch, and scripts that build what they say."""

from __future__ import annotations

import inspect
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

from resources.examples import NAMES, Example, example, examples
from resources.models import build, decoder_stack
from tests.source_tree import ROOT


def test_every_example_has_a_title_a_script_and_an_archive() -> None:
    assert [one.name for one in examples()] == list(NAMES)
    for one in examples():
        assert 10 < len(one.title) < 90
        assert not one.title.endswith(".")
        assert one.script.is_file()
        assert one.archive.is_file()


def test_an_example_is_found_by_its_name() -> None:
    found = example("mlp")
    assert found is not None
    assert found.script.name == "mlp.py"
    assert example("decoder_stack") is None
    assert example("") is None


def test_the_list_is_read_without_torch() -> None:
    code = "import sys, resources.examples as e; e.examples(); assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


@pytest.mark.parametrize("one", examples(), ids=lambda one: one.name)
def test_a_script_builds_the_same_model_each_time(one: Example) -> None:
    first, second = (build.factory_of(one.name)() for _ in range(2))
    assert not first[0].training
    states = (first[0].state_dict(), second[0].state_dict())
    for left, right in zip((*states[0].values(), *first[1]), (*states[1].values(), *second[1]), strict=True):
        assert left.dtype in {torch.float16, torch.int64}
        assert torch.equal(left, right)
    assert all(
        p.default is not inspect.Parameter.empty
        for p in inspect.signature(build.factory_of(one.name)).parameters.values()
    )


def test_shapes_are_the_ones_that_the_documentation_names() -> None:
    inputs = {one.name: [tuple(x.shape) for x in build.factory_of(one.name)()[1]] for one in examples()}
    assert inputs["softmax"] == [(512, 1024)]
    assert inputs["mlp"] == [(128, 1024)]
    assert inputs["attention"] == [(4, 512, 64)] * 3
    assert inputs["decoder"] == [(1, 128, 1024)]
    assert inputs["mismatch"] == [(8, 256, 512)]


@pytest.mark.parametrize("name", ["mismatch", "convnet"])
def test_archives_are_built_the_same_each_time_and_hold_no_pickle(name: str, tmp_path: Path) -> None:
    first, second = tmp_path / "first.pt2", tmp_path / "second.pt2"
    build.build(name, first)
    build.build(name, second)
    assert first.read_bytes() == second.read_bytes()
    with zipfile.ZipFile(first) as archive:
        assert archive.read(f"{name}/data/sample_inputs/model.pt") == b""


def test_the_stack_takes_no_memory_and_follows_its_parameters() -> None:
    module, (hidden,) = decoder_stack.factory(layers=2, hidden=512, sequence=64, intermediate=768)
    assert hidden.shape == (1, 64, 512)
    assert all(isinstance(parameter, FakeTensor) for parameter in module.parameters())
    assert module.get_submodule("layers.1.self_attn.q_proj").weight.shape == (512, 512)
    with FakeTensorMode() as mode:
        module, (hidden,) = decoder_stack.factory(layers=1)
    assert {parameter.fake_mode for parameter in module.parameters() if isinstance(parameter, FakeTensor)} == {mode}
    assert module.get_submodule("layers.0.mlp.up_proj").weight.shape == (12800, 4096)
