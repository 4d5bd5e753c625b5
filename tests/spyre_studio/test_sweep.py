"""Knobs of a sweep and their settings as values, and the figures of plans."""

from dataclasses import fields, replace

import pytest
from frozendict import frozendict

from compiler.candidates import candidates
from compiler.errors import InputError
from compiler.passes.co_optimize import CoOptimize
from compiler.passes.place_scratchpad import MOVES as ALL_MOVES
from compiler.passes.place_scratchpad import PlaceScratchpad
from compiler.pins import Pins
from compiler.pipeline import parse_pipeline
from compiler.pipelines import PIPELINES
from compiler.solvers.joint.table import SEARCHES
from compiler.solvers.table import SOLVERS
from spyre_studio.options import CompileOptions
from spyre_studio.sweep import RESERVE, Base, Fault, Figures, Setting, Sweep, figures_of
from spyre_studio.sweep_knobs import (
    JOIN,
    JOINERS,
    KNOBS,
    MOST_SPLITS,
    PLACE,
    PLACERS,
    USUAL,
    fits,
    knob_of,
    setting_words,
    settings_of,
)
from tests.programs import attention
from tests.spyre_studio.plans import compiled, divided


def base(pipeline: str = "staged", cores: int | None = None, pins: Pins | None = None) -> Base:
    options = CompileOptions(cores=cores, pipeline=pipeline)
    return Base.of(options.load(), options, pins or Pins())


def keys(settings: tuple[Setting, ...]) -> list[str]:
    return [one.key for one in settings]


def now(settings: tuple[Setting, ...]) -> list[str]:
    return [one.key for one in settings if one.now]


def test_the_words_for_solvers_are_those_of_the_compiler() -> None:
    assert tuple(SOLVERS) == PLACERS
    assert tuple(SEARCHES) == JOINERS
    assert ALL_MOVES == ("no", "yes")
    for cls, name in ((PlaceScratchpad, PLACE), (CoOptimize, JOIN)):
        usual = {option.name: option.default for option in fields(cls)}
        assert {key: usual[key] for key in USUAL[name]} == USUAL[name]


def test_cores_go_up_in_powers_of_two_to_all_of_the_device() -> None:
    made = settings_of(base(), "cores")
    assert keys(made) == ["1", "2", "4", "8", "16", "32"]
    assert now(made) == ["32"]
    assert [one.device.cores for one in made] == [1, 2, 4, 8, 16, 32]
    assert (made[0].options.cores, made[-1].options.cores) == (1, None)
    few = settings_of(base(cores=6), "cores")
    assert keys(few) == ["1", "2", "4", "6", "8", "16", "32"]
    assert now(few) == ["6"]
    assert few[-1].device == CompileOptions().load()


def test_what_is_wanted_already_is_asked_as_it_is() -> None:
    start = base(cores=8)
    same = next(one for one in settings_of(start, "cores") if one.now)
    assert same.device is start.device
    assert same.options is start.options
    for knob in ("lx", "pipeline", "solver", "moves"):
        same = next(one for one in settings_of(start, knob) if one.now)
        assert (same.device, same.options, same.pins) == (start.device, start.options, start.pins)


def test_a_share_of_lx_is_a_reserve_of_the_device() -> None:
    made = settings_of(base(), "lx")
    assert keys(made) == ["10", "20", "40", "60", "80", "100"]
    assert now(made) == ["80"]
    budgets = [one.device.lx_budget_bytes for one in made]
    assert budgets == sorted(budgets)
    managed = made[0].device.count("lx_bytes") - made[0].device.count("lx_program_bytes")
    assert budgets[-1] == managed
    assert settings_of(base(), "lx", ["12.5%"])[0].device.number(RESERVE) == pytest.approx(0.875)


def test_the_share_of_lx_stays_while_cores_are_swept() -> None:
    options = CompileOptions()
    half = options.load().with_number(RESERVE, 0.5)
    made = settings_of(Base.of(half, options, Pins()), "cores")
    assert {one.device.number(RESERVE) for one in made} == {0.5}
    assert now(settings_of(Base.of(half, options, Pins()), "lx")) == ["50"]


@pytest.mark.parametrize("knob", ["solver", "moves"])
@pytest.mark.parametrize("pipeline", [*PIPELINES, "assign-layouts,reduce-span,divide-rest,place-scratchpad"])
def test_an_option_is_changed_in_the_spec_and_nowhere_else(knob: str, pipeline: str) -> None:
    start = base(pipeline)
    before = parse_pipeline(pipeline)
    for one in settings_of(start, knob):
        after = parse_pipeline(one.options.pipeline)
        assert after[:-1] == before[:-1]
        assert after[-1] == replace(before[-1], **{knob: one.key})  # type: ignore[type-var]
        assert one.now == (after == before)


