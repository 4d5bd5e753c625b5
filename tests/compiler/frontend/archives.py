"""Archives for tests: small programs saved by torch, and the same files with something changed in them."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

MODEL = "models/model.json"
WEIGHTS = "data/weights/model_weights_config.json"
CONSTANTS = "data/constants/model_constants_config.json"
SAMPLES = "data/sample_inputs/model.pt"

Json = Any
Parts = dict[str, bytes]


class Small(nn.Module):
    """A linear layer, a buffer and a constant: something of each kind that an archive stores."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(3)
        self.fc = nn.Linear(8, 4)
        self.register_buffer("shift", torch.arange(4.0))

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(self.fc(x) + self.shift) * torch.tensor([2.0, 2.0, 3.0, 4.0])


class Function(nn.Module):
    """A module around a function of tensors."""

    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: Tensor) -> object:
        return self.function(*inputs)


def save(path: Path, module: nn.Module, *inputs: object, dynamic: object = None) -> Path:
    """Export `module` on `inputs` and save it at `path`."""
    torch.export.save(torch.export.export(module.eval(), inputs, dynamic_shapes=dynamic), path)  # type: ignore[arg-type]
    return path


def save_function(path: Path, function: Callable[..., object], *inputs: object, dynamic: object = None) -> Path:
    """Export a function of tensors and save it at `path`."""
    return save(path, Function(function), *inputs, dynamic=(dynamic,) if dynamic else None)


def parts_of(path: Path) -> Parts:
    """The members of an archive by their relative names."""
    with zipfile.ZipFile(path) as archive:
        return {info.filename.partition("/")[2]: archive.read(info) for info in archive.infolist()}


def write_parts(path: Path, parts: Parts, compression: int = zipfile.ZIP_STORED) -> Path:
    """An archive of `parts` at `path`."""
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, data in parts.items():
            archive.writestr(f"crafted/{name}", data)
    return path


def with_json(parts: Parts, member: str, edit: Callable[[Json], object]) -> Parts:
    """`parts` with one JSON member changed in place by `edit`."""
    document = json.loads(parts[member])
    edit(document)
    return {**parts, member: json.dumps(document).encode()}


def graph_of(document: Json) -> Json:
    """The graph of a program's JSON."""
    return document["graph_module"]["graph"]


def rename(document: Json, old: str, new: str) -> None:
    """Replace a name wherever it stands, as a crafted file would, so that only the name is odd."""
    changed = _renamed(document, old, new)
    document.clear()
    document.update(changed)


def _renamed(value: Json, old: str, new: str) -> Json:
    if isinstance(value, dict):
        return {_renamed(key, old, new): _renamed(item, old, new) for key, item in value.items()}
    if isinstance(value, list):
        return [_renamed(item, old, new) for item in value]
    return new if value == old else value


class Marker:
    """Creates a file when it is unpickled: harmless, and proof that something ran."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return (Path.touch, (self.path,))


def pickled(value: object) -> bytes:
    """`value` as `torch.save` writes it."""
    buffer = io.BytesIO()
    torch.save(value, buffer)
    return buffer.getvalue()
