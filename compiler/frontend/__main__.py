"""The model process: `python -m compiler.frontend capture SPEC -o OUT.json [--size SYMBOL=N ...]`.

Owns the lines on stdout, one JSON object each: `{"progress": share, "phase": text}` and `{"note": sentence}` any number
of times; at the end `{"done": path}` (exit code 0), `{"error": {"what", "why", "remedy"}}` (2, bad input) or
`{"bug": text}` (3, a fault of ours).  What the author's code prints goes to stderr.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from compiler.errors import InputError, StudioError
from compiler.frontend.specs import read_spec
from compiler.lifeline import hold_on

USAGE = "python -m compiler.frontend capture SPEC -o OUT.json [--size SYMBOL=N ...]"
Say = Callable[[dict[str, object]], None]


@dataclass(frozen=True, slots=True)
class Arguments:
    """What to capture, where to write it, and values for open sizes."""

    spec: str
    out: Path
    sizes: tuple[tuple[str, int], ...]


def main(arguments: Sequence[str]) -> int:
    """Capture one model; returns the exit code."""
    hold_on()
    with _own_stdout() as lines:

        def say(message: dict[str, object]) -> None:
            print(json.dumps(message, allow_nan=False), file=lines, flush=True)

        try:
            _capture(read_arguments(arguments), say)
        except StudioError as error:
            say({"error": {"what": error.what, "why": error.why, "remedy": error.remedy}})
            return 2
        except Exception:  # noqa: BLE001 (whoever waits for this process must hear of every fault)
            say({"bug": traceback.format_exc()})
            return 3
        return 0


def read_arguments(arguments: Sequence[str]) -> Arguments:
    """The command line; InputError if it is not of the form in USAGE."""
    words = list(arguments)
    sizes: list[tuple[str, int]] = []
    out: Path | None = None
    specs: list[str] = []
    if not words or words.pop(0) != "capture":
        raise _misused("it does not say capture")
    while words:
        word = words.pop(0)
        if word not in {"-o", "--size"}:
            specs.append(word)
        elif not words:
            raise _misused(f"nothing follows {word}")
        elif word == "-o":
            out = Path(words.pop(0))
        else:
            sizes.append(_size(words.pop(0)))
    if len(specs) != 1 or out is None:
        raise _misused("it takes one model and one file to write")
    return Arguments(specs[0], out, tuple(sizes))


def _size(text: str) -> tuple[str, int]:
    symbol, _, value = text.partition("=")
    if not symbol.isidentifier() or not value.isdecimal():
        raise _misused(f"{text} is not SYMBOL=N")
    return symbol, int(value)


def _misused(why: str) -> InputError:
    return InputError("the command", why, f"use {USAGE}")


def _capture(arguments: Arguments, say: Say) -> None:
    say({"progress": 0.0, "phase": "start"})
    read_spec(arguments.spec)  # before torch is imported, which takes seconds: a wrong name is refused at once
    from compiler.codec import to_json
    from compiler.frontend.load import load, notes

    for note in notes(arguments.spec):
        say({"note": note})
    captured = load(
        arguments.spec,
        lambda share, phase: say({"progress": round(share, 3), "phase": phase}),
        dict(arguments.sizes),
    )
    try:
        arguments.out.write_text(to_json(captured), encoding="utf-8")
    except OSError as error:
        raise InputError(
            str(arguments.out), f"it cannot be written ({error.strerror})", "choose another place"
        ) from error
    say({"done": str(arguments.out)})


def _own_stdout() -> TextIO:
    """Stdout for our lines alone: everybody else's output, also of C code, goes to stderr from now on."""
    sys.stdout.flush()
    lines = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return lines


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
