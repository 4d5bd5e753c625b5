"""Host view of tensors: strided tensors as spaces and indices, so that the same access code serves them.

Owns the translation between a host tensor and the loops that walk all its elements.  Refuses memories.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from compiler.layout import StickLayout
from compiler.loops import Index, Loop, Term
from simulator.functional.address import AccessMap, access_map
from simulator.functional.space import Space


@dataclass(frozen=True, slots=True)
class Walk:
    """All elements of a strided host tensor: the space that counts them and the access that finds them."""

    space: Space
    index: Index

    def map(self, layout: StickLayout | None) -> AccessMap:
        """The access on memory laid out so; None is the flat storage of a host tensor."""
        return access_map(self.index, self.space.loops, layout)


@lru_cache(maxsize=4096)
def walk(shape: tuple[int, ...], strides: tuple[int, ...], offset: int = 0) -> Walk:
    """One loop per dim, `offset` and `strides` in elements of the storage."""
    loops = tuple(Loop(f"d{dim}", size) for dim, size in enumerate(shape))
    terms = tuple(
        Term(stride, ((loop.name, 1),)) for loop, stride in zip(loops, strides, strict=True) if loop.extent > 1
    )
    return Walk(Space(loops, tuple((0, size) for size in shape)), Index(offset, terms))
