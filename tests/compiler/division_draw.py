"""Random ops for the division rule: shapes, views, element types, layouts, cores and span limits, by seed.

Owns the draw.  Refuses to judge: what an op is divided into is for the tests.
"""

from dataclasses import dataclass
from functools import cache
from random import Random

from compiler.device import load_device
from compiler.dtypes import DType
from compiler.layout import SPARSE, StickLayout, stick_layout
from compiler.loops import LoopProgram
from compiler.problem import Problem
from tests.division_rule import Rule
from tests.programs import reshaped, transposed
from tests.random_draft import View
from tests.sketch import Sketch

MIB = 2**20
SPYRE = load_device("spyre")
SHORT = (1, 2, 3, 5, 7, 8, 12, 13, 16, 31, 32, 33, 48, 67, 96, 100, 127, 128, 150)
LONG = (*SHORT, 192, 255, 256, 320, 384, 509, 512, 640, 768, 1000, 1024, 2048, 3200, 4096, 8191, 8192)
# Rows, columns and depth: anything; ties; few rows; one row; columns that leave all cores to rows or depth.
PRODUCTS = (
    (LONG, LONG, LONG),
    (LONG, LONG, LONG),
    ((256, 512, 1024, 2048),) * 3,
    ((2, 4, 7, 8, 16), (256, 640, 1000, 1024, 4096), (512, 1024, 3200, 8192)),
    ((1,), LONG, LONG),
    ((4093, 8191), (1, 33, 64, 128), (512, 1024, 4096)),
)


@dataclass(frozen=True)
class Case:
    """A program of one op, its layouts, and the device."""

    program: LoopProgram
    layouts: dict[str, StickLayout]
    cores: int
    limit: int

    @property
    def problem(self) -> Problem:
        device = SPYRE.with_cores(self.cores).with_number("span_limit_bytes", self.limit)
        return Problem(self.program, device)

    @property
    def rule(self) -> Rule:
        return Rule(self.program.ops[0], self.layouts, self.cores, self.limit)


class Draw:
    """Random shapes, dtypes and layouts; `sticks` remembers which dim of a buffer is cut into sticks."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)
        self.sketch = Sketch("random")
        self.dtype = self.rng.choice((DType.F16, DType.F16, DType.F32))
        self.sticks: dict[str, int] = {}

    def size(self, rank: int) -> int:
        return self.rng.choice(LONG if rank <= 2 else SHORT)

    def input(self, shape: tuple[int, ...], stick: int) -> View:
        """An input seen with this shape; now and then it is stored with two dims swapped, or with two as one."""
        name, last = f"x{len(self.sketch.inputs)}", len(shape) - 1
        way = self.rng.random()
        if way < 0.25 and last >= 1:
            return self.swapped(name, shape, stick, self.rng.randrange(last))
        if way < 0.5 and last >= 2:
            return self.merged(name, shape, stick, self.rng.randrange(last))
        self.sticks[name] = stick
        return self.sketch.input(name, *shape, dtype=self.dtype)

    def swapped(self, name: str, shape: tuple[int, ...], stick: int, first: int) -> View:
        """Stored with the last dim in the place of another."""
        last = len(shape) - 1
        order = list(range(last + 1))
        order[first], order[last] = last, first
        self.sticks[name] = order[stick]
        stored = self.sketch.input(name, *(shape[dim] for dim in order), dtype=self.dtype)
        return transposed(stored, first, last)

    def merged(self, name: str, shape: tuple[int, ...], stick: int, first: int) -> View:
        """Stored with two neighbouring dims as one, so that two loops move it; the stick's dim stays itself."""
        if stick in (first, first + 1):
            first = 0 if stick > 1 else len(shape) - 2
        if stick in (first, first + 1):
            self.sticks[name] = stick
            return self.sketch.input(name, *shape, dtype=self.dtype)
        self.sticks[name] = stick - (stick > first)
        stored = (*shape[:first], shape[first] * shape[first + 1], *shape[first + 2 :])
        whole = self.sketch.input(name, *stored, dtype=self.dtype)
        if self.rng.random() < 0.5:
            return reshaped(whole, *shape)
        other_way = (*shape[:first], shape[first + 1], shape[first], *shape[first + 2 :])
        return transposed(reshaped(whole, *other_way), first, first + 1)

    def finish(self, result: View, stick: int) -> Case:
        """The case: every buffer gets a random order of its other dims."""
        self.sticks[result.buffer] = stick
        self.sketch.output(result)
        program = self.sketch.program()
        layouts = {}
        for buffer in program.buffers:
            cut = self.sticks[buffer.name]
            rest = [dim for dim in range(len(buffer.shape)) if dim != cut]
            if self.rng.random() < 0.5:
                self.rng.shuffle(rest)
            order = (*rest, cut)
            layouts[buffer.name] = stick_layout(buffer.shape, buffer.strides, SPYRE.lanes(buffer.dtype), order)
        return Case(program, layouts, self.rng.choice((1, 3, 4, 8, 8, 32, 32, 32)), self.limit(layouts))

    def limit(self, layouts: dict[str, StickLayout]) -> int:
        """A span limit: the real one, a round one, or one that the largest tensor is beyond."""
        way = self.rng.random()
        if way < 0.3:
            return SPYRE.span_limit_bytes
        if way < 0.6:
            return self.rng.choice((MIB, MIB, 4 * MIB, 16 * MIB))
        largest = max(layout.size_bytes for layout in layouts.values())
        return max(256, int(largest * self.rng.choice((0.97, 0.9, 0.7, 0.6, 0.5, 0.3, 0.25, 0.1))))


