"""Where the graph is to go: at once, or as soon as the picture of what was opened for it is there.

Owns: the newest wish. A large graph is laid out on a thread; until then the canvas draws the picture before, in which
the place to go to is another one or none. Refuses: what is open (graph_fold.py), and how one goes there.
"""

from __future__ import annotations

from collections.abc import Callable

from spyre_studio.views.graph_fold import GraphFold


class GraphAim:
    """Everything that brings something into view after opening modules goes through here."""

    def __init__(self, fold: GraphFold) -> None:
        self._fold = fold
        self._wish: Callable[[], None] | None = None

    def go(self, there: Callable[[], None]) -> None:
        """Call `there` once the picture is that of what is open; the newest wish wins."""
        self._wish = there
        if not self._fold.awaited:
            self.land()

    def land(self) -> None:
        """The picture is there."""
        wish, self._wish = self._wish, None
        if wish is not None:
            wish()

    def drop(self) -> None:
        """Another model, or somebody moved by hand: nothing is to be gone to any more."""
        self._wish = None
