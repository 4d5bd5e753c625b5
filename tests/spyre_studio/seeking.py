"""A pass that searches, for tests of what follows a search: it finds less and less, and ends when that is enough.

Owns the pass `seek`, a worker and a command line that know it, and the figures it tells.  Decides nothing.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from itertools import count
from typing import ClassVar

from compiler import pipeline
from compiler.pipelines import PIPELINES
from compiler.plan import Plan
from compiler.problem import Problem
from compiler.watch import Watch

START_US, BOUND_US = 300.0, 232.0
SEEKING = f"{PIPELINES['staged']},seek"
SOLVER = "seeker"
WORKER = (sys.executable, "-c", "from tests.spyre_studio.seeking import work; work()")
COMMAND = (sys.executable, "-c", "from tests.spyre_studio.seeking import command; command()")


@dataclass(frozen=True, slots=True)
class Seek:
    """Tells objectives that come closer and closer to the bound, the first without one.  `rounds` 0: until stopped.
    `deaf`: 1 does not hear that it is enough, 2 finds nothing and hears nothing at all."""

    name: ClassVar[str] = "seek"
    needs: ClassVar[tuple[str, ...]] = ("placement",)
    decides: ClassVar[tuple[str, ...]] = ()
    rounds: int = 0
    deaf: int = 0
    seconds: float = 9.0

    def __call__(self, problem: Problem, plan: Plan) -> Plan:
        """Nobody watches."""
        return plan

    def search(self, problem: Problem, plan: Plan, watch: Watch) -> Plan:
        """The plan as it is."""
        while self.deaf > 1:
            pass
        for number in count():
            objective = BOUND_US + (START_US - BOUND_US) / (1 + number)
            enough = watch.tell(SOLVER, objective, BOUND_US if number else -1.0)
            if (enough and not self.deaf) or number + 1 == self.rounds:
                return plan
        raise AssertionError


def register() -> None:
    """Make the pass known."""
    pipeline.PASSES = pipeline.PASSES.set(Seek.name, Seek)


def work() -> None:
    """The worker, with the pass."""
    from spyre_studio import worker

    register()
    sys.exit(worker.main())


def command() -> None:
    """The command line, with the pass."""
    from spyre_studio.__main__ import main

    register()
    sys.exit(main())
