"""Selection: the one op, buffer, core and step that all views look at, and the way back to earlier ones.

Owns what is selected and its history, the core under the pointer, and the steps that views with an axis of steps or of
time have in view together.  Refuses names that the plan on screen does not have: they are dropped, never shown.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from frozendict import frozendict
from PySide6.QtCore import QObject, Signal

from compiler.compilation import Compilation
from spyre_studio.derived import schedule_of

_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Place:
    """Where one looks: names of an op (or inserted move) and a buffer, a core, and the number of the op's step."""

    op: str | None = None
    buffer: str | None = None
    core: int = 0
    step: int | None = None


class Selection(QObject):
    """What is selected; `changed` tells that it is something else now, `hovered` that the pointer is at another core,
    and `moved` that other steps are in view.  Neither of the last two has a history."""

    changed = Signal()
    hovered = Signal()
    moved = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._place = Place()
        self._steps: tuple[str, ...] = ()
        self._numbers: frozendict[str, int] = frozendict()
        self._buffers: frozenset[str] = frozenset()
        self._cores = 1
        self._past: list[Place] = []
        self._future: list[Place] = []
        self._following = False
        self._hovered_core: int | None = None
        self._window: tuple[float, float] | None = None

    @property
    def place(self) -> Place:
        """All four parts as one value."""
        return self._place

    @property
    def op(self) -> str | None:
        """Name of the selected op or inserted move."""
        return self._place.op

    @property
    def buffer(self) -> str | None:
        """Name of the selected buffer."""
        return self._place.buffer

    @property
    def core(self) -> int:
        """The core whose memory is looked at."""
        return self._place.core

    @property
    def step(self) -> int | None:
        """Number of the selected step; it is the step of the selected op."""
        return self._place.step

    @property
    def hovered_core(self) -> int | None:
        """The core under the pointer in any view, None if there is none."""
        return self._hovered_core

    @property
    def window(self) -> tuple[float, float] | None:
        """The steps in view, as first and end of an axis on which step n lies between n and n + 1; None for all."""
        return self._window

    def hover_core(self, core: int | None) -> None:
        """The pointer is at a core, or at none."""
        found = core if core is not None and 0 <= core < self._cores else None
        if found != self._hovered_core:
            self._hovered_core = found
            self.hovered.emit()

    def look_at(self, window: tuple[float, float] | None) -> None:
        """Have these steps in view, in all views that share the axis; None, or more than there are, is all."""
        found = self._fitted_window(window)
        if found != self._window:
            self._window = found
            self.moved.emit()

    def select(self, *, op: str | None = None, buffer: str | None = None, core: int | None = None) -> None:
        """Select several things in one step of the history; what is None, or not in the plan, stays as it is."""
        place = self._place
        if op is not None and op in self._numbers:
            place = replace(place, op=op, step=self._numbers[op])
        if buffer in self._buffers:
            place = replace(place, buffer=buffer)
        if core is not None and 0 <= core < self._cores:
            place = replace(place, core=core)
        self._go(place)

    def select_op(self, name: str | None) -> None:
        """Select an op or inserted move and with it its step; None selects none."""
        if name is None:
            self._go(replace(self._place, op=None, step=None))
        elif name in self._numbers:
            self._go(replace(self._place, op=name, step=self._numbers[name]))

    def follow_op(self, name: str) -> None:
        """As `select_op`, for what passes over many of them: the way back has only the place where that began."""
        if name not in self._numbers or name == self._place.op:
            return
        place = replace(self._place, op=name, step=self._numbers[name])
        if self._following:
            self._future.clear()
            self._show(place)
        else:
            self._go(place)
            self._following = True

    def select_buffer(self, name: str | None) -> None:
        """Select a buffer; the op stays."""
        if name is None or name in self._buffers:
            self._go(replace(self._place, buffer=name))

    def select_core(self, core: int) -> None:
        """Look at another core."""
        if 0 <= core < self._cores:
            self._go(replace(self._place, core=core))

    def select_step(self, step: int | None) -> None:
        """Select a step and with it the op that runs there."""
        if step is None:
            self.select_op(None)
        elif 0 <= step < len(self._steps):
            self.select_op(self._steps[step])

    def clear(self) -> None:
        """Select nothing; the core stays."""
        self._go(Place(core=self._place.core))

    @property
    def can_go_back(self) -> bool:
        """True if something was selected before."""
        return bool(self._past)

    @property
    def can_go_forward(self) -> bool:
        """True after going back."""
        return bool(self._future)

    def back(self) -> None:
        """Select what was selected before."""
        self._following = False
        if self._past:
            self._future.append(self._place)
            self._show(self._past.pop())

    def forward(self) -> None:
        """Undo `back`."""
        if self._future:
            self._past.append(self._place)
            self._show(self._future.pop())

    def retarget(self, compilation: Compilation | None) -> None:
        """Look at another plan: what it does not have is dropped here and from the history; op keeps its name."""
        schedule = schedule_of(compilation) if compilation else None
        self._steps = tuple(step.name for step in schedule.steps) if schedule else ()
        self._numbers = frozendict((name, number) for number, name in enumerate(self._steps))
        self._buffers = frozenset(schedule.buffers) if schedule else frozenset()
        self._cores = compilation.plan.cores if compilation else 1
        self._past = self._kept(self._past)
        self._future = self._kept(self._future)
        self.hover_core(self._hovered_core)
        self.look_at(self._window)
        self._show(self._fitted(self._place))

    def forget(self) -> None:
        """Select nothing and forget the history, for another model."""
        self._past.clear()
        self._future.clear()
        self.hover_core(None)
        self.look_at(None)
        self._show(Place())

    def _fitted_window(self, window: tuple[float, float] | None) -> tuple[float, float] | None:
        if window is None:
            return None
        lo, hi = max(window[0], 0.0), min(window[1], float(len(self._steps)))
        return (lo, hi) if lo < hi and hi - lo < len(self._steps) else None

    def _kept(self, places: list[Place]) -> list[Place]:
        kept: list[Place] = []
        for place in map(self._fitted, places):
            if place != (kept[-1] if kept else Place()):
                kept.append(place)
        return kept

    def _fitted(self, place: Place) -> Place:
        op = place.op if place.op in self._numbers else None
        buffer = place.buffer if place.buffer in self._buffers else None
        core = place.core if place.core < self._cores else 0
        return Place(op, buffer, core, self._numbers[op] if op is not None else None)

    def _go(self, place: Place) -> None:
        if place == self._place:
            return
        self._following = False
        self._past = [*self._past[-_LONGEST:], self._place]
        self._future.clear()
        self._show(place)

    def _show(self, place: Place) -> None:
        if place != self._place:
            self._place = place
            self.changed.emit()
