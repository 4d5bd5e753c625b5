"""One page or panel per file; views draw values and decide nothing. Here is the table of those that the window shows.

A view is a QWidget made as `View(session, selection, parent)` with `show_compilation(compilation | None)` and
`show_selection()`; the window calls both while the view can be seen. Modules are imported when the window needs them.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules
from typing import Final, Literal, Protocol

from compiler.compilation import Compilation

Area = Literal["centre", "bottom", "right"]


class View(Protocol):
    """What the window asks of a view."""

    def show_compilation(self, compilation: Compilation | None) -> None:
        """Another plan, or none."""

    def show_selection(self) -> None:
        """Something else is selected."""


@dataclass(frozen=True, slots=True)
class ViewRow:
    """A row: `module` and the name of its class; `hint` says in a few words what it shows."""

    key: str
    title: str
    area: Area
    module: str
    class_name: str
    hint: str

    def load(self) -> type:
        """The class, imported now."""
        found: type = getattr(import_module(f"{__name__}.{self.module}"), self.class_name)
        return found


VIEWS: Final[tuple[ViewRow, ...]] = (
    ViewRow("graph", "Graph", "centre", "graph", "GraphView", "ops and what happens to their data"),
    ViewRow(
        "inspector", "Inspector", "right", "inspector", "InspectorView", "facts, decision and cost of the selection"
    ),
    ViewRow("scratchpad", "Scratchpad", "bottom", "scratchpad", "ScratchpadView", "LX of one core and of all cores"),
    ViewRow("timeline", "Timeline", "bottom", "timeline", "TimelineView", "the simulated run, unit by unit"),
    ViewRow("roofline", "Roofline", "bottom", "roofline", "RooflineView", "what bounds every step, and how closely"),
    ViewRow("compare", "Compare", "bottom", "compare", "CompareView", "a plan against another one"),
    ViewRow("verify", "Verify", "bottom", "verify", "VerifyView", "the checks, and numbers against PyTorch"),
    ViewRow("program", "Program", "bottom", "program", "ProgramView", "plan and device program as text"),
    ViewRow("variants", "Variants", "bottom", "variants", "VariantsView", "plans with names, and what each costs"),
    ViewRow("sweep", "Sweep", "bottom", "sweep", "SweepView", "what the plan costs at every value of one knob"),
    ViewRow("insights", "Insights", "bottom", "insights", "InsightsView", "what costs most, and the nearest remedy"),
)


def part_names() -> tuple[str, ...]:
    """The modules of this folder, to be imported one by one."""
    return tuple(f"{__name__}.{found.name}" for found in iter_modules(__path__))


def view_row(key: str) -> ViewRow | None:
    """The row with this key, or None."""
    return next((row for row in VIEWS if row.key == key), None)
