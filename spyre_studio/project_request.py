"""The request that opens a project, and how its answer is read.

Owns: the arguments, and that plans are ready to be drawn when they arrive.  Refuses Qt.
"""

from __future__ import annotations

from spyre_studio.project import Project
from spyre_studio.request import WORKER, Request


def project_request(path: str, handle: str) -> Request[Project]:
    """Open a project; the worker keeps its model under `handle`."""
    return Request("open_project", {"path": path, "handle": handle}, _read, handle)


def _read(plain: object) -> Project:
    from spyre_studio.prepared import prepared  # knows how views begin: loaded when the first plan comes
    from spyre_studio.project_document import project_of

    project = project_of(plain, WORKER)
    for kept in project.plans:
        prepared(kept.compilation)
    return project
