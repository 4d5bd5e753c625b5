"""SDSC frame: what the tensors of a SuperDSC file are read against.

Owns dims of the op by label, their slices on every core, and the sentences about what disagrees.  Refuses slices that
no core can have: those of a dim are counted from 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from compiler.errors import InputError
from compiler.formats.opspec import CONTRACTIONS
from compiler.import_log import Disagreement
from compiler.read.bundle import BundleAddress
from compiler.read.plain import MOST_DIMS, REMEDY, Node

MOST_CORES: Final = 4096
_NO_DIMS: Final = frozenset({"name_", "paddingSizes_"})
_ROLES: Final = frozenset({"avgpoolfwd", "depthwiseconv2dnative", *CONTRACTIONS})
"""Ops whose labels are roles, not places: one behind `out` is a dim like the others."""


@dataclass(slots=True)
class Frame:
    """The op function and its dims.

    `extents` have padding, `cut` is the number of slices, both by label; `lent` are labels that only give sticks to an
    op whose result has none.  `addresses` is None where there is no bundle; then ids are `numbered` as they come.
    """

    origin: str
    function: str
    extents: dict[str, int]
    cut: dict[str, int]
    lent: frozenset[str]
    core_slices: list[dict[str, int]]
    addresses: Mapping[int, BundleAddress] | None
    findings: list[str] = field(default_factory=list)
    numbered: dict[int, int] = field(default_factory=dict)
    short: dict[str, int] = field(default_factory=dict)

    @property
    def symbols(self) -> dict[str, str]:
        """Iteration symbols by label."""
        return {label: f"c{place}" for place, label in enumerate(self.extents)}

    def fault(self, why: str) -> InputError:
        """The error for what cannot be read."""
        return InputError(self.origin, why, REMEDY)


def read_frame(whole: Node, dsc: Node, function: str, addresses: Mapping[int, BundleAddress] | None) -> Frame:
    """The frame of a file; `whole` is its op, `dsc` what it does."""
    sizes, slices = dsc.node("N_"), whole.node("numWkSlicesPerDim_")
    labels = [key.removesuffix("_") for key in sizes.data if key not in _NO_DIMS]
    last = labels.index("out") + 1 if "out" in labels and function not in _ROLES else len(labels)
    lent, labels = frozenset(labels[last:]), labels[:last]
    if len(labels) > MOST_DIMS:
        raise InputError(whole.origin, f"it has {len(labels):,} dims, at most {MOST_DIMS} are read", REMEDY)
    cores = whole.integer("numCoresUsed_", least=1)
    cut = {label: slices.integer(label, 1, 1) for label in labels}
    if max(cores, math.prod(cut.values())) > MOST_CORES:
        cores = max(cores, math.prod(cut.values()))
        raise InputError(whole.origin, f"it uses {cores:,} cores, no device has more than {MOST_CORES:,}", REMEDY)
    extents = {label: sizes.integer(f"{label}_", least=0) for label in labels}
    frame = Frame(whole.origin, function, extents, cut, lent, _core_slices(whole, cores, cut), addresses)
    if math.prod(cut.values()) != cores:
        frame.findings.append(Disagreement(f"its slices make {math.prod(cut.values())} cores, it says {cores}"))
    if dsc.integer("numCoresUsed_", cores) != cores:
        what = f"it says in one place that it uses {cores} cores, in another {dsc.data['numCoresUsed_']}"
        frame.findings.append(Disagreement(what))
    _check_stage(dsc, frame)
    return frame


def _core_slices(whole: Node, cores: int, cut: Mapping[str, int]) -> list[dict[str, int]]:
    given = whole.node("coreIdToWkSlice_")
    found = []
    for core in range(cores):
        own = given.node(str(core))
        slices = {label: own.integer(label, 0, 0) for label in cut}
        for label, place in slices.items():
            if place >= cut[label]:
                why = f"core {core} works on slice {place} of {label}, which has {cut[label]}"
                raise InputError(whole.origin, why, REMEDY)
        found.append(slices)
    return found


def _check_stage(dsc: Node, frame: Frame) -> None:
    """What a core does at a time is its share of the whole."""
    if not dsc.has_object("dataStageParam_"):
        return
    stages = dsc.node("dataStageParam_")
    for key in stages.data:
        stage = stages.node(key)
        part = stage.node("ss_") if stage.has("ss_") else stage
        for label, extent in frame.extents.items():
            own = part.data.get(f"{label}_", extent // frame.cut[label])
            if own != extent // frame.cut[label]:
                what = f"a core is said to do {own!r:.20} of {label}"
                frame.findings.append(Disagreement(f"{what}, its slices say {extent // frame.cut[label]}"))
