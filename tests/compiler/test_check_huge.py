"""Tensors of any size are checked in an instant: loops count as steps of digits, their points are never listed."""

import itertools
import operator
import time
from dataclasses import replace

import pytest
from frozendict import frozendict
from hypothesis import given
from hypothesis import strategies as st

from compiler.checks.case import Case
from compiler.checks.coverage import coverage
from compiler.checks.domains import domain
from compiler.checks.elements import Elements, merged, of_one_row, same
from compiler.checks.findings import Findings
from compiler.checks.image import Image, place
from compiler.checks.layouts import layout_fault
from compiler.checks.radix import Cuts, Digit, Digits, Group, cut_at
from compiler.device import load_device
from compiler.dtypes import DType
from compiler.errors import LimitError
from compiler.graph import ModelGraph
from compiler.layout import stick_layout
from compiler.loops import (
    Access,
    Apply,
    Const,
    Index,
    IndexValue,
    Instruction,
    Load,
    Loop,
    LoopOp,
    LoopProgram,
    OpKind,
    Origin,
    Term,
)
from compiler.masks import mask_ranges
from compiler.pipeline import compile_problem
from compiler.plan import Plan
from compiler.problem import Problem
from tests.compiler.tiny import buffer
from tests.random_draft import dense
from tests.sketch import Sketch

sparse = st.lists(st.tuples(st.integers(1, 12), st.integers(1, 4)), max_size=3)


def vector(*shape: int, dtype: DType = DType.F16) -> LoopProgram:
    sketch = Sketch("vector")
    sketch.output(sketch.apply("neg", sketch.input("x", *shape, dtype=dtype)))
    return sketch.program()


def total(*shape: int) -> LoopProgram:
    sketch = Sketch("total")
    sketch.output(sketch.reduce("sum", sketch.input("x", *shape), 0))
    return sketch.program()


def compiled(program: LoopProgram, cores: int) -> str:
    """'plan', or the limit that is in the way."""
    try:
        compile_problem(ModelGraph("m", (), (), ()), Problem(program, load_device("spyre").with_cores(cores)))
    except LimitError as error:
        return error.breach.value
    return "plan"


