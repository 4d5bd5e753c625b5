"""Write the archives of the bundled examples anew from their scripts: `python -m resources.models.build [NAME ...]`.

Each script is exported under fake tensors, so that the archive holds the graph and no weights.  The archive is then
made the same on every machine: of a call's stack only the lines of the script stay, named by file alone
(`mlp.py:14`), and the zip has fixed dates and an order of its own.  Only `convnet` keeps its weights: variances are
no random numbers.  At the end the front end captures the archives anew, in a process of its own, and keeps what it made
beside them: an example then opens without PyTorch.
"""

from __future__ import annotations

import importlib
import io
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import cast

import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.export import ExportedProgram, export, save

from resources.examples import NAMES, examples

Factory = Callable[[], tuple[nn.Module, tuple[Tensor, ...]]]
WITH_WEIGHTS = frozenset({"convnet"})
_FRAME = re.compile(r'  File "(?P<file>[^"]+)", line (?P<line>\d+), in (?P<function>\w+)\n(?P<code>(?:    .*\n?)*)')
_DATE = (1980, 1, 1, 0, 0, 0)


def build(name: str, target: Path) -> None:
    """Export the example `name` and write its archive to `target`."""
    buffer = io.BytesIO()
    save(exported(name), buffer)
    with zipfile.ZipFile(buffer) as archive:
        parts = {info.filename.partition("/")[2]: archive.read(info) for info in archive.infolist()}
    parts.pop(".data/serialization_id", None)  # a hash of what is replaced here
    parts["models/model.json"] = _portable(parts["models/model.json"], f"{name}.py")
    parts["data/sample_inputs/model.pt"] = b""
    if name not in WITH_WEIGHTS:
        _give_each_its_own(parts)
    with zipfile.ZipFile(target, "w") as archive:
        for part in sorted(parts):
            archive.writestr(_info(f"{name}/{part}"), parts[part], zipfile.ZIP_DEFLATED, 9)


def exported(name: str) -> ExportedProgram:
    """The program that the script of the example `name` builds today."""
    with nullcontext() if name in WITH_WEIGHTS else FakeTensorMode(), torch.no_grad():
        module, inputs = factory_of(name)()
        return export(module, inputs)


def factory_of(name: str) -> Factory:
    """The function `factory` of the example's script."""
    return cast(Factory, importlib.import_module(f"resources.models.{name}").factory)


def _give_each_its_own(parts: dict[str, bytes]) -> None:
    """Fake weights are saved as one empty storage for all, which torch refuses to load as soon as sizes differ."""
    name = "data/weights/model_weights_config.json"
    document = json.loads(parts[name])
    for number, record in enumerate(document["config"].values()):
        record["path_name"] = f"weight_{number}"
        parts[f"data/weights/weight_{number}"] = b""
    parts[name] = json.dumps(document).encode()


def _portable(data: bytes, script: str) -> bytes:
    document = json.loads(data)
    for node in document["graph_module"]["graph"]["nodes"]:
        notes = node["metadata"]
        kept = {key: notes[key] for key in ("nn_module_stack", "torch_fn") if key in notes}
        kept["stack_trace"] = _frames(notes.get("stack_trace", ""), script)
        node["metadata"] = kept
    return json.dumps(document, separators=(",", ":"), sort_keys=True).encode()


def _frames(stack: str, script: str) -> str:
    """The frames of `script` in a stack, which is written as Python prints one, without folders."""
    frames = [match for match in _FRAME.finditer("  " + stack.lstrip() + "\n") if Path(match["file"]).name == script]
    return "\n".join(
        f'  File "{script}", line {frame["line"]}, in {frame["function"]}\n{frame["code"].rstrip()}' for frame in frames
    )


def _info(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, _DATE)
    info.create_system = 3
    return info


if __name__ == "__main__":
    for wanted in examples():
        if wanted.name in (sys.argv[1:] or NAMES):
            build(wanted.name, wanted.archive)
            sys.stdout.write(f"{wanted.archive.name}: {wanted.archive.stat().st_size:,} bytes\n")
    subprocess.run([sys.executable, "-m", "compiler.frontend.bundle", *sys.argv[1:]], check=True)
