"""Small programs that most tests of the simulator run: each with its inputs and what PyTorch computes from them.

Owns the programs and the way they are divided; what is done to them is a test's business.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from compiler.dtypes import DType
from compiler.layout import Arrangement, stick_layout
from compiler.loops import Access, Apply, Const, Gather, Index, IndexValue, Load, OpaqueCall, Term
from tests.simulator.sketch import (
    Sketch,
    at,
    binary,
    buffer,
    contraction,
    given,
    loops,
    opaque,
    pointwise,
    reduction,
    split,
    unary,
)

F16, F32, I64, BOOL = DType.F16, DType.F32, DType.I64, DType.BOOL


@dataclass(frozen=True)
class Case:
    """A sketch, values for its inputs, and its results according to PyTorch."""

    sketch: Sketch
    inputs: Mapping[str, Tensor]
    outputs: tuple[Tensor, ...]

    @property
    def expected(self) -> dict[str, Tensor]:
        """The results by name."""
        return dict(zip(self.sketch.outputs, self.outputs, strict=False))


def random(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float16) -> Tensor:
    """Normal numbers that are the same each run."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def whole_sticks(size: int, lanes: int = 64) -> int:
    """The size, filled up to whole sticks."""
    return -(-size // lanes) * lanes


def softmax(rows: int = 8, columns: int = 150, cores: int = 4, resident: bool = True) -> Case:
    """max, sub, exp, sum, div over rows; intermediates in LX, `sub` and `exp` in place."""
    nest = loops(i=rows, j=columns)
    folded = loops("j", i=rows, j=columns)
    sparse = stick_layout((rows, 1), (1, 1), 64, (0, 1, -1))
    step = rows // cores
    boxed = -(-columns // 64) * step * 128
    x = random(rows, columns)
    ops = (
        reduction("max", "max", folded, at("x", i=columns, j=1), at("m", i=1), F16),
        binary("sub", "sub", nest, at("x", i=columns, j=1), at("m", i=1), at("d", i=columns, j=1)),
        unary("exp", "exp", nest, at("d", i=columns, j=1), at("e", i=columns, j=1), F16),
        reduction("sum", "sum", folded, at("e", i=columns, j=1), at("s", i=1), F16),
        binary("div", "truediv", nest, at("e", i=columns, j=1), at("s", i=1), at("y", i=columns, j=1)),
    )
    names = ("max", "sub", "exp", "sum", "div")
    lx = {"d": 0, "e": 0, "m": boxed, "s": boxed + step * 128}
    sketch = Sketch(
        buffers=(
            given("x", (rows, columns)),
            *(buffer("m", (rows, 1)), buffer("d", (rows, columns)), buffer("e", (rows, columns))),
            *(buffer("s", (rows, 1)), buffer("y", (rows, columns))),
        ),
        ops=ops,
        outputs=("y",),
        divisions={name: split(i=(cores, step)) for name in names} if cores > 1 else {},
        layouts={"m": sparse, "s": sparse},
        lx=lx if resident else {},
    )
    return Case(sketch, {"x": x}, (torch.softmax(x, -1),))


def matmul(m: int = 32, k: int = 256, n: int = 128, k_split: int = 4) -> Case:
    """[m, k] x [k, n] with K cut over consecutive cores and N in two; K is filled up to whole sticks."""
    x, w = random(m, k), random(k, n, seed=1)
    nest = loops("k", m=m, n=n, k=k)
    sketch = Sketch(
        buffers=(given("x", (m, k)), given("w", (k, n)), buffer("y", (m, n))),
        ops=(contraction("mm", nest, at("x", m=k, k=1), at("w", k=n, n=1), at("y", m=n, n=1)),),
        outputs=("y",),
        divisions={"mm": split(k=(k_split, k // k_split), n=(2, n // 2))},
        layouts={"w": stick_layout((k, n), (n, 1), 64, padding=((0, whole_sticks(k)),) if k % 64 else ())},
    )
    return Case(sketch, {"x": x, "w": w}, (x @ w,))


def transposed() -> Case:
    """x.t() + y by way of a copy to sticks along the other dim; 100 x 100 is unaligned both ways."""
    x, y = random(100, 100), random(100, 100, seed=1)
    copied = stick_layout((100, 100), (100, 1), 64, (1, 0))
    nest = loops(i=100, j=100)
    sketch = Sketch(
        buffers=(given("x", (100, 100)), given("y", (100, 100)), buffer("xt", (100, 100)), buffer("z", (100, 100))),
        ops=(
            pointwise("copy", loops(d0=100, d1=100), (at("x", d0=100, d1=1),), at("xt", d0=100, d1=1), (Load(0, F16),)),
            binary("add", "add", nest, at("xt", i=1, j=100), at("y", i=100, j=1), at("z", i=100, j=1)),
        ),
        outputs=("z",),
        divisions={"copy": split(d0=(2, 64)), "add": split(i=(4, 25))},
        layouts={"xt": copied},
    )
    return Case(sketch, {"x": x, "y": y}, (x.t() + y,))


def staggered() -> Case:
    """f16 -> f32 -> f16, with a square in between: pairs of sticks are interleaved by the first cast."""
    x = random(4, 100)
    wide = stick_layout((4, 100), (100, 1), 32, None, Arrangement.F16_TO_F32)
    nest = loops(i=4, j=100)
    whole = {"i": 100, "j": 1}
    sketch = Sketch(
        buffers=(given("x", (4, 100)), *(buffer(n, (4, 100), F32) for n in "ab"), buffer("y", (4, 100))),
        ops=(
            pointwise("up", nest, (at("x", **whole),), at("a", **whole), (Load(0, F16), Apply("cast", (0,), F32))),
            unary("square", "square", nest, at("a", **whole), at("b", **whole), F32),
            pointwise("down", nest, (at("b", **whole),), at("y", **whole), (Load(0, F32), Apply("cast", (0,), F16))),
        ),
        outputs=("y",),
        divisions={name: split(i=(4, 1)) for name in ("up", "square", "down")},
        layouts={"a": wide, "b": wide},
        lx={"a": 0, "b": 0},
    )
    return Case(sketch, {"x": x}, ((x.float() ** 2).half(),))


def staggered_sum() -> Case:
    """Rows of x, raised to f32 and summed along their interleaved sticks, of which the last pair is half empty."""
    x = random(4, 70)
    wide = stick_layout((4, 70), (70, 1), 32, None, Arrangement.F16_TO_F32)
    nest = loops(i=4, j=70)
    whole = {"i": 70, "j": 1}
    sketch = Sketch(
        buffers=(given("x", (4, 70)), buffer("a", (4, 70), F32), buffer("y", (4,), F32)),
        ops=(
            pointwise("up", nest, (at("x", **whole),), at("a", **whole), (Load(0, F16), Apply("cast", (0,), F32))),
            reduction("sum", "sum", loops("j", i=4, j=70), at("a", **whole), at("y", i=1), F32),
        ),
        outputs=("y",),
        divisions={"up": split(i=(2, 2)), "sum": split(i=(2, 2))},
        layouts={"a": wide},
        lx={"a": 0},
    )
    return Case(sketch, {"x": x}, (x.float().sum(-1),))


def strided() -> Case:
    """x[1::2] * 2: rows 1, 3, 5, 7 of nine."""
    x = torch.arange(9.0).repeat_interleave(128).reshape(9, 128).half()
    body = (Load(0, F16), Const(2.0, F16), Apply("mul", (0, 1), F16))
    nest = loops(i=4, j=128)
    sketch = Sketch(
        buffers=(given("x", (9, 128)), buffer("y", (4, 128))),
        ops=(pointwise("mul", nest, (at("x", 128, i=256, j=1),), at("y", i=128, j=1), body),),
        outputs=("y",),
        divisions={"mul": split(j=(2, 64), i=(2, 2))},
    )
    return Case(sketch, {"x": x}, (x[1::2] * 2,))


def concatenated() -> Case:
    """cat([x, z], 1) from lane 96 on, as masked reads: neither operand is touched outside its part."""
    x, z = random(3, 96), random(3, 32, seed=1)
    count = IndexValue(Index(0, (Term(1, (("j", 1),)),)), I64)
    body = (
        *(count, Const(96, I64), Apply("lt", (0, 1), BOOL), Apply("logical_not", (2,), BOOL)),
        *(Load(0, F16, mask=2), Load(1, F16, mask=3), Apply("where", (2, 4, 5), F16)),
    )
    nest = loops(i=3, j=128)
    sketch = Sketch(
        buffers=(given("x", (3, 96)), given("z", (3, 32)), buffer("y", (3, 128))),
        ops=(pointwise("cat", nest, (at("x", i=96, j=1), at("z", -96, i=32, j=1)), at("y", i=128, j=1), body),),
        outputs=("y",),
        divisions={"cat": split(i=(3, 1))},
    )
    return Case(sketch, {"x": x, "z": z}, (torch.cat([x, z], 1),))


def gathered() -> Case:
    """Rows of a table; negative numbers count from the end."""
    table, numbers = random(10, 70), torch.tensor([3, -1, 0, 9, -10])
    row = Index(0, (Term(1, (("j", 1),)),), (Gather(70, 0, 10),))
    body = (Load(0, I64), Load(1, F16))
    nest = loops(i=5, j=70)
    sketch = Sketch(
        buffers=(given("t", (10, 70)), given("n", (5,), I64), buffer("y", (5, 70))),
        ops=(pointwise("take", nest, (at("n", i=1), Access("t", row)), at("y", i=70, j=1), body),),
        outputs=("y",),
        divisions={"take": split(i=(5, 1))},
    )
    return Case(sketch, {"t": table, "n": numbers}, (table[numbers],))


def scattered() -> Case:
    """Zeros with some rows overwritten: two steps fill one buffer, the second one at gathered places."""
    x, numbers = random(3, 70), torch.tensor([4, -6, 1])
    row = Index(0, (Term(1, (("j", 1),)),), (Gather(70, 1, 6),))
    into = pointwise("put", loops(i=3, j=70), (at("x", i=70, j=1), at("n", i=1)), Access("y", row), ())
    into = replace(into, body=(Load(0, F16), Load(1, I64)), results=(0,))
    sketch = Sketch(
        buffers=(given("x", (3, 70)), given("n", (3,), I64), buffer("y", (6, 70))),
        ops=(pointwise("zeros", loops(i=6, j=70), (), at("y", i=70, j=1), (Const(0.0, F16),)), into),
        outputs=("y",),
        divisions={"zeros": split(i=(3, 2)), "put": split(i=(3, 1))},
    )
    expected = torch.zeros(6, 70, dtype=torch.float16)
    expected[numbers] = x
    return Case(sketch, {"x": x, "n": numbers}, (expected,))


def divided_by_zero() -> Case:
    """1 / 0, 0 / 0 and 1 / 2, and the sum of all."""
    a, b = torch.tensor([[1.0, 0.0, 1.0]]).half(), torch.tensor([[0.0, 0.0, 2.0]]).half()
    nest = loops(j=3)
    sketch = Sketch(
        buffers=(given("a", (1, 3)), given("b", (1, 3)), buffer("y", (1, 3)), buffer("s", (1, 1))),
        ops=(
            binary("div", "truediv", nest, at("a", j=1), at("b", j=1), at("y", j=1)),
            reduction("sum", "sum", loops("j", j=3), at("y", j=1), at("s"), F16),
        ),
        outputs=("y", "s"),
    )
    return Case(sketch, {"a": a, "b": b}, (a / b, (a / b).sum(1, keepdim=True)))


def compared(lanes: int = 64) -> Case:
    """where(a > b, a, -b) with the comparison kept as a bool tensor in LX."""
    a, b = random(6, 100), random(6, 100, seed=1)
    nest = loops(i=6, j=100)
    whole = {"i": 100, "j": 1}
    body = (
        *(Load(0, BOOL), Load(1, F16), Load(2, F16)),
        *(Apply("neg", (2,), F16), Apply("where", (0, 1, 3), F16)),
    )
    sketch = Sketch(
        buffers=(given("a", (6, 100)), given("b", (6, 100)), buffer("c", (6, 100), BOOL), buffer("y", (6, 100))),
        ops=(
            pointwise(
                "gt",
                nest,
                (at("a", **whole), at("b", **whole)),
                at("c", **whole),
                (Load(0, F16), Load(1, F16), Apply("gt", (0, 1), BOOL)),
            ),
            pointwise("choose", nest, (at("c", **whole), at("a", **whole), at("b", **whole)), at("y", **whole), body),
        ),
        outputs=("c", "y") if lanes != 64 else ("y",),
        divisions={"gt": split(i=(3, 2)), "choose": split(i=(3, 2))},
        layouts={"c": stick_layout((6, 100), (100, 1), lanes)},
        lx={"c": 256} if lanes == 64 else {},
    )
    results = (a > b, torch.where(a > b, a, -b))
    return Case(sketch, {"a": a, "b": b}, results if lanes != 64 else results[1:])


def integers() -> Case:
    """(n + 1) // 3 and its sum over rows, on int64 that the device keeps in 32 bits."""
    n = torch.arange(-60, 60).reshape(4, 30)
    nest = loops(i=4, j=30)
    body = (
        *(Load(0, I64), Const(1, I64), Apply("add", (0, 1), I64)),
        *(Const(3, I64), Apply("floordiv", (2, 3), I64)),
    )
    folded = loops("i", j=30, i=4)
    sketch = Sketch(
        buffers=(given("n", (4, 30), I64), buffer("q", (4, 30), I64), buffer("s", (30,), I64)),
        ops=(
            pointwise("third", nest, (at("n", i=30, j=1),), at("q", i=30, j=1), body),
            reduction("sum", "sum", folded, at("q", i=30, j=1), at("s", j=1), I64),
        ),
        outputs=("q", "s"),
        divisions={"third": split(i=(2, 2)), "sum": split(i=(2, 2))},
    )
    return Case(sketch, {"n": n}, ((n + 1) // 3, ((n + 1) // 3).sum(0)))


def integer_rows() -> Case:
    """Sums along the sticks of an int64 matrix, each alone in its stick."""
    n = torch.arange(-60, 60).reshape(4, 30)
    sketch = Sketch(
        buffers=(given("n", (4, 30), I64), buffer("s", (4, 1), I64)),
        ops=(reduction("sum", "sum", loops("j", i=4, j=30), at("n", i=30, j=1), at("s", i=1), I64),),
        outputs=("s",),
        divisions={"sum": split(i=(2, 2))},
        layouts={"s": stick_layout((4, 1), (1, 1), 32, (0, 1, -1))},
    )
    return Case(sketch, {"n": n}, (n.sum(1, keepdim=True),))


def sorted_on_host() -> Case:
    """A sort, which the host does, between two steps of the device."""
    x = random(5, 33)
    nest = loops(i=5, j=33)
    whole = {"i": 33, "j": 1}
    sketch = Sketch(
        buffers=(
            *(given("x", (5, 33)), buffer("a", (5, 33)), buffer("v", (5, 33))),
            *(buffer("n", (5, 33), I64), buffer("y", (5, 33))),
        ),
        ops=(
            unary("neg", "neg", nest, at("x", **whole), at("a", **whole), F16),
            opaque("sort", ("a",), ("v", "n"), OpaqueCall("aten.sort.default", ('{"read": 0}', "-1", "true"))),
            unary("abs", "abs", nest, at("v", **whole), at("y", **whole), F16),
        ),
        outputs=("y", "n"),
        divisions={"neg": split(i=(5, 1))},
    )
    values, places = torch.sort(-x, -1, True)
    return Case(sketch, {"x": x}, (values.abs(), places))


CASES: dict[str, Callable[[], Case]] = {
    case.__name__: case
    for case in (
        *(softmax, matmul, transposed, staggered, staggered_sum, strided, concatenated),
        *(gathered, scattered, divided_by_zero, compared, integers, integer_rows, sorted_on_host),
    )
}
