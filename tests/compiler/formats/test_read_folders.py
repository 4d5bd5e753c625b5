"""Bundles, kernel folders and caches: variants of every version, the order of kernels, and what is only listed."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from frozendict import frozendict

from compiler.errors import InputError
from compiler.formats.opspec import Dimension, KernelSpec, LoopSpec, Place, Room
from compiler.read.bundle import ABSOLUTE, POOL, SIZE, BundleAddress, BundleLoop, Execution, read_bundle
from compiler.read.kernel_folder import read_programs
from compiler.read.recognise import Kind, recognise
from compiler.read.sdsc_tensor import STEP_BYTES
from tests.compiler.formats.kernel_files import edit, inner, softmax_kernel, write_kernel
from tests.compiler.formats.written_wrapper import wrapper_text
from tests.compiler.spec_sketch import spec, tensor

_TYPE = "!sdscbundle.input_arg<index>"
SKELETON = f"""module {{
	func.func @sdsc_bundle(%arg_0_base_addr: {_TYPE}, %arg_1_base_addr: {_TYPE}) {{
		%arg_0 = sdscbundle.input_arg_extract value from %arg_0_base_addr : {_TYPE} -> index
		%arg_1 = sdscbundle.input_arg_extract value from %arg_1_base_addr : {_TYPE} -> index
		%arg_0_core_offset_2048 = arith.constant 2048 : index
		%arg_0_core_2048 = arith.addi %arg_0, %arg_0_core_offset_2048 : index
		sdscbundle.sdsc_execute (%arg_0, %arg_0_core_2048) {{sdsc_filename="sdsc_0.json", "symbol_ids"=[-1, -2]}}
		sdscbundle.sdsc_execute (%arg_1) {{sdsc_filename="sdsc_1.json", "symbol_ids"=[-3]}}
		return
	}}
}}
"""
_RUN = 'sdscbundle.sdsc_execute (%s) {sdsc_filename="sdsc_0.json", symbol_ids=[%s]}'


def _function(params: str, *lines: str, head: str = "") -> str:
    return "\n".join([head, "module {", f"func.func @sdsc_bundle({params}) {{", *lines, "return", "}", "}"])


def test_the_published_bundle_says_order_and_addresses() -> None:
    found = read_bundle(SKELETON, "a")
    first = frozendict({-1: BundleAddress(0, 0), -2: BundleAddress(0, 2048)})
    assert found.body == (
        Execution("sdsc_0.json", first, 7),
        Execution("sdsc_1.json", frozendict({-3: BundleAddress(1, 0)}), 8),
    )
    assert (found.arguments, found.pool_bytes, found.findings) == ((0, 1), 0, ())


def test_words_of_attributes_may_stand_with_and_without_quotes() -> None:
    plain = SKELETON.replace('"symbol_ids"', "symbol_ids").replace("sdsc_filename", '"sdsc_filename"')
    assert read_bundle(plain, "a") == read_bundle(SKELETON, "a")


def test_a_bundle_of_june_gets_its_pool_from_the_caller() -> None:
    lines = ("%offset = arith.constant 256 : index", "%at = arith.addi %pool_base_addr, %offset : index")
    found = read_bundle(_function("%pool_base_addr: index", *lines, _RUN % ("%at", "-1")), "a")
    assert found.executions[0].addresses == frozendict({-1: BundleAddress(POOL, 256)})
    assert found.findings == ("its pool is handed over by the caller, as in files of June 2026",)


def test_a_bundle_with_baked_addresses_has_no_parameters() -> None:
    baked = "%sym_1 = arith.constant 17179869184 : index"
    found = read_bundle(_function("", baked, _RUN % ("%sym_1", "-1")), "a")
    assert found.executions[0].addresses == frozendict({-1: BundleAddress(ABSOLUTE, 17179869184)})
    assert found.findings == ("its addresses are absolute, as in older files",)


def test_a_bundle_without_ids_says_only_the_order() -> None:
    found = read_bundle(_function("", 'sdscbundle.sdsc_execute () {sdsc_filename="x.json"}'), "a")
    assert found.executions == (Execution("x.json", None, 4),)
    assert found.findings == ("it gives no symbol ids, as older files do",)


def test_loops_are_kept_with_the_steps_of_their_addresses() -> None:
    lines = (
        "%arg_0 = sdscbundle.input_arg_extract value from %arg_0_base_addr : !sdscbundle.input_arg<index> -> index",
        "%c0 = arith.constant 0 : index",
        "%c1 = arith.constant 1 : index",
        "%loop_bound_0 = arith.constant 4 : index",
        "%loop_bound_1 = arith.constant 3 : index",
        "scf.for %i_0 = %c0 to %loop_bound_0 step %c1 {",
        "scf.for %i_1 = %c1 to %loop_bound_1 step %c1 {",
        "%addr_0 = affine.apply #map_0(%i_0, %i_1)[%arg_0]",
        _RUN % ("%addr_0", "-1"),
        "}",
        _RUN % ("%arg_0", "-2"),
        "}",
    )
    head = "#map_0 = affine_map<(d0, d1)[s0] -> (s0 + 4096*d0 + d1 * 128)>"
    found = read_bundle(_function("%arg_0_base_addr: !sdscbundle.input_arg<index>", *lines, head=head), "a")
    stepped = Execution("sdsc_0.json", frozendict({-1: BundleAddress(0, 128, (4096, 128))}), 12)
    plain = Execution("sdsc_0.json", frozendict({-2: BundleAddress(0, 0)}), 14)
    assert found.body == (BundleLoop(4, (BundleLoop(2, (stepped,)), plain)),)
    with pytest.raises(InputError, match="%i_0 is not defined"):
        read_bundle(_function("", "%x = arith.addi %i_0, %i_0 : index"), "a")


def test_sizes_that_are_known_at_launch_are_no_addresses() -> None:
    parameter = "%sym_3_0_base: !sdscbundle.input_arg<index, granularity=64, max_value=4096>"
    found = read_bundle(_function(parameter, _RUN % ("%sym_3_0_base", "-1")), "a")
    assert found.executions[0].addresses == frozendict({-1: BundleAddress(SIZE, 4096)})
    assert "known only at launch" in found.findings[0]


# Folders


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a softmax, named as a cache names it."""
    return write_kernel(tmp_path / "0a1b2c3d_sdsc_fused_softmax_0_x7y", softmax_kernel())


