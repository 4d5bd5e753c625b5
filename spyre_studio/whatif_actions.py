"""What can be asked from the menus with 'what if': one method per row of `whatif_menu`.

Owns: which knob, op or buffer is meant, and the counts in the menus. Refuses: changing anything itself; the session
does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer

from compiler.pins import Pins
from spyre_studio.action import Action
from spyre_studio.alike_pins import Alike, alike_buffer, alike_op, unpin_words, unpinned_alike
from spyre_studio.choice_list import Choice
from spyre_studio.derived import ops_of
from spyre_studio.picker import Picker
from spyre_studio.program_actions import ProgramHandlers
from spyre_studio.whatif_menu import ALIKE_ROWS

if TYPE_CHECKING:
    from spyre_studio.main_window import MainWindow

_SOON_MS = 100  # whoever walks through the ops is not held up by counting
_ONLY = "Nothing else in this model is like it"


class WhatIfHandlers(ProgramHandlers):
    """The methods of the rows."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._soon = QTimer(self, interval=_SOON_MS, singleShot=True)
        self._soon.timeout.connect(self._count)
        self._selection.changed.connect(self._soon.start)
        self._session.changed.connect(self._changed)

    def sweep_knob(self, _row: Action) -> None:
        """Pick a knob, and sweep it."""
        picker = Picker("Sweep", "What is turned, all else the same", self._knobs, self._window)
        picker.picked.connect(self._session.start_sweep)
        picker.open_over(self._window)

    def sweep_op(self, _row: Action) -> None:
        """Sweep the splits of the selected op."""
        self._session.start_sweep(f"op:{self._selection.op}")

    def pin_alike(self, _row: Action) -> None:
        """Pin all ops like the selected one."""
        self._pin(self._alike_op())

    def pin_alike_buffer(self, _row: Action) -> None:
        """Pin all buffers like the selected one."""
        self._pin(self._alike_buffer())

    def unpin_alike(self, _row: Action) -> None:
        """Take the pins of everything like the selected op and buffer back."""
        count, after = self._pinned()
        if count:
            self._session.set_pins(after)
        else:
            self._window.status.say("Nothing like it is pinned")

    def _pin(self, found: Alike | None) -> None:
        if found is None:
            self._window.status.say(_ONLY)
        else:
            self._session.set_pins(found.after)

    def _knobs(self, text: str) -> list[Choice]:
        from spyre_studio.sweep import Base
        from spyre_studio.sweep_knobs import KNOBS, OP, fits

        session, op = self._session, self._selection.op
        base = Base(session.device, session.options, session.pins, session.device)
        compilation = session.compilation
        known = compilation is not None and op in ops_of(compilation)
        rows = [
            Choice(f"{OP}:{op}", f"Splits of {op}", one.hint) if one.key == OP else Choice(one.key, one.title, one.hint)
            for one in KNOBS
            if fits(base, one.key) and (one.key != OP or known)
        ]
        words = text.casefold().split()
        return [row for row in rows if all(word in f"{row.text} {row.note}".casefold() for word in words)]

    # Everything that is alike

    def _alike_op(self) -> Alike | None:
        compilation, op = self._session.compilation, self._selection.op
        return alike_op(compilation, self._session.pins, op) if compilation is not None and op else None

    def _alike_buffer(self) -> Alike | None:
        compilation, buffer = self._session.compilation, self._selection.buffer
        return alike_buffer(compilation, self._session.pins, buffer) if compilation is not None and buffer else None

    def _pinned(self) -> tuple[int, Pins]:
        """How many pins are on all that is like what is selected, and the pins without them."""
        compilation, pins = self._session.compilation, self._session.pins
        after = pins
        if compilation is not None and pins:
            for name in (self._selection.op, self._selection.buffer):
                _, after = unpinned_alike(compilation, after, name or "")
        return len(pins.keys) - len(after.keys), after

    def _changed(self, what: str) -> None:
        if what in {"plan", "pins"}:
            self._soon.start()

    def _count(self) -> None:
        """Say in the menus how many there are, before anything is done."""
        op, buffer, (count, _) = self._alike_op(), self._alike_buffer(), self._pinned()
        texts = {row.key: row.text for row in ALIKE_ROWS}
        texts |= {"pin-alike": op.words} if op is not None else {}
        texts |= {"pin-alike-buffer": buffer.words} if buffer is not None else {}
        texts |= {"unpin-alike": unpin_words(count)} if count else {}
        for key, text in texts.items():
            self._window.actions_.by_key[key].setText(text)
