"""Saved plans that somebody edited: one key is deleted, renamed or changed, and every command refuses the document in a
sentence or answers as for a plan that holds."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from compiler.codec import to_json, unstructure
from compiler.compilation import Compilation
from compiler.errors import StudioError
from compiler.loops import LoopProgram
from compiler.pipelines import PIPELINES
from simulator.report import VerifyReport
from spyre_studio import tasks
from spyre_studio.prepared import prepared
from spyre_studio.reporter import Silent
from spyre_studio.request import open_request
from tests.programs import attention, softmax, transposed
from tests.sketch import Sketch
from tests.spyre_studio.command_line import Outcome
from tests.spyre_studio.plans import compiled, divided, write_plan

Plain = Any  # JSON data of any shape
Path_ = tuple[str | int, ...]
QUICK = PIPELINES["co-optimized"].replace("cp-sat seconds=10.0", "greedy seconds=0.3")
AGREES = VerifyReport("m", "spyre", 32, poison=True, outputs=(), steps=(), fault="", seconds=0.0)
DECIDED = ("plan", "plan", "plan", "program", "cost", "verdicts", "solver", "log", "problem")
"""Where edits are drawn from: decisions three times as often as anything else."""


def turned() -> LoopProgram:
    """A sum of a tensor and its transpose, one of which has to be copied."""
    sketch = Sketch()
    x = sketch.apply("neg", sketch.input("x", 128, 192))
    sketch.apply("relu", sketch.apply("add", x, transposed(sketch.input("y", 192, 128))))
    return sketch.program()


@cache
def plan_of(name: str) -> Compilation:
    """Staged with a copy, searched, co-optimised, and proved to be the best."""
    if name == "staged":
        return compiled(program=turned())
    if name == "proved":
        return compiled(program=softmax(64, 128), pipeline="co-optimized")
    if name == "searched":
        return compiled(program=softmax(64, 128), pipeline="searched")
    return compiled(program=attention(2, 64, 64), pipeline=QUICK)


@pytest.fixture(autouse=True)
def agreeing(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is let through to the simulator agrees."""
    monkeypatch.setattr("spyre_studio.tasks.verify", lambda *_: AGREES)


def places(plain: Plain, place: Path_ = ()) -> Iterator[Path_]:
    """Every key of a document."""
    entries = plain.items() if isinstance(plain, dict) else enumerate(plain) if isinstance(plain, list) else ()
    for key, value in entries:
        yield (*place, key)
        yield from places(value, (*place, key))


def at(plain: Plain, place: Path_) -> Plain:
    for key in place:
        plain = plain[key]
    return plain


def edit(plain: Plain, place: Path_, draw: random.Random) -> None:
    """Delete, rename or change one key."""
    parent, key = at(plain, place[:-1]), place[-1]
    what, value = draw.choice(("delete", "rename", "change")), parent[key]
    if what == "delete":
        del parent[key]
    elif what == "rename" and isinstance(parent, dict):
        entries = [(f"{name}x" if name == key else name, item) for name, item in parent.items()]
        parent.clear()
        parent.update(entries)
    else:
        parent[key] = changed(value, draw)


def changed(value: Plain, draw: random.Random) -> Plain:
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return draw.choice((value + 1, -1, 0, 2 * value, 1 << 40))
    if isinstance(value, float):
        return draw.choice((value + 1, value * 1.01, -1.0))
    if isinstance(value, str):
        return draw.choice((f"{value}x", "", "q"))
    return type(value)() if isinstance(value, list | dict) else 0


def sampled(plain: Plain, draw: random.Random) -> Path_:
    """A place, so that every table is as likely as another, however long it is."""
    tables: dict[tuple[str | int, ...], list[Path_]] = {}
    top = draw.choice(DECIDED)
    for place in places(plain[top], (top,)):
        tables.setdefault((*place[:2], len(place)), []).append(place)
    return draw.choice(tables[draw.choice([*tables])])


def opened(path: Path) -> int:
    """The exit code that the window would have: it opens the plan, or says why not."""
    try:
        whole = tasks.open_any(str(path), Silent())
        assert isinstance(whole, Compilation)
        prepared(whole)
        open_request(str(path), "plan").read(json.loads(json.dumps(unstructure(whole))))
    except StudioError:
        return 2
    return 0


