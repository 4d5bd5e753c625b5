"""The palette of one window: every action by typing, and every place of the plan by its name.

Owns: the two lists, going to what was picked, and what was picked last.  Refuses: matching, and the keys of the dialog.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from spyre_studio.choice_list import Choice
from spyre_studio.palette_match import latest_first
from spyre_studio.palette_places import ACTIONS_SIGN, PREFIX_HINT, found_places, places_in
from spyre_studio.palette_rows import rows
from spyre_studio.picker import Picker

if TYPE_CHECKING:
    from spyre_studio.main_window import MainWindow


class Palette(QObject):
    """Places that were gone to are remembered while the window is open, actions in the settings."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._places: tuple[str, ...] = ()

    def open_actions(self) -> None:
        """Pick an action."""
        self._open("Commands", "Type what you want to do", self._window.actions_.choices, self._do, "")

    def open_places(self) -> None:
        """Pick a place; after `>` an action."""
        hint = "Go to an op, buffer, core, kernel or view"
        self._open("Go to", hint, self._listed, self._go, PREFIX_HINT)

    def _open(
        self,
        title: str,
        hint: str,
        choices: Callable[[str], Sequence[Choice]],
        picked: Callable[[str], None],
        prefixes: str,
    ) -> None:
        picker = Picker(title, hint, choices, self._window, prefixes)
        picker.picked.connect(picked)
        picker.open_over(self._window)

    def _do(self, key: str) -> None:
        from spyre_studio.palette_extras import EXAMPLE, PIPELINE, meant  # not needed for the first paint

        session = self._window.session
        session.settings.add_used(key)
        match meant(key):
            case (kind, name) if kind == PIPELINE:
                session.set_options(session.options.device, session.options.cores, name)
            case (kind, name) if kind == EXAMPLE:
                self._window.open(name)
            case _:
                self._window.actions_.trigger(key)

    def _listed(self, text: str) -> Sequence[Choice]:
        asked = text.lstrip()
        if asked.startswith(ACTIONS_SIGN):
            return self._window.actions_.choices(asked.removeprefix(ACTIONS_SIGN))
        compilation = self._window.session.compilation
        return rows(found_places(places_in(compilation), text, self._places)) if compilation is not None else []

    def _go(self, key: str) -> None:
        kind, colon, name = key.partition(":")
        if not colon or kind in {"pipeline", "example"}:
            self._do(key)
            return
        self._places = latest_first(self._places, key)
        self._show(kind, name)

    def _show(self, kind: str, name: str) -> None:
        """Select it, and bring it into view."""
        selection, workbench = self._window.selection, self._window.workbench
        match kind:
            case "view":
                workbench.show_view(name)
                workbench.views[name].setFocus()
                return
            case "core":
                selection.select_core(int(name))
                workbench.show_view("scratchpad")
                return
            case "buffer":
                selection.select_buffer(name)
            case "kernel":
                selection.select_op(self._first_of(name))
            case _:
                selection.select_op(name)
        workbench.graph.reveal_selection()

    def _first_of(self, kernel: str) -> str | None:
        compilation = self._window.session.compilation
        found = [each for each in compilation.plan.kernels if each.name == kernel] if compilation else []
        return found[0].steps[0] if found and found[0].steps else None
