"""Placing: the buffers of a plan asked for, placed by a solver, and told why where they found no place (facts 4).

Owns what a buffer asks for, whose place it may take over, its slot, and the sentence of those left out.  Refuses to
choose moves: the steps are those that the plan has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from frozendict import frozendict

from compiler.copy_names import made_copies
from compiler.device import Device
from compiler.eligibility import Scene, judge, scene_of
from compiler.ownership import Holding, may_take_over
from compiler.plan import Kernel, Placement, Plan, ReasonCode, Slot, Spilled
from compiler.problem import Problem
from compiler.schedule import kernels_of
from compiler.solvers.board import Board, gaps
from compiler.solvers.placement import Placed, PlacementProblem
from compiler.solvers.request import Request

Solve = Callable[[PlacementProblem], Placed]
_NOBODY: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Placing:
    """A plan with placement and kernels, what led to it, and the question that was asked."""

    plan: Plan
    scene: Scene
    judged: frozendict[str, Holding | Spilled]
    question: PlacementProblem
    found: Placed


def place(problem: Problem, plan: Plan, solve: Solve, moves: bool = False, pinned: frozenset[str] = _NOBODY) -> Placing:
    """The plan placed by `solve`; buffers in `pinned` go first, as those that a pin wants in LX.

    With `moves`, copies to other layouts may read LX (see `eligibility`).
    """
    scene = scene_of(problem.program, plan, moves)
    judged = frozendict((name, judge(scene, name)) for name in scene.schedule.buffers)
    known = judged.keys() - made_copies(plan)  # a pin is about the program, not about a move that a plan makes
    wanted = {name: where for name, where in problem.pins.placement.items() if name in known}
    held = {
        name: verdict for name, verdict in judged.items() if isinstance(verdict, Holding) and wanted.get(name) != "hbm"
    }
    first = pinned | {name for name, where in wanted.items() if where == "lx"}
    question = PlacementProblem(
        _requests(scene, held, first), problem.device.lx_budget_bytes, problem.device.stick_bytes
    )
    found = solve(question)
    room = _Room(problem.device, question.requests, found.addresses)
    placement = frozendict((name, _placement(scene, name, judged[name], wanted, room)) for name in judged)
    kernels = tuple(Kernel(f"kernel{number}", steps) for number, steps in enumerate(kernels_of(scene.schedule)))
    return Placing(replace(plan, placement=placement, kernels=kernels), scene, judged, question, found)


def _requests(scene: Scene, held: Mapping[str, Holding], first: frozenset[str]) -> tuple[Request, ...]:
    """What asks for a place, in buffer order; a place saves its write and each of its reads."""
    return tuple(
        Request(
            name,
            one.bytes_per_core,
            scene.lives[name].uses,
            _parents(scene, one, held),
            computed=True,
            worth=(len(scene.lives[name].reads) + 1) * scene.plan.layouts[name].size_bytes,
            pinned=name in first,
        )
        for name, one in held.items()
    )


def _parents(scene: Scene, child: Holding, held: Mapping[str, Holding]) -> tuple[str, ...]:
    """Buffers that die in the step that writes `child` and whose place it may take on every core."""
    names = dict.fromkeys(read.buffer for read in child.step.op.reads)
    return tuple(
        name
        for name in names
        if name in held
        and scene.lives[name].last == child.step.number
        and may_take_over(child.step, name, scene.schedule, scene.plan)
    )


class _Room:
    """Where everything went, and what is in the way of what found no place."""

    def __init__(self, device: Device, requests: tuple[Request, ...], addresses: Mapping[str, int]) -> None:
        self.device = device
        self.addresses = addresses
        self.board = Board.of(requests, addresses)

    def slot(self, scene: Scene, name: str) -> Slot:
        """The slot of a buffer that found a place."""
        request, life = self.board.by_name[name], scene.lives[name]
        dying = (p for p in request.parents if self.board.by_name[p].end == request.start + 1)
        parent = next((p for p in dying if self.addresses.get(p) == self.addresses[name]), "")
        return Slot(self.addresses[name], request.size, life.first, life.last, parent)

    def lack(self, name: str) -> str:
        """Why a buffer found no place, in bytes."""
        request, budget = self.board.by_name[name], self.device.lx_budget_bytes
        if request.size > budget:
            return f"needs {request.size:,} B per core, {request.size - budget:,} B more than the {budget:,} B of LX"
        free = gaps(self.board.busy(request), budget, self.device.stick_bytes)
        largest = max((high - low for low, high in free), default=0)
        steps = range(request.start, request.end)
        names = dict.fromkeys(other for step in steps for other in self.board.alive.get(step, ()))
        largest_first = sorted(names, key=lambda other: -self.board.by_name[other].size)
        shown = ", ".join(f"{other} ({self.board.by_name[other].size:,} B)" for other in largest_first[:3])
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        return (
            f"needs {request.size:,} B per core in steps {request.start} to {request.end - 1}; the largest gap is "
            f"{largest:,} B, so that {request.size - largest:,} B are lacking; in the way: {shown}{more}"
        )


def _placement(scene: Scene, name: str, judged: Holding | Spilled, wanted: Mapping[str, str], room: _Room) -> Placement:
    if wanted.get(name) == "hbm":
        also = f"; without the pin it would be there too: {judged.detail}" if isinstance(judged, Spilled) else ""
        return Spilled(ReasonCode.PINNED, f"a pin keeps it in device memory{also}")
    if isinstance(judged, Spilled):
        return judged
    return room.slot(scene, name) if name in room.addresses else Spilled(ReasonCode.CAPACITY, room.lack(name))
