"""Model: the price of a plan, kernel by kernel (facts 6).

Owns totals.  A kernel takes compute + memory - overlap * min(compute, memory) + what overlaps with nothing.  Refuses to
invent: each term carries its formula, inputs and constants.  Not modelled: chains of dependent ops, launches, and what
`compiler.cost.tiling` knows of loops, which no pass makes yet.
"""

from __future__ import annotations

import math

from compiler.cost.kernels import kernel_costs
from compiler.cost.pricer import Form
from compiler.cost.setting import RELAYOUT, Setting, kernels, setting_of
from compiler.plan import EditKind, Plan
from compiler.price import Cost, KernelCost, StepCost
from compiler.problem import Problem


def price(problem: Problem, plan: Plan, form: Form = "planner", overlap: float = 1.0) -> Cost:
    """The cost of a plan whose layouts, divisions and placement are decided.

    `form` is how contractions are timed: `planner` as divisions are compared, `bundled` as reports tell it.  `overlap`
    is the share of the smaller of compute and memory that is hidden: 1 in reports, the device's `joint_overlap` where
    divisions and placement are decided together.
    """
    setting = setting_of(problem, plan, form)
    steps: list[StepCost] = []
    found: list[KernelCost] = []
    for name, run in kernels(plan, setting.schedule):
        costs = _kernel(setting, run, overlap)
        steps += costs
        found.append(KernelCost(name, math.fsum(cost.total_us for cost in costs), run))
    return _cost(setting, tuple(steps), tuple(found))


def _kernel(setting: Setting, run: tuple[str, ...], overlap: float) -> tuple[StepCost, ...]:
    drafts = [setting.draft(setting.schedule.step_map[step]) for step in run]
    return kernel_costs(drafts, setting.device, overlap, setting.written(run), lone=len(run) == 1)


def _cost(setting: Setting, steps: tuple[StepCost, ...], found: tuple[KernelCost, ...]) -> Cost:
    edits = [step for step in setting.schedule.steps if step.edit and step.edit.kind is EditKind.RESTICKIFY]
    names = {step.name for step in edits}
    return Cost(
        total_us=math.fsum(kernel.total_us for kernel in found),
        compute_us=math.fsum(cost.compute_us for cost in steps),
        hbm_us=math.fsum(cost.hbm_us for cost in steps),
        serial_us=math.fsum(cost.serial_us for cost in steps),
        hbm_bytes=sum(cost.hbm_bytes for cost in steps),
        relayout_us=math.fsum(one.microseconds for cost in steps for one in cost.terms if one.name == RELAYOUT),
        restickify_us=math.fsum(cost.hbm_us + cost.serial_us for cost in steps if cost.step in names),
        restickify_elements=sum(setting.schedule.buffers[step.op.reads[0].buffer].elements for step in edits),
        steps=steps,
        kernels=found,
    )