@pytest.mark.parametrize("batch", range(6))
@pytest.mark.parametrize("name", ["staged", "searched", "co-optimized"])
def test_an_edit_is_refused_or_harmless(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str, batch: int
) -> None:
    whole = plan_of(name)
    sound = write_plan(tmp_path, whole, "sound.json")
    document, path = json.loads(to_json(whole)), tmp_path / "plan.json"
    draw = random.Random(f"{name}{batch}")
    for _ in range(6):
        broken = copy.deepcopy(document)
        place = sampled(broken["value"], draw)
        edit(broken["value"], place, draw)
        path.write_text(json.dumps(broken), encoding="utf-8")
        op, buffer = draw.choice([*whole.plan.divisions]), draw.choice([*whole.plan.layouts])
        done = {
            words[0]: Outcome(capsys, *words)
            for words in (
                ("check", path),
                ("show", path),
                ("why", path, buffer) if draw.random() < 0.5 else ("why", path, op, "--op"),
                ("diff", sound, path),
                ("export", path, "--format", "program-text", "-o", "-"),
                ("verify", path),
            )
        }
        told = "".join(one.err for one in done.values())
        assert "mistake of its own" not in told, f"{place}: {told}"
        codes = [one.code for one in done.values()]
        wanted = {0: [0] * 6, 1: [1, 1, 2, 2, 2, 2], 2: [2] * 6}[done["check"].code]
        assert (codes, opened(path)) == (wanted, wanted[-1]), f"{place}: {told}"


def stated(place: str, value: Plain) -> Callable[[Plain], None]:
    """An edit of one value."""

    def change(plain: Plain) -> None:
        keys = [int(key) if key.lstrip("-").isdigit() else key for key in place.split("|")]
        at(plain, tuple(keys[:-1]))[keys[-1]] = value

    return change


def renamed(table: str, old: str) -> Callable[[Plain], None]:
    """A decision under another name."""

    def change(plain: Plain) -> None:
        plain["plan"][table][f"{old}x"] = plain["plan"][table].pop(old)

    return change


EDITS: list[tuple[Callable[[Plain], None], str, str]] = [
    (stated("cost|total_us", 1.0), "cost", "the costs are not those of the plan: total_us is 1.0 and not "),
    (stated("cost|kernels|0|total_us", 0.0), "cost", "the costs are not those of the plan: kernels["),
    (stated("cost|steps|0|terms", []), "cost", "terms has 0 entries and not "),
    (stated("solver|objective_us", 1.0), "record", "the objective_us of its solver is 1, plan and claims make it "),
    (stated("solver|bound_us", 1.0), "record", "the bound_us of its solver is 1, plan and claims make it "),
    (stated("solver|gap", 0.5), "record", "the gap of its solver is 0.5, its claims make it "),
    (
        stated("solver|status", "magic"),
        "record",
        "the status of its solver is 'magic', which its claims do not bear out",
    ),
    (
        stated("solver|status", "within gap"),
        "record",
        "the status of its solver is 'within gap', which its claims do not bear",
    ),
    (stated("solver|name", "magic"), "record", "its solver is 'magic', not "),
    (
        stated("plan|claims|assign-layouts|bound", 10**9),
        "record",
        "the claim of assign-layouts has the bound 1,000,000,000 for",
    ),
    (
        stated("plan|claims|assign-layouts|states", 10**9),
        "record",
        "the claim of assign-layouts is not the one that the log",
    ),
    (
        stated("plan|claims|co-optimize|objective", 5),
        "record",
        "the claim of co-optimize is for 5 ns, which the plan does not",
    ),
    (
        stated("plan|claims|co-optimize|bound", 5),
        "record",
        "the claim of co-optimize is not the one that the log tells",
    ),
    (stated("verdicts|0|ok", False), "record", "its verdict of the check coverage is not what the check finds"),
    (
        stated("verdicts|3|violations", ["too large"]),
        "record",
        "its verdict of the check budget is not what the check finds",
    ),
    (stated("verdicts|3|check", "taste"), "record", "it has no verdict of the check budget"),
    (stated("verdicts|3|check", "coverage"), "record", "it has two verdicts of one check"),
    (stated("plan|claims", {}), "record", "the log tells of a claim of assign-layouts, which the plan does not have"),
    (stated("verdicts", []), "record", "it has no verdict of the check coverage"),
    (stated("plan|pipeline", "magic"), "record", "its pipeline cannot be read: there is no such pass"),
    (stated("plan|pipeline", "reduce-span"), "record", "its log is not that of its pipeline"),
    (
        stated("program|tensors|0|address", 128),
        "program",
        "the program is not the one that the plan describes: tensors[",
    ),
    (
        stated("program|kernels|0|ops|0|slices", []),
        "program",
        "the program is not the one that the plan describes: kern",
    ),
    (renamed("divisions", "exp"), "coverage", "exp has no division"),
    (renamed("placement", "exp"), "coverage", "exp has no placement"),
    (renamed("layouts", "exp"), "coverage", "exp has no layout"),
    (stated("plan|divisions", {}), "coverage", "has no division"),
    (stated("plan|kernels", []), "edits", "is in 0 kernels"),
]


