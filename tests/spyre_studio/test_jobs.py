"""Jobs: the newest request of a channel wins, values travel once, and a worker that misbehaves is survived."""

import json
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest
from pytestqt.qtbot import QtBot

from compiler.compilation import Compilation, Verdict
from spyre_studio import jobs as jobs_module
from spyre_studio.failure import Failure
from spyre_studio.jobs import Jobs
from spyre_studio.request import (
    Request,
    Shared,
    check_request,
    export_request,
    layout_request,
    open_request,
    verify_request,
)
from spyre_studio.views.graph_layout import layout_graph
from tests.spyre_studio.graphs import decoder
from tests.spyre_studio.plans import captured, compiled, write_model, write_plan

T = TypeVar("T")
PATIENCE_MS = 60_000

# A worker of a few lines: says what it got, fails, dies, or keeps silent, as the task asks.
ODD = """
import json, os, sys
for line in sys.stdin:
    message = json.loads(line)
    number, task = message.get("id"), message.get("task")
    if task == "echo":
        print(json.dumps({"id": number, "result": message["arguments"]}), flush=True)
    elif task == "large":
        print(json.dumps({"id": number, "result": "x" * 1_000_000}), flush=True)
    elif task == "pieces":
        print(f"+{number} [1, 2]", "+99 [0]", f"+{number} [3]", sep="\\n")
        print(json.dumps({"id": number, "result": {"\\0pieces": [0, 1]}}), flush=True)
    elif task == "bug":
        print(json.dumps({"id": number, "bug": "Traceback\\n  line 1\\nKeyError: 'x'"}), flush=True)
    elif task == "die":
        print("last words", file=sys.stderr, flush=True)
        os.kill(os.getpid(), 9)
    elif task == "leave":
        sys.exit(3)
    elif task is None:
        print(json.dumps({"id": -1, "result": message}), flush=True)
"""


class Answers:
    """What became of requests, in order."""

    def __init__(self, qtbot: QtBot) -> None:
        self.qtbot = qtbot
        self.done: list[object] = []
        self.failures: list[Failure] = []

    def ask(self, jobs: Jobs, request: Request[T], channel: str = "a") -> None:
        jobs.submit(request, channel, self.done.append, self.failures.append)

    def wait(self, count: int = 1) -> None:
        self.qtbot.waitUntil(lambda: len(self.done) + len(self.failures) >= count, timeout=PATIENCE_MS)


@pytest.fixture
def answers(qtbot: QtBot) -> Answers:
    return Answers(qtbot)


@pytest.fixture
def odd(qtbot: QtBot) -> Iterator[Jobs]:
    jobs = Jobs([sys.executable, "-c", ODD])
    yield jobs
    jobs.shutdown()


@pytest.fixture(scope="module")
def real(qapp: object) -> Iterator[Jobs]:
    jobs = Jobs()
    yield jobs
    jobs.shutdown()


def ask(task: str, read: Callable[[object], object] = lambda plain: plain, **arguments: object) -> Request[object]:
    return Request(task, arguments, read)


def test_an_answer_is_read_and_delivered(odd: Jobs, answers: Answers) -> None:
    answers.ask(odd, ask("echo", json.dumps, a=1))
    assert odd.busy("a")
    answers.wait()
    assert answers.done == ['{"a": 1}']
    assert not odd.busy("a")


def test_an_answer_in_pieces_is_put_together_elsewhere(odd: Jobs, answers: Answers) -> None:
    threads: list[threading.Thread] = []

    def read(plain: object) -> object:
        threads.append(threading.current_thread())
        return plain

    answers.ask(odd, ask("pieces", read))
    answers.wait()
    assert answers.done == [[1, 2, 3]]
    assert threads[0] is not threading.main_thread()


def test_the_newest_request_of_a_channel_wins(odd: Jobs, answers: Answers) -> None:
    for number in range(5):
        answers.ask(odd, ask("echo", a=number), "same")
    answers.ask(odd, ask("echo", a="other"), "other")
    answers.wait(2)
    assert answers.done == [{"a": 4}, {"a": "other"}]


def test_a_cancelled_request_calls_nobody(odd: Jobs, answers: Answers) -> None:
    answers.ask(odd, ask("never"), "same")
    assert odd.cancel("same")
    assert not odd.cancel("same")
    answers.ask(odd, ask("echo"), "other")
    answers.wait()
    assert (answers.done, answers.failures) == ([{}], [])


def test_large_answers_are_read_elsewhere_and_keep_their_order(odd: Jobs, answers: Answers) -> None:
    threads: list[threading.Thread] = []

    def read(plain: object) -> object:
        threads.append(threading.current_thread())
        return len(str(plain))

    answers.ask(odd, ask("large", read), "a")
    answers.ask(odd, ask("large", read), "b")
    answers.ask(odd, ask("echo", read), "c")
    answers.wait(3)
    assert sorted(answers.done, key=str) == [1_000_000, 1_000_000, 2]
    main = [thread is threading.main_thread() for thread in threads]
    assert sorted(main) == [False, False, True]


