"""Where a call comes from: the author's line, module and ATen call, and refusals that name them.

Owns reading the provenance that tracing leaves on FX nodes.  Refuses machine paths: a source is `file.py:line`.
"""

from __future__ import annotations

import re
from collections.abc import Container
from pathlib import Path, PurePath

import torch

from compiler.errors import UnsupportedError

_FRAME = re.compile(r'File "([^"]+)", line (\d+)')
# How tracing names the module that it was given.
_ROOT = re.compile(r"^(?:L\['\w+'\]|L__self__)")
_OURS = Path(__file__).parent
# Frames of PyTorch itself say nothing to the author of a model.
_LIBRARY = re.compile(
    r"(?:site|dist)-packages[\\/]torch[\\/]|[\\/]torch[\\/](?:nn|fx|_\w+|utils|functional|export)[\\/.]"
)


def is_authors(path: str) -> bool:
    """True for a file that is neither PyTorch's nor this program's, nor code made up at run time."""
    return not (_LIBRARY.search(path) or path.startswith("<") or Path(path).is_relative_to(_OURS))


def source_of(node: torch.fx.Node) -> str:
    """`file.py:line` of the last frame of the author's code, '' if unknown."""
    frames = _FRAME.findall(node.meta.get("stack_trace") or "")
    own = [frame for frame in frames if is_authors(frame[0])]
    if not own:
        return ""
    path, line = own[-1]
    return f"{PurePath(path.replace(chr(92), '/')).name}:{line}"


def module_of(node: torch.fx.Node) -> str:
    """Dotted path of the module whose forward made the call, '' for the root."""
    stack = node.meta.get("nn_module_stack") or {}
    paths = [path for path, _ in stack.values()]
    return _ROOT.sub("", str(paths[-1])).strip(".") if paths else ""


def traced_name(node: torch.fx.Node, calls: Container[str]) -> str:
    """Name of the call of the traced graph that the node was made for; the node's own if none of `calls` is it."""
    steps = list(node.meta.get("from_node") or [])
    while steps:
        step = steps.pop()
        if step.name in calls:
            return str(step.name)
        steps += step.from_node
    return str(node.name)


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
