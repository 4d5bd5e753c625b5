"""Small programs with moves by hand: over the ring, in and out of LX, with the numbers that PyTorch computes.

Owns the programs; what is done to them is a test's business.
"""

from collections.abc import Callable

import torch

from compiler.division import Division
from compiler.dtypes import DType
from tests.moved_plans import clone_in, clone_out, ring
from tests.simulator.moved import Moved, numbers
from tests.simulator.sketch import split
from tests.sketch import Sketch


def turned(
    shape: tuple[int, ...] = (8, 256, 512),
    writer: Division | None = None,
    mover: Division | None = None,
    reader: Division | None = None,
    replicas: int = 1,
) -> Moved:
    """relu(neg(x)), neg by columns and relu by rows, in between over the ring."""
    sketch = Sketch("turned")
    sketch.output(sketch.apply("relu", sketch.apply("neg", sketch.input("x", *shape))))
    x = numbers(*shape)
    return Moved(
        sketch.program(),
        {"x": x},
        {"out0": torch.relu(-x)},
        {
            "neg": writer or split(l=(8, 64)),
            "neg@ring": mover or split(d0=(8, 1)),
            "relu": reader or split(i=(8, 1)),
        },
        (ring("neg", "relu", replicas=replicas),),
        {"neg": 0, "neg@ring": 262144},
    )


def widened() -> Moved:
    """From two cores to eight."""
    return turned((8, 16, 128), split(l=(2, 64)), split(d0=(4, 2), d2=(2, 64)), split(i=(4, 2), l=(2, 64)))


def permuted() -> Moved:
    """Equal factors, another order of the splits."""
    return turned((4, 16, 128), split(i=(4, 1), l=(2, 64)), split(d2=(2, 64), d0=(4, 1)), split(l=(2, 64), i=(4, 1)))


def uneven() -> Moved:
    """Columns that end within a stick, rows that do not go up."""
    return turned((5, 16, 150), split(l=(3, 64)), split(d0=(3, 2)), split(i=(3, 2)))


def scaled() -> Moved:
    """A row of factors computed once per part and read by all cores: each part lies on four of them."""
    sketch = Sketch("scaled")
    x, f = sketch.input("x", 64, 128), sketch.input("f", 128)
    sketch.output(sketch.apply("mul", x, sketch.apply("neg", f)))
    values = {"x": numbers(64, 128), "f": numbers(128, seed=1)}
    return Moved(
        sketch.program(),
        values,
        {"out0": values["x"] * -values["f"]},
        {
            "neg": split(i=(2, 64)),
            "neg@ring": split(replica=(4, 1), d0=(2, 64)),
            "mul": split(i=(4, 16), j=(2, 64)),
        },
        (ring("neg", "mul", replicas=4),),
        {"neg": 0, "neg@ring": 128},
    )


def summed() -> Moved:
    """A product whose sums end on two of eight cores, then over the ring to eight."""
    sketch = Sketch("summed")
    sketch.output(
        sketch.apply("relu", sketch.matmul(sketch.input("x", 32, 256), sketch.input("w", 256, 128), name="mm"))
    )
    values = {"x": numbers(32, 256), "w": numbers(256, 128, seed=1)}
    return Moved(
        sketch.program(),
        values,
        {"out0": torch.relu(values["x"] @ values["w"])},
        {"mm": split(k=(4, 64), j=(2, 64)), "mm@ring": split(d0=(8, 4)), "relu": split(i=(8, 4))},
        (ring("mm", "relu"),),
        {"mm": 0, "mm@ring": 4096},
    )


def chosen() -> Moved:
    """where(a > b, a, -b) with the bools and some integers over the ring."""
    sketch = Sketch("chosen")
    a, b = sketch.input("a", 8, 128), sketch.input("b", 8, 128)
    n = sketch.input("n", 8, 128, dtype=DType.I64)
    sketch.output(sketch.apply("where", sketch.apply("gt", a, b), a, b), sketch.apply("abs", sketch.apply("neg", n)))
    values = {"a": numbers(8, 128), "b": numbers(8, 128, seed=1), "n": torch.arange(-512, 512).reshape(8, 128)}
    rows, columns = split(i=(8, 1)), split(j=(2, 64))
    return Moved(
        sketch.program(),
        values,
        {"out0": torch.where(values["a"] > values["b"], values["a"], values["b"]), "out1": values["n"].abs()},
        {
            "gt": columns,
            "gt@ring": split(d0=(8, 1)),
            "where": rows,
            "neg": split(j=(4, 32)),
            "neg@ring": split(d0=(8, 1)),
            "abs": rows,
        },
        (ring("gt", "where"), ring("neg", "abs")),
        {"gt": 0, "gt@ring": 4096, "neg": 8192, "neg@ring": 16384},
    )


