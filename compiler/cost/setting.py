"""Setting: the plan around a step, as far as its price depends on it.

Owns what is in LX, who loads it there, which buffers leave the graph, and relayouts, whose price needs the step that
wrote their source.  Prices one step alone under any division.  Refuses totals: `compiler.cost.model` has the kernels.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from frozendict import frozendict

from compiler.coordinates import Boxes, core_boxes
from compiler.cost.delivery import crowding
from compiler.cost.kernels import Draft, kernel_costs
from compiler.cost.memory import one_way_us
from compiler.cost.pricer import Form, Pricer, parts_of, pricer_of
from compiler.cost.relayout import RELAYOUT, relayout_term
from compiler.cost.wording import term
from compiler.device import Device
from compiler.division import Division
from compiler.errors import InputError
from compiler.layout import StickLayout
from compiler.loops import Access, BufferKind
from compiler.plan import EditKind, Plan, Slot
from compiler.price import CostTerm, StepCost
from compiler.problem import Problem
from compiler.schedule import Schedule, Step, expand, kernels_of

__all__ = ["RELAYOUT", "Setting", "kernels", "setting_of"]
LOAD = "load into LX"
LOAD_WORDS = "bytes / {hbm_one_way_bytes_per_ns} B per ns; one load for all its readers"
CROWD_WORDS = (
    "bytes / {hbm_one_way_bytes_per_ns} B per ns * (cores / {reader_fan_free}) ^ {reader_fan_exponent}; "
    "one load of each part for so many cores"
)


@dataclass(frozen=True, slots=True)
class Setting:
    """`resident`: buffers in LX; `outputs`: buffers that are results of the model, which are written to device memory
    in any case; `loaded`: step -> inputs in LX that it is the first to read; `writers`: buffer -> the step that wrote
    it last."""

    schedule: Schedule
    layouts: Mapping[str, StickLayout]
    divisions: Mapping[str, Division]
    device: Device
    form: Form
    resident: frozenset[str]
    outputs: frozenset[str]
    loaded: Mapping[str, tuple[str, ...]]
    writers: Mapping[str, Step]

    def draft(self, step: Step) -> Draft:
        """A step as the plan has it."""
        pricer, names = pricer_of(step, self.schedule.buffers, self.layouts, self.device)
        return self._draft(step, pricer, names, self.divisions.get(step.name, Division()))

    def menu(
        self, step: Step, divisions: Iterable[Division], inside: frozenset[str], lone: bool, overlap: float = 1.0
    ) -> list[StepCost]:
        """A step under any divisions as if it loaded all its inputs itself and overlapped with no other step.

        `inside` (what its kernel writes) and `lone` (its kernel has no other step) tell of the kernel that it is in.
        """
        pricer, names = pricer_of(step, self.schedule.buffers, self.layouts, self.device)
        drafts = (self._draft(step, pricer, names, division) for division in divisions)
        return [kernel_costs([draft], self.device, overlap, inside, lone)[0] for draft in drafts]

    def written(self, steps: Iterable[str]) -> frozenset[str]:
        """Buffers that some steps write."""
        return frozenset(write.buffer for step in steps for write in self.schedule.step_map[step].op.writes)

    def _draft(self, step: Step, pricer: Pricer, names: tuple[str, ...], division: Division) -> Draft:
        resident = frozenset(place for place, name in enumerate(names) if name in self.resident)
        silent = frozenset(place for place in resident if names[place] not in self.outputs)
        parts = parts_of(pricer, division, resident, silent, self.form)
        loaded = [(name, self.layouts[name].size_bytes) for name in self.loaded.get(step.name, ())]
        serial: tuple[CostTerm, ...] = ()
        if step.edit is not None:
            if parts.loads and self._clones(step, pricer):
                loaded += [(names[load.place], load.size_bytes) for load in parts.loads]
                parts = replace(parts, loads=())
            serial = self._relayout(step, division)
        cores = step.edit.replicas if step.edit is not None else 1
        serial += tuple(self._loaded(name, size, cores) for name, size in loaded)
        return Draft(step.name, names, pricer, parts, serial, sum(size for _, size in loaded))

    def _loaded(self, name: str, size_bytes: int, cores: int) -> CostTerm:
        """A load into LX, each part on so many cores: read by many, it takes as long as a shared operand."""
        crowd = crowding(self.device, cores)
        if crowd <= 1:
            return term(self.device, LOAD, one_way_us(self.device, size_bytes), LOAD_WORDS, f"{name} {size_bytes:,} B")
        inputs = f"{name} {size_bytes:,} B, cores={cores}"
        return term(self.device, LOAD, one_way_us(self.device, size_bytes) * crowd, CROWD_WORDS, inputs)

    def _clones(self, step: Step, pricer: Pricer) -> bool:
        """True for a copy into LX of an input, or of anything that is loaded there as it is."""
        assert step.edit is not None
        source = self.schedule.buffers[step.edit.source]
        as_it_is = source.kind is not BufferKind.COMPUTED and not pricer.turned
        return step.edit.target in self.resident and (step.edit.kind is EditKind.CLONE_IN or as_it_is)

    def _relayout(self, step: Step, division: Division) -> tuple[CostTerm, ...]:
        """A relayout: over the ring, from where the writer of its source left it."""
        assert step.edit is not None
        read, write = step.op.reads[0], step.op.write
        writer = self.writers.get(read.buffer)
        moves = step.edit.kind is EditKind.RELAYOUT and self.resident.issuperset((read.buffer, write.buffer))
        if writer is None or not moves:
            return ()
        access = next(one for one in writer.op.writes if one.buffer == read.buffer)
        before = self._boxes(writer, access, self.divisions.get(writer.name, Division()))
        return (relayout_term(self.device, self.layouts[read.buffer], before, self._boxes(step, write, division)),)

    def _boxes(self, step: Step, access: Access, division: Division) -> Boxes:
        layout, buffer = self.layouts[access.buffer], self.schedule.buffers[access.buffer]
        return core_boxes(step.op, access, buffer, layout, division)


def setting_of(problem: Problem, plan: Plan, form: Form = "planner") -> Setting:
    """The setting of every step of a plan."""
    schedule = expand(problem.program, plan)
    _require_known(schedule, plan)
    resident = frozenset(name for name, placed in plan.placement.items() if isinstance(placed, Slot))
    given = {name for name in resident if schedule.buffers[name].kind is not BufferKind.COMPUTED}
    loaded: dict[str, tuple[str, ...]] = {}
    writers: dict[str, Step] = {}
    for step in schedule.steps:
        first = tuple(dict.fromkeys(read.buffer for read in step.op.reads if read.buffer in given))
        if first:
            loaded[step.name] = first
            given.difference_update(first)
        writers.update((write.buffer, step) for write in step.op.writes)
    outputs = frozenset(view.buffer for view in schedule.outputs)
    return Setting(
        schedule,
        plan.layouts,
        plan.divisions,
        problem.device,
        form,
        resident,
        outputs,
        frozendict(loaded),
        frozendict(writers),
    )


def _require_known(schedule: Schedule, plan: Plan) -> None:
    """InputError if a plan, which may come from a file, leaves out a layout or names what does not exist."""
    remedy = "compile the model again"
    bare = next((name for name in schedule.buffers if name not in plan.layouts), "")
    if bare:
        raise InputError(f"buffer {bare}", "the plan gives it no layout", remedy)
    launched = tuple(name for kernel in plan.kernels for name in kernel.steps)
    named = (
        ("buffer", plan.placement, schedule.buffers),
        ("step", plan.divisions, schedule.step_map),
        ("step", launched, schedule.step_map),
    )
    for what, given, known in named:
        lost = next((name for name in given if name not in known), "")
        if lost:
            raise InputError(f"{what} {lost}", f"the plan decides on it, and there is no such {what}", remedy)


def kernels(plan: Plan, schedule: Schedule) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Name and steps of every kernel: the plan's, or those of the fusion rule before it has any."""
    if plan.kernels:
        return tuple((kernel.name, kernel.steps) for kernel in plan.kernels)
    return tuple((f"kernel{number}", run) for number, run in enumerate(kernels_of(schedule)))
