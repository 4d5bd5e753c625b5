"""Stdout and stderr that are closed, full or narrow: one sentence or nothing, and never a traceback."""

import subprocess
import sys
from pathlib import Path

import pytest

from spyre_studio.clipped import LONGEST_WORD, clipped
from spyre_studio.python_process import environment
from tests.spyre_studio.plans import compiled, write_plan


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    return write_plan(tmp_path, compiled())


def shell(redirection: str, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """The program with its streams as a shell makes them."""
    line = f'exec "$@" {redirection}'
    return subprocess.run(
        ["sh", "-c", line, "sh", sys.executable, "-m", "spyre_studio", *words],
        capture_output=True,
        text=True,
        env={**environment(), **variables},
        check=False,
    )


@pytest.mark.parametrize(
    ("redirection", "reason"), [(">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")]
)
@pytest.mark.parametrize("words", [("check", "{plan}"), ("show", "{plan}", "--part", "all"), ("check", "--help")])
def test_output_that_cannot_be_written(plan: Path, redirection: str, reason: str, words: tuple[str, ...]) -> None:
    done = shell(redirection, *(word.format(plan=plan) for word in words))
    assert done.stderr == f"The output cannot be written ({reason}).\n"
    assert done.returncode == 2


@pytest.mark.parametrize("redirection", ["2>/dev/full", "2>&-"])
def test_nobody_hears_of_bad_input(plan: Path, redirection: str) -> None:
    assert shell(redirection, "why", str(plan), "nothing").returncode == 2
    assert shell(redirection, "check", str(plan)).returncode == 0


def test_a_narrow_encoding_loses_signs_and_nothing_else(plan: Path) -> None:
    narrow = {"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    done = shell("", "compile", str(plan), **narrow)
    assert (done.returncode, done.stderr) == (0, "")
    assert "?s" in done.stdout
    assert "\\u" not in shell("", "why", str(plan), "exp", **narrow).stdout


def test_half_a_pair_in_a_name_is_no_mistake_of_ours() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "spyre_studio", "check", b"\xff.json"],
        capture_output=True,
        env=environment(),
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr == b"\\udcff.json: there is no such file; check the path.\n"


def test_sentences_stay_sentences() -> None:
    assert clipped("a b") == "a b"
    text = clipped(f"{'n' * 5000}: there is no such file")
    assert text.endswith("n: there is no such file")
    assert len(text) < LONGEST_WORD + 40
    assert len(clipped("ab " * 5000)) <= 2000
