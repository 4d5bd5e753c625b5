"""Why a buffer is where it is: its place, the reason, its life, who makes and reads it, and what would change that.

Owns the facts of one buffer as a value and their words, with the layouts it could have.  Refuses to search for a better
place: the remedy is that of the reason.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass

from compiler.compilation import Compilation
from compiler.counts import counted
from compiler.division import Division
from compiler.dtypes import DType
from compiler.errors import InputError
from compiler.layout import StickLayout
from compiler.layout_candidate import UNKNOWN, LayoutCandidate
from compiler.layout_candidates import layout_candidates
from compiler.liveness import lifetimes
from compiler.plan import Placement, Plan, Slot
from compiler.reasons import REASONS
from compiler.schedule import Schedule, expand
from compiler.text.cursor import bracket
from compiler.text.plan_text import print_division, print_layout


@dataclass(frozen=True, slots=True)
class User:
    """A step that writes or reads the buffer: its number, name, source line and division."""

    number: int
    name: str
    source: str
    division: Division


@dataclass(frozen=True, slots=True)
class Explanation:
    """Facts of one buffer.  `code`, `detail` and `remedy` are empty for a buffer in LX.

    Steps run from the first write (or first read of an input) to the last read; -1 where nobody touches it.
    `bytes_per_core` is what it takes on every owning core, 0 outside LX; `budget` is what a core has.
    """

    buffer: str
    dtype: DType
    shape: tuple[int, ...]
    layout: StickLayout
    layout_reason: str
    layouts: tuple[LayoutCandidate, ...]
    placement: Placement
    code: str
    reason: str
    detail: str
    remedy: str
    pin: str
    first_step: int
    last_step: int
    bytes_per_core: int
    budget: int
    writers: tuple[User, ...]
    readers: tuple[User, ...]
    outputs: tuple[str, ...]


def explain(compilation: Compilation, buffer: str) -> Explanation:
    """The facts of one buffer; InputError with the nearest names if there is none of this name."""
    schedule = expand(compilation.problem.program, compilation.plan)
    if not buffer:
        raise InputError("no buffer", "its name is empty", "choose a buffer that `spyre-studio show` lists")
    if buffer not in schedule.buffers:
        remedy = "choose a buffer that `spyre-studio show` lists"
        raise InputError(f"buffer {buffer}", f"the plan has none of that name{_nearest(buffer, schedule)}", remedy)
    plan, facts = compilation.plan, schedule.buffers[buffer]
    place, layout = plan.placement.get(buffer), plan.layouts.get(buffer)
    if place is None or layout is None:
        raise InputError(f"buffer {buffer}", "the plan leaves open where it lies", "compile the model again")
    reason = None if isinstance(place, Slot) else REASONS[place.code]
    life = lifetimes(schedule)[buffer]
    pins = (plan.pins.get(f"{kind}:{buffer}") for kind in ("placement", "layout", "order"))
    return Explanation(
        buffer=buffer,
        dtype=facts.dtype,
        shape=facts.shape,
        layout=layout,
        layout_reason=plan.reasons.get(f"layout:{buffer}", ""),
        layouts=_layouts(compilation, buffer),
        placement=place,
        code=reason.code if reason else "",
        reason=reason.sentence if reason else _in_lx(place),
        detail="" if isinstance(place, Slot) else place.detail,
        remedy=reason.remedy if reason else "",
        pin="; ".join(f"{status.state} {status.detail}".strip() for status in pins if status),
        first_step=life.first,
        last_step=life.last,
        bytes_per_core=place.size_bytes if isinstance(place, Slot) else 0,
        budget=compilation.problem.device.lx_budget_bytes,
        writers=_users(plan, schedule, life.writes),
        readers=_users(plan, schedule, life.reads),
        outputs=tuple(view.name for view in schedule.outputs if view.buffer == buffer),
    )


def print_explanation(facts: Explanation) -> str:
    """The facts as lines for a person."""
    place = facts.placement
    lines = [f"{facts.buffer}  {facts.dtype}{bracket(facts.shape)}"]
    if isinstance(place, Slot):
        end = place.address + place.size_bytes
        lines.append(
            f"  where      LX, 0x{place.address:05X} to 0x{end:05X}: {place.size_bytes:,} B on every owning core"
        )
    else:
        lines.append(f"  where      device memory ({facts.code})")
    lines.append(f"  why        {facts.reason}{f' ({facts.detail})' if facts.detail else ''}")
    if facts.remedy:
        lines.append(f"  to change  {facts.remedy}")
    if facts.pin:
        lines.append(f"  pin        {facts.pin}")
    lines.append(f"  life       {_life(facts)}")
    size = f"{counted(facts.layout.sticks, 'stick')}, {facts.layout.size_bytes:,} B"
    lines.append(f"  size       {size}; a core has {facts.budget:,} B of LX")
    why = f" ({facts.layout_reason})" if facts.layout_reason else ""
    lines.append(f"  layout     {print_layout(facts.layout)}{why}")
    lines += [f"    {_choice(row)}" for row in facts.layouts]
    lines += [f"  written by {_user(user)}" for user in facts.writers]
    lines += [f"  read by    {_user(user)}" for user in facts.readers]
    lines += [f"  result     {name}" for name in facts.outputs]
    return "\n".join(lines) + "\n"


def _layouts(compilation: Compilation, buffer: str) -> tuple[LayoutCandidate, ...]:
    """The layouts it could have; none for copies, which have the layout that their reader needs."""
    if buffer not in compilation.problem.program.buffer_map or not compilation.plan.layouts:
        return ()
    return layout_candidates(compilation.problem, compilation.plan, buffer)


def _choice(row: LayoutCandidate) -> str:
    """`sticks of dim 1  [16,512,64]: 8,192 elements copied in the whole graph (4.4 µs)`."""
    layout = row.layout
    name = "one value per stick" if layout.sparse else f"sticks of dim {layout.stick_dim}"
    head = f"{'chosen  ' if row.chosen else 'instead '}{name}  {bracket(layout.device_size)}: "
    if not row.legal:
        return head + f"not possible, {row.why_not}"
    figures = f"{counted(row.alone_elements, 'element')} copied in the whole graph ({row.alone_us:.1f} µs)"
    if row.chosen or row.follow_elements in (UNKNOWN, row.alone_elements):
        return head + figures
    return head + f"{figures}; {row.follow_elements:,} ({row.follow_us:.1f} µs) if everything else follows"


def _in_lx(place: Placement) -> str:
    if isinstance(place, Slot) and place.in_place_of:
        return f"It takes over the place of {place.in_place_of}, which is read for the last time by its writer."
    return "Its readers run on the cores that hold what they need, and there is room for its whole life."


def _life(facts: Explanation) -> str:
    if facts.first_step < 0:
        return "no step touches it"
    if facts.first_step == facts.last_step:
        return f"step {facts.first_step} only"
    return f"steps {facts.first_step} to {facts.last_step}"


def _user(user: User) -> str:
    source = f"  ({user.source})" if user.source else ""
    return f"step {user.number}  {user.name}  {print_division(user.division)}{source}"


def _users(plan: Plan, schedule: Schedule, numbers: Iterable[int]) -> tuple[User, ...]:
    steps = [schedule.steps[number] for number in numbers]
    return tuple(
        User(step.number, step.name, step.op.origin.source, plan.divisions.get(step.name, Division())) for step in steps
    )


def _nearest(name: str, schedule: Schedule) -> str:
    inside = [known for known in schedule.buffers if name and name in known]
    close = inside[:3] or difflib.get_close_matches(name, list(schedule.buffers), n=3, cutoff=0.5)
    if not close:
        return ""
    return f"; the nearest {'name is' if len(close) == 1 else 'names are'} {', '.join(close)}"
