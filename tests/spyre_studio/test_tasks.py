"""Tasks that need no torch: the cache of captured models, and what verify refuses before it starts."""

import json
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from compiler import pipeline
from compiler.captured import Captured
from compiler.codec import to_json
from compiler.errors import InputError
from compiler.loops import ModelSource
from resources.examples import example
from spyre_studio import captured_cache, model_process, tasks
from spyre_studio.model_process import Answer
from spyre_studio.reporter import Reporter, Silent
from tests.spyre_studio.plans import captured, compiled


class Front:
    """Stands in for the front end: writes a hand-made model and counts how often it was asked."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def run(self, command: list[str], _what: str, reporter: Reporter) -> Answer:
        words = command[command.index("capture") :]
        self.asked.append(words)
        Path(words[words.index("-o") + 1]).write_text(to_json(captured()), encoding="utf-8")
        reporter.note("it holds code")
        return Answer({"done": "x"}, ("it holds code",))


class Notes(Silent):
    """Keeps notes."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def note(self, sentence: str) -> None:
        self.told.append(sentence)


@pytest.fixture
def front(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Front:
    stand_in = Front()
    monkeypatch.setattr(model_process, "run", stand_in.run)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return stand_in


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    bundled = example("softmax")
    assert bundled is not None
    path = tmp_path / "m.pt2"
    path.write_bytes(bundled.archive.read_bytes())
    return path


def test_an_archive_is_captured_once(front: Front, archive: Path) -> None:
    first, second = Notes(), Notes()
    once = tasks.capture(str(archive), first)
    again = tasks.capture(str(archive), second)
    assert again == once
    assert len(front.asked) == 1
    assert first.told == second.told == ["it holds code"]
    assert once.program.source.spec == str(archive)


def test_other_contents_names_and_sizes_are_captured_anew(front: Front, archive: Path) -> None:
    tasks.capture(str(archive), Silent())
    sized = tasks.capture(f"{archive}?s0=64", Silent())
    assert sized.program.source.spec == f"{archive}?s0=64"
    assert front.asked[-1][-2:] == ["--size", "s0=64"]
    archive.rename(archive.with_name("n.pt2"))
    tasks.capture(str(archive.with_name("n.pt2")), Silent())
    other = example("mlp")
    assert other is not None
    archive.write_bytes(other.archive.read_bytes())
    tasks.capture(str(archive), Silent())
    assert len(front.asked) == 4


def test_scripts_are_never_taken_from_the_cache(front: Front) -> None:
    for _ in range(2):
        tasks.capture("decoder?sequence=64", Silent())
    assert len(front.asked) == 2


def test_a_damaged_or_missing_cache_is_no_matter(front: Front, archive: Path, tmp_path: Path) -> None:
    tasks.capture(str(archive), Silent())
    (kept,) = (tmp_path / "cache" / "spyre-studio" / "captures").iterdir()
    kept.write_text("[]\n{", encoding="utf-8")
    assert tasks.capture(str(archive), Silent()).program.name == "softmax"
    assert len(front.asked) == 2
    assert len(kept.read_text("utf-8")) > 100


def test_the_cache_keeps_the_newest(front: Front, archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(captured_cache, "_MOST", 2)
    for size in range(4):
        tasks.capture(f"{archive}?s0={size}", Silent())
    tasks.capture(f"{archive}?s0=3", Silent())
    assert len(front.asked) == 4
    tasks.capture(f"{archive}?s0=0", Silent())
    assert len(front.asked) == 5


def test_torch_may_be_missing(monkeypatch: pytest.MonkeyPatch, archive: Path) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(InputError, match="takes PyTorch, which is not installed"):
        tasks.capture(f"{archive}?s0=5", Silent())


def test_verify_refuses_a_model_that_changed(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = replace(captured().program, source=ModelSource(str(archive), "0" * 64))
    with pytest.raises(InputError, match="its file changed since the plan was made"):
        tasks.verify(compiled(program=program), 0, True, Silent())


def test_verify_asks_for_the_program_and_the_whole_memory(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, object] = {}

    def run(command: list[str], _what: str, _reporter: Reporter) -> Answer:
        asked.update(json.loads(Path(command[-1]).read_text("utf-8")))
        return Answer({"result": {}}, ())

    monkeypatch.setattr(model_process, "run", run)
    whole = compiled(program=replace(captured().program, source=ModelSource(f"{archive}?s0=4")))
    with pytest.raises(InputError, match="the report of the simulator"):
        tasks.verify(whole, 7, False, Silent())
    assert (asked["model"], asked["seed"], asked["poison"], asked["sizes"]) == (str(archive), 7, False, {"s0": 4})
    with pytest.raises(InputError, match="the report of the simulator"):
        tasks.verify(whole, None, False, Silent())
    assert asked["seed"] is None
    assert asked["lx_bytes"] == whole.problem.device.count("lx_bytes")
    assert asked["program"] == json.loads(to_json(whole.program))


def test_verify_says_that_the_plan_names_code_before_it_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "mine.py"
    script.write_text("def factory(): pass\n")
    told = Told()

    def run(_command: list[str], _what: str, _reporter: Reporter) -> Answer:
        assert told.notes == [f"{script} is run as a program with your rights, because it builds the model."]
        return Answer({"result": {}}, ())

    monkeypatch.setattr(model_process, "run", run)
    whole = compiled(program=replace(captured().program, source=ModelSource(f"{script}:factory")))
    with pytest.raises(InputError, match="the report of the simulator"):
        tasks.verify(whole, 0, True, told)


class Told(Silent):
    """Remembers notes."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, sentence: str) -> None:
        self.notes.append(sentence)


def test_a_plan_made_of_another_file_of_ours_is_no_model(tmp_path: Path) -> None:
    path = tmp_path / "pins.json"
    path.write_text(to_json(compiled().problem.pins), encoding="utf-8")
    with pytest.raises(InputError, match="it holds a pins document and no model"):
        tasks.open_any(str(path), Silent())


def test_seconds_reach_the_passes_that_take_them(monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclass(frozen=True)
    class Search:
        name = "search"
        seconds: float = 10.0

    monkeypatch.setattr(pipeline, "PASSES", pipeline.PASSES.set("search", Search))
    assert tasks.limited("search,reduce-span", 2.5) == "search{seconds=2.5},reduce-span"
    assert tasks.limited("search{seconds=3.0}", None) == "search{seconds=3.0}"


def test_a_saved_plan_gives_its_model(tmp_path: Path) -> None:
    whole = compiled()
    path = tmp_path / "plan.json"
    path.write_text(to_json(whole), encoding="utf-8")
    assert tasks.capture(str(path), Silent()) == Captured(whole.graph, whole.problem.program)


def test_an_example_opens_as_it_was_captured_when_it_was_made(front: Front, tmp_path: Path) -> None:
    made = tasks.capture("softmax", Silent())
    assert front.asked == []
    assert not (tmp_path / "cache").exists()
    assert (made.program.name, made.program.source.spec) == ("softmax", "softmax")


def test_an_example_whose_capture_does_not_fit_is_captured(front: Front, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(captured_cache, "bundled_capture", lambda _archive, _digest: None)
    for _ in range(2):
        tasks.capture("softmax", Silent())
    assert len(front.asked) == 1
