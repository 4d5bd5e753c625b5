"""The parts of an import, each as the way back of what an export does: coordinates, host forms, loops, constants."""

from __future__ import annotations

import math
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.dtypes import DType
from compiler.formats.element_types import FP16, FP32, INT32
from compiler.formats.expression import Expression, parse_expression
from compiler.formats.opspec import Dimension, OpSpec, Place, Room, TensorArg
from compiler.layout import SPARSE, UNIT, Arrangement, stick_layout
from compiler.loops import Apply, Const, IndexValue
from compiler.read.import_bodies import Body, piece_mask, result_type
from compiler.read.import_constants import constant_value
from compiler.read.import_coordinates import ahead, flat_index, host_coordinates, refactored, regular_sizes
from compiler.read.import_flow import Tensor
from compiler.read.import_host import HostForm, dense, derived_form, found_layout, likely_strides
from compiler.read.import_loops import with_loop_names
from tests.compiler.spec_sketch import matmul, tensor

EXTENTS = {"c0": 6, "c1": 8, "c2": 128}


def expressions(*texts: str) -> tuple[Expression, ...]:
    return tuple(map(parse_expression, texts))


@st.composite
def cut_memory(draw: st.DrawFn) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Two ways to cut the same sticks into dims."""
    primes = draw(st.lists(st.sampled_from([1, 2, 3, 4]), min_size=1, max_size=5))
    edges = [draw(st.sets(st.integers(1, len(primes)), max_size=3)) for _ in range(2)]
    cut = []
    for own in edges:
        places = [0, *sorted(own - {len(primes)}), len(primes)]
        cut.append((*(math.prod(primes[a:b]) for a, b in pairwise(places)), 64))
    return cut[0], cut[1]


@given(cut_memory(), st.data())
def test_the_same_memory_in_other_dims(pair: tuple[tuple[int, ...], tuple[int, ...]], data: st.DataObject) -> None:
    sizes, wanted = pair
    names = [f"c{place}" for place in range(len(sizes) - 1)]
    extents = dict(zip(names, sizes, strict=False))
    walked = (*expressions(*names), parse_expression("0"))
    found = refactored(sizes, walked, wanted, extents)
    assert found is not None
    point = {name: data.draw(st.integers(0, extent - 1)) for name, extent in extents.items()}
    here, there = ([each.value(point) for each in coordinates] for coordinates in (walked, found))
    assert np.ravel_multi_index(here, sizes) == np.ravel_multi_index(there, wanted)


def test_memory_of_another_size_is_not_the_same() -> None:
    walked = expressions("c0", "0")
    assert refactored((6, 64), walked, (7, 64), EXTENTS) is None
    assert refactored((6, 64), walked, (12, 32), EXTENTS) is None


@pytest.mark.parametrize(
    ("size", "coordinates", "wanted"),
    [
        ("16 512 64", "floor(c1/64); c0; Mod(c1, 64)", (16, 512, 64)),
        ("512 64", "c0; 0", (1, 512, 64)),
        ("2 3 64", "c0; c1; 0", (2, 1, 3, 64)),
        ("8 2 64", "c0; floor(c2/64); Mod(c2, 64)", (8, 2, 1, 64)),
        ("2 3 5 64", "floor(c2/64); c0; c1; Mod(c2, 64)", (2, 15, 64)),
        ("1 64", "0; 0", (1, 64)),
        ("2 1 3 1 2 1 5 64", "c0; 0; c1; 0; 0; 0; c2; 0", (2, 3, 1, 2, 1, 5, 64)),
    ],
)
def test_device_sizes_in_the_order_of_a_layout(size: str, coordinates: str, wanted: tuple[int, ...]) -> None:
    found = regular_sizes(tensor(size, coordinates, "hbm 0"))
    assert math.prod(found) == math.prod(wanted)
    assert found[-1] == 64
    if len(wanted) < 7:
        assert found == wanted
    assert len(found) <= 7


@st.composite
def host_layouts(draw: st.DrawFn) -> HostForm:
    """Host tensors whose dims lie in any order, in any dim order."""
    shape = tuple(draw(st.lists(st.sampled_from([1, 2, 3, 7, 64, 100, 130]), max_size=4)))
    rank = len(shape)
    lie = draw(st.permutations(range(rank)))
    strides = [0] * rank
    for step, dim in zip(dense([shape[dim] for dim in lie]), lie, strict=True):
        strides[dim] = step
    order: tuple[int, ...] | None = tuple(draw(st.permutations(range(rank))))
    if rank:
        ends = draw(st.sampled_from([((), ()), ((), (SPARSE,)), ((UNIT,), ())]))
        order = (*ends[0], *(order or ()), *ends[1])
    lanes = draw(st.sampled_from([32, 64]))
    arrangement = draw(st.sampled_from([Arrangement.STANDARD, Arrangement.F16_TO_F32]))
    padding: tuple[tuple[int, int], ...] = ()
    if order and order[0] >= 0 and order[0] != order[-1] and draw(st.booleans()):
        padding = ((order[0], shape[order[0]] + draw(st.integers(1, 70))),)
    layout = stick_layout(shape, tuple(strides), lanes, order or None, arrangement, padding)
    return HostForm(shape, tuple(strides), layout)


@given(host_layouts())
def test_a_layout_is_found_by_its_sizes_and_strides(form: HostForm) -> None:
    layout = form.layout
    found = found_layout(form.shape, form.strides, layout.device_size, layout.stride_map, layout.arrangement)
    assert found is not None
    assert (found.device_size, found.stride_map) == (layout.device_size, layout.stride_map)
    offsets = np.arange(math.prod(form.shape), dtype=np.int64)[:200]
    assert np.array_equal(found.coordinates(offsets), layout.coordinates(offsets))


def test_no_layout_has_sizes_of_another_tensor() -> None:
    assert found_layout((8, 64), (64, 1), (1, 9, 64), (64, 1, 64), Arrangement.STANDARD) is None
    assert found_layout((8, 64), (64, 1), (8,), (1,), Arrangement.STANDARD) is None
    assert found_layout((2,) * 7, dense((2,) * 7), (1, 2, 64), (1, 2, 1), Arrangement.STANDARD) is None


@given(st.lists(st.sampled_from([1, 2, 5]), min_size=1, max_size=4).map(tuple))
def test_strides_that_are_left_out_are_tried_in_every_order(shape: tuple[int, ...]) -> None:
    found = list(likely_strides(shape, ()))
    assert len(found) == len(list(permutations(shape)))
    assert found[0] == dense(shape)
    assert next(likely_strides(shape, found[-1])) == found[-1]


def test_strides_with_gaps_are_not_believed() -> None:
    assert next(likely_strides((4, 10), (16, 1))) == (10, 1)


@pytest.mark.parametrize(
    ("sizes", "columns", "shape"),
    [
        ((16, 512, 64), 1000, (512, 1000)),
        ((4, 16, 8, 64), 1024, (8, 4, 1024)),
        ((1, 512, 64), 0, (512,)),
        ((3, 1, 8, 64), 0, (8, 3)),
        ((1, 64), 0, ()),
        ((2, 64), 70, (70,)),
    ],
)
def test_the_host_form_behind_device_sizes(sizes: tuple[int, ...], columns: int, shape: tuple[int, ...]) -> None:
    form = derived_form(sizes, columns, Arrangement.STANDARD)
    assert form.shape == shape
    assert form.layout.device_size == sizes
    assert form.strides == dense(shape)
    assert form.default is bool(columns or not shape)


def test_coordinates_lead_to_the_elements_that_they_came_from() -> None:
    form = derived_form((8, 2, 6, 64), 128, Arrangement.STANDARD)
    walked = expressions("c1", "floor(c2/64)", "c0", "Mod(c2, 64)")
    hosts = host_coordinates(walked, form.layout, 3, EXTENTS)
    assert [str(each) for each in hosts] == ["c0", "c1", "c2"]
    index = flat_index(hosts, form.strides)
    assert index is not None
    assert index.affine
    assert [index.coefficient(name) for name in EXTENTS] == [1024, 128, 1]


@given(
    st.sampled_from(
        ["floor((2*c0 + c1)/4)", "Mod(c1 + 3, 5)", "floor(Mod(c1, 6)/3)", "Mod(floor(c2/3), 4)", "c0 - c1"]
    ),
    st.integers(-3, 3),
    st.integers(0, 9),
)
def test_an_index_has_the_value_of_its_expression(text: str, factor: int, more: int) -> None:
    one = parse_expression(f"{text} + {more}")
    index = flat_index((one,), (factor,))
    assert index is not None
    for point in ({"c0": 0, "c1": 0, "c2": 0}, {"c0": 5, "c1": 7, "c2": 127}, {"c0": 3, "c1": 2, "c2": 64}):
        values = {name: np.asarray(value, dtype=np.int64) for name, value in point.items()}
        assert int(index.evaluate(values)) == factor * one.value(point)


def test_floors_of_floors_of_other_things_are_no_index() -> None:
    assert flat_index(expressions("floor((c0 + floor(c1/3))/5)"), (1,)) is None


def test_an_access_that_begins_inside_is_ahead_in_the_dims_where_that_lies() -> None:
    one = tensor("8 2 4 64", "c0; floor(c1/64); c2; Mod(c1, 64)", "hbm_pool 0")
    assert [str(each) for each in ahead(one, 13, (8, 2, 4))] == ["c0 + 1", "floor(c1/64) + 1", "c2 + 1", "Mod(c1, 64)"]


def test_loops_are_called_as_ours_are() -> None:
    named = with_loop_names(matmul())
    assert [dim.symbol for dim in named.iteration] == ["m", "n", "k"]
    assert [[str(each) for each in arg.coordinates] for arg in named.args] == [
        ["floor(k/64)", "m", "Mod(k, 64)"],
        ["floor(n/64)", "k", "Mod(n, 64)"],
        ["floor(n/64)", "m", "Mod(n, 64)"],
    ]


def test_loops_of_one_iteration_have_no_name() -> None:
    one = tensor("1 8 64", "c1; c0; Mod(c2, 64)", "hbm 0")
    spec = OpSpec("exp", False, (Dimension("c0", 8), Dimension("c1", 1), Dimension("c2", 64)), (one,))
    named = with_loop_names(spec)
    assert [dim.symbol for dim in named.iteration] == ["i", "j"]
    assert [str(each) for each in named.args[0].coordinates] == ["0", "i", "Mod(j, 64)"]
    assert [dim.symbol for dim in with_loop_names(spec, frozenset({"c1"})).iteration] == ["i", "j", "k"]


def _given(name: str) -> Tensor:
    return Tensor(name, "", "k0", Place(Room.HBM, 0), 128, 0, None, given=True)


@pytest.mark.parametrize(
    ("text", "value"), [("1024.0", 1024.0), ("1e-05", 1e-05), ("-inf", -math.inf), ("3", 3), ("True", True)]
)
def test_a_number_behind_the_name_is_a_constant(text: str, value: float) -> None:
    body = Body()
    assert constant_value(body, _given(f"a/b#{text}"), tensor("1 64", "0; 0", "hbm 0"), DType.F16) == 0
    assert body.steps == [Const(value, DType.F16)]


def test_a_comparison_behind_the_name_is_a_mask() -> None:
    body, walked = Body(), tensor("2 128 64", "floor(l/64); k; Mod(l, 64)", "hbm 0")
    assert constant_value(body, _given("where#(l <= k)"), walked, DType.BOOL) == 2
    assert [type(step) for step in body.steps] == [IndexValue, IndexValue, Apply]


@pytest.mark.parametrize("name", ["x", "x#", "x#y", "x#(l <= i)", "x#(l = k)", "x#(l < __import__('os'))", "x#1; 2"])
def test_other_names_are_no_constants(name: str) -> None:
    walked = tensor("2 128 64", "floor(l/64); k; Mod(l, 64)", "hbm 0")
    body = Body()
    assert constant_value(body, _given(name), walked, DType.BOOL) is None
    assert not body.steps


def test_a_constant_that_an_op_has_written_is_none() -> None:
    written = Tensor("x#1", "", "k0", Place(Room.LX, 0), 128, 128, None, given=False)
    assert constant_value(Body(), written, tensor("1 64", "0; 0", "lx 0"), DType.F16) is None


def test_equal_instructions_are_there_once_but_zeros_of_either_sign_are_two() -> None:
    body = Body()
    assert [body.add(Const(value, DType.F16)) for value in (0.0, -0.0, 0.0)] == [0, 1, 0]
    assert piece_mask(body, "k", 0, 4, 12) != piece_mask(body, "k", 4, 8, 12) != piece_mask(body, "k", 8, 12, 12)


@pytest.mark.parametrize(
    ("function", "device", "sources", "wanted"),
    [
        ("add", FP16, (DType.BF16, DType.BF16), DType.BF16),
        ("greaterthan", FP16, (DType.F16, DType.F16), DType.BOOL),
        ("where3", FP16, (DType.BOOL, DType.F16, DType.F16), DType.F16),
        ("identity", FP16, (DType.BOOL,), DType.BOOL),
        ("identity", INT32, (DType.I64,), DType.I64),
        ("fp32todl16", FP16, (DType.F32,), DType.F16),
        ("dl16tofp32", FP32, (DType.F16,), DType.F32),
    ],
)
def test_types_of_results(function: str, device: str, sources: tuple[DType, ...], wanted: DType) -> None:
    assert result_type(function, device, sources) is wanted


def test_an_argument_has_as_many_names_as_places() -> None:
    """More dims than there are letters keep their own names."""
    dims = tuple(Dimension(f"c{place}", 2) for place in range(20))
    arg = TensorArg(True, 0, FP16, (1, 64), expressions("0", "0"), Place(Room.HBM, 0))
    spec = OpSpec("exp", False, dims, (arg,))
    assert with_loop_names(spec) == spec
