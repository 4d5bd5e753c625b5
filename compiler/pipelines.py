"""Pipelines: the named ones, as specs, and what each is for.

Owns names, specs and one line for people.  Refuses the passes themselves, so that whoever only offers a choice need not
load them.
"""

from __future__ import annotations

from frozendict import frozendict

_LAYOUTS = (
    "assign-layouts{method=exact cost=elements weights=free copies=shared width=200},insert-restickify,"
    "order-dims{rule=search},pad-operands"
)
_STAGED = "reduce-span,divide-matmul,divide-rest"
_PLACED = "place-scratchpad{solver=best-fit seed=0 seconds=5.0 moves=no}"
PIPELINES: frozendict[str, str] = frozendict(
    {
        "staged": f"{_LAYOUTS},{_STAGED},{_PLACED}",
        "searched": f"{_LAYOUTS},lift-floors,{_STAGED},improve-division{{floors=yes single_rows=yes neighbours=yes}},"
        f"{_PLACED}",
        "co-optimized": f"{_LAYOUTS},lift-floors,{_STAGED},co-optimize{{solver=cp-sat seconds=10.0 seed=0 moves=yes}}",
    }
)
PURPOSES: frozendict[str, str] = frozendict(
    {
        "staged": "divisions by the published rule, one op after the other",
        "searched": "divisions searched by predicted time, never slower than staged",
        "co-optimized": "divisions, scratchpad and moves decided together, with a bound on what is possible",
    }
)
