"""Trace sentence: what is said to somebody who gives a trace where a model or a plan is asked for.

Owns telling a file of columns (`simulate -o FILE.npz`) from other archives, whole or not.  Refuses to read columns:
`simulator.trace_file` does.
"""

from __future__ import annotations

import zipfile
from pathlib import Path

from compiler.errors import InputError
from compiler.frontend.sniff import FileKind, sniff

SUFFIX = ".npz"
_MEMBERS = frozenset({"header.npy", "runs.start_ps.npy", "spans.start_ps.npy"})
_AGAIN = f"write it again with `spyre-studio simulate PLAN -o FILE{SUFFIX}`"


def trace_refusal(path: Path) -> InputError | None:
    """The sentence for a trace, or for what bears the name of one; None for every other file."""
    kind, named = sniff(path), path.suffix.lower() == SUFFIX
    match kind:
        case FileKind.ZIP if _is_trace(path):
            why = "it is the trace of a simulated run, which holds neither a model nor a plan"
            return InputError(str(path), why, f"sum it up with `spyre-studio show {path.name}`, or give the plan")
        case FileKind.ZIP if named:
            why = "it holds arrays of numpy, but not those of a simulated run"
            return InputError(str(path), why, "give a model, a saved plan, or a trace that `simulate` wrote")
        case FileKind.EMPTY if named:
            return InputError(str(path), "its name is that of a trace, but it is empty (0 bytes)", _AGAIN)
        case FileKind.TRUNCATED_ZIP if named:
            why = "its name is that of a trace, but its end is missing or damaged"
            return InputError(str(path), why, _AGAIN)
        case FileKind.UNKNOWN | FileKind.JSON if named:
            return InputError(str(path), "its name is that of a trace, but it holds no columns", _AGAIN)
        case _:
            return None


def is_trace(path: Path) -> bool:
    """True for a whole file with the columns of a trace."""
    return sniff(path) is FileKind.ZIP and _is_trace(path)


def _is_trace(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            return set(archive.namelist()) >= _MEMBERS
    except (OSError, zipfile.BadZipFile, RuntimeError):
        return False
