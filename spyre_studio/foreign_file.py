"""Foreign file: whether a file or folder is in one of the formats of others, and what reading it reads.

Owns the question alone, which costs little and is asked of all that is opened.  Refuses to read: `kernels_file` does.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from compiler.errors import InputError
from compiler.read.recognise import Kind, recognise

_BESIDE_OTHERS: Final = frozenset({Kind.SUPERDSC, Kind.BUNDLE, Kind.PROVENANCE, Kind.LAUNCH_SPEC, Kind.SPYRECODE})


def is_foreign(path: Path) -> bool:
    """True for a file or folder of kernels, and for what lies beside them, which reading says; False for what cannot be
    opened."""
    try:
        return recognise(path) is not Kind.OTHER
    except InputError:
        return False


def read_places(path: Path) -> tuple[Path, ...]:
    """What reading a plan reads: the file, and for one file of a kernel the folder with the others."""
    try:
        beside = path.is_file() and recognise(path) in _BESIDE_OTHERS
    except InputError:
        beside = False
    return (path, path.parent) if beside else (path,)
