"""What op specifications say of their arguments is held against what their ops do with them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compiler.emit import ready
from compiler.errors import InputError
from compiler.import_log import Disagreement
from compiler.read.kernel_folder import ReadKernels, read_programs
from tests.compiler.formats.exported import example

Whole = dict[str, Any]


def read(folder: Path, change: Callable[[Whole], object]) -> ReadKernels:
    data = json.loads("".join(part.text for part in ready(example("softmax"), "opspec-json").parts()))
    change(data)
    path = folder / "softmax.json"
    path.write_text(json.dumps(data), "utf-8")
    return read_programs(path)


def kernel(data: Whole) -> dict[str, Any]:
    found: dict[str, Any] = data["kernels"][0]
    return found


def first(data: Whole) -> dict[str, Any]:
    found: dict[str, Any] = kernel(data)["body"][0]["args"][0]
    return found


@pytest.mark.parametrize(
    ("change", "wanted", "wrong"),
    [
        (lambda data: None, "", False),
        (lambda data: first(data).update(device_dtype="SEN9_NEW"), "SEN9_NEW, which nobody here knows", False),
        (
            lambda data: first(data).update(arg_index=7, allocation={"hbm": 7}),
            "uses argument 7, the kernel has 2",
            True,
        ),
        (
            lambda data: kernel(data)["arguments"][0].update(device_size=[8, 512, 64]),
            "sees argument 0 as [16, 512, 64] on the device, the kernel has it as [8, 512, 64]",
            True,
        ),
        (
            lambda data: kernel(data)["arguments"][0].update(shape=[1024, 512]),
            "of shape [1024, 512] has 1,048,064 elements on the host and 524,288 on the device",
            True,
        ),
        (lambda data: kernel(data)["arguments"][0].update(shape=[]), "has 0 sizes and 2 strides", True),
        (lambda data: kernel(data)["arguments"][0].update(dtype="zzz"), "elements of zzz on the host", True),
        (lambda data: kernel(data)["arguments"][0].update(strides=[1024, -1]), "has a stride below 0", True),
        (lambda data: kernel(data)["arguments"][0].update(stride_map=[]), "3 device dims and 0 strides", True),
        (lambda data: kernel(data)["arguments"][0].update(is_input=False), "is an output, and no op writes it", True),
        (lambda data: kernel(data)["arguments"][1].update(is_input=True), "is an input, and an op writes it", True),
        (lambda data: first(data).update(arg_index=1), "calls the argument at 0 number 1", True),
        (lambda data: first(data).update(name="y"), "calls argument 0 y, the kernel calls it x", True),
        (lambda data: first(data).update(device_dtype="IEEE_FP32"), "the kernel has it in SEN169_FP16", True),
        (
            lambda data: kernel(data)["body"][1]["iteration_space"].update(c0=[1024, 4]),
            "walks places 0 to 1,023 of device dim 1 of x, which has 512",
            True,
        ),
        (lambda data: kernel(data)["arguments"][0].update(strides=[1]), "2 sizes and 1 strides", True),
        (lambda data: kernel(data)["arguments"][1].update(number=0), "two of its arguments have the same number", True),
    ],
)
def test_what_cannot_be_is_said(tmp_path: Path, change: Callable[[Whole], object], wanted: str, wrong: bool) -> None:
    found = read(tmp_path, change).findings
    assert bool(found) == bool(wanted)
    if wanted:
        told = next(one for one in found if wanted in one)
        assert isinstance(told, Disagreement) is wrong
        assert told.startswith("kernel0: ")


def test_names_are_printable(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="characters that cannot be printed"):
        read(tmp_path, lambda data: data.update(model="soft\nmax"))
