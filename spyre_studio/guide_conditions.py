"""Whether a step of a lesson is done, and doing it for the reader.

Owns: what each word of `Done` means in the window, both ways: to see that it holds, and to make it hold.  What comes
of a plan (`time`) can only be seen.  Refuses: steps, and their order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from compiler.compilation import Compilation
from compiler.division import Division
from compiler.pins import Pins
from compiler.pipelines import name_of
from spyre_studio.guide import Done, Look
from spyre_studio.guide_places import bring_to_front, in_sight
from spyre_studio.options import CompileOptions
from spyre_studio.variant import FIRST

if TYPE_CHECKING:
    from spyre_studio.main_window import MainWindow
    from spyre_studio.session import Session


def holds(done: Done, window: MainWindow) -> bool:
    """True if everything that `done` asks for is so now."""
    session, selection = window.session, window.selection
    plan = session.compilation
    if plan is None or (done.changes_plan and session.stale):
        return False
    return (
        (not done.at or in_sight(window.workbench, done.at))
        and (not done.op or selection.op == done.op)
        and (not done.buffer or selection.buffer == done.buffer)
        and (done.core < 0 or selection.core == done.core)
        and _as_pinned(done, session, plan)
        and (not done.variant or session.shown_variant not in {"", FIRST})
        and (not done.verified or session.verify_report is not None)
        and (not done.simulated or session.timeline is not None)
        and _in_time(done, session, plan)
    )


def _as_pinned(done: Done, session: Session, plan: Compilation) -> bool:
    pins = session.pins
    return (
        all(_factors(plan, op) == dict(factors) for op, factors in done.split.items())
        and all(pins.placement.get(buffer) == where for buffer, where in done.placement.items())
        and all(pins.relayout.get(buffer) == way for buffer, way in done.relayout.items())
        and not set(done.free) & set(pins.keys)
        and (not done.pipeline or name_of(session.options.pipeline) == done.pipeline)
    )


def _factors(plan: Compilation, op: str) -> dict[str, int]:
    splits = plan.plan.divisions.get(op, Division()).splits
    return {split.loop: split.factor for split in splits if split.factor > 1}


def _in_time(done: Done, session: Session, plan: Compilation) -> bool:
    if not done.time:
        return True
    if session.before is None:
        return False
    change = plan.cost.total_us - session.before.cost.total_us
    return change < 0 if done.time == "faster" else change > 0


def look_at(look: Look, window: MainWindow) -> None:
    """Bring a place to the front and select what is to be seen there; what the plan does not have is left out."""
    if look.at:
        bring_to_front(window.workbench, look.at)
    core = look.core if look.core >= 0 else None
    window.selection.select(op=look.op or None, buffer=look.buffer or None, core=core)
    if look.op or look.buffer:
        window.workbench.graph.reveal_selection()


def do(done: Done, window: MainWindow) -> None:
    """Do what is asked for, by the same ways that the reader has."""
    session = window.session
    look_at(Look(done.at, done.op, done.buffer, done.core), window)
    if done.pipeline and name_of(session.options.pipeline) != done.pipeline:
        session.set_options(session.options.device, session.options.cores, done.pipeline)
    session.set_pins(done.pinned(session.pins))
    if done.changes_plan and session.stale and not session.busy:
        session.resolve()
    if done.variant and session.shown_variant in {"", FIRST}:
        session.keep_variant(session.proposed_variant())
    if done.verified and session.verify_report is None and not session.verifying:
        window.actions_.trigger("verify")
    if done.simulated and session.timeline is None:
        window.actions_.trigger("simulate")


def bring_to(session: Session, pins: Pins, pipeline: str) -> None:
    """Have these pins, the pipeline if one is named, and all cores of the usual device, as a step takes for granted."""
    plan_as_usual(session, pipeline)
    session.set_pins(pins)
    if session.stale and not session.busy:
        session.resolve()


def plan_as_usual(session: Session, pipeline: str) -> None:
    """Have plans made for all cores of the usual device, by the pipeline if one is named."""
    usual, options = CompileOptions(), session.options
    wanted = (usual.device, None, pipeline or name_of(options.pipeline))
    if (options.device, options.cores, name_of(options.pipeline)) != wanted:
        session.set_options(usual.device, None, pipeline or options.pipeline)
