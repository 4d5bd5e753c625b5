"""The simulated run as a file: for Perfetto and `chrome://tracing`, or all of its columns.

Owns: which of both a path means, how much is told, and that it is written whole. Refuses to simulate; `tasks` does.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import BinaryIO, Final

from simulator.perfetto import detail_of, write_events
from simulator.trace import Trace
from simulator.trace_file import save_trace
from spyre_studio.output_file import write_output_with

COLUMNS: Final = ".npz"


def write_run(trace: Trace, path: Path) -> None:
    """Write it completely or not at all; InputError if it cannot be written."""
    write_output_with(str(path), lambda file: _write(trace, file, path.suffix.lower() == COLUMNS))


def _write(trace: Trace, file: BinaryIO, columns: bool) -> None:
    if columns:
        save_trace(trace, file)
        return
    text = io.TextIOWrapper(file, encoding="utf-8", newline="\n")
    try:
        write_events(trace, text, detail_of(trace))
    finally:
        text.detach()  # what it wraps is not its own to close
