"""Open sizes of an archive: found, described to people, and closed with the values that they choose.

Owns the replacement of every symbolic size, integer or truth value in the graph by a plain number, so that no
expression reaches torch.  Refuses values outside the exported range, and graphs whose sizes depend on the data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from torch._export.serde import schema

from compiler.frontend.archive_error import ArchiveError
from compiler.frontend.archive_schema import union
from compiler.frontend.archive_shapes import DATA_DEPENDENT, evaluate, parse, symbols
from compiler.frontend.archive_targets import SHAPE_CHECKS

UNBOUNDED = 2**62
FIX = "export the model with fixed sizes"
Values = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class OpenSize:
    """One size that the export left open: its symbol, where it shows, its range and the size it was exported with."""

    symbol: str
    input: str
    dimension: int
    smallest: int
    largest: int | None
    example: int | None

    def __str__(self) -> str:
        upper = f"to {self.largest}" if self.largest is not None else "or more"
        return f"dimension {self.dimension} of input {self.input} ({self.symbol}, {self.smallest} {upper})"


def open_sizes(program: schema.ExportedProgram) -> tuple[OpenSize, ...]:
    """The open sizes of the program's inputs, one per symbol, in the order of the inputs."""
    graph = program.graph_module.graph
    found: dict[str, OpenSize] = {}
    for argument in graph.inputs:
        if argument.type == "as_sym_int":
            raise ArchiveError("one of its inputs is an integer without a fixed value", "export it with a constant")
        if argument.type != "as_tensor" or argument.as_tensor.name not in graph.tensor_values:
            continue
        meta = graph.tensor_values[argument.as_tensor.name]
        for dimension, size in enumerate(meta.sizes):
            for symbol in sorted(_symbols(size)):
                found.setdefault(symbol, _open_size(program, symbol, argument.as_tensor.name, dimension, size))
    return tuple(found.values())


def close_sizes(program: schema.ExportedProgram, sizes: Values) -> None:
    """Replace every symbolic value of `program` in place; ArchiveError if `sizes` does not fit its open sizes."""
    _check_values(open_sizes(program), sizes)
    program.range_constraints = {}
    close_graph(program.graph_module.graph, sizes)
    for spec in program.graph_module.signature.output_specs:
        if spec.type == "user_output":
            spec.user_output.arg = _result(spec.user_output.arg, program.graph_module.graph)
    program.graph_module.graph.outputs = [
        _result(output, program.graph_module.graph) for output in program.graph_module.graph.outputs
    ]


def close_graph(graph: schema.Graph, sizes: Values) -> None:
    """Replace every symbolic value of one graph and of the graphs inside it, in place."""
    for name, meta in graph.tensor_values.items():
        try:
            meta.sizes = [_number(size, sizes) for size in meta.sizes]
            meta.strides = [_number(stride, sizes) for stride in meta.strides]
            meta.storage_offset = _number(meta.storage_offset, sizes)
        except ArchiveError as fault:
            raise fault.inside(name) from fault
    graph.sym_int_values = {name: _number(value, sizes) for name, value in graph.sym_int_values.items()}
    graph.sym_bool_values = {name: _truth(value, sizes) for name, value in graph.sym_bool_values.items()}
    graph.sym_float_values = {name: _real(value, sizes) for name, value in graph.sym_float_values.items()}
    for node in graph.nodes:
        for item in node.inputs:
            _close_argument(item.arg, graph, sizes)
    graph.nodes = [node for node in graph.nodes if not _is_arithmetic(node)]


def _open_size(
    program: schema.ExportedProgram, symbol: str, name: str, dimension: int, size: schema.SymInt
) -> OpenSize:
    bounds = program.range_constraints.get(symbol)
    smallest = bounds.min_val if bounds and bounds.min_val is not None else 0
    largest = bounds.max_val if bounds else None
    hint = size.as_expr.hint
    example = hint.as_int if hint and hint.type == "as_int" else None
    return OpenSize(
        symbol, name, dimension, smallest, None if largest is None or largest >= UNBOUNDED else largest, example
    )


def _check_values(found: tuple[OpenSize, ...], sizes: Values) -> None:
    known = {size.symbol: size for size in found}
    for symbol, value in sizes.items():
        if symbol not in known:
            names = ", ".join(known) or "none"
            raise ArchiveError(f"it has no open size named {symbol} (its open sizes: {names})", "correct the name")
        size = known[symbol]
        if value < size.smallest or (size.largest is not None and value > size.largest):
            raise ArchiveError(f"{value} is outside the range of {size}", "choose a value in the range")
    missing = [size for size in found if size.symbol not in sizes]
    if missing:
        what = " and ".join(map(str, missing))
        values = "&".join(f"{size.symbol}={size.example or max(size.smallest, 1)}" for size in missing)
        raise ArchiveError(f"it leaves the size of {what} open", f"{FIX} or choose values, as in FILE.pt2?{values}")


