"""What operations on numbers and tensors of KTIR mean, as numpy on one core's values.

Owns the tables of elementwise functions, casts, shapes and products.  Refuses memory, control and other cores.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final, cast

import numpy as np
from frozendict import frozendict
from numpy.typing import NDArray

from compiler.formats.ktir_ir import Operation, Scalar, Shaped, Type

_Floats = NDArray[np.float32]
Value = NDArray[np.generic] | int | float | np.generic
TYPES: Final[frozendict[str, np.dtype[np.generic]]] = frozendict(
    {
        "f16": np.dtype(np.float16),
        "f32": np.dtype(np.float32),
        "i1": np.dtype(np.bool_),
        "i32": np.dtype(np.int32),
        "i64": np.dtype(np.int64),
        "index": np.dtype(np.int64),
    }
)
_BLOCK: Final = 64
"""Rows and columns of blocks that are multiplied: of this size, one thread does."""
_ERF = np.frompyfunc(math.erf, 1, 1)
_BINARY: Final[frozendict[str, Callable[..., Value]]] = frozendict(
    {
        "arith.addf": np.add,
        "arith.subf": np.subtract,
        "arith.mulf": np.multiply,
        "arith.divf": np.divide,
        "arith.maximumf": np.maximum,
        "arith.minimumf": np.minimum,
        "arith.maxnumf": np.fmax,
        "arith.minnumf": np.fmin,
        "arith.addi": np.add,
        "arith.subi": np.subtract,
        "arith.muli": np.multiply,
        "arith.divui": np.floor_divide,
        "arith.divsi": lambda a, b: (a - np.fmod(a, b)) // b,
        "arith.remui": np.remainder,
        "arith.remsi": np.fmod,
        "arith.andi": np.bitwise_and,
        "arith.ori": np.bitwise_or,
        "arith.xori": np.bitwise_xor,
    }
)
_UNARY: Final[frozendict[str, Callable[..., Value]]] = frozendict(
    {
        "arith.negf": np.negative,
        "math.absf": np.abs,
        "math.exp": np.exp,
        "math.log": np.log,
        "math.sqrt": np.sqrt,
        "math.rsqrt": lambda x: (1.0 / np.sqrt(np.asarray(x, np.float64))).astype(x.dtype),
        "math.tanh": np.tanh,
        "math.floor": np.floor,
        "math.erf": lambda x: np.asarray(_ERF(np.asarray(x, np.float64)), np.float64).astype(x.dtype),
    }
)
_COMPARISONS: Final[frozendict[str, Callable[..., Value]]] = frozendict(
    {
        **dict.fromkeys(("oeq", "eq"), np.equal),
        **dict.fromkeys(("une", "ne"), np.not_equal),
        "one": lambda a, b: np.less(a, b) | np.greater(a, b),
        **dict.fromkeys(("ogt", "sgt", "ugt"), np.greater),
        **dict.fromkeys(("oge", "sge", "uge"), np.greater_equal),
        **dict.fromkeys(("olt", "slt", "ult"), np.less),
        **dict.fromkeys(("ole", "sle", "ule"), np.less_equal),
    }
)
FOLDS: Final[frozendict[str, np.ufunc]] = frozendict(
    {
        "arith.addf": np.add,
        "arith.mulf": np.multiply,
        "arith.maximumf": np.maximum,
        "arith.minimumf": np.minimum,
        "arith.maxnumf": np.fmax,
        "arith.minnumf": np.fmin,
    }
)


def shape_of(kind: Type) -> tuple[int, ...]:
    """The shape of a type; () for a single value."""
    return kind.shape if isinstance(kind, Shaped) else ()


def element_of(kind: Type) -> np.dtype[np.generic]:
    """The numpy type of its elements."""
    assert isinstance(kind, Shaped | Scalar)
    return TYPES[kind.element]


def known(name: str) -> bool:
    """True for an operation of this table."""
    return name in _BINARY or name in _UNARY or name in _OTHERS


def evaluate(operation: Operation, operands: list[Value]) -> Value:
    """The result of an operation on numbers and tensors; IndexError for an element that a tensor does not have."""
    name = operation.name
    with np.errstate(all="ignore"):  # what is infinite or no number stays so, as on the device
        if name in _BINARY:
            return _BINARY[name](*operands)
        if name in _UNARY:
            return _UNARY[name](np.asarray(operands[0]))
        return _OTHERS[name](operation, operands)


def _constant(operation: Operation, _operands: list[Value]) -> Value:
    kind, value = operation.types[0], operation.attributes["value"]
    assert isinstance(value, int | float)
    if isinstance(kind, Shaped):
        return np.full(kind.shape, value, element_of(kind))
    return int(value) if element_of(kind).kind in "ib" else element_of(kind).type(value)


def _compare(operation: Operation, operands: list[Value]) -> Value:
    return _COMPARISONS[str(operation.attributes["predicate"])](*operands)


def _cast(operation: Operation, operands: list[Value]) -> Value:
    return np.asarray(operands[0]).astype(element_of(operation.types[0]))


def _empty(operation: Operation, _operands: list[Value]) -> Value:
    """Nothing is promised of an empty tensor: floats are no numbers."""
    kind = element_of(operation.types[0])
    return np.full(shape_of(operation.types[0]), np.nan if kind.kind == "f" else 0, kind)


def _splat(operation: Operation, operands: list[Value]) -> Value:
    return np.full(shape_of(operation.types[0]), operands[0], element_of(operation.types[0]))


def _extract(_operation: Operation, operands: list[Value]) -> Value:
    tensor, place = np.asarray(operands[0]), tuple(int(cast("int", each)) for each in operands[1:])
    if any(not 0 <= at < size for at, size in zip(place, tensor.shape, strict=True)):
        raise IndexError(f"it takes element {list(place)} of a tensor of {list(tensor.shape)}")
    return cast("Value", tensor[place])


def _edges(operation: Operation) -> tuple[slice, ...]:
    edges = (operation.attributes[word] for word in ("offsets", "sizes", "strides"))
    first, sizes, steps = (cast("tuple[int, ...]", edge) for edge in edges)
    return tuple(slice(f, f + (n - 1) * s + 1, s) for f, n, s in zip(first, sizes, steps, strict=True))


def _slice(operation: Operation, operands: list[Value]) -> Value:
    return np.asarray(operands[0])[_edges(operation)].reshape(shape_of(operation.types[0]))


def _insert(operation: Operation, operands: list[Value]) -> Value:
    whole = np.asarray(operands[1]).copy()
    whole[_edges(operation)] = operands[0]
    return whole


def _reshape(operation: Operation, operands: list[Value]) -> Value:
    return np.asarray(operands[0]).reshape(shape_of(operation.types[0]))


def _transpose(operation: Operation, operands: list[Value]) -> Value:
    return np.asarray(operands[0]).transpose(cast("tuple[int, ...]", operation.attributes["permutation"]))


def _broadcast(operation: Operation, operands: list[Value]) -> Value:
    data = np.asarray(operands[0])
    for dim in sorted(cast("tuple[int, ...]", operation.attributes["dimensions"])):
        data = np.expand_dims(data, dim)
    return np.broadcast_to(data, np.asarray(operands[1]).shape)


def _reduce(operation: Operation, operands: list[Value]) -> Value:
    word = str(operation.attributes["short"]) or operation.regions[0].body[0].name
    data, init = np.asarray(operands[0]), np.asarray(operands[1])
    dims = cast("tuple[int, ...]", operation.attributes["dimensions"])
    return cast("Value", FOLDS[word](FOLDS[word].reduce(data, axis=dims), init).astype(data.dtype))


def _product(_operation: Operation, operands: list[Value]) -> Value:
    left, right, total = (cast("_Floats", np.array(each)) for each in operands)
    for batch in np.ndindex(left.shape[:-2]):
        _add_product(left[batch], right[batch], total[batch])
    return total


def _add_product(left: _Floats, right: _Floats, total: _Floats) -> None:
    """Add a product of matrices in blocks: in an order that does not depend on how many threads there are."""
    for rows in _blocks(left.shape[0]):
        for columns in _blocks(right.shape[1]):
            for inner in _blocks(left.shape[1]):
                total[rows, columns] += left[rows, inner] @ right[inner, columns]


def _blocks(size: int) -> list[slice]:
    return [slice(first, first + _BLOCK) for first in range(0, size, _BLOCK)]


def _filled(operation: Operation, operands: list[Value]) -> Value:
    return np.full(shape_of(operation.types[0]), operands[0], element_of(operation.types[0]))


_OTHERS: Final[frozendict[str, Callable[[Operation, list[Value]], Value]]] = frozendict(
    {
        "arith.constant": _constant,
        "arith.cmpf": _compare,
        "arith.cmpi": _compare,
        "arith.select": lambda _operation, values: np.where(*map(np.asarray, values)),
        **dict.fromkeys(("arith.extf", "arith.truncf", "arith.uitofp", "arith.sitofp", "arith.index_cast"), _cast),
        "tensor.empty": _empty,
        "tensor.splat": _splat,
        "tensor.extract": _extract,
        "tensor.extract_slice": _slice,
        "tensor.insert_slice": _insert,
        "tensor.collapse_shape": _reshape,
        "tensor.expand_shape": _reshape,
        "linalg.transpose": _transpose,
        "linalg.broadcast": _broadcast,
        "linalg.reduce": _reduce,
        "linalg.matmul": _product,
        "linalg.batch_matmul": _product,
        "linalg.add": lambda _operation, values: np.add(values[0], values[1]),
        "linalg.max": lambda _operation, values: np.maximum(values[0], values[1]),
        "linalg.fill": _filled,
    }
)
