"""Files that are changed by chance: they are read, or refused with a sentence; nothing else ever happens."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from compiler.emit.opspec_json import opspec_lines
from compiler.errors import InputError
from compiler.read.kernel_folder import read_programs
from tests.compiler.formats.kernel_files import softmax_kernel, wrapper, write_kernel

VALUES: tuple[Any, ...] = (
    *(None, [], {}, "", "x", "mb", "out", "hbm", "lx", True, [[]], {"a": 1}, [None]),
    *(-1, 0, 1, 3.5, 4096, 2**61, 10**30, 1e308, "-1", "-33", "5"),
)
SIGNS = '%#(){}[]=,:"\n09 a_-*+'


def places(data: Any) -> Iterator[tuple[Any, Any]]:  # noqa: ANN401
    """Every container of JSON data with each of its keys or indices."""
    for key in list(data) if isinstance(data, dict) else range(len(data)):
        yield data, key
        if isinstance(data[key], dict | list):
            yield from places(data[key])


def changed_data(text: str, chance: random.Random) -> str:
    """JSON with one value replaced, removed or added."""
    data = json.loads(text)
    parent, key = chance.choice(list(places(data)))
    act, value = chance.randrange(4), chance.choice(VALUES)
    if act == 0:
        del parent[key]
    elif act == 1 and isinstance(parent, list):
        parent.insert(key, value)
    else:
        parent[key] = value
    return json.dumps(data)


def changed_text(text: str, chance: random.Random) -> str:
    """Text with a few signs replaced, removed or repeated."""
    signs = list(text)
    for _ in range(chance.choice((1, 1, 2, 5))):
        at, act = chance.randrange(len(signs)), chance.randrange(3)
        if act == 0:
            signs[at] = chance.choice(SIGNS)
        elif act == 1:
            del signs[at : at + chance.choice((1, 1, 5, 40))]
        else:
            signs[at:at] = signs[chance.randrange(len(signs)) :][: chance.choice((1, 10, 60))]
    return "".join(signs)


def outcomes(path: Path, opened: Path, change: Callable[[str, random.Random], str], seed: int) -> tuple[int, int]:
    """How often a file was read, and how often refused, with a sentence, when it was changed."""
    chance, text, sentences = random.Random(seed), path.read_text("utf-8"), list[str]()
    for _ in range(60):
        path.write_text(change(text, chance), "utf-8")
        try:
            read_programs(opened)
        except InputError as error:
            sentences.append(error.sentence)
    assert all(sentence.endswith(".") and "\n" not in sentence for sentence in sentences)
    return 60 - len(sentences), len(sentences)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The sound folder of a softmax."""
    return write_kernel(tmp_path / "kernel", softmax_kernel())


@pytest.mark.parametrize("name", ["sdsc_0.json", "sdsc_3.json", "sdsc_4.json", "spyreCodeDir/launch_spec.json"])
def test_files_of_a_folder(folder: Path, name: str) -> None:
    assert min(outcomes(folder / name, folder, changed_data, 1)) > 0


def test_sidecars(folder: Path) -> None:
    assert outcomes(folder / "spyre_provenance.json", folder, changed_data, 2)[1] > 0


def test_bundles(folder: Path) -> None:
    assert outcomes(folder / "bundle.mlir", folder, changed_text, 3)[1] > 0


def test_op_specifications(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("".join(opspec_lines([softmax_kernel()], "softmax")), "utf-8")
    assert min(outcomes(path, path, changed_data, 4)) > 0


def test_wrappers(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(wrapper(), "utf-8")
    assert outcomes(path, path, changed_text, 5)[1] > 0