def _symbols(size: schema.SymInt) -> frozenset[str]:
    return symbols(parse(size.as_expr.expr_str)) if size.type == "as_expr" else frozenset()


def _number(value: schema.SymInt, sizes: Values) -> schema.SymInt:
    if value.type == "as_int":
        return value
    number = evaluate(parse(value.as_expr.expr_str), sizes)
    if not isinstance(number, int):
        raise ArchiveError(f"the size {number} is not a whole number", "choose other values for the open sizes")
    return union(schema.SymInt, "as_int", int(number))


def _truth(value: schema.SymBool, sizes: Values) -> schema.SymBool:
    if value.type == "as_bool":
        return value
    return union(schema.SymBool, "as_bool", bool(evaluate(parse(value.as_expr.expr_str), sizes)))


def _real(value: schema.SymFloat, sizes: Values) -> schema.SymFloat:
    if value.type == "as_float":
        return value
    return union(schema.SymFloat, "as_float", float(evaluate(parse(value.as_expr.expr_str), sizes)))


def _close_argument(argument: schema.Argument, graph: schema.Graph, sizes: Values) -> None:
    if argument.type == "as_graph":
        close_graph(argument.as_graph.graph, sizes)
    elif argument.type == "as_sym_int":
        argument.as_sym_int = _close_int(argument.as_sym_int, graph)
    elif argument.type == "as_sym_ints":
        argument.as_sym_ints = [_close_int(item, graph) for item in argument.as_sym_ints]
    elif argument.type == "as_sym_bool" and argument.as_sym_bool.type == "as_name":
        truth = _value(argument.as_sym_bool.as_name, graph)
        argument.as_sym_bool = union(schema.SymBoolArgument, "as_bool", bool(truth))
    elif argument.type == "as_sym_float" and argument.as_sym_float.type == "as_name":
        real = _value(argument.as_sym_float.as_name, graph)
        argument.as_sym_float = union(schema.SymFloatArgument, "as_float", float(real))
    elif argument.type in {"as_sym_bools", "as_sym_floats"}:
        raise ArchiveError("a call takes a list of symbolic values", FIX)


def _close_int(argument: schema.SymIntArgument, graph: schema.Graph) -> schema.SymIntArgument:
    if argument.type == "as_int":
        return argument
    return union(schema.SymIntArgument, "as_int", int(_value(argument.as_name, graph)))


def _value(name: str, graph: schema.Graph) -> int | float | bool:
    if name in graph.sym_int_values:
        return graph.sym_int_values[name].as_int
    if name in graph.sym_bool_values:
        return graph.sym_bool_values[name].as_bool
    if name in graph.sym_float_values:
        return graph.sym_float_values[name].as_float
    raise ArchiveError(f"the value {name} is used but not defined")


def _is_arithmetic(node: schema.Node) -> bool:
    """True for a node whose results are known numbers, and for a check of such; ArchiveError if the check fails."""
    if node.target in SHAPE_CHECKS:
        _check_assertion(node)
        return True
    return bool(node.outputs) and all(output.type in _SYMBOLIC for output in node.outputs)


def _check_assertion(node: schema.Node) -> None:
    first = node.inputs[0].arg if node.inputs else None
    failed = first is not None and first.type == "as_sym_bool" and not first.as_sym_bool.as_bool
    if failed:
        messages = [item.arg.as_string for item in node.inputs if item.arg.type == "as_string"]
        raise ArchiveError(f"the model was exported on the condition that {' '.join(messages)}", "choose other sizes")


_SYMBOLIC = {"as_sym_int", "as_sym_bool", "as_sym_float"}


def _result(argument: schema.Argument, graph: schema.Graph) -> schema.Argument:
    """A result of the model; one that is a number known by now becomes a constant."""
    if argument.type == "as_sym_int" and argument.as_sym_int.type == "as_name":
        return union(schema.Argument, "as_int", int(_value(argument.as_sym_int.as_name, graph)))
    if argument.type in _SYMBOLIC:
        raise ArchiveError("one of its results is a symbolic truth value or fraction", DATA_DEPENDENT)
    return argument


def arguments_of(graph: schema.Graph) -> Iterator[schema.Argument]:
    """Inputs, results and every operand and result of every node of one graph (not of the graphs inside it)."""
    yield from graph.inputs
    yield from graph.outputs
    for node in graph.nodes:
        yield from (item.arg for item in node.inputs)
        yield from node.outputs