def test_a_pipeline_of_ones_own_is_among_the_pipelines() -> None:
    own = "assign-layouts,reduce-span,divide-rest,place-scratchpad"
    made = settings_of(base(own), "pipeline")
    assert keys(made) == [*PIPELINES, own]
    assert now(made) == [own]
    assert not fits(base("assign-layouts,reduce-span,divide-rest"), "solver")
    assert fits(base("assign-layouts,reduce-span,divide-rest"), "cores")


def test_splits_are_the_best_by_time_and_that_of_the_plan() -> None:
    plan = compiled(program=attention())
    op = plan.problem.program.ops[0].name
    found = candidates(plan.problem, plan.plan, op)
    made = settings_of(base(), f"op:{op}", found=found)
    legal = [one for one in found if one.legal]
    assert 2 <= len(made) <= MOST_SPLITS + 1
    assert made[0].title.split(" · ")[0].partition(" ")[0] in dict(legal[0].factors)
    assert len(now(made)) == 1
    same = next(one for one in made if one.now)
    assert not same.pins, "the plan has it without a pin"
    others = [one for one in made if not one.now]
    assert all(one.pins.division.keys() == {op} and one.near for one in others)


def test_written_splits_need_no_candidates() -> None:
    made = settings_of(base(), "op:sum", ["i=4, j=2", "one"])
    assert [(one.key, one.title) for one in made] == [("i=4,j=2", "i 4 · j 2"), ("one", "one core")]
    assert made[0].pins == divided("sum", i=4, j=2)
    assert made[1].pins.division == {"sum": frozendict()}


@pytest.mark.parametrize(
    ("knob", "values", "words"),
    [
        ("nosuch", [], "there is no such knob"),
        ("op", [], "use one of cores"),
        ("cores:x", [], "there is no such knob"),
        ("cores", ["64"], "use 1 to 32"),
        ("cores", ["many"], "not a whole number"),
        ("lx", ["0"], "above 0"),
        ("lx", ["half"], "not a share"),
        ("solver", ["magic"], "use one of best-fit"),
        ("moves", ["maybe"], "use one of no, yes"),
        ("cores", ["8", "8"], "given twice"),
        ("op:sum", ["i"], "write it as m=8,n=4"),
        ("op:sum", ["i=0"], "write it as m=8,n=4"),
    ],
)
def test_a_value_that_the_knob_cannot_have(knob: str, values: list[str], words: str) -> None:
    with pytest.raises(InputError) as refused:
        settings_of(base(), knob, values)
    assert words in refused.value.sentence


def test_a_pipeline_that_places_nothing_has_no_solver() -> None:
    with pytest.raises(InputError) as refused:
        settings_of(base("assign-layouts,reduce-span,divide-rest"), "solver")
    assert "places nothing" in refused.value.sentence


@pytest.mark.parametrize("knob", KNOBS, ids=lambda knob: knob.key)
def test_every_knob_has_words(knob: object) -> None:
    name = str(getattr(knob, "key"))  # noqa: B009
    name = "op:layers.0/sum" if name == "op" else name
    row, op = knob_of(name)
    values = ["i=4"] if op else []
    words = [setting_words(name, one) for one in settings_of(base(), name, values)]
    assert len(set(words)) == len(words)
    assert row.hint


def test_figures_are_those_of_the_plan() -> None:
    plan = compiled()
    found = figures_of(plan)
    assert found.total_us == plan.cost.total_us
    assert (found.compute_us, found.memory_us, found.beside_us) == (
        plan.cost.compute_us,
        plan.cost.hbm_us,
        plan.cost.serial_us,
    )
    assert (found.lx_peak_bytes, found.hbm_bytes) == (plan.program.lx_bytes, plan.cost.hbm_bytes)
    assert found.ok
    assert not found.remark
    refused = figures_of(compiled(pins=divided("sum", i=7)))
    assert "sum refused" in refused.remark
    assert "7" in refused.remark


def test_a_sweep_knows_its_best_and_how_far_it_is() -> None:
    settings = settings_of(base(), "cores", ["8", "16", "32"])
    sweep = Sweep("cores", "Cores", settings)
    assert (sweep.best, sweep.done, sweep.now, len(sweep.waiting)) == ("", 0.0, "32", 3)
    found = figures_of(compiled())
    slow: Figures | Fault = replace(found, total_us=found.total_us + 1)
    part = replace(sweep, outcomes=frozendict({"8": slow, "16": Fault("a", "b", "c")}), running="32", share=0.5)
    assert part.best == "8"
    assert part.done == pytest.approx(2.5 / 3)
    assert keys(part.waiting) == ["32"]
    assert part.figures("16") is None
    equal = replace(part, outcomes=frozendict({"8": found, "32": found}))
    assert equal.best == "32", "of equals the present one"
    assert Fault("It", "is not", "go").sentence == "It: is not; go."
