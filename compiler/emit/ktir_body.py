"""KTIR bodies: what each op function computes on logical tiles.

Owns the meaning of op functions in arith, math and linalg; curves, folds and products are computed in f32 and rounded
once.  Refuses, by `UnsaidError`, op functions and element types that these dialects have no words for here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from frozendict import frozendict

from compiler.emit.ktir_geometry import OpGeometry
from compiler.emit.ktir_text import Lines, tensor_type
from compiler.emit.ktir_tiles import broadcast, collapsed, expanded, filled, transposed
from compiler.emit.unsaid import UnsaidError

_BINARY: Final[frozendict[str, str]] = frozendict(
    {
        "add": "arith.addf",
        "sub": "arith.subf",
        "mul": "arith.mulf",
        "realdiv": "arith.divf",
        "maximum": "arith.maximumf",
        "minimum": "arith.minimumf",
    }
)
_COMPARISONS: Final[frozendict[str, str]] = frozendict(
    {
        "equal": "oeq",
        "notequal": "une",
        "greaterthan": "ogt",
        "greaterequal": "oge",
        "lesserthan": "olt",
        "lesserequal": "ole",
    }
)
_UNARY: Final[frozendict[str, str]] = frozendict({"abs": "math.absf", "neg": "arith.negf", "floor": "math.floor"})
_CURVES: Final[frozendict[str, str]] = frozendict(
    {"exp": "math.exp", "log": "math.log", "sqrt": "math.sqrt", "rsqrt": "math.rsqrt", "tanh": "math.tanh"}
)
_COPIES: Final = frozenset({"identity", "shuffle", "ReStickifyOpHBM", "dl16tofp32", "fp32todl16", "fp8todl16"})
_FOLDS: Final[frozendict[str, tuple[str, float]]] = frozendict(
    {
        "sum": ("arith.addf", 0.0),
        "max": ("arith.maximumf", float("-inf")),
        "min": ("arith.minimumf", float("inf")),
        "prod": ("arith.mulf", 1.0),
    }
)


@dataclass(frozen=True, slots=True)
class Logical:
    """A tensor over some symbols: its name, the symbols in order of its dims, their extents, MLIR's element type."""

    name: str
    symbols: tuple[str, ...]
    shape: tuple[int, ...]
    element: str

    @property
    def type(self) -> str:
        """The type."""
        return tensor_type(self.shape, self.element)


def fold_of(function: str) -> tuple[str, float]:
    """The op that joins two partial results, and what changes nothing."""
    return _FOLDS["sum"] if function.startswith("batchmatmul") else _FOLDS[function.removesuffix("nonstick")]


def computed(out: Lines, geometry: OpGeometry, inputs: Sequence[Logical], element: str) -> Logical:
    """The result over the output's symbols in iteration order; folds and products are f32 still, for what is added."""
    op = geometry.spec.op
    if op == "batchmatmul":
        return _product(out, geometry, inputs[0], inputs[1])
    if op.removesuffix("nonstick") in _FOLDS:
        return _fold(out, geometry, inputs[0])
    shape = _shape(geometry)
    wide = [_spread(out, one, shape) for one in inputs]
    return _pointwise(out, op, wide, element)


def rounded(out: Lines, value: Logical, element: str) -> Logical:
    """The value in another element type."""
    if value.element == element:
        return value
    kind = tensor_type(value.shape, element)
    if not (value.element.startswith("f") and element.startswith("f")):
        raise UnsaidError(f"it turns {value.element} into {element}")
    word = "arith.extf" if element == "f32" else "arith.truncf"
    name = out.value(f"{word} {value.name} : {value.type} to {kind}")
    return Logical(name, value.symbols, value.shape, element)


def _shape(geometry: OpGeometry) -> tuple[tuple[str, int], ...]:
    return tuple((dim.symbol, geometry.parts[dim.symbol]) for dim in geometry.spec.iteration)


def _spread(out: Lines, one: Logical, shape: tuple[tuple[str, int], ...]) -> Logical:
    """The tensor repeated along the symbols that it does not have."""
    names, sizes = tuple(name for name, _ in shape), tuple(size for _, size in shape)
    if not one.symbols:
        if one.shape:
            zero = out.constant(0)
            scalar = out.value(f"tensor.extract {one.name}[{', '.join([zero] * len(one.shape))}] : {one.type}")
            return Logical(
                out.value(f"tensor.splat {scalar} : {tensor_type(sizes, one.element)}"), names, sizes, one.element
            )
        return Logical(
            out.value(f"tensor.splat {one.name} : {tensor_type(sizes, one.element)}"), names, sizes, one.element
        )
    missing = [place for place, name in enumerate(names) if name not in one.symbols]
    return Logical(broadcast(out, one.name, one.shape, sizes, missing, one.element), names, sizes, one.element)


