"""Jobs: questions to the worker and their answers, without ever blocking the window.

Owns the worker's process, the channels (the newest request of a channel wins) and which values the worker already
holds.  Refuses to compute: a large answer is not even parsed on the window's thread.
"""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, QThreadPool, Signal

from compiler.codec import unstructure
from compiler.errors import StudioError
from compiler.watch import Finding
from spyre_studio.collector import unsearched
from spyre_studio.failure import Failure
from spyre_studio.pieces import PREFIX, join, read_line, take_apart
from spyre_studio.python_process import command, environment
from spyre_studio.request import Request, Shared

T = TypeVar("T")
Failed = Callable[[Failure], None]
Progress = Callable[[float | None, str, str], None]
Found = Callable[[Finding], None]
PARSED_APART = 64 << 10  # bytes; about a millisecond of parsing
_STDERR_KEPT = 8000
_GOING_MS = 2000


@dataclass(slots=True, eq=False)
class Job:
    """A request on its way; without `deliver` nobody waits for its answer any more."""

    number: int
    channel: str
    keep_as: str
    read: Callable[[object], object]
    deliver: Callable[[object], None]
    failed: Failed
    progress: Progress
    found: Found


class Jobs(QObject):
    """Sends requests to a worker that starts when it is first needed, and again after it died."""

    _parsed_apart = Signal(object)  # emitted on a pool thread, received on the window's

    def __init__(self, worker: Sequence[str] | None = None, parent: QObject | None = None) -> None:
        """`worker` is the command line of the worker, for tests of what happens when it misbehaves."""
        super().__init__(parent)
        self._command = list(worker or command("spyre_studio.worker"))
        self._process: QProcess | None = None
        self._number = 0
        self._active: dict[int, Job] = {}
        self._known: set[str] = set()
        self._input: list[bytes] = []
        self._pieces: dict[int, list[bytes]] = {}
        self._errors = b""
        self._parsed_apart.connect(self._receive)
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)  # one after the other, so that answers keep their order

    def submit(
        self,
        request: Request[T],
        channel: str,
        done: Callable[[T], None],
        failed: Failed,
        progress: Progress | None = None,
        found: Found | None = None,
    ) -> Job:
        """Send a request; an older one of the same channel is cancelled and its answer dropped.

        `done` or `failed` is called later, on the thread of this object, unless the job is cancelled; before that any
        number of times `progress`, and `found` for what a search has found so far.
        """
        self.cancel(channel)
        self._number += 1

        def deliver(value: object) -> None:
            done(value)  # type: ignore[arg-type]  # what request.read made, which is a T

        heard = (progress or _no_progress, found or _no_finding)
        job = Job(self._number, channel, request.keep_as, request.read, deliver, failed, *heard)
        self._active[job.number] = job
        self.warm_up()
        arguments = {key: self._encoded(value) for key, value in request.arguments.items()}
        line = {"id": job.number, "task": request.task, "arguments": arguments, "keep_as": request.keep_as}
        self._send(line)
        return job

    def cancel(self, channel: str) -> bool:
        """Stop what runs on a channel; True if something did."""
        stopped = [job for job in self._active.values() if job.channel == channel]
        for job in stopped:
            del self._active[job.number]
            self._send({"cancel": job.number})
        return bool(stopped)

    def suffice(self, channel: str) -> bool:
        """Let a search on a channel end with the best that it has found, which is its answer; True if something
        runs there."""
        running = [job for job in self._active.values() if job.channel == channel]
        for job in running:
            self._send({"enough": job.number})
        return bool(running)

    def busy(self, channel: str) -> bool:
        """True while an answer is awaited on a channel."""
        return any(job.channel == channel for job in self._active.values())

    def keep(self, handles: Iterable[str]) -> None:
        """Let the worker forget every shared value but these."""
        kept = set(handles)
        if self._known - kept:
            self._known &= kept
            self._send({"keep": sorted(kept)})

    def know(self, handles: Iterable[str]) -> None:
        """The worker has these already, from what it answered."""
        self._known.update(handles)

    def warm_up(self) -> None:
        """Start the worker if it does not run, so that the first request finds it ready."""
        if self._process is not None:
            return
        self._known.clear()
        self._input.clear()
        self._pieces.clear()
        self._errors = b""
        process = QProcess(self)
        variables = QProcessEnvironment()
        for name, value in environment().items():
            variables.insert(name, value)
        process.setProcessEnvironment(variables)
        process.readyReadStandardOutput.connect(self._read_output)
        process.readyReadStandardError.connect(self._read_errors)
        process.finished.connect(self._ended)
        process.errorOccurred.connect(self._failed_to_start)
        self._process = process
        process.start(self._command[0], self._command[1:])

    def shutdown(self) -> None:
        """End the worker; what was asked for is dropped."""
        self._active.clear()
        process, self._process = self._process, None
        if process is not None:
            process.finished.disconnect(self._ended)
            process.errorOccurred.disconnect(self._failed_to_start)
            process.closeWriteChannel()
            if not process.waitForFinished(_GOING_MS):
                process.kill()
                process.waitForFinished(_GOING_MS)
            process.deleteLater()
        self._pool.waitForDone()

    def _send(self, line: dict[str, object]) -> None:
        if self._process is not None:
            self._process.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")

    def _encoded(self, value: object) -> object:
        if not isinstance(value, Shared):
            return value
        if value.handle in self._known:
            return {"handle": value.handle}
        self._known.add(value.handle)
        return {"handle": value.handle, "kind": type(value.value).__name__.lower(), "value": unstructure(value.value)}

    def _read_output(self) -> None:
        if self._process is None:
            return
        head, *lines = bytes(self._process.readAllStandardOutput().data()).split(b"\n")
        self._input.append(head)
        for line in lines:
            self._take(b"".join(self._input))
            self._input = [line]

    def _take(self, line: bytes) -> None:
        if line.startswith(PREFIX):
            number, text = read_line(line)
            self._pieces.setdefault(number, []).append(text)
            return
        if len(line) < PARSED_APART and not self._pieces:
            self._receive(_parsed(line, self._active, {}))
            return
        active, pieces = dict(self._active), self._pieces
        self._pool.start(lambda: self._parsed_apart.emit(_parsed_without_pauses(line, active, pieces)))

    def _receive(self, answer: object) -> None:
        assert isinstance(answer, _Answer)
        job = self._active.get(answer.number)
        if job is None:
            return
        if answer.progress is not None:
            job.progress(*answer.progress)
            return
        if answer.found is not None:
            job.found(answer.found)
            return
        del self._active[job.number]
        if answer.failure is not None:
            job.failed(answer.failure)
        elif answer.finished:
            self._known |= {job.keep_as} - {""}
            job.deliver(answer.value)

    def _read_errors(self) -> None:
        if self._process is not None:
            self._errors = (self._errors + bytes(self._process.readAllStandardError().data()))[-_STDERR_KEPT:]

    def _failed_to_start(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            self._lost("it could not be started")

    def _ended(self, code: int, status: QProcess.ExitStatus) -> None:
        self._read_output()
        self._read_errors()
        crashed = status is QProcess.ExitStatus.CrashExit
        self._lost(f"it was ended by signal {code}" if crashed else f"it ended with exit code {code}")

    def _lost(self, why: str) -> None:
        """Fail whatever waits; the next request starts a new worker."""
        process, self._process = self._process, None
        if process is not None:
            process.deleteLater()
        self._pool.waitForDone()
        waiting, self._active = list(self._active.values()), {}
        details = self._errors.decode("utf-8", "replace").strip()
        for job in waiting:
            job.failed(Failure("the worker process", f"{why} before it could answer", "try again", details))


@dataclass(frozen=True, slots=True, eq=False)
class _Answer:
    """A line of the worker: progress, what a search has found, a failure, or the end with or without a value."""

    number: int
    progress: tuple[float | None, str, str] | None = None
    found: Finding | None = None
    failure: Failure | None = None
    finished: bool = False
    value: object = None


def _parsed(line: bytes, active: dict[int, Job], pieces: dict[int, list[bytes]]) -> _Answer:
    """What a line says, with the pieces that came before it; the result of a job nobody waits for is not read."""
    message = json.loads(line)
    number = message["id"]
    job = active.get(number)
    if "progress" in message:
        return _Answer(number, (message["progress"], message["phase"], message["detail"]))
    if "found" in message:
        told = message["found"]
        return _Answer(number, found=Finding(*(told[name] for name in Finding.__dataclass_fields__)))
    parts = pieces.pop(number, [])
    if "error" in message:
        error = message["error"]
        return _Answer(number, failure=Failure(error["what"], error["why"], error["remedy"]))
    if "bug" in message:
        return _Answer(number, failure=bug(message["bug"]))
    if "result" not in message or job is None:
        return _Answer(number)
    plain = value = None
    try:
        plain = join(message["result"], parts)
        value = job.read(plain)
        return _Answer(number, finished=True, value=value)
    except StudioError as error:
        return _Answer(number, failure=Failure.of(error))
    except Exception:  # noqa: BLE001  nobody is above a pool thread: what is not told here would never be told
        return _Answer(number, failure=bug(traceback.format_exc()))
    finally:
        if parts and value is not plain:
            take_apart(plain)


def _parsed_without_pauses(line: bytes, active: dict[int, Job], pieces: dict[int, list[bytes]]) -> _Answer:
    """As `_parsed`, for a pool thread, with no search for garbage meanwhile."""
    with unsearched():
        return _parsed(line, active, pieces)


def bug(details: str) -> Failure:
    """The failure to show for an exception nobody expected; `details` is its traceback."""
    last = details.strip().rpartition("\n")[2]
    return Failure("Spyre Studio", f"it made a mistake of its own ({last})", "report it with the details", details)


def _no_progress(_fraction: float | None, _phase: str, _detail: str) -> None:
    """For those who do not want to know."""


def _no_finding(_finding: Finding) -> None:
    """For those who do not want to know."""
