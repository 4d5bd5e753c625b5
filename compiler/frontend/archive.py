"""Reader of `.pt2` export archives (torch 2.13) that runs nothing of what a file says.

`torch.export.load` executes crafted files and has no switch against it.  This reader takes the same JSON apart itself,
keeps what it understands, and only then lets torch build a graph, under fake tensors.  The ways from a file to running
code in `torch/_export/serde` and `torch/export/pt2_archive`, and what closes each:

- `data/sample_inputs/*.pt` is unpickled (`weights_only=False` on failure): the member is never opened.
- payloads with `use_pickle`, `custom_obj_*` and `opaque_obj_*` are unpickled: refused; tensors are raw bytes.
- archives of older torch hold pickled weights: refused by `sniff`.
- `as_expr.expr_str` goes through `sympy.sympify`, which evaluates Python: parsed by `archive_shapes` and replaced by
  plain numbers, so that no expression is left.
- call targets and `as_operator` are resolved by attribute look-up on `torch`, `math` and `operator`: allow-list in
  `archive_targets`; `#namespace:op` extensions and functions as operands are refused.
- names of nodes, placeholders, graphs, operands and `forward_arg_names` are written into Python source that is run:
  plain identifiers only.  Paths of parameters likewise (`getattr(self, "...")`): `archive_names`.
- `in_spec` and `out_spec` import any module for dictionary keys (`__enum__`) and default factories: rebuilt by
  `archive_trees` from tuples, lists and dictionaries.
- `guards_code` is executed by `ExportedProgram.module()`: dropped.
- node metadata `source_fn_stack` is resolved like a call target, `from_node` and `custom` build objects: dropped.
- `torch.ops.NAMESPACE.op` of a registered custom operator would run that operator's fake kernel: other namespaces are
  refused, and so are effect tokens, custom objects, triton kernels and control flow.
- `verifiers` are looked up by name: a fixed set.  Devices are initialised by name: all become the CPU.

Owns the order of these steps.  Refuses in one sentence, and never lets another exception than a `StudioError` out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import torch
from frozendict import frozendict
from torch._export.serde import schema
from torch._export.serde.serialize import ExportedProgramDeserializer
from torch._export.verifier import SpecViolationError
from torch._guards import detect_fake_mode
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.export import ExportedProgram

from compiler.errors import InputError
from compiler.frontend.archive_checks import check_program, lifted
from compiler.frontend.archive_error import ArchiveError, quoted
from compiler.frontend.archive_notes import notes_of
from compiler.frontend.archive_schema import decode
from compiler.frontend.archive_sizes import OpenSize, close_sizes, open_sizes
from compiler.frontend.archive_tensors import dtype_of, sizes_of
from compiler.frontend.archive_weights import Payloads, fake_tensors, payloads_of, real_tensors
from compiler.frontend.archive_zip import Members, members_of
from compiler.frontend.sniff import FileKind, refusal, sniff

__all__ = ["FileKind", "OpenSize", "read_archive", "read_notes", "read_open_sizes", "read_tensors", "refusal", "sniff"]

NO_SIZES: Mapping[str, int] = frozendict()
# What torch raises for records that are well formed but do not fit together, e.g. for a name that nothing defines.
_MISFITS = (ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class _Content:
    """The parts of an archive that are read: the program's records and the descriptions of its tensors."""

    program: schema.ExportedProgram
    weights: Payloads
    constants: Payloads


def read_archive(path: Path, sizes: Mapping[str, int] = NO_SIZES) -> ExportedProgram:
    """The program in the archive at `path`, with fake weights and without sample inputs.

    `sizes` gives a value to each open size by its symbol (`{"s77": 64}`, see `read_open_sizes`).  Raises InputError for
    a file that cannot be used and UnsupportedError for an operator or a tensor that the compiler does not express.
    """
    with _errors_of(path), members_of(path) as members:
        content = _content(members)
        close_sizes(content.program, sizes)
        check_program(content.program)
        _check_lifted(content)
        return _build(content)


def read_open_sizes(path: Path) -> tuple[OpenSize, ...]:
    """The sizes of inputs that the archive leaves open; empty for a model exported with fixed sizes."""
    with _errors_of(path), members_of(path) as members:
        return open_sizes(_program(members, _model_name(members)))


