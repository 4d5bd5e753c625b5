"""Kernels that were compiled elsewhere, in commands and in the window: shown, checked, compared, planned anew."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from compiler.audit import audit
from compiler.codec import to_json
from compiler.compilation import IMPORTED, Compilation
from compiler.emit import ready
from compiler.errors import InputError
from spyre_studio import tasks
from spyre_studio.export_file import write_export
from spyre_studio.foreign_file import is_foreign, read_places
from spyre_studio.import_words import import_words, told
from spyre_studio.jobs import Jobs
from spyre_studio.kernels_file import read_kernels
from spyre_studio.main_window import MainWindow
from spyre_studio.session import Session
from tests.compiler.formats.exported import example
from tests.spyre_studio.command_line import Outcome
from tests.spyre_studio.door import Door
from tests.spyre_studio.stage import all_texts, quiet_settings

PATIENCE_MS = 60_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The kernels of an example."""
    place = tmp_path_factory.mktemp("kernels") / "mlp"
    write_export(ready(example("mlp"), "kernels"), str(place))
    return place


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The plan that they were exported from."""
    path = tmp_path_factory.mktemp("plans") / "mlp.plan.json"
    path.write_text(to_json(example("mlp")), "utf-8")
    return path


def test_what_is_foreign(folder: Path, saved: Path) -> None:
    assert is_foreign(folder)
    assert is_foreign(folder / "kernel0")
    assert is_foreign(folder / "kernel0" / "bundle.mlir")
    assert is_foreign(folder / "spyre_provenance.json"), "reading it says what it is"
    assert not is_foreign(saved)


def test_the_plan_comes_back(folder: Path) -> None:
    made, own = read_kernels(folder), example("mlp")
    assert made.imported
    assert made.ok
    assert {name: division.factors for name, division in made.plan.divisions.items()} == {
        name: division.factors for name, division in own.plan.divisions.items()
    }
    assert made.cost.total_us == pytest.approx(own.cost.total_us)
    assert told(made)
    assert import_words(made).startswith("Read from files of others: no wrapper is there")
    assert not told(own)
    assert not import_words(own)


@pytest.mark.parametrize("name", ["softmax", "attention", "decoder"])
def test_a_single_file_is_a_plan_of_its_own(tmp_path: Path, name: str) -> None:
    write_export(ready(example(name), "kernels"), str(tmp_path / name))
    files = sorted((tmp_path / name).rglob("sdsc_*.json"))
    assert len(files) >= 5
    for path in files:
        assert [one for one in read_kernels(path).verdicts if not one.ok] == [], path.name


FEWER = (
    ("attention", 1, "staged"),
    ("attention", 8, "co-optimized"),
    ("decoder", 4, "staged"),
    ("decoder", 8, "co-optimized"),
)
UNSAID = ("ktir", "attention", 8)  # one of its relayouts has no words there


@pytest.mark.parametrize(
    ("name", "model", "cores", "pipeline"),
    [(name, *row) for name in ("kernels", "opspec-json", "ktir") for row in FEWER if (name, *row[:2]) != UNSAID],
)
def test_plans_for_fewer_cores_come_back(tmp_path: Path, name: str, model: str, cores: int, pipeline: str) -> None:
    ours = example(model, cores=cores, pipeline=pipeline)
    place = tmp_path / ("kernels" if name == "kernels" else "one.file")
    write_export(ready(ours, name), str(place))
    theirs = read_kernels(place)
    assert [one for one in theirs.verdicts if not one.ok] == []
    assert theirs.plan.cores == cores
    assert theirs.cost.total_us == pytest.approx(ours.cost.total_us, rel=0.01)
    assert any("for how many cores" in one for one in told(theirs)) == (name == "kernels")


def test_what_ktir_cannot_say_is_no_mistake_of_the_program() -> None:
    for model, cores, pipeline in (("convnet", 1, "staged"), ("convnet", 8, "co-optimized")):
        made = ready(example(model, cores=cores, pipeline=pipeline), "ktir")
        assert made.limits
        assert "".join(part.text for part in made.parts(partial=True)).startswith("module {")


def test_constants_beside_kernels_agree_with_their_names(tmp_path: Path) -> None:
    write_export(ready(example("rmsnorm"), "kernels"), str(tmp_path / "rmsnorm"))
    assert read_kernels(tmp_path / "rmsnorm").ok
    beside = tmp_path / "rmsnorm" / "host_constants.json"
    beside.write_text(beside.read_text("utf-8").replace('"1024.0"', '"512.0"'), "utf-8")
    wrong = [one for one in read_kernels(tmp_path / "rmsnorm").verdicts if not one.ok]
    assert [one.violations for one in wrong] == [("host_constants.json: mean/div#1024.0 is said to be 512.0",)]


def test_a_pool_of_nothing_that_is_used_is_told(tmp_path: Path) -> None:
    write_export(ready(example("mlp"), "kernels"), str(tmp_path / "mlp"))
    bundle = tmp_path / "mlp" / "kernel0" / "bundle.mlir"
    text = bundle.read_text("utf-8")
    (said,) = re.findall(r"device_mem_allocate (\d+)", text)
    bundle.write_text(text.replace(f"device_mem_allocate {said}", "device_mem_allocate 0"), "utf-8")
    wrong = [one for one in read_kernels(tmp_path / "mlp").verdicts if not one.ok]
    assert "bytes of the pool, which has 0" in wrong[0].violations[0]


def test_exports_go_beside_the_plan_they_are_made_of(folder: Path, tmp_path: Path) -> None:
    one = tmp_path / "plan.opspec.json"
    write_export(ready(example("softmax"), "opspec-json"), str(one))
    assert read_places(one) == (one,)
    assert read_places(folder / "kernel0" / "sdsc_0.json")[1] == folder / "kernel0"


def test_devices_and_folders_without_kernels_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="it is a device and no file"):
        tasks.read_text(Path("/dev/zero"))
    with pytest.raises(InputError, match="it is a folder without kernels"):
        tasks.read_text(tmp_path)


def test_files_that_say_two_things_fail_a_check(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    text = "".join(part.text for part in ready(example("softmax"), "ktir").parts())
    path = tmp_path / "softmax.mlir"
    path.write_text(text.replace("arith.maximumf", "arith.minimumf"), "utf-8")
    made = read_kernels(path)
    wrong = [verdict for verdict in made.verdicts if not verdict.ok]
    assert [verdict.check for verdict in wrong] == ["files"]
    assert "is not what its op specifications say" in wrong[0].violations[0]
    assert import_words(made).startswith(f"Read from files of others, which disagree: {wrong[0].violations[0]}")
    assert [verdict for verdict in audit(made) if not verdict.ok] == wrong, "also after it was saved and opened"
    checked = Outcome(capsys, "check", path)
    assert (checked.code, "files      failed" in checked.out) == (1, True), checked.out
    assert "failed the check 'files'" in Outcome(capsys, "export", path, "--format", "kernels", "-o", "-").err
    path.write_text(text, "utf-8")
    assert read_kernels(path).ok


def test_commands_take_kernels_where_they_take_plans(
    capsys: pytest.CaptureFixture[str], folder: Path, saved: Path, tmp_path: Path
) -> None:
    shown = Outcome(capsys, "show", folder)
    assert (shown.code, 'pipeline "imported"' in shown.out) == (0, True)
    assert "no wrapper is there" in shown.err
    checked = Outcome(capsys, "check", folder)
    assert (checked.code, "failed" in checked.out) == (0, False)
    compared = Outcome(capsys, "diff", saved, folder)
    assert "total: 163.10 -> 163.10" in compared.out
    assert "division" not in compared.out
    own = tmp_path / "own.json"
    assert Outcome(capsys, "compile", folder, "-o", own).code == 0
    assert not tasks.read_plan_file(own).imported
    again = tmp_path / "again"
    assert Outcome(capsys, "export", folder, "--format", "kernels", "-o", again).code == 0
    first, second = (place / "kernel0" for place in (folder, again))
    assert (second / "bundle.mlir").read_text("utf-8") == (first / "bundle.mlir").read_text("utf-8")
    one, other = (json.loads((place / "sdsc_0.json").read_text("utf-8")) for place in (first, second))
    for document in (one, other):
        document["0_batchmatmul"].pop("debug_handle_")  # its chain begins at another name
    assert one == other


def test_a_comparison_tells_ops_that_compute_something_else(
    capsys: pytest.CaptureFixture[str], folder: Path, saved: Path, tmp_path: Path
) -> None:
    place = tmp_path / "mlp"
    shutil.copytree(folder, place)
    sdsc = place / "kernel0" / "sdsc_1.json"
    sdsc.write_text(sdsc.read_text("utf-8").replace("1_add", "1_sub").replace('"add"', '"sub"'), "utf-8")
    assert "up.linear/add: pointwise add -> pointwise sub" in Outcome(capsys, "diff", saved, place).out
    assert "pointwise" not in Outcome(capsys, "diff", saved, folder).out


def test_what_lies_beside_kernels_is_named(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    refused = Outcome(capsys, "show", folder / "spyre_provenance.json").refused()
    assert "it is a provenance file" in refused
    refused = Outcome(capsys, "compile", folder / "kernel0" / "spyreCodeDir" / "launch_spec.json").refused()
    assert "choose the kernel folder that it belongs to" in refused


def test_numbers_cannot_be_compared_without_a_model(
    capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path
) -> None:
    refused = Outcome(capsys, "verify", folder)
    assert (refused.code, refused.out) == (2, "")
    assert "read from kernels, which hold no PyTorch model" in refused.err
    again = Outcome(capsys, "compile", folder, "-o", tmp_path / "own.json")
    assert again.code == 0
    assert "read from kernels" in Outcome(capsys, "verify", tmp_path / "own.json").refused()


def test_what_is_read_is_never_written(capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path) -> None:
    """Neither a file of a folder that is read, nor one that lies beside a file of kernels and is read with it."""
    place = tmp_path / "mlp"
    shutil.copytree(folder, place)
    sdsc = place / "kernel0" / "sdsc_1.json"
    before = sdsc.read_bytes()
    for words in (
        ("export", place, "--format", "ktir", "-o", sdsc),
        ("export", place / "kernel0" / "bundle.mlir", "--format", "ktir", "-o", sdsc),
        ("compile", place, "-o", sdsc),
        ("report", place, "-o", place / "kernel0" / "report.html"),
        ("export", place, "--format", "kernels", "-o", place / "again"),
    ):
        done = Outcome(capsys, *words)
        assert done.code == 2
        assert "which is read by this command" in done.err
    assert sdsc.read_bytes() == before


def test_what_a_file_says_twice_and_differently_is_told(
    capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path
) -> None:
    place = tmp_path / "mlp"
    shutil.copytree(folder, place)
    sdsc = place / "kernel0" / "sdsc_1.json"
    whole = json.loads(sdsc.read_text("utf-8"))
    (key,) = whole
    inner = whole[key]["dscs_"][0]["add"]
    inner["computeOp_"][0]["opFuncName"] = "mul"
    inner["computeOp_"][0]["inputLabeledDs"].reverse()
    inner["labeledDs_"][0]["wordLength"] = 4
    sdsc.write_text(json.dumps({"1_sub": whole[key]}), "utf-8")
    for command in ("check", "show", "insights"):
        said = Outcome(capsys, command, place).err
        assert "it is called sub, its op is add" in said
        assert "it computes mul, its op is add" in said
        assert "they are taken in order" in said
        assert "tensor 0 has words of 4 B, its format has 2 B" in said


def test_an_imported_plan_is_saved_and_a_changed_one_is_refused(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "imported.json"
    text = to_json(read_kernels(folder))
    path.write_text(text, "utf-8")
    assert tasks.read_sound_plan(path).imported
    document = json.loads(text)
    document["value"]["solver"]["status"] = "optimal"
    path.write_text(json.dumps(document), "utf-8")
    with pytest.raises(InputError, match="the status of its solver is 'optimal'"):
        tasks.read_sound_plan(path)


@pytest.fixture
def session(qtbot: QtBot, jobs: Jobs, tmp_path: Path) -> Iterator[Session]:
    jobs.keep([])
    made = Session(jobs, quiet_settings(str(tmp_path)))
    yield made
    made.cancel()


def opened(qtbot: QtBot, session: Session, path: Path) -> Compilation:
    session.open(str(path))
    qtbot.waitUntil(lambda: not session.busy, timeout=PATIENCE_MS)
    assert session.compilation is not None
    return session.compilation


def test_kernels_open_in_the_window_and_are_planned_anew(qtbot: QtBot, session: Session, folder: Path) -> None:
    notes: list[str] = []
    session.noted.connect(notes.append)
    first = opened(qtbot, session, folder)
    assert (first.imported, session.stale, session.options.pipeline) == (True, False, IMPORTED)
    assert notes == [import_words(first)]
    session.pin_division("act.gelu", {"i": 2})
    session.resolve()
    qtbot.waitUntil(lambda: not session.busy, timeout=PATIENCE_MS)
    second = session.compilation
    assert second is not None
    assert not second.imported
    assert second.plan.divisions["act.gelu"].factors == {"i": 2}
    assert (session.before, session.options.pipeline, session.stale) == (first, "staged", False)


def test_what_cannot_be_read_leaves_what_is_open(qtbot: QtBot, session: Session, folder: Path, tmp_path: Path) -> None:
    first = opened(qtbot, session, folder)
    broken = tmp_path / "sdsc_0.json"
    broken.write_text('{"0_add": {"dscs_": [{"add": {"N_": []}}]}}', "utf-8")
    told: list[str] = []
    session.failed.connect(lambda what, why, remedy: told.append(f"{what}: {why}; {remedy}"))
    session.open(str(broken))
    qtbot.waitUntil(lambda: not session.busy, timeout=PATIENCE_MS)
    assert len(told) == 1
    assert "sdsc_0.json" in told[0]
    assert session.compilation is first


@pytest.mark.parametrize("changed", [False, True])
def test_all_that_was_found_is_in_the_details(
    window: MainWindow, door: Door, folder: Path, tmp_path: Path, changed: bool
) -> None:
    place = tmp_path / "mlp"
    shutil.copytree(folder, place)
    if changed:
        sdsc = place / "kernel0" / "sdsc_1.json"
        sdsc.write_text(sdsc.read_text("utf-8").replace('"1_add"', '"1_sub"', 1), "utf-8")
    made = read_kernels(place)
    door._source = str(place)
    door.put_model(made)
    door._tell_files(made)
    banner = window.banner
    assert (banner.kind, banner.sentence) == ("warn" if changed else "info", import_words(made))
    details = banner.details.toPlainText().splitlines()
    assert details == (list(told(made)) if changed else []), "one remark is in the sentence"
    assert ("which disagree: kernel0: sdsc_1.json: it is called sub" in banner.sentence) == changed
    assert "mlp" in all_texts(window.workbench.header)
    assert "example" not in all_texts(window.workbench.header)
