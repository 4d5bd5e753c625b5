"""Project files: the JSON document of a project, `{"kind": "project", "version", "value"}`.

Owns its form: the model once, and of each plan only what the compiler adds to it.  Refuses newer versions (naming
both), and everything that no program of ours would have written, each in one sentence.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from compiler.captured import Captured
from compiler.codec import VERSION, parse_document, structure, unstructure
from compiler.compilation import Compilation
from compiler.device import Device
from compiler.errors import InputError
from compiler.loops import LoopProgram
from compiler.pins import Pins
from compiler.problem import Problem
from spyre_studio.model_place import beside, located
from spyre_studio.options import CompileOptions
from spyre_studio.output_file import write_whole
from spyre_studio.project import KeptPlan, ModelReference, Project, ProjectView
from spyre_studio.request import CompiledParts
from spyre_studio.variant import Variants, tree_fault

KIND: Final = "project"
NEWEST: Final = VERSION + 1
"""Of a project with pins that are switched off; without them it is written as programs that know none can read it."""
_MOST_CORES: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class StoredPlan:
    """A plan without the model that it is for."""

    device: Device
    pins: Pins
    pipeline: str
    parts: CompiledParts
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class ProjectDocument:
    """The value of the document; what has a default may be missing, as in documents of older programs."""

    model: ModelReference
    captured: Captured
    pins: Pins
    device: Device
    options: CompileOptions
    variants: Variants = field(default_factory=Variants)
    plans: tuple[StoredPlan, ...] = ()
    shown: int = -1
    before: int = -1
    note: str = ""
    view: ProjectView = field(default_factory=ProjectView)
    saved_as: str = ""
    off: Pins = field(default_factory=Pins)


def plain_project(project: Project) -> object:
    """A project as JSON data without its envelope."""
    program = project.captured.program
    plans = tuple(
        StoredPlan(
            kept.compilation.problem.device,
            kept.compilation.problem.pins,
            kept.pipeline,
            CompiledParts.of(kept.compilation, program),
            kept.seconds,
        )
        for kept in project.plans
    )
    plain = unstructure(
        ProjectDocument(
            project.model,
            project.captured,
            project.pins,
            project.device,
            project.options,
            project.variants,
            plans,
            project.shown,
            project.before,
            project.note,
            project.view,
            project.saved_as,
            project.off,
        )
    )
    if isinstance(plain, dict) and not project.off:
        del plain["off"]
    return plain


def project_of(plain: object, origin: str) -> Project:
    """The inverse of `plain_project`; InputError for anything else."""
    from compiler.validate import validate_value  # with it come the sets of the checker, which few processes need

    found = structure(ProjectDocument, plain, origin)
    validate_value(found.captured, origin)
    validate_value(found.device, origin)
    fault = tree_fault(found.variants) or _fault(found)
    if fault:
        raise InputError(origin, fault, "correct it, or save the project again")
    return Project(
        found.model,
        found.captured,
        found.pins,
        found.device,
        found.options,
        found.variants,
        _plans(found, origin),
        found.shown,
        found.before,
        found.note,
        found.view,
        found.saved_as,
        found.off,
    )


def print_project(project: Project) -> str:
    """The file's text; inverse of `parse_project`."""
    document = {"kind": KIND, "version": NEWEST if project.off else VERSION, "value": plain_project(project)}
    return json.dumps(document, allow_nan=False, ensure_ascii=False) + "\n"


def parse_project(text: str, origin: str = "this project") -> Project:
    """The project in a document; InputError if it is none that this program can read."""
    document = parse_document(text, origin, (KIND,), NEWEST)
    return project_of(document["value"], origin)


def _require_file(path: Path) -> None:
    """InputError for a folder, and for a pipe, which would be waited for."""
    try:
        special = path.exists() and not path.is_file()
    except (OSError, ValueError):  # said where it is read
        return
    if special:
        raise InputError(str(path), "it is no file", "choose a project file")


def read_project(path: Path) -> Project:
    """The project in a file; InputError if it is none that this program can read."""
    _require_file(path)
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError as error:
        raise InputError(str(path), "there is no such file", "check the path") from error
    except UnicodeDecodeError as error:
        raise InputError(str(path), "it is not a text file", "choose a project file") from error
    except (OSError, ValueError) as error:  # a null character in the path
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(str(path), f"it cannot be read ({reason})", "check the path") from error
    return placed(parse_project(text, str(path)), path)


def placed(project: Project, path: Path) -> Project:
    """A project as it stands in a file of this path: a model named from there is found from any folder."""
    return replace(project, model=replace(project.model, spec=located(project.model.spec, path)))


def write_project(path: Path, project: Project) -> None:
    """Save a project; what stood in the file before stays if that fails (InputError).  A model that lies near the file
    is named from there, so that a folder with both can be moved."""
    near = replace(project.model, spec=beside(project.model.spec, path))
    write_whole(path, print_project(replace(project, model=near)))


def _fault(found: ProjectDocument) -> str:
    """What no window would have saved, '' if there is nothing."""
    for what, place in (("shown", found.shown), ("before", found.before)):
        if not -1 <= place < len(found.plans):
            return f"its '{what}' is {place}, and it has {len(found.plans)} plans"
    cores, seconds = found.options.cores, found.options.seconds
    if cores is not None and not 0 < cores <= _MOST_CORES:
        return f"it asks for {cores} cores"
    if seconds is not None and not seconds > 0:
        return f"it asks for a search of {seconds} seconds"
    if found.view.core < 0 or found.view.zoom < 0:
        return "what it says of the view is not possible"
    return ""


def _plans(found: ProjectDocument, origin: str) -> tuple[KeptPlan, ...]:
    """Views tell models apart by their program: equal ones become one object."""
    from compiler.validate import validate_value

    programs: list[LoopProgram] = [found.captured.program]
    made: list[KeptPlan] = []
    for number, stored in enumerate(found.plans, 1):
        parts, program = stored.parts, programs[0]
        if parts.loops is not None:
            program = next((known for known in programs if known == parts.loops), parts.loops)
            if program is parts.loops:
                programs.append(program)
        whole = Compilation(
            found.captured.graph,
            Problem(program, stored.device, stored.pins),
            parts.plan,
            parts.program,
            parts.cost,
            parts.verdicts,
            parts.log,
            parts.solver,
        )
        validate_value(whole, f"plan {number} in {origin}")
        made.append(KeptPlan(whole, stored.pipeline, stored.seconds))
    return tuple(made)
