"""`spyre-studio sweep`: what it prints and writes, what it finds, and what it refuses."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest

from compiler.compilation import Compilation
from spyre_studio import tasks
from spyre_studio.sweep_report import bound_text, delta_text
from tests.spyre_studio.command_line import Outcome
from tests.spyre_studio.plans import compiled, write_model


def values(document: dict[str, object]) -> list[dict[str, Any]]:
    found = document["values"]
    assert isinstance(found, list)
    return found


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return write_model(tmp_path)


def test_a_table_for_people(capsys: pytest.CaptureFixture[str], model: Path) -> None:
    done = Outcome(capsys, "sweep", model)
    assert (done.code, done.err) == (0, "")
    head, *rows = done.out.splitlines()
    assert head.split()[:2] == ["cores", "time"]
    assert [row.split()[0] for row in rows] == ["1", "2", "4", "8", "16", "32"]
    assert rows[-1].endswith("now")
    assert sum("*" in row for row in rows) == 1


def test_the_document_has_the_figures_of_every_plan(capsys: pytest.CaptureFixture[str], model: Path) -> None:
    found = Outcome(capsys, "sweep", model, "--knob", "cores", "--values", "8,32", "--json").json
    assert (found["knob"], found["now"], found["pipeline"]) == ("cores", "32", "staged")
    few, all_ = values(found)
    assert few["total_us"] == pytest.approx(compiled(cores=8).cost.total_us)
    assert all_["total_us"] == pytest.approx(compiled().cost.total_us)
    assert found["best"] == min((few, all_), key=lambda one: one["total_us"])["value"]
    assert few["ok"]
    assert few["cores"] == 8


def test_comma_separated_values_go_to_a_file(capsys: pytest.CaptureFixture[str], model: Path, tmp_path: Path) -> None:
    out = tmp_path / "sweep.csv"
    done = Outcome(capsys, "sweep", model, "--knob", "lx", "--values", "40%", "80", "-o", out)
    assert done.code == 0
    rows = list(csv.DictReader(io.StringIO(out.read_text(encoding="utf-8"))))
    assert [row["value"] for row in rows] == ["40", "80"]
    assert int(rows[0]["lx_budget_bytes"]) < int(rows[1]["lx_budget_bytes"])


def test_the_splits_of_an_op_begin_with_the_plan(capsys: pytest.CaptureFixture[str], model: Path) -> None:
    found = Outcome(capsys, "sweep", model, "--knob", "op:sum", "--json").json
    assert found["now"] in [one["value"] for one in values(found)]
    assert len(values(found)) > 2
    given = Outcome(capsys, "sweep", model, "--knob", "op:sum", "--values", "i=4", "one", "--json").json
    assert [one["title"] for one in values(given)] == ["i 4", "one core"]


def test_a_value_without_a_plan_is_a_finding_and_a_row(capsys: pytest.CaptureFixture[str], model: Path) -> None:
    words = ("sweep", model, "--knob", "pipeline", "--values", "divide-rest", "staged")
    done = Outcome(capsys, *words)
    assert done.code == 1
    broken = next(line for line in done.out.splitlines() if line.startswith("own, divide-rest"))
    assert broken.endswith(".")
    error = values(Outcome(capsys, *words, "--json").json)[0]["error"]
    assert set(error) == {"what", "why", "remedy"}


def test_pipelines_of_ones_own_are_told_apart(capsys: pytest.CaptureFixture[str], model: Path) -> None:
    passes = "assign-layouts,insert-restickify,order-dims,pad-operands,reduce-span,divide-matmul,divide-rest"
    own = [f"{passes},place-scratchpad{{solver={solver}}}" for solver in ("greedy", "annealing")]
    done = Outcome(capsys, "sweep", model, "--knob", "pipeline", "--values", *own, "staged")
    assert done.code == 0
    titles = [line.partition("  ")[0] for line in done.out.splitlines()[1:]]
    assert titles == ["own, place-scratchpad{solver=greedy}", "own, place-scratchpad{solver=annealing}", "staged"]


def test_a_refused_split_is_a_finding(capsys: pytest.CaptureFixture[str], model: Path) -> None:
    done = Outcome(capsys, "sweep", model, "--knob", "op:sum", "--values", "i=7", "i=4")
    assert done.code == 1
    assert "pin sum refused" in done.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--knob", "weather"), "there is no such knob"),
        (("--knob", "pipeline", "--values", "staged", "nonsense"), "there is no pass nonsense"),
        (("--knob", "cores", "--values", "64"), "use 1 to 32"),
        (("--knob", "op:nosuch"), "no such op"),
        (("--json", "-o", "-"), "write the table to a file"),
    ],
)
def test_what_cannot_be_used(
    capsys: pytest.CaptureFixture[str], model: Path, words: tuple[str, ...], said: str
) -> None:
    done = Outcome(capsys, "sweep", model, *words)
    assert done.code == 2
    assert said in done.err
    assert not done.out


def test_the_interrupt_key_keeps_what_was_tried(
    capsys: pytest.CaptureFixture[str], model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Compilation] = []
    real = tasks.compile_model

    def compile_twice(*arguments: object) -> Compilation:
        if len(made) == 2:
            raise KeyboardInterrupt
        made.append(real(*arguments))  # type: ignore[arg-type]
        return made[-1]

    monkeypatch.setattr(tasks, "compile_model", compile_twice)
    done = Outcome(capsys, "sweep", model)
    assert done.code == 130
    assert done.out.count("not tried") == 4


def test_words_for_differences_and_bounds() -> None:
    assert (delta_text(1e-4), delta_text(-12.34), delta_text(3.0)) == ("", "-12.3 µs", "+3.0 µs")
    assert (bound_text(-1.0, -1.0), bound_text(232.0, 0.01)) == ("", "232.0 µs (1.0 %)")
