"""The simulated run as a file: both forms, asked for in the window and written by the worker."""

import json
from pathlib import Path

import pytest

from compiler.errors import InputError
from simulator.timing.simulate import simulate
from simulator.trace_file import load_trace
from spyre_studio.file_dialogs import with_suffix
from spyre_studio.run_actions import KINDS, SUFFIXES
from spyre_studio.run_file import write_run
from spyre_studio.worker_tasks import TASKS, Call, Store
from tests.spyre_studio.plans import compiled


class Quiet:
    """Hears of progress and wants all of it."""

    def progress(self, fraction: float | None, phase: str, detail: str = "") -> None: ...
    def note(self, sentence: str) -> None: ...
    def cancelled(self) -> bool:
        return False

    def found(self, finding: object) -> None: ...
    def enough(self) -> bool:
        return False


def test_the_worker_writes_what_perfetto_opens(tmp_path: Path) -> None:
    plan, path = compiled(), tmp_path / "run.json"
    answer, _ = TASKS["run"].run(Call({"plan": plan, "path": str(path)}, Store(), Quiet()))
    assert answer == str(path)
    names = {event["name"] for event in json.loads(path.read_text("utf-8"))["traceEvents"]}
    assert {op.name for op in plan.problem.program.ops} <= names


def test_columns_are_the_run_itself(tmp_path: Path) -> None:
    plan, path = compiled(), tmp_path / "run.npz"
    trace = simulate(plan.program, plan.problem.device)
    write_run(trace, path)
    assert load_trace(path).spans.tiles == trace.spans.tiles


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    plan = compiled()
    with pytest.raises(InputError, match="cannot be written"):
        write_run(simulate(plan.program, plan.problem.device), tmp_path / "none" / "run.json")
    assert list(tmp_path.iterdir()) == []


def test_a_name_without_suffix_gets_that_of_its_kind() -> None:
    perfetto, columns = KINDS.split(";;")
    assert with_suffix("a", perfetto, SUFFIXES) == "a.json"
    assert with_suffix("a", columns, SUFFIXES) == "a.npz"
    assert with_suffix("a.JSON", columns, SUFFIXES) == "a.JSON"
