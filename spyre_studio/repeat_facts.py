"""What a plan makes of equal modules: what they cost together, each, at least and at most, and which are planned apart.

Owns: comparing the decisions of equal modules op by op, and the words for it. Refuses: Qt, and finding the modules
(repeats.py). What most of them have is the rule; addresses in LX do not count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from compiler.compilation import Compilation
from compiler.loops import LoopOp
from compiler.plan import Edit, Plan, Slot
from spyre_studio.repeats import Run

Aspect = Literal["divided", "laid out", "placed", "moved"]
ASPECTS: Final[tuple[tuple[Aspect, str], ...]] = (
    ("divided", "divided differently"),
    ("laid out", "laid out differently"),
    ("placed", "placed differently"),
    ("moved", "moved differently"),
)
_NAMED: Final = 6  # stretches of equal modules that are named one by one


@dataclass(frozen=True, slots=True)
class Block:
    """One of the equal modules: its time in µs, and what of its plan is not as in most of them."""

    path: str
    us: float
    differs: tuple[Aspect, ...]


@dataclass(frozen=True, slots=True)
class RunFacts:
    """The blocks of a run in order."""

    run: Run
    blocks: tuple[Block, ...]

    def of(self, members: Sequence[str]) -> RunFacts:
        """The same for some of the blocks."""
        wanted = frozenset(members)
        return RunFacts(self.run, tuple(block for block in self.blocks if block.path in wanted))

    @property
    def total_us(self) -> float:
        """All blocks together."""
        return sum(block.us for block in self.blocks)

    @property
    def range_us(self) -> tuple[float, float]:
        """The quickest and the slowest block."""
        times = [block.us for block in self.blocks]
        return min(times), max(times)

    @property
    def different(self) -> tuple[str, ...]:
        """Paths of the blocks that are planned in another way than most."""
        return tuple(block.path for block in self.blocks if block.differs)

    def sentences(self) -> tuple[str, ...]:
        """One for each aspect in which some differ. Example: '3 of 40 divided differently: 0, 17–18'."""
        told = []
        for aspect, words in ASPECTS:
            odd = [block.path for block in self.blocks if aspect in block.differs]
            if odd:
                told.append(f"{len(odd)} of {len(self.blocks)} {words}: {self._named(odd)}")
        return tuple(told)

    def _named(self, odd: Sequence[str]) -> str:
        """The blocks by their last names, neighbours as one stretch."""
        order = {block.path: place for place, block in enumerate(self.blocks)}
        stretches: list[list[str]] = []
        for path in odd:
            if stretches and order[path] == order[stretches[-1][-1]] + 1:
                stretches[-1].append(path)
            else:
                stretches.append([path])
        words = [_stretch(paths) for paths in stretches[:_NAMED]]
        rest = sum(len(paths) for paths in stretches[_NAMED:])
        return ", ".join(words) + (f" and {rest} more" if rest else "")


def facts_of(
    runs: Sequence[Run], compilation: Compilation, groups: Mapping[str, str], times: Mapping[str, float]
) -> dict[str, RunFacts]:
    """By the path of the first block of each run. `groups`: op or move -> path of its module; `times`: step -> µs."""
    member_of = {path: run.key for run in runs for path in run.members}
    ops: dict[str, list[LoopOp]] = {}
    us: dict[str, float] = {}
    for op in compilation.problem.program.ops:
        for block in _blocks(groups.get(op.name, ""), member_of):
            ops.setdefault(block, []).append(op)
    for step, time in times.items():
        for block in _blocks(groups.get(step, ""), member_of):
            us[block] = us.get(block, 0.0) + time
    moves: dict[str, list[Edit]] = {}
    for edit in compilation.plan.edits:
        moves.setdefault(edit.before, []).append(edit)
    return {run.key: _facts(run, ops, us, compilation.plan, moves) for run in runs}


def _blocks(path: str, member_of: Mapping[str, str]) -> list[str]:
    """The blocks that hold what lies in this module: runs may lie within blocks of other runs."""
    found = []
    while path:
        if path in member_of:
            found.append(path)
        path = path.rpartition(".")[0]
    return found


def _facts(
    run: Run, ops: Mapping[str, list[LoopOp]], us: Mapping[str, float], plan: Plan, moves: Mapping[str, list[Edit]]
) -> RunFacts:
    decided = {aspect: [_decided(aspect, ops[path], plan, moves) for path in run.members] for aspect, _ in ASPECTS}
    usual = {aspect: Counter(found).most_common(1)[0][0] for aspect, found in decided.items()}
    return RunFacts(
        run,
        tuple(
            Block(
                path,
                us.get(path, 0.0),
                tuple(aspect for aspect, _ in ASPECTS if decided[aspect][place] != usual[aspect]),
            )
            for place, path in enumerate(run.members)
        ),
    )


def _decided(aspect: Aspect, ops: Sequence[LoopOp], plan: Plan, moves: Mapping[str, list[Edit]]) -> Hashable:
    """What was decided for the ops of a block, in a form that is equal for blocks with equal decisions."""
    match aspect:
        case "divided":
            return tuple(plan.divisions.get(op.name) for op in ops)
        case "laid out":
            return tuple(plan.layouts.get(write.buffer) for op in ops for write in op.writes)
        case "placed":
            return tuple(_place(plan, write.buffer) for op in ops for write in op.writes)
        case "moved":
            return tuple(tuple(edit.kind for edit in moves.get(op.name, ())) for op in ops)


def _place(plan: Plan, buffer: str) -> str:
    """Where a result lies: in LX, or for which reason not."""
    place = plan.placement.get(buffer)
    if place is None:
        return ""
    return "lx" if isinstance(place, Slot) else str(place.code)


def _stretch(paths: Sequence[str]) -> str:
    first, last = paths[0].rpartition(".")[2], paths[-1].rpartition(".")[2]
    return first if len(paths) == 1 else f"{first}–{last}"
