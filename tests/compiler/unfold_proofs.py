"""Proofs about unfolded programs: that they are whole, and what was put into them."""

from __future__ import annotations

import math

import pytest

from compiler.device import load_device
from compiler.errors import UnsupportedError
from compiler.loops import Access, LoopProgram, OpKind
from compiler.unfold import unfold
from compiler.validate_flow import flow_faults
from compiler.validate_ops import op_faults
from tests.compiler.layout_cases import solved
from tests.compiler.legality_oracle import plan_faults
from tests.programs import problem_of

SPYRE = load_device("spyre")


def unfolded(program: LoopProgram) -> LoopProgram:
    """The unfolded program, proved to be whole and to have legal layouts."""
    made = unfold(program, SPYRE)
    assert [fault for op in made.ops for fault in op_faults(op, made.buffer_map)] == []
    assert list(flow_faults(made)) == []
    plan = solved(made)
    assert plan_faults(problem_of(made), plan) == []
    return made


def copies(before: LoopProgram, after: LoopProgram) -> dict[str, tuple[int, ...]]:
    """Name -> shape of every inserted copy, each proved to move every element of its buffer once and nothing else."""
    found = {}
    for op in after.ops:
        if op.name in before.op_map:
            continue
        buffer = after.buffer_map[op.name]
        assert op.write.buffer == op.name
        assert op.kind is OpKind.POINTWISE
        assert math.prod(loop.extent for loop in op.loops) == buffer.elements
        found[op.name] = buffer.shape
    return found


def read_of(program: LoopProgram, op: str, number: int) -> Access:
    return program.op_map[op].reads[number]


def refused(program: LoopProgram) -> str:
    with pytest.raises(UnsupportedError) as caught:
        solved(program)
    return caught.value.sentence
