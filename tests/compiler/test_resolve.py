"""Re-solve: the plan for other pins, out of the plan before."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import pytest
from frozendict import frozendict

from compiler.compilation import Compilation
from compiler.device import load_device
from compiler.errors import StoppedError
from compiler.frontend.load import load
from compiler.graph import ModelGraph
from compiler.passes import co_optimize
from compiler.pins import Pins, PinState
from compiler.pipeline import compile_problem
from compiler.plan import HOMEWARD, EditKind, Slot
from compiler.problem import Problem
from compiler.resolve import changed_pins, resolve
from compiler.watch import Finding, Watch
from tests.random_programs import random_program

pytestmark = pytest.mark.usefixtures("short_as_long")
QUICK = "co-optimized"
GRAPH = ModelGraph("m", (), (), ())


@lru_cache
def solved(seed: int) -> Compilation:
    program = random_program(seed, 6)
    return compile_problem(GRAPH, Problem(program, load_device("spyre")), pipeline=QUICK)


def again(before: Compilation, pins: Pins, watch: Watch | None = None) -> Compilation:
    found = resolve(before, pins, watch or Watch())
    assert found is not None
    return found


def divided(before: Compilation) -> tuple[str, frozendict[str, int]]:
    """An op that is divided, and how."""
    names = [op.name for op in before.problem.program.ops if before.plan.divisions[op.name].splits]
    return names[-1], before.plan.divisions[names[-1]].factors


SEEDS = (1, 4, 12)


@lru_cache
def mismatch() -> Compilation:
    captured = load("mismatch")
    return compile_problem(captured.graph, Problem(captured.program, load_device("spyre")), pipeline=QUICK)


SPLIT = Pins(division=frozendict({"relu": frozendict({"i": 8, "j": 4})}))
NEVER = replace(SPLIT, relayout=frozendict({"neg": "none"}))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_pin_that_states_what_the_plan_has_changes_no_decision(seed: int) -> None:
    before = solved(seed)
    op, factors = divided(before)
    after = again(before, Pins(division=frozendict({op: factors})))
    for decided in ("layouts", "edits", "divisions", "placement", "kernels"):
        assert getattr(after.plan, decided) == getattr(before.plan, decided), decided
    assert after.plan.pins[f"division:{op}"].state is PinState.HONOURED
    assert after.cost == before.cost
    assert all(verdict.ok for verdict in after.verdicts)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_new_pin_is_kept_and_the_bound_still_holds(seed: int) -> None:
    before = solved(seed)
    op, factors = divided(before)
    after = again(before, Pins(division=frozendict({op: frozendict()})))
    assert after.plan.divisions[op].cores == 1
    assert after.plan.pins[f"division:{op}"].state is PinState.HONOURED
    assert after.cost.total_us >= before.cost.total_us - 1e-3 or before.solver.status != "optimal"
    if before.solver.bound_us >= 0:
        assert after.solver.bound_us <= after.cost.total_us + 1e-6
    assert factors


def test_a_pin_that_goes_leaves_no_bound_and_no_pin() -> None:
    before = solved(SEEDS[0])
    op, _ = divided(before)
    pinned = again(before, Pins(division=frozendict({op: frozendict()})))
    freed = again(pinned, Pins())
    assert freed.plan.pins == frozendict()
    assert not freed.plan.reasons.get(f"division:{op}", "").startswith("pinned")
    assert freed.cost.total_us <= pinned.cost.total_us + 1e-6


def test_a_way_that_is_forbidden_is_not_only_left_out() -> None:
    before = again(mismatch(), SPLIT)
    after = again(before, NEVER)
    whole = compile_problem(before.graph, replace(before.problem, pins=NEVER), pipeline=QUICK)
    assert any(edit.kind is EditKind.RELAYOUT for edit in before.plan.edits)
    assert after.cost.total_us == pytest.approx(whole.cost.total_us)


@pytest.mark.parametrize("pins", [Pins(), SPLIT], ids=["none", "one"])
def test_what_pins_forbade_is_looked_for_again_when_they_go(pins: Pins) -> None:
    forbidden = again(again(mismatch(), SPLIT), NEVER)
    freed = again(forbidden, pins)
    whole = compile_problem(forbidden.graph, replace(forbidden.problem, pins=pins), pipeline=QUICK)
    assert freed.cost.total_us == pytest.approx(whole.cost.total_us)


def test_a_few_steps_are_decided_anew_as_a_whole_unless_the_pin_states_what_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(co_optimize, "FEW", 2)
    before = mismatch()
    op, factors = divided(before)
    assert resolve(before, Pins(division=frozendict({op: factors})), Watch()) is not None
    assert resolve(before, Pins(division=frozendict({op: frozendict()})), Watch()) is None


def test_a_buffer_is_put_out_and_back_in() -> None:
    before = next(
        one for one in map(solved, (1, 2, 3, 4, 5, 6)) if any(isinstance(p, Slot) for p in one.plan.placement.values())
    )
    made = {edit.target for edit in before.plan.edits if edit.kind in HOMEWARD}
    name = next(n for n, p in before.plan.placement.items() if isinstance(p, Slot) and n not in made)
    out = again(before, Pins(placement=frozendict({name: "hbm"})))
    assert not isinstance(out.plan.placement[name], Slot)
    assert out.plan.pins[f"placement:{name}"].state is PinState.HONOURED
    back = again(out, Pins(placement=frozendict({name: "lx"})))
    clones = [edit.target for edit in back.plan.edits if edit.kind is EditKind.CLONE_IN and edit.source == name]
    assert any(isinstance(back.plan.placement[one], Slot) for one in (name, *clones))
    assert back.plan.pins[f"placement:{name}"].state in (PinState.HONOURED, PinState.ADJUSTED)


def test_somebody_who_watches_is_told_and_may_cancel() -> None:
    before = solved(SEEDS[1])
    op, _ = divided(before)
    told: list[Finding] = []
    after = again(before, Pins(division=frozendict({op: frozendict()})), Watch(found=told.append))
    assert told
    assert told[-1].objective_us == pytest.approx(after.cost.total_us, abs=1e-3)
    with pytest.raises(StoppedError):
        again(before, Pins(division=frozendict({op: frozendict()})), Watch(cancelled=lambda: True))


def test_what_takes_new_layouts_is_compiled_from_the_start() -> None:
    before = solved(SEEDS[0])
    name = next(iter(before.plan.layouts))
    assert resolve(before, Pins(), Watch()) is None
    assert resolve(before, Pins(layout=frozendict({name: 0})), Watch()) is None
    assert resolve(before, Pins(order=frozendict({name: (0,)})), Watch()) is None
    staged = compile_problem(before.graph, Problem(random_program(1, 6), load_device("spyre")))
    op, factors = divided(staged)
    assert resolve(staged, Pins(division=frozendict({op: factors})), Watch()) is None


def test_changed_pins_name_both_ops_that_are_to_be_alike() -> None:
    assert changed_pins(Pins(), Pins(same=frozendict({"a": "b"}))) == frozenset("ab")
    assert changed_pins(Pins(placement=frozendict({"x": "lx"})), Pins(placement=frozendict({"x": "hbm"}))) == frozenset(
        "x"
    )
    assert changed_pins(Pins(), Pins(tiles=frozendict({"a": frozendict({"i": 2})}))) is None


def test_what_was_said_of_other_buffers_is_said_again() -> None:
    """A pinned division leaves fewer clones to weigh, but what decided is what was weighed before."""
    problem = Problem(load("mlp").program, load_device("spyre"))
    before, op = compile_problem(GRAPH, problem, pipeline=QUICK), "up.linear/matmul"
    after = again(before, Pins(division=frozendict({op: before.plan.divisions[op].factors})))
    assert after.plan.placement == before.plan.placement
    told = {key for key, why in after.plan.reasons.items() if before.plan.reasons.get(key) != why}
    assert told == {f"division:{op}"}
