"""Recognise: which of the formats of others a file or folder is in, by what is in it and never by its name.

Owns the marks of facts 1 and looks at no more than the beginning of a file.  Refuses to judge whether it is sound: that
is said by the reader of the kind.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Final

from compiler.errors import InputError
from compiler.read.folder_walk import is_kernel_folder, sources, walk

HEAD_BYTES: Final = 1024 * 1024
_TOKEN: Final = re.compile(r'"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?|["\[{\]}]', re.DOTALL)
_MOST_TOKENS: Final = 20_000
_SDSC_KEYS: Final = frozenset({"dscs_", "sdscFoldProps_", "coreIdToWkSlice_", "numWkSlicesPerDim_", "coreIdToDsc_"})
_SDSC_NAME: Final = re.compile(r"(?:\d+_)?\w+")
_OPSPEC: Final = re.compile(r'"format"\s*:\s*"spyre-opspec"')
_WRAPPER: Final = re.compile(r"\.sdsc\s*\(\s*(?:['\"]|\w+\s*=)")
_MLIR: Final = re.compile(r"(?:\s|//[^\n]*\n)*(?:module\b|func\.func\b|#\w+\s*=|\"builtin\.module\"|ktdf_arch\.)")


class Kind(StrEnum):
    """What a file or a folder is; OTHER is everything that no reader of this package takes, our own plans included."""

    SUPERDSC = "superdsc"
    BUNDLE = "bundle"
    OPSPEC = "opspec"
    WRAPPER = "wrapper"
    PROVENANCE = "provenance"
    LAUNCH_SPEC = "launch-spec"
    SPYRECODE = "spyrecode"
    KTIR = "ktir"
    DEVICE = "device"
    KERNEL_FOLDER = "kernel-folder"
    KERNEL_FOLDERS = "kernel-folders"
    OTHER = "other"

    @property
    def holds_kernels(self) -> bool:
        """True for what `read_programs` reads."""
        return self in _PROGRAMS


_PROGRAMS: Final = frozenset(
    {Kind.SUPERDSC, Kind.BUNDLE, Kind.OPSPEC, Kind.WRAPPER, Kind.KTIR, Kind.KERNEL_FOLDER, Kind.KERNEL_FOLDERS}
)
_BY_KEYS: Final = (
    (frozenset({"schemaVersion", "eventKey"}), Kind.PROVENANCE),
    (frozenset({"version", "kernel_name", "args"}), Kind.LAUNCH_SPEC),
    (frozenset({"JobExecPlan"}), Kind.SPYRECODE),
)


def recognise(path: Path) -> Kind:
    """The kind of a file or folder; InputError only for what is not there or cannot be read."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            return _folder(path)
        if not stat.S_ISREG(mode):
            return Kind.OTHER
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "its name is none"
        raise InputError(str(path)[:200], f"it cannot be read ({why})", "check the path") from error
    return _text(head.decode("utf-8-sig", errors="ignore")) if b"\0" not in head[:4096] else Kind.OTHER


def _folder(path: Path) -> Kind:
    if is_kernel_folder(path):
        return Kind.KERNEL_FOLDER
    folders = list(walk(path))
    found = any(map(is_kernel_folder, folders)) or any(recognise(file) is Kind.WRAPPER for file in sources(folders))
    return Kind.KERNEL_FOLDERS if found else Kind.OTHER


def _text(head: str) -> Kind:
    if head.lstrip()[:1] == "{":
        return _json(head)
    if _MLIR.match(head):
        return _mlir(head)
    return Kind.WRAPPER if _WRAPPER.search(head) else Kind.OTHER


def _mlir(head: str) -> Kind:
    if "ktdf_arch.device" in head:
        return Kind.DEVICE
    if "sdsc_bundle" in head or "sdscbundle." in head:
        return Kind.BUNDLE
    return Kind.KTIR if "ktdp." in head else Kind.OTHER


def _json(head: str) -> Kind:
    top, inner = set[str](), set[str]()
    for depth, key in _keys(head):
        (top if depth == 1 else inner).add(key)
        if len(top) == 1 and inner & _SDSC_KEYS and _SDSC_NAME.fullmatch(next(iter(top))):
            return Kind.SUPERDSC
        for marks, kind in _BY_KEYS:
            if marks <= top:
                return kind
    return Kind.OPSPEC if "format" in top and _OPSPEC.search(head) else Kind.OTHER


def _keys(head: str) -> Iterator[tuple[int, str]]:
    """Keys of the outermost object (1) and of those in it (2)."""
    depth = 0
    for number, found in enumerate(_TOKEN.finditer(head)):
        sign = found.group()
        if sign in "[{":
            depth += 1
        elif sign in "]}":
            depth -= 1
        elif found[2] and depth in (1, 2):
            yield depth, found[1]
        if number > _MOST_TOKENS or sign == '"':
            return  # far enough, or a text that the head cuts off
