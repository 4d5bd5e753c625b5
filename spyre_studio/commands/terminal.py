"""The terminal: progress and notes on stderr, results on stdout.

Owns what a person sees while work goes on: one line that is rewritten, on a terminal only; and that the best so far of
a search is enough.  Refuses to mix anything into stdout.
"""

from __future__ import annotations

import json
import shutil
import sys
import threading

from compiler.watch import Finding
from spyre_studio.clipped import clipped
from spyre_studio.output_file import is_stdout
from spyre_studio.search_run import finding_words, time_words
from spyre_studio.throttle import Throttle

_CLEAR = "\r\033[K"
_STOPPING = "stopping with the best plan so far; press again to end without one"


class Terminal:
    """A reporter for people; silent about progress where stderr is a file or a pipe."""

    def __init__(self) -> None:
        self._shown = ""
        self._told: set[str] = set()
        self._alive = sys.stderr.isatty()
        self._phase = ""
        self._searching, self._expected = False, False
        self._sufficed, self._cancelled = threading.Event(), threading.Event()
        self._findings = Throttle(self._show_finding)

    def progress(self, fraction: float | None, phase: str, detail: str = "") -> None:
        """Show where the work is."""
        share = "" if fraction is None else f" {fraction:4.0%}"
        self._findings.flush()
        self._searching, self._phase = False, phase
        self._show(f"{phase}{share} {detail}".rstrip())

    def found(self, finding: Finding) -> None:
        """Show what the search knows now."""
        self._searching = True
        if self._alive:
            self._findings.put(finding)

    def enough(self) -> bool:
        """True once `stop` was asked."""
        return self._sufficed.is_set()

    def expect(self) -> None:
        """From now on there is something to end with, or there will be without any search."""
        self._expected = True

    def stop(self) -> bool:
        """Let the search end with the best so far; False if there is none, it has found nothing and nothing is expected
        before it begins, or that was asked."""
        if not (self._searching or self._expected) or self._sufficed.is_set():
            return False
        self._sufficed.set()
        self.done()
        self._write(f"{_STOPPING}\n")
        return True

    def note(self, sentence: str) -> None:
        """Say it on a line of its own, once."""
        if sentence in self._told:
            return
        self._told.add(sentence)
        self.done()
        self._write(f"note: {clipped(sentence)}\n")

    def cancelled(self) -> bool:
        """True once `cancel` was called."""
        return self._cancelled.is_set()

    def cancel(self) -> None:
        """Nobody waits for the work any more."""
        self._cancelled.set()

    def done(self) -> None:
        """Clear the line."""
        self._findings.flush()
        if self._shown:
            self._write(_CLEAR)
            self._shown = ""

    def _show_finding(self, finding: Finding) -> None:
        self._show(f"{self._phase} {time_words(finding)} · {finding_words(finding)}")

    def _show(self, text: str) -> None:
        text = text[: shutil.get_terminal_size().columns - 1]  # a line that is broken cannot be written over
        if self._alive and text != self._shown:
            self._write(f"{_CLEAR}{text}")
            self._shown = text

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
