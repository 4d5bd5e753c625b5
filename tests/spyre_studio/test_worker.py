"""The worker as a process: the protocol, bad requests, cancelling, shared values, and its end."""

import json
import queue
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from compiler.codec import structure, unstructure
from compiler.device import load_device
from compiler.layout_candidate import LayoutCandidate
from compiler.layout_candidates import layout_candidates
from compiler.pins import Pins
from compiler.text.document import to_text
from spyre_studio.pieces import PREFIX, join, read_line
from spyre_studio.python_process import command, environment
from spyre_studio.request import CompiledParts
from tests.spyre_studio.plans import compiled, divided, write_model, write_plan

PATIENCE = 60  # seconds; what is waited for takes well under one

Message = dict[str, object]


class Process:
    """A worker that is asked by hand."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            command("spyre_studio.worker"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(),
        )
        self.lines: queue.Queue[bytes] = queue.Queue()
        self.reader = threading.Thread(target=self._read)
        self.reader.start()
        self.number = 0

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line)

    def send(self, message: Message | str) -> None:
        assert self.process.stdin is not None
        text = message if isinstance(message, str) else json.dumps(message)
        self.process.stdin.write(text.encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, task: str, **arguments: object) -> int:
        return self.ask_with(task, arguments)

    def ask_with(self, task: str, arguments: Message, keep_as: str = "") -> int:
        self.number += 1
        self.send({"id": self.number, "task": task, "arguments": arguments, "keep_as": keep_as})
        return self.number

    def next(self) -> Message:
        """The next message, with the pieces of its result put together."""
        pieces: list[bytes] = []
        while (line := self.lines.get(timeout=PATIENCE)).startswith(PREFIX):
            pieces.append(read_line(line)[1])
        message = json.loads(line)
        assert isinstance(message, dict)
        return {**message, "result": join(message["result"], pieces)} if pieces else message

    def answer(self, number: int) -> Message:
        """The last message about a request, past its progress."""
        while True:
            message = self.next()
            if message["id"] == number and "progress" not in message:
                return message

    def close(self) -> int:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self.process.stdin.close()
        code = self.process.wait(PATIENCE)
        self.reader.join(PATIENCE)
        self.process.stdout.close()
        self.process.stderr.close()
        return code


@pytest.fixture(scope="module")
def worker() -> Iterator[Process]:
    process = Process()
    yield process
    assert process.close() == 0


@pytest.fixture
def model(worker: Process, tmp_path: Path) -> str:
    """A handle of an open model."""
    path = write_model(tmp_path)
    answer = worker.answer(worker.ask_with("open", {"spec": str(path)}, "model"))
    assert answer["result"]["program"]["name"] == "softmax"  # type: ignore[index]
    return "model"


def compile_arguments(model: object, pins: Pins | None = None) -> Message:
    return {
        "model": model,
        "device": unstructure(load_device("spyre")),
        "pins": unstructure(pins or Pins()),
        "pipeline": "staged",
        "seconds": None,
        "previous": None,
    }


def error_of(message: Message) -> dict[str, str]:
    error = message["error"]
    assert isinstance(error, dict)
    return error


def test_a_compilation_is_that_of_the_compiler(worker: Process, model: str) -> None:
    number = worker.ask_with("compile", compile_arguments({"handle": model}, divided("sum", i=4)))
    phases = []
    while "progress" in (message := worker.next()):
        assert message["id"] == number
        phases.append(message["phase"])
    parts = structure(CompiledParts, message["result"], "test")
    want = compiled(divided("sum", i=4))
    assert (parts.plan, parts.program, parts.cost) == (want.plan, want.program, want.cost)
    assert phases[0] == "assign-layouts"
    assert phases[-1] == "check"


def test_values_travel_once(worker: Process) -> None:
    whole = compiled()
    value = {"handle": "plan", "kind": "compilation", "value": unstructure(whole)}
    assert worker.answer(worker.ask("candidates", plan=value, op="sum"))["result"]
    again = worker.answer(worker.ask("check", plan={"handle": "plan"}))["result"]
    assert isinstance(again, list)
    assert all(verdict["ok"] for verdict in again)
    cut = worker.answer(worker.ask("layouts", plan={"handle": "plan"}, buffer="exp", follow=True))["result"]
    rows = structure(tuple[LayoutCandidate, ...], cut, "test")
    assert rows == layout_candidates(whole.problem, whole.plan, "exp")
    unknown = error_of(worker.answer(worker.ask("layouts", plan={"handle": "plan"}, buffer="exq", follow=False)))
    assert "the nearest names are exp, x" in unknown["why"]
    worker.send({"keep": []})
    gone = error_of(worker.answer(worker.ask("check", plan={"handle": "plan"})))
    assert "nothing is known under plan" in gone["why"]


def test_a_saved_plan_opens_with_fresh_verdicts(worker: Process, tmp_path: Path) -> None:
    path = write_plan(tmp_path, compiled())
    result = worker.answer(worker.ask("open", spec=str(path)))["result"]
    assert isinstance(result, dict)
    assert all(verdict["ok"] for verdict in result["verdicts"])
    assert [verdict["check"] for verdict in result["verdicts"]][-3:] == ["program", "cost", "record"]


def test_a_saved_plan_that_tells_other_verdicts_is_not_opened(worker: Process, tmp_path: Path) -> None:
    path = write_plan(tmp_path, compiled())
    path.write_text(path.read_text("utf-8").replace('"ok": true', '"ok": false'), encoding="utf-8")
    assert error_of(worker.answer(worker.ask("open", spec=str(path))))["why"] == (
        "the plan failed the check 'record' (its verdict of the check coverage is not what the check finds)"
    )


def test_exports_are_written(worker: Process, tmp_path: Path) -> None:
    whole = compiled()
    value = {"handle": "plan", "kind": "compilation", "value": unstructure(whole)}
    out = tmp_path / "out.txt"
    assert worker.answer(worker.ask("export", plan=value, format="program-text", path=str(out)))["result"] == str(out)
    assert out.read_text("utf-8") == to_text(whole.program)
    refused = error_of(worker.answer(worker.ask("export", plan=value, format="nope", path=str(out))))
    assert "there is no such format" in refused["why"]


def test_layouts_are_made(worker: Process) -> None:
    graph = {"modules": ["a", "a", "b"], "edges": [[0, 1], [1, 2]], "hubs": [False, False, False]}
    result = worker.answer(worker.ask("layout", graph=graph, opened=["a"]))["result"]
    assert isinstance(result, dict)
    assert result["group_paths"] == ["", "a", "b"]
    assert result["boxes"]["shape"] == [3, 4]
    broken = error_of(worker.answer(worker.ask("layout", graph={"modules": ["a"], "edges": [[0, 9]]}, opened=[])))
    assert broken["what"] == "the graph"


@pytest.mark.parametrize(
    ("task", "arguments", "words"),
    [
        ("nope", {}, "there is no task nope"),
        ("open", {}, "its 'spec' is None"),
        ("open", {"spec": "nosuch"}, "the examples are"),
        ("open", {"spec": 4}, "its 'spec' is 4"),
        ("compile", {}, "its 'pipeline' is None"),
        ("candidates", {"plan": {"handle": "who"}, "op": "x"}, "nothing is known under who"),
        ("check", {"plan": {"handle": "x", "kind": "potato", "value": {}}}, "unknown kind"),
        ("check", {"plan": {"handle": "x", "kind": "compilation", "value": {}}}, "do not fit"),
        ("verify", {"plan": 3, "poison": True}, "its 'plan' is 3"),
    ],
)
def test_bad_requests_get_one_sentence(worker: Process, task: str, arguments: Message, words: str) -> None:
    error = error_of(worker.answer(worker.ask_with(task, arguments)))
    assert error.keys() == {"what", "why", "remedy"}
    assert words in " ".join(error.values())


@pytest.mark.parametrize("line", ["", "not json", "[]", "{}", '{"id": null}', '{"cancel": 99}', '{"keep": 3}'])
def test_lines_that_are_no_requests_do_no_harm(worker: Process, line: str) -> None:
    worker.send(line)
    graph: Message = {"modules": [], "edges": [], "hubs": []}
    assert "result" in worker.answer(worker.ask("layout", graph=graph, opened=[]))


@pytest.fixture
def endless(tmp_path: Path) -> str:
    """The spec of a model whose file never ends."""
    script = tmp_path / "endless.py"
    script.write_text("while True: pass\n", encoding="utf-8")
    return f"{script}:factory"


def test_cancelling_ends_the_model_process(worker: Process, endless: str) -> None:
    number = worker.ask("open", spec=endless)
    assert worker.next()["phase"] == "start"
    worker.send({"cancel": number})
    assert worker.answer(number) == {"id": number, "cancelled": True}


def test_a_request_that_waits_is_cancelled_too(worker: Process, endless: str) -> None:
    first, second = (worker.ask("open", spec=endless) for _ in range(2))
    worker.send({"cancel": second})
    worker.send({"cancel": first})
    assert worker.answer(first) == {"id": first, "cancelled": True}
    assert worker.answer(second) == {"id": second, "cancelled": True}


def test_what_waits_for_torch_does_not_hold_up_the_rest(worker: Process, endless: str) -> None:
    slow = worker.ask("open", spec=endless)
    graph: Message = {"modules": [], "edges": [], "hubs": []}
    assert "result" in worker.answer(worker.ask("layout", graph=graph, opened=[]))
    worker.send({"cancel": slow})
    assert worker.answer(slow) == {"id": slow, "cancelled": True}


def test_the_end_of_input_ends_the_worker_and_what_it_started(endless: str) -> None:
    process = Process()
    process.ask("open", spec=endless)
    assert process.next()["phase"] == "start"
    assert process.close() == 0
