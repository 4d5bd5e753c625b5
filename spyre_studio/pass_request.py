"""The question what every pass of a plan decided.

Owns its arguments and how the answer is read. Refuses to answer: the worker does.
"""

from __future__ import annotations

from compiler.codec import structure
from compiler.pass_story import PassStory
from spyre_studio.request import WORKER, Request, Shared


def passes_request(plan: Shared, before: Shared | None) -> Request[PassStory]:
    """Ask for the story of a plan; `before` is the plan a re-solve may have begun with."""
    arguments = {"plan": plan, "before": before}
    return Request("passes", arguments, lambda plain: structure(PassStory, plain, WORKER))
