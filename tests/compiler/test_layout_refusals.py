"""Refusals for model owners: what the hardware needs, which tensor is in the way, and a remedy whose figure works."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from compiler.dtypes import DType
from compiler.errors import UnsupportedError
from compiler.loops import Access, Const, Index, Load, LoopProgram, Role, Term
from compiler.passes.assign_layouts import AssignLayouts
from compiler.plan import Plan
from tests.programs import problem_of, reshaped, transposed
from tests.random_draft import View
from tests.sketch import Sketch


def refusal(program: LoopProgram) -> UnsupportedError | None:
    """The refusal of a program, None if it has layouts."""
    try:
        AssignLayouts()(problem_of(program), Plan(program.name, "spyre", 32, ""))
    except UnsupportedError as error:
        return error
    return None


def flattened(rows: int, width: int) -> LoopProgram:
    """Pictures flattened before a product."""
    sketch = Sketch()
    picture = sketch.input("picture", 32, rows, width)
    flat = reshaped(picture, 32, rows * width)
    sketch.output(sketch.matmul(flat, sketch.parameter("w", rows * width, 128)))
    return sketch.program()


def heads(size: int) -> LoopProgram:
    """Scores times values, the heads side by side in one dim."""
    sketch = Sketch()
    scores, values = sketch.input("scores", 4, 128, 128), sketch.input("values", 128, 4 * size)
    by_head = transposed(reshaped(values, 128, 4, size), 0, 1)
    sketch.output(sketch.matmul(scores, by_head))
    return sketch.program()


def shifted(columns: int) -> LoopProgram:
    """Flattened to one dim and added up there."""
    sketch = Sketch()
    sketch.output(sketch.apply("neg", sketch.apply("relu", reshaped(sketch.input("x", 128, columns), 128 * columns))))
    return sketch.program()


def cast(source: DType, target: DType) -> LoopProgram:
    sketch = Sketch()
    sketch.output(sketch.cast(sketch.input("x", 4, 128, dtype=source), target))
    return sketch.program()


@pytest.mark.parametrize(
    ("program", "why", "remedy"),
    [
        (
            flattened(28, 28),
            (
                "in a matmul the 64 values of one stick of the first tensor must be 64 neighbours of k "
                "(k: picture begins a new stick after every 28 values, so its sticks are not 64 neighbours of k)"
            ),
            "reshape picture before it enters the model, or make dim 2 of picture, 28 here, a multiple of 64 (64)",
        ),
        (
            heads(32),
            (
                "of the second tensor must be 64 neighbours of one column loop of the result "
                "(l: values would mix i and l in one stick of 64)"
            ),
            "make l, which is 32 here, a multiple of 64 (64)",
        ),
        (
            shifted(96),
            "i: x begins a new stick after every 96 values",
            "or make dim 1 of x, 96 here, a multiple of 64 (128)",
        ),
        (cast(DType.U8, DType.F16), "128-lane u8 x to 64-lane f16 cast", "convert x to float16 before"),
    ],
    ids=["flatten", "heads", "rows", "bytes"],
)
def test_a_refusal_names_need_tensor_and_figure(program: LoopProgram, why: str, remedy: str) -> None:
    error = refusal(program)
    assert error is not None
    assert why in error.why
    assert remedy in error.remedy
    assert "contiguous" not in error.sentence


def of(build: Callable[[Sketch], View]) -> LoopProgram:
    sketch = Sketch()
    sketch.output(build(sketch))
    return sketch.program()


def unaligned(sketch: Sketch) -> View:
    return sketch.matmul(sketch.input("x", 96, 128).sliced(1, 32, 96, 1), sketch.parameter("w", 64, 64))


def gathered(sketch: Sketch) -> View:
    """The least of each row, one value per stick, added to what has sticks."""
    least = sketch.reduce("min", sketch.input("a", 64, 64, 64), -1, keep=False)
    return sketch.apply("add", least, sketch.input("b", 64, 64))


OFFSET = (
    "matmul (model.py:1): given x [96, 128] and w [64, 64], in a matmul the 64 values of one stick of the first tensor "
    "must be 64 neighbours of k (k: x starts at offset 32 inside a 64-lane stick); start the slice at a multiple of 64 "
    "along k, or slice along another dim; candidates for x: no layout; for w: sticks of dim 1 (j)."
)
GATHER = (
    "add (model.py:2): given min [64, 64] and b [64, 64], no loop can be on the sticks of all its tensors, in each one "
    "value per lane (j and i: min has one value per stick, and single values cannot be gathered out of many sticks); "
    "pin the layout of the reduced tensor to one of its dims, so that min is not reduced along the stick; candidates "
    "for min: one value per stick only; for b: sticks of dim 0 (i) or 1 (j)."
)
MIX = (
    "matmul (model.py:1): given scores [4, 128, 128] and values [128, 128], in a matmul the 64 values of one stick of "
    "the second tensor must be 64 neighbours of one column loop of the result (l: values would mix i and l in one "
    "stick of 64); make l, which is 32 here, a multiple of 64 (64); candidates for scores: sticks of dim 2 (k); for "
    "values: no layout."
)


@pytest.mark.parametrize(
    ("program", "sentence"),
    [(of(unaligned), OFFSET), (of(gathered), GATHER), (heads(32), MIX)],
    ids=["offset", "gather", "mix"],
)
def test_refusals_word_by_word(program: LoopProgram, sentence: str) -> None:
    error = refusal(program)
    assert error is not None
    assert error.sentence == sentence


def test_the_first_factor_is_the_one_the_body_names_first() -> None:
    program = of(unaligned)
    op = program.ops[0]
    swapped = replace(op, reads=op.reads[::-1], body=(Load(1, DType.F16), Load(0, DType.F16)))
    error = refusal(replace(program, ops=(swapped,)))
    assert error is not None
    assert error.remedy.endswith("candidates for w: sticks of dim 1 (j); for x: no layout")


def wide(views: int) -> Callable[[Sketch], View]:
    """A vector flattened from rows of 96, and some more operands."""

    def build(sketch: Sketch) -> View:
        others = [sketch.input(f"y{place}", 6144) for place in range(views - 2)]
        flat = reshaped(sketch.input("a", 64, 96), 6144)
        return sketch.apply("where", flat, sketch.input("scale", 1), *others)

    return build


def test_reads_of_one_tensor_that_suit_in_different_layouts_are_told_apart() -> None:
    def build(sketch: Sketch) -> View:
        x = sketch.input("x", 96, 160)
        late, early = (x.sliced(1, start, start + 96, 1) for start in (3, 0))
        return sketch.matmul(late, early)

    error = refusal(of(build))
    assert error is not None
    assert error.remedy.endswith(
        "candidates for the first read of x: no layout; for the second read of x: sticks of dim 1 (j)"
    )


def test_reads_of_one_tensor_that_suit_alike_are_told_once() -> None:
    error = refusal(
        of(lambda sketch: sketch.matmul((x := sketch.input("x", 96, 160)).sliced(1, 3, 99, 1), x.sliced(1, 5, 101, 1)))
    )
    assert error is not None
    assert error.remedy.endswith("candidates for x: no layout")


def test_what_does_not_move_suits_in_any_layout() -> None:
    error = refusal(of(wide(3)))
    assert error is not None
    assert error.remedy.endswith(
        "candidates for a: no layout; for scale: any layout; for y0: sticks of dim 0 (i), or one value per stick"
    )


def test_long_lists_of_operands_are_cut() -> None:
    error = refusal(of(wide(7)))
    assert error is not None
    assert error.why.startswith("given a [64, 96], scale [1], y0 [6144], y1 [6144] and 3 more, ")
    assert error.remedy.endswith("; for y1: sticks of dim 0 (i), or one value per stick; and 3 more")


def test_a_reduction_that_cannot_run_along_the_stick_offers_what_it_keeps() -> None:
    error = refusal(of(lambda sketch: sketch.reduce("prod", sketch.input("x", 64, 128), 0, 1)))
    assert error is not None
    assert "given x [64, 128], " in error.why
    assert "prod cannot run along a stick" in error.why
    assert error.remedy == "reduce along one dim after the other; candidates for x: no layout"


@pytest.mark.parametrize("source", [96, 128])
@pytest.mark.parametrize("margin", [32, 64])
def test_a_margin_compiles_whether_it_or_the_source_is_aligned(source: int, margin: int) -> None:
    assert refusal(of(lambda sketch: sketch.pad(sketch.input("x", 1, source), 0, margin))) is None
    assert refusal(of(lambda sketch: sketch.pad(sketch.input("x", 2, source), margin, 0))) is None


def test_heads_meet_a_flat_vector() -> None:
    def build(sketch: Sketch) -> View:
        flat = sketch.apply("add", reshaped(sketch.input("a", 1, 12, 64), 1, 768), sketch.input("b", 1, 768))
        return sketch.reduce("sum", reshaped(flat, 1, 12, 64), 1, keep=False)

    assert refusal(of(build)) is None


@pytest.mark.parametrize(
    "program",
    [flattened(28, 64), heads(64), shifted(128), cast(DType.F16, DType.F32)],
    ids=["flatten", "heads", "rows", "half"],
)
def test_the_remedy_works(program: LoopProgram) -> None:
    assert refusal(program) is None


def test_a_product_over_nothing_is_refused_by_its_size() -> None:
    sketch = Sketch()
    sketch.output(sketch.matmul(sketch.input("a", 64, 64), sketch.input("b", 64, 64)))
    program = sketch.program()
    op = program.ops[0]
    loops = tuple(replace(loop, extent=0 if loop.role is Role.REDUCTION else loop.extent) for loop in op.loops)
    nothing = (Const(0.0, DType.F16), Const(0.0, DType.F16))  # the reads that never happen are left out
    error = refusal(replace(program, ops=(replace(op, loops=loops, reads=(), body=nothing, results=(0, 1)),)))
    assert error is not None
    assert "the contracted size is 0" in error.why
    assert error.remedy == "give the contracted dim a size of at least 1"


def test_too_many_points_are_named() -> None:
    """A long loop that transposes by floor and remainder."""
    side = 1 << 13
    sketch = Sketch()
    sketch.output(sketch.apply("neg", reshaped(sketch.input("x", side, side), side * side)))
    program = sketch.program()
    op = program.ops[0]
    terms = (Term(side, (("i", 1),), 0, 1, side), Term(1, (("i", 1),), 0, side))
    turned = replace(op, reads=(Access(op.reads[0].buffer, Index(0, terms)),))
    error = refusal(replace(program, ops=(turned,)))
    assert error is not None
    assert "x is read through floors and remainders over too many points to follow" in error.why
    assert error.remedy == ("read x in its own shape and reshape it in a step of its own; candidates for x: no layout")
