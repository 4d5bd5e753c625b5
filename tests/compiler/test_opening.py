"""What a search of co-optimize starts from: never worse than searched, there at once, whole when it is all there is."""

import threading
import time
from collections.abc import Callable
from dataclasses import replace

import pytest
from frozendict import frozendict

from compiler.check import check
from compiler.compilation import Compilation
from compiler.division_descent import DivisionDescent
from compiler.errors import StoppedError
from compiler.joint import opening
from compiler.joint.conflict import settled
from compiler.joint.judge import Judge
from compiler.joint.opening import Opening, opened
from compiler.loops import LoopProgram
from compiler.passes import co_optimize
from compiler.passes.co_optimize import CoOptimize
from compiler.passes.improve_division import ImproveDivision
from compiler.pins import Pins, PinState
from compiler.pipeline import compile_problem
from compiler.plan import Plan, Slot, Spilled
from compiler.problem import Problem
from compiler.search_notes import (
    BY_ITSELF,
    HURRIED,
    IMPROVED,
    IN_TIME,
    NOTHING_BETTER,
    START,
    STOPPED,
    notes_of,
    nothing_better,
)
from compiler.solvers.joint import exact
from compiler.solvers.joint.beam import beam
from compiler.solvers.joint.greedy import greedy
from compiler.solvers.joint.judge import trivial
from compiler.solvers.joint.price import price_us
from compiler.solvers.joint.problem import Answer, JointProblem
from compiler.watch import Finding, Watch
from tests.compiler.joint.drawn_programs import GRAPH, spec
from tests.compiler.test_co_optimize import before, wide
from tests.compiler.test_placement_random import narrow
from tests.compiler.tiny import failed, spyre
from tests.programs import attention

MICRO = 1e-6


def never(_objective: float, _bound: float) -> bool:
    return False


def slots(plan: Plan) -> dict[str, Slot]:
    """Who is in LX."""
    return {name: place for name, place in plan.placement.items() if isinstance(place, Slot)}


def at_once(problem: Problem, solver: str = "cp-sat") -> tuple[Compilation, list[Finding]]:
    """Somebody who has enough of the first plan that there is."""
    told: list[Finding] = []
    found = compile_problem(
        GRAPH, problem, pipeline=spec(solver, 60.0), found=told.append, enough=lambda: len(told) > 0
    )
    return found, told


@pytest.mark.parametrize("solver", ["cp-sat", "greedy", "annealing"])
@pytest.mark.parametrize("make", [attention, lambda: wide(6)], ids=["attention", "wide"])
def test_with_hardly_any_time_it_is_no_slower_than_searched(solver: str, make: Callable[[], LoopProgram]) -> None:
    problem = Problem(make(), narrow("spyre", 32))
    searched = compile_problem(GRAPH, problem, pipeline="searched")
    found = compile_problem(GRAPH, problem, pipeline=spec(solver, 0.01))
    assert found.cost.total_us <= searched.cost.total_us + MICRO
    assert failed(check(found.problem, found.plan)) == {}


def test_the_opening_is_what_searched_and_staged_come_to() -> None:
    problem = Problem(attention(), spyre(32))
    found = opened(problem, before(problem), 5.0, never, last=True)
    staged, searched = (compile_problem(GRAPH, problem, pipeline=name).plan for name in ("staged", "searched"))
    assert [plan.divisions for plan in found.plans] == [staged.divisions, searched.divisions]
    assert [plan.placement for plan in found.plans] == [staged.placement, searched.placement]
    assert found.kept


