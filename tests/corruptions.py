"""Random corruptions of plans: what a broken pass, a wrong merge or an edited file might leave behind.

Owns the kinds of damage, each a function that changes one decision.  Refuses to know whether the damage matters: the
checker must say so, and the oracle is asked where it does not.
"""

import random
from collections.abc import Callable
from dataclasses import replace

from frozendict import frozendict

from compiler.division import Division, Split
from compiler.layout import SPARSE, UNIT, Arrangement, StickLayout, stick_layout
from compiler.loops import BufferKind
from compiler.plan import EditKind, Kernel, Plan, ReasonCode, Slot, Spilled
from compiler.problem import Problem
from compiler.schedule import Schedule, expand


class Damage:
    """One plan and the dice to damage it with."""

    def __init__(self, rng: random.Random, problem: Problem, plan: Plan) -> None:
        self.rng, self.problem, self.plan = rng, problem, plan
        self.schedule: Schedule = expand(problem.program, plan)
        self.slots = {name: place for name, place in plan.placement.items() if isinstance(place, Slot)}
        self.splits = {name: division for name, division in plan.divisions.items() if division.splits}

    def placed(self, name: str, place: Slot | Spilled) -> Plan:
        """The plan with one buffer placed otherwise."""
        return replace(self.plan, placement=self.plan.placement.set(name, place))

    def divided(self, name: str, *splits: Split) -> Plan:
        """The plan with one step divided otherwise."""
        return replace(self.plan, divisions=self.plan.divisions.set(name, Division(splits)))

    def some_slot(self) -> tuple[str, Slot] | None:
        """A buffer in LX."""
        return self.rng.choice(sorted(self.slots.items(), key=lambda item: item[0])) if self.slots else None

    def some_division(self) -> tuple[str, Division] | None:
        """A step on several cores."""
        return self.rng.choice(sorted(self.splits.items(), key=lambda item: item[0])) if self.splits else None

    def some_padded(self) -> str:
        """A buffer with zeros behind it, '' if there is none."""
        padded = sorted(name for name, layout in self.plan.layouts.items() if layout.padding)
        return self.rng.choice(padded) if padded else ""

    def uses(self, name: str) -> list[int]:
        """Steps that touch a buffer."""
        return [
            step.number
            for step in self.schedule.steps
            if any(access.buffer == name for access in (*step.op.reads, *step.op.writes))
        ]


def move_slot(damage: Damage) -> Plan | None:
    """Another address: a stick further, half a stick further, or that of another buffer."""
    chosen = damage.some_slot()
    if chosen is None:
        return None
    name, place = chosen
    others = [other.address for other in damage.slots.values()]
    address = damage.rng.choice([place.address + 128, place.address - 128, place.address + 64, *others])
    return damage.placed(name, replace(place, address=address))


def shift_lifetime(damage: Damage) -> Plan | None:
    """One step more or less at one end."""
    chosen = damage.some_slot()
    if chosen is None:
        return None
    name, place = chosen
    if damage.rng.random() < 0.5:
        return damage.placed(name, replace(place, first_step=place.first_step + damage.rng.choice((-1, 1))))
    return damage.placed(name, replace(place, last_step=place.last_step + damage.rng.choice((-1, 1))))


def resize_slot(damage: Damage) -> Plan | None:
    """One stick more or less."""
    chosen = damage.some_slot()
    if chosen is None:
        return None
    name, place = chosen
    return damage.placed(name, replace(place, size_bytes=place.size_bytes + damage.rng.choice((-128, 128))))


def reuse_slot(damage: Damage) -> Plan | None:
    """Claims another in-place parent, or takes the claim back."""
    chosen = damage.some_slot()
    if chosen is None:
        return None
    name, place = chosen
    parent = "" if place.in_place_of else damage.rng.choice(sorted(damage.slots))
    address = damage.slots[parent].address if parent else place.address
    return damage.placed(name, replace(place, in_place_of=parent, address=address))


