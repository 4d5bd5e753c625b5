"""Ring work: which parts of a tensor cores send each other in a step over the ring, and how long each core walks.

Owns the sender of every part (the reading core itself if it holds it, else the lowest-numbered core that does), what
each core gets, and the walk by the runs of the two sets of boxes (facts 5.5).  Refuses the links: who is in whose way
is the engine's to find.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from compiler.device import Device
from compiler.errors import InputError
from compiler.layout import STICK_BYTES, StickLayout
from compiler.program import CoreBox, DeviceTensor
from simulator.timing.case import Case
from simulator.timing.pieces import Integers
from simulator.timing.work import Counts, Fragments, Times

NOBODY = -1


@dataclass(frozen=True, slots=True)
class View:
    """How boxes cut a tensor: bytes of a contiguous run of one box, and slices of the innermost dim that is cut."""

    run_bytes: int
    slices: int


def ring_times(case: Case) -> Times:
    """How long each core walks for what it takes (facts 5.5); the view with the shorter run governs."""
    source, target = case.reads[0], case.writes[0]
    views = (view_of(source.tensor, source.tensor.boxes), view_of(target.tensor, _boxes(case)))
    view = min(views, key=lambda one: (one.run_bytes, -one.slices))
    return walk_ns(case.device, target.bytes, view)


def walk_ns(device: Device, size: Counts, view: View) -> Times:
    """Time to walk so many bytes.

    >>> from compiler.device import load_device
    >>> [round(float(walk_ns(load_device("spyre"), np.array([262144]), View(run, split))[0]), 1)
    ...  for run, split in ((256, 4), (4096, 2), (2048, 4), (128, 8))]
    [8777.8, 1136.4, 2774.6, 25583.7]
    """
    number = device.number
    split = min(max(view.slices, number("relayout_least_split")), number("relayout_most_split"))
    per_run = number("relayout_run_ns_per_doubling") * math.log2(split) - number("relayout_run_ns")
    return np.asarray(size / view.run_bytes * per_run + size * split / number("relayout_bytes_per_ns_core"))


def view_of(tensor: DeviceTensor, boxes: Sequence[CoreBox]) -> View:
    """How boxes cut a tensor, seen at the largest of them; a tensor that nobody cuts is one run."""
    sizes = tensor.layout.device_size
    largest = [max((box.size[dim] for box in boxes), default=size) for dim, size in enumerate(sizes)]
    cut = [dim for dim, size in enumerate(sizes) if largest[dim] < size]
    if not cut:
        return View(tensor.layout.size_bytes, 1)
    inside = math.prod(sizes[cut[-1] + 1 :]) * tensor.layout.element_bytes
    return View(largest[cut[-1]] * inside, len({box.start[cut[-1]] for box in boxes}))


def fragments_of(case: Case) -> Fragments:
    """Every part that one core sends to another, by target and source; InputError where nobody holds what is read."""
    tensor, layout = case.reads[0].tensor, case.reads[0].tensor.layout
    wanted = _boxes(case)
    cells = _Cells(layout, tensor.boxes, wanted)
    senders: list[tuple[int, int, int]] = []
    for box in wanted:
        owner, sticks = cells.owner[cells.inside(box)], cells.sticks[cells.inside(box)]
        own = [other for other in tensor.boxes if other.core == box.core]
        away = np.ones(owner.shape, dtype=bool)
        for other in own:
            away &= ~cells.marks(other)[cells.inside(box)]
        if (owner[away] == NOBODY).any():
            why = f"core {box.core} reads a part of {tensor.name} over the ring that no core holds"
            raise InputError(f"step {case.step.name}", why, "compile the model again")
        counts = np.bincount(owner[away], weights=sticks[away])
        senders += [(int(core), box.core, int(counts[core])) for core in np.flatnonzero(counts)]
    table = np.array(senders, dtype=np.int64).reshape(-1, 3)
    return Fragments(table[:, 0], table[:, 1], table[:, 2] * STICK_BYTES)


def received(fragments: Fragments, cores: Counts) -> Counts:
    """Bytes that other cores send to each of some cores; what a core takes from itself goes over no link."""
    total = np.zeros(max(cores.max(initial=0), fragments.target.max(initial=0)) + 1, dtype=np.int64)
    np.add.at(total, fragments.target, fragments.bytes)
    return total[cores]


def _boxes(case: Case) -> tuple[CoreBox, ...]:
    """What every core that takes part is to hold afterwards: that is what it reads."""
    taking = set(case.cores.tolist())
    target = case.writes[0].tensor
    boxes = tuple(box for box in target.boxes if box.core in taking)
    if not boxes or not case.reads[0].tensor.boxes:
        outside = target.name if not boxes else case.reads[0].tensor.name
        why = f"it goes over the ring, and no core holds {outside} in its scratchpad"
        raise InputError(f"step {case.step.name}", why, "compile the model again")
    return boxes


class _Cells:
    """A tensor cut along all edges of all boxes: every cell lies in a box as a whole or not at all.

    `owner` is the lowest-numbered core that holds a cell, `sticks` its size.
    """

    def __init__(self, layout: StickLayout, held: Sequence[CoreBox], wanted: Sequence[CoreBox]) -> None:
        dims = len(layout.device_size) - 1
        self._edges: list[Integers] = []
        for dim in range(dims):
            ends = [end for box in (*held, *wanted) for end in (box.start[dim], box.start[dim] + box.size[dim])]
            self._edges.append(np.unique(np.array([0, layout.device_size[dim], *ends], dtype=np.int64)))
        sizes = [np.diff(edges) for edges in self._edges]
        self.sticks: Integers = np.ones([len(size) for size in sizes], dtype=np.int64)
        for place in np.ix_(*sizes):
            self.sticks = self.sticks * place
        self.owner: Integers = np.full(self.sticks.shape, NOBODY, dtype=np.int64)
        for box in sorted(held, key=lambda box: -box.core):
            self.owner[self.inside(box)] = box.core

    def inside(self, box: CoreBox) -> tuple[slice, ...]:
        """The cells of a box."""
        ends = zip(self._edges, box.start, box.size, strict=False)
        return tuple(slice(*np.searchsorted(edges, [start, start + size]).tolist()) for edges, start, size in ends)

    def marks(self, box: CoreBox) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        """Which cells lie in a box."""
        found = np.zeros(self.owner.shape, dtype=bool)
        found[self.inside(box)] = True
        return found