def test_the_first_plan_is_there_before_anything_is_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has enough at once gets it, whole and proved; no tables of the program are made for that."""

    def unasked(*_arguments: object) -> None:
        pytest.fail("nobody wanted that")

    monkeypatch.setattr(co_optimize, "settled", unasked)
    monkeypatch.setattr(DivisionDescent, "run", unasked)
    problem = Problem(attention(), spyre(32))
    found, told = at_once(problem)
    staged = compile_problem(GRAPH, problem)
    assert (found.plan.divisions, slots(found.plan)) == (staged.plan.divisions, slots(staged.plan))
    assert told[0].objective_us == pytest.approx(staged.cost.total_us)
    assert failed(found.verdicts) == {}
    assert found.solver.status == "stopped"
    assert found.plan.reasons["pass:co-optimize"].endswith(nothing_better(STOPPED, START))
    claim = found.plan.claims["co-optimize"]
    assert (claim.method, claim.objective, claim.bound) == ("cp-sat", round(staged.cost.total_us * 1000), 0)


def test_while_divisions_are_improved_it_can_be_stopped_and_cancelled() -> None:
    problem = Problem(wide(6), narrow("spyre", 32))
    asked: list[None] = []

    def third() -> bool:
        asked.append(None)
        return len(asked) >= 3

    plan, watch = before(problem), Watch(enough=third)
    found = CoOptimize("cp-sat", 60.0).search(problem, plan, watch)
    assert len(asked) < 20, "nothing was searched after that"
    assert failed(check(problem, replace(found, pipeline=""))) == {}
    with pytest.raises(StoppedError):
        CoOptimize("cp-sat", 60.0).search(problem, plan, Watch(cancelled=third))


def test_an_opening_that_does_not_do_what_pins_ask_for_is_not_told() -> None:
    """The ring is what only tables know; the first that is told has what is wanted."""
    pins = Pins(division=frozendict({"scores": frozendict({"j": 32})}), relayout=frozendict({"scores": "ring"}))
    problem = Problem(attention(), spyre(32), pins)
    heard: list[float] = []

    def tell(objective: float, _bound: float) -> bool:
        heard.append(objective)
        return False

    found = opened(problem, before(problem), 5.0, tell, last=True)
    assert not found.kept
    assert heard == []
    made, told = at_once(problem)
    assert {status.state for status in made.plan.pins.values()} == {PinState.HONOURED}
    assert made.cost.total_us <= told[0].objective_us + MICRO


def made_in(seconds: float) -> Opening:
    problem = Problem(attention(), spyre(32))
    found = opened(problem, before(problem), 0.01, never, last=False)
    return replace(found, seconds=seconds)


def test_tables_that_would_come_too_late_are_not_made() -> None:
    assert not made_in(0.7).late(1.0)
    assert made_in(1.0).late(1.0)
    assert not made_in(3.0).late(10.0)


def test_an_opening_that_took_all_the_time_ends_the_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(problem: Problem, plan: Plan, seconds: float, tell: opening.Tell, last: bool) -> Opening:
        return replace(opened(problem, plan, seconds, tell, last), seconds=60.0)

    monkeypatch.setattr(co_optimize, "opened", slow)
    problem = Problem(attention(), spyre(32))
    found = compile_problem(GRAPH, problem, pipeline=spec("cp-sat", 5.0))
    searched = compile_problem(GRAPH, problem, pipeline="searched")
    assert slots(found.plan) == slots(searched.plan)
    assert found.solver.status == "out of time"
    assert found.solver.bound_us == -1
    again = compile_problem(GRAPH, problem, pipeline=spec("cp-sat", 5.0), previous=found.plan)
    assert again.cost.total_us < found.cost.total_us, "with a plan before, that is what there is to go on from"


# Tables that are given up


def test_tables_that_take_too_long_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(co_optimize, "TABLES_OVER_SECONDS", -60.0)
    problem = Problem(attention(), spyre(32))
    found = compile_problem(GRAPH, problem, pipeline=spec("cp-sat", 5.0))
    searched = compile_problem(GRAPH, problem, pipeline="searched")
    assert slots(found.plan) == slots(searched.plan)
    assert found.solver.status == "out of time"
    assert nothing_better(IN_TIME, IMPROVED) in found.plan.reasons["pass:co-optimize"]
    again = compile_problem(GRAPH, problem, pipeline=spec("cp-sat", 5.0), previous=found.plan)
    assert again.cost.total_us < found.cost.total_us, "with a plan before, that is what there is to go on from"


def test_pins_that_only_tables_keep_are_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(co_optimize, "TABLES_OVER_SECONDS", -60.0)
    pins = Pins(division=frozendict({"scores": frozendict({"j": 32})}), relayout=frozendict({"scores": "ring"}))
    found = compile_problem(GRAPH, Problem(attention(), spyre(32), pins), pipeline=spec("cp-sat", 1.0))
    assert {status.state for status in found.plan.pins.values()} == {PinState.HONOURED}


def test_while_tables_are_made_it_can_be_stopped_and_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[None] = []

    def opened_first(problem: Problem, plan: Plan, seconds: float, tell: opening.Tell, last: bool) -> Opening:
        found = opened(problem, plan, seconds, tell, last)
        asked.clear()
        return found

    def second() -> bool:
        asked.append(None)
        return len(asked) == 2

    def unasked(*_arguments: object) -> None:
        pytest.fail("nobody wanted that")

    monkeypatch.setattr(co_optimize, "opened", opened_first)
    monkeypatch.setattr(co_optimize, "SEARCHES", frozendict({"cp-sat": unasked}))
    problem = Problem(attention(), spyre(32))
    found = CoOptimize("cp-sat", 60.0).search(problem, before(problem), Watch(enough=second))
    assert found.claims["co-optimize"].bound == 0
    assert len(asked) >= 2
    asked.clear()
    with pytest.raises(StoppedError):
        CoOptimize("cp-sat", 60.0).search(problem, before(problem), Watch(cancelled=second))


def test_reasons_end_with_the_time_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the time is up, nothing is priced anew for a reason, and everything outside LX has one all the same."""
    priced: list[object] = []

    class Counted(Judge):
        def __post_init__(self) -> None:
            Judge.__post_init__(self)
            priced.append(self)

    monkeypatch.setattr(co_optimize, "Judge", Counted)
    monkeypatch.setattr(co_optimize, "FIGURES_OVER_SECONDS", -60.0)
    found = compile_problem(GRAPH, Problem(attention(), spyre(32)), pipeline=spec("cp-sat", 5.0))
    assert [judge.left for judge in priced if isinstance(judge, Judge)] == [0]
    assert all(place.detail for place in found.plan.placement.values() if isinstance(place, Spilled))
    assert failed(found.verdicts) == {}


