"""KTIR that is read back: what the writer writes, in both spellings, and texts with one thing wrong."""

from __future__ import annotations

import re

import pytest

from compiler.emit.ktir import Spelling, ktir_module
from compiler.errors import InputError
from compiler.formats.ktir_ir import Affine, AffineSet, KtirModule, MemorySpace, Operation, Region, Scalar, Shaped
from compiler.pins import Pins
from compiler.read.ktir import read_ktir
from tests.simulator.ktir.exported import EXAMPLES, MOVED, SUMMED, exported

TEXT = """\
module {
  func.func @kernel0(%arg0: index, %arg1: index) attributes {grid = [2]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %half = arith.constant 5.000000000e-01 : f16
    %id = ktdp.get_compute_tile_id : index
    // 0: mul -> y
    scf.for %once = %c0 to %c1 step %c1 {
      %v1 = ktdp.construct_memory_view %arg0, sizes: [2, 64], strides: [64, 1] {coordinate_set = affine_set<(d0, d1) : \
(d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 63 >= 0)>, memory_space = #ktdp.memory_space<global>} : memref<2x64xf16>
      %v2 = ktdp.construct_access_tile %v1[%id, %c0] {access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, \
d1 >= 0, -d1 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>} : memref<2x64xf16> -> \
!ktdp.access_tile<1x64xindex>
      %v3 = ktdp.load %v2 : !ktdp.access_tile<1x64xindex> -> tensor<1x64xf16>
      %v4 = tensor.splat %half : tensor<1x64xf16>
      %v5 = arith.mulf %v3, %v4 : tensor<1x64xf16>
      %v6 = ktdp.construct_memory_view %arg1, sizes: [2, 64], strides: [64, 1] {coordinate_set = affine_set<(d0, d1) : \
(d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 63 >= 0)>, memory_space = #ktdp.memory_space<ct_local, ct_id = 1>} : \
memref<2x64xf16>
      %v7 = ktdp.construct_access_tile %v6[%id, %c0] {access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, \
d1 >= 0, -d1 + 63 >= 0)>, access_tile_order = affine_map<(d0, d1) -> (d0, d1)>} : memref<2x64xf16> -> \
!ktdp.access_tile<1x64xindex>
      ktdp.store %v5, %v7 : tensor<1x64xf16>, !ktdp.access_tile<1x64xindex>
    }
    return
  }
}
"""


def operations(module: KtirModule) -> list[Operation]:
    """All operations of a module, outer ones before those inside."""
    found: list[Operation] = []
    open_ = [each for function in reversed(module.functions) for each in reversed(function.body)]
    while open_:
        one = open_.pop()
        found.append(one)
        open_ += [each for region in reversed(one.regions) for each in reversed(region.body)]
    return found


# What the writer writes


@pytest.mark.parametrize("cores", [4, 32])
@pytest.mark.parametrize("name", EXAMPLES)
def test_what_is_written_is_read_back(name: str, cores: int) -> None:
    module = exported(name, cores).module
    found = read_ktir(module.text)
    assert [each.name for each in found.functions] == [name for name, _ in module.arguments]
    assert [len(each.parameters) for each in found.functions] == [len(buffers) for _, buffers in module.arguments]
    assert {each.grid for each in found.functions} == {(cores,)}
    lines = module.text.splitlines()
    for operation in operations(found):
        line = lines[operation.line - 1].strip()
        head = f"{', '.join(operation.results)} = {operation.name}" if operation.results else operation.name
        assert line.startswith(head)
    assert len(operations(found)) == sum(
        bool(re.match(r" +(%\S+ = )?[a-z]+\.[a-z_]+|    return", x)) for x in lines[2:]
    )


@pytest.mark.parametrize(("name", "pins"), [("mismatch", MOVED), ("mlp", SUMMED)], ids=["moved", "summed"])
def test_both_spellings_are_the_same_program(name: str, pins: Pins) -> None:
    example = exported(name, 4, pins)
    old = ktir_module(example.specified.kernels, 4, Spelling.OLD)
    assert "#ktdp.memory_space" not in old.text
    assert "#ktdp.spyre_memory_space<HBM>" in old.text
    assert old.text != example.text
    assert read_ktir(old.text) == read_ktir(example.text)


def test_clearing_is_read_back() -> None:
    example = exported("mismatch", 4)
    cleared = ktir_module(example.specified.kernels, 4, clear_bytes=1024)
    first, second = read_ktir(cleared.text), read_ktir(example.text)
    loops = [sum(each.name == "scf.for" for each in operations(module)) for module in (first, second)]
    assert loops[0] == loops[1] + 1


def test_kernels_whose_names_become_the_same_have_two_functions() -> None:
    kernel = exported("mismatch", 4).specified.kernels[0]
    module = ktir_module((kernel, kernel), 4)
    names = [name for name, _ in module.arguments]
    assert [each.name for each in read_ktir(module.text).functions] == names
    assert len(set(names)) == 2


