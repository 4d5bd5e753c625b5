"""Slices in plain arithmetic against the boxes of the cores."""

from hypothesis import given
from hypothesis import strategies as st

from compiler.coordinates import core_boxes, walk_of
from compiler.division import Division, Split
from compiler.layout import UNIT, Arrangement, stick_layout
from compiler.slices import plain_dims, steps_of
from tests.programs import reshaped, transposed
from tests.sketch import Sketch

ORDERS = ((0, 1, 2), (1, 0, 2), (2, 1, 0), (0, 2, 1), (UNIT, 0, 1, 2), (0, 1, 2, -1))


@given(
    st.sampled_from(ORDERS),
    st.tuples(st.sampled_from((1, 2, 4)), st.sampled_from((1, 2, 3, 6)), st.sampled_from((1, 2, 3))),
    st.sampled_from(((0, 6, 1), (0, 3, 1), (2, 5, 1), (1, 6, 2))),
    st.booleans(),
)
def test_no_core_takes_more_than_the_first(
    order: tuple[int, ...], cut: tuple[int, ...], part: tuple[int, int, int], turned: bool
) -> None:
    sketch = Sketch()
    view = sketch.input("x", 4, 6, 160).sliced(1, *part)
    sketch.output(sketch.apply("neg", transposed(view) if turned else view))
    op, x = sketch.program().ops[0], sketch.program().buffer_map["x"]
    layout = stick_layout(x.shape, x.strides, 64, order)
    units = {loop.name: 64 if loop.extent == 160 else 1 for loop in op.loops}
    splits = []
    for loop, factor in zip(op.loops, cut, strict=True):
        parts = -(-loop.extent // units[loop.name])
        if factor > 1 and parts % factor == 0:
            splits.append(Split(loop.name, factor, parts // factor * units[loop.name]))
    division = Division(tuple(splits))
    dims = plain_dims(walk_of(op, op.reads[0], x), layout)
    if dims is None:
        assert part[2] > 1, "only steps of more than one element are not plain here"
        return
    most = core_boxes(op, op.reads[0], x, layout, division).size.max(axis=0)[:-1]
    assert [dim.walked(steps_of(division)) for dim in dims] == most.tolist()


def test_what_is_not_walked_step_by_step_is_left_to_the_boxes() -> None:
    sketch = Sketch()
    x = sketch.input("x", 8, 128)
    sketch.output(sketch.apply("neg", reshaped(x, 16, 64)), sketch.pad(x, 0, 64))
    sketch.output(sketch.rows_of(x, sketch.input("at", 8)))
    program = sketch.program()
    buffer = program.buffer_map["x"]
    layout = stick_layout(buffer.shape, buffer.strides, 64)
    folded, padded, gathered = program.ops
    assert plain_dims(walk_of(folded, folded.reads[0], buffer), layout) is None
    assert plain_dims(walk_of(padded, padded.reads[0], buffer), layout) is None
    assert plain_dims(walk_of(gathered, gathered.reads[1], buffer), layout) is None
    staggered = stick_layout(buffer.shape, buffer.strides, 32, arrangement=Arrangement.F16_TO_F32)
    plain = Sketch()
    plain.output(plain.apply("neg", plain.input("x", 8, 128)))
    op = plain.program().ops[0]
    assert plain_dims(walk_of(op, op.reads[0], buffer), staggered) is None
