"""ModelGraph from a traced program: the calls as the author wrote them.

Owns inputs, calls, scalar attributes and refusals that concern the trace itself: shapes with symbols, types without a
device format.  Refuses decompositions: it reads the graph before them.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind as TorchInputKind
from torch.export.graph_signature import InputSpec, OutputKind
from torch.utils import _pytree as pytree

from compiler.dtypes import BY_TORCH_NAME, DType
from compiler.errors import UnsupportedError
from compiler.frontend.origin import module_of, refusal, source_of, target_name
from compiler.graph import GraphInput, GraphNode, InputKind, ModelGraph, TensorType

# Their fake results claim to be plain tensors.
_FIXED = "capture the model again with fixed sizes"
_MASKED = "keep the size fixed, for instance by choosing with torch.where or a mask instead of picking elements out"
_QUANTISED = re.compile(r"(?:quantize_per_|quantized\.|fake_quantize)")
_KINDS = {
    TorchInputKind.USER_INPUT: InputKind.USER,
    TorchInputKind.PARAMETER: InputKind.PARAMETER,
    TorchInputKind.BUFFER: InputKind.BUFFER,
    TorchInputKind.CONSTANT_TENSOR: InputKind.CONSTANT,
}
_NO_DATA = (TorchInputKind.CUSTOM_OBJ, TorchInputKind.TOKEN)


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """One traced call and the names of what it reads."""

    node: torch.fx.Node
    inputs: tuple[str, ...]


def model_graph(name: str, program: ExportedProgram) -> ModelGraph:
    """The traced graph; UnsupportedError for symbols in shapes and for types the device has no format for."""
    placeholders = {node.name: node for node in program.graph.nodes if node.op == "placeholder"}
    inputs = tuple(
        graph_input(spec, placeholders[spec.arg.name])
        for spec in program.graph_signature.input_specs
        if isinstance(placeholders[spec.arg.name].meta.get("val"), torch.Tensor) or spec.kind in _NO_DATA
    )
    calls, roots = calls_of(program)
    outputs = tuple(roots[node] for _, node in tensor_outputs(program))
    return ModelGraph(name, inputs, tuple(_node(call) for call in calls), outputs)


def calls_of(program: ExportedProgram) -> tuple[list[Call], dict[torch.fx.Node, str]]:
    """Every call in trace order, with those inside `with torch.no_grad()` and the like; and the name behind each node.

    The name behind a part of a result is that of the call.  UnsupportedError for control flow.
    """
    calls: list[Call] = []
    roots = {node: str(node.name) for node in program.graph.nodes if node.op == "placeholder"}
    _walk(program.graph_module, roots, calls)
    return calls, roots


def _walk(module: torch.fx.GraphModule, roots: dict[torch.fx.Node, str], calls: list[Call]) -> list[str]:
    """Add the calls of a graph and the names behind its nodes; returns the names behind its results."""
    results: dict[torch.fx.Node, list[str]] = {}
    for node in module.graph.nodes:
        if node.op == "output":
            return [roots[result] for result in node.all_input_nodes]
        if node.op != "call_function":
            continue
        if node.target is operator.getitem:
            base, place = node.args
            roots[node] = results[base][place] if base in results else roots[base]
        elif isinstance(node.target, torch._ops.HigherOrderOperator):
            results[node] = _walk_inside(module, node, roots, calls)
        elif node.users or pytree.tree_leaves(node.meta.get("val")):  # a check at run time has neither
            calls.append(Call(node, tuple(roots[source] for source in node.all_input_nodes)))
            roots[node] = str(node.name)
    return []


def _walk_inside(
    module: torch.fx.GraphModule, node: torch.fx.Node, roots: dict[torch.fx.Node, str], calls: list[Call]
) -> list[str]:
    """The calls inside `with torch.no_grad()` or autocast."""
    if not target_name(node.target).startswith("wrap_with_"):
        why = "what it computes is only known when it runs (control flow)"
        raise refusal(node, why, "compute both sides and choose with torch.where")
    bodies = [value for value in node.all_input_nodes if value.op == "get_attr"]
    body = getattr(module, str(bodies[0].target))
    given = [roots[value] for value in node.all_input_nodes if value.op != "get_attr"]
    inside = [value for value in body.graph.nodes if value.op == "placeholder"]
    roots.update(zip(inside, given, strict=True))
    return _walk(body, roots, calls)


def graph_input(spec: InputSpec, node: torch.fx.Node) -> GraphInput:
    """One input with its kind and its dotted path or argument name."""
    if spec.kind not in _KINDS:
        raise refusal(node, f"the model takes an input of the kind {spec.kind.name.lower()}", "pass tensors only")
    value = node.meta["val"]
    path = str(spec.target) if spec.target else str(spec.arg.name)
    return GraphInput(node.name, _KINDS[spec.kind], _type(value, node, f"input {path}"), path)


def tensor_outputs(program: ExportedProgram) -> Iterator[tuple[str, torch.fx.Node]]:
    """Name and node of every tensor the model returns or updates in place."""
    last = next(node for node in reversed(list(program.graph.nodes)) if node.op == "output")
    found = list(zip(program.graph_signature.output_specs, last.args[0], strict=True))
    tensors = [(spec, node) for spec, node in found if isinstance(node, torch.fx.Node)]
    users = sum(spec.kind is OutputKind.USER_OUTPUT for spec, _ in tensors)
    if not tensors:
        raise UnsupportedError("this model", "it returns no tensor", "return the tensors that are wanted")
    number = 0  # a tensor that is returned twice has two equal specs, and two names
    for spec, node in tensors:
        if not isinstance(node.meta.get("val"), torch.Tensor):
            raise refusal(node, "the model returns a number that is only known when it runs", "return tensors only")
        if spec.kind is OutputKind.USER_OUTPUT:
            yield ("output" if users == 1 else f"output.{number}"), node
            number += 1
        else:
            yield f"{spec.target}.updated", node


def _node(call: Call) -> GraphNode:
    node = call.node
    leaves = pytree.tree_leaves(node.meta.get("val"))
    if any(isinstance(leaf, torch.SymInt | torch.SymFloat | torch.SymBool) for leaf in leaves):
        raise refusal(node, "its result is a number that is only known when it runs", "keep it in a tensor")
    tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
    return GraphNode(
        name=str(node.name),
        target=target_name(node.target),
        inputs=call.inputs,
        types=tuple(_type(tensor, node, "its result") for tensor in tensors),
        attributes=_attributes(node),
        module=module_of(node),
        source=source_of(node),
    )


def _attributes(node: torch.fx.Node) -> tuple[tuple[str, str], ...]:
    """Arguments that are no tensors, by the name the schema gives them."""
    schema = node.target._schema.arguments if isinstance(node.target, torch._ops.OpOverload) else []
    names = [argument.name for argument in schema]
    given = [(names[n] if n < len(names) else str(n), value) for n, value in enumerate(node.args)]
    scalars = [*given, *sorted(node.kwargs.items())]
    return tuple((name, str(value)) for name, value in scalars if not _holds_nodes(value))


def _holds_nodes(value: object) -> bool:
    return any(isinstance(leaf, torch.fx.Node) for leaf in pytree.tree_leaves(value)) or value is None


def _type(value: torch.Tensor, node: torch.fx.Node, what: str) -> TensorType:
    shape = []
    sizes: tuple[object, ...] = tuple(value.shape)
    for size in sizes:
        if not isinstance(size, int):
            raise refusal(
                node,
                f"{what} has the shape [{', '.join(map(str, value.shape))}], which is not known before it runs",
                _FIXED if node.op == "placeholder" else _MASKED,
            )
        shape.append(size)
    return TensorType(element_type(value.dtype, node, what), tuple(shape))


def element_type(dtype: torch.dtype, node: torch.fx.Node, what: str) -> DType:
    """Our name of a type; UnsupportedError names the call, the line and the type."""
    if _QUANTISED.search(str(node.target)):
        raise refusal(node, "it makes a quantised tensor, which the device has no format for", "use int8 and a scale")
    name = str(dtype).removeprefix("torch.")
    if name in BY_TORCH_NAME:
        return BY_TORCH_NAME[name]
    remedy = "use float16, bfloat16, float32 or an integer type"
    if node.op == "placeholder":
        raise UnsupportedError(what, f"its element type is {name}, which the device has no format for", remedy)
    raise refusal(node, f"{what} has the element type {name}, which the device has no format for", remedy)
