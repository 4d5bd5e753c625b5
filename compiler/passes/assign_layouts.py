"""assign-layouts: the stick layout of every buffer, op by op in schedule order.

Owns the walk, layout pins, and the two ways out of a corner: a reduction whose result is needed in sticks, by a
contraction or after it was expanded, is not run along the stick; a pin that leaves a later op without any way is
refused.  Refuses models that have no legal layout, naming op, source line, tensors and what is in the way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

from frozendict import frozendict

from compiler.elementwise_rules import reduces_along_stick
from compiler.layout_choice import Choice, Progress, choose, moves
from compiler.layout_reasons import input_reason, output_reason
from compiler.layout_rules import CONTRACTIONS, candidates, default_layout, obstacles, refusal
from compiler.loops import BufferKind, LoopOp, LoopProgram, OpKind
from compiler.operands import spreads
from compiler.pinning import nearest, refused
from compiler.pins import PinState, PinStatus
from compiler.plan import Plan
from compiler.problem import Problem
from compiler.scene import Candidate, Scene, scene_of


@dataclass(frozen=True, slots=True)
class AssignLayouts:
    """Sets `layouts`, a reason per buffer, and the status of every layout pin."""

    name: ClassVar[str] = "assign-layouts"
    needs: ClassVar[tuple[str, ...]] = ()
    decides: ClassVar[tuple[str, ...]] = ("layouts", "reasons", "pins")

    def __call__(self, problem: Problem, plan: Plan) -> Plan:
        scene = scene_of(problem.program, problem.device)
        pins, status = _usable_pins(problem, scene)
        across: frozenset[str] = frozenset()
        while True:
            walk = _Walk(problem.program, Progress(scene), pins, across, dict(status))
            op = walk.run()
            if op is None:
                break
            more = walk.reductions_behind(op) - across
            blamed = walk.pin_behind(op)
            if more:
                across |= more
            elif blamed:
                error = refusal(scene, op, walk.progress.layouts)
                status[f"layout:{blamed}"] = refused(f"then {error.what}: {error.why}")
                pins = frozendict((name, dim) for name, dim in pins.items() if name != blamed)
            else:
                raise refusal(scene, op, walk.progress.layouts)
        reasons = {**plan.reasons, **walk.reasons}
        return replace(
            plan,
            layouts=frozendict(walk.progress.layouts),
            reasons=frozendict(reasons),
            pins=frozendict({**plan.pins, **walk.status}),
        )


def _usable_pins(problem: Problem, scene: Scene) -> tuple[frozendict[str, int], dict[str, PinStatus]]:
    """Pins worth trying, and the status of the others."""
    usable: dict[str, int] = {}
    status: dict[str, PinStatus] = {}
    for name, dim in problem.pins.layout.items():
        why = _objection(name, dim, scene)
        if why:
            status[f"layout:{name}"] = refused(why)
        elif scene.buffers[name].kind is not BufferKind.COMPUTED:
            status[f"layout:{name}"] = PinStatus(PinState.HONOURED)
        else:
            usable[name] = dim
    return frozendict(usable), status


def _objection(name: str, dim: object, scene: Scene) -> str:
    """Why a pin cannot even be tried; `dim` may be anything a pins file holds."""
    if name not in scene.buffers:
        return f"there is no buffer {name}{nearest(name, scene.buffers)}"
    buffer = scene.buffers[name]
    rank = len(buffer.shape)
    if isinstance(dim, bool) or not isinstance(dim, int):
        return f"the stick dim of {name} is {dim!r}, not a whole number"
    if not 0 <= dim < rank:
        dims = f"its dims are 0 to {rank - 1}" if rank else "it has no dims"
        return f"{name} has no dim {dim}; {dims}"
    if buffer.kind is not BufferKind.COMPUTED and dim != rank - 1:
        return f"{name} is filled by the host, which cuts its last dim, {rank - 1}; pin a tensor computed from it"
    return ""


@dataclass(slots=True)
class _Walk:
    """One walk through the program with a set of pins and of reductions that must not run along the stick."""

    program: LoopProgram
    progress: Progress
    pins: Mapping[str, int]
    across: frozenset[str]
    status: dict[str, PinStatus]
    reasons: dict[str, str] = field(default_factory=dict)
    choices: dict[str, Choice] = field(default_factory=dict)

    def run(self) -> LoopOp | None:
        """Decide everything; the op that has no way left, if there is one."""
        scene, layouts = self.progress.scene, self.progress.layouts
        for buffer in self.program.buffers:
            if buffer.kind is not BufferKind.COMPUTED:
                layouts[buffer.name] = default_layout(scene, buffer)
                self.reasons[f"layout:{buffer.name}"] = input_reason(buffer, layouts[buffer.name])
        for op in self.program.ops:
            choice = self._choice(op, candidates(scene, op, layouts))
            if choice is None:
                return op
            self._commit(op, choice)
        return None

    def _choice(self, op: LoopOp, found: tuple[Candidate, ...]) -> Choice | None:
        """The best candidate under the pins; without them if they leave none, which refuses them."""
        pinned = [a.buffer for a in op.writes if a.buffer in self.pins and a.buffer not in self.progress.layouts]
        choice = choose(
            self.progress, op, found, lambda way: self._leaves_sticks(op, way) and self._keeps_pins(op, way)
        )
        if choice is not None:
            self.status.update({f"layout:{name}": PinStatus(PinState.HONOURED) for name in pinned})
            return choice
        for name in pinned:
            dims = sorted({way.outputs[0].stick_dim for way in found if way.outputs[0].stick_dim >= 0})
            able = f"it can cut dim {' or '.join(map(str, dims))}" if dims else "it leaves one value per stick"
            barred = obstacles(self.progress.scene, op, self.progress.layouts)
            clause = next((obstacle.clause for obstacle in barred), "")
            why = f"{op.name} cannot write {name} in sticks of dim {self.pins[name]}; {able}"
            self.status[f"layout:{name}"] = refused(f"{why}; {clause}" if clause else why)
        choice = choose(self.progress, op, found, lambda way: self._leaves_sticks(op, way))
        return choice or choose(self.progress, op, found, lambda way: True)

    def _leaves_sticks(self, op: LoopOp, way: Candidate) -> bool:
        if op.name not in self.across:
            return True
        return not spreads(way.outputs[0], self.progress.scene.buffers[op.write.buffer])

    def _keeps_pins(self, op: LoopOp, way: Candidate) -> bool:
        layouts = self.progress.layouts
        written = zip((access.buffer for access in op.writes), way.outputs, strict=True)
        return all(name in layouts or self.pins.get(name, new.stick_dim) == new.stick_dim for name, new in written)

    def _commit(self, op: LoopOp, choice: Choice) -> None:
        progress = self.progress
        self.choices[op.name] = choice
        for _, move in moves(op, choice.candidate, progress.layouts):
            progress.copies[move] = op.name
        for access, layout in zip(op.writes, choice.candidate.outputs, strict=True):
            if access.buffer in progress.layouts:
                continue
            progress.layouts[access.buffer] = layout
            buffer = progress.scene.buffers[access.buffer]
            pinned = access.buffer in self.pins and self.pins[access.buffer] == layout.stick_dim
            self.reasons[f"layout:{buffer.name}"] = output_reason(op, buffer, choice, progress.layouts, pinned)
        progress.forget(op)

    def reductions_behind(self, op: LoopOp) -> frozenset[str]:
        """Reductions along the stick whose single values a contraction reads, or an op after they were expanded."""
        found: set[str] = set()
        waiting = [a.buffer for a in op.reads if op.kind in CONTRACTIONS or self._expanded(a.buffer)]
        seen: set[str] = set()
        while waiting:
            name = waiting.pop()
            layout = self.progress.layouts.get(name)
            if name in seen or layout is None or not spreads(layout, self.progress.scene.buffers[name]):
                continue
            seen.add(name)
            for writer in self.progress.scene.writers.get(name, ()):
                if reduces_along_stick(writer, self.choices[writer.name].candidate):
                    found.add(writer.name)
                else:
                    waiting += [access.buffer for access in writer.reads]
        return frozenset(found)

    def _expanded(self, name: str) -> bool:
        """True if a buffer repeats what it was made of along some loop."""
        scene = self.progress.scene
        for writer in scene.writers.get(name, ()):
            if writer.kind is OpKind.POINTWISE and writer.reads:
                reads, _ = scene.operands(writer, self.progress.layouts)
                return any(not any(read.carries(loop.name) for read in reads) for loop in writer.loops)
        return False

    def pin_behind(self, op: LoopOp) -> str:
        """The last pinned buffer that an op depends on; '' if there is none."""
        seen: set[str] = set()
        waiting = [access.buffer for access in op.reads]
        while waiting:
            name = waiting.pop()
            if name not in seen:
                seen.add(name)
                writers = self.progress.scene.writers.get(name, ())
                waiting += [access.buffer for writer in writers for access in writer.reads]
        pinned = [b.name for b in self.program.buffers if b.name in seen and b.name in self.pins]
        return pinned[-1] if pinned else ""
