"""Projects as values and files: they come back as they were, and what no window wrote is refused in one sentence."""

import copy
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from compiler.codec import VERSION, parse_document
from compiler.device import load_device
from compiler.errors import InputError, StudioError
from compiler.pins import Pins
from spyre_studio.model_place import beside, located
from spyre_studio.options import CompileOptions
from spyre_studio.project import KeptPlan, ModelReference, Project, ProjectView, is_project
from spyre_studio.project_document import NEWEST, parse_project, print_project, read_project, write_project
from spyre_studio.variant import FIRST, Variant, Variants
from tests.spyre_studio.plans import captured, compiled, divided

Plain = dict[str, object]


@pytest.fixture(scope="module")
def project() -> Project:
    model, device, options = captured(), load_device("spyre"), CompileOptions(cores=32)
    pins = divided("sum", i=4)
    variants = Variants().add(Variant(FIRST, Pins(), device, options))
    variants = variants.add(Variant("sum i 4", pins, device, options, FIRST, "by hand"))
    plans = tuple(KeptPlan(replace(compiled(each), graph=model.graph), "staged", None) for each in (Pins(), pins))
    view = ProjectView("compare", "sum", "exp", 3, "AAAA", ("a", "a.b"), 0.5, 1.25, -3.0, (FIRST, ""))
    reference = ModelReference("softmax", "12ab")
    return Project(reference, model, pins, device, options, variants, plans, 1, 0, "for Monday", view)


@pytest.fixture
def document(project: Project) -> Plain:
    found: Plain = json.loads(print_project(project))
    return found


def value_of(document: Plain) -> Plain:
    value = document["value"]
    assert isinstance(value, dict)
    return value