# What ended it


def test_what_ended_a_search_is_told_apart() -> None:
    problem = Problem(wide(12), narrow("spyre", 32))
    short = compile_problem(GRAPH, problem, pipeline=spec("cp-sat", 0.01))
    assert short.solver.status == "out of time"
    proved = compile_problem(GRAPH, Problem(attention(), spyre(32)), pipeline=spec("cp-sat", 10.0))
    assert proved.solver.status == "optimal"
    assert NOTHING_BETTER not in proved.plan.reasons["pass:co-optimize"]


def end_of(plan: Plan) -> str:
    return notes_of(plan.reasons["pass:co-optimize"])


def test_a_search_that_ended_by_itself_is_not_said_to_have_had_no_time() -> None:
    rule = spec("greedy", 60.0).replace("moves=yes", "moves=no")
    assert "moves=no" in rule
    found = compile_problem(GRAPH, Problem(attention(), spyre(32)), pipeline=rule)
    assert end_of(found.plan) in ("", nothing_better(BY_ITSELF, IMPROVED))
    assert bool(end_of(found.plan)) == (found.cost.total_us > searched_us(attention()) - MICRO)


def searched_us(program: LoopProgram) -> float:
    return compile_problem(GRAPH, Problem(program, spyre(32)), pipeline="searched").cost.total_us


def test_what_was_improved_before_a_stop_is_not_called_nothing() -> None:
    """Stopped once the divisions are better than those it began with: only what came after that found nothing."""
    problem, told = Problem(attention(), spyre(32)), list[Finding]()
    watch = Watch(found=told.append)
    watch.enough = lambda: bool(told) and told[-1].objective_us < told[0].objective_us - 1
    plan = CoOptimize("cp-sat", 60.0).search(problem, before(problem), watch)
    assert plan.claims["co-optimize"].objective < round(told[0].objective_us * 1000)
    assert nothing_better(STOPPED, START) not in plan.reasons["pass:co-optimize"]
    assert end_of(plan) == nothing_better(STOPPED, IMPROVED)


