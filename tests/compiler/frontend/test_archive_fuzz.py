"""Damaged and edited archives: a program or a sentence for people comes out, no other exception, and nothing runs."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import Tensor
from torch.export import Dim

from compiler.errors import StudioError
from compiler.frontend.archive import read_archive, read_open_sizes, read_tensors
from tests.compiler.frontend.archives import (
    MODEL,
    Json,
    Parts,
    Small,
    parts_of,
    save,
    save_function,
    write_parts,
)

ROUNDS = 60
SEEDS = range(4)


def several(x: Tensor) -> tuple[Tensor, ...]:
    with torch.no_grad():
        low, high = torch.split(x.reshape(x.shape[0] // 2, -1), 4, dim=-1)[:2]
    return low + 1, torch.cat([high, low]), x.sum()


def small_archive(folder: Path) -> Path:
    return save(folder / "small.pt2", Small(), torch.ones(2, 8))


def open_archive(folder: Path) -> Path:
    dynamic = ({0: 2 * Dim("n", min=2, max=64)},)
    return save_function(folder / "open.pt2", several, torch.ones(6, 8), dynamic=dynamic)


@pytest.fixture(scope="module", params=[small_archive, open_archive], ids=["small", "open"])
def archive(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    make: Callable[[Path], Path] = request.param
    return make(tmp_path_factory.mktemp("fuzz"))


def survives(path: Path) -> bool:
    """Read everything that can be read of the archive; True if it was accepted."""
    refused = ""
    try:
        sizes = {size.symbol: size.example or 4 for size in read_open_sizes(path)}
        program = read_archive(path, sizes)
        read_tensors(path, program)
    except StudioError as error:
        refused = error.sentence
    assert not refused or refused.startswith((str(path), "operator ", "tensor "))
    assert "\n" not in refused
    return not refused


@pytest.mark.parametrize("seed", SEEDS)
def test_flipped_and_lost_bytes(archive: Path, tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    sound = archive.read_bytes()
    path = tmp_path / "damaged.pt2"
    for _ in range(ROUNDS):
        data = bytearray(sound)
        for _ in range(rng.randint(1, 8)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        if rng.random() < 0.3:
            del data[rng.randrange(len(data)) :]
        path.write_bytes(data)
        survives(path)


@pytest.mark.parametrize("seed", SEEDS)
def test_edited_documents(archive: Path, tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    marker = tmp_path / "marker"
    sound = parts_of(archive)
    path = tmp_path / "edited.pt2"
    accepted = 0
    for _ in range(ROUNDS):
        write_parts(path, edited(sound, rng, marker))
        accepted += survives(path)
    assert not marker.exists()
    assert 0 < accepted < ROUNDS, "edits that all pass or all fail test nothing"


def edited(parts: Parts, rng: random.Random, marker: Path) -> Parts:
    """`parts` with one to three places of one JSON document changed at random, most often in the program."""
    documents = [name for name in parts if name.endswith(".json")]
    name = MODEL if rng.random() < 0.8 else rng.choice(documents)
    document = json.loads(parts[name])
    for _ in range(rng.randint(1, 3)):
        edit(document, rng, marker)
    return {**parts, name: json.dumps(document).encode()}


def edit(document: Json, rng: random.Random, marker: Path) -> None:
    holders = containers(document)
    holder = rng.choice(holders)
    if not holder:
        return
    key = rng.choice(list(holder)) if isinstance(holder, dict) else rng.randrange(len(holder))
    choice = rng.random()
    if choice < 0.2:
        del holder[key]
    elif choice < 0.4 and isinstance(holder, dict):
        holder[rng.choice(["name", "as_int", *(text for one in holders if isinstance(one, dict) for text in one)])] = (
            holder.pop(key)
        )
    elif choice < 0.6:
        holder[key] = json.loads(json.dumps(rng.choice(holders)))
    else:
        holder[key] = rng.choice(odd_values(marker))


def containers(value: Json) -> list[Json]:
    """Every list and table inside `value`, itself included."""
    if not isinstance(value, dict | list):
        return []
    children = value.values() if isinstance(value, dict) else value
    return [value, *(inner for child in children for inner in containers(child))]


def odd_values(marker: Path) -> list[Json]:
    code = f"__import__('pathlib').Path({str(marker)!r}).touch()"
    return [
        *(None, True, 0, -1, 3, 2**31, 2**63, 10**400, 0.5, "", "x", "relu", "None", "torch", "NaN", [], {}, [[]]),
        *(
            code,
            f"x = {code}",
            f'x"), {code}, ("',
            f"Symbol('{code}')",
            "Symbol('s0')",
            "torch.hub.load",
            "\n",
            "\ud800",
        ),
        *({"as_int": -1}, {"as_name": "x"}, {"as_tensor": {"name": "x"}}, {"as_expr": {"expr_str": code}}, "a" * 5000),
        '[1, {"type": "builtins.dict", "context": "[1]", "children_spec": []}]',
    ]
