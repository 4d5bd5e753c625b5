"""What can be done with variants from the menus: one method per row of `variant_menu`.

Owns: asking for names and for which variant is meant. Refuses: changing anything itself; the session does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QInputDialog

from spyre_studio.action import Action
from spyre_studio.choice_list import Choice
from spyre_studio.picker import Picker
from spyre_studio.units import format_us

if TYPE_CHECKING:
    from spyre_studio.main_window import MainWindow
    from spyre_studio.views.compare import CompareView
    from spyre_studio.views.variants import VariantsView


class VariantHandlers(QObject):
    """The methods of the rows above."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._session, self._selection = window.session, window.selection

    def keep_variant(self, _row: Action) -> None:
        """Ask for a name, which is proposed, and keep the plan under it."""
        proposed = self._session.proposed_variant()
        dialog = QInputDialog(self._window)
        dialog.setObjectName("variant-name")
        dialog.setWindowTitle("Keep as variant")
        dialog.setLabelText("Name of the variant")
        dialog.setTextValue(proposed)
        dialog.textValueSelected.connect(self._keep)
        dialog.open()

    def show_variant(self, _row: Action) -> None:
        """Pick a variant, and put it on screen."""
        self._pick("Show variant", self._session.show_variant)

    def compare_variant(self, _row: Action) -> None:
        """Pick a variant to compare the plan on screen with."""
        self._pick("Compare with", lambda name: self.compare(name, ""))

    def remove_variant(self, _row: Action) -> None:
        """Pick a variant to remove."""
        self._pick("Remove variant", self._session.remove_variant)

    def rename_variant(self, _row: Action) -> None:
        """Edit the name where it stands."""
        self._variants.begin_rename()

    def compare(self, before: str, after: str) -> None:
        """Compare two variants, '' for the plan on screen."""
        bench = self._window.workbench
        bench.show_view("compare")
        view = bench.views["compare"]
        if TYPE_CHECKING:
            assert isinstance(view, CompareView)
        view.choose(before, after)

    @property
    def _variants(self) -> VariantsView:
        """The tree, brought to the front."""
        bench = self._window.workbench
        bench.show_view("variants")
        view = bench.views["variants"]
        if TYPE_CHECKING:
            assert isinstance(view, VariantsView)
        return view

    def _keep(self, name: str) -> None:
        if self._session.keep_variant(" ".join(name.split())):
            self._window.workbench.show_view("variants")

    def _pick(self, title: str, then: Callable[[str], object]) -> None:
        picker = Picker(title, "The name of a variant, or a part of it", self._choices, self._window)
        picker.picked.connect(then)
        picker.open_over(self._window)

    def _choices(self, text: str) -> list[Choice]:
        words = text.casefold().split()
        found = [one for _, one in self._session.variants.walk()]
        return [
            Choice(one.name, one.name, self._note(one.name))
            for one in found
            if all(word in f"{one.name} {one.note}".casefold() for word in words)
        ]

    def _note(self, name: str) -> str:
        plan = self._session.plan_of(name)
        return format_us(plan.cost.total_us) if plan else "not solved"
