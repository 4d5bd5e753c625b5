"""Hugging Face configs, with a small stand-in for the package that builds their models."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from pathlib import Path

import pytest

from compiler.errors import InputError
from compiler.frontend.load import load

PACKAGE = """
import torch
from torch import nn

class AutoConfig:
    @staticmethod
    def for_model(kind, **described):
        if kind not in {"text", "image", "sound"}:
            raise ValueError(f"Unrecognized model {kind}")
        config = AutoConfig()
        vars(config).update(described)
        return config

class TextModel(nn.Module):
    main_input_name = "input_ids"
    def __init__(self, config):
        super().__init__()
        assert config.use_cache is False
        self.table = nn.Embedding(config.vocab_size, config.hidden_size)
        self.head = nn.Linear(config.hidden_size, config.vocab_size, bias=False)
        self.rates = [rate.item() for rate in torch.linspace(0, 1, 3, device="cpu")]
    def forward(self, input_ids, return_dict):
        return self.head(self.table(input_ids)) * self.rates[1], "cache"

class ImageModel(nn.Module):
    main_input_name = "pixel_values"
    def __init__(self, config):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)
    def forward(self, pixel_values, return_dict):
        return (self.conv(pixel_values),)

class SoundModel(ImageModel):
    main_input_name = "input_features"

class AutoModel:
    @staticmethod
    def from_config(config):
        return ImageModel(config) if hasattr(config, "image_size") else SoundModel(config)
"""
TEXT = {"model_type": "text", "architectures": ["TextModel"], "vocab_size": 50, "hidden_size": 16}


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "packages" / "transformers"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(PACKAGE, encoding="utf-8")
    monkeypatch.delitem(sys.modules, "transformers", raising=False)
    monkeypatch.syspath_prepend(package.parent)


def config(tmp_path: Path, **described: object) -> str:
    folder = tmp_path / "tiny-model"
    folder.mkdir(exist_ok=True)
    path = folder / "config.json"
    path.write_text(json.dumps(described), encoding="utf-8")
    return str(path)


@pytest.mark.usefixtures("installed")
def test_the_model_of_a_config_is_captured(tmp_path: Path) -> None:
    program = load(config(tmp_path, **TEXT) + "?sequence=8&batch=2&dtype=bfloat16").program
    assert program.name == "tiny-model"
    assert [op.name for op in program.ops] == ["model.table.embedding", "model.head.linear/matmul", "model.mul"]
    assert program.outputs[0].shape == (2, 8, 50)
    assert program.buffer_map["model.head.weight"].dtype.torch_name == "bfloat16"


@pytest.mark.usefixtures("installed")
def test_images_are_fed_in_the_size_of_the_config(tmp_path: Path) -> None:
    program = load(config(tmp_path, model_type="image", image_size=12)).program
    assert program.buffer_map["values"].shape == (1, 3, 12, 12)


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("described", "query", "sentence"),
    [
        ({"model_type": "none"}, "", r"transformers cannot build it, ValueError \(Unrecognized model none\)"),
        ({"model_type": "sound"}, "", r"it takes input_features, and what that looks like is not known here"),
        ({**TEXT, "auto_map": {"AutoModel": "code.Model"}}, "", r"its model is code outside transformers"),
        (TEXT, "?width=3", r"it has no parameter width; it takes sequence, batch, dtype"),
        (TEXT, "?dtype=int8", r"int8 is no type to build it in; use float16, bfloat16, float32"),
    ],
)
def test_configs_that_cannot_be_used(described: dict[str, object], query: str, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        load(config(tmp_path, **described) + query)
    assert re.search(sentence, refused.value.sentence), refused.value.sentence


def test_without_the_package_a_config_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"is a Hugging Face config, and the package transformers.* is not installed"):
        load(config(tmp_path, **TEXT))