def read_twice() -> Moved:
    """-x and relu(x) from one copy of x in LX."""
    sketch = Sketch("read_twice")
    x = sketch.input("x", 32, 150)
    sketch.output(sketch.apply("neg", x), sketch.apply("relu", x))
    value, rows = numbers(32, 150), split(i=(8, 4))
    return Moved(
        sketch.program(),
        {"x": value},
        {"out0": -value, "out1": torch.relu(value)},
        {"x@in": split(d0=(8, 4)), "neg": rows, "relu": rows},
        (clone_in("x", "neg", "neg", "relu"),),
        {"x@in": 0},
    )


def shown_and_read() -> Moved:
    """An output that a step reads in LX too; the clone goes out at the end."""
    sketch = Sketch("shown_and_read")
    y = sketch.apply("neg", sketch.input("x", 32, 128))
    sketch.output(y, sketch.apply("relu", y))
    value, rows = numbers(32, 128), split(i=(8, 4))
    return Moved(
        sketch.program(),
        {"x": value},
        {"out0": -value, "out1": torch.relu(-value)},
        {"neg": rows, "relu": rows, "neg@out": split(d0=(8, 4))},
        (clone_out("neg", "", "output:out0"),),
        {"neg": 0},
    )


def evicted() -> Moved:
    """A buffer that goes out for a while and comes back elsewhere; meanwhile another one lies in its place."""
    sketch = Sketch("evicted")
    x = sketch.input("x", 32, 128)
    a = sketch.apply("neg", x)
    early = sketch.apply("exp", a)
    late = sketch.apply("neg", sketch.apply("square", early))
    sketch.output(sketch.apply("add", late, a))
    value, rows = numbers(32, 128), split(i=(8, 4))
    out, back = clone_out("neg", "square", "add"), clone_in("neg@out", "add")
    return Moved(
        sketch.program(),
        {"x": value},
        {"out0": -torch.exp(-value).square() - value},
        {
            **dict.fromkeys(("neg", "exp", "square", "neg_1", "add"), rows),
            **dict.fromkeys((out.name, back.name), split(d0=(8, 4))),
        },
        (out, back),
        {"neg": 0, "exp": 1024, "square": 0, "neg_1": 1024, back.target: 2048},
    )


def on_the_host() -> Moved:
    """A call on the host between two buffers in LX: out before it, in behind it."""
    sketch = Sketch("on_the_host")
    called = sketch.opaque("erfinv", sketch.apply("neg", sketch.input("x", 32, 128)))
    sketch.output(sketch.apply("relu", called))
    value, rows = numbers(32, 128) / 8, split(i=(8, 4))
    return Moved(
        sketch.program(),
        {"x": value},
        {"out0": torch.relu(torch.erfinv(-value))},
        {"neg": rows, "relu": rows, **dict.fromkeys(("neg@out", "erfinv@in"), split(d0=(8, 4)))},
        (clone_out("neg", "erfinv", "erfinv"), clone_in("erfinv", "relu")),
        {"neg": 0, "erfinv@in": 0},
    )


def product() -> Moved:
    """Both operands of a product in LX, the rows on two cores each, the columns on four."""
    sketch = Sketch("product")
    sketch.output(sketch.matmul(sketch.input("x", 64, 256), sketch.parameter("w", 256, 128), name="mm"))
    values = {"x": numbers(64, 256), "w": numbers(256, 128, seed=1)}
    return Moved(
        sketch.program(),
        values,
        {"out0": values["x"] @ values["w"]},
        {
            "x@in": split(d0=(4, 16), replica=(2, 1)),
            "w@in": split(replica=(4, 1), d1=(2, 64)),
            "mm": split(i=(4, 16), j=(2, 64)),
        },
        (clone_in("x", "mm", replicas=2), clone_in("w", "mm", replicas=4)),
        {"x@in": 0, "w@in": 8192},
    )


CASES: dict[str, Callable[[], Moved]] = {
    case.__name__: case
    for case in (
        *(turned, widened, permuted, uneven, scaled, summed, chosen),
        *(read_twice, shown_and_read, evicted, on_the_host, product),
    )
}
