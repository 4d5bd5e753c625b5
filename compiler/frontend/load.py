"""Load: a model spec as people write it becomes a captured model.

Owns telling kinds of spec apart and the digest of a file.  Refuses files that are no models, each in one sentence.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from compiler.errors import InputError
from compiler.frontend.capture import Captured, Progress, capture_module, capture_program, silent
from compiler.frontend.factory import build, is_factory, parse_factory
from compiler.loops import ModelSource


def load(spec: str, progress: Progress = silent) -> Captured:
    """Capture the model that `spec` names: `file.py:factory?a=1`, `file.pt2`, or a bundled example by name."""
    if is_factory(spec):
        return _from_factory(spec, progress)
    raise InputError(spec, "it is not a model", "choose a .pt2 file or write file.py:factory")


def _from_factory(spec: str, progress: Progress) -> Captured:
    factory = parse_factory(spec)
    progress(0.0, "build")
    example = build(factory)
    source = ModelSource(spec, digest(factory.path))
    return capture_module(example.module, example.args, example.kwargs, factory.name, source, progress)


def digest(path: Path) -> str:
    """SHA-256 of a file, in hex."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
