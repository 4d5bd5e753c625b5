"""Opinion words: why cost model and simulator differ in one part of a time, in a clause with both figures.

Owns the sentences.  Refuses arithmetic: the figures come with them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from frozendict import frozendict

from spyre_studio.opinion_accounts import NS_PER_US, Part
from spyre_studio.units import format_bytes, format_us

LEAST_US = 0.005
"""Less than what is ever shown of a time is nothing."""
MANY = 2.0
"""From this share on a difference is told as a multiple."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What a clause may say of the steps it is about: their number, how many move a single tile, and the one-way rate
    of device memory in bytes per ns."""

    steps: int
    single: int
    bytes_per_ns: float


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
    return f"{format_us(microseconds, signed=True)}, {words}"


def difference_of(predicted_us: float, simulated_us: float) -> str:
    """How far two times are apart.

    >>> difference_of(40.0, 28.0), difference_of(1.0, 12.5)
    ('12.0 µs less (−30 %)', '11.5 µs more (12.5 times)')
    """
    if predicted_us <= LEAST_US:
        return "the cost model gives it no share of its kernel’s time"
    difference = simulated_us - predicted_us
    way, sign = ("more", "+") if difference > 0 else ("less", "−")
    share = abs(difference) / predicted_us
    scale = f"{sign}{100 * share:.0f} %" if share < MANY else f"{simulated_us / predicted_us:,.1f} times"
    return f"{format_us(abs(difference))} {way} ({scale})"


def _bytes(predicted_us: float, simulated_us: float, scope: Scope) -> str:
    ours, theirs = (format_bytes(us * NS_PER_US * scope.bytes_per_ns) for us in (simulated_us, predicted_us))
    if simulated_us >= predicted_us:
        return (
            f"the simulated memory moves {ours}, the cost model counts {theirs}: what several steps read, or parts of "
            "several cores share, is loaded by each"
        )
    return f"the simulated memory moves {ours}, the cost model counts {theirs}: cores load what they touch"


def _turnaround(predicted_us: float, simulated_us: float, _: Scope) -> str:
    return (
        f"changing between reads and writes takes {format_us(simulated_us)} where both meet in time, the cost model "
        f"charges {format_us(predicted_us)} for the lesser of all that the kernel reads and writes"
    )


def _pattern(predicted_us: float, _simulated_us: float, _: Scope) -> str:
    return (
        f"the cost model adds {format_us(predicted_us)} by the rates measured for access patterns, for which the "
        "simulator has no law"
    )


def _requests(predicted_us: float, simulated_us: float, _: Scope) -> str:
    return (
        f"requests of short runs take {format_us(simulated_us)} beyond their bytes for all reads of the simulator, the "
        f"cost model charges {format_us(predicted_us)} for those that were measured"
    )


def _delivery(predicted_us: float, simulated_us: float, _: Scope) -> str:
    return (
        f"parts that several cores need, or one uses once, come {format_us(simulated_us)} later than their bytes, in "
        f"the cost model {format_us(predicted_us)}"
    )


def _product(predicted_us: float, simulated_us: float, _: Scope) -> str:
    return (
        f"the matrix units work for {format_us(simulated_us)} at their sustained rate, the cost model has "
        f"{format_us(predicted_us)} at the planner's peak over the fill"
    )


def _partial(predicted_us: float, simulated_us: float, _: Scope) -> str:
    return f"partial sums travel for {format_us(simulated_us)}, in the cost model for {format_us(predicted_us)}"


def _reduction(predicted_us: float, simulated_us: float, _: Scope) -> str:
    charged = "none of them" if not predicted_us else f"the slowest one with {format_us(predicted_us)}"
    return f"reductions fold for {format_us(simulated_us)}, each in its turn; the cost model charges {charged} here"


def _vector(_predicted_us: float, simulated_us: float, _: Scope) -> str:
    return f"the vector units work for {format_us(simulated_us)}, which the cost model takes as free"


def _ring(predicted_us: float, simulated_us: float, _: Scope) -> str:
    return (
        f"the ring takes {format_us(simulated_us)} with its links shared, the cost model charges the walk of "
        f"{format_us(predicted_us)}"
    )


def _hidden(predicted_us: float, simulated_us: float, scope: Scope) -> str:
    beside, hidden = format_us(abs(simulated_us)), format_us(abs(predicted_us))
    if scope.steps == 1:
        told = f"{beside} of its memory and units run side by side, the cost model hides {hidden} of it in the kernel"
        tail = "it moves a single tile, whose load, work and store follow each other"
    else:
        told = (
            f"{beside} of memory and units run side by side, the cost model hides {hidden}, the lesser of both in the "
            "whole kernel"
        )
        verb = "moves" if scope.single == 1 else "move"
        tail = (
            f"{scope.single} of {scope.steps} steps {verb} a single tile, whose load, work and store follow each other"
        )
    return f"{told}; {tail}" if scope.single and simulated_us > predicted_us else told


def _waits(_predicted_us: float, simulated_us: float, _: Scope) -> str:
    return f"cores wait for each other for {format_us(simulated_us)}, which the cost model does not know"


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
