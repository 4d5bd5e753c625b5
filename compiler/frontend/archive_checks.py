"""What the records of an archive may say before torch turns them into a graph.

Owns the checks of call targets, operands, results and signature; names and tensors have files of their own.  Changes
the records in place: devices become the CPU, metadata shrinks to source line and module, guards and other modules'
signatures go.
"""

from __future__ import annotations

import re

import torch
from torch._export.serde import schema

from compiler.errors import UnsupportedError
from compiler.frontend.archive_error import ArchiveError, quoted
from compiler.frontend.archive_names import check_name, check_operand_name, check_path, metadata_of, source_line
from compiler.frontend.archive_sizes import arguments_of
from compiler.frontend.archive_targets import WRAPPERS, explain, is_allowed
from compiler.frontend.archive_tensors import check_tensor
from compiler.frontend.archive_trees import plain_tree

DIALECTS = frozenset({"", "ATEN", "TRAINING"})
INFERENCE = "export the model for inference"
_CONSTANTS = frozenset({"as_int", "as_float", "as_bool", "as_none", "as_string"})
NO_OBJECTS = "export the model without such objects, or open it as FILE.py:FACTORY"


def check_program(program: schema.ExportedProgram) -> None:
    """Check and trim a program whose sizes are closed; ArchiveError or UnsupportedError say what is refused."""
    unknown = set(program.verifiers) - DIALECTS
    if unknown:
        raise ArchiveError(f"it is written in the dialect {quoted(min(unknown))}, not in ATen", INFERENCE)
    program.guards_code = []
    program.graph_module.metadata = {}
    program.graph_module.treespec_namedtuple_fields = {}
    check_graph(program.graph_module.graph)
    given = program.graph_module.signature.input_specs
    if len(given) != len(program.graph_module.graph.inputs):
        raise ArchiveError("its graph and its signature have different inputs")
    for spec, argument in zip(given, program.graph_module.graph.inputs, strict=True):
        _check_input(spec, argument)
    for result in program.graph_module.signature.output_specs:
        _check_output(result)
    _check_calls(program.graph_module)


def check_graph(graph: schema.Graph) -> None:
    """Check one graph and the graphs inside it."""
    if graph.custom_obj_values:
        raise object_fault(next(iter(graph.custom_obj_values.values())).class_fqn)
    sources = {_first_name(node): source_line(node) for node in graph.nodes}
    for node in graph.nodes:
        _check_node(node)
    for argument in arguments_of(graph):
        _check_argument(argument)
    for name, meta in graph.tensor_values.items():
        check_name(name)
        check_tensor(name, meta, sources.get(name, ""))


def object_fault(kind: str) -> ArchiveError:
    """The refusal of an object that only a pickle can hold."""
    why = f"it holds {quoted(kind)}, an object stored as a pickle, and a pickle runs code when it is read"
    return ArchiveError(why, NO_OBJECTS)


def _first_name(node: schema.Node) -> str:
    first = node.outputs[0] if node.outputs else None
    return first.as_tensor.name if first is not None and first.type == "as_tensor" else ""


def _check_node(node: schema.Node) -> None:
    if not is_allowed(node.target):
        name, why, remedy = explain(node.target)
        shown = name if re.fullmatch(r"[\w:.]{1,100}", name, re.ASCII) else quoted(name)
        raise UnsupportedError(f"operator {shown}{source_line(node)}", why, remedy)
    if node.name is not None:
        check_name(node.name)
    for item in node.inputs:
        check_operand_name(item.name)
        if item.name and node.target in WRAPPERS:
            check_name(item.name)
    node.metadata = metadata_of(node)


def _check_argument(argument: schema.Argument) -> None:
    kind = argument.type
    if kind == "as_graph":
        _check_subgraph(argument.as_graph)
    elif kind == "as_custom_obj":
        raise object_fault(argument.as_custom_obj.class_fqn)
    elif kind == "as_device":
        argument.as_device = schema.Device(type="cpu")
    elif kind in {"as_operator", "as_string_to_argument"}:
        raise ArchiveError("it passes a function or a table to a call", INFERENCE)
    else:
        for name in _names(argument):
            check_name(name)


