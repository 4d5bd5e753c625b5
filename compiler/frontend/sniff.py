"""What a file is, told from its first bytes and its table of contents.

Owns the kinds of file that people try to open as a model, and for each that cannot be used one sentence: what it is,
why it cannot be used, what to do.  Refuses to load anything: no unpickling, no extraction, no torch.
"""

from __future__ import annotations

import json
import re
import zipfile
from enum import StrEnum
from pathlib import Path

from frozendict import frozendict

from compiler.errors import InputError

JSON_LIMIT = 4 << 20


class FileKind(StrEnum):
    """What a path turned out to be."""

    EXPORT_ARCHIVE = "export archive"
    PYTHON = "Python file"
    HF_CONFIG = "Hugging Face config"
    STUDIO = "Spyre Studio document"
    MISSING = "missing"
    DIRECTORY = "folder"
    UNREADABLE = "unreadable"
    EMPTY = "empty"
    TRUNCATED_ZIP = "truncated archive"
    LEGACY_EXPORT = "old export archive"
    COMPILED_PACKAGE = "compiled package"
    TORCHSCRIPT = "TorchScript"
    TORCH_SAVE = "torch.save file"
    PICKLE = "pickle"
    ZIP = "zip"
    SAFETENSORS = "safetensors"
    ONNX = "ONNX"
    GGUF = "GGUF"
    JSON = "JSON"
    UNKNOWN = "unknown"


_EXPORT = "open an export archive written by torch.export.save"
_EXPORT_IT = "export the model with torch.export.export and save that with torch.export.save"
_NEEDS_CODE = "pass the model as FILE.py:FACTORY, where the function FACTORY builds it, or " + _EXPORT_IT

_REASONS: frozendict[FileKind, tuple[str, str]] = frozendict(
    {
        FileKind.PYTHON: (
            "it is a Python file, and which function in it builds the model is not said",
            "add the name of the function, as in model.py:factory",
        ),
        FileKind.HF_CONFIG: (
            "it is a Hugging Face config, which describes a model and holds no graph",
            _NEEDS_CODE,
        ),
        FileKind.STUDIO: (
            "it is a document of Spyre Studio and not a model archive",
            "open it as a plan or a captured model",
        ),
        FileKind.MISSING: ("there is no such file", "check the path"),
        FileKind.DIRECTORY: ("it is a folder, not a file", "choose a file in it, such as a .pt2 archive"),
        FileKind.UNREADABLE: ("it cannot be read", "check its permissions, and that it is a file"),
        FileKind.EMPTY: ("it is empty (0 bytes)", "write it again with torch.export.save"),
        FileKind.TRUNCATED_ZIP: (
            "it starts like an archive but its end is missing or damaged, as after an interrupted download",
            "fetch it or save it again",
        ),
        FileKind.LEGACY_EXPORT: (
            "it is an export archive of an older torch, whose weights and inputs are stored as pickles",
            "save it again with torch.export.save of torch 2.13",
        ),
        FileKind.COMPILED_PACKAGE: (
            "it is a compiled AOTInductor package, which holds machine code instead of a graph",
            _EXPORT_IT,
        ),
        FileKind.TORCHSCRIPT: (
            "it is a TorchScript archive (torch.jit.save), which holds code instead of an exported graph",
            _EXPORT_IT,
        ),
        FileKind.TORCH_SAVE: (
            "it was written by torch.save, so that it holds weights or pickled objects but no graph",
            _NEEDS_CODE,
        ),
        FileKind.PICKLE: (
            "it is a Python pickle, which holds no graph and runs code when it is loaded",
            _NEEDS_CODE,
        ),
        FileKind.ZIP: ("it is a zip archive, but not one that torch.export.save wrote", _EXPORT),
        FileKind.SAFETENSORS: ("it is a safetensors file, which holds weights but no graph", _NEEDS_CODE),
        FileKind.ONNX: ("it is an ONNX model, and there is no reader for ONNX", _NEEDS_CODE),
        FileKind.GGUF: ("it is a GGUF file, which holds quantised weights but no graph", _NEEDS_CODE),
        FileKind.JSON: ("it is JSON, but not a document of Spyre Studio", _EXPORT),
        FileKind.UNKNOWN: ("it is of no known kind", _EXPORT),
    }
)


def refusal(path: Path, kind: FileKind) -> InputError:
    """The sentence for a file that is not an export archive; `kind` is what `sniff` said."""
    why, remedy = _REASONS[kind]
    return InputError(str(path), why, remedy)


def sniff(path: Path) -> FileKind:
    """The kind of the file at `path`.  Reads its head and, of a zip, the table of contents; raises nothing."""
    try:
        if path.is_dir():
            return FileKind.DIRECTORY
        if not path.exists():
            return FileKind.MISSING
        if not path.is_file():  # a pipe would be waited for
            return FileKind.UNREADABLE
        with path.open("rb") as stream:
            head = stream.read(512)
        return _kind(path, head)
    except (OSError, ValueError):  # ValueError: a null character in the path
        return FileKind.UNREADABLE


def _kind(path: Path, head: bytes) -> FileKind:
    if not head:
        return FileKind.EMPTY
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _zip_kind(path)
    if head.startswith(b"GGUF"):
        return FileKind.GGUF
    if re.match(rb"\x80[\x02-\x05]", head):
        return FileKind.PICKLE
    if head[8:9] == b"{" and b'"' in head[9:12] and int.from_bytes(head[:8], "little") < path.stat().st_size:
        return FileKind.SAFETENSORS
    if path.suffix == ".onnx" or re.match(rb"\x08[\x01-\x20][\x12\x3a\x42]", head):
        return FileKind.ONNX
    if path.suffix == ".py":
        return FileKind.PYTHON
    return _text_kind(path, head)


def _text_kind(path: Path, head: bytes) -> FileKind:
    if not head.lstrip().startswith((b"{", b"[")):
        return FileKind.UNKNOWN
    if re.match(rb'\s*\{\s*"kind"\s*:\s*"\w+"\s*,\s*"version"', head):
        return FileKind.STUDIO
    if path.stat().st_size > JSON_LIMIT:
        return FileKind.UNKNOWN
    try:
        value = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return FileKind.UNKNOWN
    is_config = isinstance(value, dict) and bool({"model_type", "architectures"} & value.keys())
    return FileKind.HF_CONFIG if is_config else FileKind.JSON


def _zip_kind(path: Path) -> FileKind:
    try:
        with zipfile.ZipFile(path) as archive:
            infos = archive.infolist()
    except (zipfile.BadZipFile, RuntimeError):  # RuntimeError: a version or a method that zipfile does not know
        return FileKind.TRUNCATED_ZIP
    # A table of contents that begins further in belongs to an archive inside this one: the outer table is cut off.
    if min((info.header_offset for info in infos), default=0) > 0:
        return FileKind.TRUNCATED_ZIP
    return _archive_kind({info.filename.partition("/")[2] or info.filename for info in infos})


def _archive_kind(names: set[str]) -> FileKind:
    """The kind of a zip from the names of its members, relative to the folder that holds them all."""
    if any(name.startswith("models/") and name.endswith(".json") for name in names):
        return FileKind.EXPORT_ARCHIVE
    if any(re.match(r"(?:.*/)?serialized_(?:exported_program|state_dict)\.", name) for name in names):
        return FileKind.LEGACY_EXPORT
    if any(name.startswith("data/aotinductor/") for name in names):
        return FileKind.COMPILED_PACKAGE
    if "constants.pkl" in names:
        return FileKind.TORCHSCRIPT
    if "data.pkl" in names:
        return FileKind.TORCH_SAVE
    return FileKind.ZIP
