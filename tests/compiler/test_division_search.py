"""The two dividing rules against an enumeration that shares no code with them, on seeded random shapes."""

import math
from itertools import product as every
from random import Random

import pytest

from compiler.device import load_device
from compiler.loops import LoopOp, OpKind, Origin, Role
from compiler.passes.divide_matmul import DivideMatmul
from compiler.problem import Problem
from compiler.spaces import Axis, Space
from compiler.splits import largest_first
from tests.compiler.shapes import unplanned
from tests.sketch import Sketch

STICK = 64


def divisors(number: int) -> list[int]:
    return [value for value in range(1, number + 1) if number % value == 0]


def above(ratio: float) -> float:
    return max(0.0, math.log2(ratio))


def published_points(
    sizes: tuple[int, int, int, int], split: tuple[int, int, int, int], shared: bool, cores: int
) -> float:
    """The ranking of one split, as the published table states it; two bytes per element."""
    batch, rows, columns, inner = sizes
    b, m, n, k = split
    used, tile_m, tile_n = b * m * n * k, rows // m, columns // n
    fill = 1 if tile_m >= 40 else (40 / max(tile_m, 8)) ** -0.25
    compute = batch * rows * columns * inner / used / 1_536_000 / fill * (2 if k > 1 else 1)
    moved = (batch * rows * inner + (1 if shared else batch) * inner * columns + batch * rows * columns) * 2
    fan = max(m, n) if shared else n
    hbm = moved / 204_800 * max(1, (fan / 8) ** 0.75)
    sums = (k - 1) * batch * rows * columns / (b * m * n) * (0.001 if shared else 0.0001)
    points = 10 * above(max(4, min(cores // 2, max(1, rows // 32))) / m)
    points += 30 * above(16 / max(1, tile_m)) + 25 * above(max(1, tile_n) / 512) + 150 * above(cores / used)
    if not shared:
        points += 10 * math.log2(b)
        points += (20 * above(inner / columns) * math.log2(n)) if tile_m >= 16 else 0
    else:
        points += 10 * above(inner / columns) * math.log2(n)
        points += (5 * above(4096 / columns) * above(tile_n / 128)) if tile_m >= 16 else 0
    return float(compute + hbm + sums + points)


def random_product(rng: Random) -> tuple[tuple[int, int, int, int], bool]:
    shared = rng.random() < 0.6
    batch = 1 if shared else rng.choice((2, 3, 4, 8, 12, 32))
    rows = rng.choice((2, 7, 8, 12, 30, 64, 96, 100, 128, 384, 512, 1000, 1024, 2048))
    columns, inner = (STICK * rng.choice((1, 2, 3, 4, 6, 10, 16, 32, 50, 64)) for _ in range(2))
    return (batch, rows, columns, inner), shared


@pytest.mark.parametrize("seed", range(60))
def test_the_matmul_ranking_finds_what_an_enumeration_finds(seed: int) -> None:
    rng = Random(seed)
    sizes, shared = random_product(rng)
    cores = rng.choice((1, 3, 4, 8, 32))
    batch, rows, columns, inner = sizes
    best: tuple[float, tuple[int, int, int, int]] | None = None
    for split in every(divisors(batch), divisors(rows), divisors(columns // STICK), divisors(inner // STICK)):
        if math.prod(split) > cores:
            continue
        points = published_points(sizes, split, shared, cores)
        if best is None or points < best[0] - 1e-9:
            best = (points, split)
    assert best is not None
    sketch = Sketch("product")
    lead = () if shared else (batch,)
    left = sketch.input("x", *lead, rows, inner)
    sketch.output(sketch.matmul(left, sketch.input("y", *lead, inner, columns)))
    problem = Problem(sketch.program(), load_device("spyre").with_cores(cores))
    plan = DivideMatmul()(problem, unplanned(problem))
    if "matmul" not in plan.divisions:
        assert math.prod(best[1]) < cores, "declined, although the best split leaves no core idle"
        return
    names = ("i", "j", "k") if shared else ("i", "j", "l", "k")
    found = tuple(plan.divisions["matmul"].factor(name) for name in names)
    assert found == (best[1][1:] if shared else best[1])
    assert f": {best[0]:,.1f} µs by the matmul ranking" in plan.reasons["division:matmul"]


def random_space(rng: Random) -> Space:
    sizes = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 25, 31, 32, 33, 64, 100, 128)
    outputs = [Axis(f"o{number}", rng.choice(sizes), Role.OUTPUT) for number in range(rng.randint(0, 4))]
    reduced = [Axis(f"r{number}", rng.choice(sizes), Role.REDUCTION) for number in range(rng.randint(0, 2))]
    op = LoopOp("op", OpKind.REDUCTION, "sum", (), (), (), (), (), Origin())
    return Space(op, (*outputs, *reduced))


@pytest.mark.parametrize("seed", range(60))
def test_largest_first_is_the_lexicographic_maximum(seed: int) -> None:
    """Of all factors of the result loops, larger loops compared first; then the one reduced loop that takes most."""
    rng = Random(seed)
    space, cores = random_space(rng), rng.choice((1, 3, 4, 8, 12, 32))
    outputs = sorted((axis for axis in space.axes if axis.role is Role.OUTPUT), key=lambda axis: -axis.extent)
    menus = [[factor for factor in divisors(axis.extent) if factor <= cores] for axis in outputs]
    best = max(split for split in every(*menus) if math.prod(split) <= cores)
    wanted = {axis.name: factor for axis, factor in zip(outputs, best, strict=True)}
    room = cores // math.prod(best)
    takes = {
        axis.name: max(factor for factor in divisors(axis.extent) if factor <= room)
        for axis in space.axes
        if axis.role is Role.REDUCTION
    }
    most = max(takes, key=lambda name: takes[name], default="")
    wanted |= {name: factor if name == most else 1 for name, factor in takes.items()}
    assert dict(largest_first(space, cores)) == wanted
