"""The worker: `python -m spyre_studio.worker`, one warm process that the window asks for everything that takes time.

Owns the protocol, one JSON object per line.  In: `{"id", "task", "arguments", "keep_as"}`, `{"cancel": id}` (end with
nothing), `{"enough": id}` (end a search with the best so far), `{"keep": [handles]}`.  Out, per request: any number of
`{"id", "progress", "phase", "detail"}` and `{"id", "found": {"solver", "objective_us", "bound_us", "gap", "seconds"}}`
(bound and gap -1 while none is known), then one of `{"id", "result"}`, `{"id", "error": {"what", "why", "remedy"}}`,
`{"id", "cancelled": true}`, `{"id", "bug": traceback}`.  A large result comes after lines with its pieces (see
`pieces`).  Requests run one at a time in each lane (see `Lane`).  Ends when its input ends.  Refuses Qt, and torch.
"""

from __future__ import annotations

import importlib
import itertools
import json
import os
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import IO

from compiler.errors import InputError, StoppedError, StudioError
from compiler.watch import Finding
from spyre_studio.pieces import cut, line_of
from spyre_studio.reporter import NOTE
from spyre_studio.stop_signals import Ended, orderly
from spyre_studio.throttle import Throttle
from spyre_studio.worker_tasks import TASKS, WINDOW, Call, Lane, Store

_GOING_SECONDS = 1.0


class Lines:
    """The way out: whole lines, from any thread."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self._lock = threading.Lock()

    def write(self, message: Mapping[str, object]) -> None:
        """Write one line; if nobody reads any more it is dropped, since the end of input follows."""
        self._write(json.dumps(message, ensure_ascii=False))

    def write_result(self, number: int, result: object) -> None:
        """Write the answer to a request, long parts of it before as lines of their own."""
        counted = itertools.count()

        def put(piece: object) -> int:
            self._write(line_of(number, piece))
            return next(counted)

        self.write({"id": number, "result": cut(result, put)})

    def _write(self, line: str) -> None:
        with self._lock:
            try:
                self._stream.write(line + "\n")
                self._stream.flush()
            except OSError:
                return


@dataclass(slots=True, eq=False)
class Asked:
    """A request on its way through a lane, and its reporter."""

    number: int
    task: str
    arguments: Mapping[str, object]
    keep_as: str
    lines: Lines
    stopped: threading.Event = field(default_factory=threading.Event)
    sufficed: threading.Event = field(default_factory=threading.Event)
    findings: Throttle[Finding] = field(init=False)

    def __post_init__(self) -> None:
        self.findings = Throttle(self._write_finding)

    def progress(self, fraction: float | None, phase: str, detail: str = "") -> None:
        """Tell the window, unless it no longer wants to know."""
        if not self.cancelled():
            self.lines.write({"id": self.number, "progress": fraction, "phase": phase, "detail": detail})

    def note(self, sentence: str) -> None:
        """Tell the window something to show to a person."""
        self.progress(None, NOTE, sentence)

    def cancelled(self) -> bool:
        """True once the window sent a cancel."""
        return self.stopped.is_set()

    def found(self, finding: Finding) -> None:
        """Tell the window, which need not hear of everything that a quick search finds."""
        self.findings.put(finding)

    def enough(self) -> bool:
        """True once the window asked for the best so far."""
        return self.sufficed.is_set()

    def _write_finding(self, finding: Finding) -> None:
        if self.cancelled():
            return
        told = {
            name: getattr(finding, name) for name in ("solver", "objective_us", "bound_us", "gap", "seconds", "allowed")
        }
        self.lines.write({"id": self.number, "found": told})


class Worker:
    """Takes lines, runs requests in their lanes, writes answers."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._store = Store()
        self._open: dict[int, Asked] = {}
        self._lanes: dict[Lane, queue.Queue[Asked | None]] = {lane: queue.Queue() for lane in Lane}
        lanes = self._lanes.values()
        self._threads = [threading.Thread(target=self._work, args=(lane,), daemon=True) for lane in lanes]

    def serve(self, stream: IO[str]) -> None:
        """Take lines until there are no more, then stop what runs and end; nobody waits for work that does not."""
        for thread in self._threads:
            thread.start()
        try:
            for line in stream:
                if line.strip():
                    self._take(line)
        finally:
            self._stop()

    def _stop(self) -> None:
        for asked in list(self._open.values()):
            asked.stopped.set()
        for lane in self._lanes.values():
            lane.put(None)
        for thread in self._threads:
            thread.join(_GOING_SECONDS)

    def _take(self, line: str) -> None:
        message = _read(line)
        if "cancel" in message:
            asked = self._open.get(_number(message["cancel"]))
            if asked is not None:
                asked.stopped.set()
        elif "enough" in message:
            asked = self._open.get(_number(message["enough"]))
            if asked is not None:
                asked.sufficed.set()
        elif "keep" in message:
            self._store.keep(message["keep"])
        else:
            self._enqueue(message)

    def _enqueue(self, message: Mapping[str, object]) -> None:
        number, task = _number(message.get("id")), str(message.get("task"))
        arguments = message.get("arguments")
        try:
            if task not in TASKS or not isinstance(arguments, dict):
                raise InputError(WINDOW, f"there is no task {task}", f"ask for one of {', '.join(TASKS)}")
            # Handles are looked up now: a later line may tell to forget them.
            values = {name: self._store.resolved(value) for name, value in arguments.items()}
        except StudioError as error:
            self._lines.write({"id": number, "error": _parts(error)})
            return
        asked = Asked(number, task, values, str(message.get("keep_as", "")), self._lines)
        self._open[number] = asked
        self._lanes[TASKS[task].lane].put(asked)

    def _work(self, lane: queue.Queue[Asked | None]) -> None:
        while (asked := lane.get()) is not None:
            answer = self._answer(asked)
            asked.findings.flush()
            if "result" in answer:
                self._lines.write_result(asked.number, answer["result"])
            else:
                self._lines.write({"id": asked.number, **answer})
            self._open.pop(asked.number, None)

    def _answer(self, asked: Asked) -> dict[str, object]:
        try:
            if asked.cancelled():
                raise StoppedError
            value, plain = TASKS[asked.task].run(Call(asked.arguments, self._store, asked))
        except StoppedError:
            return {"cancelled": True}
        except StudioError as error:
            return {"error": _parts(error)}
        except Exception:  # noqa: BLE001  the window shows it: a lane that dies would answer nothing for ever
            return {"bug": traceback.format_exc()}
        if asked.keep_as:
            self._store.values[asked.keep_as] = value
        return {"result": plain}


