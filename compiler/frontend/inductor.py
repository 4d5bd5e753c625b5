"""The one file that touches Inductor's private interface (pinned with torch's version).

Owns running Inductor's lowering of an FX graph up to its loop-level form, and what `lowerings` and `body` need of it.
Refuses scheduling and code generation: no compiler, no subprocess, and every global table is put back afterwards.
Global tables are patched, so one lowering runs at a time per process.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

import sympy
import torch
from torch._guards import detect_fake_mode
from torch._inductor import config, ir
from torch._inductor import lowering as inductor_lowering
from torch._inductor.graph import GraphLowering
from torch._inductor.ops_handler import DefaultHandler
from torch._inductor.runtime.hints import ReductionHint
from torch._inductor.utils import gather_origins
from torch._inductor.virtualized import V, ops
from torch.utils import _pytree as pytree
from torch.utils._ordered_set import OrderedSet

from compiler.errors import StudioError
from compiler.frontend.origin import refusal
from compiler.primitives import PRIMITIVES as PRIMITIVE_TABLE
from compiler.primitives import CostClass

Box = ir.TensorBox
Lower = Callable[..., object]
Target = Callable[..., object] | str
Handler = DefaultHandler
Sizes = Sequence[int]
MATMUL, CONV = "spyre_matmul", "spyre_conv"
# Scalar functions of the device that Inductor has no name for.
PRIMITIVES = ("gelu", "gelu_tanh", "silu")
_LOCK = threading.RLock()
_CONFIG = {
    "split_reductions": False,
    "unroll_reductions_threshold": 1,
    "permute_fusion": False,
    "layout_optimization": False,
    "comprehensive_padding": False,
    "fx_graph_cache": False,
    "max_autotune": False,
    "freezing": False,
}
# An op that reads nothing stays inside its consumers unless it computes more than this or one of the costly functions.
_FREE_OPS = 100
_COSTLY = frozenset(
    name for name, row in PRIMITIVE_TABLE.items() if row.arity == 1 and row.cost is CostClass.TRANSCENDENTAL
) | {"pow"}


@dataclass(frozen=True, slots=True, eq=False)
class Computed:
    """An op with a loop form: the FX node it was made for and Inductor's buffer."""

    node: torch.fx.Node
    buffer: ir.ComputedBuffer


@dataclass(frozen=True, slots=True, eq=False)
class Opaque:
    """A call with no loop form; tensors in its arguments are `ir.Buffer`s, so are its results."""

    node: torch.fx.Node
    target: torch._ops.OpOverload
    arguments: tuple[object, ...]
    keywords: Mapping[str, object]
    results: tuple[ir.Buffer, ...]


Step = Computed | Opaque


@dataclass(frozen=True, slots=True, eq=False)
class Lowered:
    """The graph after lowering: steps in order, outputs as strided views, real values of literal tensors."""

    graph: GraphLowering
    steps: tuple[Step, ...]
    outputs: tuple[ir.IRNode, ...]
    constants: Mapping[str, torch.Tensor]


@dataclass(slots=True)
class Rules:
    """How calls are lowered: own lowerings, calls to leave opaque, scalar functions a loop body may use."""

    lowerings: Mapping[Target, Lower]
    opaque: frozenset[object]
    known_ops: frozenset[str]
    progress: Callable[[float], None] = field(default=lambda share: None)


def lower(module: torch.fx.GraphModule, rules: Rules) -> Lowered:
    """Lower a decomposed graph whose nodes carry fake tensors; raises StudioError for what has no form."""
    from torch._inductor.compile_fx import view_to_reshape  # type: ignore[attr-defined]

    fakes = [node.meta["val"] for node in module.graph.nodes if node.op == "placeholder"]
    mode = detect_fake_mode(fakes) or torch._subclasses.FakeTensorMode()
    with _LOCK, ExitStack() as stack:
        stack.enter_context(torch.no_grad())
        stack.enter_context(V.set_fake_mode(mode))
        stack.enter_context(_patched(rules))
        view_to_reshape(module)  # type: ignore[no-untyped-call]
        fakes = [_dense(fake, mode) for fake in fakes]
        graph = _Lowering(module, fakes, mode, rules)
        stack.enter_context(V.set_graph_handler(graph))
        graph.run(*fakes)
        outputs = tuple(graph.graph_outputs)
        return Lowered(graph, tuple(graph.steps), outputs, dict(graph.constants))


