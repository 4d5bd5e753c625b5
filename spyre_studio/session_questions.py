"""Questions: the verbs of a session that ask the worker about the plan on screen, without changing anything.

Owns the channels of the questions; the newest of each wins.  Refuses to answer: the worker does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from spyre_studio.failure import Failure
from spyre_studio.jobs import Progress
from spyre_studio.pass_request import passes_request
from spyre_studio.request import candidates_request, handover_request, layouts_request, preview_request
from spyre_studio.session_state import CANDIDATES, HANDOVER, LAYOUTS, PASSES, PREVIEW
from spyre_studio.session_work import Working

if TYPE_CHECKING:
    from compiler.candidates import Candidate
    from compiler.handover import Handover
    from compiler.layout_candidate import LayoutCandidate
    from compiler.pass_story import PassStory
    from spyre_studio.preview import Preview


class Asking(Working):
    """Nothing happens while there is no plan on screen."""

    def request_candidates(self, op: str, callback: Callable[[tuple[Candidate, ...]], None]) -> None:
        """Ask which divisions an op of the plan on screen could have; the newest question wins."""
        if self._shown is not None:
            self.jobs.submit(candidates_request(self._shown.shared, op), CANDIDATES, callback, self._fail)

    def request_layouts(
        self,
        buffer: str,
        follow: bool,
        callback: Callable[[tuple[LayoutCandidate, ...]], None],
        failed: Callable[[Failure], None],
    ) -> None:
        """Ask which layouts a buffer of the plan on screen could have; the newest question wins."""
        if self._shown is not None:
            request = layouts_request(self._shown.shared, buffer, follow)
            self.jobs.submit(request, LAYOUTS, callback, failed)

    def request_handover(
        self,
        buffer: str,
        ends: tuple[str, str],
        drafts: Mapping[str, Mapping[str, int]],
        callback: Callable[[Handover], None],
        failed: Callable[[Failure], None],
    ) -> None:
        """Ask what it costs that writer and reader (`ends`) of a buffer are divided differently, with the factors of
        `drafts` in place of the plan's; the newest question wins."""
        if self._shown is not None:
            request = handover_request(self._shown.shared, buffer, ends, drafts)
            self.jobs.submit(request, HANDOVER, callback, failed)

    def request_preview(
        self,
        name: str,
        chosen: Mapping[str, str],
        callback: Callable[[Preview], None],
        failed: Callable[[Failure], None],
    ) -> None:
        """Ask how the plan on screen begins in a format; the newest question wins."""
        if self._shown is not None:
            self.jobs.submit(preview_request(self._shown.shared, name, chosen), PREVIEW, callback, failed)

    def request_passes(
        self, callback: Callable[[PassStory], None], failed: Callable[[Failure], None], progress: Progress
    ) -> None:
        """Ask what every pass of the plan on screen decided; the newest question wins."""
        if self._shown is not None:
            request = passes_request(self._shown.shared, self._before.shared if self._before else None)
            self.jobs.submit(request, PASSES, callback, failed, progress)

    def cancel_passes(self) -> None:
        """Nobody waits for the passes any more."""
        self.jobs.cancel(PASSES)
