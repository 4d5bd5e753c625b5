"""Opinion words: why cost model and simulator differ in one part of a time, in a clause with both figures.

Owns the sentences.  Refuses arithmetic: the figures come with them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from frozendict import frozendict

from spyre_studio.opinion_accounts import NS_PER_US, Part
from spyre_studio.units import format_bytes, format_time

LEAST_US = 0.005
"""Less than what is ever shown of a time is nothing."""
NOTHING_US = 0.00005
"""What is written as 0: so much was not predicted at all."""
MANY = 2.0
"""From this share on a difference is told as a multiple."""


TIMES_EXACT = 100.0
"""From so many times on nobody asks for a tenth."""
FILLED = 0.8
"""A smaller share of the array that rows fill is told of."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What a clause may say of the steps it is about: their number, how many move a single tile, the one-way rate of
    device memory in bytes per ns, whether one of them loads what a step before loaded (`again`), and how much of the
    matrix units' rows is filled (1 where nothing is multiplied)."""

    steps: int
    single: int
    bytes_per_ns: float
    again: bool = False
    fill: float = 1.0


def words_of(part: Part, predicted_us: float, simulated_us: float, scope: Scope) -> str:
    """Both sides of a part."""
    return _WORDS[part](predicted_us, simulated_us, scope)


def because(predicted_us: float, simulated_us: float, told: Sequence[tuple[float, str]]) -> str:
    """The sentence on a difference, from contributions and their words.

    >>> because(40.0, 28.0, [(-12.0, "memory turns round less")])
    '12.0 µs less (−30 %): −12.0 µs, memory turns round less'
    >>> because(0.0, 2.0, [(2.0, "it folds")])
    'the cost model gives it no share of its kernel’s time: +2.0 µs, it folds'
    """
    clauses = "; ".join(clause(size, words) for size, words in told)
    return f"{difference_of(predicted_us, simulated_us)}: {clauses}"


def clause(microseconds: float, words: str) -> str:
    """One contribution."""
    return f"{format_time(microseconds, signed=True)}, {words}"


def rest_words(count: int) -> str:
    """What is left of a difference after the contributions that were named.

    >>> rest_words(1), rest_words(4)
    ('a smaller difference', 'the sum of 4 smaller differences')
    """
    return "a smaller difference" if count == 1 else f"the sum of {count} smaller differences"


def difference_of(predicted_us: float, simulated_us: float) -> str:
    """How far two times are apart.

    >>> difference_of(40.0, 28.0), difference_of(1.0, 12.5), difference_of(1.0, 661.5)
    ('12.0 µs less (−30 %)', '11.5 µs more (12.5 times)', '660.5 µs more (662 times)')
    """
    if predicted_us < NOTHING_US:
        return "the cost model gives it no share of its kernel’s time"
    difference = simulated_us - predicted_us
    way, sign = ("more", "+") if difference > 0 else ("less", "−")
    share, times = abs(difference) / predicted_us, simulated_us / predicted_us
    digits = 0 if times >= TIMES_EXACT else 1
    scale = f"{sign}{100 * share:.0f} %" if share < MANY else f"{times:,.{digits}f} times"
    return f"{format_time(abs(difference))} {way} ({scale})"


def _bytes(predicted_us: float, simulated_us: float, scope: Scope) -> str:
    ours, theirs = (format_bytes(us * NS_PER_US * scope.bytes_per_ns) for us in (simulated_us, predicted_us))
    told = f"the simulated memory moves {ours}, the cost model counts {theirs}"
    if simulated_us < predicted_us:
        return f"{told}: cores load only what they touch"
    if not scope.again:
        return f"{told}: a part that several cores need is loaded by each of them"
    if scope.steps == 1:
        return f"{told}: it loads an input again that the cost model counts at a step before"
    return f"{told}: what several steps read is loaded by each of them, and counted once"


def _turnaround(predicted_us: float, simulated_us: float, _: Scope) -> str:
    return (
        f"changing between reads and writes takes {format_time(simulated_us)} where both meet in time, the cost model "
        f"charges {format_time(predicted_us)} for the lesser of all that the kernel reads and writes"
    )


