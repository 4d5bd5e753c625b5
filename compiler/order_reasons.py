"""Order reasons: why a buffer has its dim order and why a copy in another order is there, in words with figures.

Owns the sentences of order-dims.  Refuses to decide: it only words a choice that was made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from compiler.cost.requests import copy_us
from compiler.counts import counted
from compiler.layout import SPARSE, UNIT, StickLayout
from compiler.order_copies import Copies
from compiler.order_needs import NS_PER_US, Ask, Rated
from compiler.orders import Orders
from compiler.plan import Plan

MOST_NAMES = 3
_NAMES = {UNIT: "unit", SPARSE: "sparse"}


def order_reasons(plan: Plan, orders: Orders, copies: Copies, pinned: frozenset[str]) -> dict[str, str]:
    """Reasons of layouts and edits that order-dims adds to or makes."""
    teller = _Teller(orders, pinned, tuple(one for one in orders.search.needs.rated if orders.runs_fast(one)))
    added: dict[str, list[str]] = {}
    for name, layout in orders.layouts.items():
        if name in pinned or layout != plan.layouts[name]:
            added[name] = [f"{order_words(layout)}, {teller.cause(name) or teller.follows(name)}"]
    for name, clause in teller.slow() if orders.rule == "search" else ():
        added.setdefault(name, []).append(clause)
    reasons = {}
    for name, clauses in added.items():
        before = plan.reasons.get(f"layout:{name}", "")
        reasons[f"layout:{name}"] = "; ".join([before, *clauses] if before else clauses)
    for edit in copies.edits:
        if edit.name in copies.layouts:
            asks = copies.asks[edit.name]
            reasons[f"layout:{edit.name}"] = f"the copy of {edit.source} that {asks[0].op} needs"
            reasons[f"edit:{edit.name}"] = teller.copied(edit.source, copies.layouts[edit.name], asks)
    return reasons


def order_words(layout: StickLayout) -> str:
    """`dim order 1, 0, 2`; a unit dim and a sparse stick by name.

    >>> from compiler.layout import UNIT, stick_layout
    >>> order_words(stick_layout((1000, 128), (128, 1), 64, (UNIT, 0, 1)))
    'dim order unit, 0, 1'
    """
    return f"dim order {', '.join(_NAMES.get(dim, str(dim)) for dim in layout.dim_order)}"


@dataclass(frozen=True, slots=True)
class _Teller:
    """What there is to tell: orders, what was pinned, and the contractions that run at the full rate."""

    orders: Orders
    pinned: frozenset[str]
    quick: tuple[Rated, ...]

    def cause(self, name: str) -> str:
        """Why a buffer itself has its order; '' if only its neighbours are the cause."""
        if name in self.pinned:
            return "pinned"
        layout = self.orders.layouts[name]
        asks = self.orders.search.asks(name, frozenset(one.op for one in self.quick))
        return self._words(ask for ask in asks if ask.need.wish.granted(layout))

    def follows(self, name: str) -> str:
        """Why a buffer has an order that nothing asks of it."""
        leader = next((other for other in self.orders.groups[name] if other != name and self.cause(other)), "")
        if leader:
            return f"the order of {leader}, so that a step can work in place"
        return "the largest dim just before the stick" if self.orders.rule == "public" else "as close as can be"

    def copied(self, source: str, target: StickLayout, asks: Sequence[Ask]) -> str:
        """Why a copy in another order stands before its readers."""
        seat = self.orders.search.seats[source]
        ns = round(NS_PER_US * copy_us(self.orders.search.device, seat.buffer, self.orders.layouts[source], target))
        moved = f"the copy takes {_us(ns)}: {counted(seat.buffer.elements, 'element')} moved"
        return f"{source} in {order_words(target)}, {self._words(asks)}; {moved}"

    def slow(self) -> Iterator[tuple[str, str]]:
        """(buffer, clause) for every contraction left slow: the first operand in its way says why."""
        quick, layouts = {one.op for one in self.quick}, self.orders.layouts
        for rated in self.orders.search.needs.rated:
            if rated.op not in quick:
                barring = next(ask.buffer for ask in rated.asks if not ask.need.wish.granted(layouts[ask.buffer]))
                yield barring, _slow_words(rated, self._copies_ns(rated))

    def _copies_ns(self, rated: Rated) -> int | None:
        """What copies for one more fast contraction would take; None if no order suits all."""
        search, fast = self.orders.search, self.orders.fast
        total = 0
        for buffer in dict.fromkeys(ask.buffer for ask in rated.asks):
            more, now = search.seating(buffer, fast | {rated.op}), search.seating(buffer, fast)
            if more is None or now is None:
                return None
            total += more.ns - now.ns
        return total

    def _words(self, asks: Iterable[Ask]) -> str:
        """Tables and contractions that asks come from."""
        asks = tuple(asks)
        ops = {ask.op for ask in asks if ask.need.wish.avoid}
        rated = [one for one in self.quick if one.op in ops]
        words = [*_table_words(asks), *([_batch_words(rated)] if rated else [])]
        return "; ".join(dict.fromkeys(words))


def _table_words(asks: Iterable[Ask]) -> Iterator[str]:
    for ask in asks:
        for table in sorted(map(sorted, ask.need.wish.tables)):
            yield f"dim {' and '.join(map(str, table))} first, because {ask.op} picks along it"


def _batch_words(rated: Sequence[Rated]) -> str:
    fast, slow = sum(one.fast for one in rated), sum(one.slow for one in rated)
    names = ", ".join(one.op for one in rated[:MOST_NAMES])
    more = f" and {len(rated) - MOST_NAMES} more" if len(rated) > MOST_NAMES else ""
    if all(one.hides for one in rated):
        return f"batch outermost for {names}{more}, at no cost: hidden behind {_us(fast)} of traffic in any order"
    return f"batch outermost for {names}{more}: {_us(fast)} instead of {_us(slow)}"


def _slow_words(rated: Rated, copies_ns: int | None) -> str:
    stays = f"a batch stays just before a stick for {rated.op}"
    if rated.hides:
        return f"{stays}, hidden behind {_us(rated.fast)} of traffic: another order would gain nothing"
    stays = f"{stays}, {_us(rated.slow)} instead of {_us(rated.fast)}"
    if copies_ns is None:
        return f"{stays}: no order suits all that is asked of its tensors"
    return f"{stays}: the copies for another order would take {_us(copies_ns)}"


def _us(ns: int) -> str:
    return f"{ns / NS_PER_US:,.2f} µs"
