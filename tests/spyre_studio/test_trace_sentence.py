"""What is said of a trace where something else is asked for, and what `show` prints of it."""

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from simulator.timing.simulate import simulate
from simulator.timing.timeline import Cause
from simulator.trace_file import TABLES, save_trace
from spyre_studio.run_summary import describe, describe_run
from spyre_studio.timeline_words import CAUSES
from spyre_studio.trace_sentence import is_trace, trace_refusal
from tests.source_tree import ROOT
from tests.spyre_studio.command_line import Outcome
from tests.spyre_studio.plans import compiled, write_plan


@pytest.fixture
def traces(tmp_path: Path) -> Path:
    """A folder with a trace and what could be taken for one."""
    made = compiled(cores=4)
    save_trace(simulate(made.program, made.problem.device), tmp_path / "run.npz")
    (tmp_path / "cut.npz").write_bytes((tmp_path / "run.npz").read_bytes()[:3000])
    (tmp_path / "empty.npz").write_bytes(b"")
    (tmp_path / "text.npz").write_text("hello")
    np.savez(tmp_path / "other.npz", values=np.zeros(3))
    return tmp_path


def test_show_sums_a_trace_up(capsys: pytest.CaptureFixture[str], traces: Path) -> None:
    made = compiled(cores=4)
    trace = simulate(made.program, made.problem.device)
    done = Outcome(capsys, "show", traces / "run.npz")
    assert (done.code, done.err) == (0, "")
    assert tuple(done.out.splitlines()) == describe_run(trace)
    assert "predicted" not in done.out
    assert describe_run(trace)[2:] == describe(made, trace)[2:]
    assert (
        "it holds a trace, which has no parts"
        in Outcome(capsys, "show", traces / "run.npz", "--part", "plan").refused()
    )


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("run", "it is the trace of a simulated run, which holds neither a model nor a plan; sum it up with"),
        ("cut", "its end is missing or damaged; write it again"),
        ("empty", "its name is that of a trace, but it is empty (0 bytes)"),
        ("text", "its name is that of a trace, but it holds no columns"),
        ("other", "it holds arrays of numpy, but not those of a simulated run"),
    ],
)
def test_a_trace_is_no_model_and_no_plan(
    capsys: pytest.CaptureFixture[str], traces: Path, name: str, words: str
) -> None:
    path = traces / f"{name}.npz"
    assert is_trace(path) is (name == "run")
    for command in (("simulate",), ("--screenshot", traces / "x.png")):
        assert words in Outcome(capsys, *command, path).refused()
    for verb, *others in (("check",), ("why", "mul"), ("diff", path), ("verify",)):
        assert words in Outcome(capsys, verb, path, *others).refused()
    if name != "run":
        assert words in Outcome(capsys, "show", path).refused()


def test_check_says_so_of_a_trace_too(capsys: pytest.CaptureFixture[str], traces: Path) -> None:
    assert "it is the trace of a simulated run" in Outcome(capsys, "check", traces / "run.npz").refused()


def test_other_files_are_not_spoken_of(traces: Path) -> None:
    assert trace_refusal(write_plan(traces, compiled())) is None
    assert trace_refusal(traces / "gone.npz") is None
    assert trace_refusal(traces) is None


def test_the_readme_lists_every_column_and_every_cause() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for table, cls in TABLES.items():
        columns = ", ".join(f"`{field.name}`" for field in fields(cls))
        assert f"| {columns.replace('`', f'`{table}.', 1)} |" in readme
    assert all(f"{int(cause)} {CAUSES[cause].title}" in " ".join(readme.split()) for cause in Cause)
