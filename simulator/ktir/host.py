"""Host numbers in and out of the device memory that KTIR programs run on.

Owns which buffer of a compilation lies where in its flat array, and what the host writes there before a program
starts.  Refuses to run anything.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from frozendict import frozendict
from numpy.typing import NDArray

from compiler.compilation import Compilation
from compiler.dtypes import DType
from compiler.emit.op_specs import Specified
from compiler.errors import InputError
from compiler.formats.opspec import KernelArgument
from compiler.layout import StickLayout
from compiler.loops import BufferKind
from compiler.program import Memory
from simulator.ktir.machine import DeviceMemory
from simulator.ktir.memory import Array

_TYPES: Final[frozendict[DType, np.dtype[np.generic]]] = frozendict(
    {
        DType.F16: np.dtype(np.float16),
        DType.F32: np.dtype(np.float32),
        DType.BOOL: np.dtype(np.float16),
        DType.I32: np.dtype(np.int32),
        DType.I64: np.dtype(np.int32),
    }
)


def device_memory(compilation: Compilation, specified: Specified, inputs: Mapping[str, Array]) -> DeviceMemory:
    """Device memory before the first kernel: the inputs (host arrays by buffer name) and constants in their layouts,
    and room for what is computed.

    Floats that no element of the host lies on are NaN, or 0 in a layout with padding.  Raises InputError for an
    input that is missing, has another shape, or element types that KTIR has no memory for.
    """
    arrays: dict[str, Array] = {}
    filled: set[str] = set()
    for tensor in compilation.program.tensors:
        if tensor.memory is Memory.LX:
            continue
        arrays[tensor.name] = _blank(tensor.name, tensor.layout, tensor.dtype)
        if tensor.kind is BufferKind.COMPUTED:
            continue
        given = inputs.get(tensor.name)
        if given is None or given.shape != tensor.shape:
            why = "there are no numbers for it" if given is None else f"its shape is {given.shape}, not {tensor.shape}"
            raise InputError(f"input {tensor.name}", why, "give an array of its shape for every input")
        places = tensor.layout.positions(_offsets(tensor.shape, tensor.strides))
        arrays[tensor.name][places] = given.astype(arrays[tensor.name].dtype)
        filled.add(tensor.name)
    numbered = {argument.name: argument for kernel in specified.kernels for argument in kernel.arguments}
    for name, constant in specified.constants.items():
        argument = numbered[name]
        layout = _layout(argument)
        arrays[name] = _blank(name, layout, constant.dtype)
        places = layout.positions(_offsets(argument.shape, argument.strides))
        arrays[name][places] = constant.values().reshape(argument.shape).astype(arrays[name].dtype)
        filled.add(name)
    return DeviceMemory(arrays, frozenset(filled))


def host_outputs(compilation: Compilation, arrays: Mapping[str, Array]) -> dict[str, Array]:
    """The outputs of the model by name, each of its shape, out of device memory."""
    tensors = compilation.program.tensor_map
    found: dict[str, Array] = {}
    for view in compilation.program.outputs:
        offsets = view.offset + _offsets(view.shape, view.strides)
        found[view.name] = arrays[view.buffer][tensors[view.buffer].layout.positions(offsets)]
    return found


def _blank(name: str, layout: StickLayout, dtype: DType) -> Array:
    if dtype not in _TYPES:
        raise InputError(f"tensor {name}", f"KTIR has no memory for {dtype.value}", "export it in another format")
    kind = _TYPES[dtype]
    return np.full(math.prod(layout.device_size), np.nan if kind.kind == "f" and not layout.padding else 0, kind)


def _layout(argument: KernelArgument) -> StickLayout:
    """Where its elements lie; how its dims were asked for does not matter for that."""
    return StickLayout(argument.device_size, argument.stride_map, ())


def _offsets(shape: Sequence[int], strides: Sequence[int]) -> NDArray[np.int64]:
    """The host offset of every element."""
    total = np.zeros(tuple(shape), np.int64)
    for place, (size, stride) in enumerate(zip(shape, strides, strict=True)):
        total += (np.arange(size, dtype=np.int64) * stride).reshape(-1, *[1] * (len(shape) - 1 - place))
    return total
