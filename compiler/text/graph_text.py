"""Text form of a ModelGraph: inputs, one line per ATen call, outputs."""

from __future__ import annotations

from compiler.dtypes import DType
from compiler.graph import GraphInput, GraphNode, InputKind, ModelGraph, TensorType
from compiler.text.cursor import Cursor, Lines, quote, quote_name
from compiler.text.loops_text import read_enum


def print_graph(graph: ModelGraph) -> str:
    """The listing of a ModelGraph."""
    lines = [f"graph {quote_name(graph.name)}"]
    for entry in graph.inputs:
        lines.append(f"  input {quote_name(entry.name)}  {entry.kind}  {entry.type}  {quote(entry.path)}")
    lines += [_print_node(node) for node in graph.nodes]
    lines += [f"  result {quote_name(name)}" for name in graph.outputs]
    return "\n".join(lines) + "\n"


def read_graph(lines: Lines) -> ModelGraph:
    """Inverse of `print_graph`."""
    head = lines.cursor()
    head.expect("graph")
    name = head.name()
    head.end()
    inputs: list[GraphInput] = []
    nodes: list[GraphNode] = []
    outputs: list[str] = []
    while lines.starts("input"):
        inputs.append(_read_input(lines.cursor()))
    while lines.starts("node"):
        nodes.append(_read_node(lines.cursor()))
    while lines.starts("result"):
        cursor = lines.cursor()
        cursor.expect("result")
        outputs.append(cursor.name())
        cursor.end()
    return ModelGraph(name, tuple(inputs), tuple(nodes), tuple(outputs))


def _print_node(node: GraphNode) -> str:
    inputs = ", ".join(map(quote_name, node.inputs))
    types = ", ".join(map(str, node.types))
    attributes = ", ".join(f"{quote_name(key)} = {quote(value)}" for key, value in node.attributes)
    place = f"{quote(node.source)} {quote(node.module)}"
    call = f"{quote_name(node.name)}  {quote_name(node.target)} ({inputs})"
    return f"  node {call} -> ({types})  {{{attributes}}}  from {place}"


def _read_type(cursor: Cursor) -> TensorType:
    return TensorType(read_enum(cursor, DType), cursor.wholes())


def _read_input(cursor: Cursor) -> GraphInput:
    cursor.expect("input")
    name = cursor.name()
    kind = read_enum(cursor, InputKind)
    kind_type = _read_type(cursor)
    path = cursor.string()
    cursor.end()
    return GraphInput(name, kind, kind_type, path)


def _read_node(cursor: Cursor) -> GraphNode:
    cursor.expect("node")
    name = cursor.name()
    target = cursor.name()
    cursor.expect("(")
    inputs = cursor.until(")", cursor.name)
    cursor.expect("->")
    cursor.expect("(")
    types = cursor.until(")", lambda: _read_type(cursor))
    cursor.expect("{")
    attributes = cursor.until("}", lambda: _read_attribute(cursor))
    cursor.expect("from")
    source, module = cursor.string(), cursor.string()
    cursor.end()
    return GraphNode(name, target, inputs, types, attributes, module, source)


def _read_attribute(cursor: Cursor) -> tuple[str, str]:
    key = cursor.name()
    cursor.expect("=")
    return key, cursor.string()
