"""The process that verifies: `python -m simulator.functional REQUEST.json` (see `request`).

Owns the lines on stdout, one JSON object each: `{"progress": share, "phase": text}`, with the step as `"detail"`
while it is simulated, any number of times; at the end `{"result": a VerifyReport}` (exit code 0 = numbers agree, 1 =
they do not), `{"error": {"what", "why", "remedy"}}` (2, bad input) or `{"bug": text}` (3, a fault of ours).  What the
author's code prints goes to stderr.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from compiler.codec import unstructure
from compiler.errors import InputError, StudioError
from compiler.lifeline import hold_on
from simulator.functional.request import read_request
from simulator.report import VerifyReport

USAGE = "python -m simulator.functional REQUEST.json"
_REFERENCE_SHARE = 0.4
"""How much of the time the reference takes, as far as the progress bar is concerned."""
Say = Callable[[dict[str, object]], None]


def main(arguments: Sequence[str]) -> int:
    """Verify what a request says and write our lines to stdout; returns the exit code."""
    hold_on()
    with _own_stdout() as lines:
        return run(arguments, lines)


def run(arguments: Sequence[str], lines: TextIO) -> int:
    """The same with our lines written to `lines`."""

    def say(message: dict[str, object]) -> None:
        print(json.dumps(message, allow_nan=False), file=lines, flush=True)

    try:
        report = _verify(arguments, say)
    except StudioError as error:
        say({"error": {"what": error.what, "why": error.why, "remedy": error.remedy}})
        return 2
    except Exception:  # noqa: BLE001 (whoever waits for this process must hear of every fault)
        say({"bug": traceback.format_exc()})
        return 3
    say({"result": unstructure(report)})
    return 0 if report.ok else 1


def _own_stdout() -> TextIO:
    """Stdout for our lines alone: everybody else's output, also of C code, goes to stderr from now on."""
    sys.stdout.flush()
    lines = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return lines


def _verify(arguments: Sequence[str], say: Say) -> VerifyReport:
    if len(arguments) != 1:
        raise InputError("the command", f"it takes one file, not {len(arguments)}", f"use {USAGE}")
    say({"progress": 0.0, "phase": "start"})
    request = read_request(Path(arguments[0]))  # before torch is imported: a bad request is refused at once
    from compiler.frontend.eager import reference
    from simulator.functional.verify import verify

    say({"progress": 0.0, "phase": "run in PyTorch"})
    known = reference(request.model, request.seed, sizes=request.sizes)

    def progress(share: float, step: str) -> None:
        done = round(_REFERENCE_SHARE + (1 - _REFERENCE_SHARE) * share, 4)
        say({"progress": done, "phase": "simulate", "detail": step})

    report = verify(
        request.program,
        known.inputs,
        known.outputs,
        poison=request.poison,
        lx_bytes=request.lx_bytes or None,
        progress=progress,
    )
    return replace(report, inputs=known.origin)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
