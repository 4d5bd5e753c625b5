"""Patterns of ops recognised from their accesses, and what is no pattern."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from compiler.cost.patterns import Pattern, Sighting, bytes_per_ns
from compiler.cost.sightings import pattern_of
from compiler.dtypes import DType
from compiler.layout import StickLayout, stick_layout
from compiler.loops import Apply, Const, Load, LoopProgram
from tests.compiler.shapes import plain_layouts
from tests.compiler.tiny import spyre
from tests.programs import problem_of, transposed, unsqueezed
from tests.random_draft import View
from tests.sketch import Sketch

Build = Callable[[Sketch], View]


def program_of(build: Build) -> LoopProgram:
    sketch = Sketch()
    sketch.output(build(sketch))
    return sketch.program()


def seen(build: Build, layouts: Mapping[str, StickLayout] | None = None) -> Sighting | None:
    """The pattern of the last op."""
    program = program_of(build)
    return pattern_of(program.ops[-1], program.buffer_map, plain_layouts(problem_of(program), layouts))


def scaled(sketch: Sketch, *shape: int) -> View:
    """x * 2, the scalar a constant of the body."""
    view = sketch.apply("neg", sketch.input("x", *shape))
    body = (Load(0, DType.F16), Const(2.0, DType.F16), Apply("mul", (0, 1), DType.F16))
    sketch.ops[-1] = replace(sketch.ops[-1], body=body, results=(2,))
    return view


def put(sketch: Sketch, rows: int, columns: int, count: int) -> View:
    """x [rows, columns] into one place of a new middle dim."""
    whole = sketch.fill(rows, count, columns)
    x = unsqueezed(sketch.input("x", rows, columns), 1)
    sketch.write(x, whole.sliced(1, 1, 2, 1))
    return whole


def turned(sketch: Sketch, *shape: int, first: int = 0, second: int = 1) -> View:
    return sketch.cat(0, transposed(sketch.input("x", *shape), first, second))


@pytest.mark.parametrize(
    ("build", "pattern", "sizes"),
    [
        (lambda s: s.reduce("sum", s.input("x", 512, 256), 0), Pattern.ACROSS_ROWS, (512, 256, 1)),
        (lambda s: s.reduce("max", s.input("x", 8, 16, 256), 1), Pattern.ACROSS_ROWS, (128, 256, 1)),
        (lambda s: s.cat(0, s.input("x", 512, 256), s.input("y", 64, 256)), Pattern.CONCAT, (64, 256, 1)),
        (lambda s: put(s, 512, 256, 4), Pattern.STACK, (512, 256, 1)),
        (lambda s: turned(s, 16, 32, 256), Pattern.SWAP, (16, 256, 32)),
        (lambda s: s.apply("add", s.input("x", 512, 256), s.parameter("b", 256)), Pattern.ROW, (512, 256, 1)),
        (lambda s: s.apply("add", s.input("x", 4, 8, 256), s.input("b", 1, 1, 256)), Pattern.ROW, (32, 256, 1)),
        (lambda s: s.apply("sub", s.input("x", 512, 256), s.input("b", 512, 1)), Pattern.COLUMN, (512, 256, 1)),
        (lambda s: s.apply("sub", s.input("x", 512, 256), s.input("b", 1)), Pattern.COLUMN, (512, 256, 1)),
        (lambda s: scaled(s, 512, 256), Pattern.COLUMN, (512, 256, 1)),
        (lambda s: scaled(s, 1, 256), Pattern.COLUMN, (1, 256, 1)),
    ],
    ids=["rows", "middle", "cat", "stack", "swap", "row", "row3d", "column", "scalar", "constant", "one-row"],
)
def test_a_measured_form_is_recognised(build: Build, pattern: Pattern, sizes: tuple[int, int, int]) -> None:
    assert seen(build) == Sighting(pattern, *sizes)


@pytest.mark.parametrize(
    "build",
    [
        lambda s: s.apply("add", s.input("x", 512, 256), s.input("y", 512, 256)),
        lambda s: s.apply("add", s.input("x", 1, 256), s.input("y", 1, 256)),
        lambda s: s.apply("add", s.input("x", 4, 8, 256), s.input("b", 8, 256)),
        lambda s: s.apply("add", s.input("x", 512, 1), s.input("b", 1, 256)),
        lambda s: s.reduce("sum", s.input("x", 512, 256), 1),
        lambda s: s.reduce("sum", s.input("x", 512, 256), 0, 1),
        lambda s: s.cat(1, s.input("x", 512, 256), s.input("y", 512, 64)),
        lambda s: s.cat(0, s.input("x", 512, 256)),
        lambda s: turned(s, 256, 128),
        lambda s: turned(s, 4, 8, 16, 64),
        lambda s: s.matmul(s.input("x", 64, 64), s.input("y", 64, 64)),
        lambda s: s.rows_of(s.input("x", 64, 64), s.input("at", 8, dtype=DType.I64)),
        lambda s: s.pad(s.input("x", 64, 64), 0, 64),
        lambda s: s.fill(64, 64),
        lambda s: s.opaque("sort", s.input("x", 64, 64)),
    ],
    ids=[
        *("same", "one-row", "some-rows", "outer", "along", "all", "cat1", "clone", "transpose", "four", "matmul"),
        *("gather", "masked", "fill", "host"),
    ],
)
def test_what_was_not_measured_has_no_pattern(build: Build) -> None:
    assert seen(build) is None


def test_a_swap_is_one_of_device_dims() -> None:
    """In an order that keeps the same dim inside, the copy of a swapped view is a plain copy."""
    source = stick_layout((16, 32, 256), (32 * 256, 256, 1), 64, (1, 0, 2))
    assert seen(lambda s: turned(s, 16, 32, 256), {"x": source}) is None
    target = stick_layout((32, 16, 256), (16 * 256, 256, 1), 64, (1, 0, 2))
    both = seen(lambda s: turned(s, 16, 32, 256), {"x": source, "cat": target})
    assert both == Sighting(Pattern.SWAP, 32, 256, 16)


def test_a_place_of_the_dim_inside_the_stick_is_a_concatenation() -> None:
    target = stick_layout((512, 4, 256), (4 * 256, 256, 1), 64, (1, 0, 2))
    assert seen(lambda s: put(s, 512, 256, 4), {"full": target}) == Sighting(Pattern.CONCAT, 512, 256)


def test_no_pattern_is_faster_than_one_way() -> None:
    slow = spyre().with_number("hbm_one_way_bytes_per_ns", 50)
    assert {bytes_per_ns(slow, Sighting(one, 4096, 2048, 64)) for one in Pattern} == {50}


@pytest.mark.parametrize("pattern", Pattern)
def test_bandwidths_stay_within_what_was_measured(pattern: Pattern) -> None:
    for rows in (1, 2, 100, 1023, 1024, 10**6):
        for columns in (1, 64, 4096, 4097, 10**6):
            for middle in (1, 7, 8, 100):
                assert 40 <= bytes_per_ns(spyre(), Sighting(pattern, rows, columns, middle)) <= 150
