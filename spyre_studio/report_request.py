"""Report request: asks the worker to write the report of a plan.

Owns the arguments of that task on the window's side.  Refuses to write: the worker does.
"""

from __future__ import annotations

from compiler.codec import structure
from spyre_studio.request import WORKER, Request, Shared


def report_request(plan: Shared, before: Shared | None, simulate: bool, path: str) -> Request[str]:
    """Write the report of a plan to a path, which is the answer; compared with the plan before it, if there is one."""
    arguments = {"plan": plan, "before": before, "simulate": simulate, "path": path}
    return Request("report", arguments, lambda plain: structure(str, plain, WORKER))
