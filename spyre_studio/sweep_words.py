"""What is said of a setting of a sweep: its figures in a sentence or two, and what it is beside the others.

Owns the words.  Refuses Qt.
"""

from __future__ import annotations

from typing import Final

from spyre_studio.sweep import Fault, Figures, Sweep
from spyre_studio.units import format_bytes, format_count, format_percent, format_us

ON_SCREEN, BEST, TRYING, WAITING, NO_PLAN = "on screen", "best", "trying", "waiting", "no plan"
TERMS: Final = {
    "compute": "Time of the compute units, which run while data is brought",
    "device memory": "Time of the traffic from and to device memory, which runs while the units compute",
    "beside": "What hides behind neither: requests of copies, short bursts, loads into LX, relayouts",
    "predicted": "The time of the whole plan; compute and device memory overlap kernel by kernel",
    "bound": "A time below which no plan goes, where the pipeline proves one",
}


def standing(sweep: Sweep, key: str, shown: str) -> tuple[str, ...]:
    """What a setting is: on screen, the best, under way."""
    words = (
        (ON_SCREEN, key == shown),
        (BEST, key == sweep.best and len(sweep.outcomes) > 1),
        (TRYING, key == sweep.running),
        (WAITING, key != sweep.running and key not in sweep.outcomes),
        (NO_PLAN, isinstance(sweep.outcomes.get(key), Fault)),
    )
    return tuple(word for word, true in words if true)


def figures_words(sweep: Sweep, key: str, shown: str) -> tuple[str, ...]:
    """Sentences on a setting, one a line, the first about its time."""
    one, outcome = sweep.setting(key), sweep.outcomes.get(key)
    if one is None:
        return ()
    if isinstance(outcome, Fault):
        return (outcome.sentence,)
    if outcome is None:
        return ("Its plan is being made.",) if key == sweep.running else ("Not tried yet.",)
    return (_time(sweep, key, outcome, shown), _parts(outcome), _memory(outcome), *_remarks(outcome))


def _time(sweep: Sweep, key: str, found: Figures, shown: str) -> str:
    words = [format_us(found.total_us)]
    now = sweep.figures(shown) if shown and shown != key else None
    if now is not None:
        words.append(difference(found.total_us, now.total_us))
    if found.bound_us >= 0:
        words.append(f"no plan is below {format_us(found.bound_us)} (gap {format_percent(max(found.gap, 0.0))})")
    return ", ".join(words)


def difference(after_us: float, before_us: float) -> str:
    """'−130.2 µs (−43 %) to the plan on screen'."""
    delta = after_us - before_us
    if abs(delta) < 5e-4:
        return "as long as the plan on screen"
    share = f" ({'+' if delta > 0 else '−'}{format_percent(abs(delta) / before_us)})" if before_us > 0 else ""
    return f"{format_us(delta, signed=True)}{share} to the plan on screen"


def _parts(found: Figures) -> str:
    parts = f"compute {format_us(found.compute_us)} and device memory {format_us(found.memory_us)} at once"
    return f"{parts}, {format_us(found.beside_us)} beside them" if found.beside_us else parts


def _memory(found: Figures) -> str:
    share = found.lx_peak_bytes / found.lx_budget_bytes if found.lx_budget_bytes else 0.0
    peak = f"LX up to {format_bytes(found.lx_peak_bytes)}, {format_percent(share)} of what the plan may use"
    moves = f", {format_count(found.moves, 'relayout')}" if found.moves else ""
    return f"{format_bytes(found.hbm_bytes)} of traffic, {peak}{moves}"


def _remarks(found: Figures) -> tuple[str, ...]:
    failed = () if found.ok else ("A check failed: the plan cannot be used.",)
    return (*failed, *((found.remark,) if found.remark else ()))
