"""Facts 8.2 as PyTorch: what `compile --json` reports of factories in a file, and that their numbers are right."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from compiler.captured import Captured
from compiler.frontend.load import load
from compiler.pipelines import PIPELINES
from simulator.report import Agreement
from spyre_studio import tasks
from spyre_studio.reporter import Reporter
from tests.end_to_end.harness import compiled, verified
from tests.end_to_end.restickify_factories import (
    NUMEL,
    REFUSED,
    ROWS,
    Factory,
    S,
    write_factories,
    write_pins,
)
from tests.spyre_studio.command_line import Outcome

VERIFIED = (
    *("r1_256_128", "r5_second", "r8", "r10", "r12", "r16_two", "r22", "r24_product", "r28_small", "r30", "r31"),
    *("r34", "r34_stick_on_dim_0", "r37", "r38", "r39"),
)
NARROW = re.sub(r"assign-layouts({[^}]*})?", "assign-layouts{method=beam width=2}", PIPELINES["staged"])


@pytest.fixture(scope="module")
def factories(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file; a module, so that each of its models is traced once."""
    return write_factories(tmp_path_factory.mktemp("factories"))


@pytest.fixture
def one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models are traced in this process: to start another one takes seconds."""

    def capture(spec: str, reporter: Reporter) -> Captured:
        return load(spec)

    monkeypatch.setattr(tasks, "capture", capture)


def compile_json(capsys: pytest.CaptureFixture[str], factories: Path, name: str, *words: object) -> dict[str, object]:
    done = Outcome(capsys, "compile", f"{factories}:{name}", "--json", *words)
    assert done.code == 0, done.err
    return done.json


def assert_cost(document: dict[str, object], row: Factory) -> None:
    edits, checked = document["edits"], document["check"]
    assert isinstance(edits, list)
    assert isinstance(checked, dict)
    assert (document["restickify_count"], document["restickify_elements"]) == (row.count, row.elements)
    assert [edit["kind"] for edit in edits].count("restickify") == row.count
    assert checked["ok"] is True


@pytest.mark.usefixtures("one_process")
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_least_cost_is_reported(capsys: pytest.CaptureFixture[str], factories: Path, row: Factory) -> None:
    assert_cost(compile_json(capsys, factories, row.name), row)


@pytest.mark.usefixtures("one_process")
@pytest.mark.parametrize("row", REFUSED, ids=lambda row: row.name)
def test_r33_is_refused_and_the_pin_it_names_helps(
    capsys: pytest.CaptureFixture[str], factories: Path, tmp_path: Path, row: Factory
) -> None:
    sentence = Outcome(capsys, "compile", f"{factories}:{row.name}", "--json").refused()
    assert "amin has one value per stick" in sentence or "min has one value per stick" in sentence
    assert "pin the layout of the reduced tensor to one of its dims" in sentence
    dim = 0 if row.name.endswith("dim_0") else 1
    buffer = sentence.partition(" has one value per stick")[0].split()[-1]
    document = compile_json(capsys, factories, row.name, "--pins", write_pins(tmp_path, **{buffer: dim}))
    assert (document["restickify_count"], document["restickify_elements"]) == (1, S * NUMEL)


@pytest.mark.parametrize("cores", [3, 32])
@pytest.mark.parametrize("name", VERIFIED)
def test_the_numbers_are_those_of_pytorch(factories: Path, name: str, cores: int) -> None:
    spec = f"{factories}:{name}"
    report = verified(spec, compiled(spec, cores), poison=True)
    assert report.fault == ""
    assert report.ok, report
    assert report.agreement in (Agreement.EQUAL, Agreement.ROUNDING)


@pytest.mark.parametrize("cores", [3, 32])
def test_r39_a_narrow_beam_changes_no_number(factories: Path, cores: int) -> None:
    spec = f"{factories}:r39"
    compilation = compiled(spec, cores, pipeline=NARROW)
    assert compilation.ok
    assert verified(spec, compilation).ok


def test_a_process_of_its_own_reports_the_same(capsys: pytest.CaptureFixture[str], factories: Path) -> None:
    """Nothing replaced: the command line starts the model process, which runs the author's file."""
    row = next(row for row in ROWS if row.name == "r10")
    assert_cost(compile_json(capsys, factories, row.name, "--cores", 3), row)
