"""LayoutCandidates: the layouts a buffer could have, and what the whole graph would pay for each.

Owns the list that the stick view and `why` show: every dim that could be cut into sticks, possible or not.  Refuses to
decide: the chosen one is whatever the plan says.
"""

from __future__ import annotations

from compiler.cost.requests import copy_us
from compiler.errors import InputError
from compiler.layout import MAX_DIM_ORDER, StickLayout
from compiler.layout_candidate import UNKNOWN, LayoutCandidate
from compiler.layout_rules import CONTRACTIONS, obstacles
from compiler.loops import Buffer, BufferKind, LoopOp
from compiler.operands import canonical, default_order, dense_layout
from compiler.passes.assign_layouts import host_layouts
from compiler.pinning import nearest
from compiler.plan import Plan
from compiler.problem import Problem
from compiler.scene import Scene, scene_of
from compiler.stick_flips import StickFlips
from compiler.stick_prices import StickPrices
from compiler.stick_search import Outcome, Rules, StickSearch
from compiler.stick_ways import StickWays, free_weights

WIDTH = 64


def layout_candidates(problem: Problem, plan: Plan, buffer: str, follow: bool = True) -> tuple[LayoutCandidate, ...]:
    """Layouts of one buffer of the program, the chosen one first, then by what they cost; InputError if there is no
    such buffer.

    `follow`: also search the graph anew around each of them, which takes as long as assigning all layouts.
    """
    scene = scene_of(problem.program, problem.device)
    if buffer not in scene.buffers:
        why = f"the program has no such buffer{nearest(buffer, scene.buffers)}"
        raise InputError(f"buffer {buffer}", why, "choose a buffer of the graph")
    table = _Table(problem, plan, scene, scene.buffers[buffer])
    rows = [table.row(layout, follow) for layout in table.layouts()]
    rows.sort(key=lambda row: (not row.chosen, not row.legal, row.alone_elements == UNKNOWN, row.alone_elements))
    return tuple(rows)


class _Table:
    """The graph as the plan has it, and figures of one buffer in it."""

    def __init__(self, problem: Problem, plan: Plan, scene: Scene, buffer: Buffer) -> None:
        self.problem, self.scene, self.buffer = problem, scene, buffer
        self.ways = StickWays(scene, free_weights(problem.program, scene))
        self.prices = StickPrices(problem.device)
        self.present = {
            name: self.ways.number(canonical(layout, scene.buffers[name]))
            for name, layout in plan.layouts.items()
            if name in scene.buffers
        }
        self.chosen = plan.layouts[buffer.name]
        self.number = self.present[buffer.name]
        ops = frozenset(op.name for op in problem.program.ops)
        settled = StickSearch(problem.program, self.ways, self.prices, Rules(self.present, across=ops), WIDTH).run()
        self.base = settled if isinstance(settled, Outcome) else None
        self.flips = StickFlips(problem.program, self.ways, self.prices, self.base) if self.base else None
        self.able = set(self.flips.menu(buffer.name)) if self.flips else set()

    def layouts(self) -> list[StickLayout]:
        """The chosen layout, what the buffer may have besides, and every other dim on the stick."""
        found = [self.chosen, *(self.ways.layouts[number] for number in self.able if number != self.number)]
        known = {layout.stick_dim for layout in found}
        for dim, size in enumerate(self.buffer.shape):
            if dim not in known and size > 1 and len(self.buffer.shape) <= MAX_DIM_ORDER:
                order = default_order(self.buffer, dim)
                found.append(dense_layout(self.buffer, order, self.chosen.elements_per_stick))
        return found

    def row(self, layout: StickLayout, follow: bool) -> LayoutCandidate:
        """A layout with its figures."""
        chosen = layout is self.chosen
        number = self.ways.number(canonical(layout, self.buffer))
        why = "" if chosen or number in self.able else self._why_not(layout)
        alone = None if why else self._alone(number)
        if not why and alone is None:
            why = "an op that reads or writes it has no way to run then"
        searched = self._follow(number) if follow and not why and not chosen else None
        searched = self._total(self.base) if chosen and self.base else searched
        payload = self.buffer.elements * layout.element_bytes
        return LayoutCandidate(
            layout=layout,
            chosen=chosen,
            legal=not why,
            why_not=why,
            alone_elements=UNKNOWN if alone is None else alone[0],
            alone_us=UNKNOWN if alone is None else alone[1],
            follow_elements=UNKNOWN if searched is None else searched[0],
            follow_us=UNKNOWN if searched is None else searched[1],
            size_bytes=layout.size_bytes,
            padding_bytes=layout.size_bytes - payload,
        )

    def _why_not(self, layout: StickLayout) -> str:
        if self.buffer.kind is not BufferKind.COMPUTED:
            return f"the host fills it and cuts its last dim, {self.chosen.stick_dim}"
        writer = self._writer()
        barred = obstacles(self.scene, writer, self._layouts_but_own()) if writer else ()
        clause = next((obstacle.clause for obstacle in barred), "")
        if writer and writer.kind in CONTRACTIONS:
            clause = f"a {writer.kind} leaves the columns of its second tensor on the sticks"
        what = f"{writer.name if writer else 'its op'} cannot write it in sticks of dim {layout.stick_dim}"
        return f"{what}: {clause}" if clause else what

    def _writer(self) -> LoopOp | None:
        return next(iter(self.scene.writers.get(self.buffer.name, ())), None)

    def _layouts_but_own(self) -> dict[str, StickLayout]:
        return {name: self.ways.layouts[number] for name, number in self.present.items() if name != self.buffer.name}

    def _alone(self, number: int) -> tuple[int, float] | None:
        """Copied elements and time of the graph if only this buffer changes."""
        ops = frozenset(op.name for op in self.problem.program.ops)
        rules = Rules({**self.present, self.buffer.name: number}, across=ops)
        found = StickSearch(self.problem.program, self.ways, self.prices, rules, WIDTH).run()
        return self._total(found) if isinstance(found, Outcome) else None

    def _follow(self, number: int) -> tuple[int, float] | None:
        """The same if everything else is chosen anew."""
        fixed = host_layouts(self.problem.program, self.scene, self.ways)
        rules = Rules(fixed, {self.buffer.name: self.ways.layouts[number].stick_dim}, relaxed=True)
        found = StickSearch(self.problem.program, self.ways, self.prices, rules, WIDTH).run()
        return self._total(found) if isinstance(found, Outcome) else None

    def _total(self, found: Outcome) -> tuple[int, float]:
        """Host elements and microseconds of all copies of a result, each copy once."""
        copies: dict[tuple[str, int], None] = {}
        for op in self.problem.program.ops:
            names = self.ways.kind(op).buffers
            for place, number in found.ways[op.name].moves:
                copies[names[place], number] = None
        elements, time = 0, 0.0
        for name, number in copies:
            buffer = self.scene.buffers[name]
            elements += buffer.elements
            present = self.ways.layouts[found.layouts[name]]
            time += copy_us(self.problem.device, buffer, present, self.ways.layouts[number])
        return elements, time
