"""Selection: one place for all views, its history, and nothing that the plan on screen does not have."""

import pytest
from pytestqt.qtbot import QtBot

from spyre_studio.selection import Place, Selection
from tests.programs import attention
from tests.spyre_studio.plans import compiled


class Watched:
    """A selection and how often it told."""

    def __init__(self) -> None:
        self.selection = Selection()
        self.selection.retarget(compiled())
        self.places: list[Place] = []
        self.selection.changed.connect(lambda: self.places.append(self.selection.place))


@pytest.fixture
def watched(qtbot: QtBot) -> Watched:
    return Watched()


def test_an_op_and_its_step_go_together(watched: Watched) -> None:
    selection = watched.selection
    selection.select_op("exp")
    assert (selection.op, selection.step) == ("exp", 2)
    selection.select_step(3)
    assert (selection.op, selection.step) == ("sum", 3)
    selection.select_step(None)
    assert (selection.op, selection.step) == (None, None)


def test_a_buffer_and_a_core_keep_the_op(watched: Watched) -> None:
    selection = watched.selection
    selection.select_op("exp")
    selection.select_buffer("x")
    selection.select_core(31)
    assert selection.place == Place("exp", "x", 31, 2)


def test_the_same_again_tells_nobody(watched: Watched) -> None:
    for _ in range(2):
        watched.selection.select_op("exp")
    assert len(watched.places) == 1


@pytest.mark.parametrize("step", [-1, 5, 10**6])
def test_what_the_plan_does_not_have_is_not_selected(watched: Watched, step: int) -> None:
    selection = watched.selection
    selection.select_op("nosuch")
    selection.select_buffer("nosuch")
    selection.select_core(32)
    selection.select_core(-1)
    selection.select_step(step)
    assert selection.place == Place()
    assert watched.places == []


def test_back_and_forward(watched: Watched) -> None:
    selection = watched.selection
    for name in ("max", "sub", "exp"):
        selection.select_op(name)
    selection.back()
    selection.back()
    assert selection.op == "max"
    selection.forward()
    assert selection.op == "sub"
    selection.select_op("sum")
    assert not selection.can_go_forward
    selection.back()
    assert selection.op == "sub"
    for _ in range(5):
        selection.back()
    assert selection.place == Place()
    assert not selection.can_go_back


def test_clear_keeps_the_core(watched: Watched) -> None:
    watched.selection.select_core(3)
    watched.selection.select_op("exp")
    watched.selection.clear()
    assert watched.selection.place == Place(core=3)


def test_another_model_drops_what_it_does_not_have(watched: Watched) -> None:
    selection = watched.selection
    selection.select_op("exp")
    selection.select_buffer("sum")
    selection.select_core(7)
    selection.retarget(compiled(cores=4, program=attention(2, 64, 64)))
    assert selection.op in (None, "exp")
    assert selection.buffer in (None, "sum")
    assert selection.core == 0, "this plan has four cores"
    selection.retarget(None)
    assert selection.place == Place()
    assert not selection.can_go_back


def test_the_same_name_at_another_step_is_followed(watched: Watched) -> None:
    selection = watched.selection
    selection.select_op("sum")
    assert selection.step == 3
    program = attention(2, 64, 64)
    selection.retarget(compiled(program=program))
    names = [step for step, op in enumerate(compiled(program=program).problem.program.ops) if op.name == "sum"]
    assert names
    assert selection.step != 3
    assert selection.op == "sum"


def test_forget(watched: Watched) -> None:
    watched.selection.select_op("exp")
    watched.selection.forget()
    assert watched.selection.place == Place()
    assert not watched.selection.can_go_back


def test_what_is_passed_over_is_one_step_of_the_way_back() -> None:
    selection = Selection()
    selection.retarget(compiled())
    told: list[str | None] = []
    selection.changed.connect(lambda: told.append(selection.op))
    selection.select_op("max")
    for name in ("sub", "exp", "sum", "no such op"):
        selection.follow_op(name)
    assert told == ["max", "sub", "exp", "sum"]
    assert selection.step == 3
    selection.back()
    assert selection.op == "max"
    selection.forward()
    assert selection.op == "sum"
    selection.follow_op("max")
    selection.back()
    assert selection.op == "sum", "another passage begins"


def test_several_things_are_one_step_of_the_way_back(watched: Watched) -> None:
    selection = watched.selection
    selection.select(op="exp", buffer="x", core=7)
    assert selection.place == Place("exp", "x", 7, 2)
    selection.select(op="nosuch", buffer="nosuch", core=99)
    assert selection.place == Place("exp", "x", 7, 2), "what there is not changes nothing"
    selection.back()
    assert selection.place == Place()


def test_the_core_under_the_pointer_has_no_history(watched: Watched) -> None:
    selection, seen = watched.selection, list[int | None]()
    selection.hovered.connect(lambda: seen.append(selection.hovered_core))
    for core in (3, 3, 31, 32, None):
        selection.hover_core(core)
    assert seen == [3, 31, None]
    assert not selection.can_go_back
    selection.hover_core(5)
    selection.forget()
    assert selection.hovered_core is None


@pytest.mark.parametrize(
    ("asked", "found"),
    [((1.0, 3.0), (1.0, 3.0)), ((-4.0, 3.0), (0.0, 3.0)), ((0.0, 99.0), None), ((3.0, 3.0), None), (None, None)],
)
def test_steps_in_view_are_those_of_the_plan(
    watched: Watched, asked: tuple[float, float] | None, found: tuple[float, float] | None
) -> None:
    watched.selection.look_at(asked)
    assert watched.selection.window == found


def test_steps_in_view_are_told_once_and_end_with_the_model(watched: Watched) -> None:
    selection, seen = watched.selection, list[tuple[float, float] | None]()
    selection.moved.connect(lambda: seen.append(selection.window))
    selection.look_at((1.0, 2.5))
    selection.look_at((1.0, 2.5))
    selection.forget()
    assert seen == [(1.0, 2.5), None]
