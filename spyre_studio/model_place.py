"""Model place: how a project file names a model that lies near it, so that both can be moved together.

Owns: the relative form, './model.pt2' or '../models/model.py:factory?layers=2', and the way back.  Refuses: names of
examples and files far away, which stay as they are.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

_HERE, _BESIDE, _TOO_FAR = "./", "../", "../../"
_MARKS: Final = (_HERE, _BESIDE)


def beside(spec: str, project: Path) -> str:
    """The spec as a project file in its place names it: relative if the model is in the folder of the project, below
    it, or below the folder around that; a folder that is the root of everything is around nothing."""
    head, query = _parts(spec)
    folder = project.absolute().parent
    if not Path(head).is_absolute():
        return spec
    try:
        way = Path(os.path.relpath(head, folder)).as_posix()
    except ValueError:  # on another drive
        return spec
    around = folder.parent == folder.parent.parent
    if way.startswith(_TOO_FAR) or (way.startswith(_BESIDE) and around):
        return spec
    return f"{way if way.startswith(_BESIDE) else _HERE + way}{query}"


def located(spec: str, project: Path) -> str:
    """The inverse: the spec as it means the same from any folder."""
    if not spec.startswith(_MARKS):
        return spec
    head, query = _parts(spec)
    return f"{os.path.normpath(project.absolute().parent / head)}{query}"


def _parts(spec: str) -> tuple[str, str]:
    """The path, with the factory behind it, and sizes or arguments; a question mark may be part of a file's name."""
    if Path(spec).exists():
        return spec, ""
    head, mark, query = spec.partition("?")
    return head, mark + query
