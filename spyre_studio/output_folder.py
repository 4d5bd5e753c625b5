"""Output folders: several files that belong together, written whole or not at all.

Owns the folder beside the wanted one that is filled first and then takes its place.  Refuses a place where anything is
but an empty folder: kernels that somebody else wrote have the same names as ours, and would go.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from compiler.emit.format import Part
from compiler.errors import InputError


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
        held = next(iter(sorted(place.iterdir())), None)
        if held is not None:
            why = f"the folder is not empty: it holds {held.name}, which would be lost"
            raise InputError(str(place), why, "name a new folder, or remove this one first")
    parent = place.resolve().parent
    if not parent.is_dir():
        raise InputError(str(place), f"there is no folder {parent}", "make it, or choose another place")
    if not os.access(parent, os.W_OK):
        raise InputError(str(place), f"the folder {parent} is write-protected", "choose another place")


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
    """In the place of an empty folder, or of none."""
    if target.exists():
        target.rmdir()
    beside.rename(target)


def _unwritable(place: Path, error: Exception) -> InputError:
    reason = getattr(error, "strerror", None) or str(error)
    return InputError(str(place), f"it cannot be written ({reason})", "choose another place")
