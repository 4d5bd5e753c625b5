"""Random programs through the whole compiler, executed: a second opinion that the checker cannot give."""

from collections.abc import Mapping
from functools import cache

import pytest
from torch import Tensor

from compiler.device import load_device
from compiler.errors import StudioError
from compiler.graph import ModelGraph
from compiler.loops import LoopProgram
from compiler.pipeline import compile_problem
from compiler.problem import Problem
from compiler.program import Memory, Program
from simulator.functional.reference import interpret
from simulator.functional.verify import verify
from tests.random_programs import TINY, random_program
from tests.simulator.test_random_programs import values

SEEDS = range(60)


@cache
def compiled(seed: int) -> tuple[LoopProgram, Program | None]:
    """A program and its plan for a small device or for eight cores of a Spyre; None where there is no legal plan."""
    loops = random_program(seed, options=TINY)
    device = load_device("sample") if seed % 2 else load_device("spyre").with_cores(8)
    try:
        return loops, compile_problem(ModelGraph(loops.name, (), (), ()), Problem(loops, device)).program
    except StudioError:
        return loops, None


def numbers(loops: LoopProgram, seed: int) -> tuple[Mapping[str, Tensor], Mapping[str, Tensor]]:
    inputs = dict(values(loops.buffers, seed))
    known = interpret(loops.ops, loops.buffers, inputs)
    return inputs, {
        view.name: known[view.buffer].as_strided(view.shape, view.strides, view.offset) for view in loops.outputs
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_a_compiled_program_computes_what_its_loops_say(seed: int) -> None:
    loops, program = compiled(seed)
    if program is None:
        return  # refused, which is right too; enough of them are not
    inputs, outputs = numbers(loops, seed)
    report = verify(program, inputs, outputs)
    assert report.fault == ""
    assert report.first_divergence is None
    assert report.ok, report.outputs


def test_enough_of_them_have_a_plan_and_use_lx() -> None:
    programs = [program for _, program in map(compiled, SEEDS) if program]
    assert len(programs) > len(SEEDS) / 2
    assert sum(tensor.memory is Memory.LX for program in programs for tensor in program.tensors) > len(programs) / 2
    chained = [op for each in programs for kernel in each.kernels for op in kernel.ops if op.slices[0].pass_to >= 0]
    assert chained, "some of them pass partial results on"


def test_poison_changes_no_value() -> None:
    for seed in SEEDS[:10]:
        loops, program = compiled(seed)
        if program:
            inputs, outputs = numbers(loops, seed)
            reports = [verify(program, inputs, outputs, poison=poison) for poison in (True, False)]
            assert reports[0].outputs == reports[1].outputs
