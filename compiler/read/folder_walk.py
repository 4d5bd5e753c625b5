"""Folder walk: the files of kernel folders and caches, without leaving the folder that was given.

Owns how deep and how wide it looks, and the names of files that only a folder gives a meaning.  Refuses links that lead
out of the folder, and folders with more files than any kernel has.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from compiler.errors import InputError

BUNDLE, LAUNCH, SIDECAR = "bundle.mlir", "launch_spec.json", "spyre_provenance.json"
CODE_FOLDER: Final = "spyreCodeDir"
SDSC: Final = re.compile(r"sdsc_([0-9]{1,9})\.json")
_DEEPEST: Final = 6
_MOST: Final = 20_000
"""Entries of a folder."""
_MOST_FOLDERS: Final = 4_000
_MOST_SOURCES: Final = 1_000
_SKIPPED: Final = frozenset({CODE_FOLDER, "__pycache__", ".git", ".venv", "node_modules"})


def entries(folder: Path) -> list[Path]:
    """What is in a folder, by name; InputError if it cannot be read or is too large."""
    found: list[Path] = []
    try:
        for path in folder.iterdir():
            found.append(path)
            if len(found) > _MOST:
                raise InputError(str(folder), f"it has more than {_MOST:,} files", "choose the folder of a kernel")
    except OSError as error:
        raise InputError(str(folder), f"it cannot be read ({error.strerror})", "check the path") from error
    return sorted(found, key=lambda path: _natural(path.name))


def plain_files(folder: Path, suffix: str) -> list[Path]:
    """Files of a folder with an ending that lie in the folder itself."""
    return [path for path in entries(folder) if path.suffix == suffix and is_file(path) and is_inside(path, folder)]


def sdsc_files(folder: Path) -> list[Path]:
    """`sdsc_<i>.json` of a folder by number."""
    return [path for path in plain_files(folder, ".json") if SDSC.fullmatch(path.name)]


def is_kernel_folder(folder: Path) -> bool:
    """True for the folder of one kernel."""
    return is_file(folder / BUNDLE) or bool(sdsc_files(folder))


def is_file(path: Path) -> bool:
    """True for a file; False for everything else, also for what may not be looked at."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def is_folder(path: Path) -> bool:
    """True for a folder; False for everything else, also for what may not be looked at."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def is_inside(path: Path, folder: Path) -> bool:
    """True if a path, links followed, leads into the folder."""
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):  # a link that leads to itself
        return False


def walk(folder: Path) -> Iterator[Path]:
    """The folder and those in it by name, outer ones first.

    A kernel's folder is not looked into, links are not followed, and what cannot be read is passed over but for the
    folder itself; of a large tree only the first `_MOST_FOLDERS` are seen.
    """
    waiting, seen = deque([(folder, 0)]), 0
    while waiting and seen < _MOST_FOLDERS:
        current, depth = waiting.popleft()
        seen += 1
        try:
            inner = [] if is_kernel_folder(current) else entries(current)
        except InputError:
            if current == folder:
                raise
            continue
        yield current
        folders = [path for path in inner if is_folder(path) and not path.is_symlink()] if depth < _DEEPEST else []
        waiting += [(path, depth + 1) for path in folders if path.name not in _SKIPPED]


def sources(folders: Iterable[Path]) -> Iterator[Path]:
    """Python sources in folders, of a large tree the first `_MOST_SOURCES`."""
    return islice((file for folder in folders for file in plain_files(folder, ".py")), _MOST_SOURCES)


def _natural(name: str) -> tuple[tuple[int, str], ...]:
    """Order in which `sdsc_10` stands behind `sdsc_9`."""
    return tuple((int(part) if part.isdecimal() else -1, part) for part in re.split(r"([0-9]{1,18})", name))
