"""Inductor's lowering of an FX graph up to its loop-level form, and nothing after it.

Owns, with `nests`, all contact with Inductor's private interface (pinned with torch's version).  Refuses scheduling
and code generation: no compiler and no subprocess is started, and every global table is put back afterwards.  Tables
are global, so one lowering runs at a time per process.
"""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import sympy
import torch
from torch._guards import detect_fake_mode
from torch._inductor import config, ir
from torch._inductor import lowering as inductor_lowering
from torch._inductor.decomposition import select_decomp_table
from torch._inductor.graph import GraphLowering
from torch._inductor.ops_handler import DefaultHandler
from torch._inductor.utils import gather_origins
from torch._inductor.virtualized import V
from torch.utils import _pytree as pytree
from torch.utils._ordered_set import OrderedSet

from compiler.errors import StudioError
from compiler.frontend.nests import Lower, Sizes, Target, copy, realized
from compiler.frontend.origin import refusal
from compiler.primitives import PRIMITIVES, CostClass

Handler = DefaultHandler
# Scalar functions of the device that Inductor has no name for.
_OWN_FUNCTIONS = ("gelu", "gelu_tanh", "silu")
# Results that are None or plain numbers.
_NO_TENSORS = (ir.NoneAsConstantBuffer, ir.ShapeAsConstantBuffer)
_LOCK = threading.RLock()
_RANDOM = "call eval() if it is a dropout, or pass the numbers in as an input"
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
# An op that reads nothing stays inside its consumers unless it computes more than this or a costly function.
_FREE_OPS = 100
_COSTLY = {name for name, row in PRIMITIVES.items() if row.arity == 1 and row.cost is CostClass.TRANSCENDENTAL} | {
    "pow"
}


@dataclass(frozen=True, slots=True, eq=False)
class Nest:
    """A loop nest: the FX node it was made for, what it computes and where it stores.

    `kind` is '' for pointwise, a combine, or one of the kinds of `nests`.  `compute` and `place` take index expressions
    and report to the handler of `reading`.
    """

    node: torch.fx.Node
    inlined: tuple[torch.fx.Node, ...]
    buffer: str
    kind: str
    output: tuple[int, ...]
    reduced: tuple[int, ...]
    dtype: torch.dtype
    compute: Callable[[Sequence[sympy.Expr], Sequence[sympy.Expr]], object]
    place: Callable[[Sequence[sympy.Expr]], sympy.Expr]


@dataclass(frozen=True, slots=True)
class Whole:
    """A dense tensor in an opaque call."""

    buffer: str
    dtype: torch.dtype
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Opaque:
    """A call with no loop form; tensors in its arguments and its results are `Whole`."""

    node: torch.fx.Node
    target: torch._ops.OpOverload
    arguments: tuple[object, ...]
    keywords: Mapping[str, object]
    results: tuple[Whole, ...]


@dataclass(frozen=True, slots=True)
class View:
    """A result of the graph: a strided view of a buffer."""

    buffer: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int


@dataclass(frozen=True, slots=True, eq=False)
class Lowered:
    """The graph after lowering: steps in order, outputs, and the values of tensors written into the model's code."""

    graph: GraphLowering
    steps: tuple[Nest | Opaque, ...]
    outputs: tuple[View, ...]
    constants: Mapping[str, torch.Tensor]


@dataclass(frozen=True, slots=True)
class Rules:
    """How calls are lowered: own lowerings, calls to leave opaque, scalar functions a loop body may use."""

    lowerings: Mapping[Target, Lower]
    opaque: frozenset[object]
    known_ops: frozenset[str]
    progress: Callable[[float], None]


def lower(module: torch.fx.GraphModule, rules: Rules) -> Lowered:
    """Lower a decomposed graph whose nodes carry fake tensors; raises StudioError for what has no form."""
    from torch._inductor.compile_fx import view_to_reshape  # type: ignore[attr-defined]

    fakes = [node.meta["val"] for node in module.graph.nodes if node.op == "placeholder"]
    mode = detect_fake_mode(fakes) or torch._subclasses.FakeTensorMode()
    with _LOCK, ExitStack() as stack:
        stack.enter_context(torch.no_grad())
        stack.enter_context(V.set_fake_mode(mode))
        stack.enter_context(config.patch(_CONFIG))
        stack.enter_context(_our_ways())
        stack.enter_context(_entries(inductor_lowering.lowerings, rules.lowerings))
        view_to_reshape(module)  # type: ignore[no-untyped-call]
        inputs = [_dense(fake, mode) for fake in fakes]
        graph = _Lowering(module, inputs, mode, rules)
        stack.enter_context(V.set_graph_handler(graph))
        graph.run(*inputs)
        steps = tuple(step if isinstance(step, Opaque) else _nest(*step) for step in graph.steps)
        outputs = tuple(_view(output) for output in graph.graph_outputs if not isinstance(output, _NO_TENSORS))
        return Lowered(graph, steps, outputs, dict(graph.constants))


