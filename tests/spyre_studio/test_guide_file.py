"""Lesson files: the bundled ones, and one sentence for everything that is none."""

import subprocess
import sys
from pathlib import Path

import pytest

from compiler.errors import InputError
from spyre_studio.guide import Done
from spyre_studio.guide_figure_names import figure_fault, figures_in
from spyre_studio.guide_file import FOLDER, LESSONS, heading_of, lesson_path, read_lesson
from spyre_studio.guide_menu import LESSON_ROWS, lesson_of

HEAD = 'title = "T"\nline = "L"\nminutes = 3\nmodel = "softmax"\n'
STEP = '[[step]]\ntitle = "t"\ntext = "x"\n'


def written(folder: Path, text: str) -> Path:
    path = folder / "odd.toml"
    path.write_text(text, encoding="utf-8")
    return path


def refusal(path: Path) -> str:
    with pytest.raises(InputError) as told:
        read_lesson(path)
    return told.value.sentence


@pytest.mark.parametrize("key", LESSONS)
def test_a_bundled_lesson_reads_well(key: str) -> None:
    lesson = read_lesson(lesson_path(key))
    assert lesson.heading == heading_of(lesson_path(key))
    assert lesson.heading.key == key
    assert 8 <= len(lesson.steps) <= 12
    for step in lesson.steps:
        assert step.text.count(". ") <= 2, f"{step.title}: three sentences at most"
        for words in (step.title, step.text, step.task, step.after):
            assert "!" not in words, step.title
        assert not step.title.endswith(".")
        for words in (step.text, step.task, step.after):
            assert not words or words[-1] in ".?", words
    assert any(step.done.changes_plan for step in lesson.steps)
    assert any(figures_in(step.text) for step in lesson.steps)


def test_every_file_of_the_folder_is_offered_in_the_menu_and_nothing_else_is() -> None:
    assert {path.stem for path in FOLDER.glob("*.toml")} == set(LESSONS)
    assert tuple(lesson_of(row.key) for row in LESSON_ROWS if row.handler == "begin_lesson") == LESSONS


def test_a_heading_is_read_without_the_steps(tmp_path: Path) -> None:
    path = written(tmp_path, HEAD + "\n[[step]]\nnot toml")
    assert heading_of(path).minutes == 3
    assert "it is not TOML" in refusal(path)


def test_a_step_says_what_it_takes(tmp_path: Path) -> None:
    done = 'task = "do"\ndone = { split = { a = { i = 4 } }, placement = { b = "lx" }, time = "faster" }\n'
    step = read_lesson(written(tmp_path, HEAD + STEP + done + 'after = "{total_us} of {op_us:a/b}"\n')).steps[0]
    assert step.done.split == {"a": {"i": 4}}
    assert step.done.pin_keys == {"division:a", "placement:b"}
    assert step.done.changes_plan
    assert not Done(at="graph").changes_plan
    assert step.look.core == -1


BROKEN = {
    "no TOML": ("title = ", "it is not TOML"),
    "no step": (HEAD, "it has no [[step]]"),
    "step is a text": (HEAD + 'step = "x"', "it has no [[step]]"),
    "steps of numbers": (HEAD + "step = [1]", "in step 1 the step is no table"),
    "no title": (HEAD.replace('title = "T"\n', "") + STEP, "'title' has to be a text"),
    "title is a number": (HEAD.replace('"T"', "5") + STEP, "'title' has to be a text"),
    "minutes is true": (HEAD.replace("3", "true") + STEP, "'minutes' has to be a whole number"),
    "minutes": (HEAD.replace("3", "900") + STEP, "it takes 900 minutes"),
    "model": (HEAD.replace('"softmax"', '"../../etc/passwd"') + STEP, "is no bundled example"),
    "more": (HEAD + 'colour = "red"\n' + STEP, "it has 'colour', which no lesson has"),
    "too many": (HEAD + STEP * 41, "it has 41 steps"),
    "no text": (HEAD + '[[step]]\ntitle = "t"', "there is no title or no text"),
    "unknown in step": (HEAD + STEP + "run = 'rm'", "the step has 'run', which is not known"),
    "long": (HEAD + STEP.replace('"x"', f'"{"x" * 601}"'), "has 601 characters"),
    "task alone": (HEAD + STEP + 'task = "do"', "there is a task without 'done'"),
    "done alone": (HEAD + STEP + "done = { core = 1 }", "'done' without a task"),
    "after alone": (HEAD + STEP + 'after = "x"', "'after' without anything to do"),
    "place": (HEAD + STEP + 'look = { at = "moon" }', "'at' has to be one of graph"),
    "look": (HEAD + STEP + "look = 5", "'look' is no table"),
    "core": (HEAD + STEP + "look = { core = -3 }", "'core' has to be the number of a core"),
    "switch": (HEAD + STEP + 'task = "d"\ndone = { verified = 1 }', "'verified' can only be true"),
    "time": (HEAD + STEP + 'task = "d"\ndone = { time = "soon" }', "'time' has to be one of faster, slower"),
    "where": (HEAD + STEP + 'task = "d"\ndone = { placement = { x = "moon" } }', "'x' has to be one of lx, hbm"),
    "factor": (HEAD + STEP + 'task = "d"\ndone = { split = { a = { i = 1 } } }', "no whole number above 1"),
    "free": (HEAD + STEP + 'task = "d"\ndone = { free = ["all"] }', "'free' has to list keys of pins"),
    "pipeline": (HEAD + STEP + 'task = "d"\ndone = { pipeline = "best" }', "'pipeline' has to be one of"),
    "condition": (HEAD + STEP + 'task = "d"\ndone = { luck = true }', "'done' has 'luck', which is not known"),
    "figure": (HEAD + STEP.replace('"x"', '"{price}"'), "there is a figure 'price', which is not known"),
    "deep": (HEAD + "step = " + "[" * 5000, "it is n"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_one_sentence(tmp_path: Path, name: str) -> None:
    text, words = BROKEN[name]
    said = refusal(written(tmp_path, text))
    assert said.startswith("the lesson odd.toml: ")
    assert words in said
    assert said.endswith("install the program again.")
    assert "\n" not in said


def test_a_file_that_cannot_be_read_is_one_sentence(tmp_path: Path) -> None:
    assert "it cannot be read" in refusal(tmp_path / "none.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe\x00")
    assert "it is not UTF-8 text" in refusal(tmp_path / "bytes.toml")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{total_us} and {op_us:matmul.2}", ""),
        ("{total_us:x}", "about the plan, not about 'x'"),
        ("{bytes}", "does not say of which buffer"),
        ("{ total_us }", "a brace that belongs to no figure"),
        ("{total_us.__class__}", "a brace that belongs to no figure"),
        ("a } b", "a brace that belongs to no figure"),
    ],
)
def test_braces_hold_figures_and_nothing_else(text: str, words: str) -> None:
    assert words in figure_fault(text) if words else not figure_fault(text)


def test_a_start_reads_and_imports_no_steps() -> None:
    """The window is there before anybody has begun a lesson."""
    code = "import sys, spyre_studio.main_window; print([n for n in sys.modules if n.startswith('spyre_studio.guide')])"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    for name in ("guide_conditions", "guide_places", "guide_figures", "guide_stage", "guide_step_file", "guide'"):
        assert f"spyre_studio.{name}" not in told
