"""Opaque calls: ATen or custom calls with no loop form, written down so that the host can run them.

Owns the JSON texts of their arguments.  Refuses arguments that are not data (generators, scripts).
"""

from __future__ import annotations

import json
import math

import torch

from compiler.dtypes import BY_TORCH_NAME
from compiler.frontend.body import BodyError
from compiler.frontend.inductor import Opaque, Whole
from compiler.frontend.origin import target_name
from compiler.loops import OpaqueCall


def opaque_call(step: Opaque) -> tuple[OpaqueCall, tuple[str, ...]]:
    """The call and the buffers it reads, each once; `{"read": n}` in its arguments is the n-th of them.

    Other arguments that JSON has no form for: `{"float": "inf"}`, `{"dtype": "f16"}`, `{"device": "cpu"}`,
    `{"torch": "strided"}` (a layout or memory format).
    """
    buffers: list[str] = []
    arguments = tuple(_text(value, buffers) for value in step.arguments)
    keywords = tuple((name, _text(value, buffers)) for name, value in sorted(step.keywords.items()))
    return OpaqueCall(target_name(step.target), arguments, keywords), tuple(buffers)


def result_suffixes(step: Opaque) -> tuple[str, ...]:
    """What the buffer of each result adds to the name of the op: '' for a single one, else `.values`, `.1`, ..."""
    if len(step.results) == 1:
        return ("",)
    names = [item.name or str(place) for place, item in enumerate(step.target._schema.returns)]
    if len(names) != len(step.results):
        names = [str(place) for place in range(len(step.results))]
    return tuple(f".{name}" for name in names)


def _text(value: object, buffers: list[str]) -> str:
    return json.dumps(_data(value, buffers), sort_keys=True, allow_nan=False)


def _data(value: object, buffers: list[str]) -> object:
    if isinstance(value, Whole):
        if value.buffer not in buffers:
            buffers.append(value.buffer)
        return {"read": buffers.index(value.buffer)}
    if isinstance(value, list | tuple):
        return [_data(item, buffers) for item in value]
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": str(value)}
    if isinstance(value, torch.dtype):
        name = str(value).removeprefix("torch.")
        return {"dtype": str(BY_TORCH_NAME[name]) if name in BY_TORCH_NAME else name}
    if isinstance(value, torch.device):
        return {"device": value.type}
    if isinstance(value, torch.layout | torch.memory_format):
        return {"torch": str(value).removeprefix("torch.")}
    raise BodyError(f"has an argument of the kind {type(value).__name__}, which is not data")
