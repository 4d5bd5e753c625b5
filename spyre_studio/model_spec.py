"""Model spec: what a person typed to name a model, and the file it means.

Owns telling examples, `file.py:factory?a=1`, archives (`file.pt2?s0=64` closes open sizes) and documents apart, before
torch is started.  Refuses files that are none of these, each in one sentence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from urllib.parse import parse_qsl

from compiler.errors import InputError
from compiler.frontend.sniff import FileKind, refusal, sniff
from resources.examples import bundled_script, example, examples

_FACTORY = re.compile(r"(?P<path>.+\.py):(?P<function>\w+)")


class SpecKind(StrEnum):
    """How the model is read."""

    ARCHIVE = "archive"
    FACTORY = "factory"
    DOCUMENT = "document"


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


def read_spec(spec: str) -> ModelSpec:
    """The model that a spec names; InputError if no file behind it can hold one."""
    head, asks, query = spec.partition("?")
    bundled = example(head)
    script = bundled_script(head)
    if script is not None and (asks or bundled is None):
        return ModelSpec(SpecKind.FACTORY, spec, script)
    if bundled is not None:
        return ModelSpec(SpecKind.ARCHIVE, head, bundled.archive)
    factory = _FACTORY.fullmatch(head)
    if factory is not None:
        return _factory(Path(factory["path"]).expanduser(), factory["function"], asks + query)
    if Path(spec).is_file():  # a question mark may be part of a name
        head, query = spec, ""
    if not head or not (Path(head).suffix or Path(head).exists()):
        known = ", ".join(one.name for one in examples())
        raise InputError(spec, "there is neither a file nor an example of that name", f"the examples are {known}")
    return _file(Path(head).expanduser(), query)


def _factory(path: Path, function: str, query: str) -> ModelSpec:
    if not path.is_file():
        raise refusal(path, sniff(path))
    return ModelSpec(SpecKind.FACTORY, f"{path.absolute()}:{function}{query}", path.absolute())


def _file(path: Path, query: str) -> ModelSpec:
    kind = sniff(path)
    if kind is FileKind.STUDIO:
        return ModelSpec(SpecKind.DOCUMENT, str(path.absolute()), path.absolute())
    if kind is not FileKind.EXPORT_ARCHIVE:
        raise refusal(path, kind)
    return ModelSpec(SpecKind.ARCHIVE, str(path.absolute()), path.absolute(), _sizes(path, query))


def _sizes(path: Path, query: str) -> tuple[tuple[str, int], ...]:
    pairs = parse_qsl(query, keep_blank_values=True)
    wrong = [f"{symbol}={value}" for symbol, value in pairs if not symbol.isidentifier() or not value.isdecimal()]
    if wrong or (query and not pairs):
        why = f"'{wrong[0] if wrong else query}' is not a size"
        raise InputError(str(path), why, f"write sizes as {path.name}?s0=64")
    return tuple((symbol, int(value)) for symbol, value in pairs)
