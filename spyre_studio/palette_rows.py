"""Targets as rows of a list, each made when it is looked at: of the thousands that match, few are.

Owns: the way from a target to a row.  Refuses: matching.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from spyre_studio.choice_list import Choice
from spyre_studio.palette_match import Target


class _Rows(Sequence[Choice]):
    """As long as the targets, and nothing but them."""

    def __init__(self, targets: Sequence[Target], enabled: bool) -> None:
        self._targets, self._enabled = targets, enabled

    def __len__(self) -> int:
        return len(self._targets)

    @overload
    def __getitem__(self, at: int) -> Choice: ...

    @overload
    def __getitem__(self, at: slice) -> list[Choice]: ...

    def __getitem__(self, at: int | slice) -> Choice | list[Choice]:
        if isinstance(at, slice):
            return [self._made(target) for target in self._targets[at]]
        return self._made(self._targets[at])

    def _made(self, target: Target) -> Choice:
        return Choice(target.key, target.text, target.note, self._enabled)


def rows(targets: Sequence[Target], enabled: bool = True) -> Sequence[Choice]:
    """One row per target; those that are not `enabled` cannot be picked."""
    return _Rows(targets, enabled)