@contextmanager
def reading(lowered: Lowered, handler: Handler) -> Iterator[None]:
    """Inside, `compute` and `place` of the nests of `lowered` may be called and report to `handler`."""
    with _LOCK, _our_ways(), V.set_graph_handler(lowered.graph), V.set_ops_handler(handler):
        yield


def simplified(lowered: Lowered, expression: object, extents: Mapping[sympy.Symbol, int]) -> sympy.Expr:
    """An index expression without divisions that its ranges make trivial."""
    ranges = {symbol: sympy.Integer(extent) for symbol, extent in extents.items()}
    return lowered.graph.sizevars.simplify_with_ranges(sympy.sympify(expression), ranges)


def decompositions() -> dict[object, Lower]:
    """Inductor's own table of decompositions."""
    return dict(select_decomp_table())


def contiguous_strides(shape: Sizes) -> tuple[int, ...]:
    """Strides of a dense tensor whose last dim is the fastest.

    >>> contiguous_strides((2, 3))
    (3, 1)
    """
    return tuple(int(step) for step in ir.FlexibleLayout.contiguous_strides(shape))


def dense_strides(shape: Sizes, strides: Sizes) -> tuple[int, ...]:
    """Strides of an input as it is handed over: its own if they leave no gap and no overlap, else contiguous ones.

    >>> dense_strides((2, 3), (1, 2)), dense_strides((2, 3), (0, 1))
    ((1, 2), (3, 1))
    """
    expected = 1
    for stride, size in sorted(zip(strides, shape, strict=True)):
        if size > 1 and stride != expected:
            return contiguous_strides(shape)
        expected *= int(size)
    return tuple(int(stride) for stride in strides)


class _Lowering(GraphLowering):
    """GraphLowering that makes every op that reads memory an op of its own, dense and contiguous."""

    def __init__(
        self,
        module: torch.fx.GraphModule,
        inputs: Sequence[object],
        mode: torch._subclasses.FakeTensorMode,
        rules: Rules,
    ) -> None:
        super().__init__(module, example_inputs=inputs, shape_env=mode.shape_env, is_inference=True, layout_opt=False)
        self.rules = rules
        self.steps: list[tuple[torch.fx.Node, ir.ComputedBuffer] | Opaque] = []
        self.total = max(1, len(module.graph.nodes))
        self.done = 0

    def register_operation(self, op: ir.Operation) -> str:
        """Note each op in order with the call it was made for."""
        name = super().register_operation(op)
        if not isinstance(op, ir.ComputedBuffer):
            raise refusal(self.current_node, f"Inductor lowers it to {type(op).__name__}, which has no loop form")
        if isinstance(op.layout, ir.FlexibleLayout):
            op.freeze_layout()  # dense in the order of its dims, before Inductor picks the order of what it reads
        self.steps.append((op.data.get_origin_node() or self.current_node, op))
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

    def output(self, target: object, args: tuple[object, ...], kwargs: dict[str, object]) -> None:
        """Results that read nothing become ops here; nothing else would store them."""
        stored = pytree.tree_map_only(ir.TensorBox, realized, args)
        super().output(target, stored, kwargs)  # type: ignore[arg-type]

    def _lowered(self, n: torch.fx.Node, arguments: tuple[object, ...], keywords: dict[str, object]) -> object:
        if isinstance(n.target, torch._ops.OpOverload) and torch.Tag.nondeterministic_seeded in n.target.tags:
            raise refusal(n, "it draws random numbers, which no plan can repeat", _RANDOM)
        if n.target is torch.ops.aten.as_strided.default:
            self._check_storage(n, arguments[0])
        if n.target in self.rules.opaque or _only_calls(n.target):
            return self._opaque(n, arguments, keywords)
        if n.target is operator.getitem:
            base, place = arguments
            return base[place]  # type: ignore[index]
        result = inductor_lowering.lowerings[n.target](*arguments, **keywords)
        unknown = [op for box in pytree.tree_leaves(result) for op in _used_ops(box) - self.rules.known_ops]
        return self._opaque(n, arguments, keywords) if unknown or result is NotImplemented else result

    def _check_storage(self, n: torch.fx.Node, box: object) -> None:
        """A view by strides over storage means what PyTorch means only if the storage is laid out as PyTorch's."""
        name = realized(box).get_name()
        makers = [node for node, buffer in self._computed() if buffer.get_name() == name]
        for value in (maker.meta["val"] for maker in makers):
            if tuple(value.stride()) != contiguous_strides(value.shape):
                raise refusal(n, "it counts elements of memory that is laid out otherwise here", "index with slices")

    def _computed(self) -> list[tuple[torch.fx.Node, ir.ComputedBuffer]]:
        return [step for step in self.steps if not isinstance(step, Opaque)]

    def _opaque(self, n: torch.fx.Node, arguments: tuple[object, ...], keywords: dict[str, object]) -> object:
        """Leave a call as it is: whole dense tensors in, whole dense tensors out."""
        if not isinstance(n.target, torch._ops.OpOverload) or n.target._schema.is_mutable:
            raise refusal(n, "it is neither a loop nest nor a call without side effects")
        plain, words = pytree.tree_map(_whole, (arguments, keywords))
        results: list[Whole] = []
        boxes = pytree.tree_map(lambda value: self._result(value, n, results), n.meta["val"])
        self.steps.append(Opaque(n, n.target, tuple(plain), words, tuple(results)))
        return boxes

    def _result(self, value: object, n: torch.fx.Node, results: list[Whole]) -> object:
        if value is None:
            return None
        if not isinstance(value, torch.Tensor) or value.layout is not torch.strided:
            raise refusal(n, "its result is not a dense tensor")
        shape = tuple(int(size) for size in value.shape)
        layout = ir.FixedLayout(value.device, value.dtype, list(shape), list(contiguous_strides(shape)))
        buffer = ir.InputBuffer(name=None, layout=layout)
        buffer.name = self.register_buffer(buffer)
        results.append(Whole(buffer.name, value.dtype, shape))
        return ir.TensorBox.create(buffer)


