"""What the command line says of a search: who made the plan, what ended it, how far it is, and when a key keeps it."""

import io
import sys
from dataclasses import replace

import pytest

from compiler.compilation import Compilation, SolverStatus
from compiler.plan import Claim
from compiler.search_notes import HURRIED, IN_TIME, START, nothing_better, with_notes
from compiler.watch import Finding
from spyre_studio.commands.terminal import Terminal
from spyre_studio.search_run import time_words
from spyre_studio.solver_words import missing_note, plan_hint, solver_hint, solver_text
from spyre_studio.summary import describe
from tests.spyre_studio.plans import compiled

PLAN = "  plan       "
SOLVER = "  solver     "
WHY = "greedy in place of cp-sat: OR-Tools, which it stands on, is not installed"


def solved(solver: SolverStatus, why: str = "305 µs by the cost model") -> Compilation:
    """A plan as a search leaves it."""
    found = compiled()
    claim = Claim(solver.name, "ns", 305_000, max(0, round(solver.bound_us * 1000)), 0)
    plan = replace(
        found.plan,
        claims=found.plan.claims.set("co-optimize", claim),
        reasons=found.plan.reasons.set("pass:co-optimize", why),
    )
    return replace(found, plan=plan, solver=solver)


def line(compilation: Compilation, start: str) -> str:
    return next((one.removeprefix(start) for one in describe(compilation) if one.startswith(start)), "")


@pytest.mark.parametrize(
    ("solver", "words"),
    [
        (
            SolverStatus("cp-sat", "within gap", 305.0, 302.0, 0.0098, 4.0),
            "objective 305.0 µs · bound 302.0 µs · gap 1.0 %; within gap in 4.0 s · cp-sat",
        ),
        (
            SolverStatus("greedy", "heuristic", 305.0, -1.0, -1.0, 0.3),
            "objective 305.0 µs · no bound known; heuristic in 0.30 s · greedy",
        ),
        (
            SolverStatus("cp-sat", "stopped", 305.0, -1.0, -1.0, 1.2),
            "objective 305.0 µs · no bound known; stopped after 1.2 s · cp-sat",
        ),
        (
            SolverStatus("cp-sat", "out of time", 305.0, 290.0, 0.0492, 10.6),
            "objective 305.0 µs · bound 290.0 µs · gap 4.9 %; out of time after 10.6 s · cp-sat",
        ),
    ],
)
def test_the_summary_has_objective_bound_and_who_answered(solver: SolverStatus, words: str) -> None:
    assert line(solved(solver), PLAN) == words
    assert line(solved(solver), SOLVER) == ""


def test_nothing_is_said_of_a_search_where_nobody_searched() -> None:
    assert line(compiled(), PLAN) == ""


def test_that_nothing_better_was_found_is_said() -> None:
    found = solved(
        SolverStatus("cp-sat", "out of time", 305.0, -1.0, -1.0, 1.2), f"305 µs; {nothing_better(IN_TIME, START)}"
    )
    assert line(found, PLAN).endswith("; nothing better found in the time given than what it started from")
    assert plan_hint(found).endswith("Nothing better found in the time given than what it started from.")
    assert "Nothing better" not in plan_hint(solved(found.solver))


def test_that_there_was_too_little_time_is_said() -> None:
    status = SolverStatus("cp-sat", "out of time", 305.0, -1.0, -1.0, 1.2)
    assert line(solved(status, with_notes("305 µs", HURRIED)), PLAN).endswith(f"; {HURRIED}")
    both = solved(status, with_notes("305 µs", nothing_better(IN_TIME, START), HURRIED))
    assert line(both, PLAN).endswith(f"than what it started from; {HURRIED}")


@pytest.mark.parametrize("end", ["", f"; {nothing_better(IN_TIME, START)}"])
def test_the_summary_names_who_stands_in_and_why(end: str) -> None:
    found = solved(SolverStatus("greedy-without-or-tools", "heuristic", 305.0, -1.0, -1.0, 0.3), WHY + end)
    assert line(found, SOLVER) == WHY
    assert "; heuristic in 0.30 s · greedy, without OR-Tools" in line(found, PLAN)
    assert missing_note(found).startswith("CP-SAT is not available, greedy was used instead")


def test_the_end_by_time_is_explained() -> None:
    solver = SolverStatus("cp-sat", "out of time", 10.0, 9.0, 0.1, 10.6)
    assert solver_text(solver) == "out of time after 10.6 s · cp-sat"
    assert solver_hint(solver).startswith("Its time was up")


# The terminal


class Screen(io.StringIO):
    """A stderr that is a terminal."""

    def isatty(self) -> bool:
        return True


def on_screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    """The terminal from now on; pytest takes stderr for itself between a fixture and its test."""
    made = Screen()
    monkeypatch.setattr(sys, "stderr", made)
    monkeypatch.setenv("COLUMNS", "200")
    return made


def test_the_time_of_a_search_is_told_with_what_it_may_take() -> None:
    assert time_words(Finding("s", 1.0, -1.0, 2.04, 10.0)) == "2.0 s of 10 s"
    assert time_words(Finding("s", 1.0, -1.0, 2.04)) == "2.0 s"


def test_while_it_searches_the_line_moves_and_has_no_share_that_stands_still(monkeypatch: pytest.MonkeyPatch) -> None:
    screen, terminal = on_screen(monkeypatch), Terminal()
    terminal.progress(0.8, "co-optimize")
    terminal.found(Finding("cp-sat", 305.0, -1.0, 1.0, 10.0))
    terminal.done()
    assert "co-optimize  80%" in screen.getvalue()
    assert "co-optimize 1.0 s of 10 s · objective 305.0 µs · no bound yet" in screen.getvalue()


def test_where_a_plan_is_to_be_had_the_key_keeps_it_at_any_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also before and after the search itself."""
    screen, terminal = on_screen(monkeypatch), Terminal()
    terminal.progress(0.1, "assign-layouts")
    assert not terminal.stop(), "nothing is known yet, and nothing will be"
    terminal.expect()
    assert not terminal.enough()
    assert terminal.stop()
    assert terminal.enough()
    assert not terminal.stop(), "the second time it ends"
    assert "stopping with the best plan so far" in screen.getvalue()
