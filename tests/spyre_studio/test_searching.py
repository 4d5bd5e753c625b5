"""A search as those see it who follow it: the worker's messages, the session, the terminal and the interrupt key."""

import json
import os
import pty
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot

import compiler
from compiler.watch import Finding
from spyre_studio.commands.interrupt import left_behind, run_aside
from spyre_studio.jobs import Jobs
from spyre_studio.python_process import environment
from spyre_studio.search_run import MOST, BestSoFar, SearchRun, finding_words, heard
from spyre_studio.session import Session
from spyre_studio.settings import Settings
from spyre_studio.throttle import Throttle
from tests.spyre_studio.plans import write_model
from tests.spyre_studio.seeking import BOUND_US, COMMAND, SEEKING, SOLVER, START_US, WORKER

PATIENCE_MS = 60_000
PATIENCE = 60


# Telling at most so often


class Time:
    """A clock that is set by hand, and timers that ring when they are told to."""

    def __init__(self) -> None:
        self.now = 0.0
        self.timers: list[tuple[float, Callable[[], None]]] = []
        self.told: list[int] = []

    def throttle(self) -> Throttle[int]:
        return Throttle(self.told.append, 0.1, lambda: self.now, lambda wait, act: self.timers.append((wait, act)))

    def ring(self, now: float) -> None:
        self.now = now
        _, act = self.timers.pop()
        act()


def test_the_newest_is_told_as_soon_as_it_may_be() -> None:
    time = Time()
    throttle = time.throttle()
    throttle.put(1)
    time.now = 0.03
    for value in (2, 3, 4):
        throttle.put(value)
    assert (time.told, [round(wait, 9) for wait, _ in time.timers]) == ([1], [0.07])
    time.ring(0.1)
    assert (time.told, time.timers) == ([1, 4], [])
    time.now = 0.3
    throttle.put(5)
    assert time.told == [1, 4, 5], "nothing was told lately"


def test_a_timer_that_is_late_does_not_tell_sooner_than_it_may() -> None:
    time = Time()
    throttle = time.throttle()
    throttle.put(1)
    throttle.put(2)
    time.now = 0.15
    throttle.put(3)
    throttle.put(4)
    assert time.told == [1, 3]
    time.ring(0.16)
    assert (time.told, [round(wait, 9) for wait, _ in time.timers]) == ([1, 3], [0.09])
    time.ring(0.25)
    assert time.told == [1, 3, 4]


def test_the_last_is_always_told_and_nothing_twice() -> None:
    time = Time()
    throttle = time.throttle()
    throttle.put(1)
    throttle.put(2)
    throttle.flush()
    assert time.told == [1, 2]
    time.ring(0.1)
    throttle.flush()
    assert time.told == [1, 2]


# History and words


def test_the_best_so_far_is_never_taken_back() -> None:
    told: list[Finding] = []
    best = BestSoFar(told.append)
    for objective, bound in ((300.0, -1.0), (240.0, 200.0), (305.0, -1.0), (236.0, 180.0), (234.0, 232.0)):
        best(Finding("cp-sat", objective, bound, len(told) / 10))
    assert [(one.objective_us, one.bound_us) for one in told] == [
        (300.0, -1.0),
        (240.0, 200.0),
        (240.0, 200.0),
        (236.0, 200.0),
        (234.0, 232.0),
    ]
    assert [one.seconds for one in told] == [0.0, 0.1, 0.2, 0.3, 0.4]
    best(Finding("annealing", 250.0, -1.0, 0.6))
    assert (told[-1].objective_us, told[-1].bound_us) == (250.0, -1.0)


def test_a_long_history_keeps_its_ends() -> None:
    run: SearchRun | None = None
    for number in range(10 * MOST):
        run = heard(run, Finding("s", 1000.0 - number, 0.0, float(number)))
    assert run is not None
    assert len(run.findings) <= MOST
    assert (run.findings[0].seconds, run.last.seconds) == (0.0, 10 * MOST - 1)
    times = [finding.seconds for finding in run.findings]
    assert times == sorted(set(times))