def pointwise(draw: Draw) -> Case:
    """One to three operands, some broadcast."""
    rank = draw.rng.randint(1, 4)
    shape = tuple(draw.size(rank) for _ in range(rank))
    stick = draw.rng.randrange(rank)
    views = [draw.input(shape, stick)]
    for _ in range(draw.rng.randint(0, 2)):
        own = tuple(1 if draw.rng.random() < 0.2 else size for size in shape)
        views.append(draw.input(own, stick))
    return draw.finish(draw.sketch.apply("neg" if len(views) == 1 else "add", *views), stick)


def two_loops_in_a_dim(draw: Draw) -> Case:
    """An operand stored with two dims as one outside of a single stick: its floors may divide either loop."""
    shape = (draw.rng.choice((2, 3, 4, 5, 6, 15)), draw.rng.choice((8, 12, 32, 48, 96)), draw.rng.choice((31, 64)))
    view = draw.merged("x0", shape, 2, 0)
    if draw.rng.random() < 0.5:
        return draw.finish(draw.sketch.reduce("sum", view, draw.rng.randrange(2)), 2)
    return draw.finish(draw.sketch.apply("neg", view), 2)


def reduction(draw: Draw) -> Case:
    """One or two dims folded; folding the stick leaves one value per stick."""
    rank = draw.rng.randint(2, 4)
    shape = tuple(draw.size(rank) for _ in range(rank))
    stick = draw.rng.randrange(rank)
    dims = draw.rng.sample(range(rank), draw.rng.randint(1, min(2, rank - 1)))
    keep = draw.rng.random() < 0.5
    result = draw.sketch.reduce(draw.rng.choice(("sum", "max", "min")), draw.input(shape, stick), *dims, keep=keep)
    if stick in dims:
        return draw.finish(result, SPARSE)
    return draw.finish(result, stick if keep else stick - sum(dim < stick for dim in dims))


def matmul(draw: Draw) -> Case:
    """Plain, batched, or with a weight (or activation) that lacks batch dims."""
    lead = draw.rng.choice((0, 0, 1, 1, 2))
    batch = tuple(draw.rng.choice((1, 2, 3, 4, 7, 8, 12, 32)) for _ in range(lead))
    rows, columns, inner = (draw.rng.choice(sizes) for sizes in draw.rng.choice(PRODUCTS))
    left, right = batch, batch
    if draw.rng.random() < 0.4:
        right = tuple(1 for _ in batch) if draw.rng.random() < 0.5 else ()
    elif draw.rng.random() < 0.2:
        left = tuple(1 if draw.rng.random() < 0.5 else size for size in batch)
    one = draw.input((*left, rows, inner), len(left) + 1)
    other = draw.input((*right, inner, columns), len(right) + 1)
    wide = draw.dtype is DType.F16 and columns % 64 == 0 and draw.rng.random() < 0.3
    return draw.finish(draw.sketch.matmul(one, other, dtype=DType.F32 if wide else draw.dtype), lead + 1)


@cache
def case_of(seed: int) -> Case:
    draw = Draw(seed)
    return (matmul, reduction, matmul, pointwise, two_loops_in_a_dim)[seed % 5](draw)
