"""Lessons on memory: what stays in LX saves traffic, and what moves over the ring saves more.

Owns the softmax ladder and the relayout graph.  Bytes are those of the simulated device memory, from the trace.
"""

from __future__ import annotations

from frozendict import frozendict

from compiler.pins import Pins
from compiler.pipelines import PIPELINES
from simulator.timing.work import Way
from simulator.trace import Trace
from spyre_studio.lessons_values import Bench, Figure, Lesson, Row, Run, in_us
from spyre_studio.opinions import opinions
from spyre_studio.units import format_us

MOVING = PIPELINES["staged"].replace("moves=no", "moves=yes")
"""The staged pipeline, with moves where they pay or are pinned."""
CARD = frozenset({Way.OWN, Way.SHARED, Way.REPLICATED})
ROWS, COLUMNS, ELEMENT_BYTES = 512, 1024, 2
_VECTORS, _MATRICES, _INPUT = ("softmax/max", "softmax/sum"), ("softmax/sub", "softmax/exp"), ("x",)
_EVERY = (*_VECTORS, *_MATRICES, *_INPUT)
_STAGES = (
    ("nothing in LX", (), (8, 4)),
    ("max and sum in LX", _VECTORS, (8, 0)),
    ("sub and exp, too", (*_VECTORS, *_MATRICES), (3, 0)),
    ("the input cloned, too", _EVERY, (2, 0)),
)
"""What is in LX, and the published passes over the matrix and over a vector."""


def card_bytes(trace: Trace) -> int:
    """What device memory moved."""
    return sum(each.moved for each in trace.traffic if each.way in CARD)


def passes(moved: int) -> Figure:
    """Bytes as passes over a matrix of M by N and a vector of N elements.

    >>> [passes(2 * count).text for count in (8 * 512 * 1024 + 4 * 1024, 3 * 512 * 1024, 100)]
    ['8MN + 4N', '3MN', '100 elements']
    """
    elements = moved // ELEMENT_BYTES
    matrices, rest = divmod(elements, ROWS * COLUMNS)
    vectors, left = divmod(rest, COLUMNS)
    if left or moved % ELEMENT_BYTES:
        return Figure(f"{elements:,} elements", moved)
    counts = ((matrices, "MN"), (vectors, "N"))
    return Figure(" + ".join(f"{count}{size}" for count, size in counts if count) or "0", moved)


def ladder(bench: Bench) -> tuple[Row, ...]:
    """The passes of four placements, and the times of the first and the last."""
    spec = f"softmax_columns?rows={ROWS}&columns={COLUMNS}"
    runs = [bench.run(spec, 1, MOVING, _placed(resident)) for _, resident, _ in _STAGES]
    return (*(_step(*stage, run) for stage, run in zip(_STAGES, runs, strict=True)), _ladder_times(runs))


def _placed(resident: tuple[str, ...]) -> Pins:
    return Pins(placement=frozendict({name: "lx" if name in resident else "hbm" for name in _EVERY}))


def _step(title: str, _resident: tuple[str, ...], counts: tuple[int, int], run: Run) -> Row:
    published = (counts[0] * ROWS * COLUMNS + counts[1] * COLUMNS) * ELEMENT_BYTES
    counted, measured = run.compilation.cost.hbm_bytes, card_bytes(run.trace)
    why = "the cost model counts the input once for max and sub, which both read it" if counted != published else ""
    return Row(title, passes(published), passes(counted), passes(measured), why, True, measured == published)


def _ladder_times(runs: list[Run]) -> Row:
    first, last = runs[0], runs[-1]
    rate = 8 * ROWS * COLUMNS * ELEMENT_BYTES / 32.51e3
    peak = first.compilation.problem.device.number("hbm_peak_bytes_per_us") / 1000
    why = (
        f"published times were measured on a card; with these passes they would mean {rate:.0f} B/ns of a memory that "
        f"moves {peak:.0f}, so that only the passes are a test. What limits one core here is folding: the cost model "
        "charges the slowest reduction, the simulator each of them, inside LX at a rate that was fitted on 32 cores "
        "mostly"
    )
    predicted = (first.compilation.cost.total_us, last.compilation.cost.total_us)
    return Row(
        "time, first to last",
        Figure("32.5 → 23.7 µs"),
        Figure(" → ".join(map(format_us, predicted))),
        Figure(f"{format_us(first.trace.total_us)} → {format_us(last.trace.total_us)}"),
        why,
    )


def relayout(bench: Bench) -> tuple[Row, ...]:
    """relu(neg(x)) under two divisions that do not fit, with and without a copy over the ring."""
    division = {"neg": {"d1": 4, "d2": 2}, "relu": {"d1": 8}}
    pinned = frozendict((op, frozendict(factors)) for op, factors in division.items())
    runs = {
        way: bench.run("mismatch", 8, MOVING, Pins(division=pinned, relayout=frozendict({"neg": way})))
        for way in ("none", "ring")
    }
    copy = _ring_step(runs["ring"])
    return (
        _priced("without a relayout", 80.0, runs["none"]),
        _priced("with a relayout", 41.1, runs["ring"]),
        _row("the relayout alone", 1.1, *copy, ""),
    )


def _priced(title: str, published: float, run: Run) -> Row:
    found = opinions(run.compilation, run.trace).whole
    return _row(title, published, found.predicted_us, found.simulated_us, found.contributions[0].words)


def _row(title: str, published: float, predicted: float, simulated: float, why: str) -> Row:
    held = round(predicted, 1) == published
    return Row(title, in_us(published), in_us(predicted), in_us(simulated), why, True, held)


def _ring_step(run: Run) -> tuple[float, float]:
    """The price and the simulated time of what goes over the ring."""
    number = next(each.step for each in run.trace.traffic if each.way == Way.RING)
    found = opinions(run.compilation, run.trace).steps[number]
    return found.predicted_us, found.simulated_us


LESSONS = (
    Lesson(
        "softmax",
        "What stays in LX is not moved",
        f"softmax over dim 0 of [{ROWS},{COLUMNS}] fp16 (M = {ROWS}, N = {COLUMNS}), 1 core; placements pinned",
        "the published softmax ladder: passes over device memory; times measured on a card",
        ladder,
    ),
    Lesson(
        "relayout",
        "Divisions that do not fit, and a copy over the ring",
        "relu(neg(x)), [8,256,512] fp16, 8 cores; neg cut 4 x 2 along rows and columns, relu 8 along rows, pinned",
        "published predictions of the cost model; nothing was measured",
        relayout,
    ),
)
