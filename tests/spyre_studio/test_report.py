"""The report of a plan: its sections, that it is the same every time, hostile names, large plans, and the commands."""

from dataclasses import replace
from pathlib import Path

import pytest
from frozendict import frozendict

from compiler.compilation import Compilation
from compiler.loops import LoopProgram
from compiler.pins import Pins
from compiler.report.document import Report, Table, texts_of
from simulator.timing.simulate import simulate
from spyre_studio.colour import MIN_TEXT, contrast
from spyre_studio.insight_weighed import NOT_WEIGHED
from spyre_studio.insights import insights
from spyre_studio.occupancy import occupancy_of
from spyre_studio.report import FORMS, Subject, page_of, report_of, sections_of
from spyre_studio.report_drawings import BINS, MOST, fill_of_cores, map_of_core
from spyre_studio.report_forms import form_of
from spyre_studio.report_made import made_report
from spyre_studio.report_parts import SHOWN
from spyre_studio.report_theme import DARK_PAGE, LIGHT_PAGE
from spyre_studio.reporter import Silent
from tests.compiler.test_report import Page
from tests.programs import attention, chain, softmax
from tests.sketch import Sketch
from tests.spyre_studio.command_line import Outcome
from tests.spyre_studio.plans import compiled, divided, write_model, write_plan

EVIL = '<script>alert("x")</script>'


def subject(compilation: Compilation) -> Subject:
    return Subject(compilation, insights(compilation), NOT_WEIGHED)


def tables(report: Report) -> dict[str, Table]:
    blocks = (block for section in report.sections for block in section.blocks)
    return {block.caption: block for block in blocks if isinstance(block, Table)}