def spill_slot(damage: Damage) -> Plan | None:
    """To device memory; harmless unless another buffer claims its place."""
    chosen = damage.some_slot()
    return damage.placed(chosen[0], Spilled(ReasonCode.CAPACITY, "damaged")) if chosen else None


def promote(damage: Damage) -> Plan | None:
    """Into LX at the bottom or the top, with the share of its writer's cores as its size and its true lifetime."""
    spilled = sorted(name for name in damage.schedule.buffers if name not in damage.slots)
    name = damage.rng.choice(spilled) if spilled else ""
    uses = damage.uses(name)
    if not uses:
        return None
    writer = damage.schedule.steps[uses[0]]
    size = damage.plan.layouts[name].size_bytes // damage.plan.divisions[writer.name].cores // 128 * 128
    top = damage.problem.device.lx_budget_bytes - size
    place = Slot(damage.rng.choice((0, top)), max(size, 128), uses[0], uses[-1])
    return damage.placed(name, place)


def swap_splits(damage: Damage) -> Plan | None:
    """The same factors in another order of cores."""
    chosen = damage.some_division()
    if chosen is None or len(chosen[1].splits) < 2:
        return None
    return damage.divided(chosen[0], *reversed(chosen[1].splits))


def change_split(damage: Damage) -> Plan | None:
    """Another factor or another step."""
    chosen = damage.some_division()
    if chosen is None:
        return None
    name, division = chosen
    first, *rest = division.splits
    wrong = damage.rng.choice(
        (
            replace(first, factor=first.factor + 1),
            replace(first, factor=first.factor - 1),
            replace(first, step=first.step + 1),
            replace(first, step=max(1, first.step // 2)),
            replace(first, factor=1, step=first.factor * first.step),
        )
    )
    return damage.divided(name, wrong, *rest)


def drop_split(damage: Damage) -> Plan | None:
    """One loop less is divided: fewer cores."""
    chosen = damage.some_division()
    return damage.divided(chosen[0], *chosen[1].splits[1:]) if chosen else None


def add_split(damage: Damage) -> Plan | None:
    """One more loop is divided, with whole slots or with slots of 64."""
    step = damage.rng.choice(damage.schedule.steps)
    division = damage.plan.divisions[step.name]
    free = [loop for loop in step.op.loops if loop.extent > 1 and loop.name not in division.factors]
    if not free:
        return None
    loop = damage.rng.choice(free)
    factor = next((factor for factor in (2, 3, 5, 7) if loop.extent % factor == 0), 2)
    size = damage.rng.choice((-(-loop.extent // factor), 64))
    factor = -(-loop.extent // size)
    splits = [*division.splits]
    splits.insert(damage.rng.randint(0, len(splits)), Split(loop.name, factor, size))
    return damage.divided(step.name, *splits)


def borrow_division(damage: Damage) -> Plan | None:
    """The division of another step."""
    steps = damage.schedule.steps
    one, other = damage.rng.choice(steps), damage.rng.choice(steps)
    return damage.divided(one.name, *damage.plan.divisions[other.name].splits)


def change_layout(damage: Damage) -> Plan | None:
    """Another dim order, sparse or not, or another arrangement of one computed buffer."""
    buffers = [item for item in damage.schedule.buffers.values() if item.kind is BufferKind.COMPUTED and item.shape]
    if not buffers:
        return None
    target = damage.rng.choice(buffers)
    old = damage.plan.layouts[target.name]
    order = tuple(damage.rng.sample(range(len(target.shape)), len(target.shape)))
    if damage.rng.random() < 0.3 and len(order) < 6:
        order = (*order, SPARSE)
    arrangement = damage.rng.choice((old.arrangement, Arrangement.STANDARD, Arrangement.F16_TO_F32))
    layout = stick_layout(target.shape, target.strides, old.elements_per_stick, order, arrangement)
    return replace(damage.plan, layouts=damage.plan.layouts.set(target.name, layout))


def bend_layout(damage: Damage) -> Plan | None:
    """One number of a layout off by one."""
    name = damage.rng.choice(sorted(damage.plan.layouts))
    old = damage.plan.layouts[name]
    place = damage.rng.randrange(len(old.device_size))
    sizes, strides = list(old.device_size), list(old.stride_map)
    if damage.rng.random() < 0.5:
        sizes[place] += damage.rng.choice((-1, 1))
    else:
        strides[place] += damage.rng.choice((-1, 1))
    layout = StickLayout(tuple(sizes), tuple(strides), old.dim_order, old.arrangement, old.padding)
    return replace(damage.plan, layouts=damage.plan.layouts.set(name, layout))


def relaid(
    damage: Damage,
    name: str,
    dim_order: tuple[int, ...] | None = None,
    arrangement: Arrangement | None = None,
    padding: tuple[tuple[int, int], ...] | None = None,
) -> Plan:
    """The plan with the layout of a buffer made anew, what is given otherwise than before."""
    target, old = damage.schedule.buffers[name], damage.plan.layouts[name]
    layout = stick_layout(
        target.shape,
        target.strides,
        old.elements_per_stick,
        old.dim_order if dim_order is None else dim_order,
        arrangement or old.arrangement,
        old.padding if padding is None else padding,
    )
    return replace(damage.plan, layouts=damage.plan.layouts.set(name, layout))


def remove_padding(damage: Damage) -> Plan | None:
    """The zeros behind a tensor are forgotten."""
    name = damage.some_padded()
    return relaid(damage, name, padding=()) if name else None


def shorten_padding(damage: Damage) -> Plan | None:
    """One row of zeros is missing."""
    name = damage.some_padded()
    if not name:
        return None
    shape, (first, *rest) = damage.schedule.buffers[name].shape, damage.plan.layouts[name].padding
    shorter = [(first[0], first[1] - 1)] if first[1] - 1 > shape[first[0]] else []
    return relaid(damage, name, padding=(*shorter, *rest))


def promote_padded(damage: Damage) -> Plan | None:
    """Into LX with its zeros, of which no core has any."""
    name = damage.some_padded()
    uses = damage.uses(name) if name else []
    return damage.placed(name, Slot(0, damage.plan.layouts[name].size_bytes, uses[0], uses[-1])) if uses else None


def stagger_weight(damage: Damage) -> Plan | None:
    """The host would have to write the sticks of a weight as a cast leaves them."""
    kinds = {32: Arrangement.F16_TO_F32, 64: Arrangement.F32_TO_F16}
    weights = [
        (item.name, kinds[damage.plan.layouts[item.name].elements_per_stick])
        for item in damage.problem.program.buffers
        if item.kind in (BufferKind.PARAMETER, BufferKind.CONSTANT)
        and damage.plan.layouts[item.name].elements_per_stick in kinds
    ]
    if not weights:
        return None
    name, arrangement = damage.rng.choice(weights)
    return relaid(damage, name, arrangement=arrangement)


def reorder_table(damage: Damage) -> Plan | None:
    """The dim of a table that data choose lies inside of the others, just before the stick."""
    tables = [
        (read.buffer, gather.coefficient)
        for step in damage.schedule.steps
        for read in step.op.reads
        for gather in read.index.gathers
    ]
    if not tables:
        return None
    name, step = damage.rng.choice(tables)
    strides = damage.schedule.buffers[name].strides
    dims = [dim for dim in damage.plan.layouts[name].dim_order if dim >= 0]
    inner = [dim for dim in dims[:-1] if strides[dim] == step]
    return relaid(damage, name, dim_order=tuple(dict.fromkeys((*inner, *dims))))


def reorder_input(damage: Damage) -> Plan | None:
    """An input is expected in a layout that the host does not write."""
    inputs = [item for item in damage.problem.program.buffers if item.kind is BufferKind.INPUT and item.shape]
    if not inputs:
        return None
    target = damage.rng.choice(inputs)
    order = tuple(damage.rng.sample(range(len(target.shape)), len(target.shape)))
    return relaid(damage, target.name, dim_order=damage.rng.choice((order, (UNIT, *order)))[:6])


def rename_edit(damage: Damage) -> Plan | None:
    """A copy is called something that it is not."""
    if not damage.plan.edits:
        return None
    number = damage.rng.randrange(len(damage.plan.edits))
    edits = [*damage.plan.edits]
    others = [kind for kind in EditKind if kind is not edits[number].kind]
    edits[number] = replace(edits[number], kind=damage.rng.choice(others))
    return replace(damage.plan, edits=tuple(edits))


def drop_edit(damage: Damage) -> Plan | None:
    """A copy is left out, cleanly: also from kernels, layouts, divisions and placement."""
    if not damage.plan.edits:
        return None
    edit = damage.rng.choice(damage.plan.edits)
    kernels = [
        replace(kernel, steps=tuple(name for name in kernel.steps if name != edit.name))
        for kernel in damage.plan.kernels
    ]
    return replace(
        damage.plan,
        edits=tuple(other for other in damage.plan.edits if other != edit),
        kernels=tuple(kernel for kernel in kernels if kernel.steps),
        layouts=damage.plan.layouts.delete(edit.target),
        placement=damage.plan.placement.delete(edit.target),
        divisions=damage.plan.divisions.delete(edit.name),
    )


def change_edit(damage: Damage) -> Plan | None:
    """A copy runs elsewhere, or serves another reader."""
    if not damage.plan.edits:
        return None
    number = damage.rng.randrange(len(damage.plan.edits))
    edit = damage.plan.edits[number]
    ops = [op.name for op in damage.problem.program.ops]
    wrong = damage.rng.choice(
        (
            replace(edit, before=damage.rng.choice(ops)),
            replace(edit, readers=edit.readers[1:]),
            replace(edit, readers=(damage.rng.choice(ops),)),
            replace(edit, source=edit.target),
        )
    )
    edits = [*damage.plan.edits]
    edits[number] = wrong
    return replace(damage.plan, edits=tuple(edits))


def change_kernels(damage: Damage) -> Plan | None:
    """A step left out, repeated or moved."""
    kernels = [list(kernel.steps) for kernel in damage.plan.kernels]
    steps = damage.rng.choice(kernels)
    place = damage.rng.randrange(len(steps))
    action = damage.rng.randrange(3)
    if action == 0:
        del steps[place]
    elif action == 1:
        steps.insert(place, steps[place])
    else:
        steps.insert(0, steps.pop(place))
    named = tuple(Kernel(old.name, tuple(new)) for old, new in zip(damage.plan.kernels, kernels, strict=True))
    return replace(damage.plan, kernels=named)


def lose_entry(damage: Damage) -> Plan | None:
    """One entry of a table is missing."""
    table = damage.rng.choice(("layouts", "divisions", "placement"))
    entries = getattr(damage.plan, table)
    lost = damage.rng.choice(sorted(entries))
    kept = frozendict((key, value) for key, value in entries.items() if key != lost)
    return replace(damage.plan, **{table: kept})  # type: ignore[arg-type]


KINDS: tuple[Callable[[Damage], Plan | None], ...] = (
    *(move_slot, shift_lifetime, resize_slot, reuse_slot, spill_slot, promote),
    *(swap_splits, change_split, drop_split, add_split, borrow_division),
    *(change_layout, bend_layout, drop_edit, change_edit, change_kernels, lose_entry),
    *(remove_padding, shorten_padding, promote_padded, stagger_weight, reorder_table, reorder_input, rename_edit),
)


def corrupted(rng: random.Random, problem: Problem, plan: Plan) -> tuple[str, Plan]:
    """One random damage that applies to this plan and changes it, with the name of its kind."""
    damage = Damage(rng, problem, plan)
    while True:
        kind = rng.choice(KINDS)
        found = kind(damage)
        if found is not None and found != plan:
            return kind.__name__, found