def _read(line: str) -> Mapping[str, object]:
    """A line as an object; anything else becomes a request for a task that does not exist."""
    try:
        message = json.loads(line)
    except ValueError:
        return {}
    return message if isinstance(message, dict) else {}


def _number(value: object) -> int:
    return value if isinstance(value, int) else -1


def _parts(error: StudioError) -> dict[str, str]:
    return {"what": error.what, "why": error.why, "remedy": error.remedy}


def _own_stdout() -> IO[str]:
    """Stdout for our lines alone: what anything else prints goes to stderr from now on."""
    sys.stdout.flush()
    # In JSON a lone surrogate is written as an escape.
    lines = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="backslashreplace")
    os.dup2(2, 1)
    return lines


def _warm_up() -> None:
    """Import what most requests need, before the first one comes."""
    importlib.import_module("compiler.pipeline")


def main() -> int:
    """Serve the window; returns the exit code."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the key is meant for the window, whose end is ours
    threading.Thread(target=_warm_up, daemon=True).start()
    code = 0
    with _own_stdout() as out, open(0, encoding="utf-8", errors="surrogateescape", closefd=False) as stream:
        try:
            with orderly():
                Worker(Lines(out)).serve(stream)
        except Ended as asked:
            code = asked.code
        os._exit(code)  # a lane that is deep in work cannot be asked to end


if __name__ == "__main__":
    sys.exit(main())
