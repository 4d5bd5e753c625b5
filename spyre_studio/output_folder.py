"""Output folders: several files that belong together, written whole or not at all.

Owns the folder beside the wanted one that is filled first and then takes its place, and which folders may be replaced:
empty ones, and those that hold nothing but what such an export writes.  Refuses every other: somebody's files would go.
"""

from __future__ import annotations

import os
import re
import shutil
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Final, TextIO

from compiler.emit.format import Part
from compiler.emit.kernel_folders import BUNDLE, CONSTANTS, LAUNCH, PROVENANCE
from compiler.errors import InputError

_OURS: Final = re.compile(r"sdsc_\d+\.json")
_NAMES: Final = frozenset({BUNDLE, CONSTANTS, PROVENANCE, LAUNCH.rpartition("/")[2]})


def check_folder(place: Path) -> None:
    """InputError if no folder can be written at this place; nothing is changed."""
    try:
        _check(place)
    except (OSError, ValueError) as error:
        raise _unwritable(place, error) from error


def write_folder(place: Path, parts: Iterable[Part]) -> int:
    """Write all files; how many there are.  InputError if they cannot be written: then all is as it was."""
    check_folder(place)
    target = place.resolve()
    beside = target.with_name(f".{os.getpid()}-{threading.get_ident()}.new")
    try:
        count = _fill(beside, parts)
        _put(beside, target)
    except (OSError, ValueError) as error:
        raise _unwritable(place, error) from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return count


def _check(place: Path) -> None:
    if place.exists():
        if not place.is_dir():
            raise InputError(str(place), "it is a file, and the export is a folder", "name another folder")
        strange = next((one for one in sorted(place.rglob("*")) if not _ours(one)), None)
        if strange is not None:
            why = f"it holds {strange.relative_to(place)}, which no export wrote and would be lost"
            raise InputError(str(place), why, "name a new folder, or an empty one")
    parent = place.resolve().parent
    if not parent.is_dir():
        raise InputError(str(place), f"there is no folder {parent}", "make it, or choose another place")
    if not os.access(parent, os.W_OK):
        raise InputError(str(place), f"the folder {parent} is write-protected", "choose another place")


def _ours(path: Path) -> bool:
    if path.is_symlink():
        return False
    return path.is_dir() or path.name in _NAMES or _OURS.fullmatch(path.name) is not None


def _fill(folder: Path, parts: Iterable[Part]) -> int:
    folder.mkdir()
    count, path, file = 0, "", None
    try:
        for part in parts:
            if part.path != path or file is None:
                if file is not None:
                    file.close()
                path, file = part.path, _opened(folder / part.path)
                count += 1
            file.write(part.text)
    finally:
        if file is not None:
            file.close()
    return count


def _opened(path: Path) -> TextIO:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.open("w", encoding="utf-8", errors="backslashreplace", newline="\n")


def _put(beside: Path, target: Path) -> None:
    """In the place of what is there, which is back if the move fails."""
    old = target.with_name(f"{beside.name}.old")
    if not target.exists():
        beside.rename(target)
        return
    target.rename(old)
    try:
        beside.rename(target)
    except OSError:
        old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _unwritable(place: Path, error: Exception) -> InputError:
    reason = getattr(error, "strerror", None) or str(error)
    return InputError(str(place), f"it cannot be written ({reason})", "choose another place")
