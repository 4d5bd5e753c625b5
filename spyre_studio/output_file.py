"""Output files: where a result is written, and how.

Owns writing a file whole or not at all, what `-` and devices mean, and finding out before long work whether a place can
be written.  Refuses places that are read by the same command: the model would be gone.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from compiler.errors import InputError

STDOUT = "-"
_OPTION = "-o"


def check_output(place: str, *read: Path) -> None:
    """InputError if `place` cannot be written, or is one of the files that are `read`; nothing is changed."""
    if not place:
        raise InputError(_OPTION, "the name of the file to write is empty", "name a file, or - for stdout")
    if is_stdout(place):
        return
    try:
        _check(Path(place), read)
    except (OSError, ValueError, RuntimeError) as error:  # a null character; a link that points to itself
        raise _unwritable(place, error) from error


def check_apart(path: Path, read: tuple[Path, ...]) -> None:
    """InputError if a place lies in one of the folders that are `read`."""
    within = next((one for one in read if one.is_dir() and one.resolve() in path.resolve().parents), None)
    if within is not None:
        raise InputError(str(path), f"it lies in {within}, which is read by this command", "write to another place")


def _check(path: Path, read: tuple[Path, ...]) -> None:
    if path.is_dir():
        raise InputError(str(path), "it is a folder, and cannot be written as a file", f"name a file, as in {path}/out")
    check_apart(path, read)
    if path.exists():
        same = [one for one in read if one.exists() and one.samefile(path)]
        if same:
            raise InputError(str(path), "it is read by this command, and would be lost", "write to another file")
        if not os.access(path, os.W_OK):
            raise InputError(str(path), "it cannot be written (it is write-protected)", "choose another place")
    if path.exists() and not path.is_file():
        return
    target = path.resolve()
    blocking = next((one for one in target.parents if one.exists()), None)
    if blocking is not None and not blocking.is_dir():
        raise InputError(str(path), f"{blocking} is a file, and no folder to write into", "choose another place")
    if not target.parent.exists():
        raise InputError(str(path), f"there is no folder {target.parent}", "make it, or choose another place")
    if not _replaced(target):
        return
    beside = _beside(target)
    beside.touch()
    beside.unlink()


def write_output(place: str, text: str) -> None:
    """Write to a file, or to stdout if that is meant; InputError if it cannot be written."""
    write_output_with(place, lambda file: _put(file, _encoded(text)))


def write_output_with(place: str, write: Callable[[BinaryIO], None]) -> None:
    """Let `write` fill a file, or stdout if that is meant; InputError if it cannot be written."""
    if is_stdout(place):
        sys.stdout.flush()
        write(sys.stdout.buffer)
        sys.stdout.flush()
    else:
        _write_file(Path(place), write)


def write_whole(path: Path, text: str) -> None:
    """Write a file completely or not at all; InputError if it cannot be written.

    A link stays a link: the file behind it is written.  What is no regular file, such as a device or a pipe, is
    written into as it is.
    """
    data = _encoded(text)
    _write_file(path, lambda file: _put(file, data))


def _write_file(path: Path, write: Callable[[BinaryIO], None]) -> None:
    try:
        target = path if path.exists() and not path.is_file() else path.resolve()
        if _replaced(target):
            _replace(target, write)
            return
        with target.open("wb") as file:
            write(file)
    except (OSError, ValueError, RuntimeError) as error:
        raise _unwritable(str(path), error) from error


def _put(file: BinaryIO, data: bytes) -> None:
    file.write(data)


def is_stdout(place: str) -> bool:
    """True for `-` and for whatever stdout already is, such as /dev/stdout: both would write over each other."""
    if place == STDOUT:
        return True
    try:
        return os.path.samestat(Path(place).stat(), os.fstat(1))
    except (OSError, ValueError):
        return False


def _replaced(target: Path) -> bool:
    """False for what is written in place: no regular file, or one in a folder where nothing new can be made."""
    if not target.exists():
        return True
    return target.is_file() and os.access(target.parent, os.W_OK)


def _replace(target: Path, write: Callable[[BinaryIO], None]) -> None:
    beside = _beside(target)
    try:
        with beside.open("wb") as file:
            write(file)
        if target.exists():
            beside.chmod(target.stat().st_mode & 0o777)
        beside.replace(target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _beside(target: Path) -> Path:
    """A name next to the file, of which no two threads have the same; short whatever the file is called."""
    return target.with_name(f".{os.getpid()}-{threading.get_ident()}.new")


def _encoded(text: str) -> bytes:
    """UTF-8; half of a surrogate pair, which has no form there, is escaped as JSON does it."""
    return text.encode("utf-8", "backslashreplace")


def _unwritable(place: str, error: Exception) -> InputError:
    reason = getattr(error, "strerror", None) or str(error)
    return InputError(place, f"it cannot be written ({reason})", "choose another place")
