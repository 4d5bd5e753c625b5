"""SuperDSC: a file `sdsc_<i>.json` as an op specification, and what in it contradicts itself.

Owns the op: its name, dims, masks, constants and the order in which slices go round the cores (facts 3.10).  Refuses to
fail over what it does not know: unknown keys are kept, and what disagrees is told in sentences.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from frozendict import frozendict

from compiler.errors import InputError
from compiler.formats.element_types import BYTES
from compiler.formats.opspec import Dimension, OpSpec, Room, TensorArg
from compiler.import_log import Disagreement
from compiler.read.bundle import BundleAddress
from compiler.read.handles import read_handle
from compiler.read.plain import REMEDY, Node, integer
from compiler.read.residency import block_bytes
from compiler.read.sdsc_frame import Frame, read_frame
from compiler.read.sdsc_tensor import read_tensor
from compiler.read.sdsc_values import read_constants
from compiler.read.spec_limits import broken_limit

_NAME: Final = re.compile(r"(?:(\d{1,9})_)?(\w{1,100})")
_FOLDING: Final = frozenset({"batchmatmul", "sum", "max", "min", "mean", "prod", "exx2"})
_KNOWN: Final = frozenset(
    {
        *("debug_handle_", "sdscFoldProps_", "sdscFolds_", "coreFoldProp_", "coreletFoldProp_", "numCoresUsed_"),
        *("coreIdToDsc_", "numWkSlicesPerDim_", "coreIdToWkSlice_", "coreIdToDscSchedule", "dscs_"),
    }
)
_KNOWN_INSIDE: Final = frozenset(
    {
        *("numCoresUsed_", "numCoreletsUsed_", "coreIdsUsed_", "N_", "coordinateMasking_", "maskingConstId_"),
        *("dataStageParam_", "primaryDsInfo_", "scheduleTree_", "labeledDs_", "constantInfo_", "computeOp_"),
    }
)


@dataclass(frozen=True, slots=True)
class SdscFile:
    """An op, the number of its file (-1 if it has none), and what disagrees in it, one sentence each."""

    spec: OpSpec
    number: int
    findings: tuple[str, ...]


def _is_superdsc(data: object) -> bool:
    if not isinstance(data, dict) or len(data) != 1:
        return False
    inner = next(iter(data.values()))
    return isinstance(inner, dict) and "dscs_" in inner


def read_superdsc(data: object, origin: str, addresses: Mapping[int, BundleAddress] | None) -> SdscFile:
    """The op of a file; `addresses` are those of its symbol ids, from the bundle, or None without a bundle."""
    whole = Node.of(data, origin)
    if not _is_superdsc(data):
        raise InputError(origin, "it is no SuperDSC file: one op with its dscs_", REMEDY)
    key = next(iter(whole.data))
    found = _NAME.fullmatch(key)
    if found is None:
        raise InputError(origin, f"{key[:40]!r} is no number and name of an op", REMEDY)
    node = whole.node(key)
    dscs = list(node.nodes("dscs_"))
    if len(dscs) != 1 or len(dscs[0].data) != 1:
        raise InputError(origin, f"{node.at('dscs_')} holds not one op", REMEDY)
    function = next(iter(dscs[0].data))
    dsc = dscs[0].node(function)
    frame = read_frame(node, dsc, function, addresses)
    spec = _ordered(_spec(frame, node, dsc), frame)
    frame.findings += _names_apart(found[2], function, dsc)
    _require_apart(spec, frame)
    rule = broken_limit(spec)
    if rule:
        raise InputError(origin, rule, REMEDY)
    return SdscFile(spec, int(found[1]) if found[1] else -1, tuple(dict.fromkeys(frame.findings)))


def _names_apart(key: str, function: str, dsc: Node) -> list[str]:
    """What the file says of its op in several places, where that differs."""
    found = list[str]()
    if key != function:
        found.append(Disagreement(f"it is called {key}, its op is {function}"))
    computed = list(dsc.nodes("computeOp_"))
    if len(computed) > 1:
        found.append(Disagreement(f"it computes {len(computed)} times; the first is taken"))
    for compute in computed[:1]:
        name = compute.text("opFuncName", function)
        if name != function:
            found.append(Disagreement(f"it computes {name}, its op is {function}"))
        inputs = compute.texts("inputLabeledDs") if compute.has("inputLabeledDs") else ()
        if [text.rpartition("idx")[2] for text in inputs] != [str(place) for place in range(len(inputs))]:
            what = f"its inputs are {', '.join(inputs)}, not all in order; they are taken in order"
            found.append(Disagreement(what))
    for place, tensor in enumerate(dsc.nodes("labeledDs_")):
        wide = BYTES.get(tensor.text("dataFormat_", ""))
        said = tensor.integer("wordLength", wide, 0) if wide is not None and tensor.has("wordLength") else wide
        if said != wide:
            found.append(Disagreement(f"tensor {place} has words of {said} B, its format has {wide} B"))
    return found


def _spec(frame: Frame, node: Node, dsc: Node) -> OpSpec:
    args = _args(frame, dsc)
    masked = _masked(frame, dsc)
    symbols = frame.symbols
    dims = tuple(
        Dimension(symbols[label], frame.short.get(label, extent) - masked.get(label, 0), frame.cut[label])
        for label, extent in frame.extents.items()
    )
    name = frame.function.removesuffix("nonstick")
    extra = {key: value for key, value in node.data.items() if key not in _KNOWN}
    extra |= {key: value for key, value in dsc.data.items() if key not in _KNOWN_INSIDE}
    return OpSpec(
        name,
        _folds(name, args),
        dims,
        args,
        read_constants(dsc),
        read_handle(node.node("debug_handle_")) if node.has("debug_handle_") else None,
        extra=frozendict((key, json.dumps(value)) for key, value in extra.items()),
    )


# Tensors


def _args(frame: Frame, dsc: Node) -> tuple[TensorArg, ...]:
    compute = next(iter(dsc.nodes("computeOp_")), None)
    if compute is None:
        raise frame.fault(f"{dsc.at('computeOp_')} is empty")
    nodes, labelled = list(dsc.nodes("scheduleTree_")), list(dsc.nodes("labeledDs_"))
    if len(labelled) != len(nodes):
        raise frame.fault(f"it has {len(nodes)} nodes and {len(labelled)} tensors")
    outputs = {_index(text, frame) for text in compute.texts("outputLabeledDs")}
    strange = [place for place in (*outputs, *_inputs(compute, frame)) if place >= len(nodes)]
    if strange:
        raise frame.fault(f"it computes with tensor {strange[0]}, there are {len(nodes)}")
    by_number = {each.integer("ldsIdx_", place, 0): each for place, each in enumerate(labelled)}
    made = []
    for place, node in enumerate(nodes):
        own = by_number.get(node.integer("ldsIdx_", place, 0))
        if own is None:
            raise frame.fault(f"{node.at('ldsIdx_')} names a tensor that is not there")
        made.append(read_tensor(frame, dsc, node, own, place in outputs))
    return tuple(sorted(made, key=lambda arg: not arg.is_input))


def _inputs(compute: Node, frame: Frame) -> list[int]:
    return [_index(text, frame) for text in compute.texts("inputLabeledDs")] if compute.has("inputLabeledDs") else []


def _index(text: str, frame: Frame) -> int:
    return integer(text.rpartition("idx")[2], frame.origin, "the number of a tensor", 0)


def _require_apart(spec: OpSpec, frame: Frame) -> None:
    """A result in LX lies exactly on an operand, or on none."""
    out = spec.output
    end = out.place.at + block_bytes(spec, out)
    for arg in spec.inputs if out.place.room is Room.LX else ():
        if arg.place.room is not Room.LX or arg.place.at == out.place.at:
            continue
        if arg.place.at < end and out.place.at < arg.place.at + block_bytes(spec, arg):
            places = f"{out.place.at:,} on the operand at {arg.place.at:,}"
            raise frame.fault(f"two tensors overlap in LX: the result at byte {places}")


# The rest


def _ordered(spec: OpSpec, frame: Frame) -> OpSpec:
    """The op with the order in which slices go round the cores, where that is not the front end's."""
    symbols = frame.symbols
    wanted = [{symbols[label]: place for label, place in own.items()} for own in frame.core_slices]
    turned = replace(spec, fastest=_rounds(frame))
    for one in (spec, turned):
        if sorted(dim.symbol for dim in one.rounds) == sorted(_cut(one)) and _cores(one, len(wanted)) == wanted:
            return one
    frame.findings.append(Disagreement("its cores take slices in no regular order; they are shown in a regular one"))
    return spec


