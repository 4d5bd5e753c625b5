"""SDSC tensors: a tensor of a SuperDSC file as an argument of an op specification.

Owns the way from layout orders, scales, gaps and addresses back to device sizes and coordinates (facts 3.4, 3.10), and
whether folds and addresses of cores fit the division.  Refuses dims that the op does not have and addresses that the
bundle does not give.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Final

from frozendict import frozendict

from compiler.formats.element_types import BYTES
from compiler.formats.expression import ZERO, Expression, floored, modulo, symbol
from compiler.formats.opspec import ARGUMENT_SEGMENT_BYTES, Place, Room, TensorArg, WorkDivision
from compiler.import_log import Disagreement
from compiler.read.bundle import ABSOLUTE, POOL, SIZE, BundleAddress
from compiler.read.plain import Node, integer
from compiler.read.sdsc_frame import Frame
from compiler.read.starts import ahead

_PRESENT: Final = 1
_RESTICKIFY: Final = "ReStickifyOpHBM"
_KNOWN: Final = frozenset(
    {
        *("nodeType_", "name_", "prev_", "ldsIdx_", "component_", "isStartAddrSymbolic_", "layoutDimOrder_"),
        *("maxDimSizes_", "startAddressCoreCorelet_", "backGapCore_", "coordinates_"),
    }
)
_KNOWN_LABELLED: Final = frozenset({"ldsIdx_", "dsName_", "dsType_", "scale_", "wordLength", "dataFormat_", "memOrg_"})
_DIRECT: Final = "no_indirection"
STEP_BYTES: Final = "loop_step_bytes"
"""Under this key of `extra`: bytes that an address grows by in every turn of each loop around it."""


def read_tensor(frame: Frame, dsc: Node, node: Node, own: Node, output: bool) -> TensorArg:
    """The argument that an `allocate` node and its entry in labeledDs_ describe."""
    info = dsc.node("primaryDsInfo_").node(own.text("dsType_"))
    sticks, lanes = info.texts("stickDimOrder_"), (info.integers("stickSize_", 1) or (0,))[-1]
    order, scale = info.texts("layoutDimOrder_"), own.integers("scale_")
    if len(order) != len(scale) or not lanes:
        raise frame.fault(f"{own.at('scale_')} has {len(scale)} entries, its layout has {len(order)} dims")
    scales = dict(zip(order, scale, strict=True))
    present = [label for label in node.texts("layoutDimOrder_") if scales.get(label, _PRESENT) == _PRESENT]
    walked = [label for label in present if label not in frame.lent]
    strange = [label for label in walked if label not in frame.extents]
    if strange or len(set(walked)) != len(walked):
        what = f"a dim {strange[0]} that the op does not have" if strange else "the same dim twice"
        raise frame.fault(f"{node.where} has {what}")
    stick = sticks[-1] if sticks else ""
    sizes, coordinates = _outer(frame, node, walked, stick, lanes)
    place, start, steps = _place(frame, node)
    kind, word = own.text("dataFormat_"), own.integer("wordLength", 2, 1)
    if BYTES.get(kind, 128 // lanes) * lanes != 128:
        frame.findings.append(f"{own.text('dsName_', '')} has sticks of {lanes} elements of {kind}")
    moved, rest = ahead(coordinates, [*sizes, lanes], start // word)
    if rest:
        frame.findings.append(f"{node.text('name_', '')} begins {rest} elements inside of a stick")
    if start // word >= math.prod([*sizes, lanes]):
        raise frame.fault(f"{node.where} begins behind its end")
    lane = modulo(symbol(frame.symbols[stick]), lanes) if stick in walked else ZERO
    arg = TensorArg(
        not output,
        place.at if place.room is Room.HBM else -1,
        kind,
        (*(sizes or [1]), lanes),
        (*(moved or [ZERO]), lane),
        place,
        division=_owners(frame, node, walked),
        extra=_extra(node, own, steps),
    )
    _check_folds(frame, node, walked)
    _check_sticks(frame, walked, stick, lanes)
    _check_cores(frame, node, arg, word)
    return arg


def _outer(frame: Frame, node: Node, walked: list[str], stick: str, lanes: int) -> tuple[list[int], list[Expression]]:
    """Sizes and coordinates of all device dims but the lane, from the outside to the inside."""
    sizes, coordinates, gaps = list[int](), list[Expression](), _gaps(node)
    for label in reversed(walked):
        extent, per = frame.extents[label], lanes if label == stick else 1
        whole = extent + gaps.get(label, 0)
        if frame.function == _RESTICKIFY and per == 1 and 0 < gaps.get(label, 0) < lanes and extent % lanes == 0:
            whole = extent - gaps[label]  # the dim is too short for the whole sticks that it becomes
            frame.short[label] = whole
        sizes.append(max(1, -(-whole // per)))
        coordinates.append(floored(symbol(frame.symbols[label]), per))
    return sizes, coordinates


def _gaps(node: Node) -> dict[str, int]:
    if not node.has("backGapCore_"):
        return {}
    given = node.node("backGapCore_")
    return {
        label: integer(next(iter(given.node(label).data.values()), 0), node.origin, given.at(label), 0)
        for label in given.data
    }


def _starts(frame: Frame, node: Node) -> list[int]:
    """What stands for the address of every core: bytes, or a symbol id below 0."""
    data = node.node("startAddressCoreCorelet_").node("data_")
    first = data.integer("[0, 0, 0]")
    return [data.integer(f"[{core}, 0, 0]", first) for core in range(len(frame.core_slices))]


def _place(frame: Frame, node: Node) -> tuple[Place, int, tuple[int, ...]]:
    """Where a tensor lies, by how many bytes an access begins inside of it, and its steps in loops."""
    starts = _starts(frame, node)
    component = node.text("component_")
    if component == "lx":
        if min(starts) < 0 or len(set(starts)) > 1:
            raise frame.fault(f"{node.where} has no address in LX that is the same on all cores")
        return Place(Room.LX, starts[0]), 0, ()
    if component != "hbm":
        raise frame.fault(f"{node.at('component_')} is {component[:40]!r}, neither hbm nor lx")
    address = _address(frame, starts[0])
    if address.argument == SIZE or address.beyond < 0:
        raise frame.fault(f"symbol {starts[0]} is no address")
    if address.argument == POOL:
        return Place(Room.POOL, address.beyond), 0, address.steps
    if address.argument == ABSOLUTE:
        segment, beyond = divmod(address.beyond, ARGUMENT_SEGMENT_BYTES)
        return Place(Room.HBM, segment), beyond, address.steps
    return Place(Room.HBM, address.argument), address.beyond, address.steps


def _address(frame: Frame, start: int) -> BundleAddress:
    if start >= 0:
        return BundleAddress(ABSOLUTE, start)
    if frame.addresses is None:
        return BundleAddress(frame.numbered.setdefault(start, len(frame.numbered)), 0)
    if start not in frame.addresses:
        raise frame.fault(f"symbol {start} has no address in the bundle")
    return frame.addresses[start]


def _owners(frame: Frame, node: Node, walked: list[str]) -> WorkDivision | None:
    """Who holds which slice of the dims of a tensor, where the file says so."""
    coordinates = node.node("coordinates_")
    given = coordinates.node("coreIdToWkSlice_") if coordinates.has("coreIdToWkSlice_") else None
    if given is None or not given.data:
        return None
    if set(given.data) != {str(core) for core in range(len(given.data))}:
        raise frame.fault(f"{given.where} does not name the cores from 0 on")
    rows = [given.node(str(core)) for core in range(len(given.data))]
    own = [{label: row.integer(label, 0, 0) for label in walked} for row in rows]
    slices = {label: 1 + max(row[label] for row in own) for label in walked}
    symbols = frame.symbols
    of_core = tuple(frozendict((symbols[name], at) for name, at in row.items() if slices[name] > 1) for row in own)
    return WorkDivision(frozendict((symbols[label], count) for label, count in slices.items()), of_core)


def _extra(node: Node, own: Node, steps: tuple[int, ...]) -> frozendict[str, str]:
    found = {key: value for key, value in node.data.items() if key not in _KNOWN}
    if found.get("indirectAllocType_", _DIRECT) == _DIRECT:
        found.pop("indirectAllocType_", None)
    found |= {key: value for key, value in own.data.items() if key not in _KNOWN_LABELLED}
    if any(steps):
        found[STEP_BYTES] = list(steps)
    return frozendict((key, json.dumps(value)) for key, value in found.items())


# Checks


def _check_folds(frame: Frame, node: Node, walked: list[str]) -> None:
    """The factors of a dim's folds multiply to its extent."""
    info, name = node.node("coordinates_").node("coordInfo"), node.text("name_", "a tensor")
    for label in walked:
        if label not in info.data:
            frame.findings.append(f"{name} says nothing about {label}")
            continue
        folds = info.node(label).node("folds")
        factors = math.prod(each.integer("factor_", least=0) for each in folds.nodes("dim_prop_attr"))
        if factors != frame.extents[label]:
            what = f"{name} folds {label} into {factors} elements, the op has {frame.extents[label]}"
            frame.findings.append(Disagreement(what))