# Pointwise


def _pointwise(out: Lines, op: str, inputs: Sequence[Logical], element: str) -> Logical:
    first = inputs[0]

    def made(text: str, like: Logical = first) -> Logical:
        return Logical(out.value(f"{text} : {like.type}"), like.symbols, like.shape, like.element)

    if op in _COPIES:
        return rounded(out, first, element)
    if any(not one.element.startswith("f") for one in inputs):
        raise UnsaidError("it computes with whole numbers")
    if op in _BINARY:
        return made(f"{_BINARY[op]} {inputs[0].name}, {inputs[1].name}")
    if op in _UNARY:
        return made(f"{_UNARY[op]} {first.name}")
    if op == "relufwd":
        return made(f"arith.maximumf {first.name}, {_number(out, 0.0, first)}")
    if op in _COMPARISONS:
        return _compared(out, _COMPARISONS[op], inputs[0], inputs[1], element)
    if op == "where3":
        return _chosen(out, inputs)
    wide = rounded(out, first, "f32")
    return rounded(out, _curve(out, op, wide), element)


def _curve(out: Lines, op: str, x: Logical) -> Logical:
    """A curve, in f32."""

    def made(text: str) -> str:
        return out.value(f"{text} : {x.type}")

    one = _number(out, 1.0, x) if op in ("reciprocal", "sigmoid", "silu", "gelufwd") else ""
    curves: dict[str, Callable[[], str]] = {
        "reciprocal": lambda: made(f"arith.divf {one}, {x.name}"),
        "sigmoid": lambda: _sigmoid(made, one, x.name),
        "silu": lambda: made(f"arith.mulf {x.name}, {_sigmoid(made, one, x.name)}"),
        "gelufwd": lambda: _gelu(made, out, one, x),
        **{name: lambda word=word: made(f"{word} {x.name}") for name, word in _CURVES.items()},  # type: ignore[misc]
    }
    if op not in curves:
        raise UnsaidError(f"{op} has no words in arith and math")
    return Logical(curves[op](), x.symbols, x.shape, x.element)


def _sigmoid(made: Callable[[str], str], one: str, x: str) -> str:
    down = made(f"math.exp {made(f'arith.negf {x}')}")
    return made(f"arith.divf {one}, {made(f'arith.addf {one}, {down}')}")


def _gelu(made: Callable[[str], str], out: Lines, one: str, x: Logical) -> str:
    bent = made(f"arith.mulf {x.name}, {_number(out, 0.5**0.5, x)}")
    share = made(f"arith.addf {one}, {made(f'math.erf {bent}')}")
    half = made(f"arith.mulf {x.name}, {_number(out, 0.5, x)}")
    return made(f"arith.mulf {half}, {share}")


def _compared(out: Lines, predicate: str, left: Logical, right: Logical, element: str) -> Logical:
    truth = out.value(f"arith.cmpf {predicate}, {left.name}, {right.name} : {left.type}")
    yes, no = (filled(out, number, left.shape, element) for number in (1.0, 0.0))
    name = out.value(
        f"arith.select {truth}, {yes}, {no} : {tensor_type(left.shape, 'i1')}, {tensor_type(left.shape, element)}"
    )
    return Logical(name, left.symbols, left.shape, element)


def _chosen(out: Lines, inputs: Sequence[Logical]) -> Logical:
    condition, yes, no = inputs
    zero = _number(out, 0.0, condition)
    truth = out.value(f"arith.cmpf une, {condition.name}, {zero} : {condition.type}")
    name = out.value(f"arith.select {truth}, {yes.name}, {no.name} : {tensor_type(yes.shape, 'i1')}, {yes.type}")
    return Logical(name, yes.symbols, yes.shape, yes.element)


def _number(out: Lines, number: float, like: Logical) -> str:
    return filled(out, number, like.shape, like.element)


# Folds and products


