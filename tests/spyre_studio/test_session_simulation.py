"""Asking for simulated runs with a real worker: what arrives, what is dropped, refused, and left behind."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot

from compiler.machine import NO_MACHINE
from simulator.timing.simulate import simulate
from spyre_studio import session_simulation
from spyre_studio.failure import Failure
from spyre_studio.jobs import Jobs
from spyre_studio.opinions import opinions
from spyre_studio.request import Shared
from spyre_studio.session import Session
from spyre_studio.session_simulation import PHASE
from spyre_studio.session_state import SIMULATE
from spyre_studio.settings import Settings
from spyre_studio.solved import Solved
from spyre_studio.step_opinion import SimulatedRun
from spyre_studio.timeline_data import timeline_of
from tests.programs import attention
from tests.spyre_studio.plans import compiled, divided, write_plan
from tests.spyre_studio.traces import made_trace

PATIENCE_MS = 60_000


@pytest.fixture
def session(qtbot: QtBot, jobs: Jobs, tmp_path: Path) -> Iterator[Session]:
    settings = Settings(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat))
    settings.set("resolve_automatically", False)
    made = Session(jobs, settings)
    made.open(str(write_plan(tmp_path, compiled(program=attention(2, 128, 64), cores=4))))
    qtbot.waitUntil(lambda: made.compilation is not None and not made.busy, timeout=PATIENCE_MS)
    yield made
    made.drop_simulation()
    made.end_simulations()


def entry_of(session: Session) -> Solved:
    assert session._shown is not None
    return session._shown


def settle(qtbot: QtBot, session: Session) -> None:
    qtbot.waitUntil(lambda: not session.busy, timeout=PATIENCE_MS)


def files_of(session: Session) -> list[Path]:
    assert session._folder is not None
    return list(Path(session._folder.name).iterdir())


def test_the_run_arrives_ready_to_be_drawn_and_its_file_goes(qtbot: QtBot, session: Session) -> None:
    told: list[str] = []
    session.progressed.connect(lambda _share, phase, _detail: told.append(phase))
    session.simulate()
    assert session.busy == PHASE
    settle(qtbot, session)
    data, plan = session.timeline, entry_of(session).compilation
    assert data is not None
    wanted = simulate(plan.program, plan.problem.device)
    assert data.trace.total_ps == wanted.total_ps
    assert np.array_equal(data.trace.spans.start_ps, wanted.spans.start_ps)
    assert data.trace.steps == wanted.steps
    found = opinions(plan, wanted).steps
    assert [(one.predicted_us, one.ratio, one.reason) for one in data.opinions] == [
        (one.predicted_us, one.ratio, one.reason) for one in found
    ]
    assert set(told) == {PHASE}
    assert files_of(session) == []
    folder = session._folder
    session.simulate()
    assert not session.simulating, "it is there already"
    session.end_simulations()
    assert folder is not None
    assert not Path(folder.name).exists()


def test_another_plan_drops_what_was_asked_about_the_one_before(qtbot: QtBot, session: Session) -> None:
    first = entry_of(session)
    session.simulate()
    other = compiled(pins=divided("max", b=2), program=attention(2, 128, 64), cores=4)
    session._show(Solved(first.asked, Shared("other", other), 2))
    assert not session.jobs.busy(SIMULATE)
    session.simulate()
    settle(qtbot, session)
    assert first.timeline is None
    assert session.timeline is entry_of(session).timeline
    assert session.timeline is not None


def test_cancelling_leaves_the_plan_without_a_run(qtbot: QtBot, session: Session) -> None:
    session.simulate()
    session.cancel()
    assert not session.busy
    assert not session.jobs.busy(SIMULATE)
    assert (session.timeline, session.not_simulated, session.failure) == (None, None, None)
    session.simulate()
    settle(qtbot, session)
    assert session.timeline is not None


def test_a_device_without_a_machine_is_refused_in_a_sentence(qtbot: QtBot, session: Session) -> None:
    entry = entry_of(session)
    problem = entry.compilation.problem
    bare = replace(entry.compilation, problem=replace(problem, device=replace(problem.device, machine=NO_MACHINE)))
    session._shown = Solved(entry.asked, replace(entry.shared, handle="bare", value=bare), 99)
    session.simulate()
    settle(qtbot, session)
    assert session.not_simulated is not None
    assert "machine" in session.not_simulated.sentence
    assert session.failure is None
    assert session.timeline is None


def test_a_trace_that_cannot_be_read_is_a_failure_and_not_a_crash(tmp_path: Path) -> None:
    broken = tmp_path / "run.npz"
    broken.write_bytes(b"no trace")
    found = session_simulation._read_run(SimulatedRun(str(broken), ()))
    assert isinstance(found, Failure)
    assert "trace" in found.what


def test_no_room_for_the_trace_is_told(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    def full() -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(session, "_fresh_path", full)
    session.simulate()
    assert session.not_simulated is not None
    assert "No space left" in session.not_simulated.why
    assert not session.simulating


def test_only_a_few_runs_are_kept(session: Session) -> None:
    shown = entry_of(session)
    runs = [Solved(shown.asked, shown.shared, number) for number in range(6)]
    for one in runs:
        session._simulated_to(one, timeline_of(made_trace(1, 2)))
    assert [one.timeline is not None for one in runs] == [False, False, True, True, True, True]
    session._simulated_to(runs[2], timeline_of(made_trace(1, 2)))
    assert runs[3].timeline is not None, "simulated again, not one more"
