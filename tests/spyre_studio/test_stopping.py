"""Being ended: what a command started ends with it, however it ends, and nothing is left behind."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from compiler import lifeline
from spyre_studio.python_process import command, environment
from spyre_studio.stop_signals import Ended, orderly
from tests.spyre_studio.processes import gone


@pytest.fixture
def number(tmp_path: Path) -> Path:
    """Where the model file of `endless` writes the number of its process: a pipe, so that a reader waits for it."""
    path = tmp_path / "number"
    os.mkfifo(path)
    return path


@pytest.fixture
def endless(tmp_path: Path, number: Path) -> str:
    """A model that is never finished, and that a request to end does not disturb."""
    script = tmp_path / "endless.py"
    code = "import os, signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    code += f"open({str(number)!r}, 'w').write(str(os.getpid()))\n"
    script.write_text(f"{code}while True: pass\n", encoding="utf-8")
    return f"{script}:factory"


@contextmanager
def running(*words: str, temporary: Path, stdin: int = subprocess.DEVNULL) -> Iterator[subprocess.Popen[bytes]]:
    """A process of ours that uses a folder for its temporary files."""
    temporary.mkdir()
    variables = {**environment(), "TMPDIR": str(temporary)}
    process = subprocess.Popen(
        words, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=variables, start_new_session=True
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def test_a_command_that_is_asked_to_end_cleans_up(tmp_path: Path, endless: str, number: Path) -> None:
    words = command("spyre_studio", "capture", endless, "-o", str(tmp_path / "out.json"))
    with running(*words, temporary=tmp_path / "temporary") as process:
        child = int(number.read_text())
        process.terminate()
        assert process.wait(10) == 143
        assert gone(child)
        assert list((tmp_path / "temporary").glob("spyre-studio-*")) == []
        assert process.stderr is not None
        assert b"Traceback" not in process.stderr.read()


def test_the_model_process_of_a_worker_that_is_killed_ends(tmp_path: Path, endless: str, number: Path) -> None:
    words = command("spyre_studio.worker")
    with running(*words, temporary=tmp_path / "temporary", stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        line = f'{{"id": 1, "task": "open", "arguments": {{"spec": "{endless}"}}}}\n'
        process.stdin.write(line.encode())
        process.stdin.flush()
        child = int(number.read_text())
        process.kill()
        assert gone(child)


@pytest.mark.parametrize("module", ["compiler.frontend", "simulator.functional"])
def test_both_kinds_of_model_process_end_with_their_stdin(
    tmp_path: Path, endless: str, number: Path, module: str
) -> None:
    """The one would wait for its model for ever, the other for its request."""
    arguments = ["capture", endless, "-o", str(tmp_path / "out.json")] if "front" in module else [str(number)]
    words, variables = command(module, *arguments), {**environment(), lifeline.VARIABLE: lifeline.ASKED}
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=variables, start_new_session=True
    ) as process:
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(10) == -signal.SIGKILL


def test_a_worker_that_is_asked_to_end_ends(tmp_path: Path) -> None:
    with running(*command("spyre_studio.worker"), temporary=tmp_path / "temporary", stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b'{"id": 1, "task": "none"}\n')
        process.stdin.flush()
        assert b"error" in process.stdout.readline()
        process.terminate()
        assert process.wait(10) == 143


def test_a_worker_does_not_wait_for_work_that_cannot_stop(tmp_path: Path) -> None:
    """A window that died has closed the pipe; a pass that does not look up must not keep the worker alive."""
    code = """
from frozendict import frozendict
from spyre_studio import worker
def busy(call):
    call.reporter.progress(None, "busy")
    while True: pass
worker.TASKS = frozendict(busy=type(worker.TASKS["check"])(busy))
worker.main()
"""
    with running(sys.executable, "-c", code, temporary=tmp_path / "temporary", stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b'{"id": 1, "task": "busy", "arguments": {}}\n')
        process.stdin.flush()
        assert b"busy" in process.stdout.readline()
        process.stdin.close()
        process.stdin = None
        assert process.wait(10) == 0


def test_a_process_without_a_lifeline_may_have_any_stdin() -> None:
    code = "from compiler.lifeline import hold_on; hold_on(); import sys; print(repr(sys.stdin.read()))"
    words = [sys.executable, "-c", code]
    free = subprocess.run(words, input=b"words", capture_output=True, env=environment(), check=True)
    assert free.stdout == b"'words'\n"
    held = {**environment(), lifeline.VARIABLE: lifeline.ASKED}
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=held) as process:
        assert process.stdout is not None
        assert process.stdout.read() == b"''\n", "code that runs here finds nothing to read, and does not wait"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_only_the_first_signal_is_heard(number: signal.Signals) -> None:
    before = signal.signal(number, signal.SIG_DFL)  # whoever started the tests may have it ignored
    try:
        with pytest.raises(Ended) as heard:
            _ended_twice(number)
        assert heard.value.code == 128 + number
        assert signal.getsignal(number) is signal.SIG_DFL
    finally:
        signal.signal(number, before)


def _ended_twice(number: signal.Signals) -> None:
    with orderly():
        try:
            signal.raise_signal(number)
        finally:
            signal.raise_signal(signal.SIGTERM)


def test_a_signal_that_is_ignored_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with orderly():
            signal.raise_signal(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)
