"""Programs and views that several tests share, built with `Sketch` (see tests/sketch.py).

Owns views as PyTorch makes them (transpose, unsqueeze, reshape, select) and a few whole programs: softmax, attention, a
chain, a product.  Refuses layouts: those are for the passes under test.
"""

import math
from dataclasses import replace

from compiler.device import load_device
from compiler.loops import LoopProgram
from compiler.pins import Pins
from compiler.problem import Problem
from tests.random_draft import View, dense
from tests.sketch import Sketch


def transposed(view: View, first: int = 0, second: int = 1) -> View:
    """Two dims swapped."""
    order = list(range(len(view.shape)))
    order[first], order[second] = order[second], order[first]
    return view.permuted(tuple(order))


def unsqueezed(view: View, dim: int) -> View:
    """A new dim of size 1 at `dim` (negative counts from the end)."""
    place = dim % (len(view.shape) + 1)
    shape, strides = list(view.shape), list(view.strides)
    shape.insert(place, 1)
    strides.insert(place, 0)
    return replace(view, shape=tuple(shape), strides=tuple(strides))


def reshaped(view: View, *shape: int) -> View:
    """Another shape over the same storage; the view must be row major."""
    assert view.strides == dense(view.shape), "only a row-major view can be given another shape"
    return replace(view, shape=shape, strides=dense(shape))


def selected(view: View, dim: int, place: int) -> View:
    """One element along a dim, which disappears."""
    shape, strides = list(view.shape), list(view.strides)
    offset = view.offset + place * strides[dim]
    del shape[dim], strides[dim]
    return replace(view, shape=tuple(shape), strides=tuple(strides), offset=offset)


def problem_of(program: LoopProgram, pins: Pins | None = None, device: str = "spyre") -> Problem:
    """A problem for a bundled device."""
    return Problem(program, load_device(device), pins or Pins())


# Programs several tests look at


def softmax(rows: int = 512, columns: int = 1024) -> LoopProgram:
    """max, sub, exp, sum, div along the last dim."""
    sketch = Sketch("softmax")
    sketch.output(softmax_of(sketch, sketch.input("x", rows, columns)))
    return sketch.program()


def softmax_of(sketch: Sketch, x: View) -> View:
    """The five ops of a softmax along the last dim."""
    shifted = sketch.apply("sub", x, sketch.reduce("max", x, -1))
    raised = sketch.apply("exp", shifted)
    return sketch.apply("truediv", raised, sketch.reduce("sum", raised, -1))


def attention(heads: int = 4, length: int = 512, depth: int = 64) -> LoopProgram:
    """softmax(q k^T) v per head."""
    sketch = Sketch("attention")
    q, k, v = (sketch.input(name, heads, length, depth) for name in "qkv")
    scores = sketch.matmul(q, transposed(k, 1, 2), "scores")
    sketch.output(sketch.matmul(softmax_of(sketch, scores), v, "context"))
    return sketch.program()


def chain(*shape: int, primitives: tuple[str, ...] = ("neg", "relu")) -> LoopProgram:
    """One unary primitive after the other."""
    sketch = Sketch("chain")
    value = sketch.input("x", *shape)
    for primitive in primitives:
        value = sketch.apply(primitive, value)
    sketch.output(value)
    return sketch.program()


def product(rows: int, depth: int, columns: int) -> LoopProgram:
    """x @ y."""
    sketch = Sketch("product")
    sketch.output(sketch.matmul(sketch.input("x", rows, depth), sketch.input("y", depth, columns)))
    return sketch.program()


def elements(view: View) -> int:
    """Elements of a view."""
    return math.prod(view.shape)
