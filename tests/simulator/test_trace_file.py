"""Traces as files: what comes back, and what is refused."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from compiler.errors import InputError
from simulator.trace import Trace
from simulator.trace_file import HEADER, TABLES, load_trace, save_trace
from tests.simulator.timing.example_runs import ran

Arrays = dict[str, np.ndarray]


def saved(path: Path, name: str = "softmax") -> Path:
    """A trace of an example on four cores."""
    save_trace(ran(name, 4)[1], path)
    return path


def same(one: Trace, other: Trace) -> bool:
    """Whether two traces are equal, columns by type and value."""
    for field in fields(Trace):
        left, right = getattr(one, field.name), getattr(other, field.name)
        if field.name not in TABLES:
            if left != right:
                return False
            continue
        for column in fields(left):
            mine, theirs = getattr(left, column.name), getattr(right, column.name)
            if mine.dtype != theirs.dtype or not np.array_equal(mine, theirs):
                return False
    return True


@pytest.mark.parametrize("name", ["softmax", "attention", "decoder"])
def test_a_trace_comes_back_as_it_was(name: str, tmp_path: Path) -> None:
    assert same(load_trace(saved(tmp_path / "run.npz", name)), ran(name, 4)[1])


def test_saving_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    assert saved(tmp_path / "one.npz").read_bytes() == saved(tmp_path / "two.npz").read_bytes()


def test_names_may_hold_anything(tmp_path: Path) -> None:
    odd = replace(ran("softmax", 4)[1], model="\ud800 größer\n\x00")
    save_trace(odd, tmp_path / "run.npz")
    assert load_trace(tmp_path / "run.npz").model == odd.model


def edited(path: Path, change: Callable[[Arrays], object]) -> Path:
    """The file with some of its arrays changed."""
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    change(arrays)
    with path.open("wb") as file:
        np.savez(file, **arrays)
    return path


def header(change: Callable[[dict[str, object]], object]) -> Callable[[Arrays], None]:
    """A change of the header."""

    def changed(arrays: Arrays) -> None:
        document = json.loads(bytes(arrays[HEADER]))
        change(document)
        arrays[HEADER] = np.frombuffer(json.dumps(document).encode(), dtype=np.uint8)

    return changed


def refusal(path: Path) -> str:
    """The sentence on a file that is no trace."""
    with pytest.raises(InputError) as refused:
        load_trace(path)
    assert "\n" not in str(refused.value)
    assert str(path) in str(refused.value)
    return str(refused.value)


def test_a_newer_version_is_refused_by_both_numbers(tmp_path: Path) -> None:
    path = edited(saved(tmp_path / "run.npz"), header(lambda document: document.update(version=99)))
    assert "its version is 99, this program reads version" in refusal(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    assert "there is no such file" in refusal(tmp_path / "none.npz")


def pickled() -> bytes:
    """An archive whose array would run code."""
    told = io.BytesIO()
    np.savez(told, **{HEADER: np.array([{"kind": "trace"}], dtype=object)})  # type: ignore[arg-type]
    return told.getvalue()


def zipped() -> bytes:
    """An archive that holds no arrays."""
    told = io.BytesIO()
    with zipfile.ZipFile(told, "w") as archive:
        archive.writestr("header.npy", b"nothing")
    return told.getvalue()


@pytest.mark.parametrize("data", [b"", b"{}", b"PK\x03\x04", pickled(), zipped()])
def test_other_files_are_refused(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    path.write_bytes(data)
    assert "it is not a trace of the simulator" in refusal(path)


def test_an_array_that_is_no_archive_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    with path.open("wb") as file:
        np.save(file, np.zeros(3))
    assert "it is not a trace of the simulator" in refusal(path)


def test_half_a_file_is_refused(tmp_path: Path) -> None:
    path = saved(tmp_path / "run.npz")
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    assert "it is not a trace of the simulator" in refusal(path)


def test_a_byte_that_changed_is_found(tmp_path: Path) -> None:
    path = saved(tmp_path / "run.npz")
    data = bytearray(path.read_bytes())
    place = data.index(b"spans.start_ps") + 300
    data[place] ^= 255
    path.write_bytes(bytes(data))
    assert "it is not a trace of the simulator" in refusal(path)


CHANGES: dict[str, Callable[[Arrays], object]] = {
    "no header": lambda arrays: arrays.pop(HEADER),
    "header of numbers": lambda arrays: arrays.update({HEADER: np.zeros(4, dtype=np.uint8)}),
    "another kind": header(lambda document: document.update(kind="plan")),
    "no column": lambda arrays: arrays.pop("spans.tile"),
    "no units": header(lambda document: document.pop("units")),
    "cores in words": header(lambda document: document.update(cores="many")),
    "links without cores": header(lambda document: document.update(critical=[{"step": 0}])),
    "kernels that are no list": header(lambda document: document.update(kernels=7)),
    "columns of unequal length": lambda arrays: arrays.update({"spans.tile": arrays["spans.tile"][:-1]}),
    "columns of another type": lambda arrays: arrays.update({"spans.core": arrays["spans.core"].astype(np.float64)}),
    "a column that is a grid": lambda arrays: arrays.update({"stalls.step": np.zeros((2, 2), dtype=np.int32)}),
    "runs that are a list": lambda arrays: arrays.update({"runs.bound": arrays["runs.bound"].ravel()}),
    "runs of other steps": lambda arrays: arrays.update({"runs.bound": arrays["runs.bound"][1:]}),
    "a step that is none": lambda arrays: arrays["spans.step"].__setitem__(0, 9999),
    "a unit that is none": lambda arrays: arrays["spans.unit"].__setitem__(0, 99),
    "a core that is none": lambda arrays: arrays["stalls.core"].__setitem__(0, 77),
    "a cause that is none": lambda arrays: arrays["stalls.cause"].__setitem__(0, 77),
    "a tensor that is none": lambda arrays: arrays["holds.tensor"].__setitem__(0, -3),
    "rows without tiles": lambda arrays: arrays["spans.count"].__setitem__(0, 0),
    "a link of no step": header(
        lambda document: document.update(critical=[{"step": 99, "core": 0, "start_ps": 0, "end_ps": 1, "cause": 7}])
    ),
    "cores below nothing": header(lambda document: document.update(cores=-1)),
}


@pytest.mark.parametrize("what", CHANGES)
def test_damage_is_told_in_a_sentence(what: str, tmp_path: Path) -> None:
    path = edited(saved(tmp_path / "run.npz"), CHANGES[what])
    assert any(words in refusal(path) for words in ("a part of it is damaged", "not a trace of the simulator"))


def test_a_file_that_cannot_be_written_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        saved(tmp_path / "none" / "run.npz")
