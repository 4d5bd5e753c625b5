"""What the window says about who made a plan, how good it is known to be, and who could not help.

Owns: the words for status, bound and gap. Refuses: Qt widgets and judgement of its own.
"""

from __future__ import annotations

from typing import Final

from compiler.compilation import Compilation, SolverStatus
from compiler.search_notes import notes_of, without_notes
from spyre_studio.derived import Derived
from spyre_studio.units import format_percent, format_us

GAP: Final = "The gap is the share of the predicted time that a better plan could save at most."
_STATUS: Final = {
    "optimal among": "No plan with the moves that were on offer is quicker, under the same prices. Other moves may be.",
    "optimal": "No plan is quicker, under the same prices.",
    "within gap": "The search ended by itself: the gap is small enough, or nothing comes of looking further.",
    "out of time": "Its time was up; with more seconds it may find a better plan, or prove a higher bound.",
    "heuristic": "It was found by rules; how much quicker another plan could be is not known.",
    "stopped": "The search was ended with the best plan so far; Re-solve goes on from it.",
}
_CUT_SHORT: Final = ("stopped", "out of time")
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


def plan_hint(compilation: Compilation) -> str:
    """What is to be said of solver and bound of a plan, for a tooltip."""
    note = unimproved_note(compilation)
    said = f"{note[:1].upper()}{note[1:]}." if note else ""
    return " ".join(words for words in (solver_hint(compilation.solver), said) if words)


def solver_text(solver: SolverStatus) -> str:
    """Who made the plan, how long it took and what ended it. Examples: 'optimal in 2.1 s · cp-sat', 'out of time after
    10.4 s · cp-sat', 'heuristic in 0.3 s · greedy, without OR-Tools'."""
    link = "after" if solver.status.startswith(_CUT_SHORT) else "in"
    who = solver.name.removesuffix(_WITHOUT) + (", without OR-Tools" if solver.name.endswith(_WITHOUT) else "")
    return f"{solver.status} {link} {seconds_text(solver.seconds)} · {who}"


@Derived
def unimproved_note(compilation: Compilation) -> str:
    """That a search found nothing better than what it knew before, or had too little time; '' if neither is so."""
    told = (notes_of(why) for key, why in compilation.plan.reasons.items() if key.startswith("pass:"))
    return next((note for note in told if note), "")


@Derived
def stand_in_reason(compilation: Compilation) -> str:
    """Who took whose place, and why. Example: 'greedy in place of cp-sat: OR-Tools, which it stands on, is not
    installed'; '' where nobody did."""
    told = (why for key, why in compilation.plan.reasons.items() if key.startswith("pass:") and "OR-Tools" in why)
    return without_notes(next(told, ""))


def missing_note(compilation: Compilation) -> str:
    """That CP-SAT could not be used for a plan, what was used instead and what to do; '' where it was not missed."""
    told = stand_in_reason(compilation)
    named = (compilation.solver.name, *(claim.method for claim in compilation.plan.claims.values()))
    stand_in = next((name.removesuffix(_WITHOUT) for name in named if name.endswith(_WITHOUT)), "")
    if not told and not stand_in:
        return ""
    instead = stand_in or told.partition(" in place of ")[0]
    return (
        f"CP-SAT is not available, {instead} was used instead: OR-Tools, which CP-SAT stands on, is not installed. "
        "Install it with `pip install ortools` and start Spyre Studio again for plans with a bound."
    )


def seconds_text(seconds: float) -> str:
    """Example: '0.15 s'."""
    return f"{seconds:.1f} s" if seconds >= 0.995 else f"{seconds:.2f} s"
