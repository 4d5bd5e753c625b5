"""Examples exported as KTIR, run on the interpreter, and judged by what PyTorch computes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
import torch
from frozendict import frozendict

from compiler.compilation import Compilation
from compiler.device import Device, load_device
from compiler.emit.ktir import Module, ktir_module
from compiler.emit.op_specs import Specified, op_specs
from compiler.pins import Pins
from compiler.pipelines import PIPELINES
from compiler.read.ktir import read_ktir
from simulator.functional.compare import compare
from simulator.functional.uncertainty import Uncertainty
from simulator.ktir.host import device_memory, host_outputs
from simulator.ktir.machine import DeviceMemory, run
from simulator.ktir.memory import Array
from simulator.report import Agreement
from tests.end_to_end.harness import compiled, model

EXAMPLES = ("softmax", "mlp", "rmsnorm", "attention", "mismatch", "decoder")
MOVED = Pins(division=frozendict({"neg": frozendict({"i": 4}), "relu": frozendict({"j": 4})}))
"""For `mismatch`: neighbours divided differently."""
SUMMED = Pins(division=frozendict({"down.linear/matmul": frozendict({"m": 2, "k": 2})}))
"""For `mlp`: products whose sums are on two cores each."""
_MOVING = PIPELINES["co-optimized"].replace("cp-sat", "greedy")


@dataclass(frozen=True, slots=True)
class Exported:
    """A model of the harness, its compilation, and its KTIR."""

    model: str
    compilation: Compilation
    specified: Specified
    module: Module

    @property
    def text(self) -> str:
        """The module's text."""
        return self.module.text

    @property
    def memory(self) -> DeviceMemory:
        """Device memory with the inputs that PyTorch ran on."""
        inputs = {name: value.numpy() for name, value in model(self.model)[1].inputs.items()}
        return device_memory(self.compilation, self.specified, inputs)

    def run(self, text: str = "", device: Device | None = None) -> dict[str, Array]:
        """The outputs that its text computes, or another one in its place."""
        spyre = device or load_device("spyre")
        return self.outputs(run(read_ktir(text or self.text), self.module.arguments, self.memory, spyre))

    def outputs(self, arrays: Mapping[str, Array]) -> dict[str, Array]:
        """The outputs in device memory."""
        return host_outputs(self.compilation, arrays)

    def judge(self, outputs: Mapping[str, Array]) -> None:
        """An assertion for outputs that are further from PyTorch's than rounding explains, as in verification."""
        numbers, program = model(self.model)[1], self.compilation.program
        of = Uncertainty(program, numbers.inputs).of
        for view in program.outputs:
            got = torch.from_numpy(np.ascontiguousarray(outputs[view.name]))
            found = compare(got, numbers.outputs[view.name], partial(of, view))
            assert found.agreement in (Agreement.EQUAL, Agreement.ROUNDING), found


@cache
def exported(name: str, cores: int, pins: Pins | None = None) -> Exported:
    """An example for so many cores; with pins, copies over the ring are allowed."""
    compilation = compiled(name, cores, pins, pipeline=_MOVING if pins else "staged")
    assert compilation.ok
    specified = op_specs(compilation)
    module = ktir_module(specified.kernels, cores)
    assert not specified.limits
    assert not module.limits
    return Exported(name, compilation, specified, module)
