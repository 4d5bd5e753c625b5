"""Variants of the open model: the verbs of a session that keep, rename, annotate and remove them.

Owns the tree and that plans of variants are not forgotten while the model is open.  Refuses to put one on screen, which
is a change of pins and options: `Session.show_variant` does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject

from compiler.compilation import Compilation
from compiler.errors import StudioError
from spyre_studio.failure import Failure
from spyre_studio.jobs import Jobs
from spyre_studio.session_questions import Asking
from spyre_studio.settings import Settings
from spyre_studio.solved import Asked, Solved
from spyre_studio.variant import FIRST, Variant, Variants
from spyre_studio.variant_change import VariantsChange


class Varying(Asking):
    """`changed` tells of 'variants'; every verb is one step of undo."""

    def __init__(
        self, jobs: Jobs | None = None, settings: Settings | None = None, parent: QObject | None = None
    ) -> None:
        super().__init__(jobs, settings, parent)
        self._variants = Variants()

    @property
    def variants(self) -> Variants:
        """The variants of the open model."""
        return self._variants

    def plan_of(self, name: str) -> Compilation | None:
        """The plan of a variant, if it is known."""
        entry = self._entry_of(name)
        return entry.compilation if entry else None

    @property
    def shown_variant(self) -> str:
        """The variant whose plan is on screen, the chosen one first; '' if it is that of none."""
        if self._shown is None:
            return ""
        chosen = self._variants.get(self._variants.chosen)
        those = [*([chosen] if chosen else []), *self._variants]
        return next((one.name for one in those if self._asked_by(one) == self._shown.asked), "")

    @property
    def plan_name(self) -> str:
        """What the plan on screen is called: as its variant, which a project keeps, else by a number: 'plan #3'."""
        return self.shown_variant or f"plan {self.run_id}".strip()

    def proposed_variant(self) -> str:
        """A name for what is wanted now, that no variant has."""
        from spyre_studio.variant_names import proposed_name  # words of views and pipelines, which no start needs

        return self._variants.free_name(proposed_name(self._now(""), self._variants.get(self._variants.chosen)))

    def keep_variant(self, name: str, note: str = "") -> bool:
        """Keep pins, device and options as a variant, below the one that was chosen last; False if the name cannot be
        used, which is told as a failure."""
        now = replace(self._now(name), note=note)
        return self._model is not None and self._change(f"Keep variant {name}", lambda tree: tree.add(now))

    def rename_variant(self, name: str, new: str) -> bool:
        """Give a variant another name; False if that cannot be used."""
        return self._change(f"Rename variant {name}", lambda tree: tree.rename(name, new))

    def annotate_variant(self, name: str, note: str) -> bool:
        """Write a note on a variant."""
        return self._change(f"Note on variant {name}", lambda tree: tree.annotate(name, note))

    def remove_variant(self, name: str) -> bool:
        """Remove a variant; what was made from it stays."""
        return self._change(f"Remove variant {name}", lambda tree: tree.remove(name))

    def _now(self, name: str) -> Variant:
        return Variant(name, self._pins, self._device, self._options, self._variants.chosen)

    def _change(self, words: str, change: Callable[[Variants], Variants]) -> bool:
        try:
            after = change(self._variants)
        except StudioError as error:
            self._fail(Failure.of(error))
            return False
        if after != self._variants:
            self.undo_stack.push(VariantsChange(words, self._variants, after, self._set_variants))
        return True

    def _set_variants(self, variants: Variants) -> None:
        self._variants = variants
        self._plans.spare(frozenset(map(self._asked_by, variants)))
        self.changed.emit("variants")

    def _begin_variants(self) -> None:
        """A new model has one variant, which is what it was opened with."""
        self._set_variants(Variants().add(replace(self._now(FIRST), parent="")))

    def _asked_by(self, variant: Variant) -> Asked:
        return Asked.of(self._model.handle if self._model else "", variant.device, variant.options, variant.pins)

    def _entry_of(self, name: str) -> Solved | None:
        variant = self._variants.get(name)
        return self._plans.find(self._asked_by(variant)) if variant else None
