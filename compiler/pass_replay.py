"""Pass replay: what each pass of a plan has decided, found out by running the passes again, all but the last.

Passes are pure and deterministic, so the plan before the last one is made again in the time that these took; the last
one, which may have searched for long, is not run: what it changed is the plan as it is against the plan before it.
Refuses to tell what it cannot know: where a pass decides something else than the log says, or the plan was made out of
another one, the story says so and has no changes.
"""

from __future__ import annotations

import re
from dataclasses import replace

from compiler.compilation import Compilation, PassRecord
from compiler.errors import StoppedError, StudioError
from compiler.pass_story import PassStep, PassStory, plan_changes
from compiler.pipeline import (
    AGAINST,
    UNFOLD,
    BrokenPlanError,
    Pass,
    changed_in,
    decided_in,
    kept_of,
    parse_pipeline,
    print_pass,
    print_pipeline,
    run_pass,
)
from compiler.plan import Plan
from compiler.schedule import expand
from compiler.unfold import unfold
from compiler.watch import Watch

_PINS = re.compile(r"[\d,]+ pins?")
RESOLVED = (
    "this plan was made out of the plan before it, around the pins that changed, by the last pass alone; what the "
    "other passes decided was kept"
)
UNKNOWN_BEFORE = "the plan before it is not known here, so that what it changed cannot be told"
AGAIN = (
    "the passes before the last were run again to see what each changed; the rest, up to the plan as it is, the last "
    "one did"
)
OTHER_VERSION = "it was made by another version or was stopped, so that no changes are shown"


def recorded(whole: Compilation) -> PassStory:
    """The log alone."""
    steps = tuple(PassStep(record.spec, record.seconds, record.decided) for record in whole.log)
    return PassStory(whole.plan.model, steps)


def replay(whole: Compilation, before: Compilation | None, watch: Watch) -> PassStory:
    """The log with changes.  `before` is the plan that was on screen before, which a re-solve may have begun with.

    StoppedError once the watch is cancelled; everything else that goes wrong is told by the story.
    """
    ran = [record.spec for record in whole.log if record.spec not in (AGAINST, UNFOLD)]
    try:
        passes = parse_pipeline(whole.plan.pipeline)
        specs = [print_pass(one) for one in passes]
        if ran == specs[-1:] and len(specs) > 1:
            return _resolved(whole, before)
        if ran != specs:
            return _silent(whole, "its log is not that of its pipeline")
        return _replayed(whole, passes, before, watch)
    except StoppedError:
        raise
    except StudioError as error:
        return _silent(whole, error.sentence.rstrip("."))
    except BrokenPlanError as error:
        return _silent(whole, str(error))


def _silent(whole: Compilation, why: str) -> PassStory:
    """The log alone, with what stands in the way."""
    return replace(recorded(whole), notes=(f"run again, {why}; {OTHER_VERSION}",))


def _replayed(whole: Compilation, passes: tuple[Pass, ...], before: Compilation | None, watch: Watch) -> PassStory:
    problem, records = whole.problem, [one for one in whole.log if one.spec not in (AGAINST, UNFOLD)]
    if unfold(problem.program, problem.device) != problem.program:
        return _silent(whole, "its views need other copies than it has")
    plan = Plan(problem.program.name, problem.device.name, problem.device.cores, print_pipeline(passes))
    schedule = expand(problem.program, whole.plan)
    steps = [PassStep(one.spec, one.seconds, one.decided) for one in whole.log if one.spec == UNFOLD]
    for number, (one, told) in enumerate(zip(passes[:-1], records, strict=False)):
        watch.enter(number / len(passes), one.name)
        made, record = run_pass(one, problem, plan, watch, last=True)
        if told.decided != record.decided:
            return _silent(whole, _apart(one, told, record))
        changes = plan_changes(plan, made, schedule)
        steps.append(PassStep(told.spec, told.seconds, told.decided, changes, known=True))
        plan = made
    watch.enter((len(passes) - 1) / len(passes), "differences")
    told = records[-1]
    unlike = _unlike(told, plan, whole.plan)
    if unlike:
        return _silent(whole, unlike)
    changes = plan_changes(plan, whole.plan, schedule)
    steps.append(PassStep(told.spec, told.seconds, told.decided, changes, known=True))
    return PassStory(whole.plan.model, (*steps, *_against(whole, before)), (AGAIN,))


def _apart(one: Pass, told: PassRecord, made: PassRecord) -> str:
    """How a record differs from the one in the log."""
    missing = next((line for line in told.decided if line not in made.decided), "nothing")
    instead = next((line for line in made.decided if line not in told.decided), "nothing")
    return f"{one.name} decides {instead!r} where the log has {missing!r}"


def _unlike(told: PassRecord, made: Plan, plan: Plan) -> str:
    """How the plan differs from what its passes lead to, but for what the log tells of the last one; '' if it does not.

    Pins that no pass looked at are added to those of the last one afterwards.
    """
    lines = [decided_in(name, plan) for name in changed_in(made, plan) if name != "pins"]
    known = [line for line in told.decided if not _PINS.fullmatch(line)]
    if lines == known:
        return ""
    extra = next((line for line in lines if line not in known), "nothing")
    lacking = next((line for line in known if line not in lines), "nothing")
    return f"the passes before the last one leave {extra!r} to it, of which its log has {lacking!r}"


def _resolved(whole: Compilation, before: Compilation | None) -> PassStory:
    """A plan made out of another one: what it changed of that."""
    steps = tuple(
        PassStep(record.spec, record.seconds, record.decided) for record in whole.log if record.spec != AGAINST
    )
    against = _against(whole, before)
    notes = (RESOLVED,) if against and against[0].known else (RESOLVED, UNKNOWN_BEFORE)
    return PassStory(whole.plan.model, (*steps, *against), notes)


def _against(whole: Compilation, before: Compilation | None) -> tuple[PassStep, ...]:
    """The record about the plan before, with changes if that is the one it speaks of."""
    record = next((record for record in whole.log if record.spec == AGAINST), None)
    if record is None:
        return ()
    step = PassStep(record.spec, record.seconds, record.decided)
    if before is None or before.plan.model != whole.plan.model or kept_of(before.plan, whole.plan) != record.decided:
        return (step,)
    changes = plan_changes(before.plan, whole.plan, expand(whole.problem.program, whole.plan))
    return (replace(step, changes=changes, known=True),)
