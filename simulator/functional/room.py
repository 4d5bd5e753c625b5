"""Room: whether this machine can hold what a verification needs.

Owns the estimate and the refusal.  Refuses to guess where the system does not say how much memory is free.
"""

from __future__ import annotations

from pathlib import Path

from compiler.errors import InputError
from compiler.program import Program

COPIES = 4
"""Device memory, the host's inputs, the copies that steps are judged by, and what one step works with."""
_MEMINFO = Path("/proc/meminfo")


def check_room(program: Program, free: int | None) -> None:
    """InputError if a program needs more than the `free` bytes; None means nobody knows."""
    needed = COPIES * program.hbm_bytes + program.cores * program.lx_bytes
    if free is not None and needed > free:
        why = f"its numbers take about {needed / 2**30:.1f} GiB, and {free / 2**30:.1f} GiB are free"
        raise InputError(f"verifying {program.model}", why, "verify a smaller variant of the model")


def free_bytes(meminfo: Path = _MEMINFO) -> int | None:
    """Memory that can be taken without swapping, or None where the system does not say."""
    try:
        lines = meminfo.read_text("ascii").splitlines()
    except (OSError, UnicodeDecodeError):
        return None
    found = [line.split()[1] for line in lines if line.startswith("MemAvailable:")]
    return int(found[0]) * 1024 if found else None
