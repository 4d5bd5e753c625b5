"""Specs: what people write to name a model, without opening it.

Owns telling an example, a factory, an archive and a Hugging Face config apart, and the names that follow from a spec.
Refuses torch, so that a wrong spec is refused before seconds are spent on importing it.
"""

from __future__ import annotations

import hashlib
import importlib.util
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl

from compiler.errors import InputError
from compiler.frontend.sniff import FileKind, refusal, sniff
from resources.examples import bundled_script, example

Parameter = bool | int | float | str
# A factory of one of these names says nothing about its model; its file does.
_GENERIC = frozenset({"factory", "model", "build"})
_JOINED_OTHERWISE = re.compile(r"([,;]) *([A-Za-z_]\w*=)")


@dataclass(frozen=True, slots=True)
class FactorySpec:
    """A Python file, the name of a function in it and its keyword arguments."""

    path: Path
    function: str
    parameters: tuple[tuple[str, Parameter], ...]


@dataclass(frozen=True, slots=True)
class ConfigSpec:
    """A Hugging Face config and how to build and feed its model."""

    path: Path
    parameters: tuple[tuple[str, Parameter], ...]


@dataclass(frozen=True, slots=True)
class ArchiveSpec:
    """A `.pt2` export archive."""

    path: Path


Spec = FactorySpec | ConfigSpec | ArchiveSpec


def read_spec(spec: str) -> Spec:
    """What a spec names; InputError with one sentence if it is no model.

    A bundled example with parameters (`decoder?sequence=64`), or without an archive, means its script.

    >>> read_spec("decoder?sequence=64").parameters
    (('sequence', 64),)
    """
    if not spec:
        raise InputError("no model", "its name is empty", "name an example, a .pt2 file or file.py:factory")
    head, asks, query = spec.partition("?")
    script, bundled = bundled_script(head), example(spec)
    if script and (asks or not bundled):
        return FactorySpec(script, "factory", _parameters(spec, query))
    if bundled:
        return ArchiveSpec(bundled.archive)
    path, _, function = head.rpartition(":")
    if path.endswith(".py") and function.isidentifier():
        kind = sniff(Path(path))
        if kind is FileKind.MISSING:
            raise InputError(spec, f"there is no file {path}", "check the path")
        if kind in (FileKind.DIRECTORY, FileKind.UNREADABLE):
            raise refusal(Path(path), kind)
        return FactorySpec(Path(path), function, _parameters(spec, query))
    return _file(spec, head, query)


def _file(spec: str, head: str, query: str) -> Spec:
    if sniff(Path(head)) is FileKind.HF_CONFIG:
        if importlib.util.find_spec("transformers") is None:
            why = "it is a Hugging Face config, and the package transformers, which builds its model, is not installed"
            raise InputError(head, why, "install transformers, or pass the model as FILE.py:FACTORY")
        return ConfigSpec(Path(head), _parameters(spec, query))
    kind = sniff(Path(spec))
    if kind is not FileKind.EXPORT_ARCHIVE:
        raise refusal(Path(spec), kind)
    return ArchiveSpec(Path(spec))


def _parameters(spec: str, query: str) -> tuple[tuple[str, Parameter], ...]:
    joined = _JOINED_OTHERWISE.search(query)
    if joined is not None:
        why = f"{joined[1]!r} does not part one parameter from the next"
        meant = _JOINED_OTHERWISE.sub(r"&\2", spec)
        raise InputError(spec, why, f"write {meant}")
    try:
        pairs = parse_qsl(query, strict_parsing=True, keep_blank_values=True) if query else []
    except ValueError as error:
        why = f"the parameters {query!r} are not name=value"
        raise InputError(spec, why, "write them as layers=2&hidden=64") from error
    twice = repeated(name for name, _ in pairs)
    if twice:
        raise InputError(spec, f"the parameter {twice} is given twice", "give it once")
    return tuple((name, _parameter(text)) for name, text in pairs)


def repeated(names: Iterable[str]) -> str:
    """The first name that comes twice, or nothing."""
    seen: set[str] = set()
    return next((name for name in names if name in seen or seen.add(name)), "")  # type: ignore[func-returns-value]


def _parameter(text: str) -> Parameter:
    if text.lower() in {"true", "false"}:
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def model_name(spec: Spec) -> str:
    """A short name of the model: the factory's, or the file's (for a config its folder's) without its ending."""
    if isinstance(spec, FactorySpec) and spec.function not in _GENERIC:
        return spec.function
    if isinstance(spec, ConfigSpec) and spec.path.stem == "config":
        return spec.path.resolve().parent.name
    return spec.path.stem


def runs_foreign_code(spec: Spec) -> bool:
    """True if the model comes from a Python file that is not one of ours."""
    return isinstance(spec, FactorySpec) and bundled_script(spec.path.stem) != spec.path


def foreign_code_note(spec: Spec) -> str:
    """What a person must be told before the model is built, if a Python file of somebody's is run for it."""
    if not runs_foreign_code(spec):
        return ""
    return f"{spec.path} is run as a program with your rights, because it builds the model."


def digest(path: Path) -> str:
    """SHA-256 of a file, in hex."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