def test_an_end_that_was_asked_for_is_remembered() -> None:
    run = replace(heard(None, Finding("s", 2.0, 1.0, 0.1)), ending=True)
    assert heard(run, Finding("s", 1.5, 1.0, 0.2)).ending


# Worker and session


@pytest.fixture(scope="module")
def jobs(qapp: object) -> Iterator[Jobs]:
    shared = Jobs(WORKER)
    yield shared
    shared.shutdown()


@pytest.fixture
def session(qtbot: QtBot, jobs: Jobs, tmp_path: Path) -> Iterator[Session]:
    """A session with a plan on screen."""
    jobs.keep([])
    made = Session(jobs, Settings(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)))
    made.open(str(write_model(tmp_path)))
    qtbot.waitUntil(lambda: not made.busy, timeout=PATIENCE_MS)
    yield made
    made.cancel()


def searching(qtbot: QtBot, session: Session) -> SearchRun:
    """Start a search that ends when it is told to, and wait for some findings."""
    session.set_options("spyre", None, SEEKING)
    qtbot.waitUntil(lambda: session.search is not None and len(session.search.findings) >= 3, timeout=PATIENCE_MS)
    assert session.search is not None
    return session.search


def ending(session: Session) -> bool:
    return session.search is not None and session.search.ending


def test_findings_arrive_while_the_plan_stays(qtbot: QtBot, session: Session) -> None:
    before = session.compilation
    run = searching(qtbot, session)
    first, last = run.findings[0], run.last
    assert (first.solver, first.objective_us, first.bound_us, first.gap) == (SOLVER, START_US, -1.0, -1.0)
    assert last.bound_us == BOUND_US < last.objective_us < START_US
    seconds = [finding.seconds for finding in run.findings]
    assert all(later - sooner > 0.05 for sooner, later in pairwise(seconds))
    assert (session.compilation, session.busy) == (before, "seek")


def test_stop_keeps_the_best_so_far(qtbot: QtBot, session: Session) -> None:
    before = session.compilation
    searching(qtbot, session)
    session.stop()
    assert ending(session)
    qtbot.waitUntil(lambda: not session.busy, timeout=PATIENCE_MS)
    assert session.search is None
    assert session.compilation is not before
    assert session.run_id == "#2"


def test_cancel_keeps_the_plan_on_screen(qtbot: QtBot, session: Session) -> None:
    before = session.compilation
    searching(qtbot, session)
    session.cancel()
    assert (session.search, session.busy, session.compilation) == (None, "", before)
    assert session.stale
    session.stop()
    assert session.search is None


def test_the_newest_request_wins_over_a_search(qtbot: QtBot, session: Session) -> None:
    searching(qtbot, session)
    session.set_options("spyre", 4, "staged")
    assert session.search is None
    qtbot.waitUntil(lambda: not session.busy, timeout=PATIENCE_MS)
    assert session.compilation is not None
    assert session.compilation.plan.cores == 4


def test_questions_about_the_plan_on_screen_do_not_wait_for_a_search(qtbot: QtBot, session: Session) -> None:
    searching(qtbot, session)
    answers: list[object] = []
    session.request_candidates("max", answers.append)
    qtbot.waitUntil(lambda: bool(answers), timeout=PATIENCE_MS)
    assert session.busy == "seek"


def test_a_stopped_search_goes_on_when_it_is_asked_for_again(qtbot: QtBot, session: Session) -> None:
    session.resolve()
    assert (session.busy, session.run_id) == ("", "#1"), "a plan that is whole is not made twice"
    shown = session._shown
    assert shown is not None
    whole = shown.compilation
    solver = replace(whole.solver, status="stopped")
    shown.shared = replace(shown.shared, value=replace(whole, solver=solver))
    session.resolve()
    qtbot.waitUntil(lambda: not session.busy, timeout=PATIENCE_MS)
    assert session.run_id == "#2"


# The interrupt key


