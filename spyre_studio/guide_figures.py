"""The values of figures in lessons, from the plan on screen: a lesson never says a number that the compiler did not.

Owns: one line per figure.  Refuses: names; those are in `guide_figure_names`.  What the plan does not have is a dash.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from frozendict import frozendict

from compiler.compilation import Compilation
from compiler.division import Division
from compiler.plan import Slot
from compiler.price import StepCost
from simulator.report import VerifyReport
from spyre_studio.derived import schedule_of
from spyre_studio.edit_words import counts_of
from spyre_studio.guide_figure_names import FIGURES
from spyre_studio.units import (
    UNKNOWN,
    format_bytes,
    format_count,
    format_percent,
    format_shape,
    format_us,
)

_PS_PER_US: Final = 1e6


@dataclass(frozen=True, slots=True)
class Scene:
    """What figures are taken from: the plan on screen, the one before, what verify found, and the simulated time in
    picoseconds; None for what there is not."""

    plan: Compilation
    before: Compilation | None = None
    report: VerifyReport | None = None
    simulated_ps: int | None = None


def figure(scene: Scene, name: str, about: str = "") -> str:
    """The words for a figure, a dash where the plan does not have it."""
    match FIGURES[name]:
        case "plan":
            return _OF_PLAN[name](scene)
        case "op":
            known = about in schedule_of(scene.plan).step_map
            return _OF_OP[name](scene.plan, about) if known else UNKNOWN
        case "buffer":
            known = about in scene.plan.plan.layouts
            return _OF_BUFFER[name](scene.plan, about) if known else UNKNOWN


def _numerics(scene: Scene) -> str:
    from spyre_studio.verify_rows import headline  # words of a view, which lessons rarely need

    return headline(scene.report)[0] if scene.report is not None else UNKNOWN


def _delta(scene: Scene) -> str:
    if scene.before is None:
        return UNKNOWN
    return format_us(scene.plan.cost.total_us - scene.before.cost.total_us, signed=True)


def _simulated(scene: Scene, minus_us: float = 0.0, signed: bool = False) -> str:
    return UNKNOWN if scene.simulated_ps is None else format_us(scene.simulated_ps / _PS_PER_US - minus_us, signed)


def _bound(scene: Scene) -> str:
    return format_us(scene.plan.solver.bound_us) if scene.plan.solver.bound_us >= 0 else UNKNOWN


def _gap(scene: Scene) -> str:
    return format_percent(max(scene.plan.solver.gap, 0.0)) if scene.plan.solver.bound_us >= 0 else UNKNOWN


def _moves(scene: Scene) -> str:
    """'1 restickify, 1 relayout and 2 clones in'."""
    *first, last = counts_of(scene.plan.plan.edits) or ("no move",)
    return f"{', '.join(first)} and {last}" if first else last


def _in_lx(scene: Scene) -> str:
    return format_count(sum(isinstance(place, Slot) for place in scene.plan.plan.placement.values()))


_OF_PLAN: Final[frozendict[str, Callable[[Scene], str]]] = frozendict(
    {
        "ops": lambda scene: format_count(len(scene.plan.problem.program.ops)),
        "kernels": lambda scene: format_count(len(scene.plan.plan.kernels), "kernel"),
        "cores": lambda scene: format_count(scene.plan.plan.cores),
        "checks": lambda scene: format_count(len(scene.plan.verdicts)),
        "total_us": lambda scene: format_us(scene.plan.cost.total_us),
        "compute_us": lambda scene: format_us(scene.plan.cost.compute_us),
        "memory_us": lambda scene: format_us(scene.plan.cost.hbm_us),
        "beside_us": lambda scene: format_us(scene.plan.cost.serial_us),
        "traffic": lambda scene: format_bytes(scene.plan.cost.hbm_bytes),
        "lx_budget": lambda scene: format_bytes(scene.plan.problem.device.lx_budget_bytes),
        "lx_peak": lambda scene: format_bytes(scene.plan.program.lx_bytes),
        "in_lx": _in_lx,
        "span_limit": lambda scene: format_bytes(scene.plan.problem.device.span_limit_bytes),
        "stick_bytes": lambda scene: format_count(scene.plan.problem.device.stick_bytes),
        "bound_us": _bound,
        "gap": _gap,
        "moves": _moves,
        "relayout_us": lambda scene: format_us(scene.plan.cost.relayout_us),
        "restickify_elements": lambda scene: format_count(scene.plan.cost.restickify_elements),
        "before_us": lambda scene: format_us(scene.before.cost.total_us) if scene.before else UNKNOWN,
        "delta_us": _delta,
        "before_traffic": lambda scene: format_bytes(scene.before.cost.hbm_bytes) if scene.before else UNKNOWN,
        "simulated_us": _simulated,
        "simulated_delta_us": lambda scene: _simulated(scene, scene.plan.cost.total_us, signed=True),
        "numerics": _numerics,
    }
)


def _step(plan: Compilation, op: str) -> StepCost:
    return next(step for step in plan.cost.steps if step.step == op)


def _division(plan: Compilation, op: str) -> Division:
    return plan.plan.divisions.get(op, Division())


def _split(plan: Compilation, op: str) -> str:
    splits = [f"{split.loop} {split.factor}" for split in _division(plan, op).splits if split.factor > 1]
    return " · ".join(splits) or "not split"


_OF_OP: Final[frozendict[str, Callable[[Compilation, str], str]]] = frozendict(
    {
        "op_us": lambda plan, op: format_us(_step(plan, op).total_us),
        "op_memory_us": lambda plan, op: format_us(_step(plan, op).hbm_us),
        "op_compute_us": lambda plan, op: format_us(_step(plan, op).compute_us),
        "op_traffic": lambda plan, op: format_bytes(_step(plan, op).hbm_bytes),
        "op_cores": lambda plan, op: format_count(_division(plan, op).cores),
        "split": _split,
    }
)


def _bytes(plan: Compilation, buffer: str) -> int:
    layout = plan.plan.layouts[buffer]
    return layout.sticks * plan.problem.device.stick_bytes


def _stick_dim(plan: Compilation, buffer: str) -> str:
    dim = plan.plan.layouts[buffer].dim_order[-1]
    return "one value per stick" if dim < 0 else f"dim {dim}"


def _accesses(plan: Compilation, buffer: str) -> str:
    """Reads and writes by ops of this buffer and of all others of its shape."""
    steps, buffers = schedule_of(plan).steps, schedule_of(plan).buffers
    shape = buffers[buffer].shape
    touched = (access.buffer for step in steps if step.edit is None for access in (*step.op.reads, *step.op.writes))
    return format_count(sum(buffers[name].shape == shape for name in touched))


def _passes(plan: Compilation, buffer: str) -> str:
    return f"{round(plan.cost.hbm_bytes / _bytes(plan, buffer), 2):g}"


def _per_core(plan: Compilation, buffer: str) -> str:
    place = plan.plan.placement.get(buffer)
    return format_bytes(place.size_bytes) if isinstance(place, Slot) else UNKNOWN


def _where(plan: Compilation, buffer: str) -> str:
    return "LX" if isinstance(plan.plan.placement.get(buffer), Slot) else "device memory"


_OF_BUFFER: Final[frozendict[str, Callable[[Compilation, str], str]]] = frozendict(
    {
        "shape": lambda plan, buffer: format_shape(schedule_of(plan).buffers[buffer].shape),
        "bytes": lambda plan, buffer: format_bytes(_bytes(plan, buffer)),
        "sticks": lambda plan, buffer: format_count(plan.plan.layouts[buffer].sticks),
        "lanes": lambda plan, buffer: format_count(plan.plan.layouts[buffer].elements_per_stick),
        "stick_dim": _stick_dim,
        "accesses": _accesses,
        "passes": _passes,
        "where": _where,
        "per_core": _per_core,
    }
)