def test_divisions_that_there_was_no_time_for_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = Problem(wide(12), narrow("spyre", 32))
    monkeypatch.setattr(opening, "LEAST_SECONDS", 0.0)
    hurried = compile_problem(GRAPH, problem, pipeline=spec("cp-sat", 0.01))
    assert hurried.solver.status == "out of time"
    assert end_of(hurried.plan).endswith(HURRIED)
    monkeypatch.undo()
    enough = compile_problem(GRAPH, Problem(attention(), spyre(32)), pipeline=spec("cp-sat", 10.0))
    assert HURRIED not in enough.plan.reasons["pass:co-optimize"]


def test_the_log_has_no_bound_that_is_none() -> None:
    found = compile_problem(GRAPH, Problem(attention(), spyre(32)), pipeline=spec("greedy", 5.0))
    line = next(one for one in found.log[-1].decided if one.startswith("assign-layouts"))
    assert any(one.endswith(" places") for one in found.log[-1].decided)
    assert ", no bound known, " in line.partition("co-optimize (greedy)")[2]
    assert "at least 0" not in line


# Time


def test_the_seconds_of_a_search_are_its_own() -> None:
    told: list[Finding] = []
    problem = Problem(attention(), spyre(32))
    compile_problem(GRAPH, problem, pipeline=spec("greedy", 5.0), found=told.append)
    assert {one.allowed for one in told} == {5.0}
    seconds = [one.seconds for one in told]
    assert seconds == sorted(seconds)


def tables(count: int) -> JointProblem:
    problem = Problem(wide(count), narrow("spyre", 32))
    return settled(problem, before(problem)).ground.problem


def test_beams_and_greedy_look_at_the_clock_at_every_task(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is tried any more once the time is up."""
    joint, past = tables(3), time.monotonic() - 1
    assert beam(joint, until=past) is not None

    def unasked(*_arguments: object) -> Answer:
        pytest.fail("time was up")

    monkeypatch.setattr("compiler.solvers.joint.beam._Search.step", unasked)
    monkeypatch.setattr("compiler.solvers.joint.greedy.improve", unasked)
    assert greedy(joint, until=past) is not None


def test_what_beams_find_beside_the_first_question_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    joint, told, heard = tables(11), list[float](), threading.Event()
    start, better = trivial(joint), beam(joint)
    assert len(joint.tasks) > exact.TINY
    assert better is not None

    def beams(_problem: JointProblem, until: float, tell: Callable[[Answer], bool], enough: object) -> None:
        assert until > time.monotonic()
        assert enough
        tell(better)
        heard.set()

    def question(*_arguments: object) -> None:
        assert heard.wait(60)

    def tell(objective: float, _bound: float) -> bool:
        told.append(objective)
        return False

    monkeypatch.setattr(exact, "greedy", beams)
    monkeypatch.setattr(exact, "solve", question)
    found = exact.search(joint, [start], 60.0, 0, tell)
    assert found is not None
    assert told[:2] == pytest.approx([price_us(joint, start), price_us(joint, better)], abs=1e-3)
    assert told == sorted(told, reverse=True), "and never again is the worse one told"
    assert found.objective_us == pytest.approx(min(told), abs=1e-3)
    assert found.spent


def test_no_search_begins_when_its_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Making a model takes a while, too: of a long program, and of one that is asked about at once."""

    def unasked(*_arguments: object) -> None:
        pytest.fail("time was up")

    for name in ("_at_once", "_in_blocks"):
        monkeypatch.setattr(exact, name, unasked)
    joint = tables(11)
    found = exact.search(joint, [trivial(joint)], 0.0, 0, never)
    assert found is not None
    assert (found.answer, found.spent) == (trivial(joint), True)


def test_the_more_placing_takes_the_less_is_left_for_divisions(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine what is found would be placed too late."""
    asked: list[bool] = []

    def improved(
        _self: object, _problem: Problem, plan: Plan, before: tuple[Plan, object], over: Callable[[], bool]
    ) -> tuple[Plan, Plan, object]:
        asked.append(over())
        return plan, *before

    now = iter((0.0, 1.4, 1.4, 1.4, 1.4, 1.4))
    monkeypatch.setattr(ImproveDivision, "improved", improved)
    problem = Problem(attention(), spyre(32))
    plan = before(problem)
    monkeypatch.setattr(time, "monotonic", lambda: next(now))
    found = opened(problem, plan, 1.0, never, last=True)
    assert (asked, len(found.plans)) == ([], 1)
