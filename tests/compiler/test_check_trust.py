"""The checker trusts nobody: not the types in a plan, not the code it checks."""

import ast
from dataclasses import fields, replace
from pathlib import Path

import pytest
from frozendict import frozendict

import compiler.check
from compiler.check import check, check_partial
from compiler.division import Division, Split
from compiler.layout import StickLayout
from compiler.plan import Plan, Slot
from tests.compiler.tiny import failed
from tests.compiler.tiny_problems import resident_chain, turned, turned_plan

VALUES = {
    *("compilation", "device", "division", "dtypes", "errors", "layout", "loops", "pins", "plan", "problem"),
    *("schedule", "check", "checks", "counts"),  # counts: the words for one and for many
}
NASTY: tuple[object, ...] = (
    None,
    "text",
    7,
    Slot(0, 0, 0, 0),
    Slot("0", 4096, 0, 1),  # type: ignore[arg-type]
    Slot(0, 2**80, -5, 2**70, "nobody"),
    Division((Split("i", 2.0, 32),)),  # type: ignore[arg-type]
    Division(("i",)),  # type: ignore[arg-type]
    Division((Split("", 1, 1), Split("", 1, 1))),
    StickLayout((), (), ()),
    StickLayout((2, 64, 64), (64, 128, 1), (5, 7)),
    StickLayout((2, 64, 64), (64, 128, 1), (0, 1), "shuffled"),  # type: ignore[arg-type]
    StickLayout((2, 64, 64), (64, 128, 1), None),  # type: ignore[arg-type]
    StickLayout((2, 64, 64), (64, 128, 1), (0, 1), padding=None),  # type: ignore[arg-type]
    StickLayout((2, 64, 64), (64, 128, 1), (0, 1), padding=((0, "64"),)),  # type: ignore[arg-type]
    StickLayout((2, 64, 64), (64, 128, 1), (0, 1), padding=((0, 2**70),)),
    StickLayout((2, 2**62, 64), (64, 128, 1), (0, 1), padding=((0, 2**62),)),
    StickLayout((2.0, 64, 64), (64, 128, 1), (0, 1)),  # type: ignore[arg-type]
    StickLayout((2, 64, 2**70), (64, 128, 1), (0, 1)),
    StickLayout((2, 64, 64), (2**70, 2**70, 1), (0, 1)),
    StickLayout((2, 64, 64), (64, 2**70, 1), (0, 1)),
    StickLayout((2, 2**70, 64), (64, 128, 1), (0, 1)),
)


def test_checker_imports_values_only() -> None:
    folder = Path(compiler.check.__file__).parent
    paths = [folder / "check.py", *sorted((folder / "checks").glob("*.py"))]
    assert len(paths) > 10
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            modules += [name.name for name in node.names] if isinstance(node, ast.Import) else []
            ours = {module.split(".")[1] for module in modules if module.startswith("compiler.")}
            assert ours <= VALUES, path.name


@pytest.mark.parametrize("entry", NASTY, ids=repr)
@pytest.mark.parametrize("table", ["layouts", "divisions", "placement"])
def test_nasty_entries_fail_with_a_sentence(table: str, entry: object) -> None:
    problem, plan = resident_chain()
    for key in getattr(plan, table):
        entries = frozendict({**getattr(plan, table), key: entry})
        found = failed(check(problem, replace(plan, **{table: entries})))  # type: ignore[arg-type]
        assert found, (key, entry)
        assert all(found.values())


@pytest.mark.parametrize("cores", [0, -1, 10**9])
def test_nasty_cores(cores: int) -> None:
    problem, plan = resident_chain()
    assert "coverage" in failed(check(problem, replace(plan, cores=cores)))


def test_empty_plan_fails_everywhere_it_can() -> None:
    problem, plan = resident_chain()
    found = failed(check(problem, Plan(plan.model, plan.device, plan.cores, "")))
    assert set(found) == {"coverage", "span", "sticks", "padding", "edits"}


def test_nothing_decided_is_nothing_to_check() -> None:
    problem, plan = resident_chain()
    assert check_partial(problem, plan, frozenset()) == ()
    everything = frozenset(field.name for field in fields(Plan))
    assert failed(check_partial(problem, plan, everything)) == {}


def test_unproved_is_failed() -> None:
    """Where a layout is missing, every check that needs it says so instead of passing."""
    problem = turned()
    plan = turned_plan(problem)
    found = failed(check(problem, replace(plan, layouts=plan.layouts.delete("y"))))
    assert set(found) == {"coverage", "span", "sticks", "padding"}
    assert "nothing proved for add" in found["span"]
