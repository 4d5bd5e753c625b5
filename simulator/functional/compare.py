"""Compare: two host tensors, element by element and as a whole.

Owns the figures of a `Comparison` and the verdict.  Refuses to know where the tensors come from.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from compiler.dtypes import DType
from simulator.functional.tolerance import Noise, Size, tolerance
from simulator.report import Agreement, Comparison, Tolerance

UNRELATED_BELOW = 0.1
"""A cosine nearer to 0 says that two results have nothing in common."""
FEW = 16
"""With fewer elements than this a cosine says nothing."""


@dataclass(frozen=True, slots=True)
class _Difference:
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


def compare(got: Tensor, want: Tensor, dtype: DType, noise: Noise, added: float = 0.0) -> Comparison:
    """How `got` compares with `want` (equal shapes); `added` is the largest value that was added up."""
    if got.dtype == want.dtype and torch.equal(got, want):
        return _equal(want, dtype, noise, added)
    pair = _difference(got, want)
    distance, size = pair.distance, pair.size
    allowed = tolerance(noise, dtype, Size(peak(size), rms(size)), added)
    far = pair.differs & (~pair.finite | (distance > allowed.absolute + allowed.relative * size))
    beyond = int(far.sum())
    cosine = _cosine(pair)
    agreement = _agreement(pair, beyond, rms(distance), allowed)
    first = _first(far if beyond else pair.differs)
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


def _equal(want: Tensor, dtype: DType, noise: Noise, added: float) -> Comparison:
    """The usual case, told apart early: no figure but the tolerance needs computing."""
    size = torch.nan_to_num(want.to(torch.float32), 0.0, 0.0, 0.0).abs()
    allowed = tolerance(noise, dtype, Size(peak(size), rms(size)), added)
    return Comparison(Agreement.EQUAL, want.numel(), 0, 0, 0.0, 0.0, 0.0, 1.0, False, allowed)


def _difference(got: Tensor, want: Tensor) -> _Difference:
    one, other = got.to(torch.float64), want.to(torch.float64)
    equal = (one == other) | (one.isnan() & other.isnan())
    return _Difference(one, other, ~equal, one.isfinite() & other.isfinite())


def _agreement(pair: _Difference, beyond: int, distance: float, allowed: Tolerance) -> Agreement:
    if not pair.differs.any():
        return Agreement.EQUAL
    return Agreement.CORRUPTED if beyond or distance > allowed.norm else Agreement.ROUNDING


def _cosine(pair: _Difference) -> float:
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
