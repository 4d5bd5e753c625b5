"""Cores lost: what a division leaves idle because nothing divides, and the padding that wins them back."""

import doctest
import math
from itertools import product as every
from random import Random

import pytest
from frozendict import frozendict

import compiler.idle
from compiler.idle import Idle, Padding, idle_of
from compiler.loops import LoopOp, LoopProgram, OpKind, Origin, Role
from compiler.spaces import STRIDED, Axis, Space
from compiler.splits import largest_first
from tests.compiler.shapes import divided
from tests.programs import chain, problem_of, product
from tests.sketch import Sketch


def space(*axes: Axis) -> Space:
    return Space(LoopOp("op", OpKind.REDUCTION, "sum", (), (), (), (), (), Origin()), axes)


def out(name: str, size: int, lanes: int = 1, blocked: str = "", floor_wins: bool = False) -> Axis:
    return Axis(name, size, Role.OUTPUT, lanes, 1, blocked, floor_wins)


def folded(name: str, size: int) -> Axis:
    return Axis(name, size, Role.REDUCTION)


def lost(one: Space, cores: int = 32, **floors: int) -> Idle | None:
    """What the general rule loses."""
    return idle_of(one, largest_first(one, cores, floors), cores, floors)


def said(program: LoopProgram, op: str) -> str:
    return divided(problem_of(program)).reasons[f"division:{op}"]


def test_examples_of_the_module() -> None:
    assert doctest.testmod(compiler.idle).failed == 0


@pytest.mark.parametrize(
    ("one", "cores", "sentence"),
    [
        (
            space(out("i", 33)),
            32,
            "11 of 32 cores: 33 iterations of i have no larger divisor that fits; 64 iterations of i would use 32",
        ),
        (
            space(out("i", 33), out("j", 768, lanes=64)),
            32,
            "22 of 32 cores: 33 iterations of i and 12 sticks of j have no larger divisor that fits; 64 iterations",
        ),
        (space(out("i", 5), out("j", 100), out("l", 3)), 32, "25 of 32 cores: i 5 j 2 l 3 would use 30"),
        (space(out("i", 7)), 4, "1 of 4 cores: 7 iterations of i have no larger divisor that fits; 8 iterations"),
        (
            space(out("i", 9), out("j", 9), out("l", 9)),
            7,
            "3 of 7 cores: 9 iterations of i, 9 iterations of j and 9 iterations of l",
        ),
        (space(out("j", 3200, lanes=64), folded("k", 4096)), 32, "25 of 32 cores: j 2 k 16 would use 32"),
    ],
)
def test_sentences(one: Space, cores: int, sentence: str) -> None:
    assert str(lost(one, cores)).startswith(sentence)


def test_the_answer_in_numbers() -> None:
    assert lost(space(out("i", 33), out("j", 64, lanes=64))) == Idle(
        11, 32, ("33 iterations of i",), frozendict(), Padding("i", 64, "64 iterations of i", 32)
    )
    found = lost(space(out("i", 3), out("j", 16)))
    assert found is not None
    assert found.fuller == {"i": 3, "j": 8}
    assert found.stuck == ("3 iterations of i",)


@pytest.mark.parametrize(
    ("one", "cores"),
    [
        (space(out("i", 64)), 32),
        (space(out("i", 2)), 32),
        (space(out("i", 31)), 32),
        (space(out("i", 64, blocked=STRIDED)), 32),
        (space(out("i", 33)), 1),
        (space(folded("r0", 2), folded("r1", 2)), 32),
        (space(), 32),
    ],
    ids=["all work", "one part each", "a prime within the cores", "blocked", "one core", "one reduced loop", "no loop"],
)
def test_nothing_is_lost_where_nothing_is_left_to_give(one: Space, cores: int) -> None:
    assert lost(one, cores) is None


def test_a_floor_frees_a_loop_that_a_span_may_divide() -> None:
    one = space(out("y", 30, blocked=STRIDED, floor_wins=True))
    assert lost(one) is None
    assert str(lost(one, 16, y=2)) == (
        "15 of 16 cores: 30 iterations of y have no larger divisor that fits; 32 iterations of y would use 16"
    )


def test_no_division_goes_below_a_floor() -> None:
    found = lost(space(out("i", 30), out("j", 9)), 32, j=9)
    assert found is not None
    assert (found.used, found.fuller) == (27, frozendict())


@pytest.mark.parametrize("seed", range(40))
def test_claims_hold_against_an_enumeration(seed: int) -> None:
    """No division uses more cores than `fuller`, and a padded loop does what is said of it."""
    rng = Random(seed)
    sizes = (2, 3, 5, 7, 9, 11, 12, 20, 33, 50, 67, 100)
    axes = [out(f"o{number}", rng.choice(sizes), lanes=rng.choice((1, 64))) for number in range(rng.randint(1, 3))]
    axes += [folded(f"r{number}", rng.choice(sizes)) for number in range(rng.randint(0, 2))]
    one, cores = space(*axes), rng.choice((4, 6, 8, 32))
    rule = largest_first(one, cores)
    used, most = math.prod(rule.values()), 0
    for split in every(*([value for value in range(1, cores + 1) if axis.size % value == 0] for axis in axes)):
        reduced = sum(factor > 1 and axis.role is Role.REDUCTION for factor, axis in zip(split, axes, strict=True))
        if math.prod(split) <= cores and reduced <= 1:
            most = max(most, math.prod(split))
    found = idle_of(one, rule, cores)
    if found is None:
        assert used == cores or all(axis.size < 2 * rule[axis.name] or axis.role is Role.REDUCTION for axis in axes)
        return
    assert found.used == used
    assert (math.prod(found.fuller.values()) if found.fuller else used) == most
    if found.padding is not None:
        longer = [
            Axis(axis.name, found.padding.size * axis.lanes, axis.role, axis.lanes)
            if axis.name == found.padding.loop
            else axis
            for axis in axes
        ]
        assert math.prod(largest_first(space(*longer), cores).values()) == found.padding.cores > most


# In the reasons of the passes


def test_the_general_rule_says_what_it_loses() -> None:
    assert said(chain(33, 64), "neg") == (
        "largest loop first: i (33 iterations) by 11; 11 of 32 cores: 33 iterations of i have no larger divisor that "
        "fits; 64 iterations of i would use 32"
    )
    assert said(chain(67, 64), "neg") == (
        "largest loop first: 1 of 32 cores: 67 iterations of i have no larger divisor that fits; 96 iterations of i "
        "would use 32"
    )
    assert said(product(1, 4096, 3200), "matmul").endswith("25 of 32 cores: j 2 k 16 would use 32")


def test_the_matmul_ranking_says_what_it_loses() -> None:
    reason = said(product(25, 64, 64), "matmul")
    assert reason.startswith("i 25: ")
    assert "cores:" not in reason, "every row has its core"
    assert said(product(75, 64, 64), "matmul").endswith(
        "25 of 32 cores: 75 iterations of i have no larger divisor that fits; 96 iterations of i would use 32"
    )


def test_what_is_blocked_is_named_beside_what_is_lost() -> None:
    sketch = Sketch("sum")
    sketch.output(sketch.reduce("sum", sketch.input("x", 33, 100), 1))
    assert said(sketch.program(), "sum").endswith(
        "64 iterations of i would use 32; j is not divided: it is reduced along sticks and 100 is not a multiple of 64"
    )
