"""SuperDSC files and bundles: the published examples field by field, and text that does not change by itself."""

import json
from itertools import pairwise

import pytest

from compiler.emit.bundle import bundle_text, generic_bundle
from compiler.emit.sdsc_address import Numbered, Numbering
from compiler.emit.sdsc_form import SdscForm, sdsc_form
from compiler.emit.superdsc import superdsc, superdsc_text
from compiler.emit.unsaid import UnsaidError
from compiler.formats.opspec import KernelArgument, KernelSpec, OpSpec
from tests.compiler.spec_sketch import add, copied, matmul, softmax, spec, tensor


def _file(op: OpSpec, numbering: Numbering | None = None, number: int = 0) -> tuple[SdscForm, Numbered, dict]:  # type: ignore[type-arg]
    form = sdsc_form(op)
    addresses = (numbering or Numbering()).number(form)
    return form, addresses, json.loads(superdsc_text(form, number, addresses))


def _dsc(whole: dict) -> dict:  # type: ignore[type-arg]
    inner = next(iter(whole.values()))
    return next(iter(inner["dscs_"][0].values()))


def _folds(dsc: dict, tensor_number: int, dim: str) -> list[tuple[int, int]]:  # type: ignore[type-arg]
    folds = dsc["scheduleTree_"][tensor_number]["coordinates_"]["coordInfo"][dim]["folds"]
    return [
        (function["Affine"]["alpha_"], attribute["factor_"])
        for function, attribute in zip(folds["dim_prop_func"], folds["dim_prop_attr"], strict=True)
    ]


def test_an_addition_in_slices_of_rows() -> None:
    _, addresses, whole = _file(add())
    inner = whole["0_add"]
    dsc = _dsc(whole)
    assert inner["numWkSlicesPerDim_"] == {"mb": 32, "out": 1}
    assert inner["coreIdToWkSlice_"]["7"] == {"mb": 7, "out": 0}
    assert dsc["N_"] == {"name_": "n", "mb_": 512, "out_": 1024}
    assert dsc["dataStageParam_"]["0"]["ss_"]["mb_"] == 16
    layout = {"layoutDimOrder_": ["mb", "out"], "stickDimOrder_": ["out"], "stickSize_": [64]}
    assert dsc["primaryDsInfo_"] == {"OUTPUT": layout}
    assert [(row[0], row[-1]) for row in addresses.texts] == [("-1", "-32"), ("-33", "-64"), ("-65", "-96")]
    assert _folds(dsc, 0, "mb") == [(16, 32), (0, 1), (0, 1), (1, 16)]
    assert _folds(dsc, 0, "out") == [(1024, 1), (0, 1), (0, 1), (64, 16), (1, 64)]
    assert [each["scale_"] for each in dsc["labeledDs_"]] == [[1, 1]] * 3
    compute = dsc["computeOp_"][0]
    assert (compute["exUnit"], compute["opFuncName"]) == ("sfp", "add")
    assert compute["inputLabeledDs"] == ["Tensor0-idx0", "Tensor1-idx1"]
    assert compute["outputLabeledDs"] == ["Tensor2-idx2"]
    beyond = [address.beyond for _, address in addresses.ids[:32]]
    assert {after - before for before, after in pairwise(beyond)} == {2048}


def test_softmax_is_six_files() -> None:
    numbering = Numbering()
    files = [_file(op, numbering, number) for number, op in enumerate(softmax().ops())]
    assert [next(iter(whole)) for *_, whole in files] == [
        "0_identity",
        "1_max",
        "2_sub",
        "3_exp",
        "4_sum",
        "5_realdiv",
    ]
    assert [[number for number, _ in addresses.ids] for _, addresses, _ in files] == [
        list(range(-1, -33, -1)),
        [],
        [],
        [],
        [],
        list(range(-33, -65, -1)),
    ]
    largest = _dsc(files[1][2])
    assert [each["scale_"] for each in largest["labeledDs_"]] == [[1, 1], [1, -2]]
    assert _folds(largest, 1, "out") == [(64, 1), (0, 1), (0, 1), (64, 1), (0, 64)]
    assert largest["computeOp_"][0]["inputLabeledDs"] == ["Tensor0-idx0", "Tensor1-idx1"]
    assert largest["computeOp_"][0]["outputLabeledDs"] == ["Tensor1-idx1"]
    node = largest["scheduleTree_"][0]
    assert (node["component_"], node["startAddressCoreCorelet_"]["data_"]["[31, 0, 0]"]) == ("lx", "2048")
    assert "isStartAddrSymbolic_" not in node
    assert largest["labeledDs_"][0]["memOrg_"] == {"lx": {"isPresent": 1}}


