"""Prepared: what views will need of a plan, made where the plan is read.

Owns the list of it.  A large plan is read on a thread of its own, so that the window stands still neither while it is
parsed nor while graph, scratchpad and lists are made of it.  Refuses Qt.
"""

from __future__ import annotations

from typing import Final

from compiler.compilation import Compilation
from spyre_studio.alike import look_through
from spyre_studio.derived import buffers_of, ops_of, schedule_of
from spyre_studio.handover_model import users_of
from spyre_studio.occupancy import occupancy_of
from spyre_studio.palette_places import places_in
from spyre_studio.roofline_model import roofline_of
from spyre_studio.short_names import short_names, told_names
from spyre_studio.views.graph_entries import graph_entries
from spyre_studio.views.graph_measures import measures_of
from spyre_studio.views.graph_model import planned
from spyre_studio.views.graph_names import titles_of
from spyre_studio.views.module_rows import rows_of
from spyre_studio.views.op_rows import op_rows
from spyre_studio.why_not import why_not_of

NEEDED: Final = (
    schedule_of,
    ops_of,
    buffers_of,
    planned,
    titles_of,
    rows_of,
    users_of,
    occupancy_of,
    measures_of,
    op_rows,
    graph_entries,
    places_in,
    short_names,
    told_names,
    roofline_of,
    why_not_of,
)


def prepared(compilation: Compilation) -> Compilation:
    """The plan, after everything was derived that views begin with."""
    for derive in NEEDED:
        derive(compilation)
    look_through(compilation.problem.program)
    return compilation
