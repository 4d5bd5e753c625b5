"""Opaque calls: ATen or custom calls with no loop form, written down so that the host can run them.

Owns the JSON texts of their arguments.  Refuses arguments that are not data (generators, scripts).
"""

from __future__ import annotations

import json

import torch
from torch._inductor import ir

from compiler.dtypes import BY_TORCH_NAME
from compiler.frontend.body import BodyError
from compiler.frontend.inductor import Opaque
from compiler.frontend.origin import target_name
from compiler.loops import OpaqueCall


def opaque_call(step: Opaque) -> tuple[OpaqueCall, tuple[ir.Buffer, ...]]:
    """The call and the tensors it reads, each once; `{"read": n}` in its arguments is the n-th of them."""
    tensors: list[ir.Buffer] = []
    arguments = tuple(_text(value, tensors) for value in step.arguments)
    keywords = tuple((name, _text(value, tensors)) for name, value in sorted(step.keywords.items()))
    return OpaqueCall(target_name(step.target), arguments, keywords), tuple(tensors)


def opaque_results(step: Opaque) -> tuple[tuple[str, ir.Buffer], ...]:
    """Each result with the suffix of its buffer: '' for a single one, else `.values`, `.1`, ..."""
    if len(step.results) == 1:
        return (("", step.results[0]),)
    returns = step.target._schema.returns
    names = [item.name or str(place) for place, item in enumerate(returns)]
    if len(names) != len(step.results):
        names = [str(place) for place in range(len(step.results))]
    return tuple((f".{name}", result) for name, result in zip(names, step.results, strict=True))


def _text(value: object, tensors: list[ir.Buffer]) -> str:
    return json.dumps(_data(value, tensors), sort_keys=True)


def _data(value: object, tensors: list[ir.Buffer]) -> object:
    if isinstance(value, ir.Buffer):
        if value not in tensors:
            tensors.append(value)
        return {"read": tensors.index(value)}
    if isinstance(value, list | tuple):
        return [_data(item, tensors) for item in value]
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else {"float": str(value)}
    if isinstance(value, torch.dtype):
        name = str(value).removeprefix("torch.")
        return {"dtype": str(BY_TORCH_NAME[name]) if name in BY_TORCH_NAME else name}
    if isinstance(value, torch.device):
        return {"device": value.type}
    if isinstance(value, torch.layout | torch.memory_format):
        return {"torch": str(value).removeprefix("torch.")}
    raise BodyError(f"has an argument of the kind {type(value).__name__}, which is not data")