def test_what_a_text_says() -> None:
    function = read_ktir(TEXT).functions[0]
    assert (function.name, function.parameters, function.grid) == ("kernel0", ("%arg0", "%arg1"), (2,))
    loop = function.body[4]
    assert (loop.name, loop.line, loop.operands) == ("scf.for", 8, ("%c0", "%c1", "%c1"))
    region = loop.regions[0]
    assert isinstance(region, Region)
    assert region.arguments == (("%once", Scalar("index")),)
    view, tile = region.body[5], region.body[6]
    assert view.attributes["memory_space"] == MemorySpace(local=True, core=1)
    assert view.types == (Shaped("memref", (2, 64), "f16"),)
    assert tile.operands == ("%v6", "%id", "%c0")
    inside = tile.attributes["access_tile_set"]
    assert isinstance(inside, AffineSet)
    assert inside.box() == ((0, 0), (0, 63))
    assert str(tile.types[0]) == "!ktdp.access_tile<1x64xindex>"


def test_sets_may_have_names_and_constants_bits() -> None:
    whole = "affine_set<(d0, d1) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 63 >= 0)>"
    named = f"#whole = {whole}\n#map = affine_map<(d0, d1) -> (d0, d1)>\n" + TEXT.replace(whole, "#whole")
    named = named.replace("affine_map<(d0, d1) -> (d0, d1)>}", "#map}").replace("5.000000000e-01", "0xFC00")
    views = [one for one in operations(read_ktir(named)) if one.name == "ktdp.construct_memory_view"]
    assert (
        views[0].attributes["coordinate_set"]
        == read_ktir(TEXT).functions[0].body[4].regions[0].body[0].attributes["coordinate_set"]
    )
    constant = next(one for one in operations(read_ktir(named)) if one.results == ("%half",))
    assert constant.attributes["value"] == float("-inf")


@pytest.mark.parametrize(
    ("text", "value"),
    [("i - 2*g", 1), ("-i + 3", -4), ("(i mod 4) * 2", 6), ("i floordiv 2 - g floordiv 3", 2), ("-(i - 10)", 3)],
)
def test_expressions(text: str, value: int) -> None:
    line = f"%s = ktdp.inter_tile_produce producer_tiles_per_group = affine_set<(i)[g] : ({text} >= 0)> : tensor<1xf32>"
    future = "!ktdp.tile_future<tensor<1xf32>, groups = affine_set<(g) : (g == 0)>>"
    body = f"{line} -> {future} {{\n^bb0(%g: index):\nktdp.yield_partial %t : tensor<1xf32>\n}}"
    zero = "%z = arith.constant 0.0 : f32\n%t = tensor.splat %z : tensor<1xf32>"
    found = read_ktir(f"func.func @f() {{\n{zero}\n{body}\nreturn\n}}").functions[0].body[2].attributes["members"]
    assert isinstance(found, AffineSet)
    expression = found.constraints[0][0]
    assert isinstance(expression, Affine)
    assert expression.value({"i": 7, "g": 3}) == value


# One thing wrong

