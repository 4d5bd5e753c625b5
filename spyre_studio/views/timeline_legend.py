"""The legend of a timeline: the kinds of steps and the causes that are in a run.

Owns: which samples stand for them.  Refuses: drawing.
"""

from __future__ import annotations

import numpy as np

from spyre_studio.legend import KINDS as KIND_ENTRIES
from spyre_studio.legend import Entry
from spyre_studio.occupancy import KINDS
from spyre_studio.timeline_data import TimelineData
from spyre_studio.timeline_words import CAUSES
from spyre_studio.views.timeline_palette import Codes


def legend_of(data: TimelineData, kinds: Codes) -> tuple[Entry, ...]:
    """Kinds, then causes; those that a core waits for are hatched, others bound a piece of the critical path."""
    present = {KINDS[code] for code in np.unique(kinds).tolist()}
    entries = [entry for entry in KIND_ENTRIES if entry.text in present]
    waits = set(np.flatnonzero(np.bincount(data.trace.stalls.cause)).tolist())
    bounds = {link.cause for link in data.trace.critical}
    for cause in sorted(waits | bounds):
        words = CAUSES[cause]
        solid = Entry(f"{words.title}-bound", words.token)  # on the critical path alone
        entries.append(Entry(words.title, words.token, "hatch") if cause in waits else solid)
    return tuple(entries)