def read_notes(path: Path) -> tuple[str, ...]:
    """What a person should know of the archive though nothing of it was run: a sentence for each part with code."""
    with _errors_of(path), members_of(path) as members:
        return notes_of(members)


def read_tensors(path: Path, program: ExportedProgram) -> dict[str, torch.Tensor] | None:
    """Stored parameters, buffers and constants of `program` (read from the same `path`) by their dotted paths.

    None if the archive stores no bytes, as one saved under fake tensors; a path is missing if its bytes are.
    """
    with _errors_of(path), members_of(path) as members:
        model = _model_name(members)
        payloads = payloads_of(members, model, "weights") | payloads_of(members, model, "constants")
        expected = {**program.state_dict, **program.constants}
        for name, payload in payloads.items():
            if name not in expected or tuple(expected[name].shape) != sizes_of(payload.meta):
                raise ArchiveError(f"its tensor {name} is not the one of the program", "open the archive again")
        tensors = real_tensors(payloads, members)
    return tensors if any(tensor.numel() for tensor in tensors.values()) else None


@contextmanager
def _errors_of(path: Path) -> Iterator[None]:
    """Refuse what is no export archive; say of which file a fault speaks."""
    kind = sniff(path)
    if kind is not FileKind.EXPORT_ARCHIVE:
        raise refusal(path, kind)
    try:
        yield
    except ArchiveError as fault:
        raise InputError(str(path), fault.sentence, fault.remedy) from fault


def _content(members: Members) -> _Content:
    model = _model_name(members)
    weights, constants = (payloads_of(members, model, group) for group in ("weights", "constants"))
    return _Content(_program(members, model), weights, constants)


def _model_name(members: Members) -> str:
    names = [name.removeprefix("models/") for name in members.names() if name.startswith("models/")]
    models = [name.removesuffix(".json") for name in names if name.endswith(".json")]
    if len(models) > 1 and "model" not in models:
        why = f"it holds {len(models)} models ({quoted(', '.join(sorted(models)))})"
        raise ArchiveError(why, "save the one that you want with torch.export.save")
    return "model" if "model" in models else models[0]


def _program(members: Members, model: str) -> schema.ExportedProgram:
    document = members.json(f"models/{model}.json")
    version = document.get("schema_version") if isinstance(document, dict) else None
    major = version.get("major") if isinstance(version, dict) else None
    if major != schema.SCHEMA_VERSION[0]:
        why = f"it is written in version {quoted(str(major))} of the format, not in {schema.SCHEMA_VERSION[0]}"
        raise ArchiveError(why, "save it again with torch.export.save of torch 2.13")
    try:
        return decode(schema.ExportedProgram, document)
    except ArchiveError as fault:
        raise fault.inside(f"models/{model}.json") from fault


def _check_lifted(content: _Content) -> None:
    """Each parameter, buffer and constant of the graph is described, once, and as the graph sees it."""
    described = content.program.graph_module.graph.tensor_values
    for spec in content.program.graph_module.signature.input_specs:
        argument, path = lifted(spec)
        if not path:
            continue
        stored = content.weights.get(path) or content.constants.get(path)
        if stored is None or argument not in described:
            raise ArchiveError(f"it does not describe its parameter {path}")
        seen = described[argument]
        if (sizes_of(stored.meta), dtype_of(stored.meta)) != (sizes_of(seen), dtype_of(seen)):
            raise ArchiveError(f"it describes its parameter {path} in two ways that differ")


def _build(content: _Content) -> ExportedProgram:
    """Let torch build the graph from checked records; nothing in it is executed."""
    try:
        with FakeTensorMode(allow_non_fake_inputs=True):
            weights, constants = fake_tensors(content.weights), fake_tensors(content.constants)
        program = ExportedProgramDeserializer().deserialize(content.program, weights, constants, None)
        # torch made the graph's tensors under a mode of its own; one program has one mode.
        mode = detect_fake_mode([node.meta.get("val") for node in program.graph.nodes])
        if mode is not None:
            with mode:
                program.state_dict.update(fake_tensors(content.weights))
                program.constants.update(fake_tensors(content.constants))
        return program
    except (*_MISFITS, SpecViolationError) as error:
        raise ArchiveError(f"its graph does not fit together ({quoted(_first_line(error))})") from error


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0] if lines else ''}"