def test_a_folder_is_one_kernel(folder: Path) -> None:
    (folder / "spyreCodeDir" / "init_binary.bin").write_bytes(b"\0" * 70)
    (folder / "spyreCodeDir" / "spyrecode.json").write_text('{"JobExecPlan": []}', "utf-8")
    found = read_programs(folder)
    named = softmax_kernel()
    assert [(op.op, op.handle) for op in found.kernels[0].ops()] == [(op.op, op.handle) for op in named.ops()]
    assert found.kernels[0].arguments == named.arguments
    assert found.findings == ()
    assert found.listed == ("spyreCodeDir/init_binary.bin (70 bytes)", "spyreCodeDir/spyrecode.json (19 bytes)")
    assert len(found.provenance) == 1
    assert read_programs(folder / "bundle.mlir").kernels == found.kernels


def test_a_folder_of_june_has_less(folder: Path) -> None:
    for name in ("spyreCodeDir", "spyre_provenance.json"):
        path = folder / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    for number in range(6):
        edit(folder / f"sdsc_{number}.json", lambda data: inner(data).pop("debug_handle_"))
    (folder / "sdsc_9.json").write_text((folder / "sdsc_1.json").read_text("utf-8"), "utf-8")
    found = read_programs(folder)
    assert found.findings == (
        "sdsc_9.json is not run by bundle.mlir",
        "it has no launch_spec.json: shapes and types of its arguments are not known",
        "nothing says where its ops come from",
    )
    kernel = found.kernels[0]
    assert kernel.name == "sdsc_fused_softmax_0"
    assert [(each.name, each.is_input, each.shape, each.device_size) for each in kernel.arguments] == [
        ("arg0", True, (), (16, 512, 64)),
        ("arg1", False, (), (16, 512, 64)),
    ]


def test_a_folder_without_a_bundle_is_read_by_numbers(folder: Path) -> None:
    (folder / "bundle.mlir").unlink()
    (folder / "sdsc_5.json").rename(folder / "sdsc_10.json")
    found = read_programs(folder)
    assert [op.op for op in found.kernels[0].ops()] == ["identity", "max", "sub", "exp", "sum", "realdiv"]
    assert "without addresses" in found.findings[0]


