"""Exported programs on the public interpreter, where the variable KTIR_CPU_PYTHON names a python that has it.

Owns what is handed over in files and what comes back.  A scratchpad is a list of allocations there, of one element type
each, and loaded tiles are put into it from address 0 on.  So programs come in two forms: with every tensor in device
memory; or, where all that is kept in LX is f16, with LX tensors far above those tiles, over zeros that are there from
the start.  Refuses to import the interpreter here: it may need another version of Python.
"""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np

from compiler.emit.ktir import Module, ktir_module
from compiler.emit.ktir_document import ktir_parts
from compiler.formats.opspec import KernelSpec, OpSpec, Place, Room, TensorArg
from compiler.read.ktir import read_ktir
from simulator.ktir.memory import Array
from tests.simulator.ktir.exported import Exported

PYTHON = os.environ.get("KTIR_CPU_PYTHON", "")
FAR_ELEMENTS = 1 << 40
_SCRIPT = Path(__file__).with_name("outside_script.py")
_LOCAL = re.compile(r"(memory_view )(%c\d+)(, .*memory_space = #ktdp.memory_space<ct_local)")


def run_in_device_memory(example: Exported, folder: Path) -> dict[str, Array]:
    """The outputs of an example whose tensors are all in device memory."""
    kernels = [_without_lx(kernel) for kernel in example.specified.kernels]
    return _run(example, ktir_module(kernels, example.compilation.program.cores), folder)


def run_in_lx(example: Exported, folder: Path) -> dict[str, Array]:
    """The outputs of an example that keeps tensors in LX."""
    program = example.compilation.program
    module = ktir_module(example.specified.kernels, program.cores, clear_bytes=program.lx_bytes)
    return _run(example, replace(module, text=_far(module.text)), folder)


def _without_lx(kernel: KernelSpec) -> KernelSpec:
    return replace(kernel, body=tuple(_op_without_lx(op) for op in kernel.ops()))


def _op_without_lx(op: OpSpec) -> OpSpec:
    args = tuple(_arg_without_lx(arg) for arg in op.args)
    return replace(op, op="identity" if op.op == "shuffle" else op.op, args=args)


def _arg_without_lx(arg: TensorArg) -> TensorArg:
    if arg.place.room is not Room.LX:
        return arg
    assert arg.name
    return replace(arg, place=Place(Room.POOL, 0), division=None)


def _far(text: str) -> str:
    """The text with every address in LX so much higher."""
    values = dict(re.findall(r"(%c\d+) = arith.constant (\d+) : index", text))
    used = dict.fromkeys(found[1] for found in _LOCAL.findall(text))
    far = [f"    {name}_far = arith.constant {int(values[name]) + FAR_ELEMENTS} : index\n" for name in used]
    head, id_line, rest = text.partition("    %id = ")
    return head + "".join(far) + id_line + _LOCAL.sub(r"\1\2_far\3", rest)


def _run(example: Exported, module: Module, folder: Path) -> dict[str, Array]:
    assert not module.limits
    functions = {function.name: function for function in read_ktir(module.text).functions}
    calls = [
        [name, [each.removeprefix("%") for each in functions[name].parameters], list(buffers)]
        for name, buffers in module.arguments
    ]
    arrays = dict(example.memory.arrays)
    for tensor in example.compilation.program.tensors:
        kind = np.float16 if tensor.layout.element_bytes == np.dtype(np.float16).itemsize else np.float32
        arrays.setdefault(tensor.name, np.zeros(math.prod(tensor.layout.device_size), kind))
    names = list(arrays)
    text = "".join(ktir_parts(module, example.compilation.plan))  # as it is exported, with its specifications
    (folder / "module.mlir").write_text(text, encoding="utf-8")
    (folder / "calls.json").write_text(json.dumps({"names": names, "calls": calls}), encoding="utf-8")
    for place, name in enumerate(names):
        np.save(folder / f"{place}.npy", arrays[name])
    done = subprocess.run([PYTHON, str(_SCRIPT), str(folder)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return example.outputs({name: np.load(folder / f"{place}.npy") for place, name in enumerate(names)})
