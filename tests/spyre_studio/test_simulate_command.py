"""`spyre-studio simulate`: what it prints and writes, and what it refuses."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from compiler.codec import from_json, to_json
from compiler.compilation import Compilation, Verdict
from compiler.machine import NO_MACHINE
from compiler.plan import Slot
from simulator.timing.simulate import simulate
from simulator.trace import Trace, Traffic
from simulator.trace_file import load_trace, save_trace
from spyre_studio.opinions import opinions, opinions_document
from spyre_studio.run_summary import describe, summary
from spyre_studio.units import format_percent
from tests.spyre_studio.command_line import Outcome
from tests.spyre_studio.plans import compiled, write_model, write_plan

STEPS = ["max", "sub", "exp", "sum", "truediv"]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return write_model(tmp_path)


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    return write_plan(tmp_path, compiled(cores=4))


def test_a_summary_for_people(capsys: pytest.CaptureFixture[str], plan: Path) -> None:
    done = Outcome(capsys, "simulate", plan)
    assert (done.code, done.err) == (0, "")
    first, *rest = done.out.splitlines()
    assert first.endswith("on spyre, 4 cores")
    titles = [line[2:12].strip() for line in rest if line[2:12].strip()]
    assert titles == [
        *("simulated", "kernels", "bound by", "units", "LX", "traffic", "waits", "longest", "compared", "apart"),
    ]
    assert any("dma_in" in line and "%" in line for line in rest)
    assert all(any(step in line for line in rest) for step in STEPS)


def test_a_model_is_planned_first(capsys: pytest.CaptureFixture[str], model: Path) -> None:
    document = Outcome(capsys, "simulate", model, "--cores", 4, "--json").json
    assert document["cores"] == 4
    assert document == Outcome(capsys, "simulate", write_plan(model.parent, compiled(cores=4)), "--json").json


def test_the_document_says_what_others_rely_on(capsys: pytest.CaptureFixture[str], plan: Path) -> None:
    document = Outcome(capsys, "simulate", plan, "--json").json
    assert set(document) == {
        *("model", "device", "cores", "pipeline", "total_us", "predicted_us", "kernels", "steps", "bound", "units"),
        *("lx", "traffic", "stalls", "critical_path", "tiles", "opinions"),
    }
    assert list(document) == [*summary(compiled(cores=4), trace_of_plan()), "opinions"]
    assert document["opinions"] == opinions_document(opinions(compiled(cores=4), trace_of_plan()))


def trace_of_plan() -> Trace:
    """The run of the plan that most tests use."""
    made = compiled(cores=4)
    return simulate(made.program, made.problem.device)


def test_figures_are_those_of_the_trace() -> None:
    made, trace = compiled(cores=4), trace_of_plan()
    document = json.loads(json.dumps(summary(made, trace)))
    assert document["total_us"] == trace.total_ps / 1e6
    assert document["predicted_us"] == made.cost.total_us
    steps = document["steps"]
    assert [step["name"] for step in steps] == STEPS
    assert sum(step["read_bytes"] for step in steps) == document["traffic"]["read_bytes"]
    assert steps[-1]["written_bytes"] == document["traffic"]["written_bytes"] == 128 * 256 * 2
    assert all(step["start_us"] + step["simulated_us"] <= document["total_us"] + 1e-9 for step in steps)
    assert {step["kernel"] for step in steps} == {kernel["name"] for kernel in document["kernels"]}
    assert [step["cores"] for step in steps] == [4] * 5
    assert sum(document["bound"].values()) == pytest.approx(1)
    path = document["critical_path"]
    assert path[0]["start_us"] == 0
    assert sum(link["simulated_us"] for link in path) == pytest.approx(document["total_us"])
    assert [unit["name"] for unit in document["units"]] == list(trace.units[:-1])
    assert all(0 <= unit["least"] <= unit["mean"] <= unit["most"] <= 1 for unit in document["units"])
    assert document["lx"]["peak_bytes"] == max(use.peak_bytes for use in trace.lx)
    assert 0 < sum(stall["share"] for stall in document["stalls"]) < 1
    assert document["tiles"] == trace.spans.tiles


def test_what_device_memory_moves_is_told_beside_what_reaches_the_cores_and_goes_over_the_ring() -> None:
    """A load that four cores share counts once on one side and four times on the other; partial sums are on the ring,
    whatever they are for."""
    made, trace = compiled(cores=4), trace_of_plan()
    rows = (
        Traffic(0, 0, False, "shared", 1024, 4096),
        Traffic(0, 0, False, "own", 512, 512),
        Traffic(0, 0, False, "lx", 0, 7777),
        Traffic(0, 0, True, "own", 256, 256),
        Traffic(1, 0, False, "ring", 2048, 2048),
        Traffic(1, 0, True, "ring", 1024, 1024),
    )
    counted = replace(trace, traffic=rows)
    document = summary(made, counted)
    assert document["traffic"] == {
        "read_bytes": 1536,
        "delivered_bytes": 4608,
        "written_bytes": 256,
        "ring_bytes": 3072,
    }
    steps = document["steps"]
    assert isinstance(steps, list)
    kinds = ("read_bytes", "delivered_bytes", "written_bytes", "ring_bytes")
    assert [[step[kind] for kind in kinds] for step in steps[:2]] == [[1536, 4608, 256, 0], [0, 0, 0, 3072]]
    told = "1.50 KiB read (moved by device memory; 4.50 KiB delivered to cores), 256 B written, 3 KiB over the ring"
    assert any(line.endswith(told) for line in describe(made, counted)), describe(made, counted)


def test_the_longest_are_told_first_and_what_is_too_small_to_tell_is_left_out() -> None:
    made, trace = compiled(cores=4), trace_of_plan()
    lines = describe(made, trace)
    longest = lines[next(place for place, line in enumerate(lines) if "longest" in line) :]
    assert len(longest) == len(STEPS)
    took = {step["name"]: step["simulated_us"] for step in summary(made, trace)["steps"]}  # type: ignore[attr-defined]
    names = [line[13:].split()[0] for line in longest]
    assert names == sorted(STEPS, key=lambda name: -took[name])
    assert not any("ring" in line for line in lines), "nothing goes over the ring"


def test_how_much_of_lx_lies_unused_between_buffers_is_told() -> None:
    made, trace = compiled(cores=4), trace_of_plan()
    share = max(one.fragmentation for one in trace.lx)
    assert share > 0.01
    (line,) = [line for line in describe(made, trace) if line.startswith("  LX ")]
    assert line.endswith(f"; of the bytes below the highest address in use, at most {format_percent(share)} unused")
    whole = replace(trace, lx=tuple(replace(one, fragmentation=0.0) for one in trace.lx))
    assert not any("unused" in line for line in describe(made, whole))


def test_times_are_written_in_one_form() -> None:
    made, trace = compiled(cores=4), trace_of_plan()
    longest = [line for line in describe(made, trace) if " exp " in line]
    took = next(step["simulated_us"] for step in summary(made, trace)["steps"] if step["name"] == "exp")  # type: ignore[attr-defined]
    assert took < 1
    assert f"{1000 * took:.1f} ns" in longest[0]


@pytest.mark.parametrize("name", ["trace.json", "trace.JSON", "trace"])
def test_events_are_written(capsys: pytest.CaptureFixture[str], plan: Path, name: str) -> None:
    out = plan.with_name(name)
    done = Outcome(capsys, "simulate", plan, "-o", out)
    assert (done.code, done.err) == (0, "")
    events = json.loads(out.read_text("utf-8"))["traceEvents"]
    assert Counter(event.get("cat") for event in events)["step"] == 5 * 4
    assert sum(event.get("cat") in {"dma_in", "sfp", "dma_out"} for event in events) > 20


def test_steps_only(capsys: pytest.CaptureFixture[str], plan: Path) -> None:
    out = plan.with_name("trace.json")
    assert Outcome(capsys, "simulate", plan, "-o", out, "--detail", "steps").err == ""
    assert {event.get("cat") for event in json.loads(out.read_text("utf-8"))["traceEvents"]} == {
        *("__metadata", "kernel", "critical", "step", "wait", "lx"),
    }


def test_events_to_stdout_leave_the_summary_on_stderr(capsys: pytest.CaptureFixture[str], plan: Path) -> None:
    done = Outcome(capsys, "simulate", plan, "-o", "-")
    assert json.loads(done.out)["displayTimeUnit"] == "ns"
    assert "simulated" in done.err


def test_columns_are_written(capsys: pytest.CaptureFixture[str], plan: Path) -> None:
    out, known = plan.with_name("run.npz"), plan.with_name("known.npz")
    assert Outcome(capsys, "simulate", plan, "-o", out).code == 0
    save_trace(trace_of_plan(), known)
    assert out.read_bytes() == known.read_bytes()
    assert load_trace(out).steps == tuple(STEPS)


def test_very_many_tiles_are_left_out_and_that_is_said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, plan: Path
) -> None:
    monkeypatch.setattr("simulator.perfetto.FEW_SPANS", 10)
    out = plan.with_name("trace.json")
    done = Outcome(capsys, "simulate", plan, "-o", out)
    assert done.err.startswith(f"note: {out} holds steps and waits; its ")
    assert done.err.strip().endswith("tiles were left out, --detail tiles writes them all")
    few = len(json.loads(out.read_text("utf-8"))["traceEvents"])
    assert Outcome(capsys, "simulate", plan, "-o", out, "--detail", "tiles").err == ""
    assert len(json.loads(out.read_text("utf-8"))["traceEvents"]) == few + trace_of_plan().spans.tiles


def refused(folder: Path) -> Path:
    """A plan that a check refuses: a tensor lies beyond the end of LX."""
    whole = compiled()
    slot = whole.plan.placement["exp"]
    assert isinstance(slot, Slot)
    outside = replace(slot, address=whole.problem.device.lx_budget_bytes)
    plan = replace(whole.plan, placement=whole.plan.placement.set("exp", outside))
    return write_plan(folder, replace(whole, plan=plan))


def test_a_plan_that_a_check_refuses_is_not_simulated(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "trace.json"
    assert "failed the check" in Outcome(capsys, "simulate", refused(tmp_path), "-o", out).refused()
    assert not out.exists()


def test_a_fresh_plan_that_a_check_refuses_is_not_simulated(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, model: Path
) -> None:
    made = replace(compiled(), verdicts=(Verdict("budget", ok=False, violations=("too much",)),))
    monkeypatch.setattr("spyre_studio.tasks.compile_model", lambda *_: made)
    assert "failed the check 'budget' (too much)" in Outcome(capsys, "simulate", model).refused()


def test_a_device_without_a_machine_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    made = compiled()
    bare = replace(made, problem=replace(made.problem, device=replace(made.problem.device, machine=NO_MACHINE)))
    assert from_json(Compilation, to_json(bare)).problem.device.machine == NO_MACHINE
    assert "machine" in Outcome(capsys, "simulate", write_plan(tmp_path, bare)).refused()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["{plan}", "--cores", "2"], "a saved plan is simulated as it is, so that --cores has no effect"),
        (["{plan}", "--detail", "tiles"], "--detail: it says what is written, and nothing is"),
        (["{plan}", "-o", "run.npz", "--detail", "tiles"], "a .npz file always holds everything"),
        (["{plan}", "-o", "-", "--json"], "both the trace and --json would go to stdout"),
        (["{plan}", "-o", "{plan}"], "it is read by this command, and would be lost"),
        (["{plan}", "-o", "/none/trace.json"], "there is no folder /none"),
        (["{plan}", "-o", ""], "the name of the file to write is empty"),
        (["none.json"], "there is no such file"),
    ],
)
def test_what_cannot_be_done_is_a_sentence(
    capsys: pytest.CaptureFixture[str], plan: Path, words: list[str], sentence: str
) -> None:
    done = Outcome(capsys, "simulate", *(word.format(plan=plan) for word in words))
    assert sentence in done.refused()


@pytest.mark.parametrize("name", ["trace.json", "run.npz"])
def test_a_file_that_cannot_be_finished_leaves_the_old_one(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, plan: Path, name: str
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    for writer in ("save_trace", "write_events"):
        monkeypatch.setattr(f"spyre_studio.commands.simulate.{writer}", full)
    out = plan.with_name(name)
    out.write_text("old", encoding="utf-8")
    assert "it cannot be written (No space left on device)" in Outcome(capsys, "simulate", plan, "-o", out).refused()
    assert out.read_text("utf-8") == "old"
    assert {path.name for path in plan.parent.iterdir()} == {plan.name, name}


def test_a_refused_pin_is_a_finding(capsys: pytest.CaptureFixture[str], model: Path) -> None:
    pins = model.with_name("pins.json")
    pins.write_text(json.dumps({"version": 1, "division": {"sum": {"i": 5}}}), encoding="utf-8")
    done = Outcome(capsys, "simulate", model, "--pins", pins)
    assert done.code == 1
    assert "pin division:sum refused" in done.err
    assert "simulated" in done.out


def test_choices_are_words_that_can_be_typed(capsys: pytest.CaptureFixture[str], plan: Path) -> None:
    refused = Outcome(capsys, "simulate", plan, "-o", "x.json", "--detail", "bogus").refused()
    assert "(choose from 'tiles', 'steps')" in refused
