"""Plan differences: what two compilations decide differently, and why, as values.

Owns the comparison by stable names and the search for causes: a pin, another decision that a decision hangs on, or the
reason the later plan gives.  Refuses to say which plan is better; the deltas do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from compiler.compilation import Compilation
from compiler.division import Division
from compiler.layout import StickLayout
from compiler.loops import Apply, LoopOp
from compiler.pins import Pins
from compiler.plan import Edit, Placement, Plan, Slot, Spilled
from compiler.reasons import REASONS
from compiler.schedule import Schedule, expand
from compiler.text.cursor import bracket

T = TypeVar("T")
NONE = "none"
PLACES = {"lx": "LX", "hbm": "device memory"}  # what a placement pin asks for, in words
_NOISE_US = 1e-9  # what the order of additions may do to a sum of microseconds


class ChangeKind(StrEnum):
    """What was decided differently; an `address` change stays in LX and only moves there."""

    SETTING = "setting"
    PIN = "pin"
    LAYOUT = "layout"
    DIVISION = "division"
    PLACEMENT = "placement"
    ADDRESS = "address"


@dataclass(frozen=True, slots=True)
class Change:
    """One decision: the name of its op, buffer, pin or setting, both texts (NONE where there is none), the cause."""

    kind: ChangeKind
    name: str
    before: str
    after: str
    cause: str = ""


@dataclass(frozen=True, slots=True)
class EditChange:
    """An inserted move that only one of the plans has; the cause is the reason given by that plan."""

    edit: Edit
    added: bool
    cause: str


@dataclass(frozen=True, slots=True)
class CostChange:
    """Microseconds of a step, or of a total, in both plans; a step that a plan does not have costs 0 there."""

    name: str
    before_us: float
    after_us: float

    @property
    def delta_us(self) -> float:
        """Positive if the later plan is slower."""
        return self.after_us - self.before_us


@dataclass(frozen=True, slots=True)
class PlanDiff:
    """Everything that differs: settings and pins, decisions in schedule order, moves, steps by size of their delta."""

    changes: tuple[Change, ...]
    edits: tuple[EditChange, ...]
    costs: tuple[CostChange, ...]
    total: CostChange
    hbm_bytes: tuple[int, int]
    restickify_elements: tuple[int, int]

    @property
    def same(self) -> bool:
        """True if both plans decide and cost the same."""
        return not (self.changes or self.edits or self.costs) and abs(self.total.delta_us) < _NOISE_US

    @property
    def unlike(self) -> str:
        """A sentence where the plans are of different models, which share no more than names; '' where they are not."""
        other = next((one for one in self.of_kind(ChangeKind.SETTING) if one.name == "model"), None)
        if other is None:
            return ""
        return f"These are plans of different models, {other.before} and {other.after}: only names are compared."

    def of_kind(self, *kinds: ChangeKind) -> tuple[Change, ...]:
        """Changes of some kinds, in order."""
        return tuple(change for change in self.changes if change.kind in kinds)


def diff(before: Compilation, after: Compilation) -> PlanDiff:
    """What the later compilation decides differently."""
    comparison = _Comparison(before, after)
    settings = (*comparison.settings(), *comparison.pins())
    layouts, divisions = comparison.layouts(), comparison.divisions()
    placements = comparison.placements({change.name for change in divisions}, {change.name for change in layouts})
    return PlanDiff(
        changes=(*settings, *layouts, *divisions, *placements),
        edits=comparison.edits(),
        costs=comparison.costs(),
        total=CostChange("total", before.cost.total_us, after.cost.total_us),
        hbm_bytes=(before.cost.hbm_bytes, after.cost.hbm_bytes),
        restickify_elements=(before.cost.restickify_elements, after.cost.restickify_elements),
    )


def print_diff(found: PlanDiff) -> str:
    """The differences as lines for a person, causes below what they caused."""
    if found.same:
        return "no difference\n"
    lines = [found.unlike] if found.unlike else []
    for change in found.changes:
        lines.append(f"{change.kind} {change.name}: {change.before} -> {change.after}")
        lines += [f"    {change.cause}"] if change.cause else []
    for entry in found.edits:
        sign, edit = "+" if entry.added else "-", entry.edit
        lines.append(f"{sign} {edit.kind} {edit.name}: {edit.source} to {edit.target}, before {edit.before}")
        lines += [f"    {entry.cause}"] if entry.cause else []
    lines += [_print_cost(entry) for entry in found.costs]
    lines.append(_print_cost(found.total))
    for name, (old, new) in (("device memory", found.hbm_bytes), ("restickified", found.restickify_elements)):
        unit = "B" if name == "device memory" else "elements"
        if old != new:
            lines.append(f"{name}: {old:,} -> {new:,} {unit} ({new - old:+,})")
    return "\n".join(lines) + "\n"


def division_text(division: Division | None) -> str:
    """`m 8, n 4 on 32 cores`, fastest loop first."""
    if division is None:
        return NONE
    splits = ", ".join(f"{split.loop} {split.factor}" for split in division.splits)
    return f"{splits} on {division.cores} cores" if splits else "one core"


def layout_text(layout: StickLayout | None) -> str:
    """`sticks of dim 1 [16,512,64]`."""
    if layout is None:
        return NONE
    sticks = "sparse" if layout.sparse else f"sticks of dim {layout.stick_dim}"
    arranged = "" if layout.arrangement == "standard" else f" {layout.arrangement}"
    return f"{sticks} {bracket(layout.device_size)}{arranged}"


def placement_text(place: Placement | None) -> str:
    """`LX 0x00800 + 32,768 B, steps 2..4`, or `device memory (no room)`."""
    if place is None:
        return NONE
    if isinstance(place, Slot):
        parent = f", in place of {place.in_place_of}" if place.in_place_of else ""
        return f"LX 0x{place.address:05X} + {place.size_bytes:,} B, steps {place.first_step}..{place.last_step}{parent}"
    return f"device memory ({REASONS[place.code].title})"


def _print_cost(entry: CostChange) -> str:
    return f"{entry.name}: {entry.before_us:.2f} -> {entry.after_us:.2f} µs ({entry.delta_us:+.2f})"


class _Comparison:
    """Both compilations with their schedules."""

    def __init__(self, before: Compilation, after: Compilation) -> None:
        self.before, self.after = before, after
        self.old, self.new = before.plan, after.plan
        self.schedules = (_schedule(before), _schedule(after))
        self.pinned = {change.name: change.after for change in self.pins()}

    def settings(self) -> tuple[Change, ...]:
        """Model, device, cores and pipeline."""
        found = [
            Change(ChangeKind.SETTING, name, str(getattr(self.old, name)), str(getattr(self.new, name)))
            for name in ("model", "device", "cores", "pipeline")
            if getattr(self.old, name) != getattr(self.new, name)
        ]
        if self.before.problem.program != self.after.problem.program and self.old.model == self.new.model:
            told = [("as the files have it" if one.imported else "as captured") for one in (self.before, self.after)]
            told = told if told[0] != told[1] else [f"{told[0]} then", f"{told[1]} now"]
            found.append(Change(ChangeKind.SETTING, "program", *told))
            found += self._other_ops()
        return tuple(found)

    def _other_ops(self) -> Iterator[Change]:
        """Ops that have the same name in both models, and compute something else."""
        before = self.before.problem.program.op_map
        for op in self.after.problem.program.ops:
            old = before.get(op.name)
            if old is not None and _computed(old) != _computed(op):
                yield Change(ChangeKind.SETTING, op.name, _computed(old), _computed(op))

    def pins(self) -> tuple[Change, ...]:
        """Pins by key, with what became of the later ones."""
        old, new = _pin_texts(self.before.problem.pins), _pin_texts(self.after.problem.pins)
        changes = _changed(ChangeKind.PIN, old, new, _same)
        return tuple(Change(one.kind, one.name, one.before, one.after, self._status(one.name)) for one in changes)

    def _status(self, key: str) -> str:
        status = self.new.pins.get(key)
        return "" if status is None else f"{status.state}: {status.detail}" if status.detail else str(status.state)

    def layouts(self) -> tuple[Change, ...]:
        """Layouts, in buffer order."""
        names = _ordered(schedule.buffers for schedule in self.schedules)
        found = _changed(ChangeKind.LAYOUT, self.old.layouts, self.new.layouts, layout_text, names)
        return tuple(self._with_reason(change) for change in found)

    def divisions(self) -> tuple[Change, ...]:
        """Divisions, in schedule order."""
        names = _ordered(schedule.step_map for schedule in self.schedules)
        found = _changed(ChangeKind.DIVISION, self.old.divisions, self.new.divisions, division_text, names)
        return tuple(self._with_reason(change) for change in found)

    def placements(self, divided: set[str], laid_out: set[str]) -> tuple[Change, ...]:
        """Placements, in buffer order; those that only moved within LX come last."""
        names = _ordered(schedule.buffers for schedule in self.schedules)
        found = [
            one
            for one in _changed(ChangeKind.PLACEMENT, self.old.placement, self.new.placement, placement_text, names)
            if not self._stays_outside(one.name)
        ]
        users = self._users()
        moved = [one for one in found if self._stays(one.name)]
        rest = [one for one in found if not self._stays(one.name)]
        causes = {one.name: self._cause(one, users.get(one.name, ()), divided, laid_out) for one in found}
        kinds = [(ChangeKind.PLACEMENT, rest), (ChangeKind.ADDRESS, moved)]
        return tuple(
            Change(kind, one.name, one.before, one.after, causes[one.name]) for kind, group in kinds for one in group
        )

    def edits(self) -> tuple[EditChange, ...]:
        """Moves that only one plan has."""
        gone = [
            EditChange(edit, False, _reason(self.old, edit)) for edit in self.old.edits if edit not in self.new.edits
        ]
        made = [
            EditChange(edit, True, _reason(self.new, edit)) for edit in self.new.edits if edit not in self.old.edits
        ]
        return (*gone, *made)

    def costs(self) -> tuple[CostChange, ...]:
        """Steps whose time differs, the largest difference first."""
        old = {step.step: step.total_us for step in self.before.cost.steps}
        new = {step.step: step.total_us for step in self.after.cost.steps}
        found = [CostChange(name, old.get(name, 0.0), new.get(name, 0.0)) for name in dict.fromkeys([*old, *new])]
        different = [one for one in found if abs(one.delta_us) >= _NOISE_US]
        return tuple(sorted(different, key=lambda one: -abs(one.delta_us)))

    def _with_reason(self, change: Change) -> Change:
        key = f"{change.kind}:{change.name}"
        reason = self.new.reasons.get(key, "")
        if key in self.pinned:
            verb = "the pin was removed" if self.pinned[key] == NONE else "pinned"
            reason = f"{verb}; {reason}" if reason and reason != verb else verb
        return Change(change.kind, change.name, change.before, change.after, reason)

    def _stays(self, buffer: str) -> bool:
        return isinstance(self.old.placement.get(buffer), Slot) and isinstance(self.new.placement.get(buffer), Slot)

    def _stays_outside(self, buffer: str) -> bool:
        """True if it is in device memory for the same reason, or for one that files of others do not give."""
        old, new = self.old.placement.get(buffer), self.new.placement.get(buffer)
        if not isinstance(old, Spilled) or not isinstance(new, Spilled):
            return False
        return old.code is new.code or self.before.imported or self.after.imported

    def _cause(self, change: Change, users: Iterable[str], divided: set[str], laid_out: set[str]) -> str:
        key, place = f"placement:{change.name}", self.new.placement.get(change.name)
        steps = [step for step in users if step in divided]
        if key in self.pinned:
            return "the pin was removed" if self.pinned[key] == NONE else f"pinned; {self._status(key)}"
        parts = [f"{', '.join(steps)} divided differently"] if steps else []
        parts += ["laid out differently"] if change.name in laid_out else []
        if place is not None and not isinstance(place, Slot):
            parts.append(place.detail or REASONS[place.code].sentence)
        if not parts and isinstance(place, Slot):
            parts.append("other buffers around it changed")
        return "; ".join(parts)

    def _users(self) -> dict[str, list[str]]:
        """Steps of the later schedule that touch a buffer."""
        users: dict[str, list[str]] = {}
        for step in self.schedules[1].steps:
            for access in (*step.op.writes, *step.op.reads):
                users.setdefault(access.buffer, []).append(step.name)
        return {buffer: list(dict.fromkeys(steps)) for buffer, steps in users.items()}


def _computed(op: LoopOp) -> str:
    """What an op does, in any order: its kind, and the primitives it applies."""
    applied = sorted(step.primitive for step in op.body if isinstance(step, Apply))
    return " ".join(filter(None, (str(op.kind), str(op.combine or ""), *applied)))


def _schedule(compilation: Compilation) -> Schedule:
    return expand(compilation.problem.program, compilation.plan)


def _changed(
    kind: ChangeKind,
    old: Mapping[str, T],
    new: Mapping[str, T],
    text: Callable[[T | None], str],
    order: Iterable[str] = (),
) -> list[Change]:
    """Entries that differ, in `order`, then the rest."""
    names = dict.fromkeys([*order, *old, *new])
    return [
        Change(kind, name, text(old.get(name)), text(new.get(name))) for name in names if old.get(name) != new.get(name)
    ]


def _ordered(tables: Iterable[Iterable[str]]) -> list[str]:
    """Names of the later table first; what only the earlier one has comes after."""
    old, new = tables
    return list(dict.fromkeys([*new, *old]))


def _pin_texts(pins: Pins) -> dict[str, str]:
    """Pins by key as text; the order of the loops of a division counts."""
    counts = (("division", pins.division), ("tiles", pins.tiles))
    texts = {
        f"{kind}:{name}": ", ".join(f"{loop} {factor}" for loop, factor in factors.items()) or "one core"
        for kind, table in counts
        for name, factors in table.items()
    }
    texts |= {f"layout:{buffer}": f"sticks of dim {dim}" for buffer, dim in pins.layout.items()}
    return texts | {f"placement:{buffer}": PLACES.get(where, where) for buffer, where in pins.placement.items()}


def _same(text: str | None) -> str:
    return NONE if text is None else text


def _reason(plan: Plan, edit: Edit) -> str:
    return plan.reasons.get(f"edit:{edit.name}", "")
