"""Random programs in random layouts on random numbers of cores, against the reference that knows none of them."""

import math
import random
from collections.abc import Iterator, Mapping
from dataclasses import replace

import pytest
import torch
from torch import Tensor

from compiler.division import Division, Split
from compiler.dtypes import DType
from compiler.layout import UNIT, StickLayout, stick_layout
from compiler.loops import Buffer, BufferKind, Loop, LoopOp, LoopProgram, OpKind, Role
from simulator.functional.elements import torch_dtype
from simulator.functional.execute import execute
from simulator.functional.reference import interpret
from simulator.functional.verify import verify
from tests.random_programs import TINY, random_program
from tests.simulator.sketch import LANES, Sketch

SEEDS = range(60)
CORES = 8


def values(buffers: tuple[Buffer, ...], seed: int) -> Iterator[tuple[str, Tensor]]:
    """Normal numbers for floats, small ones of either sign for integers."""
    generator = torch.Generator().manual_seed(seed)
    for buffer in buffers:
        if buffer.kind is BufferKind.COMPUTED:
            continue
        kind = torch_dtype(buffer.dtype)
        if buffer.dtype.is_float:
            yield buffer.name, torch.randn(buffer.shape, generator=generator).to(kind)
        else:
            yield buffer.name, torch.randint(-9, 9, buffer.shape, generator=generator).to(kind)


def layout(rng: random.Random, buffer: Buffer, longer: Mapping[int, int]) -> StickLayout:
    """Sticks along any dim, or one element per stick; bool in any of its widths; perhaps a dim of size 1 before the
    stick.  Dims in `longer` are filled up to the size given there and never the stick's."""
    lanes = rng.choice((32, 64, 128)) if buffer.dtype is DType.BOOL else LANES[buffer.dtype.device_bytes]
    dims = range(len(buffer.shape))
    if not dims:
        return stick_layout((), (), lanes)
    free = [dim for dim in dims if dim not in longer]
    stick = -1 if not free or (len(dims) < 6 and rng.random() < 0.2) else rng.choice(free)
    others = [dim for dim in dims if dim != stick]
    order = (*rng.sample(others, len(others)), stick)
    if len(order) < 6 and rng.random() < 0.2:
        order = (UNIT, *order)
    return stick_layout(buffer.shape, buffer.strides, lanes, order, padding=tuple(longer.items()))


def contracted(loops: LoopProgram) -> dict[str, dict[int, int]]:
    """Buffer -> dim -> size it is filled up to, for the second operands of contractions that end within a stick."""
    found: dict[str, dict[int, int]] = {}
    for op in loops.ops:
        if op.kind not in (OpKind.MATMUL, OpKind.CONV):
            continue
        left, right = (loops.buffer_map[read.buffer] for read in op.reads)
        lanes = LANES[left.dtype.device_bytes]
        for loop in op.reduction_loops:
            step = op.reads[1].index.coefficient(loop.name)
            if loop.extent % lanes and step:
                dim = max(
                    (place for place, each in enumerate(right.strides) if each <= step), key=right.strides.__getitem__
                )
                size = right.shape[dim] + lanes * (step // right.strides[dim])
                found.setdefault(right.name, {})[dim] = max(found.get(right.name, {}).get(dim, 0), size)
    return found


def division(rng: random.Random, op: LoopOp) -> Division:
    """Up to eight cores, at most one split reduction loop; shares may be uneven."""
    if op.kind is OpKind.OPAQUE:
        return Division()
    splits: list[Split] = []
    for loop in rng.sample(op.loops, len(op.loops)):
        room = CORES // math.prod(split.factor for split in splits)
        if room < 2 or not _may_split(op, loop, splits):
            continue
        step = -(-loop.extent // rng.randint(1, room))
        if step < loop.extent:
            splits.append(Split(loop.name, -(-loop.extent // step), step))
    return Division(tuple(splits))


def _may_split(op: LoopOp, loop: Loop, splits: list[Split]) -> bool:
    if loop.role is Role.OUTPUT:
        return True
    taken = {split.loop for split in splits}
    whole = loop.extent % 32 == 0  # a core in the middle of a stick would leave its tail to the next
    return (
        op.combine not in ("argmax", "argmin") and whole and not any(each.name in taken for each in op.reduction_loops)
    )


def sketch(loops: LoopProgram, rng: random.Random) -> Sketch:
    """The program with layouts and divisions drawn at random."""
    longer = contracted(loops)
    free = [buffer for buffer in loops.buffers if buffer.kind is BufferKind.COMPUTED or buffer.name in longer]
    return Sketch(
        buffers=loops.buffers,
        ops=loops.ops,
        outputs=(),
        divisions={op.name: division(rng, op) for op in loops.ops},
        layouts={buffer.name: layout(rng, buffer, longer.get(buffer.name, {})) for buffer in free},
        views=loops.outputs,
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_every_step_of_a_random_program_does_what_its_operands_imply(seed: int) -> None:
    loops = random_program(seed, options=TINY)
    inputs = dict(values(loops.buffers, seed))
    known = interpret(loops.ops, loops.buffers, inputs)
    outputs = {
        view.name: known[view.buffer].as_strided(view.shape, view.strides, view.offset) for view in loops.outputs
    }
    program = sketch(loops, random.Random(seed)).program()
    report = verify(program, inputs, outputs)
    assert report.fault == ""
    assert report.first_divergence is None
    assert report.ok, report.outputs


def test_cores_and_layouts_change_no_value_without_split_sums() -> None:
    loops = random_program(7, options=TINY)
    inputs = dict(values(loops.buffers, 7))
    plain = replace(sketch(loops, random.Random(99)), divisions={})
    expected = execute(plain.program(), inputs)
    for seed in range(5):
        other = sketch(loops, random.Random(seed))
        kept = {op.name: _outer(other.divisions[op.name], op) for op in loops.ops}
        found = execute(
            Sketch(loops.buffers, loops.ops, (), kept, other.layouts, views=loops.outputs).program(), inputs
        )
        for name, value in expected.items():
            assert torch.equal(found[name].nan_to_num(), value.nan_to_num()), name


def _outer(made: Division, op: LoopOp) -> Division:
    folded = {loop.name for loop in op.reduction_loops}
    return Division(tuple(split for split in made.splits if split.loop not in folded))
