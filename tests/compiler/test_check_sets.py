"""The checker's arithmetic against brute force: sets of elements, masks, and where accesses land on the device."""

import itertools

import numpy as np
import pytest
from frozendict import frozendict
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from compiler.checks.domains import domain, followed, full, uses
from compiler.checks.elements import CAP, Elements, accessed, joined, merged, same, stored, within
from compiler.checks.image import Image, place
from compiler.checks.radix import Digit
from compiler.dtypes import DType
from compiler.layout import Arrangement, StickLayout, stick_layout
from compiler.loops import Access, Index, LoopOp, Term
from tests.compiler.tiny import buffer
from tests.points import points, reading, whole
from tests.random_draft import dense
from tests.random_programs import TINY, random_program

runs = st.lists(st.tuples(st.integers(1, 12), st.integers(1, 5)), max_size=3)


def listed(elements: Elements) -> set[int]:
    """All offsets of a set, one by one."""
    found = set()
    for start in elements.starts:
        for steps in itertools.product(*(range(count) for _, count in elements.runs)):
            found.add(start + sum(k * stride for k, (stride, _) in zip(steps, elements.runs, strict=True)))
    return found


@given(runs)
def test_merging_keeps_the_set(given_runs: list[tuple[int, int]]) -> None:
    apart = Elements((0,), tuple(run for run in given_runs if run[1] > 1))
    together = Elements((0,), merged(given_runs))
    assert listed(together) == listed(apart)
    assert together.size == len(listed(apart))
    intervals = together.intervals()
    assert intervals is not None
    assert {offset for low, high in intervals.tolist() for offset in range(low, high)} == listed(apart)
    assert all(high < low for (_, high), (low, _) in itertools.pairwise(intervals.tolist()))


@given(runs, runs, st.integers(-3, 3))
def test_comparison_is_that_of_sets(left: list[tuple[int, int]], right: list[tuple[int, int]], shift: int) -> None:
    one, other = Elements((0,), merged(left)), Elements((shift,), merged(right))
    assert same(one, other) == (listed(one) == listed(other))
    assert within(one, other) == (listed(one) <= listed(other))


def test_canonical_runs() -> None:
    assert merged([(1, 64), (64, 3), (192, 5)]) == ((1, 960),)
    assert merged([(1, 64), (100, 3)]) == ((100, 3), (1, 64))
    assert merged([(1, 5), (1, 3)]) == ((1, 7),)
    assert merged([(2, 3), (4, 4)]) == ((2, 9),)
    assert stored(buffer("b", 8192, 32768)) == Elements((0,), ((1, 8192 * 32768),))


def test_too_many_pieces_prove_nothing() -> None:
    comb, shifted = Elements((0,), ((2, CAP + 1),)), Elements((1,), ((2, CAP + 1),))
    assert comb.intervals() is None
    assert same(comb, shifted) is None
    assert within(comb, shifted) is None
    assert same(comb, Elements((0,), ((2, CAP + 1),))) is True


def test_empty_sets() -> None:
    nothing = Elements(())
    assert nothing.size == 0
    assert within(nothing, Elements((5,))) is True
    assert within(Elements((5,)), nothing) is False
    assert joined(np.zeros((0, 2), dtype=np.int64)).shape == (0, 2)
    index = Index(0, (Term(1, (("i", 1),)),))
    assert accessed(index, {"i": (3, 3)}) == nothing


def test_backward_and_flattened_walks() -> None:
    backward = Index(9, (Term(-1, (("i", 1),)),))
    assert accessed(backward, {"i": (2, 5)}) == Elements((5,), ((1, 3),))
    rows, columns = 4, 6
    flattened = Index(0, (Term(1, (("n", 1),), 0, rows), Term(columns, (("n", 1),), 0, 1, rows)))
    found = accessed(flattened, {"n": (0, 5)})
    assert found is not None
    assert listed(found) == {0, 6, 12, 18, 1}
    assert accessed(flattened, {"n": (0, CAP + 1)}) is None


def random_ops() -> list[tuple[int, LoopOp]]:
    return [(seed, op) for seed in range(25) for op in random_program(seed, 6, TINY).ops if op.loops]


def test_masks_are_the_smallest_boxes() -> None:
    for seed, op in random_ops():
        values = points(op, whole(op))
        for read in range(len(op.reads)):
            happens = reading(op, read, values)
            found = domain(op, read)
            for loop in op.loops:
                here = values[loop.name][happens]
                want = (int(here.min()), int(here.max()) + 1) if len(here) else (0, 0)
                assert found[loop.name] == want, (seed, op.name, read)


