"""Price values: what a plan costs, term by term, in microseconds and bytes.

Owns the figures and the words behind them (formula, inputs).  Refuses to compute: the model is `compiler.cost`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CostTerm:
    """A named term: microseconds, the formula in words, and its inputs as `name=value` text."""

    name: str
    microseconds: float
    formula: str
    inputs: str


@dataclass(frozen=True, slots=True)
class StepCost:
    """One step of the schedule: total, bytes moved from and to device memory, terms (which need not add up:
    overlap)."""

    step: str
    total_us: float
    compute_us: float
    hbm_us: float
    read_bytes: int
    write_bytes: int
    terms: tuple[CostTerm, ...]

    @property
    def hbm_bytes(self) -> int:
        """Device-memory traffic."""
        return self.read_bytes + self.write_bytes


@dataclass(frozen=True, slots=True)
class KernelCost:
    """One kernel: its time under the fusion rule and the names of its steps."""

    kernel: str
    total_us: float
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Cost:
    """The whole plan."""

    total_us: float
    compute_us: float
    hbm_us: float
    hbm_bytes: int
    relayout_us: float
    restickify_us: float
    restickify_elements: int
    steps: tuple[StepCost, ...]
    kernels: tuple[KernelCost, ...]
