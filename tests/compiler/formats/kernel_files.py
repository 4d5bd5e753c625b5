"""Files of kernels for tests: the softmax of the published example as a folder, and a wrapper with an addition."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from compiler.emit.bundle import bundle_text
from compiler.emit.launch_spec import launch_spec_text
from compiler.emit.provenance import provenance_text
from compiler.emit.sdsc_address import Numbering
from compiler.emit.sdsc_form import sdsc_form
from compiler.emit.superdsc import superdsc_text
from compiler.formats.opspec import DebugHandle, KernelArgument, KernelSpec, OpSpec, Source
from tests.compiler.spec_sketch import softmax


def softmax_kernel() -> KernelSpec:
    """[512, 1024] over the last dim, with its two arguments and the origin of every op."""
    kernel = softmax()
    arguments = tuple(
        KernelArgument(
            number,
            f"arg{number}",
            number == 0,
            (512, 1024),
            (1024, 1),
            "float16",
            (16, 512, 64),
            (64, 1024, 1),
            "SEN169_FP16",
        )
        for number in range(2)
    )
    body = tuple(_traced(op, number) for number, op in enumerate(kernel.ops()))
    return KernelSpec(kernel.name, body, arguments)


def _traced(op: OpSpec, number: int) -> OpSpec:
    inner = DebugHandle(Source("model.py", 3, 4, 3, 20), "aten._softmax.default", ("softmax",))
    handle = DebugHandle(None, None, (op.op, f"buf{number}"), (inner,))
    return OpSpec(op.op, op.is_reduction, op.iteration, op.args, handle=handle)


def write_kernel(folder: Path, kernel: KernelSpec) -> Path:
    """The folder of a kernel: its files, bundle, launch specification and sidecar."""
    (folder / "spyreCodeDir").mkdir(parents=True)
    numbering, addresses = Numbering(), []
    for number, op in enumerate(kernel.ops()):
        form = sdsc_form(op)
        addresses.append(numbering.number(form))
        (folder / f"sdsc_{number}.json").write_text(superdsc_text(form, number, addresses[-1]), "utf-8")
    (folder / "bundle.mlir").write_text(bundle_text(kernel, addresses), "utf-8")
    (folder / "spyreCodeDir" / "launch_spec.json").write_text(launch_spec_text(kernel), "utf-8")
    (folder / "spyre_provenance.json").write_text(provenance_text([kernel]), "utf-8")
    return folder


def edit(path: Path, change: Callable[[Any], object]) -> None:
    """Change the data of a JSON file."""
    data = json.loads(path.read_text("utf-8"))
    change(data)
    path.write_text(json.dumps(data), "utf-8")


def inner(data: Any) -> Any:  # noqa: ANN401
    """The op of a SuperDSC file."""
    return next(iter(data.values()))


def dsc(data: Any) -> Any:  # noqa: ANN401
    """What the op of a SuperDSC file does."""
    return next(iter(inner(data)["dscs_"][0].values()))


_OP = "OpSpec(op='add', is_reduction=False, iteration_space={sympify('c0'): (sympify('64'), 1)}, args=[%s])"
_ARG = (
    "TensorArg(is_input=%s, arg_index=%d, device_dtype=DataFormats.SEN169_FP16, device_size=[1, 64], "
    "device_coordinates=[sympify('floor(c0/64)'), sympify('%s')], allocation={'hbm': %d})"
)


def wrapper(op: str = "", coordinate: str = "Mod(c0, 64)") -> str:
    """A wrapper with one addition of two rows, or with another op in its place."""
    args = [_ARG % (number < 2, number, coordinate, number) for number in range(3)]
    return f"k0 = async_compile.sdsc('sdsc_fused_add_0', [{op or _OP % ', '.join(args)}])\n"
