"""order-dims: the order of the dims around the stick of every buffer (facts 2.10, 9.1).

Owns the three rules: `search` takes the orders with the least predicted time of the whole program, `public` the one
swap of the public compiler, `default` what is there; under each, order pins are kept and what is picked by an index
stands first.  Inserts a copy in another order for a read of a buffer whose own order cannot serve it.  Refuses a table
that no order and no copy can serve.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from frozendict import frozendict

from compiler.dim_orders import Wish, public_order
from compiler.errors import InputError, UnsupportedError
from compiler.layout import StickLayout
from compiler.loops import BufferKind, OpKind
from compiler.order_copies import reorder_edits
from compiler.order_groups import Wanted, in_groups
from compiler.order_needs import Ask, needs_of
from compiler.order_pins import pinned_orders
from compiler.order_reasons import order_reasons
from compiler.order_search import OrderSearch
from compiler.order_seats import Seat
from compiler.order_spans import too_wide
from compiler.orders import Orders
from compiler.plan import Claim, Plan
from compiler.problem import Problem
from compiler.scene import scene_of
from compiler.schedule import Schedule, expand
from compiler.spaces import operands
from compiler.stick_ways import free_weights

RULES = ("search", "public", "default")


@dataclass(frozen=True, slots=True)
class OrderDims:
    """Sets the dim orders of all `layouts`, adds `edits` and reasons, and decides every order pin."""

    rule: str = "search"

    name: ClassVar[str] = "order-dims"
    needs: ClassVar[tuple[str, ...]] = ("layouts", "edits")
    decides: ClassVar[tuple[str, ...]] = ("layouts", "edits", "reasons", "pins", "claims")

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise InputError("pass order-dims", f"its rule is {self.rule!r}", f"use {' or '.join(RULES)}")

    def __call__(self, problem: Problem, plan: Plan) -> Plan:
        schedule = expand(problem.program, plan)
        needs = needs_of(schedule, plan.layouts, problem.device)
        hands = _Hands.of(problem, plan)
        pinned = pinned_orders(problem.pins.order, schedule.buffers, plan.layouts, hands.free, needs.musts)
        kept = frozenset(pinned.layouts)
        settled = kept | {ask.buffer for ask in needs.musts if ask.need.wish.tables}
        while True:
            search = OrderSearch(problem.device, hands.seats(schedule, {**plan.layouts, **pinned.layouts}, kept), needs)
            _refuse_unserved(search, problem)
            orders = self._orders(search, schedule, hands.free - hands.weights)
            wide = too_wide(problem.device, schedule, plan.layouts, orders.layouts) - settled
            if not wide:
                break
            kept, settled = kept | wide, settled | wide
        copies = reorder_edits(problem.program, plan, orders)
        reasons = order_reasons(plan, orders, copies, frozenset(pinned.layouts))
        return replace(
            plan,
            layouts=frozendict({**plan.layouts, **orders.layouts, **copies.layouts}),
            edits=copies.edits,
            reasons=frozendict({**plan.reasons, **reasons}),
            pins=plan.pins | pinned.status,
            claims=plan.claims.set(self.name, self._claim(orders)),
        )

    def _orders(self, search: OrderSearch, schedule: Schedule, written: frozenset[str]) -> Orders:
        """The orders of this rule; only what ops and copies have `written` can be worked on in place."""
        choice = search.run()
        fast = choice.fast if self.rule == "search" else frozenset[str]()
        wanted = {name: _wanted(search, name, seat, fast) for name, seat in search.seats.items()}
        groups = in_groups(schedule, wanted, written if self.rule == "search" else frozenset())
        layouts = {name: groups[name].layout for name in search.seats}
        if self.rule == "public":
            layouts |= _public(schedule, search, layouts)
        return Orders(self.rule, search, choice, fast, layouts, {name: group.members for name, group in groups.items()})

    def _claim(self, orders: Orders) -> Claim:
        choice = orders.choice
        method = "exact" if choice.ns == choice.least_ns else "descent"
        return Claim(method if self.rule == "search" else self.rule, "ns", orders.ns, choice.least_ns, choice.states)


@dataclass(frozen=True, slots=True)
class _Hands:
    """Who fills the buffers: `made` ones an inserted copy, `weights` the host once; those and what ops write into
    memory of its own are `free` to take any order."""

    made: frozenset[str]
    weights: frozenset[str]
    free: frozenset[str]

    @classmethod
    def of(cls, problem: Problem, plan: Plan) -> _Hands:
        """The hands of a plan."""
        weights = free_weights(problem.program, scene_of(problem.program, problem.device))
        made = frozenset(edit.target for edit in plan.edits)
        computed = {buffer.name for buffer in problem.program.buffers if buffer.kind is BufferKind.COMPUTED}
        return cls(made, weights, weights | made | computed)

    def seats(self, schedule: Schedule, layouts: Mapping[str, StickLayout], kept: frozenset[str]) -> dict[str, Seat]:
        """The seat of every buffer; those `kept` keep these layouts."""
        return {
            name: Seat(
                replace(schedule.buffers[name], name=""),
                layout,
                free=name in self.free and name not in kept,
                copied=name not in self.made,
                fills=name in self.made or name in self.weights,
            )
            for name, layout in layouts.items()
        }


def _wanted(search: OrderSearch, name: str, seat: Seat, fast: frozenset[str]) -> Wanted:
    seated = search.seating(name, fast)
    wish = seated.wish if seated else Wish()
    return Wanted(seat, wish, None if seat.free else seat.layout)


def _public(schedule: Schedule, search: OrderSearch, layouts: Mapping[str, StickLayout]) -> dict[str, StickLayout]:
    """Operands and results of matmuls after the swap, where they are free and no table is in the way."""
    found = {}
    for step in schedule.steps:
        for access in (*operands(step.op), step.op.write) if step.op.kind is OpKind.MATMUL else ():
            seat = search.seats[access.buffer]
            seated = search.seating(access.buffer, frozenset())
            wish = seated.wish if seated else Wish()
            swapped = public_order(layouts[access.buffer], seat.buffer, wish.tables)
            if seat.free and wish.granted(swapped):
                found[access.buffer] = swapped
    return found


def _refuse_unserved(search: OrderSearch, problem: Problem) -> None:
    ask = search.unserved()
    if ask is not None:
        raise _refusal(ask, search, problem)


def _refusal(ask: Ask, search: OrderSearch, problem: Problem) -> UnsupportedError:
    op = problem.program.op_map[ask.op]
    where = f" ({op.origin.source})" if op.origin.source else ""
    dims = " and ".join(str(dim) for table in ask.need.wish.tables for dim in sorted(table))
    seat = search.seats[ask.buffer]
    why = (
        f"it picks from {ask.buffer} {list(seat.buffer.shape)} along dim {dims}, which must come first on the device, "
        f"but {ask.buffer} keeps its order, device sizes {list(seat.layout.device_size)}"
    )
    return UnsupportedError(f"{ask.op}{where}", why, f"clone {ask.buffer} in a step of its own before it is indexed")