def long_chain(ops: int) -> LoopProgram:
    return chain(64, 64, primitives=("neg", "relu") * (ops // 2))


def test_it_has_what_one_would_ask() -> None:
    compilation = compiled(program=attention())
    titles = list(sections_of(report_of(subject(compilation))))
    expected = ["Verdict", "Model, device and pins", "Insights", "Steps by time"]
    expected += ["Buffers outside LX", "Scratchpad", "Layouts and moves", "Words"]
    assert titles == expected
    run = simulate(compilation.program, compilation.problem.device)
    other = compiled(program=attention(), pins=Pins(placement=frozendict({"scores": "hbm"})))
    full = replace(subject(compilation), trace=run, compared=(compilation, other))
    assert list(sections_of(report_of(full))) == [
        *expected[:4],
        "Simulated run",
        *expected[4:7],
        "Compared with another plan",
        "Words",
    ]


def test_figures_are_those_of_the_plan() -> None:
    compilation = compiled(program=attention())
    report = report_of(subject(compilation))
    made = tables(report)
    steps = made["Steps by predicted time"]
    timed = [cost.step for cost in compilation.cost.steps if cost.total_us > 0]
    assert {row[1].text for row in steps.rows} == set(timed)
    assert f"{len(compilation.cost.steps) - len(timed)} more take no time of their own" in steps.note
    assert len(made["What the checker proved"].rows) == len(compilation.verdicts)
    assert len(made["Buffers by size"].rows) == len(compilation.plan.layouts)
    assert all(one.sentence in texts_of(report) for one in insights(compilation))


def test_pins_are_listed_with_what_became_of_them() -> None:
    compilation = compiled(pins=divided("sum", i=3))
    rows = tables(report_of(subject(compilation)))["What was asked for"].rows
    assert [(row[0].text, row[1].text, row[1].tone) for row in rows] == [("division:sum", "refused", "bad")]


def test_a_comparison_says_what_changed_and_why() -> None:
    before = compiled(program=chain(1024, 1024))
    after = compiled(program=chain(1024, 1024), pins=Pins(placement=frozendict({"neg": "hbm"})))
    report = report_of(replace(subject(before), compared=(before, after)))
    table = tables(report)["What is decided differently, and steps whose time changed"]
    assert any(row[0].text == "neg" and "device memory" in row[4].text for row in table.rows)
    same = report_of(replace(subject(before), compared=(before, before)))
    assert "The two plans decide everything alike." in texts_of(same)


def test_only_words_that_are_used_are_explained() -> None:
    words = texts_of(report_of(subject(compiled(program=chain(64, 64))))).splitlines()
    assert "stick" in words
    assert "critical path" not in words


@pytest.mark.parametrize("form", FORMS)
def test_the_same_plan_gives_the_same_bytes(form: str) -> None:
    compilation = compiled(program=attention())
    first, second = (made_report(compilation, None, form, Silent(), simulate=True) for _ in range(2))
    assert first == second


def test_names_of_strangers_stay_words() -> None:
    sketch = Sketch(EVIL)
    x = sketch.input(EVIL, 256, 512)
    sketch.output(sketch.apply("relu", sketch.apply("neg", x)))
    page = Page(page_of(report_of(subject(compiled(program=sketch.program())))))
    assert "script" not in page.tags
    assert EVIL in page.text


def test_a_large_plan_says_how_much_of_it_is_shown() -> None:
    compilation = compiled(
        program=long_chain(600), pipeline="assign-layouts,insert-restickify,divide-rest,place-scratchpad"
    )
    report = report_of(Subject(compilation, (), NOT_WEIGHED))
    shown = tables(report)["Buffers by size"]
    assert len(shown.rows) == SHOWN
    assert f"Showing {SHOWN} of {len(compilation.plan.layouts):,} buffers." in shown.note
    assert len(page_of(report).encode()) < 3_000_000


def test_maps_are_bounded() -> None:
    data = occupancy_of(compiled(program=long_chain(200)))
    drawing, drawn = map_of_core(data, 0)
    assert drawn == min(len(data.on_core(0)), MOST)
    assert drawing.shapes
    heat = fill_of_cores(data)
    assert len(heat.shapes) <= data.cores * BINS + 10


@pytest.mark.parametrize("palette", [LIGHT_PAGE, DARK_PAGE], ids=["light", "dark"])
def test_words_can_be_read_on_every_ground(palette: frozendict[str, str]) -> None:
    for ground in ("bg", "panel", "raised"):
        for ink in ("text", "mute", "accent", "ok", "warn", "bad"):
            assert contrast(palette[ink], palette[ground]) >= MIN_TEXT, (ink, ground)


def test_forms_follow_the_name() -> None:
    assert (form_of("a.html"), form_of("A.TXT"), form_of("-"), form_of("a.txt", "html")) == (
        "html",
        "text",
        "html",
        "html",
    )


# The commands


def test_the_command_writes_a_page_and_a_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = write_plan(tmp_path, compiled(program=softmax(128, 256)))
    page, text = tmp_path / "r.html", tmp_path / "r.txt"
    assert Outcome(capsys, "report", plan, "-o", page).code == 0
    assert page.read_text("utf-8").startswith("<!DOCTYPE html>")
    assert Outcome(capsys, "report", plan, "-o", text, "--no-savings").code == 0
    assert text.read_text("utf-8").startswith("Plan of softmax\n")
    done = Outcome(capsys, "report", plan, plan, "-o", "-", "--format", "text", "--no-savings")
    assert "decide everything alike" in done.out
    again = tmp_path / "again.html"
    Outcome(capsys, "report", plan, "-o", again)
    assert again.read_bytes() == page.read_bytes()


def test_the_command_refuses_what_is_not_sound(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    compilation = compiled()
    wrong = replace(compilation, cost=replace(compilation.cost, total_us=1.0))
    plan = write_plan(tmp_path, wrong)
    said = Outcome(capsys, "report", plan, "-o", tmp_path / "r.html").refused()
    assert "failed the check" in said
    assert not (tmp_path / "r.html").exists()
    assert "it holds" in Outcome(capsys, "report", write_model(tmp_path), "-o", tmp_path / "r.html").refused()
    good = write_plan(tmp_path, compilation, "good.json")
    assert "it is read by this command" in Outcome(capsys, "report", good, "-o", good).refused()
    assert "no such file" in Outcome(capsys, "report", good, tmp_path / "no.json", "-o", "-").refused()
    assert "no such file" in Outcome(capsys, "insights", tmp_path / "no.json").refused()


def test_insights_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = write_plan(tmp_path, compiled(program=chain(256, 512), pins=Pins(placement=frozendict({"neg": "hbm"}))))
    done = Outcome(capsys, "insights", plan)
    assert done.code == 0
    assert "* Remove the pin that keeps neg out: saves" in done.out
    plain = Outcome(capsys, "insights", plan, "--json", "--no-savings").json
    assert {"model", "total_us", "insights", "not_tried"} <= set(plain)
    assert "not worked out" in Outcome(capsys, "insights", plan, "--no-savings").out
