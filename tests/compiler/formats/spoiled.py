"""The many ways in which files of kernels can be spoiled, one row each.

Owns `SPOILED`: a name, what is done to the files of a sound kernel folder (which gives the path to open), and words of
the sentence that a person then reads.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from compiler.emit.ktir import ktir_module
from compiler.emit.ktir_document import MARK
from compiler.emit.opspec_json import opspec_lines
from tests.compiler.formats.kernel_files import dsc, edit, inner, softmax_kernel, wrapper

Spoil = Callable[[Path], Path]
NESTED_BYTES = 100 * 1024 * 1024


def _sdsc(change: Callable[[Any], object], number: int = 0) -> Spoil:
    def spoil(folder: Path) -> Path:
        edit(folder / f"sdsc_{number}.json", change)
        return folder

    return spoil


def _text(name: str, change: Callable[[str], str]) -> Spoil:
    def spoil(folder: Path) -> Path:
        path = folder / name
        path.write_text(change(path.read_text("utf-8")), "utf-8")
        return folder

    return spoil


def _swap(name: str, old: str, new: str) -> Spoil:
    def change(text: str) -> str:
        assert old in text
        return text.replace(old, new, 1)

    return _text(name, change)


def _cut(name: str, share: float) -> Spoil:
    return _text(name, lambda text: text[: int(len(text) * share)])


def _alone(name: str, content: str) -> Spoil:
    def spoil(folder: Path) -> Path:
        path = folder.parent / name
        path.write_text(content, "utf-8")
        return path

    return spoil


def _json(name: str, change: Callable[[Any], object]) -> Spoil:
    def spoil(folder: Path) -> Path:
        edit(folder / name, change)
        return folder

    return spoil


def _opspec(change: Callable[[Any], object]) -> Spoil:
    def spoil(folder: Path) -> Path:
        path = folder.parent / "opspec.json"
        path.write_text("".join(opspec_lines([softmax_kernel()], "softmax")), "utf-8")
        edit(path, change)
        return path

    return spoil


def _ktir(change: Callable[[str], str]) -> Spoil:
    def spoil(folder: Path) -> Path:
        path = folder.parent / "a.mlir"
        specs = opspec_lines([softmax_kernel()], "softmax", cores=2)
        lines = "".join(specs).splitlines()
        code = ktir_module([softmax_kernel()], 2).text
        path.write_text(change("\n".join([f"{code}{MARK}", *(f"// {line}" for line in lines), ""])), "utf-8")
        return path

    return spoil


def _bytes(folder: Path) -> Path:
    (folder / "sdsc_0.json").write_bytes(b'{"0_identity": {"dscs_": "\xff\xfe"}}')
    return folder


def _link(folder: Path) -> Path:
    outside = folder.parent / "outside.json"
    (folder / "sdsc_2.json").rename(outside)
    (folder / "sdsc_2.json").symlink_to(outside)
    return folder


def _loop(folder: Path) -> Path:
    (folder / "sdsc_2.json").unlink()
    (folder / "sdsc_2.json").symlink_to("sdsc_2.json")
    return folder


def _gone(folder: Path) -> Path:
    (folder / "sdsc_3.json").unlink()
    return folder


def _nested(name: str, head: str, alone: bool) -> Spoil:
    def spoil(folder: Path) -> Path:
        path = (folder.parent if alone else folder) / name
        path.write_text(head + "[" * NESTED_BYTES, "utf-8")
        return path if alone else folder

    return spoil


def _pipe(folder: Path) -> Path:
    (folder / "sdsc_0.json").unlink()
    os.mkfifo(folder / "sdsc_0.json")
    return folder


def _empty_folder(folder: Path) -> Path:
    (folder.parent / "empty").mkdir()
    return folder.parent / "empty"


def _fused(depth: int) -> Callable[[Any], object]:
    def change(data: Any) -> None:  # noqa: ANN401
        handle: dict[str, object] = {"source": None, "aten_op": None, "ir_chain": []}
        for _ in range(depth):
            handle = {"source": None, "aten_op": None, "ir_chain": [], "fused_from": [handle]}
        inner(data)["debug_handle_"] = handle

    return change


def _cycle(data: Any) -> None:  # noqa: ANN401
    handles = list(data["handles"].values())
    for handle, other in zip(handles, [*handles[1:], handles[0]], strict=True):
        handle["fused_from"] = [other["id"]]


def _addresses(data: Any) -> Any:  # noqa: ANN401
    return dsc(data)["scheduleTree_"][-1]["startAddressCoreCorelet_"]["data_"]


def _moved(byte: int) -> Callable[[Any], object]:
    return lambda data: _addresses(data).update({key: str(byte) for key in _addresses(data)})


def _op(data: Any, number: int = 0) -> Any:  # noqa: ANN401
    return data["kernels"][0]["body"][number]


_BUNDLE, _LAUNCH, _SIDECAR = "bundle.mlir", "spyreCodeDir/launch_spec.json", "spyre_provenance.json"
_SUM, _EXTRACT = "arith.addi %arg_0, %arg_0_core_offset_2048", "value from %arg_0_base_addr"
_HEAD = '{"0_identity": {"dscs_": '

SPOILED: dict[str, tuple[Spoil, tuple[str, ...]]] = {
    # SuperDSC files
    "sdsc-cut-early": (_cut("sdsc_1.json", 0.02), ("sdsc_1.json", "not valid JSON")),
    "sdsc-cut-half": (_cut("sdsc_1.json", 0.5), ("sdsc_1.json", "not valid JSON")),
    "sdsc-cut-late": (_cut("sdsc_4.json", 0.999), ("sdsc_4.json", "not valid JSON")),
    "sdsc-empty": (_text("sdsc_2.json", lambda _: ""), ("sdsc_2.json", "is empty")),
    "sdsc-not-utf8": (_bytes, ("sdsc_0.json", "UTF-8")),
    "sdsc-list": (_text("sdsc_0.json", lambda _: "[1, 2]"), ("sdsc_0.json", "a list", "an object")),
    "sdsc-two-ops": (_sdsc(lambda data: data.update({"1_add": {}})), ("no SuperDSC file",)),
    "sdsc-null": (_sdsc(lambda data: data.update({"0_identity": None})), ("no SuperDSC file",)),
    "sdsc-strange-name": (_text("sdsc_0.json", lambda text: text.replace("0_identity", "a b")), ("number and name",)),
    "sdsc-no-dscs": (_sdsc(lambda data: inner(data).update(dscs_=[])), ("dscs_", "not one op")),
    "sdsc-no-slices": (_sdsc(lambda data: inner(data).pop("numWkSlicesPerDim_")), ("numWkSlicesPerDim_ is missing",)),
    "sdsc-size-text": (_sdsc(lambda data: dsc(data)["N_"].update(mb_="many")), ("'many'", "a whole number")),
    "sdsc-size-negative": (_sdsc(lambda data: dsc(data)["N_"].update(mb_=-512)), ("-512", "less than 0")),
    "sdsc-size-huge": (_sdsc(lambda data: dsc(data)["N_"].update(mb_=10**30)), ("larger than any size",)),
    "sdsc-digits": (_swap("sdsc_0.json", "512", "9" * 5_000), ("too many digits",)),
    "sdsc-nan": (_swap("sdsc_0.json", "512", "NaN"), ("NaN", "no number")),
    "sdsc-infinity": (_swap("sdsc_0.json", "512", "-Infinity"), ("-Infinity", "no number")),
    "sdsc-key-twice": (_swap("sdsc_0.json", '"out_"', '"mb_"'), ("'mb_'", "twice")),
    "sdsc-many-cores": (_sdsc(lambda data: inner(data).update(numCoresUsed_=10**6)), ("1,000,000 cores",)),
    "sdsc-many-slices": (_sdsc(lambda data: inner(data)["numWkSlicesPerDim_"].update(mb=10**9)), ("cores",)),
    "sdsc-many-dims": (
        _sdsc(lambda data: dsc(data).update(N_={"name_": "n", **{f"d{n}_": 1 for n in range(99)}})),
        ("99 dims",),
    ),
    "sdsc-slice-beyond": (
        _sdsc(lambda data: inner(data)["coreIdToWkSlice_"]["3"].update(mb=32)),
        ("core 3", "slice 32", "has 32"),
    ),
    "sdsc-core-missing": (_sdsc(lambda data: inner(data)["coreIdToWkSlice_"].pop("7")), ("coreIdToWkSlice_.7",)),
    "sdsc-lx-negative": (_sdsc(_moved(-2048)), ("no address in LX",)),
    "sdsc-lx-differs": (_sdsc(lambda data: _addresses(data).update({"[5, 0, 0]": "0"})), ("same on all cores",)),
    "sdsc-lx-overlap": (_sdsc(_moved(4096), 3), ("overlap in LX", "4,096", "2,048")),
    "sdsc-scale-short": (
        _sdsc(lambda data: dsc(data)["labeledDs_"][0].update(scale_=[1])),
        ("scale_", "1 entries", "2 dims"),
    ),
    "sdsc-strange-dim": (
        _sdsc(lambda data: dsc(data)["scheduleTree_"][0].update(layoutDimOrder_=["mb", "zz"])),
        ("a dim zz",),
    ),
    "sdsc-strange-layout": (
        _sdsc(lambda data: dsc(data)["labeledDs_"][0].update(dsType_="MINE")),
        ("MINE is missing",),
    ),
    "sdsc-no-component": (
        _sdsc(lambda data: dsc(data)["scheduleTree_"][0].update(component_="l3")),
        ("'l3'", "neither hbm nor lx"),
    ),
    "sdsc-id-unknown": (
        _sdsc(
            lambda data: dsc(data)["scheduleTree_"][0]["startAddressCoreCorelet_"].update(data_={"[0, 0, 0]": "-99"})
        ),
        ("symbol -99", "no address in the bundle"),
    ),
    "sdsc-nodes-missing": (_sdsc(lambda data: dsc(data)["scheduleTree_"].pop()), ("1 nodes and 2 tensors",)),
    "sdsc-tensor-unknown": (
        _sdsc(lambda data: dsc(data)["computeOp_"][0].update(outputLabeledDs=["Tensor9-idx9"])),
        ("tensor 9", "there are 2"),
    ),
    "sdsc-no-compute": (_sdsc(lambda data: dsc(data).update(computeOp_=[])), ("computeOp_ is empty",)),
    "sdsc-no-output": (_sdsc(lambda data: dsc(data)["computeOp_"][0].update(outputLabeledDs=[])), ("no output",)),
    "sdsc-mask-beyond": (
        _sdsc(lambda data: dsc(data).update(coordinateMasking_={"out": [[1000, 100]]})),
        ("behind the 1024 elements",),
    ),
    "sdsc-constant-bits": (
        _sdsc(
            lambda data: dsc(data).update(
                constantInfo_={"0": {"dataFormat_": "SEN169_FP16", "name_": "a", "data_": {"[0]": [10**9]}}}
            )
        ),
        ("bits that no SEN169_FP16 has",),
    ),
    "sdsc-handles-deep": (_sdsc(_fused(25)), ("more than 20 levels",)),
    "sdsc-deep": (_sdsc(_fused(200)), ("nested deeper than 64 levels",)),
    "sdsc-half-character": (_swap("sdsc_0.json", '"n"', '"\\ud800"'), ("half of a character",)),
    "sdsc-nested": (_nested("sdsc_0.json", _HEAD, False), ("sdsc_0.json", "33,554,432 are read")),
    "sdsc-missing": (_gone, ("bundle.mlir, line", "sdsc_3.json", "not in the folder")),
    "sdsc-link-outside": (_link, ("sdsc_2.json", "link out of its folder")),
    "sdsc-link-to-itself": (_loop, ("sdsc_2.json", "link out of its folder")),
    "sdsc-pipe": (_pipe, ("no ordinary file",)),
    # Bundles
    "bundle-cut": (_cut(_BUNDLE, 0.5), ("bundle.mlir, line",)),
    "bundle-cut-at-end": (_text(_BUNDLE, lambda text: text.rstrip().rstrip("}")), ("cut off",)),
    "bundle-empty": (_text(_BUNDLE, lambda _: ""), ("no function sdsc_bundle",)),
    "bundle-undefined": (_swap(_BUNDLE, _SUM, "arith.addi %arg_7, %arg_0_core_offset_2048"), ("%arg_7", "not defined")),
    "bundle-cyclic": (_swap(_BUNDLE, _SUM, "arith.addi %arg_0, %arg_0_core_2048"), ("not defined before",)),
    "bundle-cyclic-argument": (_swap(_BUNDLE, _EXTRACT, "value from %arg_0"), ("not defined before",)),
    "bundle-twice": (_swap(_BUNDLE, "%arg_0_core_2048 =", "%arg_0 ="), ("%arg_0 is defined twice",)),
    "bundle-two-addresses": (_swap(_BUNDLE, _SUM, "arith.addi %arg_0, %arg_1"), ("adds two addresses",)),
    "bundle-statement": (_swap(_BUNDLE, "arith.addi", "arith.muli"), ("no statement of a bundle",)),
    "bundle-ids": (_swap(_BUNDLE, '"symbol_ids"=[-1, ', '"symbol_ids"=['), ("32 addresses and 31 ids",)),
    "bundle-id-twice": (_swap(_BUNDLE, "[-1, -2,", "[-1, -1,"), ("same id to two addresses",)),
    "bundle-id-text": (_swap(_BUNDLE, "[-1, ", "[one, "), ("'one'", "no symbol id")),
    "bundle-number": (_swap(_BUNDLE, "constant 2048", f"constant {'9' * 4_500}"), ("no statement of a bundle",)),
    "bundle-traversal": (_swap(_BUNDLE, "sdsc_1.json", "../../etc/passwd"), ("../../etc/passwd", "no plain name")),
    "bundle-absolute": (_swap(_BUNDLE, "sdsc_1.json", "/etc/passwd"), ("/etc/passwd", "no plain name")),
    "bundle-no-name": (_swap(_BUNDLE, 'sdsc_filename="sdsc_1.json", ', ""), ("without a name",)),
    "bundle-no-ids": (_swap(_BUNDLE, ', "symbol_ids"=[-1', ', "old_ids"=[-1'), ("no address in the bundle",)),
    "bundle-map": (
        _swap(_BUNDLE, _SUM, "affine.apply #map_0(%arg_0)[%arg_0]\n%x = " + _SUM),
        ("the map #map_0 is not defined",),
    ),
    "bundle-nested": (_nested(_BUNDLE, "module {\n", False), ("line 2", "no statement")),
    # Launch specifications
    "launch-version": (_json(_LAUNCH, lambda data: data.update(version=7)), ("version 7", "reads up to 1")),
    "launch-role": (
        _json(_LAUNCH, lambda data: data["args"][0].update(role="both")),
        ("'both'", "not input or output"),
    ),
    "launch-twice": (_json(_LAUNCH, lambda data: data["args"][0].update(arg_index=1)), ("same number",)),
    "launch-sizes": (
        _json(_LAUNCH, lambda data: data["args"][0].update(shape=[5120, 1024])),
        ("argument 0", "5,242,880 elements", "holds fewer"),
    ),
    "launch-dims": (_json(_LAUNCH, lambda data: data["args"][0].update(shape=[1] * 99)), ("more than 32 dims",)),
    "launch-shape": (_json(_LAUNCH, lambda data: data["args"][0].update(shape=[None])), ("null", "a whole number")),
    # Sidecars
    "sidecar-version": (_json(_SIDECAR, lambda data: data.update(schemaVersion=2)), ("unsupported-schema-version",)),
    "sidecar-key": (_json(_SIDECAR, lambda data: data.update(more=1)), ("schema-validation-failure", "more")),
    "sidecar-missing": (_json(_SIDECAR, lambda data: data.pop("handles")), ("schema-validation-failure", "handles")),
    "sidecar-cycle": (_json(_SIDECAR, _cycle), ("semantic-validation-failure", "made of itself")),
    "sidecar-digest": (
        _json(_SIDECAR, lambda data: [handle.update(aten_op="x") for handle in data["handles"].values()]),
        ("semantic-validation-failure", "not the digest"),
    ),
    "sidecar-status": (_json(_SIDECAR, lambda data: data.update(status="complete")), ("does not follow",)),
    # Op specifications
    "opspec-version": (_opspec(lambda data: data.update(version=9)), ("version 9", "reads version 1")),
    "opspec-no-kernels": (_opspec(lambda data: data.update(kernels={})), ("kernels is an object", "a list")),
    "opspec-power": (
        _opspec(lambda data: _op(data)["args"][0].update(device_coordinates=["c0**2", "c0", "0"])),
        ("device_coordinates[0]", "c0**2"),
    ),
    "opspec-signs": (
        _opspec(lambda data: _op(data)["args"][0].update(device_coordinates=["-" * 1_990 + "1", "c0", "0"])),
        ("too many signs",),
    ),
    "opspec-coordinates": (
        _opspec(lambda data: _op(data)["args"][0].update(device_coordinates=["c0"])),
        ("3 device dims and 1 coordinates",),
    ),
    "opspec-symbol": (
        _opspec(lambda data: _op(data)["args"][0].update(device_coordinates=["q", "c0", "0"])),
        ("walked by q",),
    ),
    "opspec-cores": (
        _opspec(lambda data: _op(data)["iteration_space"].update(c0=[512, 99_999])),
        ("more than 4,096 cores",),
    ),
    "opspec-constant": (
        _opspec(lambda data: _op(data).update(op_info={"constants": {"eps": 10**400}})),
        ("eps", "a finite number"),
    ),
    "opspec-room": (_opspec(lambda data: _op(data)["args"][0].update(allocation={"l3": 0})), ("no one of hbm",)),
    "opspec-loops": (
        _opspec(lambda data: data["kernels"][0].update(body=[{"count": 2, "body": []}])),
        ("repeats nothing",),
    ),
    # KTIR
    "ktir-alone": (_ktir(lambda text: text.partition("// spyre-opspec")[0]), ("nothing of the plan behind it",)),
    "ktir-cut": (_ktir(lambda text: text[: len(text) - 400]), ("op specifications in", "not valid JSON")),
    "ktir-cut-code": (_ktir(lambda text: text[:2_000]), ("nothing of the plan behind it",)),
    "ktir-word": (_ktir(lambda text: text.replace("ktdp.load", "ktdp.lode")), ("ktdp.lode", "line")),
    "ktir-shape": (
        _ktir(lambda text: text.replace("output_shape [1, ", "output_shape [9, ", 1)),
        ("output_shape is [9, ", "its result has [1, "),
    ),
    "ktir-after": (_ktir(lambda text: f"{text}more\n"), ("goes on after the op specifications",)),
    "ktir-version": (
        _ktir(lambda text: text.replace('"version": 1', '"version": 9')),
        ("version 9", "reads version 1"),
    ),
    "ktir-cores": (_ktir(lambda text: text.replace('"cores": 2', '"cores": 99999')), ("cores is 99,999",)),
    "ktir-no-kernels": (_ktir(lambda text: text.replace('"kernels": [', '"kernels": 3, "more": [')), ("kernels is",)),
    # Wrappers
    "wrapper-syntax": (_alone("a.py", wrapper()[:-4]), ("not Python that can be read",)),
    "wrapper-call": (_alone("a.py", wrapper("__import__('os').system('true')")), ("system is no class",)),
    "wrapper-lambda": (_alone("a.py", wrapper("(lambda: 1)()")), ("what it calls is no class",)),
    "wrapper-comprehension": (_alone("a.py", wrapper("[x for x in y]")), ("ListComp is no literal",)),
    "wrapper-star": (_alone("a.py", wrapper("OpSpec(**{'op': 'add'})")), ("spread out of a dict",)),
    "wrapper-unimplemented": (_alone("a.py", wrapper("UnimplementedOp(op='sort')")), ("sort was not implemented",)),
    "wrapper-expression": (_alone("a.py", wrapper(coordinate="__import__(1)")), ("line 1", "an expression is wrong")),
    "wrapper-no-ops": (_alone("a.py", "k = a.sdsc('k', [])\n"), ("at least one op",)),
    "wrapper-nested": (_nested("a.py", "k = a.sdsc('k', ", True), ("characters", "are read")),
    "wrapper-brackets": (_alone("a.py", "k = a.sdsc('k', " + "[" * 1_000_000), ("not Python that can be read",)),
    "wrapper-list-deep": (_alone("a.py", f"k = a.sdsc('k', {'[' * 90}{']' * 90})\n"), ("deeper than 64",)),
    # Everything else
    "nested": (_nested("a.json", _HEAD, True), ("more than 12,000,000 parts",)),
    "nested-less": (_alone("a.json", _HEAD + "[" * 1_000_000), ("nested deeper than 64 levels",)),
    "nothing-known": (_alone("a.json", '{"a": 1}'), ("holds no kernels", "choose a kernel folder")),
    "empty-file": (_alone("a.json", ""), ("holds no kernels",)),
    "own-plan": (_alone("a.json", '{"kind": "plan", "version": 1, "value": {}}'), ("holds no kernels",)),
    "launch-alone": (_alone("a.json", '{"version": 1, "kernel_name": "k", "args": []}'), ("launch-spec file",)),
    "binary-plan": (_alone("a.json", '{"JobExecPlan": []}'), ("spyrecode file",)),
    "model-source": (_alone("a.py", "def factory():\n    return None\n"), ("holds no kernels",)),
    "empty-folder": (_empty_folder, ("this folder holds no kernels",)),
    "missing": (lambda folder: folder / "nothing", ("cannot be read", "check the path")),
    "strange-name": (lambda _: Path("a\0b"), ("its name is none",)),
}
