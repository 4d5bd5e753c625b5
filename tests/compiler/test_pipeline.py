"""Pipelines as data: specs round-trip, passes keep their contract, pins end with a status, broken passes are caught."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import ClassVar

import pytest
from frozendict import frozendict

import compiler.pipeline as pipeline
from compiler.device import load_device
from compiler.errors import InputError, StoppedError, StudioError
from compiler.graph import ModelGraph
from compiler.loops import LoopProgram
from compiler.pins import Pins, PinState
from compiler.pipeline import PASSES, BrokenPlanError, compile_problem, parse_pipeline, print_pipeline
from compiler.pipelines import PIPELINES
from compiler.plan import Plan, Slot, Spilled
from compiler.problem import Problem
from tests.random_programs import random_program

GRAPH = ModelGraph("random", (), (), ())
SPYRE = load_device("spyre")


GOOD = 25  # a random program that compiles; many ask for what sticks cannot do


def problem(seed: int = GOOD, pins: Pins | None = None) -> Problem:
    return Problem(random_program(seed), SPYRE, pins or Pins())


@pytest.mark.parametrize("name", PIPELINES)
def test_a_pipeline_round_trips_through_its_spec(name: str) -> None:
    passes = parse_pipeline(name)
    assert parse_pipeline(print_pipeline(passes)) == passes
    assert print_pipeline(passes) == PIPELINES[name]


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("", "it has no passes"),
        ("assign-layouts,polish", "pass 'polish': there is no such pass"),
        ("place-scratchpad{colour=red}", "it has no option 'colour'; its options are: solver"),
        ("place-scratchpad{solver=magic}", "use one of best-fit"),
        ("assign-layouts;reduce-span", "is not a pass"),
        ("Assign", "is not a pass"),
        *(
            (
                f"{name}{{{option}=1 {option}=2}}",
                f"pass {name}: its option {option} is given twice, 1 and 2; give it once.",
            )
            for name, cls in PASSES.items()
            for option in (entry.name for entry in fields(cls))
        ),
        (
            "co-optimize{solver=greedy solver=cp-sat}",
            "its option solver is given twice, greedy and cp-sat; give it once.",
        ),
    ],
)
def test_a_bad_spec_is_refused_in_one_sentence(spec: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_pipeline(spec)
    assert words in caught.value.sentence


STAGED = (
    "assign-layouts,insert-restickify,order-dims,pad-operands,reduce-span,divide-matmul,divide-rest,place-scratchpad"
)


@pytest.mark.parametrize(
    ("left_out", "words"),
    [
        ("assign-layouts", "insert-restickify needs layouts, which no pass before it decides; add assign-layouts, or"),
        ("insert-restickify", "order-dims needs edits, which no pass before it decides; add insert-restickify, or use"),
        ("divide-rest", "has no division yet; put divide-rest before place-scratchpad"),
        ("place-scratchpad", "none of its passes decides placement; add place-scratchpad"),
    ],
)
def test_a_pipeline_that_makes_no_whole_plan_is_refused(left_out: str, words: str) -> None:
    spec = ",".join(name for name in STAGED.split(",") if name != left_out)
    with pytest.raises(InputError) as caught:
        compile_problem(GRAPH, problem(), pipeline=spec)
    assert words in caught.value.sentence


@pytest.mark.parametrize(
    ("late", "sentence"),
    [
        (
            "divide-rest,place-scratchpad,divide-matmul",
            (
                "divide-matmul follows place-scratchpad, which relies on what all other passes decide; put "
                "divide-matmul before place-scratchpad."
            ),
        ),
        (
            "divide-rest,co-optimize,improve-division",
            (
                "improve-division follows co-optimize, which relies on what all other passes decide; put "
                "improve-division before co-optimize."
            ),
        ),
        (
            "divide-rest,co-optimize,co-optimize{solver=greedy}",
            "it has co-optimize twice, and that decides once for all; leave one out.",
        ),
        (
            "divide-rest,place-scratchpad,co-optimize",
            "place-scratchpad and co-optimize both decide where buffers lie; leave one of them out.",
        ),
        (
            "divide-rest,improve-division,divide-matmul,place-scratchpad",
            (
                "divide-matmul decides divisions after improve-division has relied on them; put divide-matmul before "
                "improve-division."
            ),
        ),
        (
            "assign-layouts,divide-rest,place-scratchpad",
            (
                "assign-layouts decides layouts after insert-restickify has relied on them; put assign-layouts before "
                "insert-restickify."
            ),
        ),
        (
            "order-dims,insert-restickify,divide-rest,place-scratchpad",
            (
                "insert-restickify decides edits after order-dims has relied on them; put insert-restickify before "
                "order-dims."
            ),
        ),
        (
            "co-optimize",
            "co-optimize needs divisions, which no pass before it decides; add divide-rest, or use 'co-optimized'.",
        ),
    ],
)
def test_a_pass_that_comes_too_early_or_late_is_refused(late: str, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        compile_problem(GRAPH, problem(), pipeline=f"assign-layouts,insert-restickify,{late}")
    assert caught.value.sentence == f"the pipeline: {sentence}"


def test_every_decision_of_a_compilation_is_there() -> None:
    found = compile_problem(GRAPH, problem())
    names = {buffer.name for buffer in found.problem.program.buffers} | {edit.target for edit in found.plan.edits}
    assert found.ok
    assert set(found.plan.layouts) == set(found.plan.placement) == names
    assert all(isinstance(place, Slot | Spilled) for place in found.plan.placement.values())
    assert [record.spec for record in found.log] == PIPELINES["staged"].split(",")
    assert found.cost.total_us > 0


def test_progress_rises_and_a_stop_is_obeyed() -> None:
    seen: list[float] = []
    compile_problem(GRAPH, problem(), progress=lambda fraction, phase: seen.append(fraction))
    assert seen == sorted(seen)
    assert len(seen) == len(parse_pipeline("staged")) + 1
    with pytest.raises(StoppedError):
        compile_problem(GRAPH, problem(), cancelled=lambda: len(seen) > 0)


def test_a_resolve_says_what_it_kept() -> None:
    first = compile_problem(GRAPH, problem())
    again = compile_problem(GRAPH, problem(), previous=first.plan)
    assert again.plan == first.plan
    count = len(first.plan.divisions)
    assert f"kept {count} of {count} divisions" in again.log[-1].decided


def test_every_pin_ends_with_a_status() -> None:
    pins = Pins(
        division=frozendict({"nobody": frozendict(i=2)}),
        layout=frozendict({"nothing": 0}),
        placement=frozendict({"nowhere": "lx"}),
        tiles=frozendict({"nobody": frozendict(i=2)}),
    )
    plan = compile_problem(GRAPH, problem(pins=pins)).plan
    assert set(plan.pins) == set(pins.keys)
    assert all(status.state is PinState.REFUSED and status.detail for status in plan.pins.values())


def test_a_pin_no_pass_looks_at_is_refused_not_dropped() -> None:
    pins = Pins(placement=frozendict({random_program(GOOD).buffers[0].name: "hbm"}))
    plan = compile_problem(GRAPH, problem(pins=pins)).plan
    assert plan.pins[pins.keys[0]].state is PinState.HONOURED


@dataclass(frozen=True)
class Meddler:
    """A pass that breaks its contract: it decides placement and touches kernels."""

    name: ClassVar[str] = "meddler"
    needs: ClassVar[tuple[str, ...]] = ("placement",)
    decides: ClassVar[tuple[str, ...]] = ("placement",)

    def __call__(self, problem: Problem, plan: Plan) -> Plan:
        return replace(plan, kernels=())


@dataclass(frozen=True)
class Liar:
    """A pass that puts all that is on chip at address 0."""

    name: ClassVar[str] = "liar"
    needs: ClassVar[tuple[str, ...]] = ("placement",)
    decides: ClassVar[tuple[str, ...]] = ("placement",)

    def __call__(self, problem: Problem, plan: Plan) -> Plan:
        moved = {
            name: replace(place, address=0) if isinstance(place, Slot) else place
            for name, place in plan.placement.items()
        }
        return replace(plan, placement=frozendict(moved))


def two_at_once(program: LoopProgram) -> bool:
    try:
        plan = compile_problem(GRAPH, Problem(program, SPYRE)).plan
    except StudioError:
        return False
    slots = [place for place in plan.placement.values() if isinstance(place, Slot)]
    return any(a is not b and a.first_step < b.first_step < a.last_step for a in slots for b in slots)


@pytest.mark.parametrize(("cls", "words"), [(Meddler, "meddler changed kernels"), (Liar, "after liar: ")])
def test_a_pass_that_breaks_its_contract_is_caught(cls: type, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seed = next(seed for seed in range(100) if two_at_once(random_program(seed)))
    monkeypatch.setattr(pipeline, "PASSES", PASSES | {cls.name: cls})  # type: ignore[attr-defined]
    with pytest.raises(BrokenPlanError, match=words):
        compile_problem(GRAPH, problem(seed), pipeline=PIPELINES["staged"] + f",{cls.name}")  # type: ignore[attr-defined]
