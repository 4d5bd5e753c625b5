"""Joint problems of the size and make of real programs: decoder layers, the same menus in each of them.

Owns a layer as a list of index patterns, the splits of its loops, and what they cost by rough laws.  Refuses exactness:
times are of the right magnitude, views are right.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from math import prod
from random import Random

from frozendict import frozendict

from compiler.device import load_device
from compiler.joint.kinds import rates_of
from compiler.plan import EditKind
from compiler.solvers.joint.problem import DEVICE, NOWHERE, Bill, Choice, Copy, Item, JointProblem, Load, Menu, Task

SPYRE = rates_of(load_device("spyre"))

CORES = 32
CAPACITY = 1_625_344
ELEMENT_BYTES = 2
MOST_CHOICES = 24
MOST_DESTINATIONS = 2
FIXED = {"b": 32, "j": 128, "c": 32, "d": 128, "f": 8192}

NORM = (("sum", "tbj->t", "IN"), ("rsqrt", "t->t", "sum"), ("unit", "tbj,t->tbj", "IN rsqrt"))
ROPE = (("turn", "tbj->tbj", "IN"), ("cos", "tbj,tj->tbj", "IN +cos"), ("sin", "tbj,tj->tbj", "turn +sin"))
SOFTMAX = (
    ("top", "bts->bt", "mask"),
    ("less", "bts,bt->bts", "mask top"),
    ("exp", "bts->bts", "less"),
    ("total", "bts->bt", "exp"),
    ("share", "bts,bt->bts", "exp total"),
)


def _layer(extra: int) -> list[tuple[str, str, str]]:
    """Steps of a layer: name, index pattern, what is read; `*` is a weight of its own, `+` an input of all layers."""
    steps = [*_again(NORM, "in.", "x"), ("scaled", "tbj,bj->tbj", "in.unit *g")]
    steps += [(name, "tcd,cdbj->tbj", f"scaled *{name}") for name in "qkv"]
    for name in "qk":
        steps += [*_again(ROPE, f"{name}.", name), (f"{name}.rope", "tbj,tbj->tbj", f"{name}.cos {name}.sin")]
    steps += [("scores", "tbj,sbj->bts", "q.rope k.rope"), ("scale", "bts->bts", "scores")]
    steps += [("mask", "bts,ts->bts", "scale +mask"), *SOFTMAX, ("mix", "bts,sbj->tbj", "share v")]
    steps += [("o", "tcd,cdbj->tbj", "mix *o"), ("mid", "tbj,tbj->tbj", "x o")]
    steps += [*_again(NORM, "post.", "mid"), ("grown", "tbj,bj->tbj", "post.unit *h")]
    steps += [("gate", "tcd,cdf->tf", "grown *gate"), ("up", "tcd,cdf->tf", "grown *up"), ("act0", "tf->tf", "gate")]
    steps += [(f"act{number + 1}", "tf->tf", f"act{number}") for number in range(extra)]
    steps += [("swish", "tf,tf->tf", f"gate act{extra}"), ("both", "tf,tf->tf", "swish up")]
    return [*steps, ("down", "tf,fbj->tbj", "both *down"), ("x", "tbj,tbj->tbj", "mid down")]


def _again(steps: tuple[tuple[str, str, str], ...], prefix: str, source: str) -> Iterator[tuple[str, str, str]]:
    """Some steps under a prefix, reading from a source."""
    own = {name for name, _, _ in steps}
    for name, pattern, reads in steps:
        renamed = (prefix + read if read in own else source if read == "IN" else read for read in reads.split())
        yield prefix + name, pattern, " ".join(renamed)


@dataclass(slots=True)
class Draft:
    """A program while it is built."""

    tokens: int
    lone: bool
    names: list[str] = field(default_factory=list)
    dims: list[str] = field(default_factory=list)
    writers: list[int] = field(default_factory=list)
    tasks: list[Task] = field(default_factory=list)
    patterns: list[str] = field(default_factory=list)
    menus: dict[tuple[str, tuple[bool, ...]], Menu] = field(default_factory=dict)
    views: dict[tuple[int, ...], int] = field(default_factory=dict)

    def extent(self, loop: str) -> int:
        """Trips of a loop."""
        return FIXED.get(loop, self.tokens)

    def size(self, dims: str) -> int:
        """Bytes of a buffer."""
        return ELEMENT_BYTES * prod(self.extent(loop) for loop in dims)

    def item(self, name: str, dims: str, writer: int = -1) -> int:
        """Number of a new item."""
        self.names.append(name)
        self.dims.append(dims)
        self.writers.append(writer)
        return len(self.names) - 1

    def view(self, split: dict[str, int], dims: str, written: bool) -> int:
        """Number of the view of an operand; NOWHERE for a part of a sum."""
        rest = prod(factor for loop, factor in split.items() if loop not in dims)
        if written and rest > 1:
            return NOWHERE
        return self.views.setdefault((*(split[loop] for loop in dims), rest), len(self.views))

    def foot(self, dims: str, view: int) -> int:
        """Bytes per core under a view."""
        return -(-self.size(dims) // prod(_key(self, view)[:-1]))


def _key(draft: Draft, view: int) -> tuple[int, ...]:
    return list(draft.views)[view]


def realistic_joint(seed: int, layers: int, share: float = 1.0) -> JointProblem:
    """A decoder of so many layers, 40 to 50 steps each, with `share` of the LX of the device.

    Even seeds have one kernel, odd ones a kernel per layer.
    """
    rng = Random(f"realistic {seed}")
    draft = Draft(rng.choice((128, 256, 512)), seed % 2 == 0)
    shared = {name: draft.item(name, dims) for name, dims in (("cos", "tj"), ("sin", "tj"), ("mask", "ts"))}
    residual, steps = draft.item("x", "tbj"), _layer(rng.randrange(8))
    for layer in range(layers):
        residual = _add_layer(draft, steps, shared, residual, layer)
    readers: list[list[int]] = [[] for _ in draft.names]
    for number, task in enumerate(draft.tasks):
        for item in task.operands[:-1]:
            readers[item].append(number)
    items = tuple(_item(draft, number, tuple(read)) for number, read in enumerate(readers))
    return JointProblem(tuple(draft.tasks), items, int(share * CAPACITY), 128, SPYRE)


def _add_layer(draft: Draft, steps: list[tuple[str, str, str]], shared: dict[str, int], residual: int, at: int) -> int:
    """Append a layer that reads `residual`; what it leaves."""
    known = {"x": residual}
    for name, pattern, reads in steps:
        dims, made = pattern.split("->")
        found = []
        for read, operand in zip(reads.split(), dims.split(","), strict=True):
            weight = read.startswith("*")
            found.append(
                draft.item(f"{at}.{read}", operand) if weight else shared[read[1:]] if read[0] == "+" else known[read]
            )
        outside = tuple(draft.writers[item] < 0 or (at > 0 and item == residual and not draft.lone) for item in found)
        written = draft.item(f"{at}.{name}", made, len(draft.tasks))
        operands = (*dict.fromkeys(found), written)
        menu = _menu(draft, pattern, outside)
        draft.tasks.append(Task(f"{at}.{name}", operands, len(operands) - 1, menu, 0 if draft.lone else at))
        draft.patterns.append(pattern)
        known[name] = written
    return known["x"]


def _menu(draft: Draft, pattern: str, outside: tuple[bool, ...]) -> Menu:
    if (pattern, outside) not in draft.menus:
        draft.menus[pattern, outside] = Menu(
            tuple(_choice(draft, pattern, outside, split) for split in _splits(draft, pattern))
        )
    return draft.menus[pattern, outside]


def _splits(draft: Draft, pattern: str) -> list[dict[str, int]]:
    """Splits of the loops over all cores, then over half of them; the first loop that can takes most in the first."""
    loops = list(dict.fromkeys(pattern.replace(",", "").replace("->", "")))
    powers = [[1 << n for n in range(6) if draft.extent(loop) % (1 << n) == 0] for loop in loops]
    found = [dict(zip(loops, factors, strict=True)) for factors in product(*powers)]
    few = [one for one in found if sum(factor > 1 for factor in one.values()) <= 2 or "," in pattern]
    full = [one for one in few if prod(one.values()) == CORES]
    half = [one for one in few if prod(one.values()) == CORES // 2]
    full.sort(key=lambda one: (sum(factor > 1 for factor in one.values()), [-one[loop] for loop in loops]))
    return (full[: MOST_CHOICES - 4] + half)[:MOST_CHOICES]


def _choice(draft: Draft, pattern: str, outside: tuple[bool, ...], split: dict[str, int]) -> Choice:
    dims, made = pattern.split("->")
    read = dims.split(",")
    views = (*(draft.view(split, one, False) for one in read), draft.view(split, made, True))
    work, cores = prod(draft.extent(loop) for loop in split), prod(split.values())
    contracts = len(read) > 1 and any(loop not in made for loop in dims if loop != ",")
    tile = min(draft.extent(loop) // split[loop] for loop in made)
    fill = min(1.0, (tile / 64) ** 0.35)
    partial = prod(factor for loop, factor in split.items() if loop not in made)
    compute = work / cores / (1140 * fill if contracts else 64) / 1000
    serial = 0.2 * (partial - 1) if contracts else 0.0
    return Choice(views, tuple(_bills(draft, (read, made), outside, split, Bill(compute, serial_us=serial))))


def _bills(
    draft: Draft, operands: tuple[list[str], str], outside: tuple[bool, ...], split: dict[str, int], alone: Bill
) -> Iterator[Bill]:
    """A bill for each set of operands in LX."""
    reads, made = operands
    cores = prod(split.values())
    for bits in range(1 << len(reads) + 1):
        loads, traffic = [], 0
        for place, dims in enumerate(reads):
            if bits >> place & 1:
                continue
            fan = prod(factor for loop, factor in split.items() if loop not in dims)
            size = draft.size(dims)
            late = size / 150_000 * max(0.0, (fan / 8) ** 0.75 - 1)
            traffic += 0 if outside[place] else size
            if outside[place]:
                loads.append(Load(place, size, late, 0.001 * size / 4096 if split[dims[-1]] > 8 else 0.0))
        written = 0 if bits >> len(reads) & 1 else draft.size(made)
        slow = 0.1 * traffic / 150_000 if cores < CORES else 0.0
        yield Bill(alone.compute_us, 0.0, slow, alone.serial_us, traffic, written, tuple(loads))


def _item(draft: Draft, number: int, readers: tuple[int, ...]) -> Item:
    writer, dims = draft.writers[number], draft.dims[number]
    size, copies = draft.size(dims), tuple(_copies(draft, number, readers))
    if writer < 0:
        return Item(draft.names[number], size, writer, readers, copies=copies)
    views = [view for view in draft.tasks[writer].menu.by_view[-1] if view != NOWHERE]
    feet = frozendict((view, draft.foot(dims, view)) for view in views)
    same = [item for item in draft.tasks[writer].operands[:-1] if draft.dims[item] == dims]
    parents = tuple(same) if set(draft.patterns[writer].replace(",", "-").split("-")[:1]) == {dims} else ()
    out = Bill(written_bytes=size)
    return Item(draft.names[number], size, writer, readers, feet, not readers, out, copies, parents)


def _copies(draft: Draft, number: int, readers: tuple[int, ...]) -> Iterator[Copy]:
    """Relayouts and reloads of what is computed, clone-ins of what several steps read."""
    writer, dims = draft.writers[number], draft.dims[number]
    wanted: dict[int, list[int]] = {}
    for reader in readers if writer >= 0 or len(readers) > 1 else ():
        place = draft.tasks[reader].operands.index(number)
        for view in list(draft.tasks[reader].menu.by_view[place])[:MOST_DESTINATIONS]:
            wanted.setdefault(view, []).append(reader)
    bill = Bill(loads=(Load(0, draft.size(dims)),)) if writer < 0 else Bill(read_bytes=draft.size(dims))
    for view, served in wanted.items():
        foot = draft.foot(dims, view)
        if writer < 0:
            yield Copy(EditKind.CLONE_IN, view, foot, served[0], tuple(served), frozendict({DEVICE: bill}))
            continue
        starts = [start for start in draft.tasks[writer].menu.by_view[-1] if start not in (NOWHERE, view)]
        prices = frozendict((start, Bill(serial_us=_moved_us(draft, dims, start, view))) for start in starts)
        yield Copy(EditKind.RELAYOUT, view, foot, served[0], tuple(served), prices)
        if served[-1] > writer + 8:
            yield Copy(EditKind.CLONE_IN, view, foot, served[-1], (served[-1],), frozendict({DEVICE: bill}))


def _moved_us(draft: Draft, dims: str, start: int, view: int) -> float:
    """Time of a relayout: more where runs are short."""
    share = draft.size(dims) / CORES
    innermost = max(_key(draft, start)[-2], _key(draft, view)[-2])
    return share * (innermost + 1) / 547_000 + 0.3
