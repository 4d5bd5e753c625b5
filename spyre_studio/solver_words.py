"""What the window says about who made a plan, how good it is known to be, and who could not help.

Owns: the words for status, bound and gap. Refuses: Qt widgets and judgement of its own.
"""

from __future__ import annotations

from typing import Final

from compiler.compilation import Compilation, SolverStatus
from spyre_studio.units import format_percent, format_us

GAP: Final = "The gap is the share of the predicted time that a better plan could save at most."
_STATUS: Final = {
    "optimal": "No plan is quicker, under the same prices.",
    "within gap": "The search ended as soon as the gap was small enough.",
    "heuristic": "It was found by rules; how much quicker another plan could be is not known.",
    "stopped": "The search was ended with the best plan so far; Re-solve goes on from it.",
}
_WITHOUT: Final = "-without-or-tools"
"""How a method ends that took the place of CP-SAT."""


def bound_text(solver: SolverStatus) -> str:
    """How far from the best possible the plan can be at most. Example: 'bound 410.9 µs · gap 0.4 %'."""
    if solver.bound_us < 0:
        return "no bound known"
    return f"bound {format_us(solver.bound_us)} · gap {format_percent(max(solver.gap, 0.0))}"


def solver_hint(solver: SolverStatus) -> str:
    """What status, bound and gap mean, for a tooltip."""
    status = next((words for known, words in _STATUS.items() if solver.status.startswith(known)), "")
    bound = "" if solver.bound_us < 0 else f"The bound is a time below which no plan goes. {GAP}"
    return " ".join(words for words in (status, bound) if words)


def solver_text(solver: SolverStatus) -> str:
    """Who made the plan and how long it took. Example: 'optimal in 2.1 s · cp-sat'."""
    return f"{solver.status} in {seconds_text(solver.seconds)} · {solver.name}"


def missing_note(compilation: Compilation) -> str:
    """That CP-SAT could not be used for a plan, what was used instead and what to do; '' where it was not missed."""
    reasons = compilation.plan.reasons
    told = [why for key, why in reasons.items() if key.startswith("pass:") and "OR-Tools" in why]
    named = (compilation.solver.name, *(claim.method for claim in compilation.plan.claims.values()))
    stand_in = next((name.removesuffix(_WITHOUT) for name in named if name.endswith(_WITHOUT)), "")
    if not told and not stand_in:
        return ""
    instead = stand_in or told[0].partition(" in place of ")[0]
    return (
        f"CP-SAT is not available, {instead} was used instead: OR-Tools, which CP-SAT stands on, is not installed. "
        "Install it with `pip install ortools` and start Spyre Studio again for plans with a bound."
    )


def seconds_text(seconds: float) -> str:
    """Example: '0.15 s'."""
    return f"{seconds:.1f} s" if seconds >= 0.995 else f"{seconds:.2f} s"