@pytest.mark.parametrize("cores", [1, 3, 32])
@pytest.mark.parametrize("power", [20, 21, 24, 29, 31, 40])
def test_a_long_vector_has_a_plan_or_meets_a_limit(power: int, cores: int) -> None:
    started = time.perf_counter()
    found = compiled(vector(1 << power), cores)
    assert time.perf_counter() - started < 1
    fits = -(-(1 << power) // 64 // (1 if cores == 1 else 2 if cores == 3 else 32)) <= 65535
    assert (found == "plan") is fits


@pytest.mark.parametrize(
    "program",
    [
        vector(600 << 30, dtype=DType.U8),
        vector(3, 1 << 28),
        vector(1 << 28, 3),
        vector(5, 1 << 24, 3),
        total(1 << 28),
        total(1 << 28, 3),
    ],
    ids=["bytes", "rows", "columns", "middle", "sum", "sum of rows"],
)
def test_other_huge_tensors_meet_a_limit(program: LoopProgram) -> None:
    started = time.perf_counter()
    assert compiled(program, 32) != "plan"
    assert time.perf_counter() - started < 1


@pytest.mark.parametrize("shape", [(1 << 31,), (600 << 30,), (3, (1 << 28) + 36), ((1 << 28) + 1, 3), (7, 1 << 26, 5)])
def test_layouts_of_huge_tensors_are_proved(shape: tuple[int, ...]) -> None:
    target = buffer("x", *shape)
    layout = stick_layout(shape, dense(shape), 64)
    assert layout_fault(target, layout, load_device("spyre")) == ""
    smaller = stick_layout((shape[0] - 64, *shape[1:]), dense(shape), 64)
    assert layout_fault(target, smaller, load_device("spyre")) != ""


def huge(index: Index, shape: tuple[int, ...], **extents: int) -> Image | str | None:
    domain = frozendict((name, (0, extent)) for name, extent in extents.items())
    return place(index, domain, stick_layout(shape, dense(shape), 64))


def loop(coefficient: int, name: str, divisor: int = 1, modulus: int = 0) -> Term:
    return Term(coefficient, ((name, 1),), 0, divisor, modulus)


def test_a_flat_walk_over_a_huge_matrix_is_followed() -> None:
    rows, columns = 1 << 13, (1 << 13) + 40
    image = huge(Index(0, (loop(1, "k"),)), (rows, columns), k=rows * columns)
    assert isinstance(image, Image)
    assert image.lane_loops == {"k"}
    assert image.box(frozendict(k=(columns, 2 * columns))) == ((0, 128), (1, 1), (0, 63))
    assert image.box(frozendict(k=(columns - 1, columns + 1))) == ((0, 128), (0, 1), (0, 63))
    assert image.box(frozendict(k=(65, 66))) == ((1, 1), (0, 0), (0, 63))


def test_floors_and_mods_of_huge_loops_are_followed() -> None:
    side = 1 << 13
    turned = Index(0, (loop(side, "k", modulus=side), loop(1, "k", divisor=side)))
    image = huge(turned, (side, side), k=side * side)
    assert isinstance(image, Image)
    assert image.box(frozendict(k=(64 * side, 64 * side + 3))) == ((1, 1), (0, 2), (0, 63))
    assert image.box(frozendict(k=(side - 1, side + 1))) == ((0, 0), (0, side - 1), (0, 63))


def test_rows_that_begin_inside_a_stick_are_followed() -> None:
    """Rows of 96 in sticks of 64: every second row begins in the middle of a stick."""
    image = huge(Index(0, (loop(96, "i"), loop(1, "j"))), (96 << 20,), i=1 << 20, j=96)
    assert isinstance(image, Image)
    assert image.box(frozendict(i=(1, 2), j=(0, 96))) == ((1, 2), (0, 63))
    assert image.box(frozendict(i=(2, 3), j=(0, 64))) == ((3, 3), (0, 63))


def test_a_huge_walk_out_of_its_buffer_is_found() -> None:
    size = 1 << 31
    assert isinstance(huge(Index(0, (loop(1, "k"),)), (size,), k=size), Image)
    assert "coordinate" in str(huge(Index(64, (loop(1, "k"),)), (size,), k=size))
    assert huge(Index(-1, (loop(1, "k"),)), (size,), k=size) == "reaches before the first element"
    assert isinstance(huge(Index(size - 1, (loop(-1, "k"),)), (size,), k=size), Image)
    assert huge(Index(size - 2, (loop(-1, "k"),)), (size,), k=size) == "reaches before the first element"


def joined_rows(rows: int, *columns: int, holes: int = 0) -> LoopProgram:
    """Parts of `columns` side by side; with `holes` the last ones are not written."""
    sketch = Sketch("rows")
    parts = [sketch.input(f"x{number}", rows, size) for number, size in enumerate(columns)]
    sketch.output(sketch.cat(1, *parts))
    program = sketch.program()
    last = program.ops[-1]
    cut = tuple(replace(one, extent=one.extent - holes) if one.name == "j" else one for one in last.loops)
    return replace(program, ops=(*program.ops[:-1], replace(last, loops=cut)))


def test_parts_of_very_many_rows_are_compared_by_one_row() -> None:
    for holes, word in ((0, ""), (1, "not written exactly")):
        problem = Problem(joined_rows(1 << 31, 3, 5, 64, holes=holes), load_device("spyre"))
        findings = Findings("coverage")
        plan = Plan(problem.program.name, problem.device.name, problem.device.cores, "")
        coverage(Case(problem, plan, frozenset({"edits"}), complete=False), findings)
        found = [sentence for sentence in findings.verdict().violations if "written" in sentence]
        assert word in " ".join(found)
        assert bool(found) is bool(word)


@given(st.lists(st.tuples(st.integers(0, 30), sparse), min_size=2, max_size=3))
def test_sets_are_equal_as_in_their_first_row(parts: list[tuple[int, list[tuple[int, int]]]]) -> None:
    sets = [Elements((start,), merged(runs)) for start, runs in parts]
    cut = of_one_row(sets)
    for left, right in itertools.combinations(range(len(sets)), 2):
        assert same(cut[left], cut[right]) == same(sets[left], sets[right])


def masked(size: int, first: int, last: int) -> LoopOp:
    """y[k] = x[k - first] where first <= k and k < last, by two comparisons."""
    k = Index(0, (loop(1, "k"),))
    body = (
        IndexValue(k, DType.I64),
        Const(first, DType.I64),
        Apply("ge", (0, 1), DType.BOOL),
        Const(last, DType.I64),
        Apply("lt", (0, 3), DType.BOOL),
        Apply("logical_and", (2, 4), DType.BOOL),
        Load(0, DType.F16, 5),
    )
    reads = (Access("x", Index(-first, (loop(1, "k"),))),)
    return LoopOp("pad", OpKind.POINTWISE, "", (Loop("k", size),), reads, (Access("y", k),), body, (6,), Origin())


@pytest.mark.parametrize(("size", "first", "last"), [(1 << 40, 5, (1 << 40) - 3), (9, 2, 7), (1 << 33, 1 << 32, 3)])
def test_masks_of_huge_loops_are_read(size: int, first: int, last: int) -> None:
    op = masked(size, first, last)
    wanted = (first, last) if first < last else None
    for found in (domain(op, 0)["k"], mask_ranges(op, 0)["k"]):
        assert found == wanted if wanted else found[0] >= found[1]


@pytest.mark.parametrize("primitive", ["ge", "gt", "le", "lt", "eq", "ne"])
@pytest.mark.parametrize("value", [-3, 0, 4, 5, 9, 10, 30])
def test_crossings_are_where_a_condition_changes(primitive: str, value: int) -> None:
    """3k - 2 against a constant over 0..9, by brute force."""
    index = Index(-2, (loop(3, "k"),))
    body: tuple[Instruction, ...] = (IndexValue(index, DType.I64), Const(value, DType.I64))
    body += (Apply(primitive, (0, 1), DType.BOOL),)
    reads = (Access("x", Index(0, (loop(1, "k"),))),)
    op = LoopOp(
        "m", OpKind.POINTWISE, "", (Loop("k", 10),), reads, reads, (*body, Load(0, DType.F16, 2)), (3,), Origin()
    )
    true = [k for k in range(10) if getattr(operator, primitive)(3 * k - 2, value)]
    wanted = (true[0], true[-1] + 1) if true else (0, 0)
    assert domain(op, 0)["k"] == wanted
    assert mask_ranges(op, 0)["k"] == wanted


@pytest.mark.parametrize(("size", "cuts"), [(24, (5,)), (100, (64, 7)), (7, ()), (60, (20, 4))])
def test_blocks_are_the_range_and_nothing_else(size: int, cuts: tuple[int, ...]) -> None:
    tree, node = Cuts(), Digit("k", 1, size)
    root = node
    for q in cuts:
        _, node = tree.cut(node, q)
    for first in range(size):
        for last in range(first, size):
            found = [value for block in tree.blocks(root, first, last) for value in listed(block)]
            assert sorted(found) == list(range(first, last + 1))


def listed(block: dict[Digit, tuple[int, int]]) -> list[int]:
    """Loop values of a product of digit ranges."""
    values = [0]
    for digit, (first, last) in block.items():
        values = [base + digit.weight * value for base in values for value in range(first, last + 1)]
    return values


def test_a_digit_is_cut_where_its_floors_become_steps() -> None:
    assert cut_at(1, 100, (64, 1)) == 64
    assert cut_at(96, 100, (64, 1)) == 2
    assert cut_at(128, 100, (64, 1)) == 0
    assert cut_at(7, 64, (64, 1)) == -1
    assert cut_at(7, 9, (64, 1)) == 0


def test_sums_of_one_loop_are_not_added_up_digit_by_digit() -> None:
    """Of 100 = 64 + 36 iterations the low digit reaches 63 only where the high one is 0."""
    tree, root = Cuts(), Digit("k", 1, 100)
    high, low = tree.cut(root, 64)
    groups = (Group((high,), (64,)), Group((low,), (1,)))
    assert Digits({"k": root}, tree).sums(groups, {}, 1) == ([0], [99])


@pytest.mark.parametrize(("names", "words"), [(["a"], "a: what it needs is"), (["a", "b"], "a, b: what they need is")])
def test_what_could_not_be_proved_is_said_of_one_and_of_several(names: list[str], words: str) -> None:
    findings = Findings("coverage")
    for name in names:
        findings.unproved(name)
    assert findings.verdict().violations == (f"nothing proved for {words} missing or malformed",)
