"""What users of the random programs rely on: same seed, same program; indices in range; nothing dangling."""

import numpy as np
import pytest
from numpy.typing import NDArray

from compiler.loops import Access, BufferKind, IndexValue, Load, LoopOp, LoopProgram, OpKind
from compiler.loops import Apply as Do
from compiler.loops import Const as Scalar
from compiler.primitives import PRIMITIVES
from tests.random_programs import ALL, BEYOND_LIMITS, DEFAULT, TINY, random_program

Values = dict[str, NDArray[np.int64]]


def loop_values(op: LoopOp) -> Values:
    """Every loop as an array that broadcasts against the others."""
    rank = len(op.loops)
    return {
        loop.name: np.arange(loop.extent).reshape([-1 if place == own else 1 for place in range(rank)])
        for own, loop in enumerate(op.loops)
    }


def mask_of(op: LoopOp, read: int, values: Values) -> NDArray[np.bool_]:
    """Where a read happens: its mask, evaluated from counts, constants and comparisons."""
    known: list[NDArray[np.int64] | NDArray[np.bool_]] = []
    table = {"ge": np.greater_equal, "lt": np.less, "logical_and": np.logical_and, "logical_not": np.logical_not}
    for step in op.body:
        if isinstance(step, Load) and step.read == read:
            return np.asarray(True) if step.mask is None else np.asarray(known[step.mask], dtype=bool)
        if isinstance(step, IndexValue):
            known.append(step.index.evaluate(values))
        elif isinstance(step, Scalar):
            known.append(np.asarray(step.value))
        elif isinstance(step, Do) and step.primitive in table:
            known.append(table[step.primitive](*(known[argument] for argument in step.args)))
        else:
            known.append(np.asarray(0))
    pytest.fail(f"{op.name} never loads read {read}")


def extremes(op: LoopOp, access: Access, mask: NDArray[np.bool_], values: Values) -> tuple[int, int]:
    """Lowest and highest offset the access touches, a gathered row counted at both ends of its table."""
    touched, where = np.broadcast_arrays(access.index.evaluate(values), mask)
    offsets = touched[where]
    reach = sum(gather.coefficient * (gather.size - 1) for gather in access.index.gathers)
    return int(offsets.min()), int(offsets.max()) + reach


def assert_sound(program: LoopProgram) -> None:
    written = {buffer.name for buffer in program.buffers if buffer.kind is not BufferKind.COMPUTED}
    for op in program.ops:
        assert {access.buffer for access in op.reads} <= written, op.name
        written |= {access.buffer for access in op.writes}
        assert all(loop.extent > 1 for loop in op.loops), op.name
        for step in op.body:
            if isinstance(step, Do):
                assert len(step.args) == PRIMITIVES[step.primitive].arity, step.primitive
    read = {access.buffer for op in program.ops for access in op.reads}
    kept = {output.buffer for output in program.outputs}
    assert written == {buffer.name for buffer in program.buffers}
    assert all(buffer.name in read | kept for buffer in program.buffers)


@pytest.mark.parametrize("seed", range(40))
def test_every_index_is_in_range(seed: int) -> None:
    program = random_program(seed, 6, TINY)
    assert_sound(program)
    for op in program.ops:
        if op.kind is OpKind.OPAQUE:
            continue
        values = loop_values(op)
        accesses = [(access, mask_of(op, number, values)) for number, access in enumerate(op.reads)]
        for access, mask in (*accesses, (op.write, np.asarray(True))):
            low, high = extremes(op, access, mask, values)
            assert low >= 0, (op.name, access)
            assert high < program.buffer_map[access.buffer].storage_elements, (op.name, access)


@pytest.mark.parametrize("seed", range(20))
def test_programs_are_sound_at_every_size(seed: int) -> None:
    assert_sound(random_program(seed))
    assert_sound(random_program(seed, 5, BEYOND_LIMITS))


def test_same_seed_same_program() -> None:
    assert random_program(3) == random_program(3)
    assert random_program(3) != random_program(4)


def test_every_family_is_drawn() -> None:
    labels = {op.name.split("/")[1] for seed in range(60) for op in random_program(seed, 8, DEFAULT).ops}
    assert {family for family in ALL if family not in {"unary", "binary", "fill", "reduce", "opaque"}} <= labels
    assert {"neg", "add", "full", "arange", "sum", "prod", "argmax", "sort", "cumsum"} <= labels


def test_some_programs_are_beyond_the_limits() -> None:
    programs = [random_program(seed, 5, BEYOND_LIMITS) for seed in range(20)]
    assert max(buffer.elements for program in programs for buffer in program.buffers) * 2 > 2**30
    assert max(loop.extent for program in programs for op in program.ops for loop in op.loops) > 2**16
