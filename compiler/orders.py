"""Orders: what order-dims decided, before it is written into a plan.

Owns the outcome as one value and its predicted time.  Refuses to decide.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from compiler.layout import StickLayout
from compiler.order_needs import Ask, Rated
from compiler.order_search import OrderChoice, OrderSearch


@dataclass(frozen=True, slots=True)
class Orders:
    """The rule, the search with its best choice, contractions made `fast`, the layout of every buffer, and the buffers
    (itself included) whose order each one shares."""

    rule: str
    search: OrderSearch
    choice: OrderChoice
    fast: frozenset[str]
    layouts: Mapping[str, StickLayout]
    groups: Mapping[str, tuple[str, ...]]

    @property
    def ns(self) -> int:
        """Predicted time under these layouts: contractions, copies in another order and copies for zeros."""
        needs = self.search.needs
        contractions = sum(rated.fast if self.runs_fast(rated) else rated.slow for rated in needs.rated)
        seated = (self.search.seating(name, self.fast) for name in self.search.touched())
        return needs.settled_ns + contractions + sum(one.ns for one in seated if one is not None)

    def runs_fast(self, rated: Rated) -> bool:
        """True if no operand of a contraction, in itself or as copied, has a batch just before its stick."""
        return all(self._granted(ask) for ask in rated.asks)

    def _granted(self, ask: Ask) -> bool:
        if ask.need.wish.granted(self.layouts[ask.buffer]):
            return True
        seated = self.search.seating(ask.buffer, self.fast)
        return seated is not None and any(ask.need in copy.needs for copy in seated.copies)
