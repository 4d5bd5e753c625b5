"""Op specifications out of JSON, as `compiler.emit.opspec_json` writes them.

Owns the way back, and the rules that a specification has to keep (facts 2.3).  Refuses newer versions, naming both.
"""

from __future__ import annotations

from frozendict import frozendict

from compiler.errors import InputError
from compiler.formats.expression import parse_expression
from compiler.formats.opspec import (
    DebugHandle,
    Dimension,
    KernelArgument,
    KernelSpec,
    LoopSpec,
    OpSpec,
    Place,
    Room,
    Source,
    TensorArg,
    WorkDivision,
)
from compiler.formats.opspec_rules import broken_rule
from compiler.read.plain import REMEDY, Node, integer, parse_json

FORMAT, VERSION = "spyre-opspec", 1


def read_opspecs(text: str, origin: str) -> tuple[str, tuple[KernelSpec, ...]]:
    """The name of the model and its kernels; InputError with one sentence for anything else."""
    whole = Node.of(parse_json(text, origin), origin)
    if whole.get("format", "") != FORMAT:
        raise InputError(origin, f"it is no {FORMAT} document", REMEDY)
    version = whole.integer("version")
    if version != VERSION:
        why = f"it is of version {version}, this program reads version {VERSION}"
        raise InputError(origin, why, "export it again with this program")
    return whole.text("model"), tuple(_kernel(node) for node in whole.nodes("kernels"))


def _kernel(node: Node) -> KernelSpec:
    arguments = tuple(_argument(each) for each in node.nodes("arguments"))
    body = tuple(_part(each) for each in node.nodes("body"))
    return KernelSpec(node.text("name"), body, arguments, node.integer("pool_bytes", 0, 0))


def _argument(node: Node) -> KernelArgument:
    return KernelArgument(
        node.integer("number", least=0),
        node.text("name"),
        node.truth("is_input"),
        node.integers("shape", 0),
        node.integers("strides"),
        node.text("dtype"),
        node.integers("device_size", 0),
        node.integers("stride_map"),
        node.text("device_dtype"),
        node.text("element_arrangement", "STANDARD"),
    )


def _part(node: Node) -> OpSpec | LoopSpec:
    if node.has("count"):
        return LoopSpec(node.integer("count", least=1), tuple(_part(each) for each in node.nodes("body")))
    args = tuple(_tensor(each) for each in node.nodes("args"))
    iteration = node.node("iteration_space")
    dims = []
    for symbol in iteration.data:
        extent, slices = _pair(iteration, symbol)
        dims.append(Dimension(symbol, extent, slices))
    constants = {}
    if node.has("op_info"):
        given = node.node("op_info").node("constants")
        constants = {name: _number(given, name) for name in given.data}
    fastest = node.texts("core_order") if node.has("core_order") else ()
    handle = _handle(node.node("debug_handle")) if node.has("debug_handle") else None
    spec = OpSpec(
        node.text("op"), node.truth("is_reduction"), tuple(dims), args, frozendict(constants), handle, fastest
    )
    spec = OpSpec(spec.op, spec.is_reduction, spec.iteration, args, spec.constants, handle, fastest, node.extra())
    rule = broken_rule(spec)
    if rule:
        raise InputError(node.origin, f"{node.where}: {rule}", REMEDY)
    return spec


def _pair(node: Node, key: str) -> tuple[int, int]:
    found = node.integers(key, 1)
    if len(found) != 2:
        raise InputError(node.origin, f"{node.at(key)} is no pair of extent and slices", REMEDY)
    return found[0], found[1]


def _number(node: Node, key: str) -> float:
    found = node.get(key)
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise InputError(node.origin, f"{node.at(key)} is no number", REMEDY)
    return float(found)


def _tensor(node: Node) -> TensorArg:
    allocation = node.node("allocation")
    if len(allocation.data) != 1 or next(iter(allocation.data)) not in set(Room):
        raise InputError(node.origin, f"{allocation.where} is no one of hbm, lx and hbm_pool", REMEDY)
    room = Room(next(iter(allocation.data)))
    division = _division(node.node("work_division")) if node.has("work_division") else None
    return TensorArg(
        node.truth("is_input"),
        node.integer("arg_index", -1, -1),
        node.text("device_dtype"),
        node.integers("device_size", 0),
        tuple(parse_expression(text) for text in node.texts("device_coordinates")),
        Place(room, allocation.integer(room.value, least=0)),
        node.text("element_arrangement", "STANDARD"),
        node.text("name", "") if node.has("name") else "",
        division,
        node.extra(),
    )


def _division(node: Node) -> WorkDivision:
    slices = node.node("work_slices")
    cores = [
        frozendict((name, integer(count, each.origin, each.at(name), 0)) for name, count in each.data.items())
        for each in node.nodes("core_slices")
    ]
    return WorkDivision(frozendict((name, slices.integer(name, least=1)) for name in slices.data), tuple(cores))


def _handle(node: Node, depth: int = 0) -> DebugHandle:
    if depth > 20:
        raise InputError(node.origin, f"{node.where} is made of handles more than 20 levels deep", REMEDY)
    source = None
    if node.has("source"):
        place = node.node("source")
        edges = [place.integer(key, 0) for key in ("start_line", "start_col", "end_line", "end_col")]
        source = Source(place.text("file"), edges[0], edges[1], edges[2], edges[3])
    aten = node.text("aten_op") if node.has("aten_op") else None
    fused = tuple(_handle(each, depth + 1) for each in node.nodes("fused_from")) if node.has("fused_from") else ()
    return DebugHandle(source, aten, node.texts("ir_chain") if node.has("ir_chain") else (), fused)
