"""Load: a model spec as people write it becomes a captured model.

Owns telling specs apart (example name, factory, archive) and the digest of a file.  Refuses files that are no models,
each in one sentence.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from torch.export import ExportedProgram

from compiler.captured import Captured
from compiler.errors import InputError
from compiler.frontend.archive import read_archive, read_notes
from compiler.frontend.capture import Progress, capture_program, silent, trace
from compiler.frontend.factory import build, factory_spec
from compiler.frontend.sniff import FileKind, refusal, sniff
from compiler.loops import ModelSource
from resources.examples import bundled_script, example

_NO_SIZES: Mapping[str, int] = {}


def load(spec: str, progress: Progress = silent, sizes: Mapping[str, int] = _NO_SIZES) -> Captured:
    """Capture the model that `spec` names: an example, `file.py:factory?a=1` or `file.pt2`.

    `sizes` fixes open sizes of an archive by symbol.  Raises StudioError with one sentence for anything else.
    """
    program = traced(spec, progress, sizes)
    return capture_program(program, name_of(spec), ModelSource(spec, digest(path_of(spec))), progress)


def traced(spec: str, progress: Progress = silent, sizes: Mapping[str, int] = _NO_SIZES) -> ExportedProgram:
    """The traced program on fake weights, before decomposition."""
    factory = factory_spec(spec)
    if factory is None:
        progress(0.0, "read")
        return read_archive(path_of(spec), sizes)
    progress(0.0, "build")
    made = build(factory)
    progress(0.05, "trace")
    return trace(made.module, made.args, made.kwargs)


def notes(spec: str) -> tuple[str, ...]:
    """What a person should know before the model is used, a sentence each."""
    factory = factory_spec(spec)
    if factory is None:
        return () if example(spec) else read_notes(path_of(spec))
    if bundled_script(factory.path.stem) == factory.path:
        return ()
    return (f"{factory.path.name} is run as a program with your rights, because it builds the model.",)


def name_of(spec: str) -> str:
    """A short name of the model: the example's, the factory's, or the file's without its ending."""
    factory = factory_spec(spec)
    if factory is None:
        return path_of(spec).stem
    return factory.path.stem if factory.function in {"factory", "model", "build"} else factory.function


def path_of(spec: str) -> Path:
    """The file behind a spec; InputError with the reason if it is no model."""
    factory = factory_spec(spec)
    if factory is not None:
        return factory.path
    if not spec:
        raise InputError("no model", "its name is empty", "name an example, a .pt2 file or file.py:factory")
    bundled = example(spec)
    path = bundled.archive if bundled else Path(spec)
    kind = sniff(path)
    if kind is not FileKind.EXPORT_ARCHIVE:
        raise refusal(path, kind)
    return path


def digest(path: Path) -> str:
    """SHA-256 of a file, in hex."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
