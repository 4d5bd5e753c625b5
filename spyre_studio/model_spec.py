"""Model spec: what a person typed to name a model, as it means the same from any folder.

Owns absolute paths, the sizes of an archive (`file.pt2?NAME=64` closes an open one) and telling our own documents from
models.  Refuses what `compiler.frontend.specs` refuses, before torch is started.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from urllib.parse import parse_qsl

from compiler.errors import InputError
from compiler.frontend.sniff import FileKind, sniff
from compiler.frontend.specs import ArchiveSpec, digest, repeated
from compiler.frontend.specs import read_spec as read_model_spec
from resources.examples import bundled_script, example, examples
from spyre_studio.foreign_file import is_foreign, read_places
from spyre_studio.trace_sentence import trace_refusal


class SpecKind(StrEnum):
    """How the model is read: from an archive, built by code (a factory or a config), from a file of ours, or out of
    kernels that were compiled already."""

    ARCHIVE = "archive"
    CODE = "code"
    DOCUMENT = "document"
    KERNELS = "kernels"


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """`text` is the spec with an absolute path, as the front end takes it; `sizes` close open sizes of an archive."""

    kind: SpecKind
    text: str
    path: Path
    sizes: tuple[tuple[str, int], ...] = ()

    @property
    def full(self) -> str:
        """The spec with its sizes, which names the same model from any folder."""
        query = "&".join(f"{symbol}={value}" for symbol, value in self.sizes)
        return f"{self.text}?{query}" if query else self.text

    def digest(self) -> str:
        """SHA-256 of the file, in hex; '' for a folder."""
        return digest(self.path) if self.path.is_file() else ""


def read_spec(spec: str) -> ModelSpec:
    """The model that a spec names; InputError if no file behind it can hold one."""
    head, asks, query = spec.partition("?")
    if bundled_script(head) is None and example(head) is None:
        return _own_file(spec, head, asks + query)
    known = read_model_spec(spec)
    kind = SpecKind.ARCHIVE if isinstance(known, ArchiveSpec) else SpecKind.CODE
    return ModelSpec(kind, spec, known.path)


def files_of(spec: str) -> tuple[Path, ...]:
    """The files behind a spec; InputError as for `read_spec`."""
    return read_places(read_spec(spec).path)


def _own_file(spec: str, head: str, query: str) -> ModelSpec:
    """A file of the user's."""
    if not spec:
        raise InputError("no model", "its name is empty", "name an example, a .pt2 file or file.py:factory")
    if _exists(spec):  # a question mark may be part of a name
        head, query = spec, ""
    if not head or not (Path(head).suffix or _exists(head)):
        known = ", ".join(one.name for one in examples())
        raise InputError(spec, "there is neither a file nor an example of that name", f"the examples are {known}")
    path = _expanded(head).absolute()
    if _exists(head) and is_foreign(path):
        return ModelSpec(SpecKind.KERNELS, str(path), path)
    refused = trace_refusal(path)
    if refused is not None:
        raise refused
    if sniff(path) is FileKind.STUDIO:
        return ModelSpec(SpecKind.DOCUMENT, str(path), path)
    if sniff(path) is FileKind.EXPORT_ARCHIVE:
        return ModelSpec(SpecKind.ARCHIVE, str(path), path, _sizes(path, query.removeprefix("?")))
    return ModelSpec(SpecKind.CODE, f"{path}{query}", read_model_spec(f"{path}{query}").path)


def _exists(name: str) -> bool:
    try:
        return _expanded(name).exists()
    except (OSError, ValueError):  # longer than any name, or with a null character
        return False


def _expanded(name: str) -> Path:
    """The path, with ~ for a home; what starts with ~ and names nobody's is a name like any other."""
    try:
        return Path(name).expanduser()
    except RuntimeError:
        return Path(name)


def _sizes(path: Path, query: str) -> tuple[tuple[str, int], ...]:
    pairs = parse_qsl(query, keep_blank_values=True)
    wrong = [f"{symbol}={value}" for symbol, value in pairs if not symbol.isidentifier() or not value.isdecimal()]
    if wrong or (query and not pairs):
        why = f"'{wrong[0] if wrong else query}' is not a size"
        raise InputError(str(path), why, f"write sizes as {path.name}?NAME=64")
    twice = repeated(symbol for symbol, _ in pairs)
    if twice:
        raise InputError(str(path), f"the size {twice} is given twice", "give it once")
    return tuple((symbol, int(value)) for symbol, value in pairs)