def _check_subgraph(argument: schema.GraphArgument) -> None:
    check_name(argument.name)
    if hasattr(torch.nn.Module, argument.name):
        raise ArchiveError(f"it uses {quoted(argument.name)} as the name of a graph", "do not use this file")
    check_graph(argument.graph)


def _names(argument: schema.Argument) -> list[str]:
    """The names of tensors that an argument refers to or defines."""
    kind = argument.type
    if kind == "as_tensor":
        return [argument.as_tensor.name]
    if kind == "as_tensors":
        return [tensor.name for tensor in argument.as_tensors]
    if kind == "as_nested_tensors":
        return [tensor.name for group in argument.as_nested_tensors for tensor in group]
    if kind == "as_optional_tensor":
        return _optional_names([argument.as_optional_tensor])
    if kind == "as_optional_tensors":
        return _optional_names(argument.as_optional_tensors)
    return []


def _optional_names(tensors: list[schema.OptionalTensorArgument]) -> list[str]:
    return [tensor.as_tensor.name for tensor in tensors if tensor.type == "as_tensor"]


def _check_input(spec: schema.InputSpec, argument: schema.Argument) -> None:
    """Check one input as the signature has it, and that the graph has the same at its place."""
    name, path = lifted(spec)
    check_name(name)
    if path:
        check_path(path)
    is_same = argument.type == "as_tensor" and argument.as_tensor.name == name
    if spec.type == "constant_input":
        is_same = argument.type in _CONSTANTS
    if not is_same:
        raise ArchiveError(f"its graph and its signature have different inputs where {quoted(name)} is one")


def lifted(spec: schema.InputSpec) -> tuple[str, str]:
    """The name in the graph and the dotted path of an input; the path of what the caller passes is empty."""
    if spec.type == "constant_input":
        return spec.constant_input.name, ""
    if spec.type == "parameter":
        return spec.parameter.arg.name, spec.parameter.parameter_name
    if spec.type == "buffer":
        return spec.buffer.arg.name, spec.buffer.buffer_name
    if spec.type == "tensor_constant":
        return spec.tensor_constant.arg.name, spec.tensor_constant.tensor_constant_name
    if spec.type == "user_input" and spec.user_input.arg.type == "as_tensor":
        return spec.user_input.arg.as_tensor.name, ""
    if spec.type == "custom_obj":
        raise object_fault(spec.custom_obj.arg.class_fqn)
    raise ArchiveError(f"it has an input of the unknown kind {spec.type}", INFERENCE)


def _check_output(spec: schema.OutputSpec) -> None:
    if spec.type == "user_output":
        _check_argument(spec.user_output.arg)
    elif spec.type == "buffer_mutation":
        _check_lifted(spec.buffer_mutation.arg, spec.buffer_mutation.buffer_name)
    elif spec.type == "parameter_mutation":
        _check_lifted(spec.parameter_mutation.arg, spec.parameter_mutation.parameter_name)
    elif spec.type == "user_input_mutation":
        check_name(spec.user_input_mutation.arg.name)
        check_name(spec.user_input_mutation.user_input_name)
    else:
        raise ArchiveError("it returns losses, gradients or effect tokens", INFERENCE)


def _check_lifted(argument: schema.TensorArgument, path: str) -> None:
    check_name(argument.name)
    check_path(path)


def _check_calls(module: schema.GraphModule) -> None:
    """Keep the call convention of the model itself, with plain containers; those of the modules inside it go."""
    root = next((entry for entry in module.module_call_graph if entry.fqn == ""), None)
    if root is None or root.signature is None:
        raise ArchiveError("it does not say how its model is called")
    given = sum(spec.type in {"user_input", "constant_input"} for spec in module.signature.input_specs)
    results = sum(spec.type == "user_output" for spec in module.signature.output_specs)
    in_tree, out_tree = plain_tree(root.signature.in_spec), plain_tree(root.signature.out_spec)
    if (in_tree.leaves, out_tree.leaves) != (given, results):
        raise ArchiveError("its description of arguments and results does not fit its graph")
    for name in root.signature.forward_arg_names or []:
        check_name(name)
    root.signature.inputs, root.signature.outputs = [], []
    root.signature.in_spec, root.signature.out_spec = in_tree.text, out_tree.text
    module.module_call_graph = [root]