def test_the_sidecar_tells_where_ops_come_from(folder: Path) -> None:
    edit(folder / "sdsc_1.json", lambda data: inner(data).update(debug_handle_=None))
    edit(folder / "sdsc_2.json", lambda data: inner(data)["debug_handle_"].update(aten_op="aten.other.default"))
    found = read_programs(folder)
    wanted = [op.handle for op in softmax_kernel().ops()]
    handles = [op.handle for op in found.kernels[0].ops()]
    assert handles[1] == wanted[1]
    assert found.findings == ("spyre_provenance.json and the file of op 2 (sub) name different origins of it",)


def test_unknown_keys_of_a_launch_specification_are_kept(folder: Path) -> None:
    edit(folder / "spyreCodeDir" / "launch_spec.json", lambda data: data.update(emitter="new", later=[1]))
    assert read_programs(folder).extra == {"launch_spec.json": {"later": "[1]"}}


def test_a_launch_specification_of_other_sizes_is_told(folder: Path) -> None:
    layout = {"device_size": [32, 512, 64], "stride_map": [64, 2048, 1], "device_dtype": "SEN169_FP16"}
    row = {"arg_index": 0, "role": "input", "shape": [512, "s0"], "dtype": "float16", "layout": layout}
    edit(folder / "spyreCodeDir" / "launch_spec.json", lambda data: data.update(args=[row]))
    assert read_programs(folder).findings == (
        "launch_spec.json: argument 0 has sizes that are known only at launch",
        "argument 1 is not described in launch_spec.json",
        "argument 0 has the device size [32, 512, 64], its ops walk [16, 512, 64]",
    )


def test_padding_is_taken_off_again_where_the_host_says_how_much(tmp_path: Path) -> None:
    walked = "floor(c1/64); c0; Mod(c1, 64)"
    body = (
        spec("exp", "c0 7/7, c1 100", tensor("2 7 64", walked, "hbm 0"), tensor("2 7 64", walked, "lx 0", output=True)),
        spec("neg", "c0 7/7, c1 100", tensor("2 7 64", walked, "lx 0"), tensor("2 7 64", walked, "lx 0", output=True)),
        spec("abs", "c0 7/7, c1 100", tensor("2 7 64", walked, "lx 0"), tensor("2 7 64", walked, "hbm 1", output=True)),
    )
    arguments = tuple(
        replace(each, shape=(7, 100), strides=(100, 1), device_size=(2, 7, 64), stride_map=(64, 100, 1))
        for each in softmax_kernel().arguments
    )
    folder = write_kernel(tmp_path / "kernel", KernelSpec("kernel", body, arguments))
    assert [op.iteration for op in read_programs(folder).kernels[0].ops()] == [op.iteration for op in body]
    shutil.rmtree(folder / "spyreCodeDir")
    last = list(read_programs(folder).kernels[0].ops())[1]
    assert last.iteration == (Dimension("c0", 7, 7), Dimension("c1", 128))


def test_loops_of_a_bundle_are_loops_of_the_kernel(tmp_path: Path) -> None:
    walked = "floor(c1/64); c0; Mod(c1, 64)"
    one = spec(
        "exp", "c0 8, c1 64", tensor("1 32 64", walked, "hbm 0"), tensor("1 32 64", walked, "hbm 1", output=True)
    )
    folder = write_kernel(tmp_path / "kernel", KernelSpec("kernel", (one,)))
    lines = (
        "%arg_0 = sdscbundle.input_arg_extract value from %arg_0_base_addr : !sdscbundle.input_arg<index> -> index",
        "%arg_1 = sdscbundle.input_arg_extract value from %arg_1_base_addr : !sdscbundle.input_arg<index> -> index",
        "%c0 = arith.constant 0 : index",
        "%c1 = arith.constant 1 : index",
        "%loop_bound_0 = arith.constant 4 : index",
        "scf.for %i_0 = %c0 to %loop_bound_0 step %c1 {",
        "%addr_0 = affine.apply #map_0(%i_0)[%arg_0]",
        "%addr_1 = affine.apply #map_0(%i_0)[%arg_1]",
        _RUN % ("%addr_0, %addr_1", "-1, -2"),
        "}",
    )
    parameters = ", ".join(f"%arg_{number}_base_addr: !sdscbundle.input_arg<index>" for number in range(2))
    text = _function(parameters, *lines, head="#map_0 = affine_map<(d0)[s0] -> (s0 + 1024*d0)>")
    (folder / "bundle.mlir").write_text(text, "utf-8")
    found = read_programs(folder)
    (loop,) = found.kernels[0].body
    assert isinstance(loop, LoopSpec)
    assert loop.count == 4
    (op,) = found.kernels[0].ops()
    assert [arg.extra for arg in op.args] == [{STEP_BYTES: "[1024]"}] * 2
    assert "it keeps 1 loop, as files since August 2026 do" in found.findings


