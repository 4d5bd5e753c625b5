"""Exports as files: a plan in a format, written part by part.

Owns whether a format is written as a file or a folder, and how one begins.  Refuses to make the parts, which
`compiler.emit` does, and to write over what is read.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO, Final

from compiler.emit import FORMATS
from compiler.emit.format import Part, Ready
from spyre_studio.output_file import check_apart, check_output, is_stdout, write_output_with
from spyre_studio.output_folder import check_folder, write_folder
from spyre_studio.preview import MOST_FILES, Preview

PREVIEW_CHARACTERS: Final = 16_000


def check_place(name: str, place: str, *read: Path) -> None:
    """InputError if the export cannot be written there."""
    if FORMATS[name].folder and not is_stdout(place):
        check_apart(Path(place), read)
        check_folder(Path(place))
    else:
        check_output(place, *read)


def write_export(made: Ready, place: str, *, partial: bool = False) -> None:
    """Write it, whole or not at all; a folder goes to stdout file after file."""
    parts = made.parts(partial=partial)
    if made.format.folder and not is_stdout(place):
        write_folder(Path(place), parts)
    else:
        write_output_with(place, lambda file: _write(file, parts))


def preview(made: Ready) -> Preview:
    """What it would hold, without writing it."""
    files, text = dict[str, None](), ""
    for part in made.parts(partial=True):
        if part.path not in files and len(files) == MOST_FILES:
            break
        files.setdefault(part.path)
        if len(files) == 1 and len(text) <= PREVIEW_CHARACTERS:
            text += part.text
        if not part.path and len(text) > PREVIEW_CHARACTERS:
            break
    return _preview(text, files, made.limits)


def _preview(text: str, files: Iterable[str], limits: tuple[str, ...]) -> Preview:
    """Whole lines, as long as there are any."""
    more = len(text) > PREVIEW_CHARACTERS
    if more:
        text = text[:PREVIEW_CHARACTERS].rpartition("\n")[0] or text[:PREVIEW_CHARACTERS]
    return Preview(text, tuple(path for path in files if path), more, limits)


def _write(file: BinaryIO, parts: Iterable[Part]) -> None:
    path = ""
    for part in parts:
        if part.path != path:
            path = part.path
            file.write(f"// {path}\n".encode())
        file.write(part.text.encode("utf-8", "backslashreplace"))
