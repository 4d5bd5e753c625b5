"""Pipelines: the named ones, as specs, and what each is for.

Owns names, specs, one line for people, and how the options of a pass are written.  Refuses the passes themselves, so
that whoever only offers a choice need not load them.
"""

from __future__ import annotations

import re

from frozendict import frozendict

from compiler.errors import InputError

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
_SECONDS = re.compile(r"seconds=[^\s}]*")


def options_of(name: str, text: str) -> frozendict[str, str]:
    """The options of a pass as they are written between its braces; InputError for one that is given twice.

    >>> dict(options_of("co-optimize", "solver=greedy seconds=2"))
    {'solver': 'greedy', 'seconds': '2'}
    """
    found: dict[str, str] = {}
    for entry in text.split():
        key, _, value = entry.partition("=")
        if key in found:
            why = f"its option {key} is given twice, {found[key]} and {value}"
            raise InputError(f"pass {name}", why, "give it once")
        found[key] = value
    return frozendict(found)


def name_of(pipeline: str) -> str:
    """The name of a pipeline given by name or spec, however long its searches may take; empty if it has none.

    >>> name_of("staged"), name_of(PIPELINES["staged"].replace("seconds=5.0", "seconds=1.5")), name_of("reduce-span")
    ('staged', 'staged', '')
    """
    timeless = _SECONDS.sub("", pipeline)
    return next((name for name, spec in PIPELINES.items() if timeless in (name, _SECONDS.sub("", spec))), "")
