"""Opening a project: what of it can be relied on.

Owns: proving its plans again, and finding out whether its model is still the file that it was.  Refuses nothing that
can be gone on with: a plan that fails is left out, a model that is gone is told of.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from compiler.errors import StudioError
from spyre_studio import tasks
from spyre_studio.model_spec import ModelSpec, SpecKind, read_spec
from spyre_studio.project import KeptPlan, ModelReference, Project
from spyre_studio.project_document import read_project
from spyre_studio.reporter import Reporter


def open_project(path: Path, reporter: Reporter) -> Project:
    """The project in a file with fresh verdicts; what a person should know of it is told as a note."""
    reporter.progress(None, "read")
    project = read_project(path)
    reporter.progress(None, "check")
    sound, refused = checked(project)
    notes = [*refused, *filter(None, [model_fault(project.model)])]
    if notes:
        reporter.note(" ".join(notes))
    return sound


def checked(project: Project) -> tuple[Project, tuple[str, ...]]:
    """The project with fresh verdicts and without the plans that a check refuses, and a sentence on each of those."""
    kept: list[KeptPlan] = []
    places: dict[int, int] = {-1: -1}
    refused: list[str] = []
    for number, plan in enumerate(project.plans):
        verdicts = tasks.check_plan(plan.compilation)
        wrong = next((verdict for verdict in verdicts if not verdict.ok), None)
        if wrong is None:
            places[number] = len(kept)
            kept.append(replace(plan, compilation=replace(plan.compilation, verdicts=verdicts)))
        else:
            why = wrong.violations[0] if wrong.violations else "it gives no reason"
            refused.append(f"Plan {number + 1} was left out: it failed the check '{wrong.check}' ({why}).")
    shown, before = (places.get(place, -1) for place in (project.shown, project.before))
    return replace(project, plans=tuple(kept), shown=shown, before=before), tuple(refused)


def model_fault(model: ModelReference) -> str:
    """A sentence on a model file that is gone or has changed since the project was saved, '' otherwise."""
    found = _found(model.spec)
    if found is None:
        return (
            f"The model {model.spec} is gone: its stored plans can be seen and new ones made of the model as it was, "
            "but numbers cannot be verified."
        )
    if model.digest and _digest(found) != model.digest:
        return (
            f"The model {model.spec} has changed since the project was saved: its plans are those of the model as it "
            "was; File > Open again reads the new one."
        )
    return ""


def referred(project: Project) -> Project:
    """The project with the digest of its model's file, where that is a document and says nothing of itself."""
    found = None if project.model.digest else _found(project.model.spec)
    if found is None or found.kind is not SpecKind.DOCUMENT:
        return project
    return replace(project, model=replace(project.model, digest=_digest(found)))


def _found(spec: str) -> ModelSpec | None:
    try:
        found = read_spec(spec)
        return found if found.path.exists() else None
    except (StudioError, OSError, ValueError):  # no name that a file can have
        return None


def _digest(found: ModelSpec) -> str:
    try:
        return found.digest()
    except (StudioError, OSError):
        return ""
