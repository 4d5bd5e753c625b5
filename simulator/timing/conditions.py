"""Conditions: when a masked read happens, as far as that follows from loop values alone.

Owns the parts of a mask that have to hold together, and their truth over loop values.  Refuses masks that depend on
what is in memory: those say nothing here, and the read counts as happening.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from frozendict import frozendict
from numpy.typing import NDArray

from compiler.loops import Apply, Const, IndexValue, Instruction, Load, LoopOp

Values = NDArray[np.int64] | NDArray[np.float64] | NDArray[np.bool_]

_MEANING: frozendict[str, Callable[..., Values]] = frozendict(
    {
        "eq": np.equal,
        "ne": np.not_equal,
        "lt": np.less,
        "le": np.less_equal,
        "gt": np.greater,
        "ge": np.greater_equal,
        "logical_and": np.logical_and,
        "logical_or": np.logical_or,
        "logical_xor": np.logical_xor,
        "logical_not": np.logical_not,
        "bitwise_and": np.bitwise_and,
        "bitwise_or": np.bitwise_or,
        "bitwise_xor": np.bitwise_xor,
        "bitwise_not": np.invert,
        "identity": np.asarray,
        "neg": np.negative,
        "add": np.add,
        "sub": np.subtract,
        "mul": np.multiply,
        "floordiv": np.floor_divide,
        "remainder": np.mod,
        "maximum": np.maximum,
        "minimum": np.minimum,
    }
)
_BOTH = ("logical_and", "bitwise_and")


@dataclass(frozen=True, slots=True)
class Condition:
    """Instruction `place` of a body has to be true; `loops` are those it looks at."""

    body: tuple[Instruction, ...]
    place: int
    loops: frozenset[str]

    def holds(self, values: Mapping[str, NDArray[np.int64]]) -> NDArray[np.bool_]:
        """Where it is true, over loop values (arrays that broadcast)."""
        return np.asarray(_value(self.body, self.place, values), dtype=bool)


def conditions_of(op: LoopOp, read: int) -> tuple[Condition, ...]:
    """What holds wherever a read happens; nothing if it also happens without a mask."""
    masks = [step.mask for step in op.body if isinstance(step, Load) and step.read == read]
    if not masks or None in masks:
        return ()
    every = [_conjuncts(op.body, mask) for mask in masks if mask is not None]
    common = [place for place in every[0] if all(place in other for other in every[1:])]
    looked_at = [(place, _loops(op.body, place)) for place in common]
    return tuple(Condition(op.body, place, loops) for place, loops in looked_at if loops is not None)


def _conjuncts(body: tuple[Instruction, ...], place: int) -> list[int]:
    """The instructions that are all true exactly where this one is."""
    step = body[place]
    if isinstance(step, Apply) and step.primitive in _BOTH:
        return list(dict.fromkeys(part for arg in step.args for part in _conjuncts(body, arg)))
    return [place]


def _loops(body: tuple[Instruction, ...], place: int) -> frozenset[str] | None:
    """The loops an instruction's value depends on; None if it depends on more than loops."""
    step = body[place]
    if isinstance(step, Const):
        return frozenset()
    if isinstance(step, IndexValue):
        return None if step.index.gathers else step.index.loop_names
    if isinstance(step, Load) or step.primitive not in _MEANING:
        return None
    parts = [_loops(body, arg) for arg in step.args]
    return None if None in parts else frozenset().union(*(part for part in parts if part is not None))


def _value(body: tuple[Instruction, ...], place: int, values: Mapping[str, NDArray[np.int64]]) -> Values:
    """The value of an instruction that depends on nothing but loops."""
    step = body[place]
    if isinstance(step, Const):
        return np.asarray(step.value)
    if isinstance(step, IndexValue):
        return step.index.evaluate(values)
    assert isinstance(step, Apply)
    return _MEANING[step.primitive](*(_value(body, arg, values) for arg in step.args))
