"""The process that runs a user's code: it may say anything, hang, or die, and we get a sentence or nothing."""

import os
import sys
from pathlib import Path

import pytest

from compiler.errors import InputError, StoppedError
from spyre_studio.model_process import ModelProcessError, run
from spyre_studio.reporter import Silent
from tests.spyre_studio.processes import gone


class Listener(Silent):
    """Remembers what it was told, and stops the work after some of it."""

    def __init__(self, stop_after: int = 1000) -> None:
        self.told: list[tuple[float | None, str]] = []
        self.notes: list[str] = []
        self.stop_after = stop_after

    def progress(self, fraction: float | None, phase: str, detail: str = "") -> None:
        self.told.append((fraction, phase))

    def note(self, sentence: str) -> None:
        self.notes.append(sentence)

    def cancelled(self) -> bool:
        return len(self.told) >= self.stop_after


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_progress_notes_and_the_answer() -> None:
    listener = Listener()
    code = """print('{"progress": 0.5, "phase": "read"}\\n{"note": "mind"}\\n\\nnoise\\n[1]\\n{"done": "x"}')"""
    answer = run(python(code), "m", listener)
    assert answer.message == {"done": "x"}
    assert answer.notes == ("mind",)
    assert listener.told == [(0.5, "read")]
    assert listener.notes == ["mind"]


def test_an_error_of_the_process_is_an_error_for_people() -> None:
    code = """print('{"error": {"what": "m.pt2", "why": "it is bad", "remedy": "fix it"}}')"""
    with pytest.raises(InputError, match=r"^m\.pt2: it is bad; fix it\.$"):
        run(python(code), "m", Silent())


def test_a_bug_of_the_process_is_no_error_for_people() -> None:
    with pytest.raises(ModelProcessError, match="line 3"):
        run(python("""print('{"bug": "line 3"}')"""), "m", Silent())


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import os; os.kill(os.getpid(), 9)", "m: the process .* ended by signal SIGKILL; give it more memory"),
        ("import os; os.kill(os.getpid(), 15)", "signal SIGTERM; run it again"),
        ("import os; os.kill(os.getpid(), 11)", "signal SIGSEGV; look at its own code"),
        ("import os; os.kill(os.getpid(), 40)", "signal 40; look at its own code"),
        ("import sys; print('no luck', file=sys.stderr); sys.exit(7)", "exit code 7, after saying: no luck"),
        ("", "ended with exit code 0"),
        ("print('x' * 1_000_000)", "ended with exit code 0"),
    ],
)
def test_a_process_that_dies_is_said_to_have_died(code: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        run(python(code), "m", Silent())


def test_much_on_stderr_does_not_block() -> None:
    code = """import sys; sys.stderr.write('x' * 3_000_000); print('{"done": 1}')"""
    assert run(python(code), "m", Silent()).message == {"done": 1}


def test_cancelling_kills_the_process_and_its_children(tmp_path: Path) -> None:
    numbers = tmp_path / "numbers"
    code = f"""
import os, subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "while True: pass"])
open({str(numbers)!r}, "w").write(f"{{os.getpid()}} {{child.pid}}")
print('{{"progress": null, "phase": "run"}}', flush=True)
while True: pass
"""
    with pytest.raises(StoppedError):
        run(python(code), "m", Listener(stop_after=1))
    parent, child = map(int, numbers.read_text().split())
    with pytest.raises(ProcessLookupError):
        os.kill(parent, 0)
    assert gone(child)
