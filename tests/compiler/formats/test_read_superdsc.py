"""SuperDSC files as others write them: the published skeleton, older spellings, and what disagrees."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from frozendict import frozendict

from compiler.formats.opspec import Dimension, OpSpec, Place, Room
from compiler.read.bundle import ABSOLUTE, BundleAddress
from compiler.read.kernel_folder import read_programs
from compiler.read.sdsc_values import value_of_bits
from compiler.read.superdsc import read_superdsc
from tests.compiler.formats.kernel_files import dsc, edit, inner, softmax_kernel, write_kernel

_FOLD = {"Affine": {"alpha_": 1, "beta_": 0}}
_FACTORS = [{"factor_": 1, "label_": "core"}, {"factor_": 1, "label_": "corelet"}, {"factor_": 1, "label_": "time"}]


def _node(number: int, component: str, address: str) -> dict[str, Any]:
    folds = [(1024, 1), (0, 1), (0, 1), (64, 16), (1, 64)]
    labels = ["core_fold", "corelet_fold", "row_fold", "elem_arr_1", "elem_arr_0"]
    functions = [{"Affine": {"alpha_": alpha, "beta_": 0}} for alpha, _ in folds]
    attributes = [{"factor_": factor, "label_": label} for (_, factor), label in zip(folds, labels, strict=True)]
    coordinate = {"dim_prop_func": functions, "dim_prop_attr": attributes}
    out = {"spatial": 3, "temporal": 0, "elemArr": 2, "padding": "nopad", "folds": coordinate}
    return {
        "nodeType_": "allocate",
        "name_": f"allocate-Tensor{number}_{component}",
        "prev_": "",
        "ldsIdx_": number,
        "component_": component,
        "layoutDimOrder_": ["out"],
        "maxDimSizes_": [-1],
        "indirectAllocType_": "no_indirection",
        "startAddressCoreCorelet_": {
            "dim_prop_func": [{"Map": {}}, {"Const": {}}, {"Const": {}}],
            "dim_prop_attr": _FACTORS,
            "data_": {"[0, 0, 0]": address},
        },
        "coordinates_": {"coordInfo": {"out": out}, "coreIdToWkSlice_": {}},
    }


def _labelled(number: int) -> dict[str, Any]:
    return {
        "ldsIdx_": number,
        "dsName_": f"Tensor{number}",
        "dsType_": "OUTPUT",
        "scale_": [1],
        "wordLength": 2,
        "dataFormat_": "SEN169_FP16",
        "memOrg_": {"hbm": {"isPresent": 1}, "lx": {"isPresent": 1}},
    }


def skeleton() -> dict[str, Any]:
    """A copy of 1024 fp16 values on one core, from device memory into LX, as it is published (facts 3.8)."""
    stage = {"name_": "core", "out_": 1024, "symbolicDimInfo_": {}, "paddingSizes_": {}}
    layout = {"layoutDimOrder_": ["out"], "stickDimOrder_": ["out"], "stickSize_": [64]}
    compute = {
        "exUnit": "sfp",
        "opFuncName": "identity",
        "attributes_": {"dataFormat_": "SEN169_FP16", "fidelity_": "regular"},
        "location": "Inner",
        "inputLabeledDs": ["Tensor0-idx0"],
        "outputLabeledDs": ["Tensor1-idx1"],
    }
    copy = {
        "numCoresUsed_": 1,
        "numCoreletsUsed_": 1,
        "coreIdsUsed_": [0],
        "N_": {"name_": "n", "out_": 1024},
        "coordinateMasking_": {},
        "maskingConstId_": -1,
        "dataStageParam_": {"0": {"ss_": stage, "el_": stage}},
        "primaryDsInfo_": {"OUTPUT": layout},
        "scheduleTree_": [{**_node(0, "hbm", "-1"), "isStartAddrSymbolic_": 1}, _node(1, "lx", "0")],
        "labeledDs_": [_labelled(0), _labelled(1)],
        "constantInfo_": "{}",
        "computeOp_": [compute],
    }
    time = {"factor_": 1, "label_": "time"}
    whole = {
        "debug_handle_": None,
        "sdscFoldProps_": [time],
        "sdscFolds_": {"dim_prop_func": [_FOLD], "dim_prop_attr": [time], "data_": {"[0]": "0"}},
        "coreFoldProp_": {"factor_": 1, "label_": "core"},
        "coreletFoldProp_": {"factor_": 1, "label_": "corelet"},
        "numCoresUsed_": 1,
        "coreIdToDsc_": {"0": 0},
        "numWkSlicesPerDim_": {"out": 1},
        "coreIdToWkSlice_": {"0": {"out": 0}},
        "coreIdToDscSchedule": {"0": [[-1, 0, 0, 0]]},
        "dscs_": [{"identity": copy}],
    }
    return {"0_identity": whole}


BASE = BundleAddress(0, 0)


def _read(data: object, address: BundleAddress = BASE) -> OpSpec:
    found = read_superdsc(data, "a", {-1: address})
    assert found.findings == ()
    return found.spec


def test_the_published_skeleton_is_a_copy_into_lx() -> None:
    found = read_superdsc(skeleton(), "a", {-1: BundleAddress(3, 0)})
    spec = found.spec
    assert (found.number, found.findings) == (0, ())
    assert (spec.op, spec.is_reduction, spec.iteration) == ("identity", False, (Dimension("c0", 1024),))
    source, target = spec.args
    assert (source.is_input, source.argument, source.place) == (True, 3, Place(Room.HBM, 3))
    assert (target.is_input, target.argument, target.place) == (False, -1, Place(Room.LX, 0))
    for arg in spec.args:
        assert arg.device_size == (16, 64)
        assert [str(each) for each in arg.coordinates] == ["floor(c0/64)", "Mod(c0, 64)"]
        assert arg.extra == {}
    assert spec.handle is None
    assert not spec.extra
    assert not spec.constants


SPELLINGS: dict[str, Callable[[Any], object]] = {
    "no-handle": lambda data: inner(data).pop("debug_handle_"),
    "symbolic-true": lambda data: dsc(data)["scheduleTree_"][0].update(isStartAddrSymbolic_=True),
    "symbolic-zero": lambda data: dsc(data)["scheduleTree_"][0].update(isStartAddrSymbolic_=0),
    "symbolic-missing": lambda data: dsc(data)["scheduleTree_"][0].pop("isStartAddrSymbolic_"),
    "sizes-as-text": lambda data: dsc(data)["N_"].update(out_="1024"),
    "addresses-as-numbers": lambda data: dsc(data)["scheduleTree_"][1]["startAddressCoreCorelet_"].update(
        data_={"[0, 0, 0]": 0}
    ),
    "no-constants": lambda data: dsc(data).pop("constantInfo_"),
    "no-stages": lambda data: dsc(data).pop("dataStageParam_"),
}


@pytest.mark.parametrize("change", SPELLINGS.values(), ids=SPELLINGS)
def test_older_and_newer_spellings_say_the_same(change: Callable[[Any], object]) -> None:
    data = skeleton()
    change(data)
    turned = json.loads(json.dumps(data, sort_keys=True))
    assert _read(turned) == _read(skeleton())


def test_a_name_without_a_number_is_read() -> None:
    found = read_superdsc({"identity": inner(skeleton())}, "a", {-1: BundleAddress(0, 0)})
    assert (found.number, found.spec) == (-1, _read(skeleton()))


@pytest.mark.parametrize("segment", [0, 1, 5])
def test_baked_addresses_are_those_of_arguments(segment: int) -> None:
    start = segment * 0x4_0000_0000
    data = skeleton()
    dsc(data)["scheduleTree_"][0]["startAddressCoreCorelet_"]["data_"]["[0, 0, 0]"] = str(start)
    assert _read(data).args[0].place == Place(Room.HBM, segment)
    assert _read(skeleton(), BundleAddress(ABSOLUTE, start)).args[0].argument == segment


def test_an_access_may_begin_inside_of_its_tensor() -> None:
    data = skeleton()
    dsc(data)["scheduleTree_"][0]["backGapCore_"] = {"out": {"-1": "1024"}}
    arg = _read(data, BundleAddress(0, 16 * 128)).args[0]
    assert arg.device_size == (32, 64)
    assert [str(each) for each in arg.coordinates] == ["floor(c0/64) + 16", "Mod(c0, 64)"]


@pytest.mark.parametrize("bits", [10752, "10752"])
def test_constants_are_numbers_or_texts(bits: object) -> None:
    data = skeleton()
    folds = {"dim_prop_func": [], "dim_prop_attr": _FACTORS, "data_": {"[0, 0, 0]": [bits]}}
    mask = {"dataFormat_": "SEN169_FP16", "name_": "samv-maskvalue", "data_": folds}
    own = {"dataFormat_": "SEN169_FP16", "name_": "scaling_factor", "data_": folds}
    dsc(data)["constantInfo_"] = {"0": own, "1": mask}
    assert _read(data).constants == frozendict(scaling_factor=1 / 1024)


def test_bits_of_the_device_are_numbers() -> None:
    assert value_of_bits(0, "SEN169_FP16") == 0
    assert value_of_bits(15872, "SEN169_FP16") == 1
    assert value_of_bits(15872 | 0x8000, "SEN169_FP16") == -1
    assert value_of_bits(1, "SEN169_FP16") == 2.0**-39
    assert abs(value_of_bits(11919, "SEN169_FP16") * 200 - 1) < 2**-10
    assert value_of_bits(0x3F800000, "IEEE_FP32") == 1
    assert value_of_bits(7, "IEEE_INT32") == 7


def test_unknown_keys_are_kept_and_listed(tmp_path: Path) -> None:
    data = skeleton()
    inner(data)["dimToSymbolMappingOpcodeCorrection_"] = {}
    dsc(data)["later_"] = [1]
    dsc(data)["scheduleTree_"][1]["indirectAllocType_"] = "value_tensor"
    dsc(data)["labeledDs_"][0]["more"] = "x"
    path = tmp_path / "some.txt"
    path.write_text(json.dumps(data), "utf-8")
    found = read_programs(path)
    kept = {
        "dimToSymbolMappingOpcodeCorrection_": "{}",
        "later_": "[1]",
        "args[0].more": '"x"',
        "args[1].indirectAllocType_": '"value_tensor"',
    }
    assert found.extra == {"some.txt": kept}
    assert [arg.number for arg in found.kernels[0].arguments] == [0]
    assert found.findings == ("some.txt: it was read without its bundle, so its arguments are numbered as they come",)


DISAGREEING: dict[str, tuple[int, Callable[[Any], object], str]] = {
    "cores": (0, lambda data: inner(data)["numWkSlicesPerDim_"].update(out=2), "its slices make 64 cores, it says 32"),
    "cores-inside": (0, lambda data: dsc(data).update(numCoresUsed_=4), "32 cores, in another 4"),
    "folds": (
        1,
        lambda data: dsc(data)["scheduleTree_"][0]["coordinates_"]["coordInfo"]["mb"]["folds"]["dim_prop_attr"][
            0
        ].update(factor_=8),
        "folds mb into 128 elements, the op has 512",
    ),
    "stage": (2, lambda data: dsc(data)["dataStageParam_"]["0"]["ss_"].update(mb_=99), "a core is said to do 99 of mb"),
    "sticks": (3, lambda data: dsc(data)["labeledDs_"][0].update(dataFormat_="IEEE_FP32"), "sticks of 64 elements"),
    "lanes": (3, lambda data: dsc(data)["N_"].update(out_=1000), "no whole sticks of 64"),
    "order": (
        0,
        lambda data: inner(data)["coreIdToWkSlice_"].update({"0": {"mb": 1}, "1": {"mb": 0}}),
        "no regular order",
    ),
    "addresses": (
        0,
        lambda data: dsc(data)["scheduleTree_"][0]["startAddressCoreCorelet_"]["data_"].update({"[9, 0, 0]": "-9"}),
        "begins elsewhere on core 9",
    ),
    "lx": (
        5,
        lambda data: dsc(data)["scheduleTree_"][0]["startAddressCoreCorelet_"].update(
            data_={f"[{core}, 0, 0]": "2080000" for core in range(32)}
        ),
        "uses LX up to byte 2,112,768, a core has 2,097,152",
    ),
    "never-written": (
        1,
        lambda data: dsc(data)["scheduleTree_"][0]["startAddressCoreCorelet_"].update(
            data_={f"[{core}, 0, 0]": "65536" for core in range(32)}
        ),
        "op 1 (max) reads LX at byte 65,536, where nothing was written before",
    ),
    "owners": (
        1,
        lambda data: inner(data)["coreIdToWkSlice_"].update(
            {str(core): {"mb": 31 - core, "out": 0} for core in range(32)}
        ),
        "no regular order",
    ),
}


@pytest.mark.parametrize(("number", "change", "words"), DISAGREEING.values(), ids=DISAGREEING)
def test_what_disagrees_is_told_in_a_sentence(
    tmp_path: Path, number: int, change: Callable[[Any], object], words: str
) -> None:
    folder = write_kernel(tmp_path / "kernel", softmax_kernel())
    edit(folder / f"sdsc_{number}.json", change)
    found = read_programs(folder)
    assert [why for why in found.findings if words in why], found.findings
    assert all("\n" not in why for why in found.findings)


def test_an_op_that_reads_what_other_cores_wrote_is_told(tmp_path: Path) -> None:
    kernel = softmax_kernel()
    first, *others = kernel.body
    assert isinstance(first, OpSpec)
    columns = (Dimension("c0", 512, 2), Dimension("c1", 1024, 16))
    turned = OpSpec(first.op, first.is_reduction, columns, first.args)
    folder = write_kernel(tmp_path / "kernel", type(kernel)(kernel.name, (turned, *others), kernel.arguments))
    words = "op 1 (max) reads LX at byte 2,048, but core 0 holds another part of it since op 0 (identity)"
    assert words in read_programs(folder).findings