def pressed(stop: Callable[[], bool]) -> tuple[list[str], threading.Event]:
    """Work that presses the key twice and then goes on until it is cancelled."""
    told: list[str] = []
    cancelled = threading.Event()

    def work() -> None:
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGINT)
            asked.wait(PATIENCE)
            asked.clear()
        cancelled.wait(PATIENCE)

    asked = threading.Event()

    def stopping() -> bool:
        found = stop()
        told.append("stop" if found else "end")
        asked.set()
        return found

    with pytest.raises(KeyboardInterrupt):
        run_aside(work, stopping, cancelled.set)
    return told, cancelled


def test_the_first_press_stops_and_the_second_ends() -> None:
    answers = iter((True, False))
    told, cancelled = pressed(lambda: next(answers))
    assert told == ["stop", "end"]
    assert cancelled.is_set()
    assert not left_behind()


def test_no_solver_takes_the_key_for_itself() -> None:
    """CP-SAT does unless it is told not to, and ends the process where it runs on another thread than the main one."""
    for path in Path(compiler.__file__).parent.rglob("*.py"):
        text = path.read_text("utf-8")
        assert text.count("CpSolver()") == text.count("parameters.catch_sigint_signal = False"), path


def test_work_aside_gives_its_result_or_its_error() -> None:
    assert run_aside(lambda: 7, lambda: False, lambda: None) == 7
    with pytest.raises(ZeroDivisionError):
        run_aside(lambda: 1 // 0, lambda: False, lambda: None)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


class Typed:
    """The command line under a terminal of its own."""

    def __init__(self, *words: str) -> None:
        self.master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [*COMMAND, *words], stdout=subprocess.PIPE, stderr=slave, env=environment(), start_new_session=True
        )
        os.close(slave)
        self.seen = ""

    def until(self, words: str) -> None:
        """Read what is shown until it has these words."""
        while words not in self.seen:
            self.seen += os.read(self.master, 4096).decode()

    def press(self) -> None:
        self.process.send_signal(signal.SIGINT)

    def end(self) -> tuple[int, str]:
        """Exit code and stdout; the pictures on the terminal are read meanwhile."""
        reader = threading.Thread(target=self._drain)
        reader.start()
        out, _ = self.process.communicate(timeout=PATIENCE)
        reader.join(PATIENCE)
        os.close(self.master)
        return self.process.returncode, out.decode()

    def _drain(self) -> None:
        try:
            while piece := os.read(self.master, 4096):
                self.seen += piece.decode()
        except OSError:  # nobody writes any more
            return


@pytest.fixture
def model(tmp_path: Path) -> str:
    return str(write_model(tmp_path))


def test_a_terminal_shows_the_search_and_the_key_keeps_the_best(model: str) -> None:
    typed = Typed("compile", model, "--pipeline", SEEKING, "--seconds", "2.5", "--json")
    typed.until("gap")
    typed.press()
    code, out = typed.end()
    assert code == 0
    assert "no bound yet" in typed.seen
    assert f"bound {BOUND_US:.1f} µs" in typed.seen
    assert "stopping with the best plan so far" in typed.seen
    document = json.loads(out)
    assert document["solver"].keys() == {"name", "status", "objective_us", "bound_us", "gap", "seconds"}
    assert "seek{rounds=0 deaf=0 seconds=2.5}" in document["pipeline"]


def test_the_key_pressed_twice_ends_without_a_plan(model: str) -> None:
    typed = Typed("compile", model, "--pipeline", SEEKING.replace("seek", "seek{deaf=1}"))
    typed.until("gap")
    typed.press()
    typed.until("press again")
    typed.press()
    code, out = typed.end()
    assert (code, out) == (130, "")
    assert "Traceback" not in typed.seen


def test_the_key_ends_at_once_where_nothing_is_found_yet(model: str) -> None:
    typed = Typed("compile", model, "--pipeline", SEEKING.replace("seek", "seek{deaf=2}"))
    typed.until("seek")
    typed.press()
    code, out = typed.end()
    assert (code, out) == (130, "")


def test_words_of_a_search() -> None:
    assert finding_words(Finding("s", 1234.5, 1200.0, 1.0)) == "objective 1.23 ms · bound 1.20 ms · gap 2.8 %"
