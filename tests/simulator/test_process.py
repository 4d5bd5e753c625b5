"""The process that verifies: its request, its lines and its exit codes."""

import io
import json
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from compiler.codec import structure, to_json
from compiler.device import load_device
from compiler.errors import InputError
from compiler.frontend.load import load
from compiler.pipeline import compile_problem
from compiler.problem import Problem
from compiler.program import DeviceOp, Program
from simulator.functional import verify as verifying
from simulator.functional.__main__ import run
from simulator.functional.request import read_request
from simulator.report import Agreement, VerifyReport
from tests.source_tree import ROOT

Message = dict[str, object]


@cache
def program(cores: int = 4) -> Program:
    captured = load("rmsnorm")
    problem = Problem(captured.program, load_device("spyre").with_cores(cores))
    return compile_problem(captured.graph, problem).program


def written(folder: Path, made: Program, **options: object) -> str:
    path = folder / "request.json"
    path.write_text(json.dumps({"program": json.loads(to_json(made)), "model": "rmsnorm", **options}))
    return str(path)


def answers(*arguments: str) -> tuple[int, list[Message]]:
    lines = io.StringIO()
    code = run(arguments, lines)
    return code, [json.loads(line) for line in lines.getvalue().splitlines()]


def test_a_right_program_agrees(tmp_path: Path) -> None:
    code, messages = answers(written(tmp_path, program(), seed=5))
    report = structure(VerifyReport, messages[-1]["result"], "the answer")
    assert code == 0
    assert report.ok
    assert (report.model, report.device, report.cores, report.poison) == ("rmsnorm", "spyre", 4, True)
    assert report.inputs == "inputs drawn with seed 5"
    assert len(report.steps) >= 9
    shares = [float(str(each["progress"])) for each in messages[:-1]]
    assert shares == sorted(shares)
    assert [each["phase"] for each in messages[:2]] == ["start", "run in PyTorch"]
    assert (messages[-2]["phase"], messages[-2]["detail"]) == ("simulate", report.steps[-1].step)


def test_a_wrong_program_is_a_finding(tmp_path: Path) -> None:
    def shortened(op: DeviceOp) -> DeviceOp:
        return replace(op, slices=op.slices[:-1])

    made = program()
    kernels = tuple(replace(kernel, ops=(*kernel.ops[:-1], shortened(kernel.ops[-1]))) for kernel in made.kernels)
    code, messages = answers(written(tmp_path, replace(made, kernels=kernels), poison=False))
    report = structure(VerifyReport, messages[-1]["result"], "the answer")
    assert code == 1
    assert report.agreement is Agreement.CORRUPTED
    assert report.poison is False
    assert report.first_divergence is not None
    assert report.first_divergence.step == made.kernels[-1].ops[-1].name


def test_lx_is_as_large_as_the_request_says(tmp_path: Path) -> None:
    made = program()
    assert made.lx_bytes > 256
    code, messages = answers(written(tmp_path, made, lx_bytes=256))
    assert code == 1
    assert "256 bytes of LX" in structure(VerifyReport, messages[-1]["result"], "the answer").fault


def test_a_model_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    code, messages = answers(written(tmp_path, program(), model=str(tmp_path / "missing.pt2")))
    assert code == 2
    error = messages[-1]["error"]
    assert isinstance(error, dict)
    assert set(error) == {"what", "why", "remedy"}
    assert "missing.pt2" in error["what"]


def test_another_model_than_the_program_is_of_is_an_error(tmp_path: Path) -> None:
    code, messages = answers(written(tmp_path, program(), model="softmax"))
    assert code == 2
    assert "error" in messages[-1]


def test_a_fault_of_ours_is_told_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: object, **options: object) -> None:
        raise ZeroDivisionError("of ours")

    monkeypatch.setattr(verifying, "verify", broken)
    code, messages = answers(written(tmp_path, program()))
    assert code == 3
    assert "ZeroDivisionError: of ours" in str(messages[-1]["bug"])


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "it cannot be read"),
        ("[]", "it holds no program"),
        ('{"model": "softmax"}', "it holds no program"),
        ('{"program": {}, "model": 3}', "its contents do not fit"),
        ('{"program": {}, "model": "softmax", "more": 1}', "its contents do not fit"),
        ('{"program": {}, "model": "softmax", "seed": true}', "its contents do not fit"),
        ('{"program": {}, "model": "softmax"}', "not a Spyre Studio document"),
        ('{"program": {"kind": "program", "version": 99, "value": {}}, "model": "softmax"}', "newer program"),
    ],
)
def test_requests_that_do_not_fit(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "request.json"
    path.write_text(text)
    with pytest.raises(InputError, match=why):
        read_request(path)
    code, messages = answers(str(path))
    assert code == 2
    assert list(messages[-1]) == ["error"]


def test_a_request_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="it cannot be read"):
        read_request(tmp_path / "request.json")


def test_the_process_keeps_stdout_for_its_lines() -> None:
    command = [sys.executable, "-W", "error", "-m", "simulator.functional"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    (message,) = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 2
    assert message["error"]["why"] == "it takes one file, not 0"
    assert done.stderr == ""
