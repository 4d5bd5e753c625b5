"""Opaque calls: ops without a loop form run on the host, as PyTorch runs them.

Owns finding the operator and rebuilding its arguments.  Refuses everything but plain functional operators on tensors:
a name is looked up among registered operators only, never imported, and an operator that changes its arguments or
takes no tensor (reads files, say) is not called.  Products are widened as they are in the reference.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from compiler.dtypes import DType
from compiler.errors import InputError
from compiler.frontend.widened import is_widened, widened
from compiler.loops import OpaqueCall
from simulator.functional.elements import torch_dtype

_TARGET = re.compile(r"([A-Za-z][A-Za-z0-9_]*)\.([A-Za-z_][A-Za-z0-9_]*)\.([A-Za-z][A-Za-z0-9_]*)")


def call(request: OpaqueCall, tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """The results of the call; InputError if its operator or its arguments cannot be used."""
    operator = find(request.target)
    arguments = [_argument(request, text, tensors) for text in request.arguments]
    keywords = {name: _argument(request, text, tensors) for name, text in request.keywords}
    try:
        wide = is_widened(operator, tuple(arguments), keywords)
        found = widened(operator, tuple(arguments), keywords) if wide else operator(*arguments, **keywords)
    except (RuntimeError, TypeError, ValueError, IndexError) as error:
        raise _unusable(request.target, f"it fails on the host ({str(error).splitlines()[0]})") from error
    results = tuple(found) if isinstance(found, tuple | list) else (found,)
    if not all(isinstance(each, Tensor) for each in results):
        raise _unusable(request.target, "it returns something that is not a tensor")
    return results


def find(target: str) -> torch._ops.OpOverload:
    """The registered operator `namespace.name.overload`; InputError if there is none that may be called."""
    match = _TARGET.fullmatch(target)
    if not match or "__" in target:
        raise _unusable(target, "this is not the name of an operator")
    space, name, overload = match.groups()
    packet = getattr(getattr(torch.ops, space), name, None)
    found = getattr(packet, overload, None) if isinstance(packet, torch._ops.OpOverloadPacket) else None
    if not isinstance(found, torch._ops.OpOverload):
        raise _unusable(target, "no such operator is registered here")
    kinds = [str(argument.type) for argument in found._schema.arguments]
    if found._schema.is_mutable or not any("Tensor" in kind for kind in kinds):
        raise _unusable(target, "it is not a function of tensors")
    return found


def _argument(request: OpaqueCall, text: str, tensors: Sequence[Tensor]) -> object:
    try:
        return _rebuilt(json.loads(text), tensors)
    except (ValueError, TypeError, KeyError, IndexError) as error:
        raise _unusable(request.target, f"its argument {text!r} cannot be read") from error


def _rebuilt(plain: object, tensors: Sequence[Tensor]) -> object:
    """An argument from its JSON form: tensors by number, types and devices by name, lists of those, plain scalars."""
    if isinstance(plain, list):
        return [_rebuilt(each, tensors) for each in plain]
    if not isinstance(plain, dict):
        return plain
    (key, value), *rest = plain.items()
    if key == "read" and not rest and isinstance(value, int) and value >= 0:
        return tensors[value]
    if key not in _NAMED or rest or not isinstance(value, str):
        raise ValueError(f"{plain} stands for nothing")
    return _NAMED[key](value)


def _dtype(name: str) -> torch.dtype:
    found = torch_dtype(DType(name)) if name in list(DType) else getattr(torch, name, None)
    if not isinstance(found, torch.dtype):
        raise TypeError(f"{name} is not an element type")
    return found


def _constant(name: str) -> object:
    """A layout or a memory format of torch."""
    found = getattr(torch, name, None)
    if not isinstance(found, torch.layout | torch.memory_format):
        raise TypeError(f"{name} is neither a layout nor a memory format")
    return found


def _host(_: str) -> torch.device:
    """Whatever device the model was traced on, the call runs here."""
    return torch.device("cpu")


_NAMED: dict[str, Callable[[str], object]] = {"float": float, "dtype": _dtype, "torch": _constant, "device": _host}


def _unusable(target: str, why: str) -> InputError:
    return InputError(f"operator {target}", why, "import the module that defines it, or verify a model without it")
