"""What one can find in the graph of a plan: steps, buffers and modules.

Owns the list, made once for each plan.  Refuses Qt, and what the words typed for it mean.
"""

from __future__ import annotations

from compiler.compilation import Compilation
from spyre_studio.derived import Derived
from spyre_studio.finder import Entry, found_in, of_modules
from spyre_studio.views.graph_model import planned


@Derived
def graph_entries(compilation: Compilation) -> tuple[Entry, ...]:
    """Steps in schedule order, buffers, and then modules."""
    tree = planned(compilation).graph.tree
    return (*found_in(compilation), *of_modules(tree.paths, tree.sizes()))
