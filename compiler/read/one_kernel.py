"""Kernel folder: one kernel out of its SuperDSC files, its bundle, its launch specification and its sidecar.

Owns which file says what: the bundle order, loops and addresses, the launch specification shapes and types, the sidecar
source lines.  Refuses files that the bundle names and that are not there, and links that lead out of the folder.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from frozendict import frozendict

from compiler.counts import counted
from compiler.errors import InputError
from compiler.formats.opspec import DebugHandle, KernelSpec, LoopSpec, OpSpec
from compiler.import_log import placed
from compiler.read.argument_faults import argument_faults
from compiler.read.buffer_bases import with_buffer_bases
from compiler.read.bundle import Bundle, BundleAddress, BundleLoop, Execution, read_bundle
from compiler.read.folder_walk import (
    BUNDLE,
    CODE_FOLDER,
    LAUNCH,
    SIDECAR,
    entries,
    is_file,
    is_folder,
    is_inside,
    sdsc_files,
)
from compiler.read.kernel_arguments import pool_bytes_of, with_arguments
from compiler.read.launch_spec import LaunchSpec, read_launch_spec
from compiler.read.plain import parse_json, read_file, read_json
from compiler.read.provenance import Provenance, read_provenance
from compiler.read.residency import beyond_scratchpad, residency_findings
from compiler.read.rewritten import rewritten_findings
from compiler.read.superdsc import SdscFile, read_superdsc
from compiler.read.true_extents import with_true_extents

LARGEST_FILE: Final = 32 * 1024 * 1024
"""Bytes of one SuperDSC file."""
_FOLDER_NAME: Final = re.compile(r"[0-9a-f]{8}_(.+)_[^_]+")
Extra = frozendict[str, frozendict[str, str]]
Place = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ReadFolder:
    """A kernel; what disagrees or differs from today's files, one sentence each; unknown fields by file; files that are
    only listed; the sidecar, if there is one."""

    kernel: KernelSpec
    findings: tuple[str, ...]
    extra: Extra
    listed: tuple[str, ...]
    provenance: Provenance | None


def read_folder(
    folder: Path, scratchpad_bytes: int, bundle: str = BUNDLE, sidecar: Provenance | None = None
) -> ReadFolder:
    """The kernel of a folder; InputError with one sentence for what cannot be read.

    `sidecar` is one that speaks of several kernels; one in the folder itself comes before it.
    """
    return _Reader(folder, scratchpad_bytes, bundle, sidecar).read()


def read_sidecar(folder: Path) -> Provenance | None:
    """The sidecar in a folder, or beside the binary in it; None if there is none."""
    path = _inside(folder, SIDECAR)
    return read_provenance(read_json(path), str(path)) if path else None


def read_alone(path: Path, scratchpad_bytes: int) -> ReadFolder:
    """A single SuperDSC file as a kernel of one op."""
    found = read_superdsc(read_json(path), str(path), None)
    kernel, _ = with_arguments(KernelSpec(path.stem, (found.spec,)), {}, LAUNCH)
    kernel = replace(kernel, pool_bytes=pool_bytes_of(kernel))
    alone = "it was read without its bundle, so its arguments are numbered as they come"
    findings = (*found.findings, *beyond_scratchpad(kernel, scratchpad_bytes), alone)
    extra = frozendict({path.name: unknown_of(found.spec)})
    return ReadFolder(kernel, tuple(placed(path.name, each) for each in findings), _filled(extra), (), None)


def unknown_of(spec: OpSpec) -> frozendict[str, str]:
    """Unknown fields of an op and of its arguments, with the place of the latter."""
    of_args = {f"args[{n}].{key}": text for n, arg in enumerate(spec.args) for key, text in arg.extra.items()}
    return frozendict({**spec.extra, **of_args})


def _filled(extra: Mapping[str, frozendict[str, str]]) -> Extra:
    return frozendict((name, fields) for name, fields in extra.items() if fields)


def _inside(folder: Path, name: str) -> Path | None:
    """A file of a folder, or of the one for the binary in it; None if there is none."""
    for path in (folder / name, folder / CODE_FOLDER / name):
        if not os.path.lexists(path):
            continue
        if not is_inside(path, folder):
            raise InputError(str(path), "it is a link out of its folder", "copy the file itself into the folder")
        return path
    return None


@dataclass(slots=True)
class _Reader:
    folder: Path
    scratchpad_bytes: int
    bundle: str
    sidecar: Provenance | None
    findings: list[str] = field(default_factory=list)
    extra: dict[str, frozendict[str, str]] = field(default_factory=dict)
    contents: dict[str, object] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)

    def read(self) -> ReadFolder:
        bundle, launch = self._bundle(), self._launch()
        body = tuple(self._part(part) for part in bundle.body) if bundle else tuple(self._unordered())
        pool = max(bundle.pool_bytes if bundle else 0, launch.pool_bytes if launch else 0)
        kernel = KernelSpec(launch.kernel if launch else self._name(), body, pool_bytes=pool)
        kernel = with_buffer_bases(kernel)
        said = pool > 0 or (bundle is not None and bundle.pool_said)
        kernel = replace(kernel, pool_bytes=pool if said else pool_bytes_of(kernel))
        known = {argument.number: argument for argument in launch.arguments} if launch else {}
        kernel, disagreed = with_arguments(kernel, known, LAUNCH)
        provenance = read_sidecar(self.folder) or self.sidecar
        kernel = with_true_extents(self._with_handles(kernel, provenance))
        self.findings += [
            *disagreed,
            *argument_faults(kernel, whole=False),
            *residency_findings(kernel, self.scratchpad_bytes),
            *self._missing(kernel, launch),
            *rewritten_findings(self._by_file(kernel), self.contents),
        ]
        return ReadFolder(kernel, tuple(dict.fromkeys(self.findings)), _filled(self.extra), self._listed(), provenance)

    def _by_file(self, kernel: KernelSpec) -> dict[str, OpSpec]:
        """The ops of the kernel by the file that they were read from, each file once."""
        return dict(zip(self.files, kernel.ops(), strict=True))

    def _name(self) -> str:
        name = self.folder.resolve().name
        found = _FOLDER_NAME.fullmatch(name)
        return found[1] if found else name

    # Files

    def _bundle(self) -> Bundle | None:
        path = _inside(self.folder, self.bundle)
        if path is None:
            self.findings.append(
                f"it has no {BUNDLE}: its files are taken in order of their numbers, without addresses"
            )
            return None
        found = read_bundle(read_file(path), str(path))
        self.findings += [placed(BUNDLE, each) for each in found.findings]
        named = {execution.file for execution in found.executions}
        idle = [path.name for path in sdsc_files(self.folder) if path.name not in named]
        self.findings += [f"{name} is not run by {BUNDLE}" for name in idle]
        return found

    def _launch(self) -> LaunchSpec | None:
        path = _inside(self.folder, LAUNCH)
        if path is None:
            return None
        found = read_launch_spec(read_json(path), str(path))
        self.extra[LAUNCH] = found.extra
        self.findings += [placed(LAUNCH, each) for each in found.findings]
        return found

    def _listed(self) -> tuple[str, ...]:
        """Files that nobody here reads, with their sizes."""
        code = self.folder / CODE_FOLDER
        inner = entries(code) if is_folder(code) and is_inside(code, self.folder) else []
        files = [path for path in (*entries(self.folder), *inner) if is_file(path)]
        read = {self.bundle, LAUNCH, SIDECAR, *self.contents}
        return tuple(
            f"{path.relative_to(self.folder).as_posix()} ({path.lstat().st_size:,} bytes)"
            for path in files
            if path.name not in read
        )

    # Ops

    def _part(self, part: Execution | BundleLoop) -> OpSpec | LoopSpec:
        if isinstance(part, BundleLoop):
            return LoopSpec(part.count, tuple(self._part(each) for each in part.body))
        where = f"{self.folder / BUNDLE}, line {part.line}"
        return self._op(part.file, part.addresses if part.addresses is not None else {}, where).spec

    def _unordered(self) -> Iterator[OpSpec]:
        files = sdsc_files(self.folder)
        if not files:
            raise InputError(str(self.folder), "it holds no sdsc file", "choose the folder of a kernel")
        for path in files:
            yield self._op(path.name, None, str(self.folder)).spec

    def _op(self, name: str, addresses: Mapping[int, BundleAddress] | None, where: str) -> SdscFile:
        path = _inside(self.folder, name)
        if path is None:
            raise InputError(
                where, f"it runs {name}, which is not in the folder", "copy the whole folder of the kernel"
            )
        if name not in self.contents:
            self.contents[name] = parse_json(read_file(path, LARGEST_FILE), str(path))
        self.files.append(name)
        found = read_superdsc(self.contents[name], str(path), addresses)
        self.findings += [placed(name, each) for each in found.findings]
        self.extra[name] = unknown_of(found.spec)
        return found

    # Where ops come from

    def _with_handles(self, kernel: KernelSpec, provenance: Provenance | None) -> KernelSpec:
        handles = provenance.handles_of(kernel.name) if provenance else frozendict[Place, DebugHandle]()
        if provenance and not handles:
            self.findings.append(f"{SIDECAR} says nothing about {kernel.name}")
        body = tuple(self._traced(part, handles, (place,)) for place, part in enumerate(kernel.body))
        return replace(kernel, body=body)

    def _traced(self, part: OpSpec | LoopSpec, handles: Mapping[Place, DebugHandle], place: Place) -> OpSpec | LoopSpec:
        if isinstance(part, LoopSpec):
            body = (self._traced(each, handles, (*place, number)) for number, each in enumerate(part.body))
            return replace(part, body=tuple(body))
        told = handles.get(place)
        if told is None:
            return part
        if part.handle is not None and part.handle != told:
            shown = ".".join(map(str, place))
            self.findings.append(f"{SIDECAR} and the file of op {shown} ({part.op}) name different origins of it")
            return part
        return replace(part, handle=told)

    def _missing(self, kernel: KernelSpec, launch: LaunchSpec | None) -> Iterator[str]:
        """What files of today have and these do not."""
        if launch is None:
            yield f"it has no {LAUNCH}: shapes and types of its arguments are not known"
        if all(op.handle is None for op in kernel.ops()):
            yield "nothing says where its ops come from"
        repeated = sum(isinstance(part, LoopSpec) for part in kernel.body)
        if repeated:
            yield f"it keeps {counted(repeated, 'loop')}, as files since August 2026 do"
