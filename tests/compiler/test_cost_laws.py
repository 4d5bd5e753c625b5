"""The laws of the cost model at their worked examples, and at their ends."""

import doctest
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

import compiler.cost.batching
import compiler.cost.bundled
import compiler.cost.delivery
import compiler.cost.patterns
import compiler.cost.reductions
import compiler.cost.relayout
import compiler.cost.runs
import compiler.cost.tiling
import compiler.cost.wording
from compiler.coordinates import core_boxes
from compiler.cost.delivery import shares
from compiler.cost.reductions import alone_bytes_per_ns, share
from compiler.cost.relayout import View, relayout_us
from compiler.cost.runs import UNKNOWN_RUN, run_bytes
from compiler.cost.tiling import matmul_tile_efficiency, overflow_factor, tile_efficiency
from compiler.cost.wording import term
from compiler.division import Division, Split
from compiler.errors import InputError
from compiler.layout import Arrangement, stick_layout
from tests.compiler.shapes import plain_layouts
from tests.compiler.tiny import spyre
from tests.programs import problem_of, transposed
from tests.sketch import Sketch

MODULES = (
    compiler.cost.batching,
    compiler.cost.bundled,
    compiler.cost.delivery,
    compiler.cost.patterns,
    compiler.cost.reductions,
    compiler.cost.relayout,
    compiler.cost.runs,
    compiler.cost.tiling,
    compiler.cost.wording,
)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_examples_in_docstrings(module: ModuleType) -> None:
    result = doctest.testmod(module)
    assert result.attempted
    assert not result.failed


def test_a_formula_with_an_unknown_number_is_refused() -> None:
    with pytest.raises(InputError, match="no number 'speed_of_light'"):
        term(spyre(), "light", 1.0, "bytes / {speed_of_light}", "")


@given(rows=st.integers(1, 10**9), cores=st.integers(1, 64))
def test_a_reduction_is_never_faster_than_one_way(rows: int, cores: int) -> None:
    assert 114 * 0.11 <= alone_bytes_per_ns(spyre(), rows, cores) <= 150
    assert share(spyre(), cores) <= share(spyre(), cores + 1)


@given(rows=st.floats(0.1, 1e5), columns=st.integers(1, 10**6))
def test_tiles_lose_bandwidth_steadily(rows: float, columns: int) -> None:
    assert 0 < tile_efficiency(spyre(), rows, columns) <= tile_efficiency(spyre(), rows * 2, columns) <= 1.08
    assert 0 < matmul_tile_efficiency(spyre(), rows) <= matmul_tile_efficiency(spyre(), rows * 2) <= 0.95
    for matmul in (False, True):
        assert (
            0
            < overflow_factor(spyre(), rows * 2, columns, 2, matmul)
            <= overflow_factor(spyre(), rows, columns, 2, matmul)
        )


@pytest.mark.parametrize(("split", "like"), [(1, 2), (16, 8), (32, 8)])
def test_splits_beyond_what_was_measured_count_as_the_last_measured(split: int, like: int) -> None:
    found = (relayout_us(spyre(), 2**21, 8, View(256, factor)) for factor in (split, like))
    assert next(found) == next(found)


# Operands


def product(left: tuple[int, ...], right: tuple[int, ...]) -> list[bool]:
    """Whether the operands of a matmul are shared."""
    sketch = Sketch()
    sketch.output(sketch.matmul(sketch.input("x", *left), sketch.input("y", *right)))
    op = sketch.program().ops[0]
    return [shares(op, read) for read in op.reads]


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ((64, 64), (64, 64), [True, True]),
        ((4, 64, 64), (64, 64), [True, True]),
        ((4, 64, 64), (4, 64, 64), [False, False]),
        ((2, 4, 64, 64), (2, 4, 64, 64), [False, False]),
        ((1, 4, 64, 64), (1, 4, 64, 64), [False, False]),
        ((4, 1, 64), (4, 64, 64), [True, False]),
        ((4, 2, 64, 64), (4, 1, 64, 64), [False, False]),
    ],
    ids=["2d", "projection", "bmm", "heads", "one-batch", "decode", "grouped"],
)
def test_only_operands_of_a_true_bmm_are_replicated(
    left: tuple[int, ...], right: tuple[int, ...], expected: list[bool]
) -> None:
    assert product(left, right) == expected


def test_operands_of_a_convolution_are_shared() -> None:
    sketch = Sketch()
    sketch.output(sketch.conv2d(sketch.input("x", 2, 64, 8, 8), sketch.parameter("w", 64, 64, 3, 3)))
    op = sketch.program().ops[0]
    assert [shares(op, read) for read in op.reads] == [True, True]


# Runs


def of_boxes(sketch: Sketch, division: Division, order: tuple[int, ...] | None) -> tuple[int, int, bool]:
    """The run of the first read, as it is told and as the box of the first core has it, and if all of that is read."""
    program = sketch.program()
    op, buffers = program.ops[-1], program.buffer_map
    x = buffers[op.reads[0].buffer]
    layout = stick_layout(x.shape, x.strides, 64, order)
    boxes = core_boxes(op, op.reads[0], x, layout, division)
    expected = layout.element_bytes
    for size, whole in zip(reversed(boxes.size[0]), reversed(layout.device_size), strict=True):
        expected *= int(size)
        if size < whole:
            break
    return run_bytes(op, op.reads[0], x, layout, division), expected, bool(boxes.exact[0])


@given(
    st.permutations((0, 1, 2)),
    st.tuples(st.sampled_from((1, 2, 4)), st.sampled_from((1, 2, 3, 6)), st.sampled_from((1, 2, 4))),
    st.sampled_from(((0, 6, 1), (0, 3, 1), (2, 5, 1), (0, 6, 2))),
)
def test_runs_are_those_of_the_boxes(order: list[int], cut: tuple[int, ...], part: tuple[int, int, int]) -> None:
    sketch = Sketch()
    x = sketch.input("x", 4, 6, 256).sliced(1, *part)
    sketch.output(sketch.apply("neg", transposed(x, 0, 1)))
    extents = sketch.program().ops[0].extents
    splits = [(loop, factor) for loop, factor in zip("jil", cut, strict=True) if factor > 1 and loop in extents]
    whole = [Split(loop, factor, extents[loop] // factor) for loop, factor in splits if extents[loop] % factor == 0]
    told, expected, exact = of_boxes(sketch, Division(tuple(whole)), tuple(order))
    assert told == expected or (told == UNKNOWN_RUN and not exact)


def test_the_run_of_an_access_by_value_is_not_known() -> None:
    sketch = Sketch()
    sketch.output(sketch.rows_of(sketch.input("x", 64, 64), sketch.input("at", 8)))
    program = sketch.program()
    op = program.ops[0]
    layouts = plain_layouts(problem_of(program))
    assert run_bytes(op, op.reads[1], program.buffer_map["x"], layouts["x"], Division()) == UNKNOWN_RUN


def test_staggered_sticks_are_read_in_pairs() -> None:
    sketch = Sketch()
    sketch.output(sketch.apply("neg", sketch.input("x", 8, 128)))
    program = sketch.program()
    op, x = program.ops[0], program.buffer_map["x"]
    layout = stick_layout(x.shape, x.strides, 32, arrangement=Arrangement.F16_TO_F32)
    assert run_bytes(op, op.reads[0], x, layout, Division((Split("j", 2, 64),))) == 2 * 8 * 128
