"""Price values: what a plan costs, term by term, in microseconds and bytes.

Owns the figures and the words behind them (formula, inputs).  Refuses to compute: the model is `compiler.cost`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CostTerm:
    """A named term: microseconds, the formula in words, its inputs as `name=value` text, and the keys of the device
    numbers that the formula uses, which tell kind, source and accuracy."""

    name: str
    microseconds: float
    formula: str
    inputs: str
    constants: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StepCost:
    """One step of the schedule: its share of the kernel's time, bytes moved from and to device memory, and terms.

    The terms add up to `compute_us + hbm_us + serial_us`, the total does not: compute and memory overlap.  `serial_us`
    overlaps with nothing: requests of copies, short bursts, loads into LX, relayouts.
    """

    step: str
    total_us: float
    compute_us: float
    hbm_us: float
    serial_us: float
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
    """The whole plan: the time of its kernels, what compute, memory and the rest would take on their own, and what
    relayouts and restickifies have of them."""

    total_us: float
    compute_us: float
    hbm_us: float
    serial_us: float
    hbm_bytes: int
    relayout_us: float
    restickify_us: float
    restickify_elements: int
    steps: tuple[StepCost, ...]
    kernels: tuple[KernelCost, ...]