def _cut(spec: OpSpec) -> list[str]:
    return [dim.symbol for dim in spec.iteration if dim.slices > 1]


def _cores(spec: OpSpec, count: int) -> list[dict[str, int]]:
    return [dict(spec.slices_of(core)) for core in range(count)]


def _rounds(frame: Frame) -> tuple[str, ...]:
    """Symbols that are cut, the one that changes with the lowest core number first."""
    first: dict[str, int] = {}
    for core, own in enumerate(frame.core_slices):
        for label, place in own.items():
            if place and frame.cut[label] > 1:
                first.setdefault(label, core)
    return tuple(frame.symbols[label] for label in sorted(first, key=lambda label: first[label]))


def _folds(name: str, args: tuple[TensorArg, ...]) -> bool:
    kept = {each for coordinate in args[-1].coordinates for each in coordinate.symbols}
    read = {each for arg in args[:-1] for coordinate in arg.coordinates for each in coordinate.symbols}
    return bool(read - kept) or name in _FOLDING


def _masked(frame: Frame, dsc: Node) -> dict[str, int]:
    """Elements of padding of dims that a mask tells of."""
    masks, found = dsc.node("coordinateMasking_"), dict[str, int]()
    for label in masks.data:
        rows = masks.items(label)
        row = rows[0] if rows else [0, 0]
        if not isinstance(row, list) or len(row) != 2 or label not in frame.extents:
            raise frame.fault(f"{masks.at(label)} is no pair of a dim of the op")
        first, count = (integer(each, frame.origin, masks.at(label), 0) for each in row)
        if first + count > frame.extents[label]:
            raise frame.fault(f"{masks.at(label)} ends behind the {frame.extents[label]} elements of {label}")
        found[label] = count
    return found
