"""Standard streams: stdout and stderr as this program needs them, whatever they are.

Owns streams that are closed, full or of a narrow encoding.  Refuses to lose output silently: writing to a stdout that
is closed fails like writing to a full one.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from contextlib import suppress
from typing import TextIO, TypeGuard

_UNWRITABLE = frozenset({errno.ENOSPC, errno.EBADF, errno.EIO, errno.EFBIG, errno.EDQUOT, errno.ENXIO})


def prepare() -> None:
    """Make sure that there are both streams, and that no character is too much for them."""
    _fill_gaps()
    if sys.stdout is None:  # Python's way to say that it was closed when the program started
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    for stream, errors in ((sys.stdout, "replace"), (sys.stderr, "backslashreplace")):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=errors)


def _fill_gaps() -> None:
    """Open what is closed of 0, 1 and 2, so that no file we open takes its number; 1 in a way that refuses writing."""
    for number, mode in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, mode)  # takes the lowest number that is free


def is_about_a_stream(error: Exception) -> TypeGuard[OSError]:
    """True for the failure of a stream: that of a file has its name."""
    return isinstance(error, OSError) and error.errno in _UNWRITABLE and error.filename is None


def drop(stream: TextIO) -> None:
    """Let what is still to be written to a stream, at exit for instance, go nowhere: Python would end with 120."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    with suppress(OSError, ValueError):
        os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
