"""Bundled captures: what the archives of the examples were captured as, so that an example opens without PyTorch.

Owns the files beside the archives and the rule by which one is used: only for the very archive, the very release of
PyTorch and the very sources that made it.  Refuses to be needed: whatever does not fit is captured again.  Anew, after
a change of the front end: `python -m resources.models.build`.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from compiler.captured import Captured
from compiler.codec import from_json, to_json
from compiler.errors import StudioError

_ROOT = Path(__file__).parent.parent


def bundled_capture(archive: Path, digest: str) -> Captured | None:
    """What the archive of an example, whose SHA-256 is `digest`, was captured as; None if that is not known."""
    try:
        head, _, document = gzip.decompress(file_of(archive).read_bytes()).decode().partition("\n")
        made_of = json.loads(head)
        sources = made_of["sources"]
        if made_of != _made_of(digest, sources):
            return None
        return from_json(Captured, document, file_of(archive).name)
    except (OSError, EOFError, zlib.error, ValueError, TypeError, KeyError, StudioError):
        return None


def write_bundled(archive: Path, captured: Captured, sources: Sequence[str]) -> None:
    """Keep what an archive was captured as by `sources`, paths below the folder of all packages."""
    head = json.dumps(_made_of(captured.program.source.digest, sources), separators=(",", ":"))
    text = f"{head}\n{to_json(captured)}"
    file_of(archive).write_bytes(gzip.compress(text.encode(), mtime=0))


def file_of(archive: Path) -> Path:
    """Where the capture of an archive is kept."""
    return archive.with_suffix(".captured.json.gz")


def _made_of(digest: str, sources: Sequence[str]) -> Mapping[str, object]:
    """What a capture depends on; how it is written down is checked as it is read."""
    return {"archive": digest, "torch": _torch(), "sources": list(sources), "digest": _digest(sources)}


def _digest(sources: Sequence[str]) -> str:
    whole = hashlib.sha256()
    for name in sources:
        whole.update(hashlib.sha256((_ROOT / name).read_bytes()).digest())
    return whole.hexdigest()


def _torch() -> str:
    """The release of PyTorch, whichever build of it."""
    try:
        return version("torch").partition("+")[0]
    except PackageNotFoundError:
        return ""
