"""The reference: the traced program run by PyTorch itself on real numbers.

Owns which numbers go in (those of the model where it has them, else seeded random ones) and what comes out under the
names of the LoopProgram and of the ModelGraph.  Products of narrow floats are computed in fp32 (see `widened`).
Refuses models whose numbers do not fit into memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind
from torch.utils import _pytree as pytree

from compiler.errors import InputError
from compiler.frontend.archive import read_tensors
from compiler.frontend.capture import tensor_inputs, trace
from compiler.frontend.factory import build
from compiler.frontend.inductor import dense_strides
from compiler.frontend.load import traced
from compiler.frontend.model_graph import tensor_outputs
from compiler.frontend.numbers import numbers_for
from compiler.frontend.specs import ArchiveSpec, FactorySpec, read_spec
from compiler.frontend.widened import is_widened, widened

LARGEST_BYTES = 8 << 30
_NO_SIZES: Mapping[str, int] = {}


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """Tensors by buffer name of the LoopProgram's inputs, by name of its outputs, and by node of the ModelGraph.

    A node with several results has them all; `nodes` is empty unless asked for.  `origin` tells where the inputs came
    from.
    """

    inputs: Mapping[str, torch.Tensor]
    outputs: Mapping[str, torch.Tensor]
    nodes: Mapping[str, tuple[torch.Tensor, ...]]
    origin: str = ""


def reference(
    spec: str, seed: int | None = None, *, keep_nodes: bool = False, sizes: Mapping[str, int] = _NO_SIZES
) -> Reference:
    """Run the model that `spec` names (as for `load`) eagerly; InputError if its numbers do not fit into memory.

    A seed draws the inputs of the model; without one they are those that a factory makes, or drawn with seed 0.
    """
    program = traced(spec, sizes=sizes)
    _check_size(spec, program)
    given = _given(spec, program, seed or 0)
    users = [name for name, entry, _ in tensor_inputs(program) if entry.kind is InputKind.USER_INPUT]
    if seed is not None:
        given = {name: value for name, value in given.items() if name not in users}
    own = users and all(name in given and _is_real(given[name]) for name in users)
    origin = "inputs of the factory" if own else f"inputs drawn with seed {seed or 0}"
    return replace(run(program, given, seed or 0, keep_nodes=keep_nodes), origin=origin)


def run(
    program: ExportedProgram, given: Mapping[str, torch.Tensor], seed: int, *, keep_nodes: bool = False
) -> Reference:
    """Run a traced program on the tensors `given` by buffer name, and on seeded random ones for the rest."""
    generator = torch.Generator().manual_seed(seed)
    inputs: dict[str, torch.Tensor] = {}
    values: dict[str, torch.Tensor] = {}
    for name, spec, node in tensor_inputs(program):
        value = given.get(name)
        if value is None or not _is_real(value):
            value = numbers_for(name, spec, node, generator)
        inputs[name] = _as_handed_over(value)
        values[node.name] = inputs[name].clone()  # the model may write into its inputs
    runner = _Runner(program.graph_module, keep_nodes)
    with torch.no_grad():
        results = runner.run(*_arguments(program, values))
    outputs = _outputs(program, pytree.tree_leaves(results), values)
    return Reference(inputs, outputs, runner.kept)


def _arguments(program: ExportedProgram, values: Mapping[str, torch.Tensor]) -> list[object]:
    names = [node.name for node in program.graph.nodes if node.op == "placeholder"]
    scalars = {spec.arg.name: getattr(spec.arg, "value", None) for spec in program.graph_signature.input_specs}
    return [values[name] if name in values else scalars[name] for name in names]


def _outputs(
    program: ExportedProgram, results: Sequence[object], values: Mapping[str, torch.Tensor]
) -> dict[str, torch.Tensor]:
    tensors = [result for result in results if isinstance(result, torch.Tensor)]
    found = dict(zip((name for name, _ in tensor_outputs(program)), tensors, strict=True))
    for name, _, node in tensor_inputs(program):
        if values[node.name]._version:
            found.setdefault(f"{name}.updated", values[node.name])
    return found


class _Runner(torch.fx.Interpreter):
    """Runs a graph and keeps what its calls return."""

    def __init__(self, module: torch.fx.GraphModule, keep: bool) -> None:
        super().__init__(module)
        self.keep = keep
        self.kept: dict[str, tuple[torch.Tensor, ...]] = {}

    def run_node(self, n: torch.fx.Node) -> object:
        """Run one call; what it returns is copied, because later calls may write into it."""
        result = super().run_node(n)
        if self.keep and n.op == "call_function":
            leaves = [leaf.clone() for leaf in pytree.tree_leaves(result) if isinstance(leaf, torch.Tensor)]
            self.kept[n.name] = tuple(leaves)
        return result

    def call_function(
        self, target: str | Callable[..., object], args: tuple[object, ...], kwargs: dict[str, object]
    ) -> object:
        """Make a call; products of narrow floats are computed in fp32 and rounded once."""
        if callable(target) and is_widened(target, args, kwargs):
            return widened(target, args, kwargs)
        return super().call_function(target, args, kwargs)  # type: ignore[arg-type]


def _as_handed_over(value: torch.Tensor) -> torch.Tensor:
    """The tensor with the strides its buffer has."""
    plain = value.detach()
    same = tuple(plain.stride()) == dense_strides(plain.shape, plain.stride())
    return plain.clone(memory_format=torch.preserve_format) if same else plain.contiguous()


def _given(spec: str, program: ExportedProgram, seed: int) -> dict[str, torch.Tensor]:
    """The numbers that the model comes with."""
    known = read_spec(spec)
    if isinstance(known, ArchiveSpec):
        return read_tensors(known.path, program) or {}
    return _of_factory(known, seed) if isinstance(known, FactorySpec) else {}


def _of_factory(factory: FactorySpec, seed: int) -> dict[str, torch.Tensor]:
    """Weights, constants and example arguments that the factory makes when it runs for real."""
    torch.manual_seed(seed)
    example = build(factory, real=True)
    arguments = (example.args, dict(example.kwargs))
    leaves = [leaf if _is_real(leaf) else None for leaf in pytree.tree_leaves(arguments)]
    weights = [*example.module.parameters(), *example.module.buffers()]
    if not all(map(_is_real, weights)):
        return {}
    args, kwargs = pytree.tree_map(
        lambda leaf: leaf if _is_real(leaf) else torch.zeros_like(leaf, device="cpu"), arguments
    )
    program = trace(example.module, args, kwargs)
    lifted = {**program.state_dict, **program.constants}
    users = iter(leaves)
    given: dict[str, torch.Tensor] = {}
    for spec in program.graph_signature.input_specs:
        value = next(users) if spec.kind is InputKind.USER_INPUT else lifted[str(spec.target)]
        if isinstance(value, torch.Tensor):
            given[str(spec.target) if spec.target else str(spec.arg.name)] = value
    return given


def _is_real(value: object) -> bool:
    return not isinstance(value, torch.Tensor) or not (isinstance(value, FakeTensor) or value.is_meta)


def _check_size(spec: str, program: ExportedProgram) -> None:
    needed = sum(node.meta["val"].nbytes for _, _, node in tensor_inputs(program))
    if needed > LARGEST_BYTES:
        why = (
            f"its inputs and weights take {needed / 2**30:.1f} GiB, and at most {LARGEST_BYTES >> 30} GiB are computed"
        )
        raise InputError(spec, why, "verify a smaller variant of the model")
