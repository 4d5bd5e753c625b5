"""Factories: `file.py:function?name=value` builds a module and example arguments.

Owns running the author's file and keeping weights fake.  Refuses results that are not `(module,
args)` or `(module, args, kwargs)`.  It runs the author's code, so it belongs into the model process.
"""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from types import ModuleType

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv
from torch.utils import _pytree as pytree

from compiler.errors import InputError
from compiler.frontend.capture import author_line, quiet, shortened
from compiler.frontend.specs import FactorySpec, Parameter


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """What a factory returned."""

    module: torch.nn.Module
    args: tuple[object, ...]
    kwargs: Mapping[str, object]


def build(spec: FactorySpec, *, real: bool = False) -> Example:
    """Run the factory; unless `real`, parameters and arguments come out as fake tensors of one mode."""
    function = _function(spec)
    parameters = _checked(spec, function)
    if real:
        return _example(spec, _run(spec, function, parameters, []))
    # Without symbols until the module stands, so that reading a number out of a fake tensor fails at once.
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    returned: object = None
    # Some constructors read numbers out of tensors, which a fake one has not: then build on `meta`, at last for real.
    attempts: list[list[AbstractContextManager[object]]] = [[mode], [torch.device("meta")], []]
    for attempt, contexts in enumerate(attempts):
        try:
            returned = _run(spec, function, parameters, contexts)
            break
        except InputError:
            if attempt == len(attempts) - 1:
                raise
    mode.shape_env = ShapeEnv()
    return faked(_example(spec, returned), mode)


def _run(
    spec: FactorySpec,
    function: Callable[..., object],
    parameters: Mapping[str, Parameter],
    contexts: list[AbstractContextManager[object]],
) -> object:
    future = torch.__future__
    before = future.get_overwrite_module_params_on_conversion()
    # module.half() assigns into a parameter's data, which a fake parameter does not allow; a new parameter it does.
    future.set_overwrite_module_params_on_conversion(True)
    default = torch.get_default_dtype()
    try:
        with torch.no_grad(), quiet(), ExitStack() as stack:
            for context in contexts:
                stack.enter_context(context)
            return function(**parameters)
    except SystemExit as error:
        raise _ended(f"{spec.path.name}:{spec.function}", "factory", error) from error
    except Exception as error:
        why = f"{spec.function}() failed with {type(error).__name__}{_place(error)} ({shortened(error)})"
        raise InputError(f"{spec.path.name}:{spec.function}", why, "correct the factory") from error
    finally:
        torch.set_default_dtype(default)
        future.set_overwrite_module_params_on_conversion(before)


def _function(spec: FactorySpec) -> Callable[..., object]:
    module = _load(spec)
    function = getattr(module, spec.function, None)
    if callable(function):
        return function  # type: ignore[no-any-return]
    own = [
        name
        for name, value in vars(module).items()
        if inspect.isfunction(value) and value.__module__ == module.__name__ and not name.startswith("_")
    ]
    known = f"choose one of {', '.join(own)}" if own else "define it there"
    raise InputError(str(spec.path.name), f"it has no function {spec.function}", known)


def _load(spec: FactorySpec) -> ModuleType:
    name = f"_model_{spec.path.stem}"
    found = importlib.util.spec_from_file_location(name, spec.path)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module
    sys.path.insert(0, str(spec.path.resolve().parent))  # so that it may import its neighbours
    try:
        with quiet():
            found.loader.exec_module(module)
    except SystemExit as error:
        raise _ended(spec.path.name, "file", error) from error
    except Exception as error:
        why = f"Python cannot run it, {type(error).__name__}{_place(error)} ({shortened(error)})"
        raise InputError(spec.path.name, why, "correct the file") from error
    finally:
        sys.path.pop(0)
    return module


def _ended(what: str, part: str, error: SystemExit) -> InputError:
    place = _place(error)
    return InputError(what, f"the {part} ended the process with sys.exit{place}", "let it return instead")


def _place(error: BaseException) -> str:
    """` at file.py:line`, of the author's last line before the error."""
    line = author_line(error)
    return f" at {line}" if line else ""


def _checked(spec: FactorySpec, function: Callable[..., object]) -> dict[str, Parameter]:
    given = dict(spec.parameters)
    taken = inspect.signature(function).parameters
    free = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in taken.values())
    unknown = [name for name in given if name not in taken and not free]
    if unknown:
        known = f"it takes {', '.join(taken)}" if taken else "it takes no parameters"
        raise InputError(f"{spec.path.name}:{spec.function}", f"it has no parameter {unknown[0]}", known)
    for name, value in given.items():
        default = taken[name].default if name in taken else None
        if isinstance(value, str) and isinstance(default, int | float):
            why = f"its parameter {name} is {value!r} and not a number"
            raise InputError(f"{spec.path.name}:{spec.function}", why, f"write it as {name}={default}")
    return given


def _example(spec: FactorySpec, returned: object) -> Example:
    what = f"{spec.path.name}:{spec.function}"
    remedy = "return (module, example_args) or (module, args, kwargs)"
    if not isinstance(returned, tuple) or len(returned) not in {2, 3}:
        raise InputError(what, f"it returns {type(returned).__name__}, not a pair", remedy)
    module, args = returned[:2]
    kwargs = returned[2] if len(returned) == 3 else {}
    if not isinstance(module, torch.nn.Module):
        raise InputError(what, f"the first thing it returns is {type(module).__name__}, not a torch.nn.Module", remedy)
    if not isinstance(args, tuple | list) or not isinstance(kwargs, dict):
        raise InputError(what, "its arguments are not a tuple (and a dict)", remedy)
    return Example(module.eval(), tuple(args), kwargs)


def faked(example: Example, mode: FakeTensorMode) -> Example:
    """The same with every tensor that is not fake, or of another mode, replaced by one of its shape and strides."""
    seen: dict[torch.Tensor, torch.Tensor] = {}

    def fake(value: object) -> object:
        if not isinstance(value, torch.Tensor) or _is_fake(value, mode):
            return value
        if value not in seen:
            with mode:
                seen[value] = torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device="cpu")
        return seen[value]

    for module in example.module.modules():
        for name, parameter in module._parameters.items():
            if parameter is not None and not _is_fake(parameter, mode):
                module._parameters[name] = torch.nn.Parameter(fake(parameter), requires_grad=False)  # type: ignore[arg-type]
        for name, buffer in module._buffers.items():
            module._buffers[name] = fake(buffer)  # type: ignore[assignment]
    args, kwargs = pytree.tree_map(fake, (example.args, dict(example.kwargs)))
    return Example(example.module, args, kwargs)


def _is_fake(value: torch.Tensor, mode: FakeTensorMode) -> bool:
    return isinstance(value, FakeTensor) and value.fake_mode is mode and value.device.type == "cpu"
