"""Examples exported as KTIR, run on the interpreter, and judged by what PyTorch computes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial

import torch

from compiler.compilation import Compilation
from compiler.device import load_device
from compiler.emit.ktir import Module, Spelling, ktir_module
from compiler.emit.op_specs import Specified, op_specs
from compiler.frontend.eager import Reference
from compiler.read.ktir import read_ktir
from simulator.functional.compare import compare
from simulator.functional.uncertainty import Uncertainty
from simulator.ktir.host import device_memory, host_outputs
from simulator.ktir.machine import DeviceMemory, run
from simulator.ktir.memory import Array
from simulator.report import Comparison
from tests.end_to_end.harness import compiled, model

EXAMPLES = ("softmax", "mlp", "rmsnorm", "attention", "mismatch", "decoder")


@cache
def exported(name: str, cores: int, spelling: Spelling = Spelling.NEW) -> Module:
    """The KTIR of an example."""
    return ktir_module(specified(name, cores).kernels, cores, spelling)


@cache
def specified(name: str, cores: int) -> Specified:
    """Its op specifications, which have to say all of it."""
    found = op_specs(compiled(name, cores))
    assert not found.limits
    return found


def memory_of(name: str, cores: int) -> DeviceMemory:
    """Device memory with the inputs that PyTorch ran on."""
    inputs = {key: value.numpy() for key, value in model(name)[1].inputs.items()}
    return device_memory(compiled(name, cores), specified(name, cores), inputs)


def run_text(name: str, cores: int, text: str) -> dict[str, Array]:
    """The outputs that a text computes for an example."""
    compilation = compiled(name, cores)
    arrays = run(read_ktir(text), exported(name, cores).arguments, memory_of(name, cores), load_device("spyre"))
    return host_outputs(compilation, arrays)


def judged(compilation: Compilation, numbers: Reference, outputs: Mapping[str, Array]) -> list[Comparison]:
    """Every output compared with PyTorch's; how far rounding may move it is as in verification."""
    of = Uncertainty(compilation.program, numbers.inputs).of
    return [
        compare(torch.from_numpy(outputs[view.name]), numbers.outputs[view.name], partial(of, view))
        for view in compilation.program.outputs
    ]
