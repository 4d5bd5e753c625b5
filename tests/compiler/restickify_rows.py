"""Expressions whose least cost is published: facts 8.2, built by hand.

Owns the rows: id, expression, input shapes, elements that have to be restickified.  An expression is a function of a
sketch and of its inputs, which are called a, b, c, ...  Refuses expressions without any way to run: a test of its own
has those.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from compiler.loops import LoopProgram
from tests.programs import transposed as t
from tests.programs import unsqueezed
from tests.random_draft import View
from tests.sketch import Sketch

Shape = tuple[int, ...]
Build = Callable[..., View]

S = 128
NUMEL = S * S
SQUARE = (S, S)
CUBE = (S, S, S)
HYPERCUBE = (64, 64, 64, 64)
HYPER_NUMEL = 64**4
ATTENTION_MASK = (1, 32, 128, 256)
RECTANGLES = ((256, 128), (128, 256), (128, 128), (64, 128), (128, 64))


@dataclass(frozen=True, slots=True)
class Row:
    """One expression: what it is called, how it is built on inputs of these shapes, its least cost in elements."""

    name: str
    build: Build
    shapes: tuple[Shape, ...]
    elements: int

    def program(self) -> LoopProgram:
        """The expression as the only output of a program."""
        sketch = Sketch(self.name)
        inputs = [sketch.input(name, *shape) for name, shape in zip("abcdefgh", self.shapes, strict=False)]
        sketch.output(self.build(sketch, *inputs))
        return sketch.program()


def add(s: Sketch, *terms: View) -> View:
    """The sum of terms, from left to right."""
    result = terms[0]
    for term in terms[1:]:
        result = s.apply("add", result, term)
    return result


def outer(view: View) -> View:
    """Dims 0 and 3 swapped."""
    return t(view, 0, 3)


def inner(view: View) -> View:
    """Dims 2 and 3 swapped."""
    return t(view, 2, 3)


def smallest(s: Sketch, view: View) -> View:
    """`amin(-1)`."""
    return s.reduce("min", view, -1, keep=False)


def largest(s: Sketch, view: View) -> View:
    """`amax(-1)`."""
    return s.reduce("max", view, -1, keep=False)


def column(view: View) -> View:
    """`unsqueeze(-1)`."""
    return unsqueezed(view, -1)


def squares(name: str, build: Build, inputs: int, count: int) -> Row:
    """A row on squares, whose cost is so many of them."""
    return Row(name, build, (SQUARE,) * inputs, count * NUMEL)


def _twice(s: Sketch, a: View, b: View) -> View:
    u = add(s, a, t(b))
    return add(s, u, u)


def _zeros(s: Sketch, a: View, x: View) -> View:
    zeros = s.fill(S, S)
    return add(s, add(s, zeros, a), add(s, zeros, t(x)))


def _minus_infinity(s: Sketch, x: View) -> View:
    nothing = s.fill(*ATTENTION_MASK, value=float("-inf"))
    return s.apply("maximum", largest(s, nothing), largest(s, x))


def _differences(expanded: tuple[bool, bool]) -> Build:
    """exp(v.unsqueeze(-1) - v.unsqueeze(-2)), either one expanded by its author or not."""

    def build(s: Sketch, v: View) -> View:
        sides = (unsqueezed(v, -1), unsqueezed(v, -2))
        whole = (*v.shape, v.shape[-1])
        left, right = (side.expanded(whole) if wide else side for side, wide in zip(sides, expanded, strict=True))
        return s.apply("exp", s.apply("sub", left, right))

    return build


SUMS: tuple[Row, ...] = (
    *(
        Row(f"R1 {rows}x{columns}", lambda s, a, x: add(s, t(a), x), ((rows, columns), (columns, rows)), rows * columns)
        for rows, columns in RECTANGLES
    ),
    *(
        Row(
            f"R1 {rows}x{columns} turned",
            lambda s, a, x: add(s, x, t(a)),
            ((rows, columns), (columns, rows)),
            rows * columns,
        )
        for rows, columns in RECTANGLES
    ),
    squares("R2 first", lambda s, a, b, x: add(s, t(a), t(b), x), 3, 1),
    squares("R2 second", lambda s, a, b, x: add(s, t(a), x, t(b)), 3, 1),
    squares("R2 third", lambda s, a, b, x: add(s, x, t(a), t(b)), 3, 1),
    squares("R3", lambda s, a, x, y: add(s, t(a), x, y), 3, 1),
    squares("R4", lambda s, a, b, x, y: add(s, t(a), t(b), x, y), 4, 1),
    squares("R5 first", lambda s, a, b, x, y: add(s, t(a), x, t(b), y), 4, 2),
    squares("R5 second", lambda s, a, b, x, y: add(s, x, t(a), y, t(b)), 4, 2),
    squares("R5 third", lambda s, a, b, x, y: add(s, t(a), x, y, t(b)), 4, 2),
    squares("R6 first", lambda s, a, x, y, z: add(s, t(a), x, y, z), 4, 1),
    squares("R6 second", lambda s, a, x, y, z: add(s, x, t(a), y, z), 4, 1),
    squares("R6 third", lambda s, a, x, y, z: add(s, x, y, t(a), z), 4, 1),
    squares("R6 fourth", lambda s, a, x, y, z: add(s, x, y, z, t(a)), 4, 1),
    squares("R11", lambda s, a, b, c, d, e, f: add(s, add(s, add(s, a, b), add(s, t(c), d)), add(s, e, f)), 6, 1),
    squares("R20", _twice, 2, 1),
    squares("R23", lambda s, a, b, c: add(s, t(add(s, t(a), b)), c), 3, 1),
    Row("R25", lambda s, a, b, c, d: add(s, outer(a), b, c, d), (HYPERCUBE,) * 4, HYPER_NUMEL),
    Row("R27", lambda s, a, b, c, d: add(s, outer(a), outer(b), outer(c), d), (HYPERCUBE,) * 4, HYPER_NUMEL),
    Row("R28", lambda s, a, b, c: add(s, inner(add(s, inner(a), b)), c), (HYPERCUBE,) * 3, HYPER_NUMEL),
    squares("R31", lambda s, x, y: add(s, s.opaque("sin", x), t(y)), 2, 1),
    *(
        Row(f"R38 expanded {left:d}{right:d}", _differences((left, right)), ((64, 64),), 64 * 64)
        for left in (False, True)
        for right in (False, True)
    ),
    squares("R39", lambda s, a, b, c, d, e, f: add(s, add(s, t(a), b), add(s, t(c), d), add(s, t(e), f)), 6, 3),
)

PRODUCTS: tuple[Row, ...] = (
    Row("R7", lambda s, x, y: s.matmul(x, y), ((128, 256), (256, 64)), 0),
    Row("R8", lambda s, x, y: s.matmul(t(x), y), ((128, 256), (128, 256)), 128 * 256),
    Row("R8 narrow", lambda s, x, y: s.matmul(t(x), y), ((128, 256), (128, 192)), 128 * 256),
    Row("R9", lambda s, x, y: s.matmul(x, t(y)), ((128, 256), (128, 256)), 128 * 256),
    Row("R9 narrow", lambda s, x, y: s.matmul(x, t(y)), ((128, 256), (64, 256)), 64 * 256),
    Row("R10", lambda s, x, y: s.matmul(t(x), t(y)), ((128, 256), (64, 128)), 128 * 256 + 64 * 128),
    squares("R12", lambda s, a, b, c, d, e: s.matmul(add(s, a, t(b), t(c), t(d)), e), 5, 2),
    squares("R13", lambda s, a, b, c: s.matmul(a, add(s, b, t(c))), 3, 1),
    squares("R15", lambda s, a, b, c: s.matmul(t(a), add(s, b, t(c))), 3, 2),
    squares("R16 one", lambda s, a, b, c: add(s, s.matmul(a, b), t(c)), 3, 1),
    squares("R16 two", lambda s, a, b, c, d: add(s, s.matmul(a, b), t(c), t(d)), 4, 1),
    squares("R17", lambda s, a, b, c: s.matmul(s.matmul(a, b), c), 3, 0),
    Row("R21", lambda s, a, b: s.matmul(t(a), b), ((64, 128), (64, 192)), 64 * 128),
    squares("R24 sum", lambda s, a, b, c, d: add(s, s.matmul(t(a), b), s.matmul(c, t(d))), 4, 2),
    squares("R24 product", lambda s, a, b, c, d: s.matmul(add(s, a, t(b)), add(s, c, t(d))), 4, 2),
)

CONSTANTS: tuple[Row, ...] = (
    squares("R29 sum", lambda s, x, y: add(s, s.fill(S, S, value=1.0), t(x), y), 2, 1),
    squares("R29 product", lambda s, y: s.matmul(s.fill(S, S, value=1.0), y), 1, 0),
    squares("R30", _zeros, 2, 1),
)

REDUCTIONS: tuple[Row, ...] = (
    Row(
        "R22",
        lambda s, a, b, c: add(s, s.reduce("sum", add(s, a, t(b)), 0, keep=False), c),
        (SQUARE, SQUARE, (S,)),
        NUMEL,
    ),
    Row("R32", _minus_infinity, (ATTENTION_MASK,), 0),
    squares("R34", lambda s, a, b: add(s, smallest(s, a), b), 2, 1),
    squares("R34 stick on dim 0", lambda s, a, b: add(s, smallest(s, a), t(b)), 2, 0),
    Row("R36 matrix", add, ((S,), SQUARE), 0),
    Row("R36 cube", add, ((S,), CUBE), 0),
    Row("R37", lambda s, a, b: add(s, column(a), b), ((S,), SQUARE), NUMEL),
    Row("R37 stick on dim 0", lambda s, a, b: add(s, column(a), t(b)), ((S,), SQUARE), 0),
)

ROWS: tuple[Row, ...] = (*SUMS, *PRODUCTS, *CONSTANTS, *REDUCTIONS)
