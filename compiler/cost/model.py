"""Model: the price of a plan, kernel by kernel: the larger of compute and memory time.

Owns how terms are put together: loads shared within a kernel, overlap, and the share of every step.  Refuses to
invent: each term carries its formula and inputs, and a step's total is its share of what bounds its kernel, so that
the totals add up.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from compiler.contractions import contraction_of, cut_of, roles_of
from compiler.copies import transposes
from compiler.cost.matmul import BATCH_STEP, EXECUTION, terms
from compiler.cost.memory import NS_PER_US, Traffic, one_way_us, restickify_us, traffic_of, turnaround_us
from compiler.device import Device
from compiler.division import Division
from compiler.layout import StickLayout
from compiler.loops import OpKind
from compiler.plan import EditKind, Plan
from compiler.price import Cost, CostTerm, KernelCost, StepCost
from compiler.problem import Problem
from compiler.schedule import Schedule, Step, expand, kernels_of
from compiler.spaces import Space, space_of

WITHOUT_HBM = (*(row for row in EXECUTION if row.name != "hbm"), BATCH_STEP)


@dataclass(frozen=True, slots=True)
class Draft:
    """A step while its kernel is put together: compute terms, traffic, and the rate law that its traffic follows."""

    step: Step
    compute: tuple[CostTerm, ...]
    traffic: Traffic
    transposes: bool

    @property
    def compute_us(self) -> float:
        """Compute time on its cores."""
        return math.fsum(term.microseconds for term in self.compute)

    @property
    def moved(self) -> int:
        """Bytes read and written."""
        return self.traffic.read_bytes + self.traffic.write_bytes


def price(problem: Problem, plan: Plan) -> Cost:
    """The cost of a plan whose layouts, divisions and placement are decided; every kernel is max(compute, memory)."""
    schedule = expand(problem.program, plan)
    runs = tuple(kernel.steps for kernel in plan.kernels) or kernels_of(schedule)
    names = tuple(kernel.name for kernel in plan.kernels) or tuple(f"kernel{number}" for number in range(len(runs)))
    by_name = schedule.step_map
    kernels: list[KernelCost] = []
    steps: list[StepCost] = []
    for name, run in zip(names, runs, strict=True):
        costs = _kernel(tuple(by_name[step] for step in run), schedule, plan, problem.device)
        steps += costs
        kernels.append(KernelCost(name, math.fsum(cost.total_us for cost in costs), run))
    edits = [step for step in schedule.steps if _restickifies(step)]
    edit_names = {step.name for step in edits}
    return Cost(
        total_us=math.fsum(kernel.total_us for kernel in kernels),
        compute_us=math.fsum(cost.compute_us for cost in steps),
        hbm_us=math.fsum(cost.hbm_us for cost in steps),
        serial_us=math.fsum(cost.serial_us for cost in steps),
        hbm_bytes=sum(cost.hbm_bytes for cost in steps),
        relayout_us=0.0,
        restickify_us=math.fsum(cost.hbm_us for cost in steps if cost.step in edit_names),
        restickify_elements=sum(schedule.buffers[step.op.reads[0].buffer].elements for step in edits),
        steps=tuple(steps),
        kernels=tuple(kernels),
    )


def compute_terms(
    space: Space, division: Division, layouts: Mapping[str, StickLayout], device: Device
) -> tuple[CostTerm, ...]:
    """Execution terms of a contraction under a division; nothing for other ops, whose time is memory time."""
    if space.op.kind not in (OpKind.MATMUL, OpKind.CONV):
        return ()
    roles = roles_of(space)
    work = contraction_of(space, roles, layouts)
    return terms(device, work, cut_of(roles, division.factors), WITHOUT_HBM)


def _kernel(run: tuple[Step, ...], schedule: Schedule, plan: Plan, device: Device) -> list[StepCost]:
    drafts = [_draft(step, schedule, plan, device) for step in run]
    drafts = _fused_reduction(_shared_loads(drafts, plan.layouts), device, plan)
    plain = [draft for draft in drafts if not draft.transposes]
    read, written = (sum(sizes) for sizes in zip(*map(_sizes, plain), strict=True)) if plain else (0, 0)
    turn = turnaround_us(device, read, written)
    costs = [_step_cost(draft, turn, read + written, device) for draft in drafts]
    memory_bound = sum(cost.hbm_us for cost in costs) >= sum(cost.compute_us for cost in costs)
    return [replace(cost, total_us=cost.hbm_us if memory_bound else cost.compute_us) for cost in costs]


def _sizes(draft: Draft) -> tuple[int, int]:
    return draft.traffic.read_bytes, draft.traffic.write_bytes


def _draft(step: Step, schedule: Schedule, plan: Plan, device: Device) -> Draft:
    traffic = traffic_of(step, schedule, plan)
    both = bool(traffic.reads) and bool(traffic.writes)
    turned = _restickifies(step) or transposes(step.op, schedule.buffers, plan.layouts)
    space, division = space_of(step.op, schedule, plan.layouts), plan.divisions.get(step.name, Division())
    return Draft(step, compute_terms(space, division, plan.layouts, device), traffic, turned and both)


def _restickifies(step: Step) -> bool:
    return step.edit is not None and step.edit.kind is EditKind.RESTICKIFY


def _shared_loads(drafts: list[Draft], layouts: Mapping[str, StickLayout]) -> list[Draft]:
    """Traffic with buffers from outside the kernel loaded once: all readers together load the whole tensor at most.

    One that needs several loads of it alone, as a true bmm may, still pays for them.
    """
    inside = {name for draft in drafts for name, _ in draft.traffic.writes}
    left: dict[str, int] = {}
    for draft in drafts:
        for name, size in draft.traffic.reads:
            left[name] = max(left.get(name, layouts[name].size_bytes), size)
    result = []
    for draft in drafts:
        reads = []
        for name, size in draft.traffic.reads:
            paid = size if name in inside else min(size, left[name])
            left[name] -= paid
            reads.append((name, paid))
        result.append(replace(draft, traffic=replace(draft.traffic, reads=tuple(reads))))
    return result


def _fused_reduction(drafts: list[Draft], device: Device, plan: Plan) -> list[Draft]:
    """The slowest reduction of values made in the same kernel bounds the kernel's vector work (facts 6.2)."""
    inside = {write.buffer for draft in drafts for write in draft.step.op.writes}
    times = {
        number: draft.step.op.iterations / _cores(plan, draft) / device.number("fused_reduction_elements_per_ns_core")
        for number, draft in enumerate(drafts)
        if draft.step.op.kind is OpKind.REDUCTION and inside & {read.buffer for read in draft.step.op.reads}
    }
    if not times:
        return drafts
    slowest = max(times, key=lambda number: times[number])
    chosen = drafts[slowest]
    term = CostTerm(
        "fused reduction",
        times[slowest] / NS_PER_US,
        f"elements / cores / {device.number('fused_reduction_elements_per_ns_core'):g} per ns; slowest of the kernel",
        f"elements={chosen.step.op.iterations:,} cores={_cores(plan, chosen)}",
    )
    return [
        replace(draft, compute=(*draft.compute, term)) if number == slowest else draft
        for number, draft in enumerate(drafts)
    ]


