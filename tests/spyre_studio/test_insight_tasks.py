"""Savings and reports as the worker is asked for them: one answer for every plan, whoever asks."""

from dataclasses import replace
from pathlib import Path

import pytest
from frozendict import frozendict

from compiler.compilation import Compilation
from compiler.errors import InputError
from compiler.pins import Pins
from spyre_studio import tasks
from spyre_studio.insight_request import weigh_request
from spyre_studio.report_made import made_report
from spyre_studio.report_request import report_request
from spyre_studio.reporter import Silent
from spyre_studio.request import Shared
from spyre_studio.worker_tasks import TASKS, Call, Lane, Store
from tests.programs import chain
from tests.spyre_studio.plans import compiled


@pytest.fixture
def plan() -> Compilation:
    return compiled(program=chain(256, 512), pins=Pins(placement=frozendict({"neg": "hbm"})))


def call(arguments: dict[str, object]) -> Call:
    return Call(arguments, Store(), Silent())


def test_savings_come_back_as_they_were_worked_out(plan: Compilation) -> None:
    request = weigh_request(Shared("plan", plan))
    value, plain = TASKS[request.task].run(call({"plan": plan}))
    assert request.read(plain) == value
    assert TASKS[request.task].lane is Lane.WEIGHING, "nobody else waits for it"


def test_a_report_is_the_one_of_the_command_line(plan: Compilation, tmp_path: Path) -> None:
    place = str(tmp_path / "r.html")
    request = report_request(Shared("plan", plan), None, False, place)
    _, plain = TASKS[request.task].run(call({**request.arguments, "plan": plan}))
    assert request.read(plain) == place
    sound = tasks.sound(plan, "the plan")  # with the verdicts of checks that only files get
    assert Path(place).read_text("utf-8") == made_report(sound, None, "html", Silent())


def test_the_plan_before_is_compared_with_that_on_screen(plan: Compilation, tmp_path: Path) -> None:
    place, before = str(tmp_path / "r.txt"), compiled(program=chain(256, 512))
    TASKS["report"].run(call({"plan": plan, "before": before, "simulate": False, "path": place}))
    text = Path(place).read_text("utf-8")
    assert "Compared with another plan" in text
    assert "device memory (pinned to device memory)" in text


def test_a_plan_that_fails_a_check_is_not_reported(plan: Compilation, tmp_path: Path) -> None:
    wrong = replace(plan, cost=replace(plan.cost, total_us=1.0))
    with pytest.raises(InputError, match="failed the check"):
        TASKS["report"].run(call({"plan": wrong, "before": None, "simulate": False, "path": str(tmp_path / "r.html")}))
    assert not list(tmp_path.iterdir())