def test_a_product_in_rows_and_columns() -> None:
    _, addresses, whole = _file(matmul())
    dsc = _dsc(whole)
    assert dsc["N_"] == {"name_": "n", "mb_": 512, "out_": 256, "in_": 1024}
    assert {
        label: (info["layoutDimOrder_"], info["stickDimOrder_"]) for label, info in dsc["primaryDsInfo_"].items()
    } == {
        "INPUT": (["mb", "in"], ["in"]),
        "KERNEL": (["in", "out"], ["out"]),
        "OUTPUT": (["mb", "out"], ["out"]),
    }
    first, second, third = addresses.texts
    assert first[:16] == first[16:] == tuple(str(-number) for number in range(1, 17))
    assert set(second[:16]) == {"-17"}
    assert set(second[16:]) == {"-18"}
    assert third == tuple(str(-number) for number in range(19, 51))
    assert (dsc["computeOp_"][0]["exUnit"], dsc["computeOp_"][0]["opFuncName"]) == ("pt", "batchmatmul")


def test_cores_of_a_partial_sum_are_neighbours() -> None:
    _, addresses, whole = _file(matmul("c0 512/8, c1 256/2, c2 1024/2"))
    slices = whole["0_batchmatmul"]["coreIdToWkSlice_"]
    assert [list(slices[str(core)].items()) for core in range(3)] == [
        [("in", 0), ("mb", 0), ("out", 0)],
        [("in", 1), ("mb", 0), ("out", 0)],
        [("in", 0), ("mb", 1), ("out", 0)],
    ]
    output = addresses.texts[2]
    assert output[0] == output[1] != output[2] == output[3]


def test_a_restickify_has_two_layouts() -> None:
    op = spec(
        "ReStickifyOpHBM",
        "c0 256/8, c1 512/4",
        tensor("8 256 64", "floor(c1/64); c0; Mod(c1, 64)", "hbm 0"),
        tensor("4 512 64", "floor(c0/64); c1; Mod(c0, 64)", "hbm 1", output=True),
    )
    form, _, _ = _file(op)
    found = [(each.label, each.order, each.stick) for each in form.classes]
    assert found == [("OUTPUT", ("mb", "out"), "out"), ("KERNEL", ("out", "mb"), "mb")]


def test_odd_sizes_are_filled_to_sticks_and_not_masked() -> None:
    walked = ("2 7 64", "floor(c1/64); c0; Mod(c1, 64)")
    op = spec("add", "c0 7/7, c1 100/2", *(tensor(*walked, f"hbm {n}", output=n == 2) for n in range(3)))
    form, _, whole = _file(op)
    assert dict(form.extents) == {"mb": 7, "out": 128}
    assert form.cores == 14
    assert _dsc(whole)["coordinateMasking_"] == {}
    assert _dsc(whole)["maskingConstId_"] == -1
    assert _dsc(whole)["constantInfo_"] == "{}"


def test_what_is_folded_is_masked() -> None:
    op = spec(
        "max",
        "c0 7, c1 100",
        tensor("2 7 64", "floor(c1/64); c0; Mod(c1, 64)", "hbm 0"),
        tensor("1 7 64", "0; c0; 0", "hbm 1", output=True),
        reduction=True,
    )
    dsc = _dsc(_file(op)[2])
    assert dsc["coordinateMasking_"] == {"out": [[100, 28]]}
    assert dsc["maskingConstId_"] == 0
    assert dsc["constantInfo_"]["0"]["name_"] == "samv-maskvalue"


def test_a_fold_that_leaves_the_stick_has_a_name_of_its_own() -> None:
    op = spec(
        "sum",
        "c0 512/16, c1 1024",
        tensor("16 512 64", "floor(c1/64); c0; Mod(c1, 64)", "hbm 0"),
        tensor("1 16 64", "0; floor(c1/64); Mod(c1, 64)", "hbm 1", output=True),
        reduction=True,
    )
    assert list(_file(op)[2]) == ["0_sumnonstick"]


