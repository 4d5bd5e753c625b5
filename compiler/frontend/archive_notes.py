"""What an archive holds that was not read and that its reader may want to know of: code in its pickles.

Owns the search for names that a pickle would import, done by listing its instructions.  Refuses to unpickle anything.
"""

from __future__ import annotations

import io
import pickletools
import re
import zipfile
import zlib
from collections.abc import Iterator

from compiler.frontend.archive_error import ArchiveError, quoted
from compiler.frontend.archive_zip import Members

PICKLE_BYTES = 200 << 20
# What torch itself writes for tensors, real and fake.
_PLAIN = re.compile(
    r"torch\._utils\._rebuild_\w+|torch\.\w+Storage|torch\.storage\.\w+|collections\.OrderedDict|torch\.\w*(?:Size|device)"
    r"|torch\.\w+\d+|torch\.serialization\._get_layout|torch\._export\.serde\.serialize\._reconstruct_fake_tensor|_codecs\.encode"
)
_DAMAGED = (ArchiveError, EOFError, OSError, ValueError, RuntimeError, zipfile.BadZipFile, zlib.error)


def notes_of(members: Members) -> tuple[str, ...]:
    """One sentence for each part of the archive that holds code, empty for what torch itself writes."""
    return tuple(sentence for name in members.names() if _is_pickle(name) for sentence in _note(name, members))


def _is_pickle(name: str) -> bool:
    return name.endswith((".pt", ".pkl")) or bool(re.search(r"/(?:custom|opaque)_obj_\d+$", name))


def _note(name: str, members: Members) -> Iterator[str]:
    try:
        foreign = sorted(_foreign_names(members.read(name, PICKLE_BYTES)))
    except _DAMAGED:
        yield f"its part {name} cannot be examined, and was not read"
        return
    if foreign:
        found = quoted(", ".join(foreign), 120)
        yield f"its part {name} holds code that runs when it is unpickled ({found}), and was not read"


def _foreign_names(data: bytes) -> set[str]:
    if not data.startswith(b"PK"):
        return _imported(data)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        inner = [info for info in archive.infolist() if info.filename.endswith("data.pkl")]
        if any(info.file_size > PICKLE_BYTES for info in inner):
            raise ArchiveError("a pickle is too large")
        return set[str]().union(*(_imported(archive.read(info)) for info in inner))


def _imported(data: bytes) -> set[str]:
    """The names that unpickling `data` would import, without those that torch writes for tensors."""
    names: set[str] = set()
    texts: list[str] = []
    for code, argument, _ in pickletools.genops(data):
        if code.name in {"GLOBAL", "INST"}:
            names.add(str(argument).replace(" ", "."))
        elif code.name == "STACK_GLOBAL":
            names.add(".".join(texts[-2:]))
        elif isinstance(argument, str):
            texts.append(argument)
    return {name for name in names if not _PLAIN.fullmatch(name)}
