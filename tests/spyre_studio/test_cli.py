"""The command line: what it prints, its exit codes, and one sentence for everything that cannot be done."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from frozendict import frozendict

from compiler.codec import from_json
from compiler.compilation import Compilation
from compiler.plan import Plan, Slot
from compiler.text.document import from_text, to_text
from resources.examples import examples
from simulator.report import VerifyReport
from spyre_studio.__main__ import has_display, main
from spyre_studio.commands import COMMANDS
from spyre_studio.model_process import ModelProcessError
from spyre_studio.user_folder import cache_folder
from tests.spyre_studio.command_line import Outcome
from tests.spyre_studio.plans import compiled, divided, write_model, write_plan


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return write_model(tmp_path)


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    return write_plan(tmp_path, compiled())


def test_examples_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    done = Outcome(capsys, "examples")
    assert done.code == 0
    assert [line.split()[0] for line in done.out.splitlines()] == [example.name for example in examples()]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(capsys: pytest.CaptureFixture[str], name: str) -> None:
    done = Outcome(capsys, name, "--help")
    assert done.code == 0
    assert done.out.startswith(f"usage: spyre-studio {name}")


def test_help_of_the_window_names_all_commands(capsys: pytest.CaptureFixture[str]) -> None:
    done = Outcome(capsys, "--help")
    assert done.code == 0
    assert all(f"  {name} " in done.out for name in COMMANDS)


def test_compile_says_what_others_rely_on(capsys: pytest.CaptureFixture[str], model: Path) -> None:
    document = Outcome(capsys, "compile", model, "--cores", 4, "--json").json
    for key in (
        *("model", "device", "cores", "pipeline", "total_us", "compute_us", "hbm_bytes", "relayout_us"),
        *("restickify_count", "restickify_elements", "lx_peak_bytes", "lx_budget_bytes", "ops", "buffers", "edits"),
        *("pins", "solver", "check", "seconds"),
    ):
        assert key in document
    ops, buffers = document["ops"], document["buffers"]
    assert isinstance(ops, list)
    assert isinstance(buffers, list)
    assert {"name", "kind", "origin", "splits", "cores", "cost_us"} <= ops[0].keys()
    assert [op["name"] for op in ops] == ["max", "sub", "exp", "sum", "truediv"]
    assert ops[0]["splits"] == {"i": 4}
    wanted = {"name", "shape", "dtype", "device_size", "placement", "address", "bytes_per_core", "first_step"}
    assert {*wanted, "last_step", "reason"} <= buffers[0].keys()
    placed = {buffer["name"]: (buffer["placement"], buffer["first_step"], buffer["last_step"]) for buffer in buffers}
    assert placed["exp"] == ("lx", 2, 4)
    assert placed["x"] == ("hbm", 0, 1)
    assert document["check"]["ok"] is True  # type: ignore[index]
    assert document["solver"].keys() == {"name", "status", "objective_us", "bound_us", "gap", "seconds"}  # type: ignore[attr-defined]
    assert {"capture", "compile", "place-scratchpad"} <= document["seconds"].keys()  # type: ignore[attr-defined]


def test_a_saved_plan_is_all_that_other_commands_need(capsys: pytest.CaptureFixture[str], model: Path) -> None:
    saved = model.with_name("saved.json")
    done = Outcome(capsys, "compile", model, "-o", saved)
    assert done.code == 0
    assert "check      ok" in done.out
    whole = from_json(Compilation, saved.read_text("utf-8"))
    assert Outcome(capsys, "check", saved).code == 0
    listing = Outcome(capsys, "show", saved).out
    assert from_text(Plan, listing) == whole.plan
    assert Outcome(capsys, "why", saved, "exp").code == 0
    assert Outcome(capsys, "compile", saved, "--cores", 2).code == 0  # the model is in it too


@pytest.mark.parametrize("part", ["graph", "loops", "device", "pins", "plan", "program"])
def test_parts_parse_back(capsys: pytest.CaptureFixture[str], plan: Path, part: str) -> None:
    whole = compiled()
    value = {
        "graph": whole.graph,
        "loops": whole.problem.program,
        "device": whole.problem.device,
        "pins": whole.problem.pins,
        "plan": whole.plan,
        "program": whole.program,
    }[part]
    assert from_text(type(value), Outcome(capsys, "show", plan, "--part", part).out) == value


def test_show_prints_a_captured_model(capsys: pytest.CaptureFixture[str], model: Path) -> None:
    out = Outcome(capsys, "show", model).out
    assert "softmax" in out
    assert "reduction" in out


def test_capture_copies_a_captured_model(capsys: pytest.CaptureFixture[str], model: Path) -> None:
    copy = model.with_name("copy.json")
    assert Outcome(capsys, "capture", model, "-o", copy).code == 0
    assert Outcome(capsys, "show", copy).out == Outcome(capsys, "show", model).out


def test_pins_are_kept_and_shown(capsys: pytest.CaptureFixture[str], model: Path) -> None:
    pins = _write(model.with_name("pins.json"), {"version": 1, "division": {"sum": {"i": 4}}})
    done = Outcome(capsys, "compile", model, "--pins", pins, "--json")
    assert done.code == 0
    assert done.err == ""
    assert done.json["pins"] == [{"key": "division:sum", "status": "honoured", "detail": ""}]


@pytest.mark.parametrize(
    ("pin", "words"),
    [
        ({"division": {"summ": {"i": 4}}}, "pin division:summ refused: there is no op summ; the nearest names are sum"),
        ({"division": {"sum": {"i": 5}}}, "pin division:sum refused: 5 does not divide"),
        ({"division": {"sum": {"z": 2}}}, "has no loop z"),
        ({"placement": {"nothing": "lx"}}, "pin placement:nothing refused"),
        ({"tiles": {"sum": {"i": 2}}}, "pin tiles:sum refused"),
    ],
)
def test_a_refused_pin_is_a_finding(
    capsys: pytest.CaptureFixture[str], model: Path, pin: dict[str, object], words: str
) -> None:
    pins = _write(model.with_name("pins.json"), {"version": 1, **pin})
    saved = model.with_name("saved.json")
    done = Outcome(capsys, "compile", model, "--pins", pins, "-o", saved, "--json")
    assert done.code == 1
    assert words in done.err
    assert done.json["pins"][0]["status"] == "refused"  # type: ignore[index]
    assert saved.exists(), "the plan without that pin is still a plan"


@pytest.mark.parametrize(("factor", "code"), [(4, 0), (5, 1)])
def test_verify_tells_of_refused_pins(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, model: Path, factor: int, code: int
) -> None:
    agrees = VerifyReport("m", "spyre", 32, poison=True, outputs=(), steps=(), fault="", seconds=0.0)
    monkeypatch.setattr("spyre_studio.tasks.verify", lambda *_: agrees)
    pins = _write(model.with_name("pins.json"), {"version": 1, "division": {"sum": {"i": factor}}})
    done = Outcome(capsys, "verify", model, "--pins", pins)
    assert done.code == code
    assert ("pin division:sum refused" in done.err) == bool(code)


def test_check_finds_what_a_file_conceals(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    whole = compiled()
    slot = whole.plan.placement["exp"]
    assert isinstance(slot, Slot)
    outside = replace(slot, address=whole.problem.device.lx_budget_bytes)
    plan = replace(whole.plan, placement=whole.plan.placement.set("exp", outside))
    path = write_plan(tmp_path, replace(whole, plan=plan))
    done = Outcome(capsys, "check", path)
    assert done.code == 1
    assert "budget     failed" in done.out
    refused = Outcome(capsys, "export", path, "--format", "plan-json", "-o", tmp_path / "out.json").refused()
    assert "failed the check" in refused
    assert not (tmp_path / "out.json").exists()


def test_check_finds_a_program_that_is_not_the_plan(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    whole = compiled()
    path = write_plan(tmp_path, replace(whole, program=replace(whole.program, hbm_bytes=1)))
    done = Outcome(capsys, "check", path)
    assert done.code == 1
    assert "program    failed" in done.out


def test_why_gives_reason_remedy_life_and_users(capsys: pytest.CaptureFixture[str], plan: Path) -> None:
    done = Outcome(capsys, "why", plan, "truediv")
    assert done.code == 0
    for words in ("graph-output", "to change", "step 4 only", "written by step 4  truediv", "512 sticks"):
        assert words in done.out
    resident = Outcome(capsys, "why", plan, "exp").out
    assert "takes over the place of sub" in resident
    assert "read by    step 3  sum" in resident


def test_why_offers_the_nearest_names(capsys: pytest.CaptureFixture[str], plan: Path) -> None:
    assert "the nearest name is truediv" in Outcome(capsys, "why", plan, "div").refused()
    assert "nearest" not in Outcome(capsys, "why", plan, "qqq").refused()


def test_exports_parse_back(capsys: pytest.CaptureFixture[str], plan: Path) -> None:
    whole = compiled()
    out = plan.with_name("out")
    assert Outcome(capsys, "export", plan, "--format", "plan-json", "-o", out).code == 0
    assert from_json(Plan, out.read_text("utf-8")) == whole.plan
    assert Outcome(capsys, "export", plan, "--format", "program-text", "-o", "-").out == to_text(whole.program)
    assert Outcome(capsys, "export", plan, "--format", "plan-text", "-o", "-").out == to_text(whole.plan)


def test_diff_gives_changes_with_causes(capsys: pytest.CaptureFixture[str], plan: Path) -> None:
    other = write_plan(plan.parent, compiled(divided("sum", i=4)), "other.json")
    document = Outcome(capsys, "diff", plan, other, "--json").json
    changes = {(one["kind"], one["name"]): one for one in document["changes"]}  # type: ignore[attr-defined]
    assert changes["division", "sum"]["cause"] == "pinned"
    assert document["same"] is False
    text = Outcome(capsys, "diff", plan, other)
    assert text.code == 0
    assert "division sum: i 32 on 32 cores -> i 4 on 4 cores" in text.out
    assert Outcome(capsys, "diff", plan, plan).out == "no difference\n"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["compile"], "MODEL"),
        (["compile", "nosuch"], "the examples are softmax"),
        (["compile", "nosuch.pt2"], "there is no such file"),
        (["compile", "{model}", "--cores", "99"], "has 32 cores"),
        (["compile", "{model}", "--cores", "0"], "--cores: '0' is not a whole number from 1 on"),
        (["compile", "{model}", "--cores", "two"], "--cores: 'two' is not a whole number"),
        (["compile", "{model}", "--device", "nope"], "use one of sample, spyre"),
        (["compile", "{model}", "--device", "{device}"], "the number 'cores' is missing"),
        (["compile", "{model}", "--pipeline", "nope"], "there is no such pass"),
        (["compile", "{model}", "--seconds", "-1"], "--seconds: '-1' is not a time above 0"),
        (["compile", "{model}", "--pins", "nope.json"], "there is no such file"),
        (["compile", "{model}", "--jso"], "--jso"),
        (["compile", "{model}", "-o", "{folder}/none/x.json"], "there is no folder"),
        (["compile", "{folder}"], "it is a folder"),
        (["compile", ""], "no model: its name is empty"),
        (["compile", "{model}", "-o", "{model}"], "it is read by this command"),
        (["compile", "{model}", "--pins", "{pins}", "-o", "{pins}"], "it is read by this command"),
        (["compile", "{model}", "-o", ""], "the name of the file to write is empty"),
        (["compile", "{model}", "-o", "-", "--json"], "would go to stdout"),
        (["capture", "{model}", "-o", "{folder}"], "it is a folder"),
        (["export", "{plan}", "--format", "plan-json", "-o", "{plan}"], "it is read by this command"),
        (["compile", "{model}", "--seconds", "soon"], "--seconds: 'soon' is not a time above 0"),
        (["verify", "{plan}", "--seed", str(2**64)], f"--seed: '{2**64}' is not a whole number from 0 to {2**64 - 1}"),
        (["verify", "{plan}", "--seed", "x"], "--seed: 'x' is not a whole number"),
        (["why", "{plan}", ""], "no buffer: its name is empty"),
        (["show", "n" * 5000], "nnn…nnn"),
        (["compile", "n" * 5000], "nnn: there is neither a file nor an example of that name"),
        (["compile", "n" * 5000 + ".py:factory"], "it cannot be read"),
        (["n" * 5000, "more"], "nnn"),
        (["compile", "{script}:factory?n=5&n=6"], "the parameter n is given twice"),
        (["compile", "{empty}"], "it is empty"),
        (["compile", "{script}"], "which function in it builds the model is not said"),
        (["compile", "{script}x:factory"], "there is no"),
        (["capture", "{model}"], "-o"),
        (["show", "{script}"], "not valid JSON"),
        (["show", "{model}", "--part", "plan"], "has no parts"),
        (["show", "{binary}"], "not a text file"),
        (["show", "{folder}"], "it is a folder without kernels"),
        (["check", "{model}"], "holds a captured model and not a saved plan"),
        (["check", "{newer}"], "format version 2, this one reads up to 1"),
        (["check", "{truncated}"], "not valid JSON"),
        (["check", "{incomplete}"], "do not fit"),
        (["verify", "{plan}", "--cores", "4"], "--cores has no effect"),
        (["export", "{plan}", "--format", "nope", "-o", "x"], "plan-json"),
        (["examples", "more"], "unrecognized arguments: more"),
        (["compil", "mlp"], "which may mean compile"),
        (["one", "two"], "there is no command or file one"),
        (["--size", "1x0"], "not WIDTHxHEIGHT"),
        (["--screenshot", "{folder}/none/x.png"], "there is no folder"),
    ],
)
def test_bad_input_ends_in_one_sentence(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, words: list[str], sentence: str
) -> None:
    places = _bad_files(tmp_path)
    refused = Outcome(capsys, *(word.format(**places) for word in words)).refused()
    assert sentence in refused
    assert refused.endswith(".")


def _bad_files(folder: Path) -> dict[str, Path]:
    """Files by the name that the test uses; some are broken on purpose."""
    plan = write_plan(folder, compiled())
    text = plan.read_text("utf-8")
    contents = {
        "empty": "",
        "script": "import sys\n",
        "newer": text.replace('"version": 1', '"version": 2', 1),
        "truncated": text[: len(text) // 2],
        "device": 'name = "mine"\ntitle = "Mine"\n[elements_per_stick]\nf16 = 64\n',
        "pins": '{"version": 1}',
        "incomplete": text.replace('"verdicts":', '"verdict":', 1),
    }
    places = {"folder": folder, "model": write_model(folder), "plan": plan, "binary": folder / "binary"}
    places["binary"].write_bytes(b"\xff\xfe\x00")
    for name, content in contents.items():
        places[name] = folder / f"{name}.py"
        places[name].write_text(content, encoding="utf-8")
    return places


@pytest.mark.parametrize("command", ["compile", "capture"])
def test_a_result_for_stdout_has_it_alone(capfd: pytest.CaptureFixture[str], model: Path, command: str) -> None:
    assert main([command, str(model), "-o", "-"]) == 0
    out, err = capfd.readouterr()
    assert json.loads(out)["kind"] == {"compile": "compilation", "capture": "model"}[command]
    assert "softmax" in err


def test_bad_output_is_refused_before_the_work(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, model: Path
) -> None:
    def work(*_: object) -> None:
        pytest.fail("the work began")

    monkeypatch.setattr("spyre_studio.tasks.capture", work)
    for command in ("compile", "capture"):
        Outcome(capsys, command, model, "-o", model).refused()
        Outcome(capsys, command, model, "-o", model / "x").refused()


def test_a_mistake_in_the_model_process_is_told_by_its_last_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, plan: Path
) -> None:
    def broken(*_: object) -> None:
        raise ModelProcessError("Traceback (most recent call last):\n  File x, line 3\nKeyError: 'of all things'\n")

    monkeypatch.setattr("spyre_studio.tasks.check_plan", broken)
    sentence = Outcome(capsys, "check", plan).refused()
    assert "made a mistake of its own (KeyError: 'of all things'); report it with" in sentence
    assert "line 3" in (cache_folder() / "last-error.txt").read_text("utf-8")


def test_a_mistake_of_ours_is_told_without_a_traceback(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, plan: Path
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("of all things")

    monkeypatch.setattr("spyre_studio.tasks.check_plan", broken)
    sentence = Outcome(capsys, "check", plan).refused()
    assert "ZeroDivisionError: of all things" in sentence
    kept = Path(sentence.rpartition(" ")[2].rstrip("."))
    kept = kept if kept.exists() else kept.with_suffix(".txt")
    assert "Traceback" in kept.read_text("utf-8")


def test_an_interrupt_ends_quietly(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, plan: Path
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("spyre_studio.tasks.check_plan", interrupted)
    done = Outcome(capsys, "check", plan)
    assert (done.code, done.out, done.err) == (130, "", "")


def test_whether_there_is_a_display() -> None:
    assert not has_display(frozendict(), "linux")
    assert not has_display(frozendict(DISPLAY=""), "linux")
    assert has_display(frozendict(DISPLAY=":0"), "linux")
    assert has_display(frozendict(WAYLAND_DISPLAY="wayland-0"), "linux")
    assert has_display(frozendict(QT_QPA_PLATFORM="offscreen"), "linux")
    assert has_display(frozendict(), "darwin")


def test_no_display_is_said_in_one_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    assert "there is no display" in Outcome(capsys, "softmax").refused()


def test_as_a_process(plan: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "spyre_studio", "check", plan], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0].split() == ["coverage", "ok"]


def test_a_reader_that_has_seen_enough_is_no_error(plan: Path) -> None:
    command = [sys.executable, "-m", "spyre_studio", "show", str(plan), "--part", "all"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


def _write(path: Path, document: dict[str, object]) -> Path:
    path.write_text(json.dumps(document), encoding="utf-8")
    return path