def dense_strides(shape: Sizes, strides: Sizes) -> tuple[int, ...]:
    """Strides of an input as it is handed over: its own if they leave no gap and no overlap, else contiguous ones.

    >>> dense_strides((2, 3), (1, 2)), dense_strides((2, 3), (0, 1))
    ((1, 2), (3, 1))
    """
    expected = 1
    for stride, size in sorted(zip(strides, shape, strict=True)):
        if size > 1 and stride != expected:
            return tuple(int(step) for step in ir.FlexibleLayout.contiguous_strides(shape))
        expected *= int(size)
    return tuple(int(stride) for stride in strides)


def _dense(value: object, mode: torch._subclasses.FakeTensorMode) -> object:
    if not isinstance(value, torch.Tensor):
        return value
    with mode:
        return torch.empty_strided(value.shape, dense_strides(value.shape, value.stride()), dtype=value.dtype)


@contextmanager
def reading(lowered: Lowered, handler: Handler) -> Iterator[None]:
    """Inside, loop bodies of `lowered` may be called and report to `handler`."""
    with _LOCK, _primitive_names(), V.set_graph_handler(lowered.graph), V.set_ops_handler(handler):
        yield


def simplified(lowered: Lowered, expression: object, extents: Mapping[sympy.Symbol, int]) -> sympy.Expr:
    """An index expression without divisions that its ranges make trivial."""
    ranges = {symbol: sympy.Integer(extent) for symbol, extent in extents.items()}
    result: sympy.Expr = lowered.graph.sizevars.simplify_with_ranges(sympy.sympify(expression), ranges)
    return result


class _Lowering(GraphLowering):
    """GraphLowering that makes every op that reads memory an op of its own, dense and contiguous."""

    def __init__(
        self,
        module: torch.fx.GraphModule,
        fakes: Sequence[object],
        mode: torch._subclasses.FakeTensorMode,
        rules: Rules,
    ) -> None:
        super().__init__(module, example_inputs=fakes, shape_env=mode.shape_env, is_inference=True, layout_opt=False)
        self.rules = rules
        self.steps: list[Step] = []
        self.total = max(1, len(module.graph.nodes))
        self.done = 0

    def register_operation(self, op: ir.Operation) -> str:
        """Note each op in order with the call it was made for."""
        name = super().register_operation(op)
        if not isinstance(op, ir.ComputedBuffer):
            raise refusal(self.current_node, f"Inductor lowers it to {type(op).__name__}, which has no loop form")
        self.steps.append(Computed(op.data.get_origin_node() or self.current_node, op))
        return name

    def run_node(self, n: torch.fx.Node) -> object:
        """Lower one call; sentences instead of tracebacks for what cannot be lowered."""
        self.done += 1
        if self.done % 64 == 0:
            self.rules.progress(self.done / self.total)
        if n.op != "call_function":
            with self.set_current_node(n):
                return torch.fx.Interpreter.run_node(self, n)
        arguments, keywords = self.fetch_args_kwargs_from_env(n)
        origins = OrderedSet([n]) | gather_origins(arguments, keywords)
        with ir.IRNode.current_origins(origins), self.set_current_node(n), V.set_current_node(n):
            try:
                result = self._lowered(n, arguments, keywords)
            except StudioError:
                raise
            except Exception as error:
                raise refusal(n, f"it could not be lowered ({_first_line(error)})") from error
            for box in pytree.tree_leaves(result):
                _settle(box, n)
        return result

    def _lowered(self, n: torch.fx.Node, arguments: tuple[object, ...], keywords: dict[str, object]) -> object:
        if n.target in self.rules.opaque or (
            isinstance(n.target, torch._ops.OpOverload) and n.target not in inductor_lowering.lowerings
        ):
            return self._opaque(n, arguments, keywords)
        result = self.call_function(n.target, arguments, keywords)  # type: ignore[arg-type]
        unknown = [op for box in pytree.tree_leaves(result) for op in _used_ops(box) - self.rules.known_ops]
        return self._opaque(n, arguments, keywords) if unknown else result

    def _opaque(self, n: torch.fx.Node, arguments: tuple[object, ...], keywords: dict[str, object]) -> object:
        """Leave a call as it is: whole dense tensors in, whole dense tensors out."""
        if not isinstance(n.target, torch._ops.OpOverload) or n.target._schema.is_mutable:
            raise refusal(n, "it is neither a loop nest nor a call without side effects")
        plain, words = pytree.tree_map(_whole, (arguments, keywords))
        results: list[ir.Buffer] = []
        boxes = pytree.tree_map(lambda value: self._result(value, n, results), n.meta["val"])
        self.steps.append(Opaque(n, n.target, tuple(plain), words, tuple(results)))
        return boxes

    def _result(self, value: object, n: torch.fx.Node, results: list[ir.Buffer]) -> object:
        if value is None:
            return None
        if not isinstance(value, torch.Tensor):
            raise refusal(n, "its result is a number that is only known when it runs")
        sizes = [int(size) for size in value.shape]
        layout = ir.FixedLayout(value.device, value.dtype, sizes, ir.FlexibleLayout.contiguous_strides(sizes))
        buffer = ir.Buffer(name=None, layout=layout)
        buffer.name = self.register_buffer(buffer)
        results.append(buffer)
        return ir.TensorBox.create(buffer)


