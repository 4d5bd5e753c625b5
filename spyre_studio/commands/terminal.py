"""The terminal: progress and notes on stderr, results on stdout.

Owns what a person sees while work goes on: one line that is rewritten, on a terminal only.  Refuses to mix anything
into stdout.
"""

from __future__ import annotations

import json
import sys

from spyre_studio.clipped import clipped
from spyre_studio.output_file import is_stdout

_CLEAR = "\r\033[K"


class Terminal:
    """A reporter for people; silent about progress where stderr is a file or a pipe."""

    def __init__(self) -> None:
        self._shown = ""
        self._told: set[str] = set()
        self._alive = sys.stderr.isatty()

    def progress(self, fraction: float | None, phase: str, detail: str = "") -> None:
        """Show where the work is."""
        share = "" if fraction is None else f" {fraction:4.0%}"
        text = f"{phase}{share} {detail}".rstrip()
        if self._alive and text != self._shown:
            self._write(f"{_CLEAR}{text}")
            self._shown = text

    def note(self, sentence: str) -> None:
        """Say it on a line of its own, once."""
        if sentence in self._told:
            return
        self._told.add(sentence)
        self.done()
        self._write(f"note: {clipped(sentence)}\n")

    def cancelled(self) -> bool:
        """Never: the interrupt key ends the program."""
        return False

    def done(self) -> None:
        """Clear the line."""
        if self._shown:
            self._write(_CLEAR)
            self._shown = ""

    def _write(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()


def warn(sentence: str) -> None:
    """A finding, on stderr."""
    print(sentence, file=sys.stderr)


def tell(text: str, output: str | None) -> None:
    """What a person is told of a result: on stdout, unless that is where the result itself went."""
    print(text, file=sys.stderr if output is not None and is_stdout(output) else sys.stdout)


def print_json(document: object) -> None:
    """One JSON document on stdout."""
    plain = not (sys.stdout.encoding or "").lower().startswith("utf")
    print(json.dumps(document, indent=2, ensure_ascii=plain))
