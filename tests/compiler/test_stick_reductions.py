"""Reductions along the stick: which candidates restickify only to get around them."""

import pytest

from compiler.elementwise_rules import avoids_stick_reduction, reduces_along_stick
from compiler.layout import StickLayout, stick_layout
from compiler.layout_rules import candidates
from compiler.loops import LoopProgram
from compiler.scene import Candidate, scene_of
from tests.programs import problem_of
from tests.random_draft import View
from tests.sketch import Sketch

SHAPE = (64, 64, 128)


def reduced(combine: str, *dims: int, view: View | None = None) -> LoopProgram:
    sketch = Sketch()
    x = sketch.input("x", *SHAPE)
    sketch.output(sketch.reduce(combine, view or x, *dims, keep=False))
    return sketch.program()


def judged(program: LoopProgram, layout: StickLayout | None) -> list[tuple[Candidate, bool]]:
    """Every candidate of the last op, and whether it avoids a reduction along the stick."""
    scene = scene_of(program, problem_of(program).device)
    op = program.ops[-1]
    layouts = {} if layout is None else {"x": layout}
    return [(way, avoids_stick_reduction(scene, op, way, layouts)) for way in candidates(scene, op, layouts)]


def sticks_of(dim: int) -> StickLayout:
    order = (*(other for other in range(3) if other != dim), dim)
    return stick_layout(SHAPE, (64 * 128, 128, 1), 64, order)


def test_a_restickify_only_to_reduce_across_sticks_avoids_them() -> None:
    program = reduced("min", -1)
    op, present = program.ops[-1], sticks_of(2)
    found = judged(program, present)
    assert {reduces_along_stick(op, way) for way, _ in found} == {True, False}
    for way, avoids in found:
        assert avoids == (way.needs != (present,))
        assert avoids != reduces_along_stick(op, way)


@pytest.mark.parametrize("dim", [0, 1])
def test_a_kept_dim_on_the_stick_has_nothing_to_avoid(dim: int) -> None:
    """A copy from one kept dim to another is a matter of price."""
    assert not any(avoids for _, avoids in judged(reduced("sum", -1), sticks_of(dim)))


def test_from_a_kept_dim_on_to_the_reduced_one_is_no_way_around() -> None:
    program = reduced("sum", -1)
    for way, avoids in judged(program, sticks_of(0)):
        if reduces_along_stick(program.ops[-1], way):
            assert not avoids


@pytest.mark.parametrize("combine", ["prod", "argmax", "argmin"])
def test_what_cannot_run_along_the_stick_has_to_be_moved(combine: str) -> None:
    found = judged(reduced(combine, -1), sticks_of(2))
    assert found
    assert not any(avoids for _, avoids in found)


def test_a_slice_inside_a_stick_has_to_be_moved() -> None:
    view = View("x", Sketch().input("x", *SHAPE).dtype, SHAPE, (64 * 128, 128, 1)).sliced(2, 32, 96, 1)
    found = judged(reduced("sum", -1, view=view), sticks_of(2))
    assert found
    assert not any(avoids for _, avoids in found)


def test_one_value_per_stick_and_what_is_open_have_nothing_to_avoid() -> None:
    sparse = stick_layout(SHAPE, (64 * 128, 128, 1), 64, (0, 1, 2, -1))
    for layout in (sparse, None):
        found = judged(reduced("sum", -1), layout)
        assert found
        assert not any(avoids for _, avoids in found)


def test_other_ops_avoid_nothing() -> None:
    sketch = Sketch()
    sketch.output(sketch.apply("neg", sketch.input("x", *SHAPE)))
    assert not any(avoids for _, avoids in judged(sketch.program(), sticks_of(2)))
