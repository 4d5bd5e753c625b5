"""Kernel folders: every kernel as the folder that torch-spyre hands to the back end, and the provenance of all.

Owns which files there are: `KERNEL/sdsc_<i>.json`, `KERNEL/bundle.mlir`, `KERNEL/spyreCodeDir/launch_spec.json`, and
beside the kernels `spyre_provenance.json` and, where the host has to fill tensors, `host_constants.json`.  Refuses
binaries: only the back end makes them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from compiler.emit.bundle import bundle_text, generic_bundle
from compiler.emit.format import BUNDLE as BUNDLES
from compiler.emit.format import Material, Part
from compiler.emit.launch_spec import launch_spec_text
from compiler.emit.provenance import provenance_text
from compiler.emit.sdsc_address import Numbered, Numbering
from compiler.emit.sdsc_form import sdsc_form
from compiler.emit.superdsc import superdsc_text
from compiler.emit.unsaid import UnsaidError
from compiler.formats.host_constant import HostConstant
from compiler.formats.opspec import KernelSpec

BUNDLE: Final = "bundle.mlir"
LAUNCH: Final = "spyreCodeDir/launch_spec.json"
PROVENANCE: Final = "spyre_provenance.json"
CONSTANTS: Final = "host_constants.json"
_STRANGE: Final = re.compile(r"[^\w.-]+")


def kernel_files(material: Material) -> Iterator[Part]:
    """All files, kernel by kernel."""
    kernels = material.specified.kernels
    write = generic_bundle if material.choice(BUNDLES) == "generic" else bundle_text
    for folder, kernel in zip(folder_names(kernels), kernels, strict=True):
        yield from _kernel(folder, kernel, write)
    yield Part(PROVENANCE, provenance_text(kernels))
    if material.specified.constants:
        yield Part(CONSTANTS, _constants(material))


def kernel_limits(material: Material) -> tuple[str, ...]:
    """What an op specification cannot say, and what a SuperDSC file cannot say of the rest."""
    found = list(material.specified.limits)
    gone = {limit.partition(": ")[0] for limit in found}
    for kernel in material.specified.kernels:
        for spec in kernel.ops():
            found += [
                f"{spec.output.name or spec.op}: it reads {arg.name}, which is left out"
                for arg in spec.inputs
                if arg.name in gone
            ]
            try:
                Numbering().number(sdsc_form(spec))
            except UnsaidError as unsaid:
                found.append(f"{spec.output.name or spec.op}: {unsaid}")
    return tuple(found)


def folder_names(kernels: Sequence[KernelSpec]) -> tuple[str, ...]:
    """Names that every file system takes, no two alike."""
    names: list[str] = []
    for kernel in kernels:
        plain = _STRANGE.sub("_", kernel.name).strip(".") or "kernel"
        alike = sum(name.lower() == plain.lower() or name.lower().startswith(f"{plain.lower()}~") for name in names)
        names.append(f"{plain}~{alike}" if alike else plain)
    return tuple(names)


def _kernel(folder: str, kernel: KernelSpec, write: Callable[[KernelSpec, Sequence[Numbered]], str]) -> Iterator[Part]:
    numbering, addresses = Numbering(), list[Numbered]()
    for spec in kernel.ops():
        try:
            form = sdsc_form(spec)
            numbered = numbering.number(form)
        except UnsaidError:
            continue  # `kernel_limits` has said so
        number = len(addresses)
        addresses.append(numbered)
        yield Part(f"{folder}/sdsc_{number}.json", superdsc_text(form, number, addresses[-1]))
    yield Part(f"{folder}/{BUNDLE}", write(kernel, addresses))
    yield Part(f"{folder}/{LAUNCH}", launch_spec_text(kernel))


def _constants(material: Material) -> str:
    rows = {name: _constant(one) for name, one in material.specified.constants.items()}
    return json.dumps(rows, indent=1) + "\n"


def _constant(one: HostConstant) -> dict[str, object]:
    """Shape, type and formula; a formula without loops is the value."""
    return {"dtype": str(one.dtype), "loops": dict(one.loops), "formula": one.formula}
