"""A sweep in a session with a real worker: plan after plan, shown without being made again, dropped in time."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from compiler.pins import Pins
from spyre_studio.failure import Failure
from spyre_studio.session import Session
from spyre_studio.session_sweep import FETCH
from spyre_studio.sweep import Fault, Figures, Sweep
from tests.programs import product
from tests.spyre_studio.plans import write_model
from tests.spyre_studio.stage import quiet_settings


def settle(qtbot: QtBot, session: Session) -> None:
    qtbot.waitUntil(lambda: not session.busy and not session.jobs.busy(FETCH), timeout=60_000)


def swept(session: Session) -> Sweep:
    assert session.sweep is not None
    return session.sweep


def test_results_come_one_by_one(qtbot: QtBot, session: Session) -> None:
    counts: list[int] = []
    session.swept.connect(lambda: counts.append(len(swept(session).outcomes)))
    session.start_sweep("cores", ["4", "8", "32"])
    assert (session.busy, session.sweeping) == ("sweep", True)
    assert set(swept(session).outcomes) == {"32"}, "the plan on screen is known"
    settle(qtbot, session)
    assert sorted(set(counts)) == [1, 2, 3]
    assert not session.sweeping
    found = [swept(session).figures(key) for key in ("4", "8", "32")]
    assert all(isinstance(one, Figures) and one.ok for one in found)
    assert session.shown_setting == "32"
    assert session.compilation is not None
    assert swept(session).figures("32") == swept(session).outcomes["32"]


def test_a_plan_of_it_is_shown_as_one_step_and_not_made_again(qtbot: QtBot, session: Session) -> None:
    first, asked = session.compilation, []
    session.start_sweep("cores", ["8", "32"])
    settle(qtbot, session)
    session.progressed.connect(lambda _share, phase, _detail: asked.append(phase))
    session.show_setting("8")
    assert session.fetching == "8"
    settle(qtbot, session)
    assert session.fetching == ""
    assert asked == [], "nothing was compiled"
    shown = session.compilation
    assert shown is not None
    assert shown.plan.cores == 8
    assert shown.ok
    assert shown.cost.total_us == pytest.approx(getattr(swept(session).figures("8"), "total_us", -1))
    assert (session.options.cores, session.device.cores, session.stale) == (8, 8, False)
    assert session.shown_setting == "8"
    assert session.undo_stack.undoText() == "Show 8 cores"
    session.undo_stack.undo()
    assert session.compilation is first
    assert (session.options.cores, session.device.cores) == (None, 32)
    session.undo_stack.redo()
    assert session.compilation is shown
    assert session.undo_stack.count() == 1


def test_showing_what_is_shown_changes_nothing(qtbot: QtBot, session: Session) -> None:
    session.start_sweep("cores", ["32"])
    settle(qtbot, session)
    session.show_setting("32")
    session.show_setting("nosuch")
    assert session.undo_stack.count() == 0


def test_a_value_without_a_plan_does_not_end_the_sweep(qtbot: QtBot, session: Session) -> None:
    session.start_sweep("pipeline", ["divide-rest", "searched"])
    settle(qtbot, session)
    fault = swept(session).outcomes["divide-rest"]
    assert isinstance(fault, Fault)
    assert fault.sentence.endswith(".")
    assert swept(session).figures("searched") is not None
    assert session.failure is None


def test_a_knob_or_value_that_does_not_exist_is_told(session: Session) -> None:
    told: list[str] = []
    session.failed.connect(lambda what, _why, _remedy: told.append(what))
    session.start_sweep("cores", ["99"])
    session.start_sweep("weather")
    assert told == ["--cores 99", "knob weather"]
    assert session.sweep is None
    assert not session.busy


def test_the_splits_of_an_op(qtbot: QtBot, session: Session) -> None:
    session.start_sweep("op:sum")
    settle(qtbot, session)
    sweep = swept(session)
    assert len(sweep.settings) > 2
    assert not sweep.waiting
    assert sweep.title == "Splits of sum"
    other = next(one for one in sweep.settings if not one.now)
    session.show_setting(other.key)
    settle(qtbot, session)
    assert session.pins == other.pins
    assert session.compilation is not None
    assert dict(session.compilation.plan.divisions["sum"].factors) == dict(other.pins.division["sum"])


def test_an_op_that_is_not_there_ends_with_a_sentence(qtbot: QtBot, session: Session) -> None:
    session.start_sweep("op:nosuch")
    settle(qtbot, session)
    assert session.sweep is None
    assert isinstance(session.failure, Failure)
    assert "nosuch" in session.failure.what


def test_cancel_keeps_what_is_there(qtbot: QtBot, session: Session) -> None:
    session.start_sweep("cores")
    qtbot.waitUntil(lambda: len(swept(session).outcomes) >= 2, timeout=60_000)
    session.cancel()
    assert (session.busy, swept(session).running) == ("", "")
    kept = dict(swept(session).outcomes)
    assert len(kept) >= 2
    session.end_sweep()
    assert dict(swept(session).outcomes) == kept


def test_the_newest_sweep_wins_and_the_old_plans_go(qtbot: QtBot, session: Session) -> None:
    session.start_sweep("cores", ["4", "8"])
    settle(qtbot, session)
    old = set(session._swept.values())
    assert old <= session._kept_handles
    session.start_sweep("cores", ["1", "2", "4"])
    session.start_sweep("moves")
    settle(qtbot, session)
    assert swept(session).knob == "moves"
    assert not old & session._kept_handles
    assert not old & session.jobs._known


def test_other_questions_are_answered_while_it_runs(qtbot: QtBot, session: Session) -> None:
    answers: list[int] = []
    session.start_sweep("cores")
    session.request_candidates("sum", lambda found: answers.append(len(found)))
    qtbot.waitUntil(lambda: bool(answers), timeout=60_000)
    session.pin_division("sum", {"i": 4})
    qtbot.waitUntil(lambda: not session.stale, timeout=60_000)
    settle(qtbot, session)
    assert not swept(session).waiting


def test_a_plan_is_kept_as_a_variant_without_being_shown(qtbot: QtBot, session: Session) -> None:
    first = session.compilation
    session.start_sweep("lx", ["40"])
    settle(qtbot, session)
    session.keep_setting("40")
    settle(qtbot, session)
    assert session.compilation is first
    assert [one.name for one in session.variants] == ["first plan", "40 % of LX"]
    assert session.variants.chosen == "first plan"
    plan = session.plan_of("40 % of LX")
    assert plan is not None
    assert plan.problem.device.lx_budget_bytes < session.device.lx_budget_bytes
    session.show_variant("40 % of LX")
    assert session.compilation is plan


def test_another_model_drops_the_sweep(qtbot: QtBot, session: Session, tmp_path: Path) -> None:
    session.start_sweep("cores", ["4", "8"])
    settle(qtbot, session)
    folder = tmp_path / "other"
    folder.mkdir()
    session.start_sweep("cores")
    session.open(str(write_model(folder, product(64, 64, 64))))
    qtbot.waitUntil(lambda: not session.opening, timeout=60_000)
    settle(qtbot, session)
    assert session.sweep is None
    assert not session._swept


def test_a_plan_that_the_worker_lost_is_made_again(qtbot: QtBot, session: Session) -> None:
    session.start_sweep("cores", ["8"])
    settle(qtbot, session)
    session._swept["8"] = "value-nosuch"
    session.show_setting("8")
    qtbot.waitUntil(lambda: session.compilation is not None and session.compilation.plan.cores == 8, timeout=60_000)


def test_the_share_of_lx_outlives_a_change_of_cores(qtbot: QtBot, session: Session) -> None:
    session.start_sweep("lx", ["40"])
    settle(qtbot, session)
    session.show_setting("40")
    settle(qtbot, session)
    budget = session.device.lx_budget_bytes
    session.set_options("spyre", 8, "staged")
    settle(qtbot, session)
    assert session.device.lx_budget_bytes == budget
    assert session.proposed_variant() == "40 % of LX, 8 cores"


def test_nothing_is_swept_without_a_model(qapp: object, tmp_path: Path) -> None:
    idle = Session(settings=quiet_settings(str(tmp_path)))
    idle.start_sweep("cores")
    assert idle.sweep is None
    idle.set_pins(Pins())
    idle.shutdown()
