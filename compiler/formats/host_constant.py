"""Host constant: an operand that no tensor holds, such as a scale or a causal mask, as a tensor the host fills.

Owns which loops it depends on, its shape, its values and the formula that says what they are.  Refuses what depends on
data.  The formats have no place for a value in the middle of an op; they do have one for an input.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from frozendict import frozendict
from numpy.typing import NDArray

from compiler.dtypes import DType
from compiler.loops import Apply, Const, IndexValue, Instruction, LoopOp
from compiler.text.index_text import print_index

_Values = NDArray[np.generic]
_INFIX: Final[frozendict[str, str]] = frozendict(
    {
        "add": "+",
        "sub": "-",
        "mul": "*",
        "truediv": "/",
        "ge": ">=",
        "gt": ">",
        "le": "<=",
        "lt": "<",
        "eq": "==",
        "ne": "!=",
        "logical_and": "and",
        "bitwise_and": "and",
        "logical_or": "or",
        "bitwise_or": "or",
    }
)
_MEANING: Final[frozendict[str, Callable[..., _Values]]] = frozendict(
    {
        "add": np.add,
        "sub": np.subtract,
        "mul": np.multiply,
        "truediv": np.true_divide,
        "ge": np.greater_equal,
        "gt": np.greater,
        "le": np.less_equal,
        "lt": np.less,
        "eq": np.equal,
        "ne": np.not_equal,
        "logical_not": np.logical_not,
        "logical_and": np.logical_and,
        "bitwise_and": np.logical_and,
        "logical_or": np.logical_or,
        "bitwise_or": np.logical_or,
        "minimum": np.minimum,
        "maximum": np.maximum,
        "neg": np.negative,
        "abs": np.abs,
        "cast": np.asarray,
        "identity": np.asarray,
    }
)


@dataclass(frozen=True, slots=True)
class HostConstant:
    """`loops` with their extents, outermost first; `formula` in their names; `dtype` of the values."""

    loops: tuple[tuple[str, int], ...]
    formula: str
    dtype: DType
    op: LoopOp
    value: int

    @property
    def shape(self) -> tuple[int, ...]:
        """One extent per loop."""
        return tuple(extent for _, extent in self.loops)

    def values(self) -> NDArray[np.generic]:
        """All values, of `shape`."""
        axes = {
            name: np.arange(extent, dtype=np.int64).reshape(-1, *([1] * (len(self.loops) - 1 - place)))
            for place, (name, extent) in enumerate(self.loops)
        }
        axes.update((loop.name, np.zeros((), np.int64)) for loop in self.op.loops if loop.name not in axes)
        return np.broadcast_to(_evaluate(self.op.body, self.value, axes), self.shape)


def host_constant(op: LoopOp, value: int) -> HostConstant | None:
    """The constant that a body instruction is; None if it uses a primitive that has no formula here."""
    needed = _loops(op.body, value)
    if needed is None:
        return None
    loops = tuple((loop.name, loop.extent) for loop in op.loops if loop.name in needed and loop.extent > 1)
    return HostConstant(loops, _formula(op.body, value), op.body[value].dtype, op, value)


def _loops(body: tuple[Instruction, ...], value: int) -> frozenset[str] | None:
    match body[value]:
        case Const():
            return frozenset()
        case IndexValue(index):
            return index.loop_names
        case Apply(primitive, args) if primitive in _MEANING:
            found = [_loops(body, arg) for arg in args]
            known = [names for names in found if names is not None]
            return frozenset[str]().union(*known) if len(known) == len(found) else None
    return None


def _formula(body: tuple[Instruction, ...], value: int) -> str:
    match body[value]:
        case Const(content):
            return repr(content)
        case IndexValue(index):
            return print_index(index)
        case Apply(primitive, args):
            words = [_formula(body, arg) for arg in args]
            sign = _INFIX.get(primitive)
            if primitive in ("cast", "identity"):
                return words[0]
            return f"({words[0]} {sign} {words[1]})" if sign else f"{primitive}({', '.join(words)})"
    raise TypeError(f"{body[value]} is no constant")


def _evaluate(body: tuple[Instruction, ...], value: int, axes: dict[str, NDArray[np.int64]]) -> _Values:
    match body[value]:
        case Const(content):
            return np.asarray(content)
        case IndexValue(index):
            return index.evaluate(axes)
        case Apply(primitive, args):
            return _MEANING[primitive](*(_evaluate(body, arg, axes) for arg in args))
    raise TypeError(f"{body[value]} is no constant")
