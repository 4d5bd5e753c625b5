"""Views of memory in KTIR programs: which elements a base, sizes and strides name.

Owns pointers, views, views of several parts, and boxes of them.  Refuses to read or write.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from compiler.formats.ktir_ir import MemorySpace
from simulator.ktir.memory import Spot


@dataclass(frozen=True, slots=True)
class Pointer:
    """An element of an argument."""

    name: str
    offset: int = 0


@dataclass(frozen=True, slots=True)
class View:
    """Elements of a memory as an array: from `base`, with sizes and strides, the first of them at `origin`."""

    base: Pointer | int
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    origin: tuple[int, ...]
    space: MemorySpace
    element: str

    @property
    def identity(self) -> Hashable:
        """What tells it from views that have another idea of the same bytes: two of one base, element type and walk
        are the same, in however many dims."""
        walk: list[tuple[int, int]] = []
        for size, step in zip(self.sizes, self.strides, strict=True):
            if walk and walk[-1][1] == size * step:
                walk[-1] = (walk[-1][0] * size, step)
            elif size > 1:
                walk.append((size, step))
        return (self.base, tuple(walk), self.element)

    def spot(self, start: tuple[int, ...], sizes: tuple[int, ...], where: str) -> Spot:
        """The elements of a box of it."""
        offset = self.base.offset if isinstance(self.base, Pointer) else self.base
        first = offset + sum(s * t for s, t in zip(start, self.strides, strict=True))
        return Spot(first, sizes, self.strides, where)


@dataclass(frozen=True, slots=True)
class Joined:
    """Several views that are parts of one array."""

    parts: tuple[View, ...]
    sizes: tuple[int, ...]
    element: str


@dataclass(frozen=True, slots=True)
class Access:
    """A box of a view."""

    view: View | Joined
    start: tuple[int, ...]
    sizes: tuple[int, ...]