def _check_sticks(frame: Frame, walked: list[str], stick: str, lanes: int) -> None:
    if stick in walked and frame.extents[stick] % lanes:
        what = f"{frame.extents[stick]} elements of {stick} are no whole sticks of {lanes}"
        frame.findings.append(f"{what}, and nothing masks the rest")


def _check_cores(frame: Frame, node: Node, arg: TensorArg, word: int) -> None:
    """Every core begins where its slice does."""
    if arg.place.room is Room.LX or frame.addresses is None or any(frame.extents[x] % n for x, n in frame.cut.items()):
        return
    found = [_address(frame, start) for start in _starts(frame, node)]
    for core, (slices, address) in enumerate(zip(frame.core_slices, found, strict=True)):
        wanted = _flat(frame, arg, slices) * word
        if address.argument != found[0].argument or address.beyond - found[0].beyond != wanted:
            name = node.text("name_", "a tensor")
            what = f"{name} begins elsewhere on core {core} than the slices of that core do"
            frame.findings.append(Disagreement(what))
            return


def _flat(frame: Frame, arg: TensorArg, slices: Mapping[str, int]) -> int:
    """Elements from where core 0 begins to where these slices do."""
    symbols = frame.symbols
    at = {symbols[label]: slices[label] * (frame.extents[label] // frame.cut[label]) for label in frame.extents}
    zero = dict.fromkeys(at, 0)
    found, inner = 0, 1
    for size, coordinate in zip(reversed(arg.device_size), reversed(arg.coordinates), strict=True):
        found += (coordinate.value(at) - coordinate.value(zero)) * inner
        inner *= size
    return found
