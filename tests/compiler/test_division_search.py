"""Largest loop first against an enumeration that shares no code with it, on seeded random spaces."""

import math
from itertools import product as every
from random import Random

import pytest

from compiler.loops import LoopOp, OpKind, Origin, Role
from compiler.spaces import Axis, Space
from compiler.splits import largest_first


def divisors(number: int) -> list[int]:
    return [value for value in range(1, number + 1) if number % value == 0]


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
