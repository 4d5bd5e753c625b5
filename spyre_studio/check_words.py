"""What each check of a plan proves, in one sentence for people.

Owns: the sentences. Refuses: checking. A check without a row here is shown by its name alone.
"""

from __future__ import annotations

from frozendict import frozendict

OF_FILES: frozenset[str] = frozenset({"program", "cost", "record", "files"})
"""Checks of what only a plan from a file can have wrong."""

CHECK_WORDS: frozendict[str, str] = frozendict(
    {
        "coverage": "Every element of every result is written, and by one core only.",
        "ownership": "Every core reads only what was written to its own scratchpad or to device memory.",
        "overlap": "No two buffers that are alive at once share bytes of a scratchpad.",
        "budget": "Every buffer in LX ends below the budget of a core.",
        "span": "No core walks more of a tensor than one segment can address.",
        "sticks": "Every access moves along sticks in a way that the hardware can follow.",
        "padding": "Lanes without an element never reach a result.",
        "pins": "Every pin was honoured, or the plan says how it was adjusted or why it was refused.",
        "edits": "Inserted moves copy whole buffers, and kernels run every step once and in order.",
        "program": "The device program of a saved plan is the one that the plan lowers to.",
        "cost": "The times and bytes of a saved plan are those that its decisions cost.",
        "files": "What the files of kernels say twice agrees.",
        "record": "Claims, solver, log and verdicts of a saved plan agree with it.",
    }
)
