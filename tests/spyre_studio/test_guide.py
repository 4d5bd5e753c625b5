"""What a step of a lesson takes for granted, figures, and how far one is."""

from pathlib import Path

import pytest
from frozendict import frozendict

from compiler.pins import Pins
from spyre_studio.guide import Done, GuideStep, Lesson
from spyre_studio.guide_figure_names import FIGURES
from spyre_studio.guide_figures import Scene, figure
from spyre_studio.guide_heading import Heading, Progress
from spyre_studio.guide_progress import keep_progress, progress_of
from spyre_studio.settings import Settings
from spyre_studio.units import UNKNOWN, format_us
from tests.programs import attention
from tests.spyre_studio.plans import compiled, divided
from tests.spyre_studio.stage import quiet_settings

PIN = Done(split=frozendict({"sum": frozendict({"i": 4})}), placement=frozendict({"exp": "hbm"}))
FREE = Done(free=("division:sum",), pipeline="searched")


def step(done: Done) -> GuideStep:
    return GuideStep("t", "x", done=done)


LESSON = Lesson(Heading("k", "T", "L", 3, "softmax"), (step(PIN), step(Done()), step(FREE), step(Done())))


def test_a_step_takes_for_granted_what_those_before_it_did() -> None:
    own = divided("max", i=2)
    assert LESSON.pins_at(0, own) == own
    assert LESSON.pins_at(2, own).keys == ("division:max", "division:sum", "placement:exp")
    assert LESSON.pins_at(3, own).keys == ("division:max", "placement:exp")
    assert LESSON.pins_at(0, LESSON.pins_at(2, own)) == own, "and what it speaks of later is not there yet"


def test_a_lesson_about_no_pipeline_leaves_it_alone() -> None:
    assert [LESSON.pipeline_at(number, "staged") for number in range(4)] == ["staged", "staged", "staged", "searched"]
    assert Lesson(LESSON.heading, (step(PIN),)).pipeline_at(0, "staged") == ""


def test_a_pin_that_is_there_is_not_another_one() -> None:
    pins = PIN.pinned(Pins())
    assert PIN.pinned(pins) == pins
    assert Done().pinned(pins) == pins


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return quiet_settings(str(tmp_path))


def test_progress_is_remembered_for_each_lesson(settings: Settings) -> None:
    assert progress_of(settings, "softmax") == Progress()
    keep_progress(settings, "softmax", Progress(4))
    keep_progress(settings, "mlp", Progress(2).ended())
    keep_progress(settings, "softmax", Progress(5))
    assert progress_of(settings, "softmax") == Progress(5)
    assert progress_of(settings, "mlp") == Progress(0, finished=True)
    keep_progress(settings, "mlp", progress_of(settings, "mlp").at(3))
    assert progress_of(settings, "mlp") == Progress(3, finished=True)


@pytest.mark.parametrize("line", ["", "softmax", "softmax x", "softmax -1", "softmax 3 4", "softmax ٣", "softmax 9999"])
def test_progress_that_says_nothing_is_the_begin(settings: Settings, line: str) -> None:
    settings.set_lessons([line])
    assert progress_of(settings, "softmax") == Progress()


def test_every_figure_has_a_value() -> None:
    plan = compiled(program=attention(2, 64, 64), pipeline="searched")
    op = plan.problem.program.ops[0]
    names = {"plan": "", "op": op.name, "buffer": op.writes[0].buffer}
    scene = Scene(plan, plan, None, 4_200_000)
    for name, about in FIGURES.items():
        value = figure(scene, name, names[about])
        assert value, name
    assert figure(scene, "total_us") == format_us(plan.cost.total_us)
    assert figure(scene, "simulated_us") == "4.2 µs"
    assert figure(scene, "delta_us") == "0.0 µs"


def test_what_the_plan_does_not_have_is_a_dash() -> None:
    scene = Scene(compiled())
    for name in ("before_us", "delta_us", "simulated_us", "numerics", "bound_us", "gap"):
        assert figure(scene, name) == UNKNOWN
    assert figure(scene, "op_us", "nothing") == UNKNOWN
    assert figure(scene, "bytes", "nothing") == UNKNOWN


def test_figures_of_softmax_are_those_of_the_ladder() -> None:
    """Op by op the matrix is touched eight times and a vector four times; with all in LX it comes in and goes out."""
    scene = Scene(compiled())
    assert figure(scene, "accesses", "x") == "8"
    assert figure(scene, "accesses", "max") == "4"
    assert figure(scene, "passes", "x") == "2"
    assert figure(scene, "split", "max") == "i 32"
    assert figure(scene, "where", "exp") == "LX"
    assert figure(scene, "where", "x") == "device memory"
    assert figure(scene, "stick_dim", "max") == "one value per stick"
    assert figure(scene, "moves") == "no move"
    out = Pins(placement=frozendict(dict.fromkeys(("max", "sub", "exp", "sum"), "hbm")))
    # x once for both readers, six more passes, and four sparse vectors of a quarter of the matrix each
    assert figure(Scene(compiled(out)), "passes", "x") == "8"
