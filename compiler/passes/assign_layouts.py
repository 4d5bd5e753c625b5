"""assign-layouts: the stick dim of every buffer, chosen for the whole graph at least cost.

Owns layout pins and the two ways out of a corner: a reduction whose result is needed in sticks, by a contraction or
after it was expanded, is not run along the stick; a pin that leaves an op without any way is refused.  Refuses models
that have no legal layout, naming op, source line, tensors and what is in the way.  Orders of the other dims are chosen
later.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

from frozendict import frozendict

from compiler.elementwise_rules import reduces_along_stick
from compiler.errors import InputError
from compiler.layout import StickLayout
from compiler.layout_pins import usable_pins
from compiler.layout_reasons import Told, tell
from compiler.layout_rules import CONTRACTIONS, default_layout, obstacles, refusal
from compiler.loops import BufferKind, LoopOp, LoopProgram, OpKind
from compiler.operands import spreads
from compiler.pinning import refused
from compiler.pins import PinState, PinStatus
from compiler.plan import Claim, Plan
from compiler.problem import Problem
from compiler.scene import Scene, scene_of
from compiler.stick_bound import least_cost
from compiler.stick_prices import UNITS, StickPrices
from compiler.stick_search import Outcome, Rules, Stuck, best_of
from compiler.stick_ways import StickWays, Way, free_weights

EXACT_WIDTH = 64
MOST_STATES = 40_000
METHODS = ("exact", "beam")


@dataclass(frozen=True, slots=True)
class AssignLayouts:
    """Sets `layouts`, a reason per buffer, the status of every layout pin, and a claim of how good the choice is.

    `method`: `beam` keeps up to `width` frontiers after every op, `exact` at first EXACT_WIDTH and, if that does not
    prove the optimum, as many as about MOST_STATES in all allow.
    `cost`: copied `elements`, or their `time`.  `weights`: `free` ones are laid out by the host as the plan says,
    `default` ones in host order.  `copies`: `shared` ones are paid for once, `each` by every read, as the public
    optimiser counts.
    """

    method: str = "exact"
    cost: str = "elements"
    weights: str = "free"
    copies: str = "shared"
    width: int = 200

    name: ClassVar[str] = "assign-layouts"
    needs: ClassVar[tuple[str, ...]] = ()
    decides: ClassVar[tuple[str, ...]] = ("layouts", "reasons", "pins", "claims")

    def __post_init__(self) -> None:
        menus = {
            "method": METHODS,
            "cost": tuple(UNITS),
            "weights": ("free", "default"),
            "copies": ("shared", "each"),
        }
        for option, menu in menus.items():
            if getattr(self, option) not in menu:
                why = f"its {option} is {getattr(self, option)!r}"
                raise InputError("pass assign-layouts", why, f"use {' or '.join(menu)}")
        if self.width < 1:
            raise InputError("pass assign-layouts", f"its width is {self.width}", "use 1 or more")

    def __call__(self, problem: Problem, plan: Plan) -> Plan:
        scene = scene_of(problem.program, problem.device)
        free = free_weights(problem.program, scene) if self.weights == "free" else frozenset[str]()
        pins, status = usable_pins(problem, scene, free)
        corner = _Corner(problem.program, scene, dict(pins), status)
        ways = StickWays(scene, free)
        prices = StickPrices(problem.device, self.cost, self.copies == "shared")
        fixed = host_layouts(problem.program, scene, ways)
        while isinstance(found := self._search(corner, ways, prices, fixed), Stuck):
            corner.escape(found, ways)
        told = tell(Told(problem.program, ways, prices, found, frozenset(corner.pins)))
        layouts = all_layouts(problem.program, ways, found)
        honoured = {f"layout:{name}": PinStatus(PinState.HONOURED) for name in corner.pins}
        found = self._bounded(problem.program, found, scene, ways, prices, fixed)
        claim = Claim(self.method, UNITS[self.cost], found.objective, found.bound, found.states)
        return replace(
            plan,
            layouts=frozendict(layouts),
            reasons=frozendict({**plan.reasons, **told}),
            pins=frozendict({**plan.pins, **corner.status, **honoured}),
            claims=plan.claims.set(self.name, claim),
        )

    def _search(
        self, corner: _Corner, ways: StickWays, prices: StickPrices, fixed: Mapping[str, int]
    ) -> Outcome | Stuck:
        """The best layouts that keep the corner's rules.

        What is only possible if a reduction that reduces along the stick is made to leave full sticks is refused like
        the hardware refuses it (facts 2.5), unless somebody pinned it or a contraction needs it; what is merely cheaper
        that way is taken.
        """
        free = self._run(corner, ways, prices, corner.rules(fixed, relaxed=True))
        if isinstance(free, Stuck) or not free.avoiding:
            return free
        strict = self._run(corner, ways, prices, corner.rules(fixed, relaxed=False))
        if isinstance(strict, Stuck):
            return free if corner.pins else strict
        return free if free.objective < strict.objective else strict

    def _bounded(
        self,
        program: LoopProgram,
        found: Outcome,
        scene: Scene,
        ways: StickWays,
        prices: StickPrices,
        fixed: Mapping[str, int],
    ) -> Outcome:
        """The outcome with the better of its own bound and the one piece by piece."""
        if found.bound == found.objective:
            return found
        filled = {name: ways.layouts[number] for name, number in fixed.items()}
        pieces = least_cost(program, scene, prices, ways.weights, filled)
        return replace(found, bound=min(found.objective, max(found.bound, pieces)))

    def _run(self, corner: _Corner, ways: StickWays, prices: StickPrices, rules: Rules) -> Outcome | Stuck:
        width, most = (EXACT_WIDTH, MOST_STATES) if self.method == "exact" else (self.width, 0)
        return best_of(corner.program, ways, prices, rules, width, most)


def host_layouts(program: LoopProgram, scene: Scene, ways: StickWays) -> dict[str, int]:
    """Numbers of the layouts that the host fills and that nobody chooses."""
    fixed = {}
    for buffer in program.buffers:
        unread = buffer.name not in scene.readers and buffer.name not in scene.writers
        if buffer.kind is not BufferKind.COMPUTED and (buffer.name not in ways.weights or unread):
            fixed[buffer.name] = ways.number(default_layout(scene, buffer))
    return fixed


def all_layouts(program: LoopProgram, ways: StickWays, found: Outcome) -> dict[str, StickLayout]:
    """Layout of every buffer, in the order of the program."""
    return {
        buffer.name: ways.layouts[found.layouts[buffer.name]]
        for buffer in program.buffers
        if buffer.name in found.layouts
    }


@dataclass(slots=True)
class _Corner:
    """Pins still kept, statuses of the others, and reductions that must not run along the stick."""

    program: LoopProgram
    scene: Scene
    pins: dict[str, int]
    status: dict[str, PinStatus]
    across: frozenset[str] = field(default_factory=frozenset)

    def rules(self, fixed: Mapping[str, int], relaxed: bool) -> Rules:
        """What the next search must keep."""
        return Rules(fixed, self.pins, self.across, relaxed)

    def escape(self, stuck: Stuck, ways: StickWays) -> None:
        """Give way once: a pin the op itself cannot keep, else a reduction, else a pin before; or refuse the model."""
        op = stuck.op
        layouts = {name: ways.layouts[number] for name, number in stuck.layouts.items()}
        kind = ways.kind(op)
        local = tuple(stuck.layouts.get(name, -1) for name in kind.buffers)
        able = ways.of(op, local)
        own = [name for name in kind.buffers if name in self.pins and name not in stuck.layouts]
        more = self._reductions_behind(op, stuck, layouts) - self.across
        if own and able:
            self._refuse_own(op, own[0], kind.buffers.index(own[0]), able, ways)
        elif more:
            self.across |= more
        elif blamed := self._pin_behind(op):
            error = refusal(self.scene, op, layouts)
            self._refuse(blamed, f"then {error.what}: {error.why}")
        else:
            raise refusal(self.scene, op, layouts)

    def _refuse(self, name: str, why: str) -> None:
        del self.pins[name]
        self.status[f"layout:{name}"] = refused(why)

    def _refuse_own(self, op: LoopOp, name: str, place: int, able: tuple[Way, ...], ways: StickWays) -> None:
        found = (ways.layouts[number].stick_dim for way in able for at, number in way.sets if at == place)
        dims = sorted({dim for dim in found if dim >= 0})
        can = f"it can cut dim {' or '.join(map(str, dims))}" if dims else "it leaves one value per stick"
        verb = "write" if any(access.buffer == name for access in op.writes) else "read"
        barred = obstacles(self.scene, op, {})
        clause = next((obstacle.clause for obstacle in barred), "")
        why = f"{op.name} cannot {verb} {name} in sticks of dim {self.pins[name]}; {can}"
        self._refuse(name, f"{why}; {clause}" if clause else why)

    def _reductions_behind(self, op: LoopOp, stuck: Stuck, layouts: Mapping[str, StickLayout]) -> frozenset[str]:
        """Reductions along the stick whose single values a contraction reads, or an op after they were expanded."""
        found: set[str] = set()
        waiting = [a.buffer for a in op.reads if op.kind in CONTRACTIONS or self._expanded(a.buffer, layouts)]
        seen: set[str] = set()
        while waiting:
            name = waiting.pop()
            layout = layouts.get(name)
            if name in seen or layout is None or not spreads(layout, self.scene.buffers[name]):
                continue
            seen.add(name)
            for writer in self.scene.writers.get(name, ()):
                if reduces_along_stick(writer, stuck.ways[writer.name].candidate):
                    found.add(writer.name)
                else:
                    waiting += [access.buffer for access in writer.reads]
        return frozenset(found)

    def _expanded(self, name: str, layouts: Mapping[str, StickLayout]) -> bool:
        """True if a buffer repeats what it was made of along some loop."""
        for writer in self.scene.writers.get(name, ()):
            if writer.kind is OpKind.POINTWISE and writer.reads:
                reads, _ = self.scene.operands(writer, layouts)
                return any(not any(read.carries(loop.name) for read in reads) for loop in writer.loops)
        return False

    def _pin_behind(self, op: LoopOp) -> str:
        """The last pinned buffer that an op depends on; '' if there is none."""
        seen: set[str] = set()
        waiting = [access.buffer for access in op.reads]
        while waiting:
            name = waiting.pop()
            if name not in seen:
                seen.add(name)
                writers = self.scene.writers.get(name, ())
                waiting += [access.buffer for writer in writers for access in writer.reads]
        pinned = [buffer.name for buffer in self.program.buffers if buffer.name in seen and buffer.name in self.pins]
        return pinned[-1] if pinned else ""
