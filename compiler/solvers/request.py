"""Request: a buffer that asks for bytes of the scratchpad during its lifetime (facts 4.1, 4.4).

Owns what is asked for and when one buffer may take over the bytes of another.  Refuses addresses: those are for the
board and the solvers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Request:
    """A buffer that asks for `size` bytes from its first to its last use.

    `uses` are step numbers, strictly increasing.  `parents` are buffers whose address it may take over, best first.
    `computed` says that the first use is its write (a graph input's first use is a read).  `worth` is the traffic to
    device memory (bytes) that a place saves; where it is not given, each use counts once.  Those with `pinned` have a
    place before anything else is weighed.
    """

    name: str
    size: int
    uses: tuple[int, ...]
    parents: tuple[str, ...] = ()
    computed: bool = False
    worth: int | None = None
    pinned: bool = False

    def __post_init__(self) -> None:
        if self.size <= 0:
            raise ValueError(f"{self.name}: a size of {self.size} bytes cannot be placed")
        if not self.uses or any(later <= earlier for earlier, later in zip(self.uses, self.uses[1:], strict=False)):
            raise ValueError(f"{self.name}: uses {self.uses} do not increase strictly")
        if self.worth is not None and self.worth < 0:
            raise ValueError(f"{self.name}: a place cannot save {self.worth} bytes")

    @property
    def start(self) -> int:
        """First step of the lifetime."""
        return self.uses[0]

    @property
    def end(self) -> int:
        """First step after the lifetime."""
        return self.uses[-1] + 1

    @property
    def span(self) -> int:
        """Number of steps of the lifetime."""
        return self.end - self.start

    @property
    def reads(self) -> int:
        """Number of uses that read: all but the write of a computed buffer.

        >>> Request("computed", 1, (3, 5, 8), computed=True).reads, Request("input", 1, (3, 5, 8)).reads
        (2, 3)
        """
        return len(self.uses) - self.computed

    @property
    def saves(self) -> int:
        """Bytes to and from device memory that a place saves.

        >>> Request("a", 100, (3, 5, 8)).saves, Request("b", 100, (3, 5), worth=64).saves
        (300, 64)
        """
        return self.size * len(self.uses) if self.worth is None else self.worth

    def meets(self, other: Request) -> bool:
        """True if both are alive at some step."""
        return self.start < other.end and other.start < self.end


def may_replace(child: Request, parent: Request) -> bool:
    """True if `child` may take over the address of `parent`: born at its last use, no larger, parent once read."""
    return parent.end == child.start + 1 and child.size <= parent.size and parent.reads > 0


def by_name(requests: Sequence[Request]) -> dict[str, Request]:
    """The requests by name; ValueError if two have the same."""
    found = {request.name: request for request in requests}
    if len(found) != len(requests):
        raise ValueError("two requests have the same name")
    return found


def check_parents(named: Mapping[str, Request]) -> None:
    """ValueError for an in-place edge from a buffer that is only written: its child would destroy what nobody read."""
    for request in named.values():
        for name in request.parents:
            parent = named.get(name)
            if parent is not None and parent.end == request.start + 1 and parent.reads == 0:
                raise ValueError(f"{request.name} cannot take the place of {name}, which is only written")
