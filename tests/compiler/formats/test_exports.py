"""The table of exports: what is refused before anything is written, and which files there are."""

from __future__ import annotations

import json

import pytest

from compiler.compilation import Compilation
from compiler.emit import FORMATS, export, ready
from compiler.emit.kernel_folders import folder_names
from compiler.errors import InputError
from compiler.formats.opspec import KernelSpec
from tests.compiler.formats.exported import example


def texts(compilation: Compilation, name: str) -> dict[str, str]:
    """The files of an export, as they would be on disk."""
    found: dict[str, str] = {}
    for part in ready(compilation, name, {"ops": "all"} if name == "hints" else {}).parts(partial=True):
        found[part.path] = found.get(part.path, "") + part.text
    return found


@pytest.mark.parametrize("name", [*FORMATS])
@pytest.mark.parametrize("model", ["softmax", "mlp", "decoder"])
def test_every_format_writes_the_same_twice(name: str, model: str) -> None:
    made = example(model)
    first = texts(made, name)
    assert first == texts(made, name)
    assert all(first.values())
    for path, text in first.items():
        if path.endswith(".json") or (not path and FORMATS[name].suffix == ".json"):
            json.loads(text)


def test_a_kernel_folder_has_a_file_per_op_and_what_goes_with_it() -> None:
    found = texts(example("softmax"), "kernels")
    kernel = "kernel0"
    ops = [path for path in found if "sdsc_" in path]
    assert ops == [f"{kernel}/sdsc_{number}.json" for number in range(len(ops))]
    rest = {f"{kernel}/bundle.mlir", f"{kernel}/spyreCodeDir/launch_spec.json", "spyre_provenance.json"}
    assert set(found) - set(ops) == rest
    assert all(f'sdsc_filename="sdsc_{number}.json"' in found[f"{kernel}/bundle.mlir"] for number in range(len(ops)))


def test_what_the_host_has_to_fill_is_written_beside() -> None:
    rows = json.loads(texts(example("rmsnorm"), "kernels")["host_constants.json"])
    assert rows
    arguments = json.loads(texts(example("rmsnorm"), "opspec-json")[""])["kernels"][0]["arguments"]
    assert set(rows) <= {one["name"] for one in arguments}
    assert all(row["formula"] for row in rows.values())


@pytest.mark.parametrize("name", ["kernels", "opspec-json", "ktir"])
def test_what_a_format_has_no_words_for_is_named_before_anything_is_written(name: str) -> None:
    made = ready(example("convnet"), name)
    assert any("stem.conv" in limit for limit in made.limits)
    with pytest.raises(InputError, match=r"no words for stem\.conv.*and \d+ more"):
        made.parts()
    assert next(iter(made.parts(partial=True))).text


def test_what_cannot_be_exported_is_a_sentence() -> None:
    made = example("mlp")
    with pytest.raises(InputError, match="there is no such format; use plan-json"):
        ready(made, "pdf")
    with pytest.raises(InputError, match="has no such choice; use new or old"):
        ready(made, "ktir", {"spelling": "odd"})
    with pytest.raises(InputError, match="has no such choice; leave it out"):
        ready(made, "plan-json", {"spelling": "old"})
    with pytest.raises(InputError, match="a folder with several files"):
        export(made, "kernels")


def test_both_spellings_of_memory_spaces() -> None:
    made = example("mlp")
    new, old = export(made, "ktir"), export(made, "ktir", {"spelling": "old"})
    assert "#ktdp.memory_space<ct_local" in new
    assert "spyre_memory_space" not in new
    assert "#ktdp.spyre_memory_space<LX" in old
    assert "#ktdp.memory_space" not in old


def test_the_device_description_has_the_numbers_of_the_device() -> None:
    made = example("mlp")
    device, text = made.problem.device, export(made, "device-mlir")
    assert f'kind = "L1", size = {device.count("lx_bytes")}' in text
    assert text.count("#ktdf_arch.map<f16 = 64>") == 1
    assert text.count("exec_unit #SFU\n") == device.count("corelets")
    assert text.count("{") == text.count("}")


def test_a_device_without_the_numbers_is_named() -> None:
    made = ready(example("mismatch", device="sample"), "device-mlir")
    assert any("sample: its device file has no number" in limit for limit in made.limits)


def test_names_of_folders_are_plain_and_differ() -> None:
    names = ("a/b", "a b", "A_B", "..", "", "x")
    found = folder_names([KernelSpec(name, ()) for name in names])
    assert len({name.lower() for name in found}) == len(names)
    assert all(name and "/" not in name and name.strip(".") for name in found)
