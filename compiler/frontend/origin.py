"""Where a call comes from: the author's line, module and ATen call, and refusals that name them.

Owns reading the provenance that tracing leaves on FX nodes.  Refuses machine paths: a source is `file.py:line`.
"""

from __future__ import annotations

import re
from pathlib import PurePath

import torch

from compiler.errors import UnsupportedError

_FRAME = re.compile(r'File "([^"]+)", line (\d+)')
# Frames of PyTorch itself say nothing to the author of a model.
_LIBRARY = re.compile(
    r"(?:site|dist)-packages[\\/]torch[\\/]|[\\/]torch[\\/](?:nn|fx|_\w+|utils|functional|export)[\\/.]"
)


def source_of(node: torch.fx.Node) -> str:
    """`file.py:line` of the last frame of the author's code, '' if unknown."""
    frames = _FRAME.findall(node.meta.get("stack_trace") or "")
    own = [frame for frame in frames if not _LIBRARY.search(frame[0])]
    if not own:
        return ""
    path, line = own[-1]
    return f"{PurePath(path.replace(chr(92), '/')).name}:{line}"


def module_of(node: torch.fx.Node) -> str:
    """Dotted path of the module whose forward made the call, '' for the root."""
    stack = node.meta.get("nn_module_stack") or {}
    paths = [path for path, _ in stack.values()]
    return str(paths[-1]).removeprefix("L['self']").removeprefix("L__self__").strip(".") if paths else ""


def traced_name(node: torch.fx.Node) -> str:
    """Name of the call in the graph before decomposition."""
    chain = node.meta.get("from_node") or []
    if not chain:
        return str(node.name)
    step = chain[-1]
    while step.from_node:
        step = step.from_node[-1]
    return str(step.name)


def target_name(target: object) -> str:
    """`aten.add.Tensor`, `casebook.opaque.default`, or the name of a Python function."""
    if isinstance(target, torch._ops.OpOverload):
        return str(target)
    return str(getattr(target, "__name__", target))


def refusal(node: torch.fx.Node | None, why: str, remedy: str = "") -> UnsupportedError:
    """An UnsupportedError that names the call and the author's line."""
    if node is None:
        return UnsupportedError("this model", why, remedy or "change the model")
    source = source_of(node)
    what = f"{target_name(node.target)} ({source})" if source else target_name(node.target)
    return UnsupportedError(what, why, remedy or "rewrite that line with other calls")
