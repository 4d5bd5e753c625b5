"""Opening: plans to start a search from, known before the program is made into tables.

Owns the divisions that stand and those of improve-division, each with best-fit placement, and how long the second may
take.  Refuses moves, and to take a plan for an answer that a pin has asked something else of.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from frozendict import frozendict

from compiler.cost.model import price
from compiler.joint.pins import joint_status
from compiler.passes.improve_division import ImproveDivision
from compiler.passes.place_scratchpad import PlaceScratchpad
from compiler.pins import PinState, PinStatus
from compiler.plan import Claim, Plan
from compiler.price import Cost
from compiler.problem import Problem

Tell = Callable[[float, float], bool]

LEAST_SECONDS, SHARE = 3.0, 0.3
"""The divisions are improved for a share of the time; for a few seconds in any case, even if the time is exceeded a
little: nothing gains more in so short a time."""

GRACE_SECONDS = 1.5
TABLES, OVER_SECONDS = 2.25, 1.5
"""What tables and plan take beside the opening, in large programs, and by how much the time may be exceeded then."""

ASKED_EVERY_S = 0.05


@dataclass(frozen=True, slots=True)
class Opening:
    """Placed plans, the last one at least as good as the others; what that costs, and the status of its pins.

    `claims` are those of before the placement, `seconds` what all this took.  `hurried`: the time for better divisions
    was up before they were as good as they get.
    """

    plans: tuple[Plan, ...]
    cost: Cost
    status: frozendict[str, PinStatus]
    claims: frozendict[str, Claim]
    seconds: float
    hurried: bool = False

    @property
    def kept(self) -> bool:
        """True if no pin asks for more, so that a search may end with it."""
        return _kept(self.status)

    def late(self, seconds: float) -> bool:
        """True if, after as long as this took, tables of the program and a plan made of them would come too late for a
        search that may take so many seconds."""
        return (1 + TABLES) * self.seconds > seconds + OVER_SECONDS

    def enough(self, tell: Tell) -> bool:
        """True if somebody has enough with that, if it can be had."""
        return self.kept and tell(self.cost.total_us, -1.0)


def opened(problem: Problem, plan: Plan, seconds: float, tell: Tell, last: bool) -> Opening:
    """The plans to start from, for a plan with divisions and a search that may take so long.

    `tell` hears of what is found, and says whether that is enough.  `last`: there is no plan before to fall back on.
    Raises what `tell` raises.
    """
    began = time.monotonic()
    placed = PlaceScratchpad()(problem, plan)
    plans: tuple[Plan, ...] = (placed,)
    cost, status = price(problem, placed), _status(problem, placed)
    again = 3 * (time.monotonic() - began)  # what is found is placed, priced and compared, too
    least = min(LEAST_SECONDS, seconds + GRACE_SECONDS - again) if last else 0.0
    over = _Over(tell, cost.total_us, began + max(least, SHARE * seconds), _kept(status))
    if not over():
        _, better, cost = ImproveDivision().improved(problem, plan, (placed, cost), over)
        if better is not placed:
            plans, status = (placed, better), _status(problem, better)
    return Opening(plans, cost, status, plan.claims, time.monotonic() - began, over.hurried)


class _Over:
    """Whether to end, asked as often as anyone likes; what can be had is told a few times a second."""

    def __init__(self, tell: Tell, total_us: float, until: float, kept: bool) -> None:
        self._tell, self._total_us, self._until, self._kept = tell, total_us, until, kept
        self._next, self._enough = 0.0, False
        self.hurried = False

    def __call__(self) -> bool:
        now = time.monotonic()
        if self._kept and not self._enough and now >= self._next:
            self._next = now + ASKED_EVERY_S
            self._enough = self._tell(self._total_us, -1.0)
        self.hurried = self.hurried or (not self._enough and now >= self._until)
        return self._enough or self.hurried


def _status(problem: Problem, placed: Plan) -> frozendict[str, PinStatus]:
    return frozendict(joint_status(problem, placed, {}))


def _kept(status: frozendict[str, PinStatus]) -> bool:
    return all(one.state is PinState.HONOURED for one in status.values())