def test_a_copy_is_the_published_skeleton() -> None:
    whole = _file(copied())[2]
    dsc = _dsc(whole)
    first, second = dsc["scheduleTree_"]
    assert list(whole["0_identity"]) == [
        "debug_handle_",
        "sdscFoldProps_",
        "sdscFolds_",
        "coreFoldProp_",
        "coreletFoldProp_",
        "numCoresUsed_",
        "coreIdToDsc_",
        "numWkSlicesPerDim_",
        "coreIdToWkSlice_",
        "coreIdToDscSchedule",
        "dscs_",
    ]
    assert first["name_"] == "allocate-Tensor0_hbm"
    assert first["startAddressCoreCorelet_"]["data_"] == {"[0, 0, 0]": "-1"}
    assert second["startAddressCoreCorelet_"]["data_"] == {"[0, 0, 0]": "0"}
    assert _folds(dsc, 0, "out") == [(1024, 1), (0, 1), (0, 1), (64, 16), (1, 64)]
    assert whole["0_identity"]["coreIdToDscSchedule"] == {"0": [[-1, 0, 0, 0]]}


def test_a_slice_begins_inside_its_tensor() -> None:
    op = spec(
        "identity",
        "c0 64/2, c1 64",
        tensor("2 128 64", "floor(c1/64) + 1; c0 + 64; Mod(c1, 64)", "hbm 0"),
        tensor("1 64 64", "floor(c1/64); c0; Mod(c1, 64)", "hbm 1", output=True),
    )
    _, addresses, whole = _file(op)
    starts = {(address.number, address.start, address.beyond) for _, address in addresses.ids}
    assert (0, (128 * 64 + 64 * 64) * 2, 0) in starts
    assert _dsc(whole)["scheduleTree_"][0]["backGapCore_"] == {"mb": {"-1": "64"}, "out": {"-1": "64"}}


def test_too_many_loops_are_told() -> None:
    dims = ", ".join(f"c{number} 2" for number in range(9))
    walked = "; ".join([*(f"c{number}" for number in range(9)), "0"])
    sizes = " ".join(["2"] * 9 + ["64"])
    op = spec("identity", dims, tensor(sizes, walked, "hbm 0"), tensor(sizes, walked, "hbm 1", output=True))
    with pytest.raises(UnsaidError, match="9 loops"):
        sdsc_form(op)


def _kernel() -> tuple[KernelSpec, list[Numbered]]:
    kernel = softmax()
    numbering = Numbering()
    files = [numbering.number(sdsc_form(op)) for op in kernel.ops()]
    arguments = tuple(
        KernelArgument(number, f"a{number}", number == 0, (512, 1024), (1024, 1), "float16", (16, 512, 64), (), "")
        for number in range(2)
    )
    return KernelSpec(kernel.name, kernel.body, arguments), files


def test_a_bundle_names_its_files_in_order() -> None:
    kernel, files = _kernel()
    lines = bundle_text(kernel, files).splitlines()
    assert lines[0] == "module {"
    assert lines[1].startswith("\tfunc.func @sdsc_bundle(%arg_0_base_addr: !sdscbundle.input_arg<index>, %arg_1")
    calls = [line.strip() for line in lines if "sdsc_execute" in line]
    assert calls[1] == 'sdscbundle.sdsc_execute () {sdsc_filename="sdsc_1.json", "symbol_ids"=[]}'
    assert calls[0].startswith("sdscbundle.sdsc_execute (%arg_0, %arg_0_core_2048, %arg_0_core_4096")
    assert calls[5].endswith("-64]}")
    assert len(calls) == 6


def test_every_value_of_a_bundle_is_defined_once_before_it_is_used() -> None:
    kernel, files = _kernel()
    for text in (bundle_text(kernel, files), generic_bundle(kernel, files)):
        known = {"%arg_0_base_addr", "%arg_1_base_addr"}
        for line in text.splitlines():
            name, sign, rest = line.strip().partition(" = ")
            if line.strip().startswith("%") and sign:
                assert name not in known
                used = rest
            else:
                name, used = "", line if "execute" in line else ""
            for word in used.replace(",", " ").replace("(", " ").replace(")", " ").split():
                assert not word.startswith("%") or word in known
            known |= {name}


def test_the_same_again_is_the_same_text() -> None:
    texts = {superdsc_text(form, 0, Numbering().number(form)) for form in (sdsc_form(matmul()), sdsc_form(matmul()))}
    assert len(texts) == 1
    assert superdsc(sdsc_form(add()), 3, Numbering().number(sdsc_form(add()))).keys() == {"3_add"}
