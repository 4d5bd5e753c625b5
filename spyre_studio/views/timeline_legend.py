"""The legend of a timeline: the kinds of steps and the causes of waits that are in a run.

Owns: which samples stand for them.  Refuses: drawing.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from spyre_studio.legend import KINDS as KIND_ENTRIES
from spyre_studio.legend import Entry
from spyre_studio.occupancy import KINDS
from spyre_studio.timeline_data import TimelineData
from spyre_studio.timeline_words import CAUSES
from spyre_studio.views.timeline_palette import Codes

WAITS: Final = "waits: "


def kind_entries(kinds: Codes) -> tuple[Entry, ...]:
    """The kinds of the steps of a run (codes into KINDS)."""
    present = {KINDS[code] for code in np.unique(kinds).tolist()}
    return tuple(entry for entry in KIND_ENTRIES if entry.text in present)


def wait_entries(data: TimelineData) -> tuple[Entry, ...]:
    """What cores wait for, hatched."""
    waits = np.flatnonzero(np.bincount(data.trace.stalls.cause)).tolist()
    found = [CAUSES[cause] for cause in waits]
    return tuple(Entry(f"{WAITS}{one.title}", one.token, "hatch", one.meaning) for one in found)
