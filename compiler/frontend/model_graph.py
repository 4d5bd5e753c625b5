"""ModelGraph from a traced program: the calls as the author wrote them.

Owns inputs, calls, scalar attributes and refusals that concern the trace itself: shapes with symbols, types without a
device format.  Refuses decompositions: it reads the graph before them.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind as TorchInputKind
from torch.export.graph_signature import InputSpec, OutputKind
from torch.utils import _pytree as pytree

from compiler.dtypes import BY_TORCH_NAME, DType
from compiler.errors import UnsupportedError
from compiler.frontend.origin import module_of, refusal, source_of, target_name
from compiler.graph import GraphInput, GraphNode, InputKind, ModelGraph, TensorType

_KINDS = {
    TorchInputKind.USER_INPUT: InputKind.USER,
    TorchInputKind.PARAMETER: InputKind.PARAMETER,
    TorchInputKind.BUFFER: InputKind.BUFFER,
    TorchInputKind.CONSTANT_TENSOR: InputKind.CONSTANT,
}


def model_graph(name: str, program: ExportedProgram) -> ModelGraph:
    """The traced graph; UnsupportedError for symbols in shapes and for types the device has no format for."""
    placeholders = {node.name: node for node in program.graph.nodes if node.op == "placeholder"}
    inputs = tuple(
        graph_input(spec, placeholders[spec.arg.name])
        for spec in program.graph_signature.input_specs
        if isinstance(placeholders[spec.arg.name].meta.get("val"), torch.Tensor)
    )
    calls = [node for node in program.graph.nodes if node.op == "call_function" and node.target is not operator.getitem]
    nodes = tuple(_node(node) for node in calls)
    outputs = tuple(_root(node) for _, node in tensor_outputs(program))
    return ModelGraph(name, inputs, nodes, outputs)


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
    users = [spec for spec, _ in tensors if spec.kind is OutputKind.USER_OUTPUT]
    for spec, node in tensors:
        if not isinstance(node.meta.get("val"), torch.Tensor):
            raise refusal(node, "the model returns a number that is only known when it runs", "return tensors only")
        if spec.kind is OutputKind.USER_OUTPUT:
            yield ("output" if len(users) == 1 else f"output.{users.index(spec)}"), node
        else:
            yield f"{spec.target}.updated", node


def _node(node: torch.fx.Node) -> GraphNode:
    leaves = [leaf for leaf in pytree.tree_leaves(node.meta.get("val")) if isinstance(leaf, torch.Tensor)]
    return GraphNode(
        name=node.name,
        target=target_name(node.target),
        inputs=tuple(_root(source) for source in node.all_input_nodes),
        types=tuple(_type(leaf, node, "its result") for leaf in leaves),
        attributes=_attributes(node),
        module=module_of(node),
        source=source_of(node),
    )


def _root(node: torch.fx.Node) -> str:
    """The call behind a part of its result."""
    while node.target is operator.getitem:
        inner = node.args[0]
        assert isinstance(inner, torch.fx.Node)
        node = inner
    return str(node.name)


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
                f"{what} has the shape {list(map(str, value.shape))}, which is not known before it runs",
                "capture the model again with fixed sizes",
            )
        shape.append(size)
    return TensorType(element_type(value.dtype, node, what), tuple(shape))


def element_type(dtype: torch.dtype, node: torch.fx.Node, what: str) -> DType:
    """Our name of a type; UnsupportedError names the call, the line and the type."""
    name = str(dtype).removeprefix("torch.")
    if name in BY_TORCH_NAME:
        return BY_TORCH_NAME[name]
    why = f"{what} has the element type {name}, which the device has no format for"
    if node.op == "placeholder":
        raise UnsupportedError(f"input {node.name}", why, "use float16, bfloat16, float32 or an integer type")
    raise refusal(node, why, "use float16, bfloat16, float32 or an integer type")