def test_an_access_inside_of_a_buffer_of_the_pool_is_to_that_buffer(tmp_path: Path) -> None:
    whole, half = "floor(c1/64); c0; Mod(c1, 64)", "floor(c1/64) + 1; c0; Mod(c1, 64)"
    body = (
        spec(
            "exp",
            "c0 8, c1 128",
            tensor("2 8 64", whole, "hbm 0"),
            tensor("2 8 64", whole, "hbm_pool 1024", output=True),
        ),
        spec(
            "neg", "c0 8, c1 64", tensor("2 8 64", half, "hbm_pool 1024"), tensor("1 8 64", whole, "hbm 1", output=True)
        ),
    )
    kernel = KernelSpec("kernel", body, pool_bytes=3072)
    found = read_programs(write_kernel(tmp_path / "kernel", kernel)).kernels[0]
    again = [op.args[0] for op in found.ops()][1]
    assert again.place == Place(Room.POOL, 1024)
    assert (again.device_size, again.coordinates) == (body[1].args[0].device_size, body[1].args[0].coordinates)


# Caches


def _cache(root: Path, names: tuple[str, ...]) -> tuple[KernelSpec, ...]:
    """A cache with the folders of kernels of these names."""
    kernels = tuple(replace(softmax_kernel(), name=name) for name in names)
    for number, kernel in enumerate(kernels):
        write_kernel(root / "inductor-spyre" / f"0000000{number}_{kernel.name}_abc", kernel)
    return kernels


def test_a_cache_runs_its_kernels_as_the_wrapper_says(tmp_path: Path) -> None:
    first, second = _cache(tmp_path, ("sdsc_a_1", "sdsc_b_0"))
    middle = replace(second, arguments=tuple(replace(each, name=f"m{each.number}") for each in second.arguments))
    text = wrapper_text([middle, first]).replace("k1.run(", "k1.run(t0, t1)\n    t9 = t1\n    k1.run(t9, ")
    (tmp_path / "zz").mkdir()
    (tmp_path / "zz" / "czz.py").write_text(text.replace("t9, t2", "t9, t3"), "utf-8")
    found = read_programs(tmp_path)
    assert recognise(tmp_path) is Kind.KERNEL_FOLDERS
    assert [kernel.name for kernel in found.kernels] == ["sdsc_b_0", "sdsc_a_1", "sdsc_a_1#2"]
    assert [[each.name for each in kernel.arguments] for kernel in found.kernels] == [
        ["t0", "t1"],
        ["t0", "t1"],
        ["t1", "t3"],
    ]
    assert found.results == ("t1", "t3")
    assert next(op.args[0].name for op in found.kernels[0].ops()) == "t0"


def test_a_cache_without_a_wrapper_runs_by_name_and_says_so(tmp_path: Path) -> None:
    _cache(tmp_path, ("sdsc_z", "sdsc_a"))
    found = read_programs(tmp_path)
    assert [kernel.name for kernel in found.kernels] == ["sdsc_z", "sdsc_a"]
    assert "taken by the names of their folders" in found.findings[0]


def test_several_folders_of_a_kernel_are_told(tmp_path: Path) -> None:
    _cache(tmp_path, ("sdsc_a", "sdsc_a"))
    found = read_programs(tmp_path)
    assert len(found.kernels) == 1
    assert found.findings[0] == "there are several folders of sdsc_a; the first one was taken"


