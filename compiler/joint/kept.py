"""Kept: what of a ground a re-solve can use again.

Owns the menus and offers of the programs that were looked at last: they depend on layouts and inserted copies, and not
on pins, divisions or placement.  Refuses to keep more than a few.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from frozendict import frozendict

from compiler.cost.setting import Setting, setting_of
from compiler.device import Device
from compiler.joint.kinds import Kinds
from compiler.joint.offers import Offers
from compiler.layout import StickLayout
from compiler.loops import LoopProgram
from compiler.plan import Edit, Plan
from compiler.problem import Problem

MOST = 3


@dataclass(slots=True)
class Kept:
    """A program with its layouts, and what was made of it so far."""

    program: LoopProgram
    device: Device
    layouts: frozendict[str, StickLayout]
    edits: tuple[Edit, ...]
    setting: Setting
    _kinds: Kinds | None = None
    _offers: dict[bool, Offers] = field(default_factory=dict)

    def holds(self, problem: Problem, plan: Plan) -> bool:
        """True if it was made of this program, laid out like that."""
        same = self.program is problem.program and self.device == problem.device
        return same and self.edits == plan.edits and self.layouts == plan.layouts

    def kinds(self, plan: Plan, free: frozenset[str]) -> Kinds:
        """The menus for other divisions to start from."""
        made = replace(self._kinds, plan=plan, free=free) if self._kinds else self._first(plan, free)
        self._kinds = made
        return made

    def _first(self, plan: Plan, free: frozenset[str]) -> Kinds:
        return Kinds(plan, self.setting.schedule, self.setting, free)

    def offers(
        self, kinds: Kinds, moves: bool, operands: tuple[tuple[str, ...], ...], rings: Mapping[str, str]
    ) -> Offers:
        """The offers for these menus."""
        known = self._offers.get(moves)
        made = (
            replace(known, kinds=kinds, plan=kinds.plan, operands=operands, rings=rings)
            if known
            else Offers(kinds, self.setting, kinds.plan, moves, operands, rings)
        )
        self._offers[moves] = made
        return made


_LATEST: list[Kept] = []


def kept_of(problem: Problem, plan: Plan) -> Kept:
    """What is kept of a program with these layouts, or a fresh start."""
    found = next((one for one in _LATEST if one.holds(problem, plan)), None)
    if found is None:
        found = Kept(problem.program, problem.device, plan.layouts, plan.edits, setting_of(problem, plan))
    _LATEST[:] = [found, *(one for one in _LATEST if one is not found)][:MOST]
    return found
