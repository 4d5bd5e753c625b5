"""Moves: whether a copy that keeps the layout leads from where to where its kind says, and what the ring can carry.

Owns the places on both sides of such a copy, and the gates of a relayout: who may send how much to whom, and for which
readers.  Refuses layouts, which are compared in `copies`, and every reader but the relayout itself: see `residents`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from compiler.checks.case import Case
from compiler.checks.image import Box, Image
from compiler.counts import counted
from compiler.layout import Arrangement, StickLayout
from compiler.loops import BufferKind, OpKind
from compiler.plan import HOMEWARD, EditKind, Slot
from compiler.schedule import Step

FACTORS = 2  # operands of a product
FROM_LX = frozenset({EditKind.RELAYOUT, EditKind.CLONE_OUT})
INTO_LX = frozenset({EditKind.RELAYOUT, EditKind.CLONE_IN})


def whereabouts_fault(case: Case, step: Step) -> str:
    """Why a copy does not lead from where to where its kind says, as the end of a sentence; '' if it does."""
    edit = step.edit
    if edit is None or edit.kind not in HOMEWARD:
        return ""
    for role, name, inside in (
        ("source", edit.source, edit.kind in FROM_LX),
        ("target", edit.target, edit.kind in INTO_LX),
    ):
        placement = case.placement(name)
        if placement is not None and isinstance(placement, Slot) is not inside:
            place = "device memory" if inside else "LX"
            return f"(step {step.number}) is a {edit.kind}, but its {role} {name}{_bytes(case, name)} is in {place}"
    return ""


def _bytes(case: Case, name: str) -> str:
    layout = case.layouts.get(name)
    return f" of {layout.size_bytes} bytes" if layout else ""


def ring_fault(case: Case, writer: Step, step: Step) -> str | None:
    """Why a relayout cannot fetch its source, as `writer` left it, over the ring, as the end of a sentence; '' if it
    can, None if that cannot be told.

    Boxes of cores stand for their elements: they tile the source, which is for `residents` to see.
    """
    assert step.edit is not None
    held, needed = _boxes(case, writer, -1), _boxes(case, step, 0)
    if held is None or needed is None:
        return None
    return (
        _form_fault(case.layouts[step.edit.source])
        or _origin_fault(case, writer)
        or _counts_fault(case, writer, held, needed)
        or _readers_fault(case, step.edit.target, len(set(needed)) < len(held))
        or _ways_fault(case, held, needed)
    )


def _boxes(case: Case, step: Step, number: int) -> list[Box] | None:
    """The box of an operand on every core; None if that is not known."""
    operands = case.operands(step)
    image = operands[number].image if operands else None
    if step.name not in case.divisions or not isinstance(image, Image):
        return None
    boxes = [box for box in case.boxes(step, image) if box is not None]
    return boxes if len(boxes) == case.divisions[step.name].cores else None


def _form_fault(layout: StickLayout) -> str:
    standard = layout.arrangement is Arrangement.STANDARD
    return "" if standard else f"moves sticks arranged {layout.arrangement}, the ring takes only standard ones"


def _origin_fault(case: Case, writer: Step) -> str:
    """What arrives in device memory and was only turned is turned there for each view."""
    edit = writer.edit
    if edit and edit.kind is EditKind.RESTICKIFY and case.buffers[edit.source].kind is not BufferKind.COMPUTED:
        return f"moves what {writer.name} only turned: {edit.source} is a graph {case.buffers[edit.source].kind}"
    return ""


def _readers_fault(case: Case, target: str, gathered: bool) -> str:
    """Pointwise steps and products of two operands read what came over the ring; only these have it gathered."""
    for reader in case.readers(target):
        op = reader.op
        product = op.kind is OpKind.MATMUL and len(op.reads) == FACTORS
        if not product and op.kind is not OpKind.POINTWISE:
            return f"serves {reader.name}, which is neither pointwise nor a product of two operands"
        if product and sum(read.buffer == target for read in op.reads) > 1:
            return f"serves both operands of {reader.name}, which may have one from the ring"
        if gathered and not product:
            return f"gathers parts on fewer owners than wrote them for {reader.name}, which is no product"
    return ""


def _counts_fault(case: Case, writer: Step, held: list[Box], needed: list[Box]) -> str:
    """Cores on both sides, and whose parts they are."""
    seen: dict[Box, int] = {}
    for core, box in enumerate(held):
        if seen.setdefault(box, core) != core:
            return f"has two senders for one part: cores {seen[box]} and {core} both hold it since {writer.name}"
    if len(needed) < len(held):
        return f"runs on {counted(len(needed), 'core')}, but {writer.name} left parts on {len(held)}"
    if len(held) < len(needed) != case.cores:
        return f"goes from {len(held)} to {len(needed)} cores: to more cores it goes only if to all {case.cores}"
    return "changes nothing: every core holds its part already" if held == needed else ""


def _ways_fault(case: Case, held: list[Box], needed: list[Box]) -> str:
    """Every place comes from somewhere, from as many cores as every other, and not from too many."""
    common = _common(held, needed)
    for core, box in enumerate(needed):
        size, found = math.prod(last - first + 1 for first, last in box), int(common[:, core].sum())
        if found != size:
            lanes = box[-1][1] + 1
            return f"core {core} needs {counted(size // lanes, 'stick')}, of which the cores hold {found // lanes}"
    ways = common > 0
    for what, counts in (("sends to", ways.sum(axis=1)), ("receives from", ways.sum(axis=0))):
        most, least, limit = int(counts.argmax()), int(counts.argmin()), case.device.count("relayout_fan_limit")
        if counts[most] > limit:
            return f"core {most} {what} {counted(counts[most], 'core')}, the limit is {limit}"
        if counts[most] != counts[least]:
            fewest = f"core {least} {what} {counted(counts[least], 'core')}"
            return f"{fewest}, core {most} {what.split()[-1]} {counts[most]}"
    if len(needed) > len(held) and not bool(np.all(ways.sum(axis=0) == 1)):
        first = counted(ways[:, 0].sum(), "core")
        return f"core 0 receives from {first}; where more cores receive than send, from one each"
    return ""


def _common(held: list[Box], needed: list[Box]) -> NDArray[np.int64]:
    """Places that a core which holds has in common with one that needs, shape (held, needed)."""
    one, other = np.array(held, dtype=np.int64)[:, None], np.array(needed, dtype=np.int64)[None]
    sizes = np.minimum(one[..., 1], other[..., 1]) - np.maximum(one[..., 0], other[..., 0]) + 1
    return np.asarray(np.maximum(sizes, 0).prod(axis=-1), dtype=np.int64)