def test_a_project_comes_back_as_it_was(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "softmax.spyre"
    write_project(path, project)
    again = read_project(path)
    assert again == project
    assert [path.name for path in tmp_path.iterdir()] == ["softmax.spyre"], "nothing is left beside it"
    for kept in again.plans:
        assert kept.compilation.graph is again.captured.graph
        assert kept.compilation.problem.program is again.captured.program, "plans of one model share it"


def test_the_order_of_loops_in_pins_is_kept(project: Project) -> None:
    turned = Pins(division=divided("sum", j=2, i=4).division)
    again = parse_project(print_project(replace(project, pins=turned)))
    assert list(again.pins.division["sum"]) == ["j", "i"]


def test_a_plan_of_changed_loops_brings_them_along(project: Project) -> None:
    other = captured(replace(project.captured.program, name="changed"))
    plan = compiled(program=other.program)
    both = tuple(KeptPlan(replace(plan, graph=project.captured.graph), "staged", 2.5) for _ in range(2))
    again = parse_project(print_project(replace(project, plans=both)))
    first, second = (kept.compilation.problem.program for kept in again.plans)
    assert first == other.program
    assert first is second
    assert again.plans[0].seconds == 2.5


def test_what_older_programs_left_out_is_made_up_for(document: Plain, project: Project) -> None:
    value = value_of(document)
    for key in ("variants", "plans", "shown", "before", "note", "view", "saved_as"):
        value.pop(key)
    again = parse_project(json.dumps(document))
    assert (again.variants, again.plans, again.shown, again.view) == (Variants(), (), -1, ProjectView())
    assert again.pins == project.pins


def test_newer_versions_are_refused_with_both_named(document: Plain) -> None:
    document["version"] = NEWEST + 1
    with pytest.raises(InputError, match=rf"version {NEWEST + 1}, this one reads up to {NEWEST}"):
        parse_project(json.dumps(document))


def test_pins_that_are_switched_off_are_kept_and_only_they_raise_the_version(project: Project, document: Plain) -> None:
    assert document["version"] == VERSION
    assert "off" not in value_of(document), "older programs read what has none"
    off = replace(project, off=divided("exp", i=2))
    text = print_project(off)
    assert json.loads(text)["version"] == NEWEST > VERSION
    assert parse_project(text) == off
    with pytest.raises(InputError, match=f"version {NEWEST}, this one reads up to {VERSION}"):
        parse_document(text, "this project", ("project",))  # as older programs do


def test_a_file_that_cannot_be_written_keeps_what_it_was(project: Project, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        write_project(tmp_path / "none" / "a.spyre", project)


def _set(key: str, wrong: object) -> Callable[[Plain], None]:
    return lambda value: value.__setitem__(key, wrong)


@pytest.mark.parametrize(
    ("harm", "says"),
    [
        (_set("shown", 2), "it has 2 plans"),
        (_set("before", -2), "it has 2 plans"),
        (_set("shown", True), "do not fit"),
        (_set("plans", {}), "do not fit"),
        (_set("note", 3), "do not fit"),
        (_set("extra", 3), "do not fit"),
        (_set("options", {"cores": 0}), "0 cores"),
        (_set("options", {"seconds": -1.0}), "search of"),
        (_set("variants", {"entries": [], "chosen": "x"}), "does not have"),
        (_set("view", {"core": -1}), "not possible"),
        (lambda value: value.pop("captured"), "do not fit"),
    ],
)
def test_faults_are_said_in_one_sentence(document: Plain, harm: Callable[[Plain], None], says: str) -> None:
    harm(value_of(document))
    with pytest.raises(InputError, match=says):
        parse_project(json.dumps(document))


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"kind": "pins", "version": 1, "value": {}}', "\x00", '{"kind":'])
def test_other_files_are_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "x.spyre"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError):
        read_project(path)


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x.spyre").write_bytes(b"\xff\xfe\x00")
    for path, says in ((tmp_path / "none.spyre", "no such file"), (tmp_path, "it is no file")):
        with pytest.raises(InputError, match=says):
            read_project(path)
    with pytest.raises(InputError, match="not a text file"):
        read_project(tmp_path / "x.spyre")


def _places(plain: object) -> Iterator[tuple[dict[str, object] | list[object], str | int]]:
    """Every entry of every table and list."""
    pairs = plain.items() if isinstance(plain, dict) else enumerate(plain) if isinstance(plain, list) else ()
    for key, item in list(pairs):
        assert isinstance(plain, dict | list)
        yield plain, key
        yield from _places(item)


_WRONG: tuple[object, ...] = (None, True, -1, 0, 1 << 70, 0.5, "", "x", "\ud800", [], {}, [None], {"a": 1}, "lx")


@pytest.mark.parametrize(("kept", "rounds", "refused"), [(0, 120, 40), (2, 12, 6)])
def test_mutated_documents_give_sentences_only(project: Project, kept: int, rounds: int, refused: int) -> None:
    """Whatever is changed, taken out or put elsewhere: a project, or a StudioError."""
    whole = replace(project, plans=project.plans[:kept], shown=kept - 1, before=-1)
    document, chance = json.loads(print_project(whole)), random.Random(7)
    sentences: list[str] = []
    for _ in range(rounds):
        broken = copy.deepcopy(document)
        places = list(_places(broken))
        near = [place for place in places if place[1] in {"variants", "view", "options", "entries", "shown", "parent"}]
        for _ in range(chance.choice((1, 1, 3))):
            holder, key = chance.choice(near if chance.random() < 0.3 else places)
            _harm(holder, key, chance)
        try:
            parse_project(json.dumps(broken))
        except StudioError as error:
            sentences.append(error.sentence)
    assert len(sentences) > refused
    assert not any("\n" in sentence for sentence in sentences)


def _harm(holder: dict[str, object] | list[object], key: str | int, chance: random.Random) -> None:
    if isinstance(holder, list):
        assert isinstance(key, int)
        if key < len(holder):
            holder[key] = chance.choice(_WRONG)
    elif chance.random() < 0.3:
        holder.pop(str(key), None)
    else:
        holder[str(key)] = chance.choice(_WRONG)


def test_truncated_documents_give_sentences_only(project: Project) -> None:
    text = print_project(project)
    for at in range(0, len(text) - 2, len(text) // 40):
        with pytest.raises(StudioError):
            parse_project(text[:at])


def test_names_of_projects() -> None:
    assert is_project("a/b.spyre")
    assert not is_project("b.spyre.json")


def test_a_model_near_the_file_is_named_from_there(project: Project, tmp_path: Path) -> None:
    folder = tmp_path / "work"
    for below in ("models", "other"):
        (folder / below).mkdir(parents=True)
    path = folder / "a.spyre"
    cases = {
        folder / "model.pt2": "./model.pt2",
        folder / "models" / "m.json": "./models/m.json",
        tmp_path / "shared.pt2": "../shared.pt2",
        Path("/") / "elsewhere" / "m.pt2": str(Path("/") / "elsewhere" / "m.pt2"),
    }
    for model, written in cases.items():
        for query in ("", "?N=64", ":factory?path=a//b&layers=2"):
            spec = f"{model}{query}"
            assert beside(spec, path) == f"{written}{query}"
            assert located(f"{written}{query}", path) == spec
    assert beside("softmax", path) == located("softmax", path) == "softmax"
    assert beside("/m.pt2", Path("/a.spyre")) == "./m.pt2"
    assert beside("/x/m.pt2", Path("/y/a.spyre")) == "/x/m.pt2", "the root of everything is near nothing"


def test_a_folder_with_model_and_project_can_be_moved(project: Project, tmp_path: Path) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    model = folder / "what?.pt2"
    model.write_bytes(b"x")
    write_project(folder / "a.spyre", replace(project, model=ModelReference(str(model), "12ab")))
    assert str(tmp_path) not in (folder / "a.spyre").read_text(encoding="utf-8"), "nothing tells where it was"
    moved = folder.rename(tmp_path / "there")
    assert read_project(moved / "a.spyre").model == ModelReference(str(moved / "what?.pt2"), "12ab")


def test_a_project_of_an_older_program_names_its_model_in_full(project: Project, tmp_path: Path) -> None:
    path = tmp_path / "old.spyre"
    path.write_text(print_project(replace(project, model=ModelReference(str(tmp_path / "m.pt2")))), encoding="utf-8")
    assert read_project(path).model.spec == str(tmp_path / "m.pt2")
