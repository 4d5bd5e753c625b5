"""Loop bodies: an ops handler that records what Inductor's inner functions compute as SSA instructions.

Owns names of primitives, types of values, masks and gathered indices.  Refuses functions that are not in
`compiler.primitives` by raising `BodyError`, which the caller turns into a sentence about the op.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import sympy
import torch
from torch.utils._sympy.functions import FloorDiv, ModularIndexing

from compiler.dtypes import BY_TORCH_NAME, DType
from compiler.frontend.counters import Counters
from compiler.frontend.index import Gathered, IndexFormError, to_index
from compiler.frontend.inductor import Handler
from compiler.loops import Access, Apply, Buffer, Const, Index, IndexValue, Instruction, Load
from compiler.primitives import PRIMITIVES

# Inductor's names where they differ from ours.
_RENAMED = {
    "and_": "bitwise_and",
    "or_": "bitwise_or",
    "xor": "bitwise_xor",
    "div_rn": "truediv",
    "invert": "bitwise_not",
    "lshift": "bitwise_left_shift",
    "rshift": "bitwise_right_shift",
    "fmod": "mod",
}
_ROUNDING = {"floor_to_int": "floor", "ceil_to_int": "ceil", "trunc_to_int": "trunc", "round_to_int": "round"}
_TO_BOOL = frozenset(
    {"eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or", "logical_xor", "logical_not"}
    | {"isnan", "isinf", "signbit"}
)
_OTHERS = frozenset(
    {"load", "constant", "index_expr", "to_dtype", "to_dtype_bitcast", "masked", "indirect_indexing", "check_bounds"}
)
KNOWN_OPS = frozenset(PRIMITIVES) | _RENAMED.keys() | _ROUNDING.keys() | _OTHERS


class BodyError(Exception):
    """A loop body that our primitives cannot express; the message completes `it ...`."""


@dataclass(frozen=True, slots=True)
class Value:
    """A recorded instruction, as Inductor's inner functions see it."""

    id: int


Operand = Value | float | int | bool


