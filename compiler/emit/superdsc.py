"""SuperDSC: one op as the JSON file `sdsc_<i>.json` that the back end takes.

Owns keys, their order and the spelling (facts 3.1 to 3.6); two spaces of indentation, no line break at the end.
Refuses to compute: sizes come from `sdsc_form`, addresses from `sdsc_address`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence

from compiler.emit.sdsc_address import Numbered
from compiler.emit.sdsc_form import ABSENT_STICK, PRESENT, SdscForm, TensorForm
from compiler.formats.device_number import device_number
from compiler.formats.handles import plain_handle
from compiler.formats.json_value import Json
from compiler.formats.opspec import CONTRACTIONS, Room

_MASK = "samv-maskvalue"
_EMPTY_INFO = ("symbolicDimInfo_", "maxSymbolicVolume_", "coreletSplit_", "rowSplit_", "peSfpSplit_", "paddingSizes_")


def superdsc_text(form: SdscForm, number: int, addresses: Numbered) -> str:
    """The text of file `number` of a kernel."""
    return json.dumps(superdsc(form, number, addresses), indent=2)


def superdsc(form: SdscForm, number: int, addresses: Numbered) -> dict[str, Json]:
    """The content of file `number` of a kernel."""
    cores = range(form.cores)
    handle = form.spec.handle
    whole: dict[str, Json] = {
        "debug_handle_": plain_handle(handle) if handle is not None else None,
        "sdscFoldProps_": [{"factor_": 1, "label_": "time"}],
        "sdscFolds_": {**_folds([(1, 1, "time")]), "data_": {"[0]": "0"}},
        "coreFoldProp_": {"factor_": form.cores, "label_": "core"},
        "coreletFoldProp_": {"factor_": 1, "label_": "corelet"},
        "numCoresUsed_": form.cores,
        "coreIdToDsc_": {str(core): 0 for core in cores},
        "numWkSlicesPerDim_": dict(form.slices),
        "coreIdToWkSlice_": {str(core): _slices(form, core) for core in cores},
        "coreIdToDscSchedule": {str(core): [[-1, 0, 0, 0]] for core in cores},
        "dscs_": [{form.function: _dsc(form, addresses)}],
    }
    return {f"{number}_{form.function}": whole}


def _slices(form: SdscForm, core: int) -> dict[str, Json]:
    own = form.core_slices[core]
    return {**own, **{name: 0 for name in form.slices if name not in own}}


def _dsc(form: SdscForm, addresses: Numbered) -> dict[str, Json]:
    sizes: dict[str, Json] = {f"{name}_": extent // form.slices[name] for name, extent in form.extents.items()}
    stage: dict[str, Json] = {"name_": "core", **sizes, **{key: {} for key in _EMPTY_INFO}}
    return {
        "numCoresUsed_": form.cores,
        "numCoreletsUsed_": 1,
        "coreIdsUsed_": list(range(form.cores)),
        "N_": {"name_": "n", **{f"{name}_": extent for name, extent in form.extents.items()}},
        "coordinateMasking_": {name: [list(mask)] for name, mask in form.masks.items()},
        "maskingConstId_": 0 if form.masks else -1,
        "dataStageParam_": {"0": {"ss_": stage, "el_": stage}},
        "primaryDsInfo_": {
            each.label: {
                "layoutDimOrder_": list(each.order),
                "stickDimOrder_": [each.stick] if each.stick else [],
                "stickSize_": [each.lanes],
            }
            for each in form.classes
        },
        "scheduleTree_": [
            _node(form, place, tensor, addresses.texts[place]) for place, tensor in enumerate(form.tensors)
        ],
        "labeledDs_": [_labelled(form, place, tensor) for place, tensor in enumerate(form.tensors)],
        "constantInfo_": _constants(form),
        "computeOp_": [_compute(form)],
    }


def _node(form: SdscForm, place: int, tensor: TensorForm, texts: tuple[str, ...]) -> dict[str, Json]:
    lx = tensor.arg.place.room is Room.LX
    component = "lx" if lx else "hbm"
    node: dict[str, Json] = {
        "nodeType_": "allocate",
        "name_": f"allocate-Tensor{place}_{component}",
        "prev_": "",
        "ldsIdx_": place,
        "component_": component,
    }
    if not lx:
        node["isStartAddrSymbolic_"] = 1
    node |= {
        "layoutDimOrder_": list(tensor.order),
        "maxDimSizes_": [-1 for _ in tensor.order],
        "indirectAllocType_": "no_indirection",
        "startAddressCoreCorelet_": {
            "dim_prop_func": [{"Map": {}}, {"Const": {}}, {"Const": {}}],
            "dim_prop_attr": _factors(form.cores),
            "data_": {f"[{core}, 0, 0]": text for core, text in enumerate(texts)},
        },
    }
    if tensor.gaps:
        cores = [str(core) for core in range(form.cores)] if lx else ["-1"]
        node["backGapCore_"] = {name: dict.fromkeys(cores, str(gap)) for name, gap in tensor.gaps.items()}
    node["coordinates_"] = _coordinates(form, tensor)
    return node


def _coordinates(form: SdscForm, tensor: TensorForm) -> dict[str, Json]:
    owners = tensor.arg.division
    order = form.layout_of(tensor).order
    slices: Mapping[str, int] = form.slices
    held: dict[str, Json] = {}
    if owners is not None:
        slices = {form.labels[name]: count for name, count in owners.slices.items()}
        held = {
            str(core): {label: places.get(name, 0) for name, label in form.labels.items()}
            for core, places in enumerate(owners.of_core)
        }
    return {"coordInfo": {name: _coordinate(form, tensor, name, slices) for name in order}, "coreIdToWkSlice_": held}


def _coordinate(form: SdscForm, tensor: TensorForm, name: str, slices: Mapping[str, int]) -> dict[str, Json]:
    scale, lanes, extent = tensor.scales.get(name, PRESENT), tensor.form.lanes, form.extents[name]
    cut = slices.get(name, 1) if scale == PRESENT else 1
    size = extent // cut if scale == PRESENT else 1
    middle = [(0, 1, "corelet_fold"), (0, 1, "row_fold")]
    if scale == ABSENT_STICK:
        folds = [(lanes, cut, "core_fold"), *middle, (lanes, 1, "elem_arr_1"), (0, lanes, "elem_arr_0")]
        arrays = 2
    elif name == tensor.stick and scale == PRESENT:
        inner = [(lanes, size // lanes, "elem_arr_1"), (1, lanes, "elem_arr_0")]
        folds, arrays = [(size, cut, "core_fold"), *middle, *inner], 2
    else:
        folds, arrays = [(size, cut, "core_fold"), *middle, (1, size, "elem_arr_0")], 1
    return {"spatial": 3, "temporal": 0, "elemArr": arrays, "padding": "nopad", "folds": _folds(folds)}


def _folds(folds: Sequence[tuple[int, int, str]]) -> dict[str, Json]:
    return {
        "dim_prop_func": [{"Affine": {"alpha_": alpha, "beta_": 0}} for alpha, _, _ in folds],
        "dim_prop_attr": [{"factor_": factor, "label_": label} for _, factor, label in folds],
    }


def _factors(cores: int) -> list[Json]:
    return [{"factor_": count, "label_": label} for count, label in ((cores, "core"), (1, "corelet"), (1, "time"))]


def _labelled(form: SdscForm, place: int, tensor: TensorForm) -> dict[str, Json]:
    here: dict[str, Json] = {"isPresent": 1}
    lx = tensor.arg.place.room is Room.LX
    return {
        "ldsIdx_": place,
        "dsName_": f"Tensor{place}",
        "dsType_": tensor.layout,
        "scale_": [tensor.scales.get(name, PRESENT) for name in form.layout_of(tensor).order],
        "wordLength": tensor.word_bytes,
        "dataFormat_": tensor.arg.device_dtype,
        "memOrg_": {"lx": here} if lx else {"hbm": here, "lx": here},
    }


def _constants(form: SdscForm) -> Json:
    values = dict(form.spec.constants)
    if form.masks:
        values[_MASK] = {"max": -math.inf, "exp": -math.inf, "min": math.inf}.get(form.spec.op, 0.0)
    if not values:
        return "{}"
    kind = form.tensors[0].arg.device_dtype
    return {str(place): _constant(name, value, kind) for place, (name, value) in enumerate(values.items())}


def _constant(name: str, value: float, kind: str) -> dict[str, Json]:
    data: dict[str, Json] = {
        "dim_prop_func": [{"Const": {}}, {"Const": {}}, {"Map": {}}],
        "dim_prop_attr": _factors(1),
        "data_": {"[0, 0, 0]": [device_number(value, kind)]},
    }
    return {"dataFormat_": kind, "name_": name, "data_": data}


def _compute(form: SdscForm) -> dict[str, Json]:
    last = len(form.tensors) - 1
    inputs = [place for place, tensor in enumerate(form.tensors) if tensor.arg.is_input]
    if form.spec.is_reduction and form.spec.op not in CONTRACTIONS:
        inputs.append(last)  # what is folded into
    return {
        "exUnit": "pt" if form.spec.op in CONTRACTIONS else "sfp",
        "opFuncName": form.function,
        "attributes_": {"dataFormat_": form.tensors[0].arg.device_dtype, "fidelity_": "regular"},
        "location": "Inner",
        "inputLabeledDs": [f"Tensor{place}-idx{place}" for place in inputs],
        "outputLabeledDs": [f"Tensor{last}-idx{last}"],
    }
