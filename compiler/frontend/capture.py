"""Capture: a module and example arguments, or a traced program, become ModelGraph + LoopProgram.

Owns the order of stages (trace, decompose, lower, convert) and turning their failures into one sentence.  Refuses
weights: tracing happens on fake tensors, so that a model of any size opens on a laptop.
"""

from __future__ import annotations

import contextlib
import io
import logging
import re
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, InputSpec

from compiler.captured import Captured
from compiler.errors import StudioError, UnsupportedError
from compiler.frontend.body import KNOWN_OPS
from compiler.frontend.convert import Interface, convert
from compiler.frontend.decompositions import half_stays_half, table
from compiler.frontend.effects import without_tokens
from compiler.frontend.inductor import Rules, dense_strides, lower
from compiler.frontend.lowerings import LOWERINGS, OPAQUE
from compiler.frontend.model_graph import calls_of, element_type, model_graph, tensor_outputs
from compiler.frontend.names import Names
from compiler.frontend.origin import is_authors
from compiler.loops import Buffer, BufferKind, ModelSource

Progress = Callable[[float, str], None]
_BUFFER_KINDS = {
    InputKind.USER_INPUT: BufferKind.INPUT,
    InputKind.PARAMETER: BufferKind.PARAMETER,
    InputKind.BUFFER: BufferKind.PARAMETER,
    InputKind.CONSTANT_TENSOR: BufferKind.CONSTANT,
}


def silent(share: float, phase: str) -> None:
    """A progress report that nobody wants."""


def capture_module(
    module: torch.nn.Module,
    args: tuple[object, ...],
    kwargs: Mapping[str, object],
    name: str,
    source: ModelSource,
    progress: Progress = silent,
) -> Captured:
    """Trace a module on (fake or real) example arguments and lower it."""
    progress(0.0, "trace")
    return capture_program(trace(module, args, kwargs), name, source, progress)


def trace(module: torch.nn.Module, args: tuple[object, ...], kwargs: Mapping[str, object]) -> ExportedProgram:
    """torch.export without Python tracing hooks; its failure becomes one sentence."""
    try:
        with torch.no_grad(), quiet():
            return torch.export.export(module, args, dict(kwargs), strict=False)
    except StudioError:
        raise
    except (Exception, SystemExit) as error:
        line = author_line(error)
        what = f"the module {type(module).__name__}" + (f" ({line})" if line else "")
        if isinstance(error, SystemExit):
            raise UnsupportedError(what, "it ends the process with sys.exit", "let it return instead") from error
        if type(error).__name__ == "GuardOnDataDependentSymNode":
            why = "it chooses by a number that is only known when it runs"
            raise UnsupportedError(what, why, "choose with torch.where on tensors") from error
        why = f"PyTorch cannot trace it ({shortened(error)})"
        raise UnsupportedError(what, why, "change that part of the model") from error


def capture_program(program: ExportedProgram, name: str, source: ModelSource, progress: Progress = silent) -> Captured:
    """Lower a traced program."""
    progress(0.2, "graph")
    graph = model_graph(name, program)
    progress(0.25, "decompose")
    simple = decomposed(program)
    interface = _interface(name, source, program, simple)
    progress(0.75, "lower")
    rules = Rules(LOWERINGS, OPAQUE, KNOWN_OPS, lambda share: progress(0.75 + 0.2 * share, "lower"))
    with quiet():
        lowered = lower(simple.graph_module, rules)
    progress(0.95, "convert")
    loops = convert(lowered, interface)
    progress(1.0, "done")
    return Captured(graph, loops)


def decomposed(program: ExportedProgram) -> ExportedProgram:
    """The program in calls that have lowerings."""
    try:
        with torch.no_grad(), quiet(), half_stays_half():
            simple: ExportedProgram = program.run_decompositions(table())
    except Exception as error:
        why = f"PyTorch cannot decompose it ({shortened(error)})"
        raise UnsupportedError("this model", why, "change that part of the model") from error
    return without_tokens(simple)


def _interface(name: str, source: ModelSource, program: ExportedProgram, simple: ExportedProgram) -> Interface:
    calls = {call.node.name: call.node.target for call in calls_of(program)[0]}
    outputs = tuple(label for label, _ in tensor_outputs(simple))
    return Interface(name, source, _input_buffers(simple), outputs, calls)


def _input_buffers(program: ExportedProgram) -> dict[str, Buffer]:
    buffers: dict[str, Buffer] = {}
    for name, spec, node in tensor_inputs(program):
        value = node.meta["val"]
        dtype = element_type(value.dtype, node, f"input {name}")
        shape = tuple(int(size) for size in value.shape)
        strides = dense_strides(value.shape, value.stride())
        buffers[node.name] = Buffer(name, dtype, shape, strides, _BUFFER_KINDS[spec.kind])
    return buffers


def tensor_inputs(program: ExportedProgram) -> Iterator[tuple[str, InputSpec, torch.fx.Node]]:
    """Buffer name, signature and placeholder of every input that is a tensor: user inputs, weights and constants."""
    placeholders = {node.name: node for node in program.graph.nodes if node.op == "placeholder"}
    names = Names()
    for spec in program.graph_signature.input_specs:
        node = placeholders[spec.arg.name]
        if isinstance(node.meta.get("val"), torch.Tensor):
            yield names.unique(str(spec.target) if spec.target else str(spec.arg.name)), spec, node


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """PyTorch prints whole graphs and warnings when something fails; the sentence says it better."""
    logger = logging.getLogger("torch")
    level, disabled = logger.level, logger.disabled
    logger.setLevel(logging.CRITICAL)
    with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        try:
            yield
        finally:
            logger.setLevel(level)
            logger.disabled = disabled


def author_line(error: BaseException) -> str:
    """`file.py:line` of the last frame of an error in the author's own code, '' if there is none."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if is_authors(frame.filename)]
    return f"{Path(own[-1].filename).name}:{own[-1].lineno}" if own else ""


def shortened(error: BaseException) -> str:
    """The first line that says something, without the text of whole graphs."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return re.sub(r"\s+", " ", lines[0])[:240].rstrip(".") if lines else type(error).__name__
