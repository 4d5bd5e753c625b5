"""The model process: torch and the user's own code, outside of everything that must survive them.

Owns starting it, reading its lines (one JSON object each), and ending it as soon as its work is no longer wanted, or
nobody is left who wants it.
Refuses to trust it: it may say anything, hang, or die.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO

from compiler import lifeline
from compiler.errors import InputError, StoppedError
from spyre_studio.python_process import environment
from spyre_studio.reporter import Reporter

_POLL_SECONDS = 0.05
_LAST_WORDS = 2000
_AGAIN = "run it again"
_REMEDIES = {
    "signal SIGKILL": "give it more memory, or try a smaller model",  # what a system does that runs out of it
    **dict.fromkeys(("signal SIGTERM", "signal SIGINT", "signal SIGHUP"), _AGAIN),
}
_NATIVE = "look at its own code, and at the packages it uses: machine code failed"


@dataclass(frozen=True, slots=True)
class Answer:
    """How the process ended its work: the last line that was not progress, and its notes."""

    message: dict[str, object]
    notes: tuple[str, ...]


class ModelProcessError(Exception):
    """The process reports a mistake of ours; the text is its traceback."""


def run(command: Sequence[str], what: str, reporter: Reporter) -> Answer:
    """Run a command to its end; `what` names the work in errors.

    Raises StoppedError if the reporter says so (the process is then gone), InputError for an error that the process
    reports or if it dies, ModelProcessError for a bug that it reports.
    """
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,  # nothing is ever written: see `lifeline`
            stdout=subprocess.PIPE,
            stderr=errors,
            env={**environment(), lifeline.VARIABLE: lifeline.ASKED},
            start_new_session=True,
        )
        try:
            answer = _listen(process, reporter)
            code = process.wait()
        finally:
            _end(process)
        if answer.message:
            return answer
        raise _died(what, code, _last_line(errors))


def _listen(process: subprocess.Popen[bytes], reporter: Reporter) -> Answer:
    notes: list[str] = []
    last: dict[str, object] = {}
    for message in _messages(process, reporter):
        if "progress" in message:
            share = message["progress"]
            fraction = float(share) if isinstance(share, int | float) else None
            reporter.progress(fraction, str(message.get("phase", "")), str(message.get("detail", "")))
        elif "note" in message:
            notes.append(str(message["note"]))
            reporter.note(notes[-1])
        else:
            last = message
    if "bug" in last:
        raise ModelProcessError(str(last["bug"]))
    if isinstance(last.get("error"), dict):
        error = dict(last["error"])  # type: ignore[call-overload]  # just tested
        raise InputError(*(str(error.get(part, "")) for part in ("what", "why", "remedy")))
    return Answer(last, tuple(notes))


def _messages(process: subprocess.Popen[bytes], reporter: Reporter) -> Iterator[dict[str, object]]:
    """Objects that the process writes; lines that are none are not ours and are passed over."""
    lines = _lines_of(process)
    while True:
        if reporter.cancelled():
            raise StoppedError
        try:
            line = lines.get(timeout=_POLL_SECONDS)
        except queue.Empty:
            continue
        if not line:
            return
        try:
            message = json.loads(line)
        except ValueError:
            continue
        if isinstance(message, dict):
            yield message


def _lines_of(process: subprocess.Popen[bytes]) -> queue.Queue[bytes]:
    """Lines as they come, and an empty one for the end."""
    lines: queue.Queue[bytes] = queue.Queue()

    def read() -> None:
        assert process.stdout is not None
        with process.stdout as stream:
            for line in stream:
                if line.strip():
                    lines.put(line)
        lines.put(b"")

    threading.Thread(target=read, name="lines of the model process", daemon=True).start()
    return lines


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the process and what it started, if it still runs."""
    if process.poll() is None:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        process.wait()
    if process.stdin is not None:
        process.stdin.close()


def _died(what: str, code: int, last_words: str) -> InputError:
    said = f", after saying: {last_words}" if last_words else ""
    if code < 0:
        why = f"the process that worked on it was ended by {_signal_name(-code)}{said}"
        return InputError(what, why, _REMEDIES.get(_signal_name(-code), _NATIVE))
    return InputError(what, f"the process that worked on it ended with exit code {code}{said}", "look at its own code")


def _signal_name(number: int) -> str:
    try:
        return f"signal {signal.Signals(number).name}"
    except ValueError:  # a signal without a name of its own
        return f"signal {number}"


def _last_line(errors: IO[bytes]) -> str:
    errors.seek(0, os.SEEK_END)
    errors.seek(max(errors.tell() - _LAST_WORDS, 0))
    lines = [line.strip() for line in errors.read().decode("utf-8", "replace").splitlines() if line.strip()]
    return lines[-1][:200].rstrip(".") if lines else ""
