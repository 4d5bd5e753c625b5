"""Kept: what of a ground a re-solve can use again.

Owns the menus and offers of the programs that were looked at last: they depend on layouts and inserted copies, and not
on pins, divisions or placement.  Refuses to keep more than a few.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from frozendict import frozendict

from compiler.cost.setting import Setting, setting_of
from compiler.device import Device
from compiler.joint.kinds import Kinds
from compiler.joint.offers import Offers
from compiler.layout import StickLayout
from compiler.loops import LoopProgram
from compiler.pins import Pins
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

    def kinds(self, plan: Plan, free: frozenset[str], tied: frozenset[str]) -> Kinds:
        """The menus for other divisions to start from."""
        known = self._kinds or Kinds(plan, self.setting.schedule, self.setting, free)
        self._kinds = made = replace(known, plan=plan, free=free, tied=tied)
        return made

    def offers(self, kinds: Kinds, moves: bool, operands: tuple[tuple[str, ...], ...], pins: Pins) -> Offers:
        """The offers for these menus."""
        known = self._offers.get(moves) or Offers(kinds, self.setting, kinds.plan, moves, operands, pins)
        made = replace(known, kinds=kinds, plan=kinds.plan, operands=operands, pins=pins)
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
