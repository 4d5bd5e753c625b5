"""Processes that tests start and watch: whether one has ended, without looking again and again."""

from __future__ import annotations

import os
import select


def gone(process: int) -> bool:
    """True as soon as a process that need not be ours has ended; nobody may have collected it yet."""
    try:
        handle = os.pidfd_open(process)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], 10)[0])
    finally:
        os.close(handle)
