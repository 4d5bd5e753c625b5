"""Effect tokens: how PyTorch keeps calls with side effects in order, taken out of a decomposed program.

Owns dropping checks at run time, which compute nothing, with the tokens that order them.  Refuses every other effect
by the name of its call: printing or writing is nothing that a device does.
"""

from __future__ import annotations

import operator

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, OutputKind

from compiler.errors import UnsupportedError
from compiler.frontend.origin import source_of, target_name

_CHECKS = ("aten._linalg_check_errors.",)


def without_tokens(program: ExportedProgram) -> ExportedProgram:
    """The program without effect tokens, changed in place; UnsupportedError for an effect that is no check."""
    signature = program.graph_signature
    if all(spec.kind is not InputKind.TOKEN for spec in signature.input_specs):
        return program
    graph = program.graph
    for node in list(graph.nodes):
        if node.op == "call_function" and node.target is torch.ops.higher_order.with_effects:
            _drop(graph, node)
    last = next(node for node in reversed(list(graph.nodes)) if node.op == "output")
    kept = [spec.kind is not OutputKind.TOKEN for spec in signature.output_specs]
    last.args = (tuple(result for result, stays in zip(last.args[0], kept, strict=True) if stays),)
    signature.output_specs[:] = [spec for spec, stays in zip(signature.output_specs, kept, strict=True) if stays]
    tokens = {spec.arg.name for spec in signature.input_specs if spec.kind is InputKind.TOKEN}
    for node in [node for node in graph.nodes if node.op == "placeholder" and node.name in tokens]:
        graph.erase_node(node)
    signature.input_specs[:] = [spec for spec in signature.input_specs if spec.kind is not InputKind.TOKEN]
    program.graph_module.recompile()
    return program


def _drop(graph: torch.fx.Graph, node: torch.fx.Node) -> None:
    """Leave a check out: who waits for it waits for what it waited for."""
    token, call = node.args[0], node.args[1]
    if not target_name(call).startswith(_CHECKS):
        source = source_of(node)
        what = f"{target_name(call)} ({source})" if source else target_name(call)
        raise UnsupportedError(what, "it does more than compute its result", "leave that call out of the model")
    assert isinstance(token, torch.fx.Node), "the first argument of an effect is its token"
    for part in list(node.users):
        assert part.target is operator.getitem, "only parts of what an effect returns are used"
        part.replace_all_uses_with(token)
        graph.erase_node(part)
    graph.erase_node(node)