def _loops_of(box: object) -> ir.Loops | None:
    """The loops of a result that is not yet an op of its own."""
    if not isinstance(box, ir.TensorBox) or not isinstance(box.data, ir.StorageBox):
        return None
    return box.data.data if isinstance(box.data.data, ir.Loops) else None


def _used_ops(box: object) -> set[str]:
    loops = _loops_of(box)
    return set(loops.inner_fn_opcount().used_ops) if isinstance(loops, ir.Pointwise) else set()


def _settle(box: object, n: torch.fx.Node) -> None:
    """Make a result an op if it reads memory or is costly; values of loop counters alone stay in their consumers."""
    loops = _loops_of(box)
    if loops is None:
        return
    loops._post_init_setattr("origin_node", n)
    count = loops.inner_fn_opcount() if isinstance(loops, ir.Pointwise) else None
    free = count is not None and not count.read_buffers and count.num_ops <= _FREE_OPS
    if not free or not _COSTLY.isdisjoint(set(count.used_ops) if count else set()):
        realized(box)


def realized(box: object) -> ir.TensorBox:
    """Make a value an op of its own with a dense, contiguous result."""
    assert isinstance(box, ir.TensorBox)
    if isinstance(box.data, ir.BaseView) and isinstance(box.data.unwrap_view(), ir.BaseConstant):
        load = box.make_loader()
        box = _pointwise(box, box.get_dtype(), box.get_size(), load)
    if isinstance(box.data, ir.BaseConstant):
        box = _pointwise(box, box.get_dtype(), box.get_size(), box.make_loader())
    box.realize()
    box.freeze_layout()
    return box


def _whole(value: object) -> object:
    """Of a tensor argument, its dense buffer (a copy if it is a view); anything else as it is."""
    if not isinstance(value, ir.TensorBox):
        return value
    realized(value)
    if isinstance(value.data, ir.BaseView) and not _is_whole(value.data):
        value = realized(inductor_lowering.clone(value))
    inner: ir.IRNode = value
    while isinstance(inner, ir.MutableBox | ir.BaseView):
        inner = inner.data
    return inner


def _is_whole(view: ir.BaseView) -> bool:
    base = view.unwrap_view()
    same = list(view.get_size()) == list(base.get_size())
    return same and isinstance(view, ir.ReinterpretView) and list(view.get_stride()) == list(base.get_stride())


def _first_line(error: Exception) -> str:
    text = str(error).strip()
    return text.splitlines()[0][:200] if text else type(error).__name__


@contextmanager
def _patched(rules: Rules) -> Iterator[None]:
    with ExitStack() as stack:
        stack.enter_context(config.patch(_CONFIG))
        stack.enter_context(_primitive_names())
        stack.enter_context(_entries(inductor_lowering.lowerings, rules.lowerings))
        yield


