"""Op specifications out of JSON, as `compiler.emit.opspec_json` writes them.

Owns the way back, and the rules that a specification has to keep (facts 2.3).  Refuses newer versions, naming both.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from frozendict import frozendict

from compiler.errors import InputError
from compiler.formats.opspec import (
    Dimension,
    KernelArgument,
    KernelSpec,
    LoopSpec,
    OpSpec,
    Place,
    Room,
    TensorArg,
    WorkDivision,
)
from compiler.read.handles import read_handle
from compiler.read.plain import REMEDY, Node, expression, integer, parse_json
from compiler.read.sdsc_frame import MOST_CORES
from compiler.read.spec_limits import DEEPEST_BODY, broken_limit

FORMAT, VERSION = "spyre-opspec", 1
ROOMS = frozenset(room.value for room in Room)


class ReadSpecs(NamedTuple):
    """The name of the model, its kernels, and how many cores they may use, 0 where that is not said."""

    name: str
    kernels: tuple[KernelSpec, ...]
    cores: int


def read_opspecs(text: str, origin: str) -> ReadSpecs:
    """What a document holds; InputError with one sentence for anything else."""
    whole = Node.of(parse_json(text, origin), origin)
    if whole.get("format", "") != FORMAT:
        raise InputError(origin, f"it is no {FORMAT} document", REMEDY)
    version = whole.integer("version")
    if version != VERSION:
        why = f"it is of version {version}, this program reads version {VERSION}"
        raise InputError(origin, why, "export it again with this program")
    cores = whole.integer("cores", 0, 0)
    if cores > MOST_CORES:
        raise InputError(origin, f"cores is {cores:,}, at most {MOST_CORES:,} are read", REMEDY)
    name = whole.text("model")
    if not name.isprintable():
        raise InputError(origin, "the name of the model has characters that cannot be printed", REMEDY)
    return ReadSpecs(name, tuple(_kernel(node) for node in whole.nodes("kernels")), cores)


def _kernel(node: Node) -> KernelSpec:
    arguments = tuple(_argument(each) for each in node.nodes("arguments"))
    body = tuple(_part(each) for each in node.nodes("body"))
    return KernelSpec(node.text("name"), body, arguments, node.integer("pool_bytes", 0, 0))


def _argument(node: Node) -> KernelArgument:
    return KernelArgument(
        node.integer("number", least=0),
        node.text("name"),
        node.truth("is_input"),
        node.sizes("shape", 0),
        node.sizes("strides"),
        node.text("dtype"),
        node.sizes("device_size", 0),
        node.sizes("stride_map"),
        node.text("device_dtype"),
        node.text("element_arrangement", "STANDARD"),
    )


def _part(node: Node, depth: int = 0) -> OpSpec | LoopSpec:
    if node.has("count"):
        if depth > DEEPEST_BODY:
            raise InputError(node.origin, f"{node.where} is more than {DEEPEST_BODY} loops deep", REMEDY)
        body = tuple(_part(each, depth + 1) for each in node.nodes("body"))
        if not body:
            raise InputError(node.origin, f"{node.where} repeats nothing", REMEDY)
        return LoopSpec(node.integer("count", least=1), body)
    iteration = node.node("iteration_space")
    dims = tuple(Dimension(symbol, *_pair(iteration, symbol)) for symbol in iteration.data)
    spec = OpSpec(
        node.text("op"),
        node.truth("is_reduction"),
        dims,
        tuple(_tensor(each) for each in node.nodes("args")),
        _constants(node),
        read_handle(node.node("debug_handle")) if node.has("debug_handle") else None,
        node.texts("core_order") if node.has("core_order") else (),
    )
    spec = replace(spec, extra=node.extra())
    rule = broken_limit(spec)
    if rule:
        raise InputError(node.origin, f"{node.where}: {rule}", REMEDY)
    return spec


def _constants(node: Node) -> frozendict[str, float]:
    """The constants of an op; an op_info with more than them is kept whole beside them."""
    if not node.has("op_info"):
        return frozendict()
    info = node.node("op_info")
    if set(info.data) - {"constants"}:
        node.taken.discard("op_info")
    given = info.node("constants") if info.has("constants") else Node({}, node.where, node.origin)
    return frozendict((name, given.number(name)) for name in given.data)


def _pair(node: Node, key: str) -> tuple[int, int]:
    found = node.integers(key, 1)
    if len(found) != 2:
        raise InputError(node.origin, f"{node.at(key)} is no pair of extent and slices", REMEDY)
    return found[0], found[1]


def _tensor(node: Node) -> TensorArg:
    allocation = node.node("allocation")
    if len(allocation.data) != 1 or next(iter(allocation.data)) not in ROOMS:
        raise InputError(node.origin, f"{allocation.where} is no one of hbm, lx and hbm_pool", REMEDY)
    room = Room(next(iter(allocation.data)))
    division = _division(node.node("work_division")) if node.has("work_division") else None
    return TensorArg(
        node.truth("is_input"),
        node.integer("arg_index", -1, -1),
        node.text("device_dtype"),
        node.sizes("device_size", 0),
        tuple(
            expression(text, node.origin, f"{node.at('device_coordinates')}[{place}]")
            for place, text in enumerate(node.texts("device_coordinates"))
        ),
        Place(room, allocation.integer(room.value, least=0)),
        node.text("element_arrangement", "STANDARD"),
        node.text("name", "") if node.has("name") else "",
        division,
        node.extra(),
    )


def _division(node: Node) -> WorkDivision:
    slices = node.node("work_slices")
    if len(node.items("core_slices")) > MOST_CORES:
        raise InputError(node.origin, f"{node.at('core_slices')} names more than {MOST_CORES:,} cores", REMEDY)
    cores = [
        frozendict((name, integer(count, each.origin, each.at(name), 0)) for name, count in each.data.items())
        for each in node.nodes("core_slices")
    ]
    return WorkDivision(frozendict((name, slices.integer(name, least=1)) for name in slices.data), tuple(cores))
