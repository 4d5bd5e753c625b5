"""Derived: what is made of a plan, made once and found again by which plan it is.

Owns the memory of the last few answers of a function.  Refuses to compare values: telling two plans apart by what they
hold costs more than what is derived from them, so a plan is known by being the very same object.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Final, Generic, TypeVar

from frozendict import frozendict

from compiler.compilation import Compilation
from compiler.loops import Buffer, LoopOp
from compiler.schedule import Schedule, expand

V = TypeVar("V")
_MOST: Final = 3  # the plan on screen, the one before, and the one that arrives


class Derived(Generic[V]):
    """Call it like the function it is made of; from any thread."""

    def __init__(self, make: Callable[[Compilation], V]) -> None:
        self.__doc__ = make.__doc__
        self._make = make
        self._lock = Lock()
        self._kept: OrderedDict[int, tuple[Compilation, V]] = OrderedDict()

    def __call__(self, compilation: Compilation) -> V:
        """The answer for this plan."""
        with self._lock:
            found = self._kept.get(id(compilation))
        if found is not None and found[0] is compilation:
            return found[1]
        made = self._make(compilation)
        with self._lock:
            self._kept[id(compilation)] = (compilation, made)
            while len(self._kept) > _MOST:
                self._kept.popitem(last=False)
        return made

    def known(self, compilation: Compilation) -> bool:
        """True if the answer for this plan costs nothing."""
        with self._lock:
            return self._kept.get(id(compilation), (None,))[0] is compilation


@Derived
def schedule_of(compilation: Compilation) -> Schedule:
    """The steps that a plan runs."""
    return expand(compilation.problem.program, compilation.plan)


@Derived
def ops_of(compilation: Compilation) -> frozendict[str, LoopOp]:
    """Op name -> op of the model."""
    return compilation.problem.program.op_map


@Derived
def buffers_of(compilation: Compilation) -> frozendict[str, Buffer]:
    """Buffer name -> buffer of the model."""
    return compilation.problem.program.buffer_map
