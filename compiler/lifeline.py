"""Lifeline: a process that works for another one ends with it, even if that one is killed.

Owns the pipe between the two: the one that works reads its stdin, of which the other one holds the writing end and
never writes.  Whatever ends the other one closes the pipe.  Refuses to act unless it was asked to, so that a process
that somebody starts by hand may have any stdin.
"""

from __future__ import annotations

import os
import signal
import threading

VARIABLE = "SPYRE_STUDIO_LIFELINE"
ASKED = "stdin"
"""The value of the variable in the environment of a process that is to end with its stdin."""


def hold_on() -> None:
    """End this process and all that it starts when its stdin ends, if the environment asks for that.

    Stdin is empty from then on: whatever code runs here must not wait for words that nobody types.
    """
    if os.environ.pop(VARIABLE, "") != ASKED:
        return
    pipe = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    threading.Thread(target=_wait, args=(pipe,), name="lifeline", daemon=True).start()


def _wait(pipe: int) -> None:
    while os.read(pipe, 1024):
        pass
    if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(1)
