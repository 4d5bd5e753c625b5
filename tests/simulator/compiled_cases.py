"""Small models through the real compiler, planned so that every mechanism of the device is in one of them.

Owns the models and their pins; what is done to the programs is a test's business.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import torch
from frozendict import frozendict
from torch import Tensor

from compiler.device import load_device
from compiler.frontend.capture import capture_program, tensor_inputs, trace
from compiler.frontend.eager import run
from compiler.loops import ModelSource
from compiler.pins import Pins
from compiler.pipeline import compile_problem
from compiler.pipelines import PIPELINES
from compiler.plan import EditKind
from compiler.problem import Problem
from compiler.program import DeviceOp, DeviceTensor, Program
from simulator.functional.verify import verify
from simulator.report import VerifyReport
from tests.casebook import CASES, Case, noise, of

STAGED = PIPELINES["staged"].replace("moves=no", "moves=yes")
JOINT = PIPELINES["co-optimized"].replace("solver=cp-sat", "solver=greedy")


@dataclass(frozen=True)
class Compiled:
    """A program, its numbers, and the steps of its moves by kind."""

    program: Program
    inputs: Mapping[str, Tensor]
    expected: Mapping[str, Tensor]
    moves: Mapping[EditKind, tuple[str, ...]]

    def judge(self, program: Program | None = None, *, poison: bool = True) -> VerifyReport:
        """The verdict of the simulator on this program or a changed one; no check of the compiler sees the latter."""
        return verify(program or self.program, self.inputs, self.expected, poison=poison)

    def move(self, kind: EditKind) -> str:
        """The name of the only move of a kind."""
        (name,) = self.moves[kind]
        return name

    @property
    def steps(self) -> dict[str, DeviceOp]:
        """All steps by name."""
        return {op.name: op for kernel in self.program.kernels for op in kernel.ops}

    def tensor(self, name: str) -> DeviceTensor:
        """A tensor by name."""
        return self.program.tensor_map[name]


def prepared(case: Case, cores: int, pipeline: str = STAGED, **pins: Mapping[str, object]) -> Compiled:
    """A model for some cores of a Spyre under pins."""
    module, inputs = case
    traced = trace(module, inputs, {})
    users = [entry[0] for entry in tensor_inputs(traced) if entry[1].kind.name == "USER_INPUT"]
    captured = capture_program(traced, "case", ModelSource("case"))
    known = run(traced, dict(zip(users, inputs, strict=True)), 0)
    fixed = Pins(**{table: frozendict(entries) for table, entries in pins.items()})  # type: ignore[arg-type]
    problem = Problem(captured.program, load_device("spyre").with_cores(cores), fixed)
    made = compile_problem(captured.graph, problem, pipeline=pipeline)
    assert made.ok
    edits = made.plan.edits
    moves = {kind: tuple(edit.name for edit in edits if edit.kind is kind) for kind in EditKind}
    return Compiled(made.program, known.inputs, known.outputs, moves)


def softmax() -> Compiled:
    """Rows that end within a stick; all in LX, `sub` and `exp` in place of the clone of the input."""
    names = ("inputs_0", "softmax/max", "softmax/sub", "softmax/exp", "softmax/sum")
    return prepared(of(lambda x: torch.softmax(x, -1), noise(12, 150)), 4, placement=dict.fromkeys(names, "lx"))


def kept() -> Compiled:
    """A value in LX that is read by the step whose result lies next to it, and again after that."""

    def function(x: Tensor) -> Tensor:
        negative = torch.neg(x)
        return torch.exp(negative) + negative

    return prepared(of(function, noise(8, 128)), 4, placement={"neg": "lx", "exp": "lx"})


def summed() -> Compiled:
    """A product whose K is cut over chains of four cores, in two halves of M."""
    product = of(lambda x, w: torch.relu(x @ w), noise(32, 256), noise(256, 128))
    return prepared(product, 8, division={"matmul": {"k": 4, "m": 2}})


def turned() -> Compiled:
    """A matrix that is restickified before it meets another; both ways its rows end within a stick."""
    return prepared(of(lambda x, y: x.t() + y, noise(100, 100), noise(100, 100).flip(0)), 4)


def padded() -> Compiled:
    """A contraction that ends within a stick, whose right operand is copied to get zeros behind its last row."""
    return prepared(of(lambda x, w: torch.relu(x) @ torch.neg(w), noise(8, 100), noise(100, 128)), 4)


def carried() -> Compiled:
    """Columns to rows over the ring, decided together with divisions and placement."""
    function = of(lambda x: torch.relu(torch.neg(x)), noise(8, 256))
    divisions = {"neg": {"j": 4}, "relu": {"i": 4}}
    return prepared(function, 4, JOINT, division=divisions, relayout={"neg": "ring"}, placement={"neg": "lx"})


def shown() -> Compiled:
    """A result that stays in LX for its reader and is cloned out for the host."""

    def function(x: Tensor) -> tuple[Tensor, Tensor]:
        negative = torch.neg(x)
        return negative, torch.exp(negative)

    return prepared(of(function, noise(8, 150)), 4, placement={"neg": "lx"})


def grouped() -> Compiled:
    """Attention in which query heads share keys and values, decided together: masks, zeros behind rows, a restickify,
    most of it in LX."""
    return prepared(CASES["C30"](), 4, JOINT)


MAKERS: frozendict[str, Callable[[], Compiled]] = frozendict(
    {make.__name__: make for make in (softmax, kept, summed, turned, padded, carried, shown, grouped)}
)


@cache
def compiled_case(name: str) -> Compiled:
    """One of them, compiled once."""
    return MAKERS[name]()
