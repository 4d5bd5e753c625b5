"""Single layouts: unit dims, dims in their places, who may ask for which layout, and zeros along which dims."""

import pytest

from compiler.check import check
from compiler.dtypes import DType
from compiler.layout import SPARSE, UNIT, Arrangement, StickLayout, stick_layout
from compiler.loops import BufferKind
from compiler.plan import Edit, EditKind, Plan
from compiler.problem import Problem
from tests.compiler.tiny import (
    buffer,
    failed,
    graph_input,
    laid_out,
    naive_plan,
    op,
    placed,
    program,
    slot,
    split,
    spyre,
)
from tests.compiler.tiny_problems import ROWS, among, chain, normed, only

PARAMETER, CONSTANT = BufferKind.PARAMETER, BufferKind.CONSTANT


def weighted(kind: BufferKind = PARAMETER, dtype: DType = DType.F16) -> Problem:
    """y[i, j] = w[i, j] + x[i, j]."""
    w, x, y = buffer("w", 64, 128, kind=kind, dtype=dtype), graph_input("x", 64, 128), buffer("y", 64, 128)
    return Problem(program([w, x, y], [op("add", "ij", ROWS, [(w, "ij"), (x, "ij")], (y, "ij"))], y), spyre(4))


def with_layout(problem: Problem, name: str, layout: StickLayout) -> Plan:
    return laid_out(naive_plan(problem), **{name: layout})


def of_rows(order: tuple[int, ...], padding: tuple[tuple[int, int], ...] = ()) -> StickLayout:
    """A layout of [64, 128]."""
    return stick_layout((64, 128), (128, 1), 64, order, padding=padding)


def of_rows_padded(padding: object) -> StickLayout:
    """A layout of [65, 128] that claims to be padded, with anything for its padding."""
    return StickLayout((2, 65, 64), (64, 128, 1), (0, 1), Arrangement.STANDARD, padding)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["a", "b", "y"])
def test_every_dim_may_lie_outside_of_the_stick(name: str) -> None:
    problem = chain()
    layout = of_rows((UNIT, 0, 1))
    assert layout.device_size == (64, 2, 1, 64)
    assert failed(check(problem, with_layout(problem, name, layout))) == {}


@pytest.mark.parametrize(
    ("layout", "words"),
    [
        (StickLayout((64, 2, 2, 64), (128, 64, -1, 1), (UNIT, 0, 1)), "2 places in device dim 2, the unit dim takes 1"),
        (StickLayout((64, 2, 1, 64), (128, 64, 7, 1), (UNIT, 0, 1)), "moves 7 elements along device dim 2"),
        (StickLayout((64, 2, 1, 64), (128, 64, -1, 1), (0, UNIT, 1)), "does not name each of its 2 dims once"),
        (StickLayout((64, 2, 1, 1, 64), (128, 64, -1, -1, 1), (UNIT, UNIT, 0, 1)), "does not name each of its 2 dims"),
        (StickLayout((1, 64), (-1, -1), (UNIT,)), "has the dim order (-2,)"),
        (StickLayout((2, 64, 64), (64, 128, 1), (-3, 0, 1)), "has the dim order (-3, 0, 1)"),
        (StickLayout((2, 64, 64), (64, 128, 1), (UNIT, 0, 1)), "has 3 device dims, the dim order (-2, 0, 1) takes 4"),
        (StickLayout((64, 2, 1, 64), (128, 64, -1, 1), (0, 1)), "has 4 device dims, the dim order (0, 1) takes 3"),
        (StickLayout((2, 65, 64), (64, 128, 1), (0, 1)), "has 65 places in device dim 1, dim 0 takes 64"),
    ],
)
def test_dims_are_where_the_order_has_them(layout: StickLayout, words: str) -> None:
    problem = chain()
    assert words in among(problem, with_layout(problem, "a", layout), "sticks")


def test_an_order_has_six_entries() -> None:
    shape = (1, 1, 1, 1, 2, 64)
    extents = {"i": 2, "j": 64}
    x, y = graph_input("x", *shape), buffer("y", *shape)
    problem = Problem(program([x, y], [op("copy", "ij", extents, [(x, "....ij")], (y, "....ij"))], y), spyre(4))
    assert failed(check(problem, naive_plan(problem))) == {}
    long = StickLayout((*shape[:-1], 1, 1, 64), (-1, -1, -1, -1, 64, 64, -1, 1), (UNIT, *range(6)))
    assert "has the dim order (-2, 0, 1, 2, 3, 4, 5) of 7 entries, the most are 6" in among(
        problem, with_layout(problem, "y", long), "sticks"
    )


@pytest.mark.parametrize("kind", [PARAMETER, CONSTANT])
@pytest.mark.parametrize(
    "layout",
    [of_rows((UNIT, 0, 1)), of_rows((0, 1), ((0, 96),)), of_rows((UNIT, 0, 1), ((0, 65),))],
    ids=["unit", "padded", "both"],
)
def test_weights_are_laid_out_for_free(kind: BufferKind, layout: StickLayout) -> None:
    problem = weighted(kind)
    assert failed(check(problem, with_layout(problem, "w", layout))) == {}


