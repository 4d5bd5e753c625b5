"""Which call targets of an archive may be looked up in torch.

Owns the allow-list: ATen and prims operators of the dispatcher, without the few that touch files, streams or global
state, and two wrappers that the exporter puts around parts of a graph. torch resolves a target by attribute look-up,
which would find any function of the package (`torch.load`, `torch.ops.aten.save`), so everything else is refused by
name.
"""

from __future__ import annotations

import re
from functools import cache

import torch

_OPERATOR = re.compile(r"torch\.ops\.(\w+)\.(\w+)(?:\.(\w+))?")
_NAMESPACES = ("aten", "prims")
# These reach beyond their operands: a file, the terminal, streams, storages, process-wide settings, the autograd
# engine.
_DENIED = frozenset(
    {
        *("from_file", "_print", "record_stream", "set", "set_", "set_data", "_backward", "_propagate_xla_data"),
        *("_cufft_set_plan_cache_max_size", "_cufft_clear_plan_cache"),
    }
)
WRAPPERS = frozenset({"torch.ops.higher_order.wrap_with_set_grad_enabled", "torch.ops.higher_order.wrap_with_autocast"})
# Nodes of shape arithmetic: their values are computed from the sizes, so that the nodes themselves are dropped.
SHAPE_CHECKS = frozenset(
    f"torch.ops.aten.{name}.default"
    for name in ("_assert_scalar", "sym_constrain_range", "sym_constrain_range_for_size")
)


def is_allowed(target: str) -> bool:
    """True if a node of an archive may call `target`."""
    if target in WRAPPERS:
        return True
    match = _OPERATOR.fullmatch(target)
    if not match or match[1] not in _NAMESPACES or match[2] in _DENIED:
        return False
    return f"{match[1]}::{match[2]}.{match[3]}" in _operators()


def explain(target: str) -> tuple[str, str, str]:
    """What a refused target is called, why it is refused, and what to do."""
    match = _OPERATOR.fullmatch(target)
    if not match:
        return target, "it is not an operator, so that a model file may not call it", "export the model again"
    name = f"{match[1]}::{match[2]}"
    if match[1] == "higher_order":
        return name, "it chooses at run time what is computed", "export the model without data-dependent control flow"
    if match[1] in _NAMESPACES:
        known = match[2] in _DENIED
        why = "it reaches beyond its operands" if known else f"torch {torch.__version__} has no such operator"
        return name, why, "export the model without it" if known else "save the file again with torch 2.13"
    return (
        name,
        "it is an operator of another package, whose code is not part of the file",
        "write a .py file that imports the package and builds the model, and open it as FILE.py:FACTORY",
    )


@cache
def _operators() -> frozenset[str]:
    """`namespace::name.overload` of every operator of the dispatcher; TorchScript's own are not among them."""
    names = torch._C._dispatch_get_all_op_names()
    wanted = [name for name in names if name.startswith(tuple(f"{space}::" for space in _NAMESPACES))]
    return frozenset(name if "." in name else f"{name}.default" for name in wanted)
