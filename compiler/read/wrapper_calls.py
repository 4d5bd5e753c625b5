"""Wrapper calls: which kernels a wrapper launches in which order, with which tensors, and their layouts (facts 2.4).

Owns the statements that tell it: `assert_size_stride`, `spyre_empty_with_layout`, `rand_strided`, names that stand for
other names, and `<kernel>.run(...)`.  Refuses to fail over anything else in the wrapper: it is passed over, never run.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace
from typing import Final

from compiler.errors import InputError
from compiler.formats.opspec import KernelArgument, KernelSpec
from compiler.import_log import Disagreement, placed
from compiler.read.kernel_arguments import with_arguments
from compiler.read.opspec_py import WrittenKernel, parse_wrapper, written_kernels
from compiler.read.plain import LARGEST_NUMBER, MOST_DIMS
from compiler.read.wrapper_literals import Made, called, literal

_NO_NAME: Final = "?"
"""Stands for what a kernel is given that is no tensor with a name."""
_VIEW: Final = "reinterpret_tensor"
_EMPTY: Final = frozenset({"spyre_empty_with_layout", "empty_strided", "empty_strided_cpu", "rand_strided"})
MOST_CALLS: Final = 100_000


@dataclass(frozen=True, slots=True)
class Launch:
    """A kernel that is run, by its number among the kernels, with the names of the tensors it is given."""

    kernel: int
    tensors: tuple[str, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Wrapper:
    """Kernels as they are written, launches in order, tensors by name, and the names of the results."""

    kernels: tuple[KernelSpec, ...]
    launches: tuple[Launch, ...]
    tensors: dict[str, KernelArgument]
    results: tuple[str, ...]
    findings: tuple[str, ...] = ()

    def launched(self, kernels: tuple[KernelSpec, ...]) -> tuple[tuple[KernelSpec, ...], tuple[str, ...]]:
        """Kernels, one for each of the wrapper's, in the order of the launches with the tensors that they are given;
        and what disagrees.  As they are written where nothing is launched."""
        if not self.launches:
            given = [with_arguments(kernel, {}, "the wrapper") for kernel in kernels]
            return tuple(kernel for kernel, _ in given), ("the wrapper runs none of its kernels",)
        found, findings, times = list[KernelSpec](), list(self.findings), dict[int, int]()
        for launch in self.launches:
            kernel = kernels[launch.kernel]
            times[launch.kernel] = times.get(launch.kernel, 0) + 1
            if times[launch.kernel] > 1:
                kernel = replace(kernel, name=f"{kernel.name}#{times[launch.kernel]}")
            made, disagreed = self._given(kernel, launch)
            found.append(made)
            findings += disagreed
        idle = [kernel.name for number, kernel in enumerate(kernels) if number not in times]
        findings += [f"{name} is never run by the wrapper" for name in idle]
        return tuple(found), tuple(findings)

    def _given(self, kernel: KernelSpec, launch: Launch) -> tuple[KernelSpec, list[str]]:
        wanted = _wanted(kernel)
        names, findings = launch.tensors, list[str]()
        if len(names) < wanted:
            what = f"{kernel.name} takes {wanted} tensors, line {launch.line} gives {len(names)}"
            findings.append(Disagreement(what))
        known = {number: self._tensor(number, name, kernel) for number, name in enumerate(names[:wanted])}
        made, disagreed = with_arguments(kernel, known, "the wrapper")
        return made, [*findings, *(placed(kernel.name, why) for why in disagreed)]

    def _tensor(self, number: int, name: str, kernel: KernelSpec) -> KernelArgument:
        """A tensor by its name in the wrapper; what that does not tell is taken from the kernel's own description."""
        own = next((each for each in kernel.arguments if each.number == number), None)
        if name == _NO_NAME:
            return own or _unknown(f"arg{number}", number)
        found = self.tensors.get(name) or own or _unknown(name)
        if own is not None and found is not own:
            found = replace(
                found,
                dtype=found.dtype or own.dtype,
                device_size=found.device_size or own.device_size,
                stride_map=found.stride_map or own.stride_map,
                device_dtype=found.device_dtype or own.device_dtype,
                shape=found.shape or own.shape,
                strides=found.strides or own.strides,
            )
        return replace(found, number=number, name=name)


def read_calls(text: str, origin: str) -> Wrapper:
    """The wrapper of a text; InputError with one sentence for what is none."""
    tree = parse_wrapper(text, origin)
    written = written_kernels(tree, origin)
    reader = _Reader(origin, written)
    reader.read(tree)
    kernels = tuple(each.spec for each in written)
    return Wrapper(kernels, tuple(reader.launches), reader.tensors, reader.results, _not_followed(tree))


def _not_followed(tree: ast.Module) -> tuple[str, ...]:
    """Statements around launches that would make another program of them, one sentence each."""
    found = []
    for body in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and _launches(node)):
        for node in ast.walk(body):
            if isinstance(node, ast.For | ast.While | ast.If | ast.Try) and _launches(node):
                kind = type(node).__name__.lower()
                found.append(f"line {node.lineno}: its kernels stand in '{kind}' and are taken to run once")
            elif isinstance(node, ast.AugAssign) or (
                isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp | ast.UnaryOp)
            ):
                found.append(f"line {node.lineno}: what it computes on the host is not followed")
            elif isinstance(node, ast.Call) and _dotted(node.func).startswith("torch.ops."):
                found.append(f"line {node.lineno}: the call of {_dotted(node.func)} is not followed")
    return tuple(found)


