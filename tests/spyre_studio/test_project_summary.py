"""`spyre-studio show FILE.spyre`: what is in a project, and what of it does not hold."""

from dataclasses import replace
from pathlib import Path

import pytest

from compiler.device import load_device
from compiler.pins import Pins
from spyre_studio.cli import main
from spyre_studio.options import CompileOptions
from spyre_studio.project import KeptPlan, ModelReference, Project
from spyre_studio.project_document import write_project
from spyre_studio.project_summary import describe_project
from spyre_studio.units import format_us
from spyre_studio.variant import FIRST, Variant, Variants
from tests.spyre_studio.plans import captured, compiled, divided


@pytest.fixture(scope="module")
def project() -> Project:
    model, device, options = captured(), load_device("spyre").with_cores(32), CompileOptions(cores=32)
    pins = divided("sum", i=4)
    variants = Variants().add(Variant(FIRST, Pins(), device, options))
    variants = variants.add(Variant("sum i 4", pins, device, options, FIRST, "by hand"))
    variants = variants.add(Variant("draft", divided("max", i=2), device, options, "sum i 4"))
    plans = tuple(KeptPlan(compiled(each), "staged", None) for each in (Pins(), pins))
    return Project(ModelReference("softmax"), model, pins, device, options, variants, plans, 1, 0, "for\nMonday")


def test_the_lines_say_what_is_in_it(project: Project) -> None:
    text = "\n".join(describe_project(project))
    first, second = (format_us(kept.compilation.cost.total_us) for kept in project.plans)
    assert "model     softmax, 5 ops" in text
    assert "divide sum (i 4)" in text
    assert f"on screen {second}" in text
    assert "note      for\n            Monday" in text
    lines = text.splitlines()
    assert any(line.startswith(f"    {FIRST}") and first in line and "proved" in line for line in lines)
    assert any(line.startswith("      sum i 4") and "to its parent" in line and "by hand" in line for line in lines)
    assert any(line.startswith("        draft") and "not solved" in line for line in lines)


def test_the_command_prints_them(project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.spyre"
    write_project(path, project)
    assert main(["show", str(path)]) == 0
    told = capsys.readouterr()
    assert told.out.rstrip("\n") == "\n".join(describe_project(project))
    assert told.err == ""
    assert main(["show", str(path), "--part", "plan"]) == 2
    assert "whose plans have parts" in capsys.readouterr().err


def test_what_does_not_hold_is_told(project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = project.plans[1].compilation
    other = compiled(divided("sum", i=2)).plan.divisions["sum"]
    bad = replace(bad, plan=replace(bad.plan, divisions=bad.plan.divisions.set("sum", other)))
    path = tmp_path / "a.spyre"
    plans = (project.plans[0], replace(project.plans[1], compilation=bad))
    write_project(path, replace(project, plans=plans, model=ModelReference(str(tmp_path / "gone.pt2"))))
    assert main(["show", str(path)]) == 1
    told = capsys.readouterr()
    assert "Plan 2 was left out" in told.err
    assert "gone.pt2 is gone" in told.err
    assert FIRST in told.out


@pytest.mark.parametrize("words", [["compile"], ["check"], ["export", "--format", "plan-json", "-o", "-"]])
def test_commands_that_take_one_plan_say_what_a_project_is(
    words: list[str], project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.spyre"
    write_project(path, project)
    command, *options = words
    assert main([command, str(path), *options]) == 2
    assert "it is a project, which holds many plans" in capsys.readouterr().err
