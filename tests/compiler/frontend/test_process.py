"""The model process: its lines, its exit codes, and that a model's own output does not mix with them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from compiler.captured import Captured
from compiler.codec import from_json
from compiler.errors import InputError
from compiler.frontend.__main__ import Arguments, read_arguments
from compiler.frontend.load import load
from tests.source_tree import ROOT

SCRIPT = """
import os
import torch
print("from the file")

def model():
    os.write(1, b"from C code\\n")
    return torch.nn.ReLU(), (torch.zeros(3),)

def bug():
    from compiler.frontend import capture
    capture.convert = None
    return torch.nn.ReLU(), (torch.zeros(3),)
"""


def run(*arguments: str) -> tuple[int, list[dict[str, object]], str]:
    """Exit code, lines of stdout and text of stderr of the process."""
    command = [sys.executable, "-m", "compiler.frontend", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr


@pytest.fixture
def script(tmp_path: Path) -> str:
    path = tmp_path / "made.py"
    path.write_text(SCRIPT, encoding="utf-8")
    return str(path)


def test_a_model_is_captured_into_a_file(script: str, tmp_path: Path) -> None:
    out = tmp_path / "model.json"
    code, lines, errors = run("capture", f"{script}:model", "-o", str(out))
    assert (code, lines[-1]) == (0, {"done": str(out)})
    assert [line["note"] for line in lines if "note" in line] == [
        f"{script} is run as a program with your rights, because it builds the model."
    ]
    shares = [line["progress"] for line in lines if "progress" in line]
    assert shares == sorted(shares)  # type: ignore[type-var]
    assert (shares[0], shares[-1]) == (0.0, 1.0)
    assert "from the file" in errors
    assert "from C code" in errors
    assert from_json(Captured, out.read_text(encoding="utf-8")) == load(f"{script}:model")


def test_bad_input_is_one_sentence_and_a_bug_is_a_bug(script: str, tmp_path: Path) -> None:
    code, lines, errors = run("capture", str(tmp_path / "none.pt2"), "-o", str(tmp_path / "x.json"))
    assert (code, errors) == (2, "")
    assert lines[-1] == {
        "error": {"what": str(tmp_path / "none.pt2"), "why": "there is no such file", "remedy": "check the path"}
    }
    code, lines, _ = run("capture", f"{script}:bug", "-o", str(tmp_path / "x.json"))
    assert code == 3
    assert "TypeError: 'NoneType' object is not callable" in str(lines[-1]["bug"])
    assert not (tmp_path / "x.json").exists()


def test_the_command_line_is_read() -> None:
    words = ["capture", "model.pt2", "-o", "out.json", "--size", "s77=64", "--size", "s12=8"]
    assert read_arguments(words) == Arguments("model.pt2", Path("out.json"), (("s77", 64), ("s12", 8)))


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("", "it does not say capture"),
        ("catch model.pt2", "it does not say capture"),
        ("capture model.pt2", "it takes one model and one file to write"),
        ("capture one two -o out", "it takes one model and one file to write"),
        ("capture model.pt2 -o", "nothing follows -o"),
        ("capture model.pt2 -o out --size s77=many", "s77=many is not SYMBOL=N"),
    ],
)
def test_a_wrong_command_is_refused(words: str, why: str) -> None:
    with pytest.raises(InputError) as refused:
        read_arguments(words.split())
    assert refused.value.why == why
    assert "use python -m compiler.frontend capture SPEC -o OUT.json" in refused.value.remedy
