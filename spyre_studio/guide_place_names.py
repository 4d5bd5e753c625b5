"""The places that a lesson can speak of, by key, and what each is called.

Owns: keys and words.  Refuses: widgets; `guide_places` finds them.
"""

from __future__ import annotations

from typing import Final

from frozendict import frozendict

PLACE_WORDS: Final[frozendict[str, str]] = frozendict(
    {
        "graph": "the graph",
        "model": "the list of ops at the left",
        "pins": "the list of pins at the left",
        "division": "the division of the op",
        "cores": "the grid of cores",
        "loops": "the loops of the op",
        "candidates": "the candidates",
        "handovers": "where data changes hands",
        "sticks": "the sticks of the buffer",
        "facts": "the facts",
        "cost": "the cost of the op",
        "scratchpad": "the scratchpad",
        "not-in-lx": "the list of what is not in LX",
        "timeline": "the timeline",
        "roofline": "the roofline",
        "compare": "the comparison of two plans",
        "verify": "the checks and numbers",
        "program": "the program",
        "variants": "the variants",
        "time": "the predicted time",
        "pipeline": "the pipeline",
        "resolve": "the button Re-solve",
        "checks": "the lights of the checks",
    }
)
