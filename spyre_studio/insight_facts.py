"""Insight facts: what of a plan the search for insights looks at, made once.

Owns names without the number of their layer, times by term, and thresholds as shares of the whole.  Refuses findings:
`insights` has a table of them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeVar

from compiler.compilation import Compilation
from compiler.cost.memory import one_way_us
from compiler.pipelines import name_of
from compiler.price import CostTerm, StepCost
from compiler.schedule import Schedule, Step
from spyre_studio.derived import schedule_of
from spyre_studio.insight_weighed import Better
from spyre_studio.step_opinion import StepOpinion
from spyre_studio.term_groups import group_of
from spyre_studio.units import format_percent, format_us
from spyre_studio.why_not import WhyNot, why_not_of

T = TypeVar("T")
NOTICE: Final = 0.01
"""A finding has at least this share of the plan's time: whoever saves all of a smaller one would hardly see it."""
_LAYER: Final = re.compile(r"(?:(?<=\.)|^)\d+(?=\.)")


@dataclass(frozen=True)
class Facts:
    """A plan; what the simulator says of its steps, and divisions that are better, where they were asked for."""

    compilation: Compilation
    opinions: tuple[StepOpinion, ...] = ()
    better: tuple[Better, ...] = ()

    @property
    def total_us(self) -> float:
        """Predicted time of the plan."""
        return self.compilation.cost.total_us

    @property
    def schedule(self) -> Schedule:
        """The steps."""
        return schedule_of(self.compilation)

    @property
    def pipeline(self) -> str:
        """The name of the pipeline, '' if it has none."""
        return name_of(self.compilation.plan.pipeline)

    @property
    def searched(self) -> bool:
        """True if divisions, placement and moves were decided together."""
        return "co-optimize" in self.compilation.plan.pipeline

    @cached_property
    def costs(self) -> dict[str, StepCost]:
        """Costs by step."""
        return {cost.step: cost for cost in self.compilation.cost.steps}

    @cached_property
    def outside(self) -> tuple[WhyNot, ...]:
        """Buffers outside LX, those first that would save most bytes."""
        return why_not_of(self.compilation)

    @cached_property
    def memory_bound(self) -> frozenset[str]:
        """Steps of kernels in which device memory hides compute."""
        found: set[str] = set()
        for kernel in self.compilation.cost.kernels:
            costs = [self.costs[name] for name in kernel.steps]
            if sum(one.hbm_us for one in costs) >= sum(one.compute_us for one in costs):
                found.update(kernel.steps)
        return frozenset(found)

    def step(self, name: str) -> Step:
        """A step by name."""
        return self.schedule.step_map[name]

    def notable(self, microseconds: float, share: float = NOTICE) -> bool:
        """True if a time is enough of the whole to be told."""
        return self.total_us > 0 and microseconds >= share * self.total_us

    def share(self, microseconds: float) -> str:
        """Example: '51.2 µs (17 %)'."""
        whole = f" ({format_percent(microseconds / self.total_us)})" if self.total_us > 0 else ""
        return f"{format_us(microseconds)}{whole}"

    def moving_us(self, size: int) -> float:
        """Time of so many bytes from or to device memory, on their own."""
        return one_way_us(self.compilation.problem.device, size)

    def counts(self, cost: StepCost, term: CostTerm) -> bool:
        """True if a term is on the side that decides how long the kernel takes."""
        side = group_of(str(term.name)).side
        hidden = "compute" if cost.step in self.memory_bound else "memory"
        return side not in (hidden, "none")


def family(name: str) -> str:
    """The name without the number of its layer, which equal layers have in common.

    >>> family("layers.12.mlp.up/matmul"), family("matmul.2"), family("blocks.3.norm.1.add")
    ('layers.*.mlp.up/matmul', 'matmul.2', 'blocks.*.norm.*.add')
    """
    return _LAYER.sub("*", name)


def grouped(items: Iterable[T], name: Callable[[T], str]) -> dict[str, list[T]]:
    """Items of equal layers together, in the order in which the first of each comes."""
    found: defaultdict[str, list[T]] = defaultdict(list)
    for item in items:
        found[family(name(item))].append(item)
    return dict(found)


def spoken(names: list[str]) -> str:
    """One name, or how many there are like the first. Example: 'layers.0.mlp.up/matmul and 39 like it'."""
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} like it"