@contextmanager
def _entries(table: dict[Target, Lower], ours: Mapping[Target, Lower]) -> Iterator[None]:
    before = dict(table)
    table.update(ours)
    try:
        yield
    finally:
        table.clear()
        table.update(before)


@contextmanager
def _primitive_names() -> Iterator[None]:
    added = [name for name in PRIMITIVES if name not in DefaultHandler.__dict__]
    for name in added:
        setattr(DefaultHandler, name, DefaultHandler._call_default(name))
    try:
        yield
    finally:
        for name in added:
            delattr(DefaultHandler, name)


# ---- building blocks for `lowerings`


def function(name: str, x: Box) -> Box:
    """A scalar function applied to each element."""
    load = x.make_loader()
    return _pointwise(x, x.get_dtype(), x.get_size(), lambda index: getattr(ops, name)(load(index)))


def _pointwise(like: Box, dtype: torch.dtype, sizes: Sequence[object], body: Callable[..., object]) -> Box:
    result = ir.Pointwise.create(device=like.get_device(), dtype=dtype, inner_fn=body, ranges=list(sizes))
    assert isinstance(result, ir.TensorBox)
    return result


Index = Sequence[sympy.Expr]
Reader = Callable[[Index, Index], Sequence[object]]


def contraction(
    kind: str, left: Box, right: Box, at: tuple[Reader, Reader], space: tuple[Sizes, Sizes], dtype: torch.dtype
) -> Box:
    """Sum over `space[1]` of left[at[0]] * right[at[1]], for each point of `space[0]`."""
    loads = realized(left).make_loader(), realized(right).make_loader()

    def operands(index: Index, inner: Index) -> tuple[object, object]:
        return loads[0](at[0](index, inner)), loads[1](at[1](index, inner))

    return _reduction(kind, left, operands, space, dtype)


def reduction(combine: str, x: Box, value: Callable[..., object], space: tuple[Sizes, Sizes]) -> Box:
    """Fold `value(load, index, inner)` over `space[1]` for each point of `space[0]`."""
    load = realized(x).make_loader()
    return _reduction(combine, x, lambda index, inner: value(load, index, inner), space, x.get_dtype())


def _reduction(
    kind: str, like: Box, body: Callable[..., object], space: tuple[Sizes, Sizes], dtype: torch.dtype
) -> Box:
    # Not Reduction.create: it turns a fold of length one into a pointwise op, which a contraction is not.
    loops = ir.Reduction(
        device=like.get_device() or torch.device("cpu"),
        dtype=dtype,
        inner_fn=body,
        ranges=[sympy.Integer(size) for size in space[0]],
        reduction_ranges=[sympy.Integer(size) for size in space[1]],
        reduction_type=kind,  # type: ignore[arg-type]
        src_dtype=like.get_dtype(),
        reduction_hint=ReductionHint.DEFAULT,
    )
    loops._post_init_setattr("origin_node", V.graph.current_node)
    result = ir.TensorBox.create(loops)
    assert isinstance(result, ir.TensorBox)
    return realized(result)


def sizes_of(box: Box) -> list[int]:
    """The shape as integers."""
    return [int(size) for size in box.get_size()]


def call(target: Target, *arguments: object) -> Box:
    """Lower another ATen call as part of this one."""
    result = inductor_lowering.lowerings[target](*arguments)
    assert isinstance(result, ir.TensorBox)
    return result


def product_of(left: object, right: object) -> object:
    """The product of two values inside a loop body."""
    return ops.mul(left, right)


def cast(x: Box, dtype: torch.dtype) -> Box:
    """The value in another type, as an op of its own."""
    return x if x.get_dtype() == dtype else realized(inductor_lowering.to_dtype(x, dtype))


def concatenation(parts: Sequence[Box], dim: int) -> Box:
    """One op that reads each part where its mask says so, so that the result has one writer."""
    result = inductor_lowering.pointwise_cat(list(parts), dim)  # type: ignore[no-untyped-call]
    assert isinstance(result, ir.TensorBox)
    return result
