"""Files made to run code: each tries to create a marker file, and each is ignored or refused in words."""

from __future__ import annotations

import json
import pickle
import re
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode

from compiler.errors import InputError, StudioError
from compiler.frontend.archive import read_archive, read_notes, read_open_sizes, read_tensors
from tests.compiler.frontend.archives import (
    CONSTANTS,
    MODEL,
    SAMPLES,
    WEIGHTS,
    Json,
    Marker,
    Parts,
    Small,
    graph_of,
    parts_of,
    pickled,
    rename,
    save,
    with_json,
    write_parts,
)


@dataclass(frozen=True)
class Attack:
    """What a crafted file tries to create, the names it may use for that, and the parts of a sound file."""

    marker: Path
    module: str
    parts: Parts

    @property
    def code(self) -> str:
        """A Python expression that creates the marker."""
        return f"__import__('pathlib').Path({str(self.marker)!r}).touch()"

    def model(self, edit: Callable[[Json], object]) -> Parts:
        return with_json(self.parts, MODEL, edit)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Parts:
    return parts_of(save(tmp_path_factory.mktemp("sound") / "small.pt2", Small(), torch.ones(2, 8)))


@pytest.fixture
def attack(tmp_path: Path, sound: Parts, monkeypatch: pytest.MonkeyPatch) -> Attack:
    """An attack whose marker may also be created by importing a module that lies on the path."""
    marker = tmp_path / "marker"
    (tmp_path / "planted_module.py").write_text(f"import pathlib\npathlib.Path({str(marker)!r}).touch()\nEvil = dict\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    return Attack(marker, "planted_module", sound)


def set_size(document: Json, text: str) -> None:
    meta = graph_of(document)["tensor_values"]["x"]
    meta["sizes"][0] = {"as_expr": {"expr_str": text, "hint": {"as_int": 2}}}


def set_target(document: Json, target: str) -> None:
    node = graph_of(document)["nodes"][1]
    node["target"] = target


def first_signature(document: Json) -> Json:
    return document["graph_module"]["module_call_graph"][0]["signature"]


def set_in_spec(document: Json, kind: str, context: Json) -> None:
    signature = first_signature(document)
    protocol, tree = json.loads(signature["in_spec"])
    tree["children_spec"][0] = {
        "type": kind,
        "context": context,
        "children_spec": tree["children_spec"][0]["children_spec"],
    }
    signature["in_spec"] = json.dumps([protocol, tree])


IGNORED: dict[str, Callable[[Attack], Parts]] = {
    "a pickle as sample inputs": lambda a: {**a.parts, SAMPLES: pickled(Marker(a.marker))},
    "a bare pickle as sample inputs": lambda a: {**a.parts, SAMPLES: pickle.dumps(Marker(a.marker))},
    "guards": lambda a: a.model(lambda d: d.update(guards_code=[a.code])),
    "metadata of the module": lambda a: a.model(lambda d: d["graph_module"]["metadata"].update(custom=a.code)),
    "a function in the metadata of a node": lambda a: a.model(
        lambda d: graph_of(d)["nodes"][0]["metadata"].update(source_fn_stack=f"x,{a.code}", from_node=a.code)
    ),
    "an enumeration as a key of the arguments": lambda a: a.model(
        lambda d: set_in_spec(
            d, "builtins.dict", json.dumps([{"__enum__": True, "fqn": f"{a.module}:Evil", "name": "x"}])
        )
    ),
    "a default factory of the arguments": lambda a: a.model(
        lambda d: set_in_spec(
            d,
            "collections.defaultdict",
            {"default_factory_module": a.module, "default_factory_name": "Evil", "dict_context": ["x"]},
        )
    ),
    "pickles that nothing refers to": lambda a: {
        **a.parts,
        "data/constants/custom_obj_0": pickle.dumps(Marker(a.marker)),
        "data/weights/model.pt": pickle.dumps(Marker(a.marker)),
        "extra/model.pkl": pickle.dumps(Marker(a.marker)),
    },
}


@pytest.mark.parametrize("craft", IGNORED.values(), ids=IGNORED)
def test_what_nobody_needs_is_not_touched(tmp_path: Path, attack: Attack, craft: Callable[[Attack], Parts]) -> None:
    path = write_parts(tmp_path / "crafted.pt2", craft(attack))
    program = read_archive(path)
    assert len(program.graph.nodes) == 12
    assert program.module()(torch.ones(2, 8)).shape == (2, 4)
    assert read_tensors(path, program) is not None
    assert not attack.marker.exists()


@pytest.mark.parametrize("protocol", [0, 1, 2, 3, 4, 5])
def test_code_in_pickles_is_told_of(tmp_path: Path, attack: Attack, protocol: int) -> None:
    crafted = {
        **attack.parts,
        SAMPLES: pickle.dumps(Marker(attack.marker), protocol),
        "data/constants/custom_obj_0": b"PK broken",
    }
    samples, broken = read_notes(write_parts(tmp_path / "crafted.pt2", crafted))
    assert re.fullmatch(
        r"its part data/sample_inputs/model\.pt holds code .* \('.*Path.*'\), and was not read", samples
    )
    assert broken == "its part data/constants/custom_obj_0 cannot be examined, and was not read"
    assert not attack.marker.exists()


def test_the_code_in_a_pickle_of_torch_is_told_of(tmp_path: Path, attack: Attack) -> None:
    (note,) = read_notes(write_parts(tmp_path / "x.pt2", {**attack.parts, SAMPLES: pickled(Marker(attack.marker))}))
    assert "Path" in note


def test_nothing_is_told_of_sound_archives(tmp_path: Path, sound: Parts) -> None:
    assert read_notes(write_parts(tmp_path / "sound.pt2", sound)) == ()
    with FakeTensorMode():
        fake = save(tmp_path / "fake.pt2", nn.Linear(8, 4), torch.ones(2, 8))
    assert read_notes(fake) == ()


def payload(parts: Parts, member: str, **fields: Json) -> Parts:
    return with_json(parts, member, lambda d: next(iter(d["config"].values())).update(fields))


REFUSED: dict[str, tuple[Callable[[Attack], Parts], str]] = {
    "a shape": (lambda a: a.model(lambda d: set_size(d, a.code)), "a shape expression is not one that torch writes"),
    "a shape behind a sound one": (
        lambda a: a.model(lambda d: set_size(d, f"Add(Symbol('s0', positive=True), {a.code})")),
        "a shape expression is not one that torch writes",
    ),
    "an assumption about a size": (
        lambda a: a.model(lambda d: set_size(d, f"Symbol('s0', positive={a.code})")),
        "a shape expression is not one that torch writes",
    ),
    "the name of a size": (
        lambda a: a.model(lambda d: set_size(d, f"Symbol('{a.code}')")),
        "a shape expression is not one that torch writes",
    ),
    "a symbolic integer": (
        lambda a: a.model(lambda d: graph_of(d)["sym_int_values"].update(n={"as_expr": {"expr_str": a.code}})),
        "a shape expression is not one that torch writes",
    ),
    "a function of torch": (lambda a: a.model(lambda d: set_target(d, "torch.hub.load")), "may not call it"),
    "a function of a module inside torch": (
        lambda a: a.model(lambda d: set_target(d, "torch.os.system")),
        "operator torch.os.system .*may not call it",
    ),
    "a function of operator": (lambda a: a.model(lambda d: set_target(d, "_operator.call")), "may not call it"),
    "an operator of TorchScript that writes files": (
        lambda a: a.model(lambda d: set_target(d, "torch.ops.aten.save.default")),
        "operator aten::save",
    ),
    "an operator that maps files": (
        lambda a: a.model(lambda d: set_target(d, "torch.ops.aten.from_file.default")),
        "operator aten::from_file.*reaches beyond its operands",
    ),
    "an operator that takes an address from a tensor": (
        lambda a: a.model(lambda d: set_target(d, "torch.ops.aten.fbgemm_linear_int8_weight.default")),
        "operator aten::fbgemm_linear_int8_weight",
    ),
    "an internal operator": (
        lambda a: a.model(lambda d: set_target(d, "torch.ops.aten._wrapped_quantized_linear_prepacked.default")),
        "operator aten::_wrapped_quantized_linear_prepacked.*internal to torch",
    ),
    "a method of torch.ops": (
        lambda a: a.model(lambda d: set_target(d, "torch.ops.load_library")),
        "operator torch.ops.load_library",
    ),
    "a registered extension": (lambda a: a.model(lambda d: set_target(d, f"#{a.module}:Evil")), "may not call it"),
    "code as a target": (lambda a: a.model(lambda d: set_target(d, a.code)), "may not call it"),
    "a function as an operand": (
        lambda a: a.model(lambda d: graph_of(d)["nodes"][1]["inputs"][0].update(arg={"as_operator": "torch.hub.load"})),
        "passes a function",
    ),
    "a pickled weight": (lambda a: payload(a.parts, WEIGHTS, use_pickle=True), "an object stored as a pickle"),
    "a pickled constant": (lambda a: payload(a.parts, CONSTANTS, use_pickle=True), "an object stored as a pickle"),
    "an opaque object": (
        lambda a: payload(a.parts, CONSTANTS, use_pickle=True, tensor_meta=None, path_name="opaque_obj_0"),
        "an object stored as a pickle",
    ),
    "a custom object": (
        lambda a: a.model(
            lambda d: graph_of(d)["custom_obj_values"].update(o={"name": "o", "class_fqn": "planted_module.Evil"})
        ),
        "holds 'planted_module.Evil', an object stored as a pickle",
    ),
    "a custom object as an operand": (
        lambda a: a.model(
            lambda d: graph_of(d)["nodes"][1]["inputs"][0].update(
                arg={"as_custom_obj": {"name": "o", "class_fqn": "planted_module.Evil"}}
            )
        ),
        "an object stored as a pickle",
    ),
    "the name of a result": (
        lambda a: a.model(lambda d: rename(d, "relu", f"relu = {a.code}; relu")),
        "as a name, which torch never writes",
    ),
    "the name of an input": (
        lambda a: a.model(lambda d: rename(d, "x", f"x):\n    {a.code}\ndef g(x")),
        "as a name, which torch never writes",
    ),
    "the path of a parameter": (
        lambda a: {
            n: d.replace(b'"fc.bias"', json.dumps(f'fc"), {a.code}, getattr(self, "b').encode())
            for n, d in a.parts.items()
        },
        "as the path of a parameter",
    ),
    "a path that hides a method": (
        lambda a: {n: d.replace(b'"fc.bias"', b'"forward"') for n, d in a.parts.items()},
        "'forward' as the path of a parameter",
    ),
    "the name of an argument": (
        lambda a: a.model(lambda d: first_signature(d).update(forward_arg_names=[f"x={a.code}"])),
        "as a name, which torch never writes",
    ),
    "the name of an operand": (
        lambda a: a.model(lambda d: graph_of(d)["nodes"][1]["inputs"][0].update(name=f"self={a.code}")),
        "as the name of an operand",
    ),
    "the dialect": (lambda a: a.model(lambda d: d.update(verifiers=[a.module])), "dialect 'planted_module'"),
    "a payload outside of its folder": (
        lambda a: payload(a.parts, WEIGHTS, path_name="../../../etc/passwd"),
        "would lie in '../../../etc/passwd'",
    ),
}


@pytest.mark.parametrize(("craft", "sentence"), REFUSED.values(), ids=REFUSED)
def test_what_would_run_is_refused(
    tmp_path: Path, attack: Attack, craft: Callable[[Attack], Parts], sentence: str
) -> None:
    path = write_parts(tmp_path / "crafted.pt2", craft(attack))
    with pytest.raises(StudioError, match=sentence) as caught:
        read_archive(path)
    assert "\n" not in str(caught.value)
    assert not attack.marker.exists()


def test_a_shape_does_not_run_either_when_sizes_are_asked_for(tmp_path: Path, attack: Attack) -> None:
    path = write_parts(tmp_path / "crafted.pt2", attack.model(lambda d: set_size(d, attack.code)))
    with pytest.raises(InputError, match="a shape expression"):
        read_open_sizes(path)
    assert not attack.marker.exists()


def raw_archive(path: Path, *members: tuple[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members:
            archive.writestr(name, data)
    return path


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("m/../../evil", "leads elsewhere"),
        ("m//evil", "leads elsewhere"),
        ("/m/evil", "odd name"),
        ("m/e\\vil", "odd name"),
        ("m/e\nvil", "odd name"),
        ("m/" + "x" * 500, "odd name"),
        ("n/evil", "different folders"),
    ],
)
def test_member_names_that_lead_elsewhere_are_refused(tmp_path: Path, name: str, sentence: str) -> None:
    path = raw_archive(tmp_path / "x.pt2", ("m/models/model.json", b"{}"), (name, b""))
    with pytest.raises(InputError, match=sentence):
        read_archive(path)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_members_of_one_name_are_refused(tmp_path: Path) -> None:
    path = raw_archive(tmp_path / "x.pt2", ("m/models/model.json", b"{}"), ("m/models/model.json", b"{}"))
    with pytest.raises(InputError, match=r"two parts named models/model\.json"):
        read_archive(path)


def test_an_archive_that_unpacks_to_too_much_is_refused(tmp_path: Path, sound: Parts) -> None:
    bomb = {**sound, MODEL: b" " * (64 << 20) + sound[MODEL]}
    path = write_parts(tmp_path / "bomb.pt2", bomb, zipfile.ZIP_DEFLATED)
    assert path.stat().st_size < 1 << 20
    with pytest.raises(InputError, match=r"claims to unpack to 67,\d{3},\d{3} bytes"):
        read_archive(path)


def test_a_document_that_is_too_large_is_refused(tmp_path: Path, sound: Parts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("compiler.frontend.archive_zip.JSON_BYTES", 1000)
    path = write_parts(tmp_path / "large.pt2", sound)
    with pytest.raises(InputError, match="more than the allowed 1,000"):
        read_archive(path)


def test_an_archive_of_too_many_members_is_refused(
    tmp_path: Path, sound: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("compiler.frontend.archive_zip.MEMBERS", 5)
    with pytest.raises(InputError, match="more than the 5 that it may have"):
        read_archive(write_parts(tmp_path / "many.pt2", sound))


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"a":' * 50_000, "1" * 10_000, "\xff", '{"schema_version": {"major": 8}}']
)
def test_odd_documents_are_refused(tmp_path: Path, sound: Parts, text: str) -> None:
    path = write_parts(tmp_path / "odd.pt2", {**sound, MODEL: text.encode("latin-1")})
    with pytest.raises(InputError):
        read_archive(path)


def test_a_tensor_too_large_for_any_machine_is_refused(tmp_path: Path, attack: Attack) -> None:
    def widen(document: Json) -> None:
        graph_of(document)["tensor_values"]["x"]["sizes"] = [{"as_int": 2**50}, {"as_int": 8}]

    with pytest.raises(InputError, match="would need more than 64 TiB"):
        read_archive(write_parts(tmp_path / "wide.pt2", attack.model(widen)))


def test_another_version_of_the_format_is_refused_with_both_versions(tmp_path: Path, attack: Attack) -> None:
    path = write_parts(tmp_path / "new.pt2", attack.model(lambda d: d["schema_version"].update(major=9)))
    with pytest.raises(InputError, match="written in version '9' of the format, not in 8"):
        read_archive(path)
