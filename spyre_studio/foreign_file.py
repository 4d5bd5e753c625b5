"""Foreign file: whether a file or folder is in one of the formats of others, and what reading it reads.

Owns the question alone, which costs little and is asked of all that is opened.  Refuses to read: `kernels_file` does.
"""

from __future__ import annotations

from pathlib import Path

from compiler.errors import InputError
from compiler.read.recognise import Kind, recognise


def is_foreign(path: Path) -> bool:
    """True for a file or folder of kernels, and for what lies beside them, which reading says; False for what cannot be
    opened."""
    try:
        return recognise(path) is not Kind.OTHER
    except InputError:
        return False


def read_places(path: Path) -> tuple[Path, ...]:
    """What reading a plan reads: the file, and for one file of a kernel the folder with the others."""
    return (path, path.parent) if path.is_file() and is_foreign(path) else (path,)
