"""Project: everything that somebody did with a model, as one value that can be saved and gone on with.

Owns: what belongs to a project.  Refuses Qt, files (`project_document`) and checks (`project_check`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from compiler.captured import Captured
from compiler.compilation import Compilation
from compiler.device import Device
from compiler.pins import Pins
from spyre_studio.options import CompileOptions
from spyre_studio.variant import Variants

SUFFIX: Final = ".spyre"


def is_project(spec: str) -> bool:
    """True for what is named as project files are.

    >>> is_project("/models/Softmax.SPYRE"), is_project("softmax")
    (True, False)
    """
    return spec.lower().endswith(SUFFIX)


@dataclass(frozen=True, slots=True)
class ModelReference:
    """Where the model was read from, as it means the same from any folder, and the SHA-256 of that file, '' where it
    is not known."""

    spec: str
    digest: str = ""


@dataclass(frozen=True, slots=True)
class ProjectView:
    """Where one was: the view in front, what was selected, panels (base64, '' for those of the window), and the graph:
    open modules, and zoom (0 as at the start) with the world point at its top left."""

    front: str = ""
    op: str = ""
    buffer: str = ""
    core: int = 0
    layout: str = ""
    opened: tuple[str, ...] = ()
    zoom: float = 0.0
    x: float = 0.0
    y: float = 0.0
    sides: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class KeptPlan:
    """A plan, and with which pipeline and time limit it was asked for."""

    compilation: Compilation
    pipeline: str
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Project:
    """`pins`, `device` and `options` are what is wanted now; `shown` and `before` are the plans on screen and before it
    by their place in `plans`, -1 for none.  `saved_as` is where an autosaved project was saved by hand, '' if nowhere;
    `off` are pins that are switched off for a moment.
    """

    model: ModelReference
    captured: Captured
    pins: Pins
    device: Device
    options: CompileOptions
    variants: Variants
    plans: tuple[KeptPlan, ...]
    shown: int = -1
    before: int = -1
    note: str = ""
    view: ProjectView = ProjectView()
    saved_as: str = ""
    off: Pins = field(default_factory=Pins)