def test_links_to_folders_are_not_followed(tmp_path: Path) -> None:
    _cache(tmp_path / "real", ("sdsc_a",))
    (tmp_path / "given").mkdir()
    (tmp_path / "given" / "link").symlink_to(tmp_path / "real")
    (tmp_path / "given" / "loop").symlink_to(tmp_path / "given")
    assert recognise(tmp_path / "given") is Kind.OTHER


def test_a_debug_folder_is_its_wrapper(tmp_path: Path) -> None:
    inner = tmp_path / "run" / "torchinductor" / "model__0"
    inner.mkdir(parents=True)
    (inner / "output_code.py").write_text(wrapper_text([softmax_kernel()]), "utf-8")
    (inner / "other_code.py").write_text(wrapper_text([softmax_kernel()]), "utf-8")
    (inner / "fx_graph_runnable.py").write_text("import torch\n", "utf-8")
    (tmp_path / "run" / "closed").mkdir(mode=0)
    found = read_programs(tmp_path)
    assert [kernel.name for kernel in found.kernels] == ["sdsc_fused_softmax_0"]
    assert found.findings == ("output_code.py is another wrapper, which was not used",)


CONTENTS = {
    Kind.PROVENANCE: json.dumps({"handles": {}, "schemaVersion": 1, "eventKey": {}}),
    Kind.LAUNCH_SPEC: json.dumps({"args": [{"kernel": 1}], "version": 1, "kernel_name": "k"}),
    Kind.SPYRECODE: json.dumps({"JobExecPlan": [{"command": "ComputeOnDevice"}]}),
    Kind.SUPERDSC: json.dumps({"7_add": {"debug_handle_": None, "numCoresUsed_": 1, "dscs_": []}}),
    Kind.OPSPEC: json.dumps({"format": "spyre-opspec", "version": 1, "kernels": []}),
    Kind.BUNDLE: SKELETON,
    Kind.KTIR: "// made by hand\nmodule {\n  func.func @k() attributes {grid = [4]} {\n%i = ktdp.get_compute_tile_id",
    Kind.DEVICE: "module {\nktdf_arch.device @spyre {\n}\n}\n",
    Kind.WRAPPER: "import torch\nk = async_compile.sdsc('k', [])\n",
    Kind.OTHER: json.dumps({"kind": "compilation", "version": 1, "value": {"dscs_": 1, "schemaVersion": 2}}),
}


@pytest.mark.parametrize("kind", CONTENTS)
@pytest.mark.parametrize("name", ["a.json", "a.py", "a"])
def test_a_file_is_what_is_in_it(tmp_path: Path, kind: Kind, name: str) -> None:
    (tmp_path / name).write_text(CONTENTS[kind], "utf-8")
    assert recognise(tmp_path / name) is kind


@pytest.mark.parametrize(
    "content", [b"", b"PK\x03\x04\0\0", b'{"a', b'{"' + b'\\"' * 200_000, b"\xff" * 100, b"{" * 9_000]
)
def test_what_is_nothing_known_is_other(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a").write_bytes(content)
    assert recognise(tmp_path / "a") is Kind.OTHER


def test_what_no_reader_looks_at_is_held_against_what_is_written_here(tmp_path: Path) -> None:
    folder = write_kernel(tmp_path / "kernel", softmax_kernel())
    assert read_programs(folder).findings == ()
    edit(folder / "sdsc_0.json", lambda data: next(iter(data.values()))["coreletFoldProp_"].update(factor_=2))
    (told,) = read_programs(folder).findings
    assert told == "sdsc_0.json: coreletFoldProp_.factor_ is 2, this program writes 1"
    edit(folder / "sdsc_0.json", lambda data: next(iter(data.values()))["sdscFolds_"]["data_"].update({"[0]": 5}))
    (told,) = read_programs(folder).findings
    assert told.endswith("(and 1 more)")


def test_types_of_arguments_that_there_are_not_are_told(tmp_path: Path) -> None:
    folder = write_kernel(tmp_path / "kernel", softmax_kernel())
    edit(folder / "spyreCodeDir" / "launch_spec.json", lambda data: data["args"][0].update(dtype="foo"))
    assert any("has elements of foo on the host" in one for one in read_programs(folder).findings)
