"""Files that are no export archive: each is recognised and refused with one sentence."""

from __future__ import annotations

import io
import json
import os
import pickle
import struct
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import nn

from compiler.codec import to_json
from compiler.errors import InputError
from compiler.frontend.archive import read_archive
from compiler.frontend.sniff import FileKind, refusal, sniff
from compiler.pins import Pins
from tests.compiler.frontend.archives import save_function


def zipped(*names: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, b"{}")
    return buffer.getvalue()


def torch_saved(*, legacy: bool = False) -> bytes:
    buffer = io.BytesIO()
    torch.save({"weight": torch.ones(3)}, buffer, _use_new_zipfile_serialization=not legacy)
    return buffer.getvalue()


def torchscript() -> bytes:
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.jit.save(torch.jit.trace(nn.ReLU(), torch.ones(2)), buffer)  # type: ignore[no-untyped-call]
    return buffer.getvalue()


def safetensors() -> bytes:
    header = json.dumps({"w": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}).encode()
    return struct.pack("<Q", len(header)) + header + bytes(4)


FILES: dict[str, tuple[Callable[[], bytes], FileKind, str]] = {
    "empty.pt2": (bytes, FileKind.EMPTY, "it is empty (0 bytes)"),
    "noise.pt2": (lambda: bytes(range(100, 200)), FileKind.UNKNOWN, "it is of no known kind"),
    "legacy.pt2": (
        lambda: zipped("serialized_exported_program.json", "serialized_state_dict.pt", "version"),
        FileKind.LEGACY_EXPORT,
        "archive of an older torch",
    ),
    "package.pt2": (
        lambda: zipped("p/archive_format", "p/data/aotinductor/model/model.so"),
        FileKind.COMPILED_PACKAGE,
        "holds machine code",
    ),
    "script.pt": (torchscript, FileKind.TORCHSCRIPT, "it is a TorchScript archive"),
    "weights.pt": (torch_saved, FileKind.TORCH_SAVE, "written by torch.save"),
    "old_weights.bin": (lambda: torch_saved(legacy=True), FileKind.PICKLE, "runs code when it is loaded"),
    "object.pkl": (lambda: pickle.dumps([1]), FileKind.PICKLE, "it is a Python pickle"),
    "other.zip": (lambda: zipped("readme.txt"), FileKind.ZIP, "it is a zip archive, but not one"),
    "no_members.zip": (zipped, FileKind.ZIP, "it is a zip archive, but not one"),
    "model.safetensors": (safetensors, FileKind.SAFETENSORS, "holds weights but no graph"),
    "model.onnx": (lambda: b"\x08\x08\x12\x07pytorch", FileKind.ONNX, "there is no reader for ONNX"),
    "model.gguf": (lambda: b"GGUF\x03\0\0\0", FileKind.GGUF, "it is a GGUF file"),
    "config.json": (lambda: b'{"model_type": "llama"}', FileKind.HF_CONFIG, "a Hugging Face config"),
    "data.json": (lambda: b"[1, 2]", FileKind.JSON, "it is JSON, but not a document of Spyre Studio"),
    "broken.json": (lambda: b'{"a": ', FileKind.UNKNOWN, "it is of no known kind"),
    "deep.json": (lambda: b"[" * 100_000, FileKind.UNKNOWN, "it is of no known kind"),
    "pins.json": (lambda: to_json(Pins()).encode(), FileKind.STUDIO, "it is a document of Spyre Studio"),
    "model.py": (lambda: b"import torch\n", FileKind.PYTHON, "add the name of the function"),
}


@pytest.mark.parametrize("name", FILES)
def test_files_of_other_kinds_are_recognised_and_refused(tmp_path: Path, name: str) -> None:
    make, kind, sentence = FILES[name]
    path = tmp_path / name
    path.write_bytes(make())
    assert sniff(path) is kind
    with pytest.raises(InputError) as caught:
        read_archive(path)
    assert sentence in str(caught.value)
    assert caught.value.what == str(path)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
def test_truncated_archives_are_told_as_such(tmp_path: Path, share: float) -> None:
    path = save_function(tmp_path / "x.pt2", torch.relu, torch.ones(64))
    assert sniff(path) is FileKind.EXPORT_ARCHIVE
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    assert sniff(path) is FileKind.TRUNCATED_ZIP
    with pytest.raises(InputError, match="its end is missing or damaged, as after an interrupted download; fetch it"):
        read_archive(path)


def test_missing_files_and_folders_are_told_as_such(tmp_path: Path) -> None:
    assert sniff(tmp_path / "nothing.pt2") is FileKind.MISSING
    assert sniff(tmp_path) is FileKind.DIRECTORY
    assert sniff(Path("x\0y")) is FileKind.MISSING
    with pytest.raises(InputError, match="there is no such file; check the path"):
        read_archive(tmp_path / "nothing.pt2")
    with pytest.raises(InputError, match="it is a folder, not a file; choose a file in it"):
        read_archive(tmp_path)


def test_a_file_that_may_not_be_read_is_told_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.pt2"
    path.write_bytes(b"PK")

    def refuse(*arguments: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    assert sniff(path) is FileKind.UNREADABLE


def test_every_kind_but_the_archive_has_a_sentence() -> None:
    for kind in set(FileKind) - {FileKind.EXPORT_ARCHIVE}:
        assert refusal(Path("x"), kind).sentence.startswith("x: ")


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "model.pt2"
    os.mkfifo(pipe)
    assert sniff(pipe) is FileKind.UNREADABLE