def _fold(out: Lines, geometry: OpGeometry, value: Logical) -> Logical:
    wide = _spread(out, rounded(out, value, "f32"), _shape(geometry))
    word, start = fold_of(geometry.spec.op)
    dims = [place for place, name in enumerate(wide.symbols) if name in geometry.folded]
    kept = [place for place in range(len(wide.symbols)) if place not in dims]
    shape = tuple(wide.shape[place] for place in kept) or (1,)
    if not kept:
        raise UnsaidError("it folds everything into one number")
    init = filled(out, start, shape, "f32")
    kind = tensor_type(shape, "f32")
    name = out.fresh()
    out.add(f"{name} = linalg.reduce ins({wide.name} : {wide.type}) outs({init} : {kind}) dimensions = {dims}")
    out.open("(%in: f32, %out: f32) {")
    joined = out.value(f"{word} %in, %out : f32")
    out.add(f"linalg.yield {joined} : f32")
    out.close()
    return Logical(name, tuple(wide.symbols[place] for place in kept), shape, "f32")


@dataclass(frozen=True, slots=True)
class _Groups:
    """Symbols of a product by what they are: in both operands and the result, in one operand, folded."""

    batch: tuple[str, ...]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    inner: tuple[str, ...]


def _product(out: Lines, geometry: OpGeometry, left: Logical, right: Logical) -> Logical:
    folded = geometry.folded
    both = [name for name in left.symbols if name in right.symbols]
    groups = _Groups(
        tuple(name for name in both if name not in folded),
        tuple(name for name in left.symbols if name not in right.symbols),
        tuple(name for name in right.symbols if name not in left.symbols),
        tuple(name for name in both if name in folded),
    )
    if not groups.inner:
        raise UnsaidError("its operands have no loop in common that is folded")
    a = _matrix(out, rounded(out, left, "f32"), groups.batch, groups.rows, groups.inner)
    b = _matrix(out, rounded(out, right, "f32"), groups.batch, groups.inner, groups.columns)
    shape = (*a.shape[:-1], b.shape[-1])
    start = filled(out, 0.0, shape, "f32")
    word = "linalg.batch_matmul" if groups.batch else "linalg.matmul"
    kind = tensor_type(shape, "f32")
    name = out.value(f"{word} ins({a.name}, {b.name} : {a.type}, {b.type}) outs({start} : {kind}) -> {kind}")
    return _unfolded(out, geometry, name, shape, groups)


def _matrix(
    out: Lines, one: Logical, batch: tuple[str, ...], rows: tuple[str, ...], columns: tuple[str, ...]
) -> Logical:
    """The operand as [batch, rows, columns], or [rows, columns] without a batch; missing groups have size 1."""
    wanted = [*batch, *rows, *columns]
    order = [one.symbols.index(name) for name in wanted]
    name = transposed(out, one.name, one.shape, order, one.element)
    shape = [one.shape[place] for place in order]
    groups, sizes, at = list[list[int]](), list[int](), 0
    for group in (batch, rows, columns) if batch else (rows, columns):
        own = list(range(at, at + len(group)))
        groups.append(own)
        sizes.append(_product_of(shape[place] for place in own))
        at += len(group)
    if all(groups):
        name = collapsed(out, name, shape, groups, sizes, one.element)
    else:
        name = _reshaped(out, name, shape, sizes, one.element)
    return Logical(name, (), tuple(sizes), one.element)


def _unfolded(out: Lines, geometry: OpGeometry, name: str, shape: tuple[int, ...], groups: _Groups) -> Logical:
    """The product with a dim per symbol, in the order of the iteration."""
    have = [*groups.batch, *groups.rows, *groups.columns]
    sizes = [geometry.parts[symbol] for symbol in have]
    parts = (groups.batch, groups.rows, groups.columns) if groups.batch else (groups.rows, groups.columns)
    if all(parts):
        at, cut = 0, list[list[int]]()
        for part in parts:
            cut.append(list(range(at, at + len(part))))
            at += len(part)
        name = expanded(out, name, shape, cut, sizes, "f32")
    else:
        name = _reshaped(out, name, shape, sizes, "f32")
    wanted = [dim.symbol for dim in geometry.spec.iteration if dim.symbol in have]
    order = [have.index(symbol) for symbol in wanted]
    name = transposed(out, name, sizes, order, "f32")
    return Logical(name, tuple(wanted), tuple(sizes[place] for place in order), "f32")


def _reshaped(out: Lines, name: str, shape: Sequence[int], wanted: Sequence[int], element: str) -> str:
    """The same elements in another shape, for groups that are empty: by way of one dim."""
    if list(shape) == list(wanted):
        return name
    total = [_product_of(shape)]
    flat = collapsed(out, name, shape, [list(range(len(shape)))], total, element)
    return expanded(out, flat, total, [list(range(len(wanted)))], wanted, element)


def _product_of(sizes: Iterable[int]) -> int:
    total = 1
    for size in sizes:
        total *= size
    return total
