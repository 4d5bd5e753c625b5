"""What the header and the status bar say about a plan, in words: lights, counts, what was made.

Owns: turning a compilation and a verification into short phrases. Refuses: Qt widgets and judgement of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from compiler.compilation import Compilation, Verdict
from compiler.pins import PinState
from compiler.plan import Edit, Spilled
from simulator.report import Agreement, VerifyReport
from spyre_studio.check_words import OF_FILES
from spyre_studio.derived import Derived
from spyre_studio.edit_words import counts_of
from spyre_studio.lights import Light
from spyre_studio.solver_words import seconds_text
from spyre_studio.units import format_count, format_us

NUMERICS = "numerics"


def lights_of(compilation: Compilation, report: VerifyReport | None) -> tuple[Light, ...]:
    """One light per check of the plan, and one for the numbers; a file that holds what it says is no news, so that a
    plan has as many lights before it was saved as when it is opened."""
    told = (verdict for verdict in compilation.verdicts if not (verdict.ok and verdict.check in OF_FILES))
    return (*map(light_of, told), numerics_light(report))


def light_of(verdict: Verdict) -> Light:
    """Green, or red with the first violation."""
    if verdict.ok:
        return Light(verdict.check, "ok", f"The checker proved {verdict.check}.")
    first, more = verdict.violations[0] if verdict.violations else "It gives no reason.", len(verdict.violations) - 1
    return Light(verdict.check, "bad", first + (f" And {format_count(more, 'more', 'more')}." if more > 0 else ""))


def numerics_light(report: VerifyReport | None) -> Light:
    """Grey until verified; then whether the numbers agree with PyTorch."""
    if report is None:
        return Light(NUMERICS, "mute", "Not verified yet. Verify runs the plan and compares with PyTorch.")
    if report.agreement is Agreement.CORRUPTED:
        wrong = report.first_divergence
        where = f" First divergence: {wrong.step}." if wrong else f" {report.fault}"
        return Light(NUMERICS, "bad", f"The results differ from PyTorch by more than rounding.{where}")
    word = "are equal to" if report.agreement is Agreement.EQUAL else "agree within rounding with"
    return Light(NUMERICS, "ok", f"The results {word} those of PyTorch.")


def gathered(lights: Sequence[Light]) -> tuple[Light, ...]:
    """The same in little room: checks that are good as one light, the others and the numbers by name."""
    good = [light for light in lights if light.tone == "ok" and light.name != NUMERICS]
    others = tuple(light for light in lights if light not in good)
    if len(good) < 2:
        return tuple(lights)
    names = ", ".join(light.name for light in good)
    return (Light(format_count(len(good), "check"), "ok", f"Good: {names}."), *others)


@Derived
def counts_text(compilation: Compilation) -> str:
    """Example: '91 ops · 107 buffers · 17 outside LX · 1 restickify · 2 reorders'; copies are buffers as well."""
    program, plan = compilation.problem.program, compilation.plan
    outside = sum(isinstance(place, Spilled) for place in plan.placement.values())
    return " · ".join(
        (
            format_count(len(program.ops), "op"),
            format_count(len(plan.placement), "buffer"),
            f"{format_count(outside)} outside LX",
            *copies_text(plan.edits),
        )
    )


def copies_text(edits: Sequence[Edit]) -> tuple[str, ...]:
    """Inserted copies by kind: ('1 restickify', '2 reorders'), ('no copies',) where there are none."""
    return counts_of(edits) or ("no copies",)


def made_text(compilation: Compilation) -> str:
    """What the last run did. Example: 'Planned 8 ops in 0.15 s'; refused pins are counted."""
    ops = format_count(len(compilation.problem.program.ops), "op")
    states = [status.state for status in compilation.plan.pins.values()]
    refused, of = states.count(PinState.REFUSED), f" of {len(states)}" if len(states) > 1 else ""
    note = f"; {format_count(refused)}{of} {'pin' if len(states) == 1 else 'pins'} refused" if refused else ""
    return f"Planned {ops} in {seconds_text(compilation.solver.seconds)}{note}"


def change_text(now: Compilation, before: Compilation | None) -> str:
    """The change of the predicted time against the plan before, '' without one. Example: '−18.4 µs'."""
    if before is None or before.problem.program is not now.problem.program:
        return ""
    change = now.cost.total_us - before.cost.total_us
    return "±0 µs" if abs(change) < 0.05 else format_us(change, signed=True)