def test_what_cannot_be_read_is_a_failure(odd: Jobs, answers: Answers) -> None:
    answers.ask(odd, Request("echo", {}, verify_request(shared_plan(), True).read), "small")
    answers.ask(odd, Request("large", {}, verify_request(shared_plan(), True).read), "large")
    answers.ask(odd, ask("large", lambda plain: 1 / 0), "bug")
    answers.wait(3)
    assert [failure.what for failure in answers.failures][:2] == ["the answer of the worker"] * 2
    assert "ZeroDivisionError" in answers.failures[2].why
    assert "Traceback" in answers.failures[2].details


def test_a_bug_of_the_worker_has_its_traceback_as_details(odd: Jobs, answers: Answers) -> None:
    answers.ask(odd, ask("bug"))
    answers.wait()
    assert "KeyError: 'x'" in answers.failures[0].sentence
    assert "line 1" in answers.failures[0].details
    assert "\n" not in answers.failures[0].sentence


@pytest.mark.parametrize(("task", "words"), [("die", "ended by signal 9"), ("leave", "ended with exit code 3")])
def test_a_dead_worker_is_said_once_and_started_again(odd: Jobs, answers: Answers, task: str, words: str) -> None:
    answers.ask(odd, ask(task), "a")
    answers.wait()
    (failure,) = answers.failures
    assert words in failure.sentence
    assert failure.details == ("last words" if task == "die" else "")
    answers.ask(odd, ask("echo", a=1), "a")
    answers.wait(2)
    assert answers.done == [{"a": 1}]


def test_a_worker_that_cannot_start_is_said_so(answers: Answers) -> None:
    jobs = Jobs(["/nowhere/python"])
    answers.ask(jobs, ask("echo"))
    answers.wait()
    assert "could not be started" in answers.failures[0].sentence
    jobs.shutdown()


def test_shutdown_drops_what_was_asked(odd: Jobs, answers: Answers) -> None:
    answers.ask(odd, ask("never"))
    odd.shutdown()
    assert (answers.done, answers.failures) == ([], [])
    odd.shutdown()


def shared_plan() -> Shared:
    return Shared("plan", compiled())


def test_a_shared_value_travels_once(odd: Jobs, answers: Answers) -> None:
    plan = shared_plan()
    for count in (1, 2, 3):
        if count == 3:
            odd.keep([])
        answers.ask(odd, ask("echo", plan=plan))
        answers.wait(count)
    sent = [set(answer["plan"]) for answer in answers.done]  # type: ignore[index]
    assert sent == [{"handle", "kind", "value"}, {"handle"}, {"handle", "kind", "value"}]


def test_a_new_worker_gets_the_shared_value_again(odd: Jobs, answers: Answers) -> None:
    plan = shared_plan()
    answers.ask(odd, ask("echo", plan=plan))
    answers.wait(1)
    answers.ask(odd, ask("die"))
    answers.wait(2)
    answers.ask(odd, ask("echo", plan=plan))
    answers.wait(3)
    assert all("value" in answer["plan"] for answer in answers.done)  # type: ignore[index]


def test_results_are_known_under_their_handle(real: Jobs, answers: Answers, tmp_path: Path) -> None:
    answers.ask(real, open_request(str(write_plan(tmp_path, compiled())), "kept"))
    answers.wait(1)
    whole = answers.done[0]
    assert isinstance(whole, Compilation)
    assert whole.plan == compiled().plan
    answers.ask(real, check_request(Shared("kept", replace(whole, verdicts=()))))  # only the handle travels
    answers.wait(2)
    verdicts = answers.done[1]
    assert isinstance(verdicts, tuple)
    assert all(isinstance(one, Verdict) and one.ok for one in verdicts)


def test_real_requests_round_trip(
    real: Jobs, answers: Answers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs_module, "PARSED_APART", 1)
    graph = decoder(2).graph()
    opened = frozenset({"layers", "layers.1"})
    answers.ask(real, layout_request(graph, opened), "layout")
    answers.ask(real, open_request(str(write_model(tmp_path)), ""), "open")
    answers.ask(real, export_request(Shared("p", compiled()), "plan-json", str(tmp_path / "no" / "x")), "export")
    answers.wait(3)
    layouts = [one for one in answers.done if not isinstance(one, type(captured()))]
    want = layout_graph(graph, opened)
    assert [getattr(layouts[0], name).tolist() for name in ("boxes", "links", "points")] == [
        getattr(want, name).tolist() for name in ("boxes", "links", "points")
    ]
    assert captured() in answers.done
    assert "cannot be written" in answers.failures[0].sentence
