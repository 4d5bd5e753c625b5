"""What is exported is read back as it was: every example, every format of kernels."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from frozendict import frozendict

from compiler.emit.bundle import bundle_text, generic_bundle
from compiler.emit.launch_spec import launch_spec
from compiler.emit.op_specs import op_specs
from compiler.emit.opspec_json import opspec_lines
from compiler.emit.provenance import provenance
from compiler.emit.sdsc_address import Numbering
from compiler.emit.sdsc_form import sdsc_form
from compiler.emit.superdsc import superdsc_text
from compiler.errors import InputError
from compiler.formats.device_form import DeviceForm, device_form
from compiler.formats.opspec import KernelSpec, OpSpec, TensorArg
from compiler.read.bundle import read_bundle
from compiler.read.kernel_folder import ReadKernels, read_programs
from compiler.read.launch_spec import read_launch_spec
from compiler.read.opspec_json import read_opspecs
from compiler.read.provenance import read_provenance
from compiler.read.recognise import Kind, recognise
from tests.compiler.formats.exported import example
from tests.compiler.formats.kernel_files import write_kernel
from tests.compiler.formats.written_wrapper import tensor_names, wrapper_text

EXAMPLES = ("softmax", "mlp", "attention", "rmsnorm", "decoder", "mismatch")
PARTIAL = "convnet"
"""Some of its ops have no op function, so that its files read what none of them writes."""


@cache
def kernels_of(name: str) -> tuple[KernelSpec, ...]:
    return op_specs(example(name)).kernels


def read_back(folder: Path, name: str) -> ReadKernels:
    """The kernels of an example, written as folders beside each other and read again."""
    for kernel in kernels_of(name):
        write_kernel(folder / kernel.name, kernel)
    return read_programs(folder)


def texts(kernel: KernelSpec) -> list[str]:
    numbering = Numbering()
    forms = [sdsc_form(op) for op in kernel.ops()]
    return [superdsc_text(form, number, numbering.number(form)) for number, form in enumerate(forms)]


def memory(op: OpSpec, arg: TensorArg) -> DeviceForm | None:
    """How an argument walks memory, however its dims are written; a start inside of LX is not in the files."""
    found = device_form(arg, op.extents)
    if found is None or arg.place.room.value != "lx":
        return found
    return replace(found, dims=tuple(replace(dim, ahead=0) for dim in found.dims))


@pytest.mark.parametrize("name", [*EXAMPLES, PARTIAL])
def test_op_specifications_are_read_as_they_were(tmp_path: Path, name: str) -> None:
    path = tmp_path / "any.name"
    path.write_text("".join(opspec_lines(kernels_of(name), name)), "utf-8")
    assert recognise(path) is Kind.OPSPEC
    found = read_programs(path)
    assert (found.name, found.kernels) == (name, kernels_of(name))
    assert found.extra == {}


@pytest.mark.parametrize("name", [*EXAMPLES, PARTIAL])
def test_files_of_kernels_are_written_again_to_the_byte(tmp_path: Path, name: str) -> None:
    found = read_back(tmp_path, name)
    assert [texts(kernel) for kernel in found.kernels] == [texts(kernel) for kernel in kernels_of(name)]


@pytest.mark.parametrize("name", EXAMPLES)
def test_folders_of_kernels_hold_the_same_ops(tmp_path: Path, name: str) -> None:
    found = read_back(tmp_path, name)
    assert [why for why in found.findings if "by the names of their folders" not in why] == []
    assert found.extra == {}
    for mine, theirs in zip(kernels_of(name), found.kernels, strict=True):
        assert (mine.name, mine.pool_bytes) == (theirs.name, theirs.pool_bytes)
        for op, read in zip(mine.ops(), theirs.ops(), strict=True):
            assert replace(read, args=op.args) == op
            for arg, again in zip(op.args, read.args, strict=True):
                assert memory(op, arg) == memory(read, again)
                wanted = replace(again, device_size=arg.device_size, coordinates=arg.coordinates, name=arg.name)
                assert replace(wanted, arrangement=arg.arrangement) == arg


@pytest.mark.parametrize("name", [*EXAMPLES, PARTIAL])
def test_launch_specifications_hold_the_arguments(tmp_path: Path, name: str) -> None:
    for kernel in kernels_of(name):
        found = read_launch_spec(json.loads(json.dumps(launch_spec(kernel))), "a")
        assert found.kernel == kernel.name
        assert found.arguments == kernel.arguments


@pytest.mark.parametrize("name", [*EXAMPLES, PARTIAL])
def test_the_sidecar_holds_the_handles(name: str) -> None:
    found = read_provenance(json.loads(json.dumps(provenance(kernels_of(name)))), "a")
    for kernel in kernels_of(name):
        wanted = {(place,): op.handle for place, op in enumerate(kernel.ops()) if op.handle}
        assert found.handles_of(kernel.name) == wanted


@pytest.mark.parametrize("name", EXAMPLES)
def test_bundles_hold_the_pool_and_the_arguments(tmp_path: Path, name: str) -> None:
    for kernel in kernels_of(name):
        folder = write_kernel(tmp_path / kernel.name, kernel)
        found = read_bundle((folder / "bundle.mlir").read_text("utf-8"), "a")
        assert [each.file for each in found.executions] == [f"sdsc_{n}.json" for n in range(len(texts(kernel)))]
        assert found.pool_bytes == kernel.pool_bytes
        assert found.arguments == tuple(each.number for each in kernel.arguments)
        assert found.findings == ()


@pytest.mark.parametrize("name", EXAMPLES)
def test_bundles_in_generic_form_say_the_same(name: str) -> None:
    for kernel in kernels_of(name):
        numbering = Numbering()
        files = [numbering.number(sdsc_form(op)) for op in kernel.ops()]
        native, generic = read_bundle(bundle_text(kernel, files), "a"), read_bundle(generic_bundle(kernel, files), "a")
        assert [replace(one, line=0) for one in generic.executions] == [
            replace(one, line=0) for one in native.executions
        ]
        assert replace(generic, body=()) == replace(native, body=())
    with pytest.raises(InputError, match=r"line \d: .* is no statement of a bundle"):
        read_bundle(generic_bundle(kernel, files).replace("input_arg_extract", "input_arg_extra", 1), "a")


@pytest.mark.parametrize("name", [*EXAMPLES, PARTIAL])
def test_wrappers_hold_the_kernels_with_their_arguments(tmp_path: Path, name: str) -> None:
    path = tmp_path / "source.txt"
    path.write_text(wrapper_text(kernels_of(name)), "utf-8")
    assert recognise(path) is Kind.WRAPPER
    found = read_programs(path)
    names = tensor_names(kernels_of(name))
    for mine, theirs in zip(kernels_of(name), found.kernels, strict=True):
        assert theirs.arguments == tuple(replace(each, name=names[each.name]) for each in mine.arguments)
        for op, read in zip(mine.ops(), theirs.ops(), strict=True):
            args = tuple(replace(arg, name=names.get(arg.name, ""), division=None) for arg in op.args)
            plain = replace(op, fastest=(), args=args)
            assert replace(read, args=tuple(replace(arg, division=None) for arg in read.args)) == plain


def test_a_document_keeps_what_nobody_knows() -> None:
    text = "".join(opspec_lines(kernels_of("mlp"), "mlp"))
    data = json.loads(text)
    op = data["kernels"][0]["body"][0]
    op["later"], op["args"][0]["device_tile_advance_expr"] = {"a": [1]}, "64*c0"
    op["op_info"] = {"conv_params": [3], "constants": {"eps": 0.5}}
    kernels = read_opspecs(json.dumps(data), "a").kernels
    first = next(iter(kernels[0].ops()))
    assert first.extra == {"later": '{"a": [1]}', "op_info": json.dumps(op["op_info"])}
    assert first.args[0].extra == {"device_tile_advance_expr": '"64*c0"'}
    assert first.constants == frozendict(eps=0.5)
    again = "".join(opspec_lines(kernels, "mlp"))
    assert json.loads(again)["kernels"][0]["body"][0] == op
