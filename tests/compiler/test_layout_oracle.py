"""The layout passes against the oracle: what they accept is legal, what they refuse has no legal way, and the
candidates of one op hold a way that costs no more than the cheapest there is."""

from collections.abc import Iterator
from itertools import product

import pytest

from compiler.errors import UnsupportedError
from compiler.layout import Arrangement, StickLayout, stick_layout
from compiler.layout_rules import candidates, default_layout
from compiler.loops import Buffer, BufferKind, LoopOp, OpKind
from compiler.passes.assign_layouts import AssignLayouts
from compiler.passes.insert_restickify import InsertRestickify
from compiler.plan import Plan
from compiler.scene import Candidate, Scene, scene_of
from tests.compiler.legality_oracle import DEVICE, plan_faults, step_fault
from tests.oracle_sights import Sight, sight
from tests.programs import problem_of
from tests.random_programs import TINY, random_program

EMPTY = Plan("random", "spyre", 32, "")


@pytest.mark.parametrize("group", range(8))
def test_what_is_accepted_is_legal(group: int) -> None:
    accepted = 0
    for seed in range(group * 25, group * 25 + 25):
        problem = problem_of(random_program(seed, 6, TINY))
        try:
            plan = InsertRestickify()(problem, AssignLayouts()(problem, EMPTY))
        except UnsupportedError:
            continue
        accepted += 1
        assert plan_faults(problem, plan) == [], f"seed {seed}"
    assert accepted >= 8


def reachable(buffer: Buffer, layout: StickLayout, spread: bool) -> Iterator[StickLayout]:
    """The present layout and every one that a copy can make of it."""
    yield layout
    lanes = (32, 64, 128) if buffer.dtype.value == "bool" else (layout.elements_per_stick,)
    real = layout.stick_dim >= 0 and buffer.shape[layout.stick_dim] > 1
    for dim, size in enumerate(buffer.shape):
        if (size > 1 and real) or (size == 1 and spread):
            for width in lanes:
                yield from arranged(buffer, dim, width)
    if spread and 0 < len(buffer.shape) < 6:
        yield stick_layout(buffer.shape, buffer.strides, lanes[0], (*range(len(buffer.shape)), -1))


def arranged(buffer: Buffer, dim: int, lanes: int) -> Iterator[StickLayout]:
    """A dim on the stick, in every arrangement."""
    order = (*(other for other in range(len(buffer.shape)) if other != dim), dim)
    kinds = {64: [Arrangement.F32_TO_F16], 32: [Arrangement.F16_TO_F32]}.get(lanes, [])
    for arrangement in (Arrangement.STANDARD, *kinds):
        yield stick_layout(buffer.shape, buffer.strides, lanes, order, arrangement)


def results_of(buffer: Buffer, outputs: frozenset[str]) -> Iterator[StickLayout]:
    """Every layout a computed buffer may have."""
    if not buffer.shape:
        yield stick_layout((), (), DEVICE.lanes(buffer.dtype))
        return
    lanes = (32, 64, 128) if buffer.dtype.value == "bool" else (DEVICE.lanes(buffer.dtype),)
    for width in lanes:
        for dim in range(len(buffer.shape)):
            for layout in arranged(buffer, dim, width):
                if layout.arrangement is Arrangement.STANDARD or buffer.name not in outputs:
                    yield layout
        yield stick_layout(buffer.shape, buffer.strides, width, (*range(len(buffer.shape)), -1))


def cheapest(scene: Scene, op: LoopOp, layouts: dict[str, StickLayout], spread: bool) -> int | None:
    """The fewest elements to move for any legal way to run an op; None if there is none."""
    menus: list[list[Sight]] = []
    for number, access in enumerate(op.reads):
        buffer = scene.buffers[access.buffer]
        vector = sum(size > 1 for size in buffer.shape) <= 1
        wide = spread and (vector or op.kind in (OpKind.MATMUL, OpKind.CONV))
        copied = dict.fromkeys(reachable(buffer, layouts[buffer.name], wide))
        menus.append([sight(op, access, number, buffer, layout) for layout in copied])
    result = scene.buffers[op.write.buffer]
    menus.append([sight(op, op.write, -1, result, layout) for layout in results_of(result, scene.results)])
    best = None
    for sights in product(*menus):
        moved = {
            (one.buffer.name, one.layout): one.buffer.elements
            for one in sights[:-1]
            if one.value and one.layout != layouts[one.buffer.name]
        }
        cost = sum(moved.values())
        if (best is None or cost < best) and not step_fault(op, sights):
            best = cost
    return best


def moved(scene: Scene, op: LoopOp, way: Candidate, layouts: dict[str, StickLayout]) -> int:
    """Elements of the copies that a candidate needs, each made once."""
    needs = {(access.buffer, need) for access, need in zip(op.reads, way.needs, strict=True) if need is not None}
    return sum(scene.buffers[name].elements for name, need in needs if need != layouts[name])


@pytest.mark.parametrize("group", range(8))
def test_the_cheapest_way_is_a_candidate_and_every_refusal_is_due(group: int) -> None:
    """Op by op, from layouts that cheapest ways lead to; operands are spread only where nothing else works."""
    for seed in range(group * 8, group * 8 + 8):
        program = random_program(seed, 5, TINY)
        scene = scene_of(program, DEVICE)
        given = (buffer for buffer in program.buffers if buffer.kind is not BufferKind.COMPUTED)
        layouts = {buffer.name: default_layout(scene, buffer) for buffer in given}
        for op in program.ops:
            found = candidates(scene, op, layouts)
            costs = [moved(scene, op, way, layouts) for way in found]
            if op.kind is not OpKind.OPAQUE:
                want = cheapest(scene, op, layouts, spread=False)
                want = cheapest(scene, op, layouts, spread=True) if want is None else want
                assert min(costs, default=None) == want, f"seed {seed} {op.name}"
            if not found:
                break
            taken = found[costs.index(min(costs))]
            layouts |= {access.buffer: layout for access, layout in zip(op.writes, taken.outputs, strict=True)}
