"""Solver status: how a plan is called of which a search has proved that none is quicker.

Owns the two words for that, and the sentence in the reason of a search that tells them apart: a proof is about the
moves that the search could choose from, which in larger programs are not all that there are.  Refuses to judge which
case it is.
"""

from __future__ import annotations

from dataclasses import replace

from compiler.plan import Plan

OPTIMAL, ON_OFFER = "optimal", "optimal among what was on offer"
NOT_ALL = "the bound is that of the moves on offer, which are not all"


def proved_status(plan: Plan) -> str:
    """What a plan is called whose time equals its bound."""
    return ON_OFFER if partly_offered(plan) else OPTIMAL


def partly_offered(plan: Plan) -> bool:
    """True if the search that made the plan could not choose from all moves that might gain something."""
    return any(NOT_ALL in why for key, why in plan.reasons.items() if key.startswith("pass:"))


def with_offer(plan: Plan, who: str, whole: bool) -> Plan:
    """The plan, whose reason for the pass `who` says so if it has a bound and not all moves were on offer."""
    key = f"pass:{who}"
    if whole or not plan.claims[who].bound or NOT_ALL in plan.reasons[key]:
        return plan
    return replace(plan, reasons=plan.reasons.set(key, f"{plan.reasons[key]}; {NOT_ALL}"))