class Recorder(Handler):
    """Records one body.

    `loops` names the symbols of the iteration space, `extents` bounds them; `buffers` gives the buffer behind a name
    that Inductor uses; `simplify` makes an index expression plain.
    """

    def __init__(
        self,
        loops: Mapping[sympy.Symbol, str],
        extents: Mapping[sympy.Symbol, int],
        buffers: Mapping[str, Buffer],
        simplify: Callable[[object], sympy.Expr],
    ) -> None:
        self.loops = loops
        self.counters = Counters(extents)
        self.buffers = buffers
        self.simplify = simplify
        self.reads: list[Access] = []
        self.merge_reads = True  # a contraction keeps its two operands apart even where they read the same element
        self.body: list[Instruction] = []
        self._known: dict[Instruction, Value] = {}
        self._gathered: dict[sympy.Symbol, Gathered] = {}
        self._mask: Value | None = None

    def index(self, expression: object) -> Index:
        """An index expression over our loops; BodyError if it has no form."""
        try:
            return to_index(self.simplify(expression), self.loops, self._gathered)
        except IndexFormError as error:
            raise BodyError(f"reads or writes at an index that is not affine with one division ({error})") from error

    # ---- what inner functions call

    def load(self, name: str, index: sympy.Expr) -> Value:
        """Element of a buffer."""
        buffer = self.buffers[name]
        access = Access(buffer.name, self.index(index))
        if access not in self.reads or not self.merge_reads:
            self.reads.append(access)
        place = self.reads.index(access) if self.merge_reads else len(self.reads) - 1
        return self._emit(Load(place, buffer.dtype, None if self._mask is None else self._mask.id))

    def constant(self, value: float | int | bool, dtype: torch.dtype) -> Value:
        """A scalar."""
        return self._const(value, scalar_type(dtype))

    def index_expr(self, expr: object, dtype: torch.dtype) -> Value:
        """The value of an expression of loop counters, as an iota or as arithmetic on iotas."""
        return self._counters(self.simplify(expr), dtype_of(dtype))

    def to_dtype(
        self, x: Operand, dtype: torch.dtype, src_dtype: torch.dtype | None = None, use_compute_types: bool = True
    ) -> Value:
        """Conversion; none if the type is already right."""
        wanted = scalar_type(dtype)
        value = self._value(x, wanted)
        found = self.body[value.id]
        if found.dtype is wanted:
            return value
        if isinstance(found, Const):
            return self._const(found.value, wanted)
        return self._emit(Apply("cast", (value.id,), wanted))

    def to_dtype_bitcast(self, x: Operand, dtype: torch.dtype, src_dtype: torch.dtype) -> Value:
        """The same bits under another type."""
        return self._emit(Apply("bitcast", (self._value(x, dtype_of(src_dtype)).id,), dtype_of(dtype)))

    def masked(self, mask: Value, body: Callable[[], object], other: float | int | bool) -> Value:
        """`body` where the mask holds (no memory is touched elsewhere), `other` where it does not."""
        outer = self._mask
        self._mask = mask if outer is None else self._emit(Apply("logical_and", (outer.id, mask.id), DType.BOOL))
        try:
            inner = body()
        finally:
            self._mask = outer
        value = self._value(unwrapped(inner), DType.F32)
        rest = self._const(other, self.body[value.id].dtype)
        return self._emit(Apply("where", (mask.id, value.id, rest.id), self.body[value.id].dtype))

    def indirect_indexing(self, x: Value, size: object, check: bool = True, wrap_neg: bool = True) -> sympy.Expr:
        """A symbol that stands for a computed index into `size` entries; the expression itself if it is known."""
        entries = int(sympy.sympify(size))
        known = self.counters.inside(x.id, entries)
        if known is not None:
            return known
        symbol = sympy.Symbol(f"gathered{x.id}", integer=True)
        self._gathered[symbol] = Gathered(x.id, entries)
        return symbol

    def check_bounds(self, expr: sympy.Expr, size: sympy.Expr, lower: bool, upper: bool) -> None:
        """Indices are checked where numbers are known."""

    def _default(self, name: str, args: tuple[Operand, ...], kwargs: dict[str, object]) -> Value:
        if name in _ROUNDING:
            rounded = self._apply(_ROUNDING[name], args[:1])
            return self.to_dtype(rounded, args[1])  # type: ignore[arg-type]
        primitive = _RENAMED.get(name, name)
        if primitive not in PRIMITIVES or kwargs:
            raise BodyError(f"computes {name}, which the device has no primitive for")
        return self._apply(primitive, args)

    # ---- recording

    def _apply(self, primitive: str, args: tuple[Operand, ...]) -> Value:
        numbers = args[1:] if primitive == "where" else args
        common = self._common(numbers)
        mine = [
            self._value(arg, DType.BOOL if primitive == "where" and n == 0 else common) for n, arg in enumerate(args)
        ]
        if primitive == "identity":
            return mine[0]
        dtype = DType.BOOL if primitive in _TO_BOOL else common
        operands = tuple(value.id for value in mine)
        if primitive == "where":
            operands = (operands[0], self._chosen(*operands[:2]), operands[2])
        result = self._emit(Apply(primitive, operands, dtype))
        if not dtype.is_float:
            self.counters.combine(result.id, primitive, operands)
        return result

    def _chosen(self, mask: int, value: int) -> int:
        """What `value` is where the mask holds: of `where(mask, a, b)` that is `a`."""
        step = self.body[value]
        nested = isinstance(step, Apply) and step.primitive == "where" and step.args[0] == mask
        return step.args[1] if nested and isinstance(step, Apply) else value

    def _common(self, args: tuple[Operand, ...]) -> DType:
        """The type of an operation: that of its computed operands (made equal by Inductor), else of scalars."""
        found = [self.body[arg.id] for arg in args if isinstance(arg, Value)]
        computed = [step.dtype for step in found if not isinstance(step, Const)]
        dtypes = computed or [step.dtype for step in found]
        if not dtypes:
            return DType.F32
        result = getattr(torch, dtypes[0].torch_name)
        for dtype in dtypes[1:]:
            result = torch.promote_types(result, getattr(torch, dtype.torch_name))
        return dtype_of(result)

    def _value(self, operand: Operand, dtype: DType) -> Value:
        """An operand as a value; scalars take the type of what they are used with."""
        if not isinstance(operand, Value):
            return self._const(operand, dtype)
        step = self.body[operand.id]
        if isinstance(step, Const) and step.dtype is not dtype and dtype is not DType.BOOL:
            return self._const(step.value, dtype)
        return operand

    def _const(self, value: float | int | bool, dtype: DType) -> Value:
        if dtype is DType.BOOL:
            return self._emit(Const(bool(value), dtype))
        number = float(value)
        if dtype.is_float or not math.isfinite(number):
            return self._emit(Const(number, dtype))
        result = self._emit(Const(int(value), dtype))
        self.counters.note(result.id, sympy.Integer(int(value)))
        return result

    def _emit(self, step: Instruction) -> Value:
        if step not in self._known:
            self._known[step] = Value(len(self.body))
            self.body.append(step)
        return self._known[step]

    def _counters(self, expression: sympy.Expr, dtype: DType) -> Value:
        if expression.is_Integer:
            return self._const(int(expression), dtype)
        if expression in self._gathered:
            return self._wrapped(self._gathered[expression], dtype)
        try:
            result = self._emit(IndexValue(to_index(expression, self.loops, {}), dtype))
            if not dtype.is_float:
                self.counters.note(result.id, expression)
            return result
        except IndexFormError:
            pass
        name, operands = _operation(expression)
        values = [self._counters(operand, dtype) for operand in operands]
        result = values[0]
        for value in values[1:]:
            result = self._emit(Apply(name, (result.id, value.id), dtype))
        return result

    def _wrapped(self, index: Gathered, dtype: DType) -> Value:
        """A computed index as a number: negative ones count from the end."""
        found = Value(index.value)
        negative = self._apply("lt", (found, 0))
        value = self._apply("where", (negative, self._apply("add", (found, index.size)), found))
        return self.to_dtype(value, getattr(torch, dtype.torch_name))


def _operation(expression: sympy.Expr) -> tuple[str, tuple[sympy.Expr, ...]]:
    """Primitive and operands of the outermost operation of an expression of loop counters."""
    if expression.is_Add:
        return "add", expression.args
    if expression.is_Mul:
        return "mul", expression.args
    if isinstance(expression, FloorDiv):
        return "floordiv", expression.args
    if isinstance(expression, ModularIndexing):
        base, divisor, modulus = expression.args
        return "remainder", (FloorDiv(base, divisor), modulus)
    raise BodyError(f"computes with loop counters in a way that has no form ({expression})")


def dtype_of(dtype: torch.dtype) -> DType:
    """Our name of an element type; BodyError if the device has no format for it."""
    name = str(dtype).removeprefix("torch.")
    if name not in BY_TORCH_NAME:
        raise BodyError(f"uses {name}, which the device has no format for")
    return BY_TORCH_NAME[name]


def scalar_type(dtype: torch.dtype) -> DType:
    """Like `dtype_of` for scalars in a body, where Python's double precision stands for fp32."""
    return DType.F32 if dtype == torch.float64 else dtype_of(dtype)


def unwrapped(value: object) -> Operand:
    """The recorded value inside Inductor's wrapper."""
    inner = getattr(value, "value", value)
    assert isinstance(inner, Value | float | int | bool)
    return inner
