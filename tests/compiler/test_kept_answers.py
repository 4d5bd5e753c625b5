"""Answers that equal layers of a model share: asked twice, worked out once, and safe to share."""

import pytest

from compiler.checks import layouts
from compiler.checks.layouts import layout_fault
from compiler.coordinates import core_boxes
from compiler.device import load_device
from compiler.division import Division, Split
from compiler.layout import stick_layout
from compiler.loops import Loop, Role
from compiler.materialize import _slices
from compiler.plan import Plan
from compiler.schedule import expand
from tests.compiler.tiny import buffer
from tests.programs import softmax


def test_the_map_of_steps_is_made_once() -> None:
    program = softmax()
    schedule = expand(program, Plan(program.name, "spyre", 32, ""))
    assert schedule.step_map is schedule.step_map
    assert [schedule.step_map[step.name] for step in schedule.steps] == list(schedule.steps)
    assert "step_map" not in repr(schedule)
    assert schedule == expand(program, Plan(program.name, "spyre", 32, ""))


def test_boxes_of_equal_layers_are_shared_and_cannot_be_changed() -> None:
    program = softmax()
    op = program.ops[0]
    target = program.buffer_map[op.write.buffer]
    layout = stick_layout(target.shape, target.strides, 64)
    division = Division((Split(op.loops[0].name, 32, op.loops[0].extent // 32),))
    boxes = core_boxes(op, op.write, target, layout, division)
    assert core_boxes(op, op.write, target, layout, division) is boxes
    assert core_boxes(op, op.write, target, layout, Division()) is not boxes
    with pytest.raises(ValueError, match="read-only"):
        boxes.start[0, 0] = 1


def test_slices_of_equal_layers_are_shared_but_roles_count() -> None:
    division = Division((Split("k", 2, 64),))
    reduced, plain = (Loop("k", 128, Role.REDUCTION),), (Loop("k", 128),)
    assert _slices(reduced, division) is _slices(reduced, division)
    assert [one.pass_to for one in _slices(reduced, division)] == [1, -1]
    assert [one.pass_to for one in _slices(plain, division)] == [-1, -1]


def test_equal_layouts_are_proved_once_and_others_by_themselves() -> None:
    spyre, layout = load_device("spyre"), stick_layout((128, 192), (192, 1), 64)
    layouts._place_fault.cache_clear()
    assert layout_fault(buffer("x", 128, 192), layout, spyre) == ""
    assert layout_fault(buffer("y", 128, 192), layout, spyre) == ""
    assert layouts._place_fault.cache_info().misses == 1
    assert layout_fault(buffer("z", 129, 192), layout, spyre) != ""
