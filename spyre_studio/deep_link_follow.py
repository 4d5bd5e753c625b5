"""Follows a link in the window: its file is opened, and as soon as the plan is there its place is shown.

Owns: the place that is waited for, the place where one is, telling whether a link names what is open as its file is
now, and what is said of parts that the plan does not have.
Refuses: the text form of links, and opening files.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from compiler.compilation import Compilation
from compiler.errors import StudioError
from spyre_studio.deep_link import Link, Place, from_anywhere, print_link, read_link
from spyre_studio.derived import schedule_of
from spyre_studio.project import is_project
from spyre_studio.views import VIEWS, view_row

if TYPE_CHECKING:
    from spyre_studio.main_window import MainWindow


class DeepLinks(QObject):
    """Of one window."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._awaited: Link | None = None
        self._asked = self._read = _Known("")
        window.session.saved.connect(self._saved)
        window.session.restored.connect(self._restored)  # after the project's own view was put back

    def opened(self, text: str) -> str:
        """What to open for `text`; its place is shown once the plan is there."""
        link = read_link(text)
        self._awaited = link if link.place or link.unknown else None
        self._asked = _known(link.spec)
        return link.spec

    def stays(self, text: str) -> bool:
        """True if `text` is a link to a place in what is open, and its file is as it was read: its place is shown."""
        link, session = read_link(text), self._window.session
        known = _known(link.spec) if link.place and session.compilation is not None and not session.opening else None
        if known is None or not known.state or known != self._read or known.name != self._open_name:
            return False
        self._window.banner.hide()
        self._follow(link)
        return True

    @property
    def _open_name(self) -> str:
        """What is open, as `_known` names it."""
        project = self._window.project.path
        return _known(str(project) if project is not None else self._window.session.source).name

    def arrived(self) -> None:
        """A plan is on screen: go to the place of the link that asked for it, if there was one."""
        if not is_project(self._asked.name):
            self._read = self._asked
        link = self._awaited
        if link is not None and not is_project(link.spec):
            self._awaited = None
            if link.spec == self._window.session.source:
                self._follow(link)

    def here(self) -> str:
        """The link to where one is, in the project if there is one."""
        selection, bench = self._window.selection, self._window.workbench
        project = self._window.project.path
        spec = str(project) if project is not None else from_anywhere(self._window.session.source)
        place = Place(selection.op, selection.buffer, selection.core, selection.step, bench.current_view)
        return print_link(Link(spec, place))

    def _saved(self, path: str) -> None:
        if self._window.project.path == Path(path):
            self._read = _known(path)

    def _restored(self) -> None:
        self._read = self._asked
        link, self._awaited = self._awaited, None
        if link is not None:
            self._follow(link)

    def _follow(self, link: Link) -> None:
        compilation = self._window.session.compilation
        if compilation is None:
            return
        told = _sentence(link.unknown, self._go(link.place, compilation))
        if told:
            self._window.banner.say("warn", told)

    def _go(self, place: Place, compilation: Compilation) -> list[str]:
        """Select what the plan has of it; returns words for what it does not have."""
        selection, missing = self._window.selection, _missing(place, compilation)
        selection.select(op=place.op, buffer=place.buffer, core=place.core)
        if (place.op is None or "op" in missing) and place.step is not None and "step" not in missing:
            selection.select_step(place.step)
        if place.view is not None and "view" not in missing:
            self._window.workbench.show_view(place.view)
        # The graph hears of the plan in this turn of the event loop, perhaps after this.
        QTimer.singleShot(0, self._window.workbench.graph, self._window.workbench.graph.reveal_selection)
        return list(missing.values())


@dataclass(frozen=True, slots=True)
class _Known:
    """A spec with its path resolved, and what tells of a change of its file; no state where that is not known."""

    name: str
    state: tuple[int, ...] = ()


def _known(spec: str) -> _Known:
    from spyre_studio.model_spec import read_spec  # no window needs it before something is opened

    try:
        model = None if is_project(spec) else read_spec(spec)
        path = Path(spec).expanduser() if model is None else model.path
        full, resolved, seen = model.full if model else str(path), str(path.resolve()), path.stat()
        name = resolved + full.removeprefix(str(path)) if full.startswith(str(path)) else full
        return _Known(name, (seen.st_mtime_ns, seen.st_size, seen.st_ino) if path.is_file() else ())
    except (StudioError, OSError, ValueError, RuntimeError):  # nothing that could be read
        return _Known(spec)


def _missing(place: Place, compilation: Compilation) -> dict[str, str]:
    """Part -> words for it, where the plan does not have it."""
    schedule = schedule_of(compilation)
    steps = tuple(step.name for step in schedule.steps)
    missing: dict[str, str] = {}
    if place.op is not None and place.op not in steps:
        missing["op"] = f"op {place.op}"
    if place.buffer is not None and place.buffer not in schedule.buffers:
        missing["buffer"] = f"buffer {place.buffer}"
    if place.core is not None and place.core >= compilation.plan.cores:
        missing["core"] = f"core {place.core} (its cores are 0 to {compilation.plan.cores - 1})"
    if place.step is not None and place.step >= len(steps):
        missing["step"] = f"step {place.step} (its steps are 0 to {len(steps) - 1})"
    elif place.step is not None and place.op in steps and steps[place.step] != place.op:
        missing["step"] = f"op {place.op} at step {place.step} (it runs at step {steps.index(place.op)})"
    if place.view is not None and view_row(place.view) is None:
        missing["view"] = f"view {place.view} (the views are {', '.join(row.key for row in VIEWS)})"
    return missing


def _sentence(unknown: tuple[str, ...], missing: list[str]) -> str:
    """One sentence for all of it, '' for nothing."""
    said = [f"the plan has no {_listed(missing)}"] if missing else []
    if unknown:
        said.append(f"{_listed(list(unknown))} {'says' if len(unknown) == 1 else 'say'} nothing that a link can hold")
    return f"Not all of the link could be followed: {'; '.join(said)}." if said else ""


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
