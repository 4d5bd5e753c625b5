"""The passes as a listing: what each did in lines whose names are links, on screen and on the command line."""

from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot

from compiler.pass_replay import replay
from compiler.pass_story import Decision, PassStep, PassStory
from compiler.watch import Watch
from spyre_studio.failure import Failure
from spyre_studio.jobs import Jobs
from spyre_studio.listing_folds import Folding
from spyre_studio.listing_kinds import passes_listing
from spyre_studio.listing_links import Subject
from spyre_studio.pass_text import print_passes
from spyre_studio.session import Session
from spyre_studio.settings import Settings
from tests.programs import attention
from tests.spyre_studio.command_line import Outcome
from tests.spyre_studio.plans import compiled, write_plan

PATIENCE_MS = 60_000
STORY = PassStory(
    "p q",
    (
        PassStep("unfold", 0.0, ("one copy",)),
        PassStep(
            "divide-rest",
            0.0015,
            ("2 divisions",),
            (
                Decision("inputs", "", "layout x  sparse"),
                Decision("a b", "divide old", "divide new"),
                Decision("", "claim z", ""),
            ),
            known=True,
        ),
        PassStep("pad-operands", 2.0, (), (), known=True),
    ),
    ("a note",),
)


def test_the_listing_word_for_word() -> None:
    assert print_passes(STORY) == (
        'passes of "p q"  3 records  2.00 s\n'
        "  note a note\n"
        "  pass unfold\n"
        "    decided one copy\n"
        "  pass divide-rest  1.50 ms  1 added, 1 changed, 1 removed\n"
        "    decided 2 divisions\n"
        "    inputs\n"
        "      + layout x  sparse\n"
        '    of "a b"\n'
        "      - divide old\n"
        "      + divide new\n"
        "    whole plan\n"
        "      - claim z\n"
        "  pass pad-operands  2.00 s  nothing changed\n"
    )


def test_its_lines_are_linked_and_the_passes_are_folded_where_they_are_long() -> None:
    compilation = compiled(program=attention(2, 64, 64), cores=4)
    listing = passes_listing(compilation, replay(compilation, None, Watch()))
    places = [listing.text.line(int(line)) for line in listing.places(Subject("op", "exp"))]
    assert places.count("    of exp") == 3, "laid out, divided and placed"
    assert any(line.startswith("      + divide exp ") for line in places)
    buffers = [listing.text.line(int(line)) for line in listing.places(Subject("buffer", "exp"))]
    assert any(line.startswith("      + layout exp ") for line in buffers)
    assert len(Folding(listing.folds, len(listing)).visible) == len(listing), "a short one is open"
    deep = compiled(program=attention(4, 64, 64), cores=8, pipeline="co-optimized")
    long = passes_listing(deep, PassStory("m", replay(deep, None, Watch()).steps * 3))
    shown = [long.text.line(int(line)) for line in Folding(long.folds, len(long)).visible]
    assert all(line.startswith(("passes of", "  pass ", "  note ")) for line in shown)


def test_the_command_line_prints_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    compilation = compiled()
    found = Outcome(capsys, "show", str(write_plan(tmp_path, compilation)), "--passes")
    assert (found.code, found.err) == (0, "")
    assert found.out == print_passes(replay(compilation, None, Watch()))
    assert found.out.count("\n  pass ") == len(compilation.log)


@pytest.mark.parametrize("words", [("--part", "plan"), ()], ids=["part", "no plan"])
def test_the_command_line_refuses_what_has_no_passes(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, words: tuple[str, ...]
) -> None:
    path = write_plan(tmp_path, compiled())
    if not words:
        path.write_text("{}", encoding="utf-8")
    found = Outcome(capsys, "show", str(path), "--passes", *words)
    assert (found.code, found.out) == (2, "")
    assert found.err.count("\n") == 1


def test_the_worker_answers_and_a_re_solve_has_a_story_of_its_own(qtbot: QtBot, tmp_path: Path) -> None:
    session = Session(Jobs(), Settings(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)))
    try:
        session.open(str(write_plan(tmp_path, compiled(pipeline="co-optimized"))))
        qtbot.waitUntil(lambda: not session.busy, timeout=PATIENCE_MS)
        stories: list[PassStory] = []
        failures: list[Failure] = []
        phases: list[str] = []
        session.request_passes(stories.append, failures.append, lambda _share, phase, _detail: phases.append(phase))
        qtbot.waitUntil(lambda: bool(stories), timeout=PATIENCE_MS)
        assert session.compilation is not None
        assert stories[0] == replay(session.compilation, None, Watch())
        assert "divide-rest" in phases
        session.pin_division("exp", {"i": 8})
        qtbot.waitUntil(lambda: not session.busy and not session.stale, timeout=PATIENCE_MS)
        session.request_passes(stories.append, failures.append, lambda *_: None)
        qtbot.waitUntil(lambda: len(stories) == 2, timeout=PATIENCE_MS)
        assert stories[1].steps[-1].spec == "against the plan before"
        assert stories[1].steps[-1].known
        assert not failures
    finally:
        session.shutdown()