@pytest.mark.parametrize(("change", "check", "words"), EDITS, ids=[words for *_, words in EDITS])
def test_what_an_edit_makes_untrue_is_found(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, change: Callable[[Plain], None], check: str, words: str
) -> None:
    """`check` finds it; nothing passes on what the file still says, and every command says in a sentence why."""
    document = json.loads(to_json(plan_of("proved")))
    change(document["value"])
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    found = Outcome(capsys, "check", path)
    assert found.code == 1
    assert f"{check:<10} failed" in found.out
    assert words in found.out
    assert found.err.strip() == f"{path}: the plan cannot be used as it is; compile the model again with its pins."
    show = Outcome(capsys, "show", path)
    assert show.code == 1
    assert "check      failed" in show.out
    assert "the plan failed the check '" in show.err
    for verb in (("verify",), ("export", "--format", "plan-json", "-o", "-"), ("why", "q"), ("diff", path)):
        refused = Outcome(capsys, verb[0], path, *verb[1:]).refused()
        assert "failed the check '" in refused
        assert refused.endswith("compile the model again with its pins, or list all faults with `spyre-studio check`.")
    assert opened(path) == 2


def test_show_tells_what_the_plan_costs(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Not what a file says of it; nor a bound that nobody can vouch for."""
    whole = plan_of("proved")
    assert whole.solver.bound_us > 0
    sound = Outcome(capsys, "show", write_plan(tmp_path, whole)).out
    document = json.loads(to_json(whole))
    document["value"]["cost"]["total_us"] = document["value"]["solver"]["objective_us"] = 1.0
    document["value"]["solver"]["bound_us"] = 1.0
    document["value"]["program"]["lx_bytes"] = 0
    path = tmp_path / "edited.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    edited = Outcome(capsys, "show", path).out
    head = [line for line in sound.splitlines() if line.startswith("#") and "  plan  " not in line]
    head[-1] = head[-1].replace("ok", "failed: program, cost, record")
    told = [line for line in edited.splitlines() if line.startswith("#")]
    assert [line for line in told if "  plan  " not in line] == head
    assert not any("optimal" in line or "bound 1" in line for line in told)
    assert " 1.0 " not in Outcome(capsys, "show", path, "--part", "cost").out
    assert "check program failed" in Outcome(capsys, "show", path, "--part", "checks").out


def test_the_model_of_a_plan_that_is_refused_can_be_compiled(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    document = json.loads(to_json(plan_of("searched")))
    document["value"]["plan"]["divisions"] = {}
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    assert Outcome(capsys, "compile", path, "-o", tmp_path / "again.json").code == 0
    assert Outcome(capsys, "check", tmp_path / "again.json").code == 0
    assert Outcome(capsys, "show", path, "--part", "pins").code == 0


def test_a_plan_that_was_opened_and_saved_is_checked_as_before(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = write_plan(tmp_path, plan_of("staged"))
    whole = tasks.open_any(str(path), Silent())
    assert isinstance(whole, Compilation)
    again = write_plan(tmp_path, whole, "again.json")
    assert Outcome(capsys, "check", again).code == 0
    again.write_text(
        again.read_text("utf-8").replace('"check": "record", "ok": true', '"check": "record", "ok": false'), "utf-8"
    )
    done = Outcome(capsys, "check", again)
    assert done.code == 1
    assert "its verdict of the check record is not what the check finds" in done.out


def test_two_runs_with_the_same_input_are_the_same(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The documents differ in seconds only, and that is no difference between plans."""
    paths = []
    for number in range(2):
        made = compiled(divided("sum", i=4), program=softmax(64, 128), pipeline="searched")
        paths.append(write_plan(tmp_path, made, f"{number}.json"))
    texts = [timeless(json.loads(path.read_text("utf-8"))) for path in paths]
    assert texts[0] == texts[1]
    first = json.loads(paths[0].read_text("utf-8"))
    first["value"]["solver"]["seconds"] += 1.0
    first["value"]["log"][0]["seconds"] += 1.0
    paths[0].write_text(json.dumps(first), encoding="utf-8")
    assert Outcome(capsys, "check", paths[0]).code == 0
    assert Outcome(capsys, "diff", *paths).out == "no difference\n"
    assert Outcome(capsys, "diff", *paths, "--json").json["same"] is True


def timeless(plain: Plain) -> Plain:
    """A document without its `seconds`."""
    if isinstance(plain, list):
        return [timeless(item) for item in plain]
    if isinstance(plain, dict):
        return {key: timeless(item) for key, item in plain.items() if key != "seconds"}
    return plain
