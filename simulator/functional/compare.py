"""Compare: two host tensors, element by element and as a whole.

Owns the figures of a `Comparison` and the verdict.  Refuses to know where the tensors come from, and how far rounding
may move them: that is handed over as a deviation per element.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from simulator.functional.deviation import BEYOND, Moves
from simulator.report import Agreement, Comparison, Tolerance

UNRELATED_BELOW = 0.1
"""A cosine nearer to 0 says that two results have nothing in common."""
FEW = 16
"""With fewer elements than this a cosine says nothing."""


TOGETHER = 2.0
"""Deviations by which very many elements may be off on average, each rounded on its own or all with one factor; where
there are few it is more, and as much as for one by itself where there is one."""
NOTHING = Tolerance(0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Difference:
    """Both tensors in fp64 (integers keep their values up to 2**53) and where they differ."""

    got: Tensor
    want: Tensor
    differs: Tensor
    finite: Tensor

    @property
    def distance(self) -> Tensor:
        """|d| where both are finite, else 0."""
        return torch.where(self.finite, (self.got - self.want).abs(), 0.0)

    @property
    def size(self) -> Tensor:
        """|reference| where both are finite, else 0."""
        return torch.where(self.finite, self.want.abs(), 0.0)


def compare(got: Tensor, want: Tensor, deviation: Callable[[], Moves]) -> Comparison:
    """How `got` compares with `want` (equal shapes); `deviation` tells how far rounding moves each element, and is
    asked only if they are not equal."""
    if got.dtype == want.dtype and torch.equal(got, want):
        return Comparison(Agreement.EQUAL, want.numel(), 0, 0, 0.0, 0.0, 0.0, 1.0, False, NOTHING)
    pair = difference(got, want)
    distance, size = pair.distance, pair.size
    moves = _none(want) if (found := deviation()) is None else found.broadcast_to(want.shape)
    far = pair.differs & torch.where(pair.finite, distance > BEYOND * moves, ~moves.isinf())
    beyond = int(far.sum())
    first = _first(far if beyond else pair.differs)
    allowed = _tolerance(distance, moves, 0.0 if first is None else float(moves[first]))
    agreement = _agreement(pair, beyond, allowed)
    cosine = _cosine(pair)
    return Comparison(
        agreement=agreement,
        elements=got.numel(),
        differing=int(pair.differs.sum()),
        beyond=beyond,
        max_abs=peak(distance),
        max_relative=peak(torch.where(size > 0, distance / size, 0.0)),
        rms=rms(distance),
        cosine=cosine,
        unrelated=agreement is Agreement.CORRUPTED and abs(cosine) < UNRELATED_BELOW and got.numel() >= FEW,
        tolerance=allowed,
        first=first,
        got="" if first is None else f"{pair.got[first].item():.6g}",
        want="" if first is None else f"{pair.want[first].item():.6g}",
    )


def _none(want: Tensor) -> Tensor:
    return torch.zeros(want.shape, dtype=torch.float64)


def _tolerance(distance: Tensor, moves: Tensor, first: float) -> Tolerance:
    """What one element may be off, and what all of them are together, in deviations."""
    rounded = (moves > 0) & moves.isfinite()
    count = int(rounded.sum())
    together = rms(distance[rounded] / moves[rounded])
    most = TOGETHER + (BEYOND - TOGETHER) / math.sqrt(count) if count else 0.0
    return Tolerance(min(BEYOND * first, sys.float_info.max), together, most)


def difference(got: Tensor, want: Tensor) -> Difference:
    """Two tensors of equal shape, ready to be measured."""
    one, other = got.to(torch.float64), want.to(torch.float64)
    equal = (one == other) | (one.isnan() & other.isnan())
    return Difference(one, other, ~equal, one.isfinite() & other.isfinite())


def _agreement(pair: Difference, beyond: int, allowed: Tolerance) -> Agreement:
    if not pair.differs.any():
        return Agreement.EQUAL
    return Agreement.CORRUPTED if beyond or allowed.together > allowed.most_together else Agreement.ROUNDING


def _cosine(pair: Difference) -> float:
    """1 for equal directions, 0 for unrelated ones; elements that are not finite in both count as 0 in the result."""
    got = torch.where(pair.got.isfinite(), pair.got, 0.0).flatten()
    want = torch.where(pair.want.isfinite(), pair.want, 0.0).flatten()
    lengths = float(got.norm() * want.norm())
    if lengths:
        return float(torch.dot(got, want)) / lengths
    return 1.0 if torch.equal(got, want) else 0.0


def _first(where: Tensor) -> tuple[int, ...] | None:
    found = where.flatten().nonzero()
    if not found.numel():
        return None
    return tuple(int(axis) for axis in torch.unravel_index(found[0, 0], where.shape))


def peak(values: Tensor) -> float:
    """The largest of some values that are not negative, 0 if there are none."""
    return float(values.max()) if values.numel() else 0.0


def rms(values: Tensor) -> float:
    """Root mean square, 0 if there are no values."""
    return float(values.norm()) / math.sqrt(values.numel()) if values.numel() else 0.0
