"""Export formats: complete, readable back, and closed to a plan that failed a check."""

from dataclasses import replace

import pytest
from hypothesis import given, settings

from compiler.codec import from_json
from compiler.compilation import Compilation, Verdict
from compiler.emit import FORMATS, export
from compiler.errors import InputError
from compiler.plan import Plan
from compiler.program import Program
from compiler.text.document import from_text
from tests.compiler import strategies

good = strategies.compilations.map(lambda whole: replace(whole, verdicts=(Verdict("span", True),)))


def test_rows_are_told_apart() -> None:
    assert all(
        row.name == name and row.title and (row.folder or row.suffix.startswith(".")) for name, row in FORMATS.items()
    )
    assert len({row.title for row in FORMATS.values()}) == len(FORMATS)


@settings(max_examples=10)
@given(good)
def test_what_is_written_reads_back(whole: Compilation) -> None:
    assert from_json(Plan, export(whole, "plan-json")) == whole.plan
    assert from_text(Plan, export(whole, "plan-text")) == whole.plan
    assert from_text(Program, export(whole, "program-text")) == whole.program


@settings(max_examples=10)
@given(good)
@pytest.mark.parametrize("name", FORMATS)
def test_a_plan_that_failed_a_check_is_refused(name: str, whole: Compilation) -> None:
    failed = replace(whole, verdicts=(Verdict("span", True), Verdict("overlap", False, ("a and b share bytes",))))
    with pytest.raises(InputError, match="it failed the check 'overlap' \\(a and b share bytes\\)"):
        export(failed, name)
    with pytest.raises(InputError, match="it failed the check 'a check' \\(it gives no reason\\)"):
        export(replace(whole, verdicts=(Verdict("span", False),)), name)


@settings(max_examples=10)
@given(good)
def test_unknown_formats_are_named(whole: Compilation) -> None:
    with pytest.raises(InputError, match="there is no such format; use plan-json"):
        export(whole, "elf")
