"""Captured models of archives, kept by what they were made from.

Owns the names of the files and how many there are.  Refuses to be needed: whatever cannot be read or written is simply
captured again.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from compiler.bundled import bundled_capture
from compiler.captured import Captured
from compiler.codec import from_json, to_json
from compiler.errors import StudioError
from resources.examples import example
from spyre_studio.model_spec import ModelSpec
from spyre_studio.user_folder import cache_folder

_MOST = 64
_CODE = Path(__file__).parent.parent / "compiler"


@dataclass(frozen=True, slots=True)
class CapturedModel:
    """A captured model and what its reader should be told of its file."""

    captured: Captured
    notes: tuple[str, ...]


def load_captured(spec: ModelSpec) -> CapturedModel | None:
    """The captured model of an archive, if this very file was captured before by this very program."""
    shipped = _shipped(spec)
    if shipped is not None:
        return CapturedModel(shipped, ())
    try:
        head, _, document = _file(spec).read_text("utf-8").partition("\n")
        notes = json.loads(head)
        return CapturedModel(from_json(Captured, document, "the cache"), tuple(map(str, notes)))
    except (OSError, ValueError, TypeError, StudioError):
        return None


def store_captured(spec: ModelSpec, model: CapturedModel) -> None:
    """Remember a captured archive; the oldest ones go."""
    try:
        path = _file(spec)
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_suffix(f".{os.getpid()}")
        beside.write_text(f"{json.dumps(list(model.notes))}\n{to_json(model.captured)}", encoding="utf-8")
        beside.replace(path)
        for old in sorted(path.parent.iterdir(), key=lambda entry: entry.stat().st_mtime)[:-_MOST]:
            old.unlink(missing_ok=True)
    except OSError:
        return


def _shipped(spec: ModelSpec) -> Captured | None:
    """What an example was captured as when it was made."""
    known = example(spec.text)
    if known is None or known.archive != spec.path or spec.sizes:
        return None
    return bundled_capture(spec.path, spec.digest())


def _file(spec: ModelSpec) -> Path:
    key = json.dumps([spec.digest(), spec.path.stem, spec.sizes, _program()])
    return cache_folder() / "captures" / f"{hashlib.sha256(key.encode()).hexdigest()}.json"


@cache
def _program() -> str:
    """Names the code that captures: another one may give another result."""
    files = sorted([*_CODE.glob("*.py"), *_CODE.glob("frontend/*.py")])
    stats = [(path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    try:
        torch = version("torch")
    except PackageNotFoundError:
        torch = ""
    return json.dumps([stats, torch])