def _dotted(node: ast.expr) -> str:
    """A name with its dots, '' for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join((node.id, *reversed(parts))) if isinstance(node, ast.Name) else ""


def _launches(node: ast.AST) -> bool:
    return any(isinstance(each, ast.Attribute) and each.attr == "run" for each in ast.walk(node))


def _unknown(name: str, number: int = 0) -> KernelArgument:
    return KernelArgument(
        number, name, is_input=True, shape=(), strides=(), dtype="", device_size=(), stride_map=(), device_dtype=""
    )


def _wanted(kernel: KernelSpec) -> int:
    """How many tensors a kernel takes."""
    return 1 + max((arg.argument for op in kernel.ops() for arg in op.args), default=-1)


@dataclass(slots=True)
class _Reader:
    origin: str
    written: tuple[WrittenKernel, ...]
    kernels: dict[str, int] = field(default_factory=dict)
    launches: list[Launch] = field(default_factory=list)
    tensors: dict[str, KernelArgument] = field(default_factory=dict)
    same: dict[str, str] = field(default_factory=dict)
    results: tuple[str, ...] = ()

    def read(self, tree: ast.Module) -> None:
        """Go through all statements in the order in which they are written."""
        self.kernels = {each.variable: number for number, each in enumerate(self.written) if each.variable}
        statements = [node for node in ast.walk(tree) if isinstance(node, ast.Assign | ast.Expr | ast.Return)]
        for node in sorted(statements, key=lambda node: (node.lineno, node.col_offset)):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self._assign(name, value)
                case ast.Expr(value=ast.Call() as call):
                    self._call(call)
                case ast.Return(value=ast.Tuple(elts=items)) if self.launches:
                    self.results = tuple(self._name(each) for each in items)

    def _assign(self, name: str, value: ast.expr) -> None:
        match value:
            case ast.Name(id=other):
                self.same[name] = self.same.get(other, other)
            case ast.Call() if called(value) in _EMPTY:
                self._made(name, value)
            case ast.Call() if called(value) == _VIEW and value.args:
                self.same[name] = self._name(value.args[0])
            case ast.Call():
                self._call(value)

    def _call(self, call: ast.Call) -> None:
        match call:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=variable), attr="run")):
                self._launch(variable, call)
            case ast.Call(func=ast.Name(id="assert_size_stride"), args=[ast.Name(id=name), size, stride, *_]):
                shape, strides = self._sizes(size), self._sizes(stride)
                if shape is not None and strides is not None:
                    self.tensors[name] = replace(self.tensors.get(name, _unknown(name)), shape=shape, strides=strides)

    def _launch(self, variable: str, call: ast.Call) -> None:
        number = self.kernels.get(variable)
        if number is None:
            return
        if len(self.launches) >= MOST_CALLS:
            raise InputError(self.origin, f"it runs kernels more than {MOST_CALLS:,} times", "give a smaller file")
        kernel, given = self.written[number].spec, list(call.args)
        if kernel.pool_bytes and len(given) == _wanted(kernel) + 1:
            given = given[1:]  # the pool that the caller hands over stands first
        written = {arg.argument for op in kernel.ops() for arg in op.args if not arg.is_input}
        for place, each in enumerate(given):
            if place in written and isinstance(each, ast.Name) and each.id in self.same:
                before = self.same.pop(each.id)  # memory that is used again holds another tensor from here on
                self.tensors.setdefault(each.id, self.tensors.get(before, _unknown(each.id)))
        self.launches.append(Launch(number, tuple(self._name(each) for each in given), call.lineno))

    def _name(self, node: ast.expr) -> str:
        """The name of the tensor that an expression stands for."""
        match node:
            case ast.Name(id=name):
                return self.same.get(name, name)
            case ast.Call(args=[first, *_]) if called(node) == _VIEW:
                return self._name(first)
        return _NO_NAME

    def _made(self, name: str, call: ast.Call) -> None:
        """A tensor that is allocated: shape, strides, type and layout."""
        words = {each.arg: each.value for each in call.keywords if each.arg}
        given = [*call.args, *[words[key] for key in ("dtype", "layout") if key in words]]
        shape, strides = (self._sizes(each) for each in given[:2]) if len(given) > 1 else (None, None)
        if shape is None or strides is None:
            return
        self.same.pop(name, None)
        values = [self._quiet(each) for each in given[2:]]
        dtype = next((each for each in values if isinstance(each, str) and each.isidentifier()), "")
        layout = next((each for each in values if isinstance(each, Made) and each.name == "SpyreTensorLayout"), None)
        before = self.tensors.get(name)
        found = replace(before or _unknown(name), shape=shape, strides=strides, dtype=dtype)
        self.tensors[name] = _with_layout(found, layout) if layout else found

    def _sizes(self, node: ast.expr) -> tuple[int, ...] | None:
        found = self._quiet(node)
        if not isinstance(found, tuple | list) or len(found) > MOST_DIMS:
            return None
        numbers = tuple(each for each in found if isinstance(each, int) and 0 <= each < LARGEST_NUMBER)
        return numbers if len(numbers) == len(found) else None

    def _quiet(self, node: ast.expr) -> object:
        """A literal, or None for what is none."""
        try:
            return literal(node, self.origin)
        except InputError:
            return None


def _with_layout(found: KernelArgument, layout: Made) -> KernelArgument:
    return replace(
        found,
        device_size=layout.sizes("device_size", 0),
        stride_map=layout.sizes("stride_map", 1),
        device_dtype=layout.text("device_dtype", 2, ""),
        arrangement=layout.text("element_arrangement", default="STANDARD"),
    )
