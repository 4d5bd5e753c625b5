"""Lessons: their table, how results are written, and what the command says of them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from frozendict import frozendict

from compiler.captured import Captured
from compiler.errors import InputError
from compiler.pins import Pins
from spyre_studio import lessons
from spyre_studio.commands import lessons as command
from spyre_studio.lessons import LESSONS, chosen, document_of, failures, learn, table_of
from spyre_studio.lessons_bench import LessonBench
from spyre_studio.lessons_values import NOTHING, Bench, Figure, Lesson, Row, in_us
from spyre_studio.reporter import Reporter, Silent
from tests.spyre_studio.command_line import Outcome
from tests.spyre_studio.plans import captured

GOOD = Row("time", in_us(80.0), in_us(80.0), in_us(74.0), "it turns round less", exact=True)
BAD = replace(GOOD, measure="bytes", predicted=Figure("7MN"), held=False)


def lesson(*rows: Row, name: str = "one") -> Lesson:
    def found(_bench: Bench) -> tuple[Row, ...]:
        return rows

    return Lesson(name, "A study", "so and so", "a paper", found)


def small(_spec: str, _reporter: Reporter) -> Captured:
    return captured()


@pytest.fixture
def bench() -> LessonBench:
    return LessonBench(Silent(), small)


def test_lessons_are_found_by_name_and_each_once() -> None:
    assert chosen([]) == LESSONS
    assert [one.name for one in chosen(["mlp", "softmax", "mlp"])] == ["mlp", "softmax"]
    with pytest.raises(InputError, match=r"lesson nothing: there is no such lesson; use softmax, relayout, "):
        chosen(["mlp", "nothing"])


def test_names_are_unique_and_every_lesson_has_a_source() -> None:
    assert len({one.name for one in LESSONS}) == len(LESSONS) >= 5
    assert all(one.title and one.setting and one.source for one in LESSONS)


def test_a_table_has_a_line_per_row_and_its_deviation_below(bench: LessonBench) -> None:
    text = table_of(learn(lesson(GOOD, Row("nothing known", NOTHING, NOTHING, in_us(1.0))), bench))
    assert text.splitlines() == [
        "one: A study",
        "  so and so. Source: a paper.",
        "                 published  cost model  simulated",
        "  time           80.0 µs    80.0 µs     74.0 µs",
        "    it turns round less",
        "  nothing known  –          –           1.0 µs",
    ]


def test_what_fails_is_told_in_table_document_and_a_sentence(bench: LessonBench) -> None:
    found = learn(lesson(GOOD, BAD), bench)
    assert not found.held
    assert "    this has to come out as published, and does not" in table_of(found).splitlines()
    assert failures([found]) == (
        "lesson one: bytes is not 80.0 µs, but 7MN in the cost model and 74.0 µs in the simulator",
    )
    document = document_of([found])
    assert document["ok"] is False


def test_a_study_captures_its_model_once_and_keeps_its_pins() -> None:
    asked: list[str] = []

    def counted(spec: str, reporter: Reporter) -> Captured:
        asked.append(spec)
        return small(spec, reporter)

    bench = LessonBench(Silent(), counted)
    pins = Pins(division=frozendict({"sum": frozendict({"i": 4})}))
    run = bench.run("tiny", 4, "staged", pins)
    assert dict(run.compilation.plan.divisions["sum"].factors) == {"i": 4}
    assert run.trace.steps == tuple(step.name for kernel in run.compilation.program.kernels for step in kernel.ops)
    bench.run("tiny", 1, "staged")
    assert asked == ["tiny"]


def test_a_plan_without_its_pins_is_no_study(bench: LessonBench) -> None:
    pins = Pins(division=frozendict({"sum": frozendict({"i": 7})}))
    with pytest.raises(InputError, match="the study of tiny: its plan is not the one it is about"):
        bench.run("tiny", 32, "staged", pins)


@pytest.mark.parametrize(("rows", "code"), [((GOOD,), 0), ((GOOD, BAD), 1)])
def test_the_exit_code_is_one_where_something_has_to_come_out_and_does_not(
    rows: tuple[Row, ...], code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(lessons, "LESSONS", (lesson(*rows), lesson(GOOD, name="two")))
    printed = Outcome(capsys, "lessons")
    assert printed.code == code
    assert printed.out.count("published") == 2 + code
    assert printed.err.count("lesson one: bytes is not") == code
    as_json = Outcome(capsys, "lessons", "one", "--json")
    assert (as_json.code, as_json.json["ok"]) == (code, not code)
    told = as_json.json["lessons"]
    assert isinstance(told, list)
    first = told[0]["rows"][0]
    assert (len(told), first["published"], first["exact"]) == (1, {"text": "80.0 µs", "value": 80.0}, True)


def test_an_unknown_lesson_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert "there is no such lesson; use softmax" in Outcome(capsys, "lessons", "softmaks").refused()


def test_the_command_has_a_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.__doc__ is not None
    told = Outcome(capsys, "lessons", "--help").out
    assert "one of softmax, relayout, orders, mlp, attention" in " ".join(told.split())
