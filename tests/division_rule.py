"""The published three passes of work division, written out from their description and from nothing else.

Owns a second, slow opinion: coordinates of tensors, span floors, the matmul ranking in exact arithmetic, and largest
loop first.  Reads loop nests and layouts as values; shares no code with the compiler.  Refuses what the description
leaves out: gathers, convolutions, floors and mods.

Where the description is silent: of candidates that are equal in every stated respect the first enumerated is taken,
with loops in the order of the iteration space; a loop of the result that fits one stick still counts as one of its
dims; matmuls of any float type are ranked.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from functools import cache
from itertools import product

from compiler.layout import StickLayout
from compiler.loops import Access, LoopOp, OpKind, Role

Factors = dict[str, int]
STICK = 128
EXACT = Context(prec=45)
DIGITS = Decimal(1).scaleb(-25)  # far below any real difference, far above what is lost in rounding


class RefusedError(Exception):
    """The description refuses the op; the argument says by which rule."""


@dataclass(frozen=True)
class Term:
    """What a loop adds to one device coordinate: `iteration * step // stride`, modulo `wrap` unless that is 0."""

    loop: str
    step: int
    stride: int
    wrap: int

    def at(self, iteration: int) -> int:
        value = iteration * self.step // self.stride
        return value % self.wrap if self.wrap else value


@dataclass(frozen=True)
class Tensor:
    """One operand: sizes of the device dims and the terms of each, the stick last."""

    sizes: tuple[int, ...]
    terms: tuple[tuple[Term, ...], ...]

    @property
    def lanes(self) -> int:
        return self.sizes[-1]

    @property
    def sticks(self) -> set[str]:
        """Loops in the stick coordinate."""
        return {term.loop for term in self.terms[-1]}

    @property
    def loops(self) -> set[str]:
        """Loops in any coordinate."""
        return {term.loop for terms in self.terms for term in terms}

    def width(self, dim: int, ranges: Mapping[str, int], split: Factors) -> int:
        """Per-core size of a coordinate."""
        return 1 + sum(term.at(ranges[term.loop] // split.get(term.loop, 1) - 1) for term in self.terms[dim])

    def span(self, ranges: Mapping[str, int], split: Factors) -> int:
        """Bytes that a core has to be able to reach."""
        for dim in range(len(self.sizes) - 1):
            width = self.width(dim, ranges, split)
            if width > 1:
                return width * math.prod(self.sizes[dim + 1 :]) * STICK // self.lanes
        return STICK // self.lanes


def tensor(access: Access, layout: StickLayout, ranges: Mapping[str, int]) -> Tensor:
    """Where every loop of an affine access lands in a layout."""
    sizes, strides = layout.device_size, layout.stride_map
    placed = {dim: stride for dim, stride in enumerate(strides) if stride > 0 and sizes[dim] > 1}
    terms: list[list[Term]] = [[] for _ in sizes]
    for term in access.index.terms:
        assert term.plain, "only coefficient * loop is described"
        loop, step = term.loops[0][0], term.coefficient
        reach = step * ranges[loop]
        home = max(stride for stride in placed.values() if stride <= step)
        dims = [dim for dim, stride in placed.items() if stride == home or step < stride < reach]
        for dim in dims:
            larger = [placed[other] for other in dims if placed[other] > placed[dim]]
            terms[dim].append(Term(loop, step, placed[dim], min(larger) // placed[dim] if larger else 0))
    return Tensor(sizes, tuple(map(tuple, terms)))


class Rule:
    """One op with its tensors, on some cores under a span limit (bytes)."""

    def __init__(self, op: LoopOp, layouts: Mapping[str, StickLayout], cores: int, limit: int) -> None:
        self.op, self.cores, self.limit = op, cores, limit
        self.ranges = {loop.name: loop.extent for loop in op.loops}
        self.inputs = [tensor(read, layouts[read.buffer], self.ranges) for read in op.reads]
        self.output = tensor(op.write, layouts[op.write.buffer], self.ranges)
        self.lanes = dict.fromkeys(self.ranges, 1)
        for one in self.tensors:
            for loop in one.sticks:
                self.lanes[loop] = max(self.lanes[loop], one.lanes)
        self.reduced = [loop.name for loop in op.loops if loop.role is Role.REDUCTION]

    @property
    def tensors(self) -> list[Tensor]:
        return [*self.inputs, self.output]

    def size(self, loop: str) -> int:
        """Sticks or iterations."""
        return -(-self.ranges[loop] // self.lanes[loop])

    def divisors(self, loop: str) -> list[int]:
        """Legal factors; a reduction whose stick is not full stays whole."""
        if loop in self.reduced and self.ranges[loop] % self.lanes[loop]:
            return [1]
        return [factor for factor in range(1, self.cores + 1) if self.size(loop) % factor == 0]

    def answer(self) -> Factors:
        """Factors above 1."""
        floors = self.floors()
        chosen = self.ranked() if self.op.kind is OpKind.MATMUL and not floors else None
        split = chosen or self.largest_first(floors)
        if any(one.span(self.ranges, split) > self.limit for one in self.tensors):
            raise RefusedError("span")
        return {loop: factor for loop, factor in split.items() if factor > 1}

    # Pass 1

    def floors(self) -> Factors:
        """Least factors above 1 for the span limit."""
        found: Factors = {}
        for one in self.tensors:
            for dim in range(len(one.sizes) - 1):
                if one.span(self.ranges, found) <= self.limit:
                    break
                found = self.raised(one, dim, found)
                if one.width(dim, self.ranges, found) > 1:
                    break
        found = {loop: factor for loop, factor in found.items() if factor > 1}
        if sum(loop in found for loop in self.reduced) > 1:
            raise RefusedError("two reductions")
        return found

    def raised(self, one: Tensor, dim: int, found: Factors) -> Factors:
        """Fewest cores, then the largest span within the limit; else the smallest span."""
        here = {term.loop for term in one.terms[dim]}
        loops = [loop for loop in self.ranges if loop in here]
        menus = [[f for f in self.divisors(loop) if f >= found.get(loop, 1)] for loop in loops]
        best: tuple[tuple[int, int, int], Factors] | None = None
        for factors in product(*menus):
            choice = found | dict(zip(loops, factors, strict=True))
            used = math.prod(choice.values())
            if used > self.cores:
                continue
            span = one.span(self.ranges, choice)
            key = (0, used, -span) if span <= self.limit else (1, span, 0)
            if best is None or key < best[0]:
                best = (key, choice)
        return best[1] if best else found

    # Pass 2

    def ranked(self) -> Factors | None:
        """The cheapest split of a matmul, None where the ranking declines."""
        best = self.ranking()
        if best is None or math.prod(best[1].values()) < math.prod(self.largest_first({}).values()):
            return None
        return best[1]

    def ranking(self) -> tuple[Decimal, Factors] | None:
        """Points and factors of the cheapest split, None where the roles are not there."""
        first, second = self.inputs
        outputs = [loop for loop in self.ranges if loop not in self.reduced]
        columns = sorted(self.output.sticks)
        if len(columns) != 1 or len(self.reduced) != 1:
            return None
        step = {term.loops[0][0]: term.coefficient for term in self.op.write.index.terms}
        private = [loop for loop in outputs if loop != columns[0] and (loop in first.loops) != (loop in second.loops)]
        if not private:
            return None
        rows = min(private, key=lambda loop: step[loop])
        batch = [loop for loop in outputs if loop not in (rows, columns[0])]
        loops = [*batch, rows, columns[0], self.reduced[0]]
        work = Work(
            math.prod(self.ranges[loop] for loop in batch),
            self.ranges[rows],
            self.size(columns[0]) * self.lanes[columns[0]],
            self.size(self.reduced[0]) * self.lanes[self.reduced[0]],
            shared=len(private) > 1 or not batch,
            bytes_in=STICK // first.lanes,
            bytes_out=STICK // self.output.lanes,
            cores=self.cores,
        )
        best: tuple[Decimal, tuple[int, ...]] | None = None
        for split in product(*map(self.divisors, loops)):
            if math.prod(split) <= self.cores:
                points = work.points(math.prod(split[:-3]), *split[-3:])
                if best is None or points < best[0]:
                    best = (points, split)
        return (best[0], dict(zip(loops, best[1], strict=True))) if best else None

    # Pass 3

    def largest_first(self, floors: Factors) -> Factors:
        """Result loops by falling size, then one reduced loop."""
        split = {loop: floors.get(loop, 1) for loop in self.ranges}
        outputs = [loop for loop in self.ranges if loop not in self.reduced]
        for loop in sorted(outputs, key=lambda loop: -self.size(loop)):
            split[loop] = self.largest(loop, split)
        open_loops = [loop for loop in self.reduced if split[loop] > 1] or self.reduced
        if open_loops:
            most = max(open_loops, key=lambda loop: self.largest(loop, split))
            split[most] = self.largest(most, split)
        return split

    def largest(self, loop: str, split: Factors) -> int:
        """The largest factor that keeps within the cores."""
        others = math.prod(factor for name, factor in split.items() if name != loop)
        fits = [factor for factor in self.divisors(loop) if factor >= split[loop] and others * factor <= self.cores]
        return max(fits, default=split[loop])


@dataclass(frozen=True)
class Work:
    """A matmul: batches, rows, columns, depth; one weight for all batches or not; element bytes; cores."""

    batch: int
    rows: int
    columns: int
    inner: int
    shared: bool
    bytes_in: int
    bytes_out: int
    cores: int

    def points(self, b: int, m: int, n: int, k: int) -> Decimal:
        """Microseconds and preferences of a split, exact to 25 places."""
        with localcontext(EXACT):
            return (self.execution(b, m, n, k) + self.preference(b, m, n, k)).quantize(DIGITS)

    def execution(self, b: int, m: int, n: int, k: int) -> Decimal:
        """Fill, compute, device memory, partial sums."""
        macs, tile = self.batch * self.rows * self.columns * self.inner, self.rows // m
        fill = power(max(tile, 8), 40, "0.25") if tile < 40 else Decimal(1)
        compute = Decimal(macs) / (b * m * n * k) / 1_536_000 / fill * (2 if k > 1 else 1)
        weights = (1 if self.shared else self.batch) * self.inner * self.columns
        moved = (self.batch * self.rows * self.inner + weights) * self.bytes_in
        moved += self.batch * self.rows * self.columns * self.bytes_out
        fan = max(m, n) if self.shared else n
        hbm = Decimal(moved) / 204_800 * max(Decimal(1), power(fan, 8, "0.75"))
        rate = Decimal("0.001" if self.shared else "0.0001")
        sums = (k - 1) * Decimal(self.batch * self.rows * self.columns) / (b * m * n) * rate
        return compute + hbm + sums

    def preference(self, b: int, m: int, n: int, k: int) -> Decimal:
        """Points that rank splits and are no time."""
        tile_m, tile_n = self.rows // m, self.columns // n
        wanted = max(4, min(self.cores // 2, max(1, self.rows // 32)))
        points = 10 * above(wanted, m) + 30 * above(16, max(1, tile_m)) + 25 * above(max(1, tile_n), 512)
        points += 150 * above(self.cores, b * m * n * k)
        deep = above(self.inner, self.columns) * above(n, 1)
        if self.shared:
            points += 10 * deep
            points += 5 * above(4096, self.columns) * above(tile_n, 128) if tile_m >= 16 else 0
            return points
        points += 10 * above(b, 1)
        return points + (20 * deep if tile_m >= 16 else 0)


@cache
def power(over: int, under: int, exponent: str) -> Decimal:
    """(over / under) ^ exponent."""
    with localcontext(EXACT):
        return (Decimal(over) / under) ** Decimal(exponent)


@cache
def above(over: int, under: int) -> Decimal:
    """max(0, log2(over / under))."""
    with localcontext(EXACT):
        return (Decimal(over) / under).ln() / Decimal(2).ln() if over > under else Decimal(0)


def slots(op: LoopOp, split: Factors, core: int) -> Factors:
    """Which slice of every divided loop a core gets: first loop fastest, a divided depth of a matmul before all."""
    order: Iterable[str] = [loop.name for loop in op.loops]
    if op.kind is OpKind.MATMUL:
        reduced = {loop.name for loop in op.loops if loop.role is Role.REDUCTION}
        order = sorted(order, key=lambda loop: loop not in reduced)
    found, stride = {}, 1
    for loop in order:
        if split.get(loop, 1) > 1:
            found[loop] = core // stride % split[loop]
            stride *= split[loop]
    return found
