"""Insight trials: what remedies save, worked out by making the plan again with each.

Owns which remedies are tried, in which order, and the divisions that are looked at for the costliest ops.  A saving is
the difference of two predicted times, both of whole plans that the compiler made; nothing is estimated.  Refuses Qt;
runs in the worker and on the command line.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from compiler.captured import Captured
from compiler.compilation import Compilation
from compiler.errors import StoppedError, StudioError
from compiler.pins import Pins, PinState
from compiler.pipelines import PIPELINES
from spyre_studio import tasks
from spyre_studio.insight import Basis, Remedy, Saving
from spyre_studio.insight_facts import Facts, family
from spyre_studio.insight_weighed import Better, Trial, Weighed
from spyre_studio.insights import insights
from spyre_studio.options import CompileOptions
from spyre_studio.reporter import Reporter, stop_if_cancelled

PHASE: Final = "weigh"
MOST_TRIALS, LEAST_TRIALS = 40, 8
WORTH_STEPS: Final = 8000
"""Plans of so many steps together are made in all: about ten seconds."""
MOST_ASKED: Final = 5
"""Ops whose divisions are looked at: they are asked of the costliest, where a better one would show."""
SEARCH_STEPS: Final = 400
"""Plans of more steps are not searched for a trial: that takes minutes."""
SEARCH_SECONDS: Final = 2.0
_SEARCHES: Final = ("co-optimize", "annealing", "cp-sat")


@dataclass(frozen=True, slots=True)
class _Try:
    """What a remedy asks the compiler for; equal ones are made once."""

    pins: Pins
    pipeline: str
    seconds: float | None


def weigh(compilation: Compilation, reporter: Reporter, *, searches: bool = True) -> Weighed:
    """Better divisions of the costliest ops, and what the remedies of all insights save; without `searches` only of
    those that come to the same on every computer.  StoppedError once the reporter is cancelled."""
    reporter.progress(0.0, PHASE, "divisions of the costliest ops")
    better = tuple(_better(compilation, reporter))
    wanted = [
        (insight, place, remedy)
        for insight in insights(compilation, weighed=Weighed(better))
        for place, remedy in enumerate(insight.remedies)
        if remedy.changes
    ]
    known: dict[_Try, Saving] = {}
    trials: list[Trial] = []
    most, left_out = most_trials(len(compilation.plan.divisions)), 0
    for number, (insight, place, remedy) in enumerate(wanted):
        stop_if_cancelled(reporter)
        asked = _asked(compilation, remedy)
        if asked not in known:
            searched = _searches(_spec(asked.pipeline))
            if len(known) >= most or (searched and not (searches and _small_enough(compilation))):
                left_out += 1
                continue
            reporter.progress(number / len(wanted), PHASE, remedy.words)
            known[asked] = _saving(compilation, asked, remedy, reporter)
        trials.append(Trial(insight.key, place, known[asked]))
    return Weighed(better, tuple(trials), left_out)


def most_trials(steps: int) -> int:
    """How many plans of so many steps are made.

    >>> most_trials(5), most_trials(400), most_trials(2000)
    (40, 20, 8)
    """
    return min(MOST_TRIALS, max(LEAST_TRIALS, WORTH_STEPS // max(steps, 1)))


def with_remedy(compilation: Compilation, remedy: Remedy, reporter: Reporter) -> Compilation:
    """The plan with a remedy, made as the window makes it; StudioError if there is none."""
    return _made(compilation, _asked(compilation, remedy), reporter)


def _asked(compilation: Compilation, remedy: Remedy) -> _Try:
    pins, plan = remedy.pins(compilation.problem.pins), compilation.plan
    if remedy.pipeline:
        return _Try(pins, remedy.pipeline, SEARCH_SECONDS if _searches(_spec(remedy.pipeline)) else None)
    return _Try(pins, plan.pipeline, None)


def _small_enough(compilation: Compilation) -> bool:
    """True if a search for such a plan comes to something in the time of a trial."""
    return len(compilation.plan.divisions) <= SEARCH_STEPS


def _spec(pipeline: str) -> str:
    return PIPELINES.get(pipeline, pipeline)


def _searches(spec: str) -> bool:
    """True if how good the plan is depends on how fast the computer is."""
    return any(word in spec for word in _SEARCHES)


def _made(compilation: Compilation, asked: _Try, reporter: Reporter) -> Compilation:
    captured, device = Captured(compilation.graph, compilation.problem.program), compilation.problem.device
    options = CompileOptions(device.name, device.cores, asked.pipeline, asked.seconds)
    return tasks.compile_model(captured, device, asked.pins, options, compilation, _Quiet(reporter))


def _saving(compilation: Compilation, asked: _Try, remedy: Remedy, reporter: Reporter) -> Saving:
    basis = Basis.SEARCHED if _searches(_spec(asked.pipeline)) else Basis.SOLVED
    try:
        made = _made(compilation, asked, reporter)
    except StoppedError:
        raise
    except StudioError as error:
        return Saving(0.0, basis, f"no plan: {error.sentence}", refused=True)
    if not made.ok:
        return Saving(0.0, basis, "no plan that passes its checks", refused=True)
    saved = compilation.cost.total_us - made.cost.total_us
    return Saving(saved, basis, *_became(made, remedy))


def _became(made: Compilation, remedy: Remedy) -> tuple[str, bool]:
    """What became of the remedy's pins, if that is not what they ask for, and whether one was refused."""
    statuses = [made.plan.pins[key] for key in remedy.more.keys if key in made.plan.pins]
    for state in (PinState.REFUSED, PinState.ADJUSTED):
        those = [status for status in statuses if status.state is state]
        if those:
            count = f"{len(those)} of {len(statuses)} pins" if len(statuses) > 1 else "the pin"
            words = f"{count} {'were' if len(statuses) > 1 else 'was'} {state}"
            return f"{words}: {those[0].detail}" if those[0].detail else words, state is PinState.REFUSED
    return "", False


def _better(compilation: Compilation, reporter: Reporter) -> Iterator[Better]:
    """The best division of each of the costliest ops, and of idle ones, where that is another one."""
    ops, facts = compilation.problem.program.op_map, Facts(compilation)
    costs = sorted((cost for cost in compilation.cost.steps if cost.step in ops), key=lambda cost: -cost.total_us)
    seen: set[str] = set()
    for cost in costs:
        if family(cost.step) in seen or not facts.notable(cost.total_us):
            continue
        seen.add(family(cost.step))
        if len(seen) > MOST_ASKED:
            return
        stop_if_cancelled(reporter)
        rows = tasks.candidates_of(compilation, cost.step)
        first, chosen = next((row for row in rows if row.legal), None), next(row for row in rows if row.chosen)
        if first is not None and not first.chosen and facts.notable(chosen.total_us - first.total_us):
            yield Better(cost.step, first.factors, chosen.total_us, first.total_us, first.cores)


class _Quiet:
    """A reporter inside another one: how far one plan is says nothing about how far all of them are."""

    def __init__(self, outer: Reporter) -> None:
        self._outer = outer

    def progress(self, fraction: float | None, phase: str, detail: str = "") -> None:
        """Nothing."""

    def note(self, sentence: str) -> None:
        """Nothing."""

    def cancelled(self) -> bool:
        """As outside."""
        return self._outer.cancelled()

    def found(self, finding: object) -> None:
        """Nothing."""

    def enough(self) -> bool:
        """Never: a search that is ended early is not the one that a person would get."""
        return False
