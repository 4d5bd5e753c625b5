"""The published tables of work division, row by row: core grids, worked examples, acceptance rows.

An id starts with the section or row that it comes from.  A row asks the compiler one question (`division_rows`) and
states the answer to the digits that are published.
"""

from collections.abc import Callable

import pytest

import tests.compiler.division_rows as ask
from tests.programs import chain, product

MIB = 2**20
GRID = [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (1, 2)]
LENGTHWISE = [(first, 0, 0) for first in range(4)]
Question = Callable[[], object]
Row = tuple[str, Question, object]

CORES: list[Row] = [
    ("3.8 + L7 splits 2 3 on 12 cores", lambda: ask.slots({"a": 2, "b": 3}, 12), GRID * 2),
    (
        "3.8 mixed radix",
        lambda: ask.slots({"a": 2, "b": 4, "c": 4}, 32),
        [(core % 2, core // 2 % 4, core // 8 % 4) for core in range(32)],
    ),
    ("L8 first loop contiguous", lambda: ask.slots({"a": 2, "b": 3, "c": 4}, 2), [(0, 0, 0), (1, 0, 0)]),
    ("L8 second loop contiguous", lambda: ask.slots({"b": 3, "a": 2, "c": 4}, 3), LENGTHWISE[:3]),
    ("L8 third loop contiguous", lambda: ask.slots({"c": 4, "a": 2, "b": 3}, 4), LENGTHWISE),
    (
        "3.8 + L9 K varies fastest",
        lambda: ask.fast_inner(2, 4, 4),
        [(core // 4 % 2, core // 8, core % 4) for core in range(32)],
    ),
    ("3.8 K partners are neighbours", lambda: ask.hops(ask.fast_inner(2, 4, 4)), {1}),
    (
        "3.8 contiguous groups own equal slices",
        lambda: [slot[1] for slot in ask.slots({"a": 8, "b": 4}, 32)],
        [core // (32 // 4) for core in range(32)],
    ),
]

E1: list[Row] = [
    (
        "E1 device sizes",
        ask.long_sizes,
        {"x": (512, 8192, 64), "y": (64, 32768, 64), "matmul": (64, 8192, 64)},
    ),
    ("E1 + W1 spans K 1", lambda: ask.long_spans(1), {"x": 512, "y": 256, "matmul": 64}),
    ("E1 + W1 spans K 2", lambda: ask.long_spans(2), {"x": 256, "y": 256, "matmul": 64}),
    ("W1 span K 4", lambda: ask.long_spans(4)["x"], 128),
    ("E1 + W2 256 MiB", lambda: ask.long_stages(256 * MIB), [{"k": 2}, {"k": 2}, {"k": 2, "i": 16}]),
    (
        "E1 + W3 268,431,360 B",
        lambda: ask.long_stages(65535 * 4096),
        [{"k": 4, "j": 2}, {"k": 4, "j": 2}, {"k": 4, "i": 4, "j": 2}],
    ),
    ("E1 no floor", lambda: ask.long_stages(512 * MIB), [{}, {"i": 8, "j": 4}, {"i": 8, "j": 4}]),
    ("E1 MiB per core", lambda: ask.long_shares(i=16, k=2), {"x": 16, "y": 128, "matmul": 4}),
    ("E1 M 8 N 4", lambda: ask.long_points(8, 4, 1), "26,724"),
    ("9.2 M 8 N 2 K 2", lambda: ask.long_points(8, 2, 2), "51,186"),
    ("9.2 M 16 K 2", lambda: ask.long_points(16, 1, 2), "54,076"),
    ("9.2 N 16 K 2", lambda: ask.long_points(1, 16, 2), "54,161"),
]

SHORT: ask.Sizes = (1, 8, 1024, 1024)
CUBE: ask.Sizes = (1, 1024, 1024, 1024)
E2: list[Row] = [
    (
        "E2 N 8 K 4",
        lambda: ask.terms(SHORT, (1, 1, 8, 4)),
        {"compute": 0.510, "hbm": 10.400, "partial sums": 3.072, "M lanes": 20, "short M tile": 30},
    ),
    (
        "E2 N 16 K 2",
        lambda: ask.terms(SHORT, (1, 1, 16, 2)),
        {"compute": 0.510, "hbm": 17.491, "partial sums": 0.512, "M lanes": 20, "short M tile": 30},
    ),
    ("E2 N 8 K 4 total", lambda: ask.points(SHORT, (1, 1, 8, 4)), "63.982"),
    ("E2 N 16 K 2 total", lambda: ask.points(SHORT, (1, 1, 16, 2)), "68.513"),
    ("E2 N 4 K 8 total", lambda: ask.points(SHORT, (1, 1, 4, 8)), "75.246"),
    ("E2 M 2 N 8 K 2 total", lambda: ask.points(SHORT, (1, 2, 8, 2)), "81.422"),
    ("E2 + W4 winner", lambda: ask.best_two(SHORT), [((1, 1, 8, 4), "63.982"), ((1, 1, 16, 2), "68.513")]),
    ("E2 in August", lambda: ask.points(SHORT, (1, 1, 8, 4), 1), "63.727"),
    ("E2 winner in August", lambda: ask.best_two(SHORT, slowdown=1)[0], ((1, 1, 8, 4), "63.727")),
    ("E3 M 4 N 8", lambda: ask.terms(CUBE, (1, 4, 8, 1)), {"compute": 21.845, "hbm": 30.72, "M lanes": 20}),
    (
        "E3 M 8 N 4",
        lambda: ask.terms(CUBE, (1, 8, 4, 1)),
        {"compute": 21.845, "hbm": 30.72, "M lanes": 10, "narrow output": 10},
    ),
    ("E3 + W4 tie", lambda: ask.best_two(CUBE), [((1, 4, 8, 1), "72.565"), ((1, 8, 4, 1), "72.565")]),
    (
        "E4 512x12800x4096 terms",
        lambda: ask.terms((1, 512, 12800, 4096), (1, 4, 8, 1)),
        {"compute": 546.133, "hbm": 596.48, "M lanes": 20, "wide N tile": 41.096},
    ),
    (
        "E4 512x4096x12800 terms",
        lambda: ask.terms((1, 512, 4096, 12800), (1, 8, 4, 1)),
        {"compute": 546.133, "hbm": 596.48, "M lanes": 10, "wide N tile": 25, "shared weight with K > N": 32.877},
    ),
]


def ranked(sizes: ask.Sizes, shared: bool, best: ask.Sizes, us: str, second: ask.Sizes, second_us: str) -> Row:
    name = "x".join(map(str, sizes)) + (" shared" if shared else "")
    return f"E4 + W4 {name}", lambda: ask.best_two(sizes, shared), [(best, us), (second, second_us)]


E4: list[Row] = [
    ranked((1, 2048, 2048, 2048), True, (1, 8, 4, 1), "317.643", (1, 4, 8, 1), "322.643"),
    ranked((1, 4096, 1024, 2048), True, (1, 8, 4, 1), "358.123", (1, 4, 8, 1), "368.123"),
    ranked((1, 512, 12800, 4096), True, (1, 4, 8, 1), "1203.710", (1, 8, 4, 1), "1218.710"),
    ranked((1, 512, 4096, 12800), True, (1, 8, 4, 1), "1210.490", (1, 4, 8, 1), "1211.929"),
    ranked((1, 512, 4096, 4096), True, (1, 4, 8, 1), "399.563", (1, 8, 4, 1), "414.563"),
    ranked((1, 512, 1024, 4096), True, (1, 8, 4, 1), "170.251", (1, 4, 8, 1), "190.251"),
    ranked((32, 512, 512, 128), False, (1, 16, 2, 1), "145.979", (1, 32, 1, 1), "150.349"),
    ranked((32, 512, 128, 512), False, (1, 32, 1, 1), "150.349", (2, 16, 1, 1), "155.979"),
    ranked((4, 512, 512, 64), False, (1, 16, 2, 1), "14.244", (1, 32, 1, 1), "14.517"),
    ranked((4, 512, 64, 512), False, (1, 32, 1, 1), "14.517", (1, 16, 1, 2), "16.507"),
]

GENERAL: list[Row] = [
    ("E5 + W20 pointwise 1024x256", lambda: ask.division_of(chain(1024, 256), "neg"), {"i": 32}),
    ("E5 + W20 pointwise 67", lambda: ask.division_of(chain(67), "neg"), {"i": 2}),
    ("E5 + W20 pointwise 33x768", lambda: ask.division_of(chain(33, 768), "neg"), {"i": 11, "j": 2}),
    ("E5 + W20 pointwise 5x100x150", lambda: ask.division_of(chain(5, 100, 150), "neg"), {"j": 25}),
    ("E5 + W20 2x8x128x64", lambda: ask.division_of(chain(2, 8, 128, 64), "neg"), {"l": 32}),
    ("E5 + W5 + W20 16 16 reduced 8", lambda: ask.general(32, o0=16, o1=16, r=8), {"o0": 16, "o1": 2, "r": 1}),
    ("W6 8 8", lambda: ask.general(32, o0=8, o1=8), {"o0": 8, "o1": 4}),
    ("E5 + W7 + W20 4 reduced 8", lambda: ask.general(32, o0=4, r=8), {"o0": 4, "r": 8}),
    ("E5 + W20 decode projection", lambda: ask.division_of(product(1, 4096, 3200), "matmul"), {"j": 25}),
    ("E5 + W20 pointwise 8x256x512 on 8", lambda: ask.division_of(chain(8, 256, 512), "neg", 8), {"j": 8}),
    ("W9 reduced stick of 10", lambda: bool(ask.space(ask.summed(1, 4, 10), "sum").axis_map["j"].blocked), True),
    ("W9 reduced stick of 128", lambda: ask.space(ask.summed(1, 4, 128), "sum").axis_map["j"].blocked, ""),
    ("W9 reduced 10 beside the stick", lambda: ask.space(ask.summed(0, 10, 64), "sum").axis_map["i"].blocked, ""),
    ("W10 strides 2 1", lambda: ask.blocked(ask.convolution((2, 1)), "conv"), {"y", "x"}),
    ("W10 strides 1 1", lambda: ask.blocked(ask.convolution((1, 1)), "conv"), set()),
    (
        "W10 a floor frees its loop",
        lambda: ask.grown(ask.convolution((2, 1), out=1), "conv", y=2),
        {"y": 8, "n": 2, "c": 2},
    ),
    (
        "W11 sizes",
        lambda: ask.general(32, "i j", mb=2, out=32, i=32, j=32),
        {"mb": 1, "out": 32, "i": 1, "j": 1},
    ),
    (
        "W11 convolution",
        lambda: ask.division_of(ask.convolution((2, 2), 32, 32, out=2048), "conv"),
        {"o": 32},
    ),
    ("W12 K of a bmm is free", lambda: ask.space(product(64, 128, 128), "matmul").axis_map["k"].blocked, ""),
    ("W18 bmm 1 16 2 1", lambda: ask.per_core((4, 1024, 1024, 2048), j=16, l=2), (64, 512, 4 * 1024**2 * 2048)),
    ("W19 matmul 8 4", lambda: ask.per_core((1, 1024, 1024, 2048), i=8, j=4), (128, 256, 1024**2 * 2048)),
]

GATHERS: list[Row] = [
    ("E6 + W17 256 entries", lambda: ask.gathered(256), {"i": 8}),
    ("E6 + W17 40 entries", lambda: ask.gathered(40), {"i": 2}),
    ("E6 + W17 6 cores", lambda: ask.gathered(256, 6), {"i": 4}),
    ("E6 + W17 scatter into 5 rows", lambda: ask.scattered(5, (5,)), {}),
    ("3.6 scatter of 256 entries", lambda: ask.scattered(300, (256,)), {"i": 8}),
    ("3.6 scatter chosen by two loops", lambda: ask.scattered(900, (6, 128)), {"i": 6}),
]

FIXED = product(512, 1024, 1024)
PINS: list[Row] = [
    (
        "W13 two factors for one dim",
        lambda: ask.pinned(FIXED, "matmul", i=2, d0=1),
        ("refused", "i and d0 are the same loop of matmul"),
    ),
    (
        "W15 no cores are left to ask whether 3 divides",
        lambda: ask.pinned(FIXED, "matmul", i=32, j=3),
        ("adjusted", "j 3 left out: i 32 x j 3 needs 96 cores and 32 are available"),
    ),
    ("W16 zero", lambda: ask.pinned(FIXED, "matmul", i=0), ("refused", "the factor of i is 0, and the least is 1")),
    (
        "W16 negative",
        lambda: ask.pinned(FIXED, "matmul", i=-1),
        ("refused", "the factor of i is -1, and the least is 1"),
    ),
    (
        "W16 boolean",
        lambda: ask.pinned(FIXED, "matmul", i=True),
        ("refused", "the factor of i is True, not a whole number"),
    ),
    (
        "W16 not a divisor",
        lambda: ask.pinned(FIXED, "matmul", i=3),
        ("refused", "3 does not divide the 512 iterations of i; up to 32 cores 1, 2, 4, 8, 16, 32 do"),
    ),
    (
        "W16 two reduced loops",
        lambda: ask.pinned(ask.summed_twice(), "sum", i=2, j=2),
        ("refused", "i and j are both reduced and only one reduced loop may be divided"),
    ),
    (
        "W16 blocked",
        lambda: ask.pinned(ask.summed(1, 64, 100), "sum", j=2),
        ("refused", "j is not divided: it is reduced along sticks and 100 is not a multiple of 64"),
    ),
]

TABLE = [*CORES, *E1, *E2, *E4, *GENERAL, *GATHERS, *PINS]


@pytest.mark.parametrize(("question", "answer"), [pytest.param(*row[1:], id=row[0]) for row in TABLE])
def test_row(question: Question, answer: object) -> None:
    assert question() == answer


def test_no_row_is_there_twice() -> None:
    assert len({row[0] for row in TABLE}) == len(TABLE)
