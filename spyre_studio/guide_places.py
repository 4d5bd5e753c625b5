"""Finds the places that lessons speak of in the workbench, and brings them to the front.

Owns: which widget each is, and the way there.  Refuses: keys and words; those are in `guide_place_names`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from frozendict import frozendict
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from spyre_studio.views.steady import scroll_area_of

if TYPE_CHECKING:
    from spyre_studio.views.inspector import InspectorView
    from spyre_studio.views.scratchpad import ScratchpadView
    from spyre_studio.workbench import Workbench

Find = Callable[["Workbench"], QWidget]


@dataclass(frozen=True, slots=True)
class Place:
    """`view` is the key of the view that has it ('' for header and left panel), `tab` that of the inspector."""

    find: Find
    view: str = ""
    tab: str = ""


def place_widget(bench: Workbench, key: str) -> QWidget:
    """The widget of a place, in sight or not."""
    return _PLACES[key].find(bench)


def in_sight(bench: Workbench, key: str) -> bool:
    """True if it is in front."""
    return place_widget(bench, key).isVisible()


def bring_to_front(bench: Workbench, key: str) -> None:
    """Have a place in sight, with the views around it as they are."""
    place = _PLACES[key]
    if place.view:
        bench.show_view(place.view)
        if place.view == "inspector" and not bench.full.key:
            bench.docks["right"].show()
    elif key in _LEFT:
        bench.full.leave()
        bench.docks["left"].show()
    if place.tab:
        _inspector(bench).show_tab(place.tab)
    if place.view == "scratchpad":
        _scratchpad(bench).set_why(key == "not-in-lx")
    widget = place.find(bench)
    QTimer.singleShot(0, widget, lambda: _scroll_to(widget))  # first everything takes its place


def _scroll_to(widget: QWidget) -> None:
    area = scroll_area_of(widget)
    inner = area.widget() if area is not None else None
    if area is not None and inner is not None and inner.isAncestorOf(widget):
        area.verticalScrollBar().setValue(max(widget.mapTo(inner, widget.rect().topLeft()).y() - _MARGIN, 0))


_MARGIN: Final = 8  # px above what is scrolled to
_LEFT: Final = frozenset({"model", "pins"})


def _inspector(bench: Workbench) -> InspectorView:
    return cast("InspectorView", bench.views["inspector"])


def _scratchpad(bench: Workbench) -> ScratchpadView:
    return cast("ScratchpadView", bench.views["scratchpad"])


def _why_table(bench: Workbench) -> QWidget:
    from spyre_studio.views.why_table import WhyTable  # the views are there by now; before that nothing may import them

    found = bench.views["scratchpad"].findChild(WhyTable)
    assert isinstance(found, WhyTable)
    return found


def _view(key: str) -> Place:
    return Place(lambda bench: bench.views[key], key)


def _part(tab: str, find: Callable[[InspectorView], QWidget]) -> Place:
    return Place(lambda bench: find(_inspector(bench)), "inspector", tab)


_VIEWS: Final = ("graph", "scratchpad", "timeline", "roofline", "compare", "verify", "program", "variants")
_PLACES: Final[frozendict[str, Place]] = frozendict(
    {
        **{key: _view(key) for key in _VIEWS},
        "not-in-lx": Place(_why_table, "scratchpad"),
        "division": _part("Division", lambda view: view.division),
        "cores": _part("Division", lambda view: view.division.space),
        "loops": _part("Division", lambda view: view.division.editor),
        "candidates": _part("Division", lambda view: view.division.candidates),
        "handovers": _part("Division", lambda view: view.division.handovers),
        "sticks": _part("Sticks", lambda view: view.sticks),
        "facts": _part("Facts", lambda view: view.facts),
        "cost": _part("Cost", lambda view: view.cost),
        "model": Place(lambda bench: bench.tree),
        "pins": Place(lambda bench: bench.pins),
        "time": Place(lambda bench: bench.header.time),
        "pipeline": Place(lambda bench: bench.header.pipeline_chip),
        "resolve": Place(lambda bench: bench.header.resolve),
        "checks": Place(lambda bench: bench.header.lights),
    }
)