def _pattern(predicted_us: float, _simulated_us: float, _: Scope) -> str:
    verb = "takes off" if predicted_us < 0 else "adds"
    return (
        f"the cost model {verb} {format_time(abs(predicted_us))} by the rates measured for access patterns, for which "
        "the simulator has no law"
    )


def _requests(predicted_us: float, simulated_us: float, _: Scope) -> str:
    return (
        f"reads in short runs take {format_time(simulated_us)} longer than their bytes in the simulator, which counts "
        f"the requests of every read; the cost model charges {format_time(predicted_us)}, for those kinds of steps "
        "only that were measured so"
    )


def _delivery(predicted_us: float, simulated_us: float, _: Scope) -> str:
    return (
        "device memory hands out operands that several cores share, and operands of which a product uses each element "
        f"once, more slowly than it moves bytes: by {format_time(simulated_us)} in the simulator, by "
        f"{format_time(predicted_us)} in the cost model"
    )


def _product(predicted_us: float, simulated_us: float, scope: Scope) -> str:
    told = (
        f"the matrix units work for {format_time(simulated_us)} at the rate they sustain, in the cost model for "
        f"{format_time(predicted_us)} at the planner’s peak rate times its own measure of how full they are"
    )
    if scope.fill >= FILLED or simulated_us <= predicted_us:
        return told
    return f"{told}; rows fill {100 * scope.fill:.0f} % of the array, and every pass takes as long as a full one"


def _partial(predicted_us: float, simulated_us: float, _: Scope) -> str:
    return f"partial sums travel for {format_time(simulated_us)}, in the cost model for {format_time(predicted_us)}"


def _reduction(predicted_us: float, simulated_us: float, _: Scope) -> str:
    charged = "none of them" if not predicted_us else f"the slowest one with {format_time(predicted_us)}"
    return f"reductions fold for {format_time(simulated_us)}, each in its turn; the cost model charges {charged} here"


def _vector(_predicted_us: float, simulated_us: float, _: Scope) -> str:
    return f"the vector units work for {format_time(simulated_us)}, which the cost model takes as free"


def _ring(predicted_us: float, simulated_us: float, _: Scope) -> str:
    return (
        f"the ring takes {format_time(simulated_us)} with its links shared, the cost model charges the walk of "
        f"{format_time(predicted_us)}"
    )


def _hidden(predicted_us: float, simulated_us: float, scope: Scope) -> str:
    """`predicted_us` and `simulated_us` are what was taken off, so that they are below zero."""
    beside, hidden = abs(simulated_us), abs(predicted_us)
    ours = f"{format_time(beside)} of transfers and work overlap" if beside > LEAST_US else "no transfer overlaps work"
    if scope.steps == 1:
        told = (
            f"in the simulator {ours}, the cost model hides {format_time(hidden)} of this step behind others of its "
            "kernel"
        )
        tail = "it moves a single tile, whose load, work and store follow each other"
    else:
        told = (
            f"in the simulator {ours}, in the cost model {format_time(hidden)}: the lesser of all transfers and all "
            "work of a kernel"
        )
        verb = "moves" if scope.single == 1 else "move"
        tail = (
            f"{scope.single} of {scope.steps} steps {verb} a single tile, whose load, work and store follow each other"
        )
    return f"{told}; {tail}" if scope.single and simulated_us > predicted_us else told


def _waits(_predicted_us: float, simulated_us: float, _: Scope) -> str:
    return f"cores wait for each other for {format_time(simulated_us)}, which the cost model does not know"


_WORDS: frozendict[Part, Callable[[float, float, Scope], str]] = frozendict(
    {
        Part.BYTES: _bytes,
        Part.TURNAROUND: _turnaround,
        Part.PATTERN: _pattern,
        Part.REQUESTS: _requests,
        Part.DELIVERY: _delivery,
        Part.PRODUCT: _product,
        Part.PARTIAL: _partial,
        Part.REDUCTION: _reduction,
        Part.VECTOR: _vector,
        Part.RING: _ring,
        Part.HIDDEN: _hidden,
        Part.WAITS: _waits,
    }
)