def test_reads_are_values_or_indices() -> None:
    gathers = [op for _, op in random_ops() if op.name.endswith("gather")]
    assert gathers
    for op in gathers:
        assert [use.value for use in uses(op)] == ["index", "value"]
        assert followed(op, op.reads[1].index) == frozenset(loop.name for loop in op.loops)


def layouts_of(target_shape: tuple[int, ...], strides: tuple[int, ...], lanes: int) -> list[StickLayout]:
    orders = list(itertools.permutations(range(len(target_shape))))
    plain = [stick_layout(target_shape, strides, lanes, order) for order in orders]
    sparse = [stick_layout(target_shape, strides, lanes, (*order, -1)) for order in orders]
    return [*plain, *sparse]


def test_images_are_where_the_layout_puts_the_elements() -> None:
    """Sums over groups, point by point, and boxes of slices, against `StickLayout.coordinates`."""
    placed = 0
    for seed in range(12):
        program = random_program(seed, 6, TINY)
        for op in program.ops:
            for access in plain_accesses(op):
                target = program.buffer_map[access.buffer]
                for layout in layouts_of(target.shape, target.strides, 64):
                    image = place(access.index, full(op), layout)
                    assert isinstance(image, Image), (seed, op.name, image)
                    assert_same_places(op, access.index, image, layout)
                    placed += 1
    assert placed > 100


def plain_accesses(op: LoopOp) -> list[Access]:
    """Accesses that happen in every iteration, at places that no data decides."""
    reads = [read for number, read in enumerate(op.reads) if not op.masked(number)]
    return [access for access in (*reads, *op.writes) if op.loops and not access.index.gathers]


def digit_of(image: Image, digit: Digit, loop: NDArray[np.int64]) -> NDArray[np.int64]:
    """A digit at values of its loop, by walking down the cuts."""
    low, high = image.domain[digit.loop]
    value = high - 1 - loop if digit.loop in image.backward else loop - low
    node = image.digits.roots[digit.loop]
    while node != digit:
        q, above, below = image.digits.cuts.below[node]
        inside = digit in image.digits.cuts.leaves(above)
        node, value = (above, value // q) if inside else (below, value % q)
    return value


def assert_same_places(op: LoopOp, index: Index, image: Image, layout: StickLayout) -> None:
    values = points(op, whole(op))
    want = layout.coordinates(values[""] + index.evaluate(values))
    total = np.zeros_like(want)
    for group in image.groups:
        at = [digit_of(image, digit, values[digit.loop]) for digit in group.digits]
        for dim in range(len(want)):
            total[dim] += group.steps[dim] * at[0] if group.table is None else group.table[dim][tuple(at)]
    assert np.array_equal(total, want)
    first = op.loops[0]
    bounds = full(op).set(first.name, (first.extent // 2, first.extent))
    inside = want[:, values[first.name] >= first.extent // 2]
    box = image.box(bounds)
    assert box is not None
    assert [tuple(edges) for edges in box[:-1]] == [(int(row.min()), int(row.max())) for row in inside[:-1]]
    moving = [frozenset(name for name in image.moving[dim]) for dim in range(len(want))]
    assert all(bool(names) == (len(np.unique(row)) > 1) for names, row in zip(moving, want, strict=True))


@pytest.mark.parametrize(
    ("index", "why"),
    [
        (Index(-1, (Term(1, (("i", 1),)),)), "before the first element"),
        (Index(200, (Term(1, (("i", 1),)),)), "reaches coordinate"),
        (Index(0, (Term(1, (("i", 1),), 0, 1), Term(1, (("i", 3),), 0, 2))), "coordinate"),
    ],
)
def test_accesses_that_cannot_be_placed(index: Index, why: str) -> None:
    layout = stick_layout((100,), (1,), 64)
    found = place(index, frozendict(i=(0, 100)), layout)
    assert isinstance(found, str)
    assert why in found


def test_staggered_boxes_are_pairs_of_sticks() -> None:
    shape = (2, 256)
    layout = stick_layout(shape, dense(shape), 32, None, Arrangement.F16_TO_F32)
    index = Index(0, (Term(256, (("i", 1),)), Term(1, (("j", 1),))))
    image = place(index, frozendict(i=(0, 2), j=(0, 256)), layout)
    assert isinstance(image, Image)
    assert image.box(frozendict(i=(0, 2), j=(64, 128))) == ((2, 3), (0, 1), (0, 31))
    assert image.box(frozendict(i=(0, 2), j=(64, 96))) == ((2, 3), (0, 1), (0, 31))
    assert image.box(frozendict(i=(0, 2), j=(64, 64))) is None
    assert DType.F32.device_bytes == layout.element_bytes
