"""Host constants beside kernel folders: held against the names of the tensors, which carry the same formulas.

Owns the sentences about where the two differ.  Refuses to take values from the file: the names are read anyway.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from compiler.emit.kernel_folders import CONSTANTS
from compiler.import_log import Disagreement
from compiler.read.plain import Node, parse_json, read_file


def constant_findings(folder: Path) -> Iterator[str]:
    """What the file says of a tensor and its name does not; nothing where there is no such file."""
    path = folder / CONSTANTS
    if not path.is_file():
        return
    whole = Node.of(parse_json(read_file(path), str(path)), str(path))
    for name in whole.data:
        formula = whole.node(name).text("formula", "")
        _, sign, said = name.rpartition("#")
        if sign and formula != said:
            yield Disagreement(f"{CONSTANTS}: {name} is said to be {formula}")
