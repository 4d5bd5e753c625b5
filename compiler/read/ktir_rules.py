"""Which types, shapes and attributes of KTIR operations fit each other.

Owns a rule for every operation whose types do not say it all; types of operands have been compared with their values.
Refuses to follow names and regions: `ktir_check` does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final, cast

from frozendict import frozendict

from compiler.formats.ktir_ir import AffineSet, Operation, Scalar, Shaped, Type
from compiler.read.ktir_numbers import CASTS, CURVES, FLOATS, INTEGERS

FOLDS: Final = frozenset({f"arith.{name}" for name in ("addf", "mulf", "maximumf", "minimumf", "maxnumf", "minnumf")})
"""Operations that join two parts of a reduction."""
_ORDERED: Final = ("oeq", "une", "one", "ogt", "oge", "olt", "ole")
_WHOLE: Final = ("eq", "ne", "sgt", "ugt", "sge", "uge", "slt", "ult", "sle", "ule")


class MisfitError(Exception):
    """What does not fit, in words."""


def require(holds: bool, what: str) -> None:
    """MisfitError unless it holds."""
    if not holds:
        raise MisfitError(what)


def shaped(kind: Type, form: str) -> Shaped:
    """The type as one of this kind."""
    require(isinstance(kind, Shaped) and kind.kind == form, f"{kind} is no {form}")
    return cast("Shaped", kind)


def element(kind: Type) -> str:
    """The type of single elements; '' where there are none."""
    return kind.element if isinstance(kind, Scalar) or (isinstance(kind, Shaped) and kind.kind == "tensor") else ""


def rule_of(name: str) -> Callable[[Operation], None] | None:
    """The rule of an operation; None for one that needs none."""
    return _RULES.get(name)


# Numbers


def _arity(operation: Operation, count: int) -> None:
    require(len(operation.operands) == count, f"it takes {count}, not {len(operation.operands)}")


def _float(operation: Operation) -> None:
    _arity(operation, 1 if operation.name.startswith("math") or operation.name == "arith.negf" else 2)
    require(element(operation.types[0]).startswith("f"), f"{operation.types[0]} holds no floats")


def _integer(operation: Operation) -> None:
    _arity(operation, 2)
    require(element(operation.types[0])[:1] == "i", f"{operation.types[0]} holds no whole numbers")


def _cast(operation: Operation) -> None:
    before, after = operation.operand_types[0], operation.types[0]
    require(bool(element(before)) and bool(element(after)), f"{before} cannot become {after}")
    require(_shape(before) == _shape(after), f"{before} cannot become {after}")


def _compare(operation: Operation) -> None:
    _arity(operation, 2)
    floats = operation.name == "arith.cmpf"
    predicate = str(operation.attributes["predicate"])
    require(predicate in (_ORDERED if floats else _WHOLE), f"{predicate[:20]} compares nothing")
    require(element(operation.operand_types[0])[:1] == ("f" if floats else "i"), "it compares other elements")


def _select(operation: Operation) -> None:
    _arity(operation, 3)
    condition, kind = operation.operand_types[0], operation.types[0]
    require(element(condition) == "i1", f"{condition} is no condition")
    require(isinstance(condition, Scalar) or _shape(condition) == _shape(kind), f"{condition} does not choose {kind}")


def _constant(operation: Operation) -> None:
    require(bool(element(operation.types[0])), f"{operation.types[0]} has no constants")


# Memory


def _view(operation: Operation) -> None:
    kind = shaped(operation.types[0], "memref")
    require(operation.attributes["sizes"] == kind.shape, f"its sizes are not those of {kind}")
    steps = cast("tuple[int, ...]", operation.attributes["strides"])
    require(len(steps) == len(kind.shape) and min(steps) >= 0, f"its strides are not those of {kind}")
    require("memory_space" in operation.attributes, "it names no memory")
    require(_sides(operation, "coordinate_set") == kind.shape, f"its coordinate set is not that of {kind}")


def _sides(operation: Operation, word: str, *, from_zero: bool = False) -> tuple[int, ...] | None:
    """The sizes of a set that is a box; None if it is none."""
    found = operation.attributes.get(word)
    box = found.box() if isinstance(found, AffineSet) else None
    if box is None or (from_zero and any(first for first, _ in box)):
        return None
    return tuple(last - first + 1 for first, last in box)


def _distributed(operation: Operation) -> None:
    whole = shaped(operation.types[0], "memref")
    for kind in operation.operand_types:
        part = shaped(kind, "memref")
        fits = part.element == whole.element and len(part.shape) == len(whole.shape)
        require(fits, f"{part} is no part of {whole}")


def _tile(operation: Operation) -> None:
    view, kind = shaped(operation.operand_types[0], "memref"), shaped(operation.types[0], "access_tile")
    require(len(operation.operands) - 1 == len(view.shape), f"it has not one start for every dim of {view}")
    require(len(kind.shape) == len(view.shape), f"{kind} has not the dims of {view}")
    require(_sides(operation, "access_tile_set", from_zero=True) == kind.shape, f"its set is not that of {kind}")


def _load(operation: Operation) -> None:
    tile, kind = shaped(operation.operand_types[0], "access_tile"), shaped(operation.types[0], "tensor")
    require(tile.shape == kind.shape, f"{tile} holds no {kind}")


def _store(operation: Operation) -> None:
    _arity(operation, 2)
    kind, tile = shaped(operation.operand_types[0], "tensor"), shaped(operation.operand_types[1], "access_tile")
    require(tile.shape == kind.shape, f"{tile} holds no {kind}")


# Tensors


def _shape(kind: Type) -> tuple[int, ...] | None:
    return kind.shape if isinstance(kind, Shaped) else None


def _same_element(operation: Operation) -> tuple[Shaped, Shaped]:
    """The first operand and the result, which are tensors of one element type."""
    before, after = shaped(operation.operand_types[0], "tensor"), shaped(operation.types[0], "tensor")
    require(before.element == after.element, f"{before} cannot become {after}")
    return before, after


def _tensor(operation: Operation) -> None:
    shaped(operation.types[0], "tensor")


def _extract(operation: Operation) -> None:
    tensor = shaped(operation.operand_types[0], "tensor")
    require(len(operation.operands) - 1 == len(tensor.shape), f"it has not one place for every dim of {tensor}")


def _part(operation: Operation) -> None:
    before, after = _same_element(operation)
    inner, outer = (before, after) if operation.name == "tensor.insert_slice" else (after, before)
    edges = (cast("tuple[int, ...]", operation.attributes[word]) for word in ("offsets", "sizes", "strides"))
    first, sizes, steps = edges
    require(len(first) == len(sizes) == len(steps) == len(outer.shape), f"it has not the dims of {outer}")
    require(tuple(sizes) == inner.shape, f"its sizes are not those of {inner}")
    ends = zip(first, sizes, steps, outer.shape, strict=True)
    require(all(f >= 0 and s >= 1 and f + (n - 1) * s < m for f, n, s, m in ends), f"it reaches beyond {outer}")


def _regrouped(operation: Operation) -> None:
    before, after = _same_element(operation)
    wide, narrow = (before, after) if operation.name == "tensor.collapse_shape" else (after, before)
    groups = cast("tuple[tuple[int, ...], ...]", operation.attributes["groups"])
    flat = [place for group in groups for place in group]
    require(flat == list(range(len(wide.shape))), f"its groups are not the dims of {wide}")
    products = tuple(math.prod(wide.shape[place] for place in group) for group in groups)
    require(products == narrow.shape, f"its groups do not make {narrow} of {wide}")


def _transpose(operation: Operation) -> None:
    _arity(operation, 2)
    before, after = _same_element(operation)
    order = cast("tuple[int, ...]", operation.attributes["permutation"])
    require(sorted(order) == list(range(len(before.shape))), f"its permutation is not of the dims of {before}")
    require(tuple(before.shape[place] for place in order) == after.shape, f"it does not make {after} of {before}")


def _broadcast(operation: Operation) -> None:
    _arity(operation, 2)
    before, after = _same_element(operation)
    require(_without(after.shape, operation) == before.shape, f"it does not make {after} of {before}")


def _without(shape: Sequence[int], operation: Operation) -> tuple[int, ...]:
    """The sizes of the dims that are not in the attribute."""
    dims = cast("tuple[int, ...]", operation.attributes["dimensions"])
    inside = all(0 <= dim < len(shape) for dim in dims) and len(set(dims)) == len(dims)
    require(inside, f"its dimensions are not among {len(shape)}")
    return tuple(size for place, size in enumerate(shape) if place not in dims)


def _fold(operation: Operation) -> None:
    _arity(operation, 2)
    before, after = _same_element(operation)
    require(_without(before.shape, operation) == after.shape, f"it does not make {after} of {before}")
    word = str(operation.attributes["short"])
    require(not word or word in FOLDS, f"{word[:40]} does not join two parts")


def _product(operation: Operation) -> None:
    _arity(operation, 3)
    kinds = [shaped(kind, "tensor") for kind in (*operation.operand_types, operation.types[0])]
    require(len({kind.element for kind in kinds}) == 1 and kinds[2] == kinds[3], "its operands differ in type")
    left, right, total = (kind.shape for kind in kinds[:3])
    rank = 3 if operation.name == "linalg.batch_matmul" else 2
    fits = len(left) == len(right) == rank and left[-1] == right[-2] and left[:-2] == right[:-2]
    require(fits and total == (*left[:-1], right[-1]), f"{kinds[0]} times {kinds[1]} is no {kinds[2]}")


def _alike(operation: Operation) -> None:
    _arity(operation, 3)
    require(len({*operation.operand_types, *operation.types}) == 1, "its operands differ in type")
    _tensor(operation)


def _fill(operation: Operation) -> None:
    _arity(operation, 2)
    _tensor(operation)
    number, whole = operation.operand_types
    require(number == Scalar(element(whole)) and whole == operation.types[0], f"{number} does not fill {whole}")


_RULES: Final[frozendict[str, Callable[[Operation], None]]] = frozendict(
    {
        **dict.fromkeys((f"arith.{name}" for name in (*FLOATS, "negf")), _float),
        **dict.fromkeys((f"math.{name}" for name in CURVES), _float),
        **dict.fromkeys((f"arith.{name}" for name in INTEGERS), _integer),
        **dict.fromkeys((f"arith.{name}" for name in CASTS), _cast),
        **dict.fromkeys(("arith.cmpf", "arith.cmpi"), _compare),
        "arith.select": _select,
        "arith.constant": _constant,
        "ktdp.construct_memory_view": _view,
        "ktdp.construct_distributed_memory_view": _distributed,
        "ktdp.construct_access_tile": _tile,
        "ktdp.load": _load,
        "ktdp.store": _store,
        "tensor.empty": _tensor,
        "tensor.splat": _tensor,
        "tensor.extract": _extract,
        "tensor.extract_slice": _part,
        "tensor.insert_slice": _part,
        **dict.fromkeys(("tensor.collapse_shape", "tensor.expand_shape"), _regrouped),
        "linalg.transpose": _transpose,
        "linalg.broadcast": _broadcast,
        "linalg.reduce": _fold,
        **dict.fromkeys(("linalg.matmul", "linalg.batch_matmul"), _product),
        **dict.fromkeys(("linalg.add", "linalg.max"), _alike),
        "linalg.fill": _fill,
    }
)
