"""What single operations of KTIR mean."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from simulator.ktir.memory import HazardError
from tests.simulator.ktir.small import MEMBERS, load, program, ran, store, tile, view

KIND = "tensor<4xf16>"
SAME = "affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>"


def result(lines: Sequence[str], name: str = "%r") -> list[float]:
    """The four numbers of a tensor that the lines make of %d, which is 0, 1, 2, 3."""
    return [float(each) for each in ran(program([*lines, store(name, "%ty")], cores=1))[:4]]


def floats(name: str, *numbers: float) -> list[str]:
    """Lines that make a tensor of four different numbers, one at a time."""
    lines = [f"{name}_0 = tensor.empty() : {KIND}"]
    for place, number in enumerate(numbers):
        text = f"{number:.6f}" if math.isfinite(number) else "0x7E00"
        lines += [
            f"{name}c{place} = arith.constant {text} : f16",
            f"{name}s{place} = tensor.splat {name}c{place} : tensor<1xf16>",
            (
                f"{name}_{place + 1} = tensor.insert_slice {name}s{place} into {name}_{place}[{place}] [1] [1]"
                f" : tensor<1xf16> into {KIND}"
            ),
        ]
    return lines


@pytest.mark.parametrize(
    ("operation", "want"),
    [
        ("arith.addf", [2, 3, 4, 5]),
        ("arith.subf", [-2, -1, 0, 1]),
        ("arith.mulf", [0, 2, 4, 6]),
        ("arith.divf", [0, 0.5, 1, 1.5]),
        ("arith.maximumf", [2, 2, 2, 3]),
        ("arith.minimumf", [0, 1, 2, 2]),
        ("arith.maxnumf", [2, 2, 2, 3]),
        ("arith.minnumf", [0, 1, 2, 2]),
    ],
)
def test_two_tensors(operation: str, want: list[float]) -> None:
    lines = ["%two = arith.constant dense<2.0> : tensor<4xf16>", f"%r = {operation} %d, %two : {KIND}"]
    assert result(lines) == want


@pytest.mark.parametrize(
    ("operation", "function"),
    [
        ("arith.negf", lambda x: -x),
        ("math.exp", math.exp),
        ("math.sqrt", math.sqrt),
        ("math.tanh", math.tanh),
        ("math.erf", math.erf),
        ("math.absf", abs),
        ("math.floor", math.floor),
    ],
)
def test_one_tensor(operation: str, function: object) -> None:
    assert callable(function)
    want = [float(np.float16(function(x))) for x in (0.0, 1.0, 2.0, 3.0)]
    assert result([f"%r = {operation} %d : {KIND}"]) == pytest.approx(want, rel=2e-3)


def test_logarithms_and_reciprocal_roots() -> None:
    lines = floats("%n", 1.0, 4.0, 16.0, 0.25)
    assert result([*lines, f"%r = math.rsqrt %n_4 : {KIND}"]) == [1, 0.5, 0.25, 2]
    assert result([*lines, f"%r = math.log %n_4 : {KIND}"]) == pytest.approx([0, 1.386, 2.773, -1.386], rel=1e-3)


@pytest.mark.parametrize(
    ("predicate", "want"),
    [
        ("oeq", [0, 1, 0, 0]),
        ("one", [1, 0, 1, 0]),
        ("une", [1, 0, 1, 1]),
        ("ogt", [0, 0, 1, 0]),
        ("oge", [0, 1, 1, 0]),
        ("olt", [1, 0, 0, 0]),
        ("ole", [1, 1, 0, 0]),
    ],
)
def test_comparisons_where_one_is_no_number(predicate: str, want: list[float]) -> None:
    lines = [
        *floats("%n", 0.0, 1.0, 2.0, math.nan),
        "%one = arith.constant 1.0 : f16",
        f"%ones = tensor.splat %one : {KIND}",
        f"%t = arith.cmpf {predicate}, %n_4, %ones : {KIND}",
        f"%r = arith.select %t, %ones, %zero : tensor<4xi1>, {KIND}",
    ]
    assert result(lines) == want


@pytest.mark.parametrize(
    ("operation", "left", "right", "want"),
    [
        ("arith.divui", 7, 2, 3),
        ("arith.divsi", -7, 2, -3),
        ("arith.remui", 7, 2, 1),
        ("arith.remsi", -7, 2, -1),
        ("arith.subi", 7, 2, 5),
        ("arith.andi", 6, 3, 2),
        ("arith.ori", 6, 3, 7),
        ("arith.xori", 6, 3, 5),
    ],
)
def test_whole_numbers(operation: str, left: int, right: int, want: int) -> None:
    lines = [
        f"%a = arith.constant {left} : i32",
        f"%b = arith.constant {right} : i32",
        f"%c = {operation} %a, %b : i32",
        "%f = arith.sitofp %c : i32 to f16",
        f"%r = tensor.splat %f : {KIND}",
    ]
    assert result(lines) == [want] * 4


@pytest.mark.parametrize(("predicate", "want"), [("eq", 0), ("ne", 1), ("slt", 1), ("ule", 1), ("sgt", 0), ("uge", 0)])
def test_comparisons_choose_regions(predicate: str, want: float) -> None:
    lines = [
        "%one = arith.constant dense<1.0> : tensor<4xf16>",
        f"%t = arith.cmpi {predicate}, %c0, %c4 : index",
        f"%r = scf.if %t -> ({KIND}) {{",
        f"scf.yield %one : {KIND}",
        "} else {",
        f"scf.yield %zero : {KIND}",
        "}",
    ]
    assert result(lines) == [want] * 4


def test_a_region_that_is_not_entered_changes_nothing() -> None:
    lines = ["%t = arith.cmpi eq, %c0, %c4 : index", "scf.if %t {", store("%zero", "%ty"), "}"]
    assert result([store("%d", "%ty"), *lines], "%d") == [0, 1, 2, 3]


def test_a_loop_hands_on_what_it_makes() -> None:
    lines = [
        "%c1 = arith.constant 1 : index",
        f"%r = scf.for %n = %c0 to %c4 step %c1 iter_args(%so_far = %d) -> ({KIND}) {{",
        "%i = arith.index_cast %n : index to i32",
        "%f = arith.sitofp %i : i32 to f16",
        f"%t = tensor.splat %f : {KIND}",
        f"%more = arith.addf %so_far, %t : {KIND}",
        f"scf.yield %more : {KIND}",
        "}",
    ]
    assert result(lines) == [6, 7, 8, 9]


def test_a_loop_of_no_turns_hands_on_what_it_was_given() -> None:
    lines = [
        f"%r = scf.for %n = %c4 to %c0 step %c4 iter_args(%so_far = %d) -> ({KIND}) {{",
        f"scf.yield %zero : {KIND}",
        "}",
    ]
    assert result(lines) == [0, 1, 2, 3]


SQUARE = f"%s = tensor.expand_shape %d [[0, 1]] output_shape [2, 2] : {KIND} into tensor<2x2xf16>"
FLAT = f"%r = tensor.collapse_shape %u [[0, 1]] : tensor<2x2xf16> into {KIND}"
EMPTY = "%e = tensor.empty() : tensor<2x2xf16>"


def test_dims_in_another_order() -> None:
    turned = "%u = linalg.transpose ins(%s : tensor<2x2xf16>) outs(%e : tensor<2x2xf16>) permutation = [1, 0]"
    assert result([SQUARE, EMPTY, turned, FLAT]) == [0, 2, 1, 3]


@pytest.mark.parametrize(("dim", "want"), [(0, [1, 3, 1, 3]), (1, [1, 1, 3, 3])])
def test_repeated_along_a_dim(dim: int, want: list[float]) -> None:
    part = f"%p = tensor.extract_slice %d[1] [2] [2] : {KIND} to tensor<2xf16>"
    spread = f"%u = linalg.broadcast ins(%p : tensor<2xf16>) outs(%e : tensor<2x2xf16>) dimensions = [{dim}]"
    assert result([EMPTY, part, spread, FLAT]) == want


@pytest.mark.parametrize("form", ["region", "short"])
def test_a_fold_begins_with_what_it_is_given(form: str) -> None:
    kinds = "ins(%s : tensor<2x2xf16>) outs(%p : tensor<2xf16>) dimensions = [1]"
    region = "(%in: f16, %out: f16) {\n%j = arith.addf %in, %out : f16\nlinalg.yield %j : f16\n}"
    fold = (
        f"%f = linalg.reduce {kinds} {region}" if form == "region" else f"%f = linalg.reduce {{ arith.addf }} {kinds}"
    )
    lines = [
        SQUARE,
        f"%p = tensor.extract_slice %d[2] [2] [1] : {KIND} to tensor<2xf16>",
        fold,
        "%u = linalg.broadcast ins(%f : tensor<2xf16>) outs(%e : tensor<2x2xf16>) dimensions = [1]",
        FLAT,
    ]
    assert result([EMPTY, *lines]) == [3, 3, 8, 8]


def test_a_product_is_added_to_what_is_there() -> None:
    kinds = "tensor<2x2xf16>, tensor<2x2xf16>"
    product = f"%u = linalg.matmul ins(%s, %s : {kinds}) outs(%s : tensor<2x2xf16>) -> tensor<2x2xf16>"
    assert result([SQUARE, product, FLAT]) == [2, 4, 8, 14]


def test_named_sums_and_fills() -> None:
    kinds = f"{KIND}, {KIND}"
    lines = [
        "%five = arith.constant 5.0 : f16",
        f"%e = tensor.empty() : {KIND}",
        f"%f = linalg.fill ins(%five : f16) outs(%e : {KIND}) -> {KIND}",
        f"%a = linalg.add ins(%d, %f : {kinds}) outs(%e : {KIND}) -> {KIND}",
        f"%r = linalg.max ins(%a, %f : {kinds}) outs(%e : {KIND}) -> {KIND}",
    ]
    assert result(lines) == [5, 6, 7, 8]


def test_an_element_of_a_tensor_and_one_it_does_not_have() -> None:
    lines = [
        "%c2 = arith.constant 2 : index",
        f"%f = tensor.extract %d[%c2] : {KIND}",
        f"%r = tensor.splat %f : {KIND}",
    ]
    assert result(lines) == [2] * 4
    with pytest.raises(HazardError, match=r"it takes element \[4\] of a tensor of \[4\]"):
        result([f"%f = tensor.extract %d[%c4] : {KIND}", f"%r = tensor.splat %f : {KIND}"])


def test_what_is_not_written_is_no_number() -> None:
    assert all(math.isnan(each) for each in result([f"%r = tensor.empty() : {KIND}"]))


def test_rounding_to_half_and_back() -> None:
    lines = [
        f"%w = arith.extf %d : {KIND} to tensor<4xf32>",
        "%big = arith.constant dense<1.0e4> : tensor<4xf32>",
        "%x1 = arith.addf %w, %big : tensor<4xf32>",
        f"%r = arith.truncf %x1 : tensor<4xf32> to {KIND}",
    ]
    assert result(lines) == [10000] * 4  # steps of 8 up there


def test_a_grid_of_two_dims_counts_the_first_fastest() -> None:
    text = program([], cores=1).replace("grid = [1]", "grid = [2, 2]")
    ids = "%id, %row = ktdp.get_compute_tile_id : index, index\n%c1 = arith.constant 1 : index"
    text = text.replace("%id = ktdp.get_compute_tile_id : index", ids)
    number = "%t = arith.cmpi eq, %row, %c1 : index\nscf.if %t {\n" + store("%d", "%ty") + "\n}\nreturn"
    assert ran(text.replace("\nreturn", "\n" + number)).tolist() == list(range(8))


def test_two_groups_do_not_wait_for_each_other() -> None:
    future = f"!ktdp.tile_future<{KIND}, groups = affine_set<(g) : (g >= 0, -g + 1 >= 0)>>"
    members = "affine_set<(i)[g] : (i - g == 0)>"
    lines = [
        f"%sent = ktdp.inter_tile_produce producer_tiles_per_group = {members} : {KIND} -> {future}",
        "{\n^bb0(%gid: index):\nktdp.yield_partial %d : tensor<4xf16>\n}",
        (
            f"%r = ktdp.inter_tile_reduce(%sent) consumer_tiles_per_group = {members}, identity(%zero : {KIND})"
            f" : {future} -> {KIND}"
        ),
        f"{{\n^bb0(%a: {KIND}, %b: {KIND}):\n%both = arith.addf %a, %b : {KIND}\nktdp.yield_reduced %both : {KIND}\n}}",
        store("%r", "%ty"),
    ]
    assert ran(program(lines)).tolist() == list(range(8))
    with pytest.raises(HazardError, match="those who receive are others than those who send"):
        ran(program(lines).replace(f"consumer_tiles_per_group = {members}", f"consumer_tiles_per_group = {MEMBERS}"))


def test_a_view_with_steps() -> None:
    steps = view("%x", "global").replace("strides: [1]", "strides: [2]")
    lines = [f"%v2 = {steps}", f"%t2 = {tile('%v2')}", f"%r = {load('%t2')}"]
    assert result(lines) == [0, 2, 4, 6]