def test_another_stick_of_a_weight_is_only_a_question_of_its_readers() -> None:
    problem = weighted()
    words = only(problem, with_layout(problem, "w", of_rows((1, 0))), "sticks")
    assert words == "add: has sticks in two directions: w along i, x along j, y along j"
    sparse = only(problem, with_layout(problem, "w", of_rows((0, 1, SPARSE))), "sticks")
    assert sparse == "add: w changes along j without having its stick there"


def test_the_host_staggers_nothing() -> None:
    problem = weighted(dtype=DType.F32)
    staggered = stick_layout((64, 128), (128, 1), 32, None, Arrangement.F16_TO_F32)
    words = among(problem, with_layout(problem, "w", staggered), "sticks")
    assert "w is filled by the host, which cannot write it arranged f16-to-f32" in words


def test_weights_that_are_returned_stay_as_they_are() -> None:
    w, x, y = buffer("w", 64, 128, kind=PARAMETER), graph_input("x", 64, 128), buffer("y", 64, 128)
    add = op("add", "ij", ROWS, [(w, "ij"), (x, "ij")], (y, "ij"))
    problem = Problem(program([w, x, y], [add], y, w), spyre(4))
    assert failed(check(problem, naive_plan(problem))) == {}
    words = among(problem, with_layout(problem, "w", of_rows((UNIT, 0, 1))), "sticks")
    assert "w is filled by the host and must have the default layout (2, 64, 64), dim order (0, 1)" in words


def test_weights_that_are_written_stay_as_they_are() -> None:
    w, x = buffer("w", 64, 128, kind=PARAMETER), graph_input("x", 64, 128)
    problem = Problem(program([w, x], [op("set", "ij", ROWS, [(x, "ij")], (w, "ij"))], x), spyre(4))
    assert "w is filled by the host and must have" in among(
        problem, with_layout(problem, "w", of_rows((UNIT, 0, 1))), "sticks"
    )


@pytest.mark.parametrize("layout", [of_rows((UNIT, 0, 1)), of_rows((0, 1), ((0, 65),))], ids=["unit", "padded"])
def test_inputs_have_the_default_layout(layout: StickLayout) -> None:
    problem = chain()
    words = among(problem, with_layout(problem, "x", layout), "sticks")
    assert "x is filled by the host and must have the default layout (2, 64, 64), dim order (0, 1)" in words


@pytest.mark.parametrize(
    ("layout", "words"),
    [
        (StickLayout((2, 64, 64), (64, 128, 1), (0, 1), padding=((1, 192),)), "w pads its stick dim 1"),
        (StickLayout((2, 65, 64), (64, 128, 1), (0, 1), padding=((0, 65), (0, 65))), "w pads dim 0 twice"),
        (of_rows((0, 1), ((0, 64),)), "w pads dim 0 to 64, it has 64 rows without that"),
        (StickLayout((2, 65, 64), (64, 128, 1), (0, 1), padding=((2, 65),)), "w pads dim 2 of its 2 dims"),
        (StickLayout((2, 65, 64), (64, 128, 1), (0, 1), padding=((-1, 65),)), "w has the padding ((-1, 65),)"),
        (of_rows_padded(((0, 65, 1),)), "w has the padding ((0, 65, 1),)"),
        (of_rows_padded((0,)), "w has the padding (0,)"),
        (StickLayout((2, 65, 64), (64, 128, 1), (0, 1), padding=((0, 66),)), "has 65 places in device dim 1, dim 0"),
        (StickLayout((2, 64, 64), (64, 128, 1), (0, 1), padding=((0, 66),)), "has 64 places in device dim 1, dim 0"),
    ],
)
def test_padding_is_of_whole_dims_outside_of_the_stick(layout: StickLayout, words: str) -> None:
    problem = weighted()
    assert words in among(problem, with_layout(problem, "w", layout), "sticks")


def test_a_dim_of_one_row_can_be_padded_too() -> None:
    problem = normed()
    w = buffer("w", 1, 128, kind=PARAMETER)
    x, _, y = problem.program.buffers
    spread = op("spread", "ij", ROWS, [(x, "ij"), (w, ".j")], (y, "ij"))
    problem = Problem(program([x, w, y], [spread], y), spyre(4))
    padded = stick_layout((1, 128), (128, 1), 64, padding=((0, 64),))
    assert failed(check(problem, with_layout(problem, "w", padded))) == {}


def test_ops_write_no_zeros() -> None:
    problem = chain()
    words = among(problem, with_layout(problem, "a", of_rows((0, 1), ((0, 96),))), "sticks")
    assert "a is padded along dim 0 to 96, but only the host and inserted copies write zeros" in words


def filled_up() -> tuple[Problem, Plan]:
    """The chain where to_b reads a copy of a that is padded to 96 rows."""
    problem = chain()
    edit = Edit("fill", EditKind.PAD, "a", "a2", "to_b", ("to_b",))
    padded = {"a2": of_rows((0, 1), ((0, 96),))}
    return problem, naive_plan(problem, split(i=(4, 16)), padded, (edit,))


def test_copies_write_zeros_into_device_memory() -> None:
    problem, plan = filled_up()
    assert failed(check(problem, plan)) == {}
    resident = placed(plan, a2=slot(0, 2 * 64 * 128, 1, 2))
    words = only(problem, resident, "ownership")
    assert words == "a2 is in LX, but it is padded with zeros along dim 0 to 96, which only device memory holds"
