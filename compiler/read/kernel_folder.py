"""Kernel folders and everything else that holds kernels of torch-spyre, as specifications.

Owns the one door to all readers of kernels: a SuperDSC file, a bundle, a kernel folder, a cache of several, a wrapper,
op specifications as JSON, or KTIR of ours.  Refuses files of other kinds, saying what they are; nothing that is read is
ever run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from frozendict import frozendict

from compiler.device import load_device
from compiler.errors import InputError
from compiler.formats.opspec import KernelSpec
from compiler.import_log import Disagreement, placed
from compiler.read.argument_faults import argument_faults
from compiler.read.folder_walk import is_kernel_folder, sources, walk
from compiler.read.host_constants import constant_findings
from compiler.read.ktir_document import read_ktir_document
from compiler.read.one_kernel import Extra, ReadFolder, read_alone, read_folder, read_sidecar, unknown_of
from compiler.read.opspec_json import ReadSpecs, read_opspecs
from compiler.read.plain import read_file
from compiler.read.provenance import Provenance
from compiler.read.recognise import Kind, recognise
from compiler.read.residency import residency_findings
from compiler.read.true_extents import with_true_extents
from compiler.read.wrapper_calls import Wrapper, read_calls

_DEVICE: Final = "spyre"
_LX: Final = "lx_bytes"
_MOST_WRAPPERS: Final = 200


@dataclass(frozen=True, slots=True)
class ReadKernels:
    """Kernels in the order in which they are launched.

    `findings` are what disagrees in the files or differs from what is written today, one sentence each.  `extra` holds
    unknown fields as JSON text, by file and by field.  `listed` are files that nobody reads here, `results` the names
    of the tensors that the wrapper returns, `cores` how many the kernels may use, 0 where that is not said.
    """

    name: str
    kernels: tuple[KernelSpec, ...]
    findings: tuple[str, ...] = ()
    extra: Extra = field(default_factory=frozendict)
    listed: tuple[str, ...] = ()
    provenance: tuple[Provenance, ...] = ()
    results: tuple[str, ...] = ()
    cores: int = 0


def read_programs(path: Path, scratchpad_bytes: int | None = None) -> ReadKernels:
    """The kernels of a file or folder of any kind that holds some; InputError with one sentence for everything else.

    `scratchpad_bytes`: LX of a core, against which addresses are held; that of the default device if it is left out.
    """
    lx = scratchpad_bytes if scratchpad_bytes is not None else load_device(_DEVICE).count(_LX)
    kind = recognise(path)
    if not kind.holds_kernels:
        raise _no_kernels(path, kind)
    match kind:
        case Kind.SUPERDSC:
            return _of_folder(path.stem, read_alone(path, lx))
        case Kind.BUNDLE:
            return _of_folder(path.parent.resolve().name, read_folder(path.parent, lx, path.name))
        case Kind.KERNEL_FOLDER:
            return _of_folder(path.resolve().name, read_folder(path, lx))
        case Kind.KERNEL_FOLDERS:
            return _of_folders(path, lx)
        case Kind.WRAPPER:
            return _of_wrapper(path, lx)
        case Kind.KTIR:
            return _of_specs(*read_ktir_document(read_file(path), str(path)), lx)
    return _of_specs(read_opspecs(read_file(path), str(path)), (), lx)


def _no_kernels(path: Path, kind: Kind) -> InputError:
    remedy = "choose a kernel folder, an sdsc file, a wrapper or op specifications"
    if kind in (Kind.PROVENANCE, Kind.LAUNCH_SPEC, Kind.SPYRECODE):
        remedy = "choose the kernel folder that it belongs to"
    if kind is not Kind.OTHER:
        return InputError(str(path), f"it is a {kind.value} file, which holds no kernels of its own", remedy)
    what = "folder" if path.is_dir() else "file"
    return InputError(str(path), f"this {what} holds no kernels that can be read", remedy)


def _of_folder(name: str, found: ReadFolder) -> ReadKernels:
    provenance = (found.provenance,) if found.provenance else ()
    return ReadKernels(name, (found.kernel,), found.findings, found.extra, found.listed, provenance)


def _of_specs(specs: ReadSpecs, findings: tuple[str, ...], lx: int) -> ReadKernels:
    wrong = (placed(kernel.name, each) for kernel in specs.kernels for each in argument_faults(kernel))
    used = max((op.cores for kernel in specs.kernels for op in kernel.ops()), default=0)
    few = [Disagreement(f"it is for {specs.cores} cores, its ops use {used}")] if 0 < specs.cores < used else []
    everything = (*findings, *few, *wrong, *_residency(specs.kernels, lx))
    return ReadKernels(specs.name, specs.kernels, everything, _unknown(specs.kernels), cores=specs.cores)


def _of_wrapper(path: Path, lx: int) -> ReadKernels:
    wrapper = read_calls(read_file(path), str(path))
    kernels, findings = wrapper.launched(wrapper.kernels)
    kernels = tuple(map(with_true_extents, kernels))
    everything = (*findings, *_residency(kernels, lx))
    return ReadKernels(path.stem, kernels, everything, _unknown(kernels), results=wrapper.results)


def _residency(kernels: tuple[KernelSpec, ...], lx: int) -> Iterator[str]:
    for kernel in kernels:
        yield from (placed(kernel.name, each) for each in residency_findings(kernel, lx))


def _unknown(kernels: tuple[KernelSpec, ...]) -> Extra:
    found = {f"{kernel.name}[{number}]": unknown_of(op) for kernel in kernels for number, op in enumerate(kernel.ops())}
    return frozendict((name, fields) for name, fields in found.items() if fields)


# Several kernel folders


def _of_folders(path: Path, lx: int) -> ReadKernels:
    folders = list(walk(path))
    kernel_folders = [folder for folder in folders if is_kernel_folder(folder)]
    wrappers = list(_wrappers(folders))
    if not kernel_folders:
        found = _of_wrapper(wrappers[0][0], lx)
        return replace(found, findings=(*_unused(wrappers[1:]), *found.findings))
    sidecar = read_sidecar(path)
    read = [(folder, read_folder(folder, lx, sidecar=sidecar)) for folder in kernel_folders]
    parts = {folder.relative_to(path).as_posix(): each for folder, each in read}
    kernels, findings, results = _ordered([each.kernel for _, each in read], wrappers, sidecar)
    return ReadKernels(
        path.resolve().name,
        kernels,
        (
            *constant_findings(path),
            *findings,
            *(placed(name, why) for name, each in parts.items() for why in each.findings),
        ),
        frozendict({f"{name}/{file}": kept for name, each in parts.items() for file, kept in each.extra.items()}),
        tuple(f"{name}/{file}" for name, each in parts.items() for file in each.listed),
        tuple({id(each.provenance): each.provenance for each in parts.values() if each.provenance}.values()),
        results,
    )


def _without_wrapper(names: list[str], sidecar: Provenance | None) -> tuple[list[str], str]:
    """Names of kernels in the order of the sidecar, if it names all of them, or by name; and which it was."""
    for pairs in sidecar.kernels.values() if sidecar else ():
        listed = [name for name, _ in pairs]
        if set(names) <= set(listed):
            return sorted(names, key=listed.index), "no wrapper is there: its kernels run in the order of the sidecar"
    return names, "no wrapper tells in which order its kernels run: they are taken by the names of their folders"


def _wrappers(folders: list[Path]) -> Iterator[tuple[Path, Wrapper]]:
    found = [file for file in sources(folders) if recognise(file) is Kind.WRAPPER]
    for file in found[:_MOST_WRAPPERS]:
        yield file, read_calls(read_file(file), str(file))


def _unused(wrappers: list[tuple[Path, Wrapper]]) -> Iterator[str]:
    for file, _ in wrappers:
        yield f"{file.name} is another wrapper, which was not used"


def _ordered(
    kernels: list[KernelSpec], wrappers: list[tuple[Path, Wrapper]], sidecar: Provenance | None
) -> tuple[tuple[KernelSpec, ...], list[str], tuple[str, ...]]:
    """Kernels in the order of the wrapper that names most of them, or by name; findings; results."""
    by_name: dict[str, KernelSpec] = {}
    findings = list[str]()
    for kernel in kernels:
        if kernel.name in by_name:
            findings.append(f"there are several folders of {kernel.name}; the first one was taken")
        by_name.setdefault(kernel.name, kernel)
    wrappers = sorted(wrappers, key=lambda each: -len(by_name.keys() & {kernel.name for kernel in each[1].kernels}))
    if not wrappers or not by_name.keys() & {kernel.name for kernel in wrappers[0][1].kernels}:
        order, said = _without_wrapper(list(by_name), sidecar)
        return tuple(by_name[name] for name in order), [*findings, said], ()
    wrapper = wrappers[0][1]
    names = [kernel.name for kernel in wrapper.kernels]
    findings += [f"{name} has no folder; it is read from the wrapper" for name in names if name not in by_name]
    findings += [f"{name} is not in the wrapper and was left out" for name in by_name if name not in names]
    chosen = tuple(by_name.get(kernel.name, kernel) for kernel in wrapper.kernels)
    launched, disagreed = wrapper.launched(chosen)
    return launched, [*findings, *_unused(wrappers[1:]), *disagreed], wrapper.results
