"""The container of a `.pt2` file: a zip whose members are read in memory, each under a limit.

Owns member names and sizes.  Refuses path tricks, doubled names, encryption, odd compression, too many members, members
that claim more than they may hold, and JSON that is too large.  Extracts nothing to disk.
"""

from __future__ import annotations

import json
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from compiler.frontend.archive_error import ArchiveError, quoted

MEMBERS = 200_000
JSON_BYTES = 128 << 20
RATIO = 200  # JSON deflates by a factor of 10 to 30; torch itself stores without compression
_NAME = re.compile(r"[A-Za-z0-9_.\-+=@ ()\[\],/]{1,400}")


class Members:
    """The members of one open archive, by their names relative to the archive's own folder."""

    def __init__(self, archive: zipfile.ZipFile, size: int) -> None:
        self._archive = archive
        self._size = size
        self._infos = _checked(archive.infolist())

    def __contains__(self, name: str) -> bool:
        return name in self._infos

    def names(self) -> tuple[str, ...]:
        """All names, in archive order."""
        return tuple(self._infos)

    def size(self, name: str) -> int:
        """The declared size of a member in bytes."""
        return self._info(name).file_size

    def read(self, name: str, limit: int) -> bytes:
        """The bytes of a member of at most `limit` bytes."""
        info = self._info(name)
        if info.file_size > limit:
            raise ArchiveError(f"its part {name} claims {info.file_size:,} bytes, more than the allowed {limit:,}")
        if info.file_size > max(info.compress_size, 1024) * RATIO or info.compress_size > self._size:
            why = f"its part {name} claims to unpack to {info.file_size:,} bytes, as archives made to harm do"
            raise ArchiveError(why, "do not use this file")
        try:
            with self._archive.open(info) as stream:
                data = stream.read(info.file_size)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError) as error:
            raise ArchiveError(f"its part {name} is damaged ({error})") from error
        if len(data) != info.file_size:
            raise ArchiveError(f"its part {name} is shorter than it claims")
        return data

    def json(self, name: str) -> object:
        """A JSON member as plain Python data."""
        data = self.read(name, JSON_BYTES)
        try:
            return json.loads(data)
        except (ValueError, RecursionError) as error:  # ValueError: bad UTF-8 or an integer of thousands of digits
            raise ArchiveError(f"its part {name} is not valid JSON ({quoted(str(error))})") from error

    def _info(self, name: str) -> zipfile.ZipInfo:
        if name not in self._infos:
            raise ArchiveError(f"its part {name} is missing")
        return self._infos[name]


@contextmanager
def members_of(path: Path) -> Iterator[Members]:
    """Open the archive at `path`; ArchiveError if it is not a sound zip."""
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, RuntimeError, OSError, ValueError, OverflowError) as error:
        raise ArchiveError(f"its table of contents is damaged ({quoted(str(error))})") from error
    with archive:
        yield Members(archive, path.stat().st_size)


def _checked(infos: list[zipfile.ZipInfo]) -> dict[str, zipfile.ZipInfo]:
    if len(infos) > MEMBERS:
        raise ArchiveError(f"it has {len(infos):,} parts, more than the {MEMBERS:,} that it may have")
    folder = infos[0].filename.partition("/")[0] + "/" if infos else ""
    found: dict[str, zipfile.ZipInfo] = {}
    for info in infos:
        _check(info)
        if not info.filename.startswith(folder):
            raise ArchiveError(f"its parts lie in different folders ({quoted(info.filename)})")
        name = info.filename.removeprefix(folder)
        if name in found:
            raise ArchiveError(f"it has two parts named {name}")
        found[name] = info
    return found


def _check(info: zipfile.ZipInfo) -> None:
    name = info.filename
    if name != info.orig_filename or not _NAME.fullmatch(name) or name.startswith("/"):
        raise ArchiveError(f"it has a part with the odd name {quoted(info.orig_filename)}")
    if any(part in {"", ".", ".."} for part in name.rstrip("/").split("/")):
        raise ArchiveError(f"it has a part whose name leads elsewhere, {quoted(name)}")
    if info.flag_bits & 1:
        raise ArchiveError("it is encrypted", "save it again without a password")
    if info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        raise ArchiveError(f"its part {name} is compressed in a way that torch does not use")
