"""Insight request: asks the worker what the remedies of a plan's insights save.

Owns the arguments of that task on the window's side.  Refuses to answer: `insight_trials` does, in the worker.
"""

from __future__ import annotations

from compiler.codec import structure
from spyre_studio.insight_weighed import Weighed
from spyre_studio.request import WORKER, Request, Shared


def weigh_request(plan: Shared) -> Request[Weighed]:
    """Ask for better divisions of the costliest ops, and for what remedies save."""
    return Request("weigh", {"plan": plan}, lambda plain: structure(Weighed, plain, WORKER))
