"""place-scratchpad: which buffers live in LX, where, and why the others do not (facts 4).

Owns the placement of every buffer, placement pins and the kernels.  Refuses to move, reload or evict: a buffer has
one address for its whole life or lives in device memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from frozendict import frozendict

from compiler.device import Device
from compiler.eligibility import Scene, judge, scene_of
from compiler.errors import InputError
from compiler.ownership import Holding, may_take_over
from compiler.pinning import nearest, refused
from compiler.pins import PinState, PinStatus
from compiler.plan import Claim, Kernel, Placement, Plan, ReasonCode, Slot, Spilled
from compiler.problem import Problem
from compiler.reasons import NO_REMEDY, REASONS
from compiler.schedule import kernels_of
from compiler.solvers.board import Board, gaps
from compiler.solvers.cp_sat import SolverMissingError
from compiler.solvers.placement import Effort, Placed, PlacementProblem
from compiler.solvers.request import Request
from compiler.solvers.table import FALLBACK, SOLVERS

MOST_SECONDS = 86_400


@dataclass(frozen=True, slots=True)
class PlaceScratchpad:
    """Sets placement, kernels, the status of placement pins and a claim; `solver` is one of SOLVERS.

    `seed` steers annealing and cp-sat, `seconds` bounds them by counted work, so that the same options give the same
    plan.  The claim is the traffic to device memory (bytes) of eligible buffers that got no place.  Where OR-Tools is
    missing, best-fit takes the place of cp-sat, and the claim's method and `reasons` say so.
    """

    name: ClassVar[str] = "place-scratchpad"
    needs: ClassVar[tuple[str, ...]] = ("layouts", "edits", "divisions")
    decides: ClassVar[tuple[str, ...]] = ("placement", "kernels", "pins", "reasons", "claims")
    solver: str = "best-fit"
    seed: int = 0
    seconds: float = 5.0

    def __post_init__(self) -> None:
        if self.solver not in SOLVERS:
            known = ", ".join(SOLVERS)
            raise InputError(f"solver {self.solver}", "place-scratchpad has no such solver", f"use one of {known}")
        if self.seed < 0:
            raise InputError(f"seed {self.seed}", "a solver counts its seeds from 0", "use 0 or a number above")
        if not 0 < self.seconds <= MOST_SECONDS:
            why = "a solver needs time, and at most a day of it"
            raise InputError(f"seconds {self.seconds}", why, f"use a number above 0 and up to {MOST_SECONDS}")

    def __call__(self, problem: Problem, plan: Plan) -> Plan:
        scene = scene_of(problem.program, plan)
        idle = next((step.name for step in scene.schedule.steps if step.name not in plan.divisions), "")
        if idle:
            raise InputError("the pipeline", f"{idle} has no division yet", f"put divide-rest before {self.name}")
        judged = {name: judge(scene, name) for name in scene.schedule.buffers}
        wanted = {name: place for name, place in problem.pins.placement.items() if name in judged}
        requests = _requests(scene, {name: held for name, held in judged.items() if wanted.get(name) != "hbm"}, wanted)
        method, missing, found = self._solve(requests, problem.device)
        room = _Room(problem.device, requests, found.addresses)
        placement = frozendict((name, _placement(scene, name, judged[name], wanted, room)) for name in judged)
        status = {
            f"placement:{name}": _status(name, place, placement, judged)
            for name, place in problem.pins.placement.items()
        }
        kernels = tuple(Kernel(f"kernel{number}", steps) for number, steps in enumerate(kernels_of(scene.schedule)))
        claim = Claim(method, "bytes", found.objective, found.bound, found.states)
        return replace(
            plan,
            placement=placement,
            kernels=kernels,
            pins=plan.pins | status,
            reasons=plan.reasons | missing,
            claims=plan.claims.set(self.name, claim),
        )

    def _solve(self, requests: tuple[Request, ...], device: Device) -> tuple[str, dict[str, str], Placed]:
        """Who answered, the reason if that is somebody else than was asked, and the answer."""
        question = PlacementProblem(requests, device.lx_budget_bytes, device.stick_bytes)
        effort = Effort(self.seed, self.seconds)
        try:
            return self.solver, {}, SOLVERS[self.solver](question, effort)
        except SolverMissingError as missing:
            told = {f"pass:{self.name}": f"{FALLBACK} in place of {self.solver}: {missing.why}"}
            return f"{FALLBACK}-without-or-tools", told, SOLVERS[FALLBACK](question, effort)


def _requests(scene: Scene, judged: Mapping[str, Holding | Spilled], wanted: Mapping[str, str]) -> tuple[Request, ...]:
    """What asks for a place, in buffer order; a place saves its write and each of its reads."""
    held = {name: verdict for name, verdict in judged.items() if isinstance(verdict, Holding)}
    return tuple(
        Request(
            name,
            one.bytes_per_core,
            scene.lives[name].uses,
            _parents(scene, one, held),
            computed=True,
            worth=(len(scene.lives[name].reads) + 1) * scene.plan.layouts[name].size_bytes,
            pinned=wanted.get(name) == "lx",
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


def _status(
    name: str, place: str, placement: Mapping[str, Placement], judged: Mapping[str, Holding | Spilled]
) -> PinStatus:
    if name not in judged:
        return refused(f"there is no buffer {name}{nearest(name, judged)}")
    if place not in ("lx", "hbm"):
        return refused(f"{place!r} is no place; use 'lx' or 'hbm'")
    found = placement[name]
    if place == "hbm" or isinstance(found, Slot):
        return PinStatus(PinState.HONOURED)
    remedy = REASONS[found.code].remedy
    return refused(found.detail if remedy.startswith(NO_REMEDY) else f"{found.detail}. {remedy}")
