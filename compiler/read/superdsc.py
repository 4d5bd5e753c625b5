"""SuperDSC: a file `sdsc_<i>.json` as an op specification, and what in it contradicts itself.

Owns the way from labels, folds, layouts and addresses back to symbols, device sizes and coordinates (facts 3.10).
Refuses to fail over what it does not know: unknown keys are kept, and what disagrees is told in sentences.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from frozendict import frozendict

from compiler.errors import InputError
from compiler.formats.element_types import BYTES
from compiler.formats.expression import ZERO, Expression, added, floored, modulo, number, symbol
from compiler.formats.opspec import (
    CONTRACTIONS,
    DebugHandle,
    Dimension,
    OpSpec,
    Place,
    Room,
    Source,
    TensorArg,
    WorkDivision,
)
from compiler.read.bundle import ABSOLUTE, POOL, BundleAddress
from compiler.read.plain import REMEDY, Node, integer

_NAME: Final = re.compile(r"(?:(\d+)_)?(\w+)")
_SIZES: Final = ("name_", "paddingSizes_")
MOST_CORES: Final = 4096


@dataclass(frozen=True, slots=True)
class SdscFile:
    """An op, the number of its file (-1 if it has none), and what disagrees in it, one sentence each."""

    spec: OpSpec
    number: int
    findings: tuple[str, ...]


def is_superdsc(data: object) -> bool:
    """True for the content of a SuperDSC file."""
    if not isinstance(data, dict) or len(data) != 1:
        return False
    inner = next(iter(data.values()))
    return isinstance(inner, dict) and "dscs_" in inner


def read_superdsc(data: object, origin: str, addresses: Mapping[int, BundleAddress]) -> SdscFile:
    """The op of a file; `addresses` are those of its symbol ids, from the bundle."""
    whole = Node.of(data, origin)
    if not is_superdsc(data):
        raise InputError(origin, "it is no SuperDSC file: one op with its dscs_", REMEDY)
    key = next(iter(whole.data))
    found = _NAME.fullmatch(key)
    return _Reader(whole.node(key), addresses, int(found[1]) if found and found[1] else -1).read()


class _Reader:
    def __init__(self, node: Node, addresses: Mapping[int, BundleAddress], file_number: int) -> None:
        self.node, self.addresses, self.file_number = node, addresses, file_number
        self.findings: list[str] = []
        self.lent: frozenset[str] = frozenset()
        dscs = list(node.nodes("dscs_"))
        if len(dscs) != 1 or len(dscs[0].data) != 1:
            raise InputError(node.origin, f"{node.at('dscs_')} holds not one op", REMEDY)
        self.function = next(iter(dscs[0].data))
        self.dsc = dscs[0].node(self.function)

    def read(self) -> SdscFile:
        sizes = self.dsc.node("N_")
        slices = self.node.node("numWkSlicesPerDim_")
        labels = [key.removesuffix("_") for key in sizes.data if key not in _SIZES]
        labels = self._own(labels)
        extents = {label: sizes.integer(f"{label}_", least=0) for label in labels}
        cut = {label: slices.integer(label, 1, 1) for label in labels}
        self.symbols = {label: f"c{place}" for place, label in enumerate(labels)}
        self.extents, self.cut = extents, cut
        cores = self.node.integer("numCoresUsed_", least=1)
        if cores > MOST_CORES:
            raise InputError(self.node.origin, f"it uses {cores:,} cores", REMEDY)
        if math.prod(cut.values()) != cores:
            self.findings.append(f"its slices make {math.prod(cut.values())} cores, it says {cores}")
        self.core_slices = self._core_slices(cores, labels)
        compute = next(iter(self.dsc.nodes("computeOp_")), None)
        if compute is None:
            raise InputError(self.node.origin, f"{self.dsc.at('computeOp_')} is empty", REMEDY)
        args = self._args(compute)
        dims = tuple(
            Dimension(self.symbols[label], extents[label] - self._masked(label), cut[label]) for label in labels
        )
        name = self.function.removesuffix("nonstick")
        spec = OpSpec(
            name,
            self._folds(name, args),
            dims,
            args,
            self._constants(),
            self._handle(),
            extra=self.node.extra(),
        )
        return SdscFile(self._ordered(spec), self.file_number, tuple(self.findings))

    def _own(self, labels: list[str]) -> list[str]:
        """The dims of the op: one behind `out` only gives sticks to an op whose result has none."""
        last = labels.index("out") + 1 if "out" in labels and self.function not in CONTRACTIONS else len(labels)
        self.lent = frozenset(labels[last:])
        return labels[:last]

    # Cores

    def _core_slices(self, cores: int, labels: list[str]) -> list[dict[str, int]]:
        given = self.node.node("coreIdToWkSlice_")
        found = []
        for core in range(cores):
            own = given.node(str(core))
            found.append({label: own.integer(label, 0, 0) for label in labels})
        return found

    def _ordered(self, spec: OpSpec) -> OpSpec:
        """The op with the order in which slices go round the cores, where that is not the front end's."""
        if [dict(spec.slices_of(core)) for core in range(len(self.core_slices))] == self._by_symbol():
            return spec
        rounds = self._rounds()
        turned = OpSpec(
            spec.op, spec.is_reduction, spec.iteration, spec.args, spec.constants, spec.handle, rounds, spec.extra
        )
        if [dict(turned.slices_of(core)) for core in range(len(self.core_slices))] == self._by_symbol():
            return turned
        self.findings.append("its cores take slices in no regular order")
        return spec

    def _by_symbol(self) -> list[dict[str, int]]:
        return [{self.symbols[label]: place for label, place in own.items()} for own in self.core_slices]

    def _rounds(self) -> tuple[str, ...]:
        """Symbols that are cut, the one that changes with the lowest core number first."""
        first: dict[str, int] = {}
        for core, own in enumerate(self.core_slices):
            for label, place in own.items():
                if place and self.cut[label] > 1:
                    first.setdefault(label, core)
        return tuple(self.symbols[label] for label in sorted(first, key=lambda label: first[label]))

    # Tensors

    def _args(self, compute: Node) -> tuple[TensorArg, ...]:
        outputs = {self._index(text) for text in compute.texts("outputLabeledDs")}
        labelled = list(self.dsc.nodes("labeledDs_"))
        nodes = list(self.dsc.nodes("scheduleTree_"))
        if len(labelled) != len(nodes):
            raise InputError(self.node.origin, f"it has {len(nodes)} nodes and {len(labelled)} tensors", REMEDY)
        made = [
            self._tensor(node, own, place in outputs)
            for place, (node, own) in enumerate(zip(nodes, labelled, strict=True))
        ]
        return tuple(sorted(made, key=lambda arg: not arg.is_input))

    def _index(self, text: str) -> int:
        return integer(text.rpartition("idx")[2], self.node.origin, "a tensor's number", 0)

    def _tensor(self, node: Node, own: Node, output: bool) -> TensorArg:
        info = self.dsc.node("primaryDsInfo_").node(own.text("dsType_"))
        sticks, lanes = info.texts("stickDimOrder_"), info.integers("stickSize_", 1)[-1]
        order = info.texts("layoutDimOrder_")
        scales = dict(zip(order, own.integers("scale_"), strict=False))
        stick = sticks[-1] if sticks else ""
        gaps = self._gaps(node)
        present = [label for label in node.texts("layoutDimOrder_") if scales.get(label, 1) == 1]
        walked = [label for label in present if label not in self.lent]
        unknown = [label for label in walked if label not in self.symbols]
        if unknown:
            raise InputError(self.node.origin, f"{node.where} has a dim {unknown[0]} that the op does not have", REMEDY)
        sizes, coordinates = list[int](), list[Expression]()
        for label in reversed(walked):
            whole = self.extents[label] + gaps.get(label, 0)
            per = lanes if label == stick else 1
            sizes.append(max(1, -(-whole // per)))
            coordinates.append(floored(symbol(self.symbols[label]), per))
        lane = modulo(symbol(self.symbols[stick]), lanes) if stick in walked else ZERO
        place, start = self._place(node, walked, lanes, stick)
        coordinates = self._ahead(coordinates, sizes, lanes, start, own.integer("wordLength", 2, 1))
        kind = own.text("dataFormat_")
        if BYTES.get(kind, 128 // lanes) * lanes != 128:
            self.findings.append(f"{own.text('dsName_', '')} has sticks of {lanes} elements of {kind}")
        self._check_folds(node, walked)
        return TensorArg(
            not output,
            place.at if place.room is Room.HBM else -1,
            kind,
            (*(sizes or [1]), lanes),
            (*(coordinates or [ZERO]), lane),
            place,
            division=self._owners(node),
            extra=node.extra(),
        )

    def _gaps(self, node: Node) -> dict[str, int]:
        if not node.has("backGapCore_"):
            return {}
        given = node.node("backGapCore_")
        return {
            label: integer(next(iter(given.node(label).data.values()), 0), node.origin, given.at(label), 0)
            for label in given.data
        }

    def _place(self, node: Node, walked: list[str], lanes: int, stick: str) -> tuple[Place, int]:
        """Where a tensor lies, and by how many bytes an access begins inside of it."""
        texts = node.node("startAddressCoreCorelet_").node("data_")
        first = texts.integer("[0, 0, 0]")
        if node.text("component_") == "lx":
            if first < 0:
                raise InputError(self.node.origin, f"{texts.where} gives an address below 0", REMEDY)
            return Place(Room.LX, first), 0
        if first >= 0:
            return Place(Room.HBM, first), 0
        address = self.addresses.get(first)
        if address is None:
            if self.addresses:
                self.findings.append(f"symbol {first} is in no bundle")
            return Place(Room.HBM, -first), 0
        if address.argument == POOL:
            return Place(Room.POOL, address.beyond), 0
        if address.argument == ABSOLUTE:
            return Place(Room.HBM, address.beyond), 0
        return Place(Room.HBM, address.argument), address.beyond

    def _ahead(
        self, coordinates: list[Expression], sizes: list[int], lanes: int, start: int, word: int
    ) -> list[Expression]:
        """Coordinates with the start of the access, which is given in bytes, added to the dims where it lies."""
        rest, found = start // word, list[Expression]()
        for place, coordinate in enumerate(coordinates):
            inner = math.prod(sizes[place + 1 :]) * lanes
            steps, rest = divmod(rest, inner)
            found.append(added(coordinate, number(steps)))
        return found

    def _owners(self, node: Node) -> WorkDivision | None:
        given = node.node("coordinates_").node("coreIdToWkSlice_")
        if not given.data:
            return None
        of_core = []
        for core in sorted(given.data, key=int):
            own = given.node(core)
            of_core.append(
                frozendict(
                    (self.symbols[label], own.integer(label, least=0)) for label in own.data if label in self.symbols
                )
            )
        slices = {name: 1 + max(own[name] for own in of_core) for name in of_core[0]}
        return WorkDivision(frozendict(slices), tuple(of_core))

    def _check_folds(self, node: Node, walked: list[str]) -> None:
        """The factors of a dim's folds multiply to its extent."""
        info = node.node("coordinates_").node("coordInfo")
        for label in walked:
            if label not in info.data:
                self.findings.append(f"{node.text('name_')} says nothing about {label}")
                continue
            folds = info.node(label).node("folds")
            factors = [each.integer("factor_", least=0) for each in folds.nodes("dim_prop_attr")]
            if math.prod(factors) != self.extents[label]:
                what = f"{node.text('name_')} folds {label} into {math.prod(factors)} elements"
                self.findings.append(f"{what}, the op has {self.extents[label]}")

    # The rest

    def _folds(self, name: str, args: tuple[TensorArg, ...]) -> bool:
        kept = {each for coordinate in args[-1].coordinates for each in coordinate.symbols}
        read = {each for arg in args[:-1] for coordinate in arg.coordinates for each in coordinate.symbols}
        return bool(read - kept) or name in ("batchmatmul", "sum", "max", "min", "mean", "prod", "exx2")

    def _masked(self, label: str) -> int:
        """Padding of a dim that a mask tells of."""
        masks = self.dsc.node("coordinateMasking_")
        if label not in masks.data:
            return 0
        rows = masks.items(label)
        row = rows[0] if rows else [0, 0]
        if not isinstance(row, list) or len(row) != 2:
            raise InputError(self.node.origin, f"{masks.at(label)} is no pair", REMEDY)
        return min(integer(row[1], self.node.origin, masks.at(label), 0), self.extents[label])

    def _constants(self) -> frozendict[str, float]:
        """Names of constants; their values are bits of the device and are kept as they are."""
        return frozendict()

    def _handle(self) -> DebugHandle | None:
        if not self.node.has("debug_handle_"):
            return None
        given = self.node.node("debug_handle_")
        source = None
        if given.has("source"):
            place = given.node("source")
            edges = [place.integer(key, 0) for key in ("start_line", "start_col", "end_line", "end_col")]
            source = Source(place.text("file"), edges[0], edges[1], edges[2], edges[3])
        chain = given.texts("ir_chain") if given.has("ir_chain") else ()
        return DebugHandle(source, given.text("aten_op") if given.has("aten_op") else None, chain)
