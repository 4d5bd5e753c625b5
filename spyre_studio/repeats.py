"""Repeats: runs of sibling modules that do the same, as the 40 layers of a decoder do.

Owns: telling equal modules by their ops, shapes, dtypes and edges, whatever their names are, and the runs that they
form in schedule order. Refuses: Qt, and what a plan makes of them (repeat_facts.py). Time grows with the number of ops
times the depth of their modules.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from compiler.loops import Buffer, BufferKind, LoopOp, LoopProgram

LEAST: Final = 3  # equal modules that make a run; two are seen at a glance
_WEIGHTS: Final = frozenset({BufferKind.PARAMETER, BufferKind.CONSTANT})


@dataclass(frozen=True, slots=True)
class Run:
    """Equal modules next to each other: dotted paths in schedule order, and that of the module around ('' for none)."""

    parent: str
    members: tuple[str, ...]

    @property
    def title(self) -> str:
        """What stands for all of them. Example: 'layers 0–39'."""
        return title_of(self.members)

    @property
    def key(self) -> str:
        """The path of the first one, by which the run is known."""
        return self.members[0]


def title_of(members: tuple[str, ...]) -> str:
    """Words for some neighbours of a run. Examples: 'layers 0–39', 'first – last' where they have no numbers."""
    outer, _, first = members[0].rpartition(".")
    last = members[-1].rpartition(".")[2]
    if len(members) == 1:
        return f"{outer.rpartition('.')[2]}.{first}" if outer and first.isdigit() else first
    if first.isdigit() and last.isdigit():
        return f"{outer.rpartition('.')[2]} {first}–{last}".strip()
    return f"{first} – {last}"


def runs_of(program: LoopProgram, groups: Mapping[str, str]) -> tuple[Run, ...]:
    """All runs of LEAST or more equal siblings; `groups` is the dotted path of the module of each op ('' for none)."""
    inside = _inside(program, groups)
    reader = _Reader(program, groups)
    found: list[Run] = []
    for parent, children in _children(program, groups).items():
        for stretch in _stretches(children):
            signs = [reader.sign(path, inside[path]) for path in stretch]
            found.extend(Run(parent, members) for members in _equal(stretch, signs))
    return tuple(found)


def _inside(program: LoopProgram, groups: Mapping[str, str]) -> dict[str, list[LoopOp]]:
    """The ops of each module, those of inner modules included."""
    inside: dict[str, list[LoopOp]] = {}
    for op in program.ops:
        for path in _chain(groups.get(op.name, "")):
            inside.setdefault(path, []).append(op)
    return inside


def _children(program: LoopProgram, groups: Mapping[str, str]) -> dict[str, list[str]]:
    """What lies directly in each module in order of first use: paths of modules, '' for an op."""
    children: dict[str, list[str]] = {}
    known: set[str] = set()
    for op in program.ops:
        chain = list(_chain(groups.get(op.name, "")))
        children.setdefault(chain[0] if chain else "", []).append("")
        for place, path in enumerate(chain):
            if path in known:
                break
            known.add(path)
            outer = chain[place + 1] if place + 1 < len(chain) else ""
            entries = children.setdefault(outer, [])
            entries.append(path)
    return children


def _chain(path: str) -> Iterator[str]:
    """The module and all around it, innermost first."""
    while path:
        yield path
        path = path.rpartition(".")[0]


def _stretches(children: list[str]) -> Iterator[list[str]]:
    """Modules that follow each other without an op between them."""
    stretch: list[str] = []
    for child in [*children, ""]:
        if child:
            stretch.append(child)
            continue
        if len(stretch) >= LEAST:
            yield stretch
        stretch = []


def _equal(paths: list[str], signs: list[int]) -> Iterator[tuple[str, ...]]:
    """The longest stretches of equal signs, where they are long enough."""
    begin = 0
    for place in range(1, len(paths) + 1):
        if place < len(paths) and signs[place] == signs[begin]:
            continue
        if place - begin >= LEAST:
            yield tuple(paths[begin:place])
        begin = place


@dataclass(slots=True)
class _Reader:
    """Gives equal modules equal numbers. Ops are looked at once: inner and outer modules share what was found."""

    program: LoopProgram
    groups: Mapping[str, str]
    buffers: Mapping[str, Buffer] = field(init=False)
    known: dict[Hashable, int] = field(default_factory=dict)
    works: dict[str, int] = field(default_factory=dict)
    shapes: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.buffers = self.program.buffer_map

    def sign(self, path: str, ops: list[LoopOp]) -> int:
        """The number of what a module does. Buffers and inner modules are known by the order in which they come."""
        seen: dict[str, int] = {}
        modules: dict[str, int] = {}
        parts: list[Hashable] = []
        for op in ops:
            parts.append((self._work(op), self._module(self.groups[op.name], path, modules)))
            for access in op.accesses:
                first = access.buffer not in seen
                number = seen.setdefault(access.buffer, len(seen))
                parts.append((number, self._shape(access.buffer)) if first else number)
        return self._number(tuple(parts))

    def _module(self, inner: str, path: str, modules: dict[str, int]) -> tuple[int, ...]:
        """The chain of inner modules around an op, each by the order in which they come."""
        chain: list[int] = []
        while inner != path:
            chain.append(modules.setdefault(inner, len(modules)))
            inner = inner.rpartition(".")[0]
        return tuple(chain)

    def _work(self, op: LoopOp) -> int:
        """The number of what an op computes: everything but names."""
        if op.name not in self.works:
            accesses = tuple(access.index for access in op.accesses)
            self.works[op.name] = self._number(
                (op.kind, op.combine, op.loops, accesses, len(op.reads), op.body, op.results, op.call)
            )
        return self.works[op.name]

    def _shape(self, name: str) -> int:
        """The number of what a buffer is: an input of the model is data as the result of another layer is."""
        if name not in self.shapes:
            buffer = self.buffers[name]
            facts = (buffer.shape, buffer.strides, buffer.dtype, buffer.kind in _WEIGHTS)
            self.shapes[name] = self._number(facts)
        return self.shapes[name]

    def _number(self, what: Hashable) -> int:
        return self.known.setdefault(what, len(self.known))