def _cores(plan: Plan, draft: Draft) -> int:
    return plan.divisions.get(draft.step.name, Division()).cores


def _step_cost(draft: Draft, turnaround: float, plain_bytes: int, device: Device) -> StepCost:
    inputs = f"read {_listed(draft.traffic.reads)}; write {_listed(draft.traffic.writes)}"
    memory: list[CostTerm] = []
    if draft.transposes:
        rate = device.number("restickify_bytes_per_ns")
        time = restickify_us(device, draft.moved)
        memory.append(CostTerm("restickify", time, f"(read + written) / {rate:g} B per ns", inputs))
    elif draft.moved:
        rate = device.number("hbm_one_way_bytes_per_ns")
        time = one_way_us(device, draft.moved)
        memory.append(CostTerm("device memory", time, f"(read + written) / {rate:g} B per ns", inputs))
        share = turnaround * draft.moved / plain_bytes
        words = (
            f"share by bytes of min(read, written) of the kernel * {device.number('hbm_turnaround_ns_per_byte'):g} ns"
        )
        if share:
            memory.append(CostTerm("read/write turnaround", share, words, f"{draft.moved:,} of {plain_bytes:,} B"))
    return StepCost(
        step=draft.step.name,
        total_us=0.0,
        compute_us=draft.compute_us,
        hbm_us=math.fsum(term.microseconds for term in memory),
        serial_us=0.0,
        read_bytes=draft.traffic.read_bytes,
        write_bytes=draft.traffic.write_bytes,
        terms=(*draft.compute, *memory),
    )


def _listed(sizes: Iterable[tuple[str, int]]) -> str:
    return ", ".join(f"{name} {size:,} B" for name, size in sizes if size) or "nothing"