def _only_calls(target: object) -> bool:
    """True for a call that Inductor has no loops for."""
    lowering = inductor_lowering.lowerings.get(target)  # type: ignore[call-overload]
    missing = lowering is None and isinstance(target, torch._ops.OpOverload)
    return missing or getattr(lowering, "_is_fallback_handler", False)


def _nest(node: torch.fx.Node, buffer: ir.ComputedBuffer) -> Nest:
    data, layout = buffer.data, buffer.get_layout()
    folds = isinstance(data, ir.Reduction)
    if not folds and type(data) is not ir.Pointwise:
        raise refusal(node, f"it needs a loop of the kind {type(data).__name__}, which the device has no form for")
    reduced = tuple(int(size) for size in data.reduction_ranges) if isinstance(data, ir.Reduction) else ()
    return Nest(
        node=node,
        inlined=tuple(buffer.origins),
        buffer=buffer.get_name(),
        kind=str(data.reduction_type) if isinstance(data, ir.Reduction) else "",
        output=tuple(int(size) for size in data.get_size()),
        reduced=reduced,
        dtype=layout.dtype,
        compute=data.inner_fn if folds else lambda outer, inner: data.inner_fn(outer),
        place=lambda outer: sympy.sympify(layout.make_indexer()(outer)),
    )


def _view(output: ir.IRNode) -> View:
    layout = output.get_layout()
    shape, strides = (tuple(int(n) for n in values) for values in (layout.size, layout.stride))
    return View(output.get_name(), shape, strides, int(layout.offset))


def _dense(value: object, mode: torch._subclasses.FakeTensorMode) -> object:
    if not isinstance(value, torch.Tensor):
        return value
    with mode:
        return torch.empty_strided(value.shape, dense_strides(value.shape, value.stride()), dtype=value.dtype)


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
    if count is None or count.read_buffers or count.num_ops > _FREE_OPS or not _COSTLY.isdisjoint(count.used_ops):
        realized(box)


def _whole(value: object) -> object:
    """Of a tensor argument, its dense buffer (a copy if it is a view); anything else as it is."""
    if not isinstance(value, ir.TensorBox):
        return value
    value = realized(value)
    if isinstance(value.data, ir.BaseView) and not _is_whole(value.data):
        value = realized(copy(value))
    return Whole(value.get_name(), value.get_dtype(), tuple(int(size) for size in value.get_size()))


def _is_whole(view: ir.BaseView) -> bool:
    base = view.unwrap_view()
    same = list(view.get_size()) == list(base.get_size())
    return same and isinstance(view, ir.ReinterpretView) and list(view.get_stride()) == list(base.get_stride())


def _first_line(error: Exception) -> str:
    text = str(error).strip()
    return text.splitlines()[0][:200] if text else type(error).__name__


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
def _our_ways() -> Iterator[None]:
    """Names of our scalar functions; and what is stored is loaded, even where Inductor would compute it again."""
    added = [name for name in _OWN_FUNCTIONS if name not in DefaultHandler.__dict__]
    inlining = ir.ComputedBuffer.make_loader
    ir.ComputedBuffer.make_loader = ir.Buffer.make_loader  # type: ignore[method-assign]
    for name in added:
        setattr(DefaultHandler, name, DefaultHandler._call_default(name))
    try:
        yield
    finally:
        ir.ComputedBuffer.make_loader = inlining  # type: ignore[method-assign]
        for name in added:
            delattr(DefaultHandler, name)