SWAPS = {
    ("arith.constant 0 : index", "arith.constant zero : index"): "line 3: zero is no constant of type index",
    ("arith.constant 0 : index", "arith.constant 1.5 : index"): "1.5 is no constant of type index",
    ("grid = [2]", "grid = [0]"): "line 2: its grid is no grid of cores",
    ("grid = [2]", "grid = [two]"): "two stands where a whole number is expected",
    ("grid = [2]", "grid = [99999999999999999999]"): "a number has more than 64 bits",
    ("%arg1: index)", "%arg0: index)"): "%arg0 is defined twice",
    ("%v5 = arith", "%v4 = arith"): "%v4 is defined twice",
    ("arith.mulf %v3, %v4", "arith.mulf %v3, %v9"): "line 13: arith.mulf: %v9 is not defined here",
    ("arith.mulf %v3, %v4", "arith.mulf %v3"): "arith.mulf: it takes 2, not 1",
    ("arith.mulf %v3, %v4 : tensor<1x64xf16>", "arith.mulf %v3, %v4 : tensor<1x64xf32>"): (
        "%v3 is tensor<1x64xf16>, not tensor<1x64xf32>"
    ),
    ("arith.mulf %v3", "arith.muli %v3"): "tensor<1x64xf16> holds no whole numbers",
    ("arith.mulf", "arith.powf"): "arith.powf stands where an operation that is read here is expected",
    ("-> tensor<1x64xf16>\n      %v4", "-> tensor<2x64xf16>\n      %v4"): (
        "!ktdp.access_tile<1x64xindex> holds no tensor<2x64xf16>"
    ),
    ("sizes: [2, 64], strides: [64, 1] {c", "sizes: [2, 32], strides: [64, 1] {c"): "its sizes are not those of",
    ("strides: [64, 1]", "strides: [64]"): "its strides are not those of memref<2x64xf16>",
    ("-d0 + 1 >= 0, d1", "-d0 + 2 >= 0, d1"): "its coordinate set is not that of memref<2x64xf16>",
    ("(d0 >= 0, -d0 >= 0,", "(d0 >= 0, d0 >= 0,"): "its set is not that of !ktdp.access_tile<1x64xindex>",
    ("%v2 = ktdp.construct_access_tile %v1[%id, %c0]", "%v2 = ktdp.construct_access_tile %v1[%id]"): (
        "it has not one start for every dim of memref<2x64xf16>"
    ),
    ("#ktdp.memory_space<global>", "#ktdp.memory_space<HBM>"): "HBM is no kind of ktdp.memory_space",
    ("#ktdp.memory_space<global>", "#ktdp.spyre_memory_space<HBM>"): "memory spaces are spelled in two ways",
    ("ct_local, ct_id = 1", "global, ct_id = 1"): "only the memory of a core has the number of one",
    (", memory_space = #ktdp.memory_space<global>", ""): "it names no memory",
    ("memory_space = #", "memory_room = #"): "memory_room stands where an attribute of a view or a tile is expected",
    ("tensor<1x64xf16>\n      %v5", "tensor<0x64xf16>\n      %v5"): "0x64xf16 has no element",
    ("tensor<1x64xf16>\n      %v5", "tensor<9999999x9999999xf16>\n      %v5"): "more than any device holds",
    ("tensor<1x64xf16>\n      %v5", "tensor<1x64xf8>\n      %v5"): "stands where a shape with an element type is",
    ("    return\n", ""): "the region does not end in return",
    ("    return\n", "    return\n    return\n"): "return: it ends no region here",
    ("  }\n}\n", ""): "the end stands where an operation that is read here is expected",
    ("module {", "module ["): "line 1: [ stands where { is expected",
    ("@kernel0(", "kernel0("): "kernel0 stands where the name of a function is expected",
    ("%id = ktdp.get_compute_tile_id : index", "%id, %x = ktdp.get_compute_tile_id : index, index"): (
        "it has one index for every dim of the grid"
    ),
    ("%half = arith", "%half, %more = arith"): "it has 1 results",
    ("%c1 = arith", "c1 = arith"): "c1 stands where an operation that is read here is expected",
    ("step %c1 {", "step %half {"): "%half is f16, not index",
    ("= arith.mulf", "= ü"): "'ü' is no part of KTIR",
}


@pytest.mark.parametrize("swap", SWAPS, ids=lambda swap: SWAPS[swap])
def test_a_text_with_one_thing_wrong(swap: tuple[str, str]) -> None:
    before, after = swap
    assert before in TEXT
    with pytest.raises(InputError, match=re.escape(SWAPS[swap])) as caught:
        read_ktir(TEXT.replace(before, after, 1), "some.mlir")
    sentence = str(caught.value)
    assert sentence.startswith("some.mlir, line ")
    assert "\n" not in sentence
    assert len(sentence) < 300


LONG = {
    "brackets": ("", "[", 100_000_000),
    "braces": ("module {", "{", 50_000_000),
    "regions": ("func.func @f() {\n%c = arith.constant true : i1\n", "scf.if %c {", 1_000_000),
    "parentheses": ("#s = affine_set<(d0) : (", "(", 60_000_000),
    "signs": ("#s = affine_set<(d0) : (", "- ", 30_000_000),
    "sums": ("#s = affine_set<(d0) : (", "d0 + ", 12_000_000),
    "products": ("#s = affine_set<(d0) : (d0 ", "mod 4 ", 10_000_000),
    "constraints": ("#s = affine_set<(d0) : (", "d0 >= 0, ", 6_000_000),
    "futures": ("func.func @f() { %a = ktdp.load %b : ", "<", 60_000_000),
    "map": ("#m = affine_map<", "(", 60_000_000),
    "numbers": ("func.func @f() attributes {grid = [", "1, ", 20_000_000),
    "a word": ("func.func @", "f", 60_000_000),
    "a number": ("func.func @f() attributes {grid = [", "1", 60_000_000),
    "a shape": ("func.func @f() { %a = tensor.empty() : tensor<", "1x", 30_000_000),
    "comments": ("", "// \n", 15_000_000),
    "lines": ("", "\n", 60_000_000),
    "nothing": ("", "", 0),
    "zeros": ("", "\0", 1000),
}


@pytest.mark.parametrize("kind", LONG)
def test_a_text_that_goes_on_and_on(kind: str) -> None:
    start, unit, times = LONG[kind]
    with pytest.raises(InputError) as caught:
        read_ktir(start + unit * times)
    assert len(str(caught.value)) < 300


def test_every_beginning_of_a_text_is_refused_with_a_line() -> None:
    for end in range(0, len(TEXT) - 3, 7):
        with pytest.raises(InputError, match=r"this module, line \d+: "):
            read_ktir(TEXT[:end])
