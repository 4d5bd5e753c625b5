"""Capture the archives of the bundled examples anew: `python -m compiler.frontend.bundle [NAME ...]`.

Owns which examples those are, and which sources a capture depends on.  Refuses what `load` refuses.
"""

from __future__ import annotations

import sys
from collections.abc import Collection
from pathlib import Path

from compiler.bundled import write_bundled
from compiler.frontend.load import load
from resources.examples import NAMES, examples

_OF_THE_COMPILER = ("captured", "dtypes", "errors", "graph", "loops", "primitives")
SOURCES = tuple(
    sorted(
        {
            *(f"compiler/{name}.py" for name in _OF_THE_COMPILER),
            *(f"compiler/frontend/{path.name}" for path in Path(__file__).parent.glob("*.py")),
        }
    )
)
"""All that `load` imports of this program, with forward slashes."""


def bundle(names: Collection[str]) -> None:
    """Write the captures of these examples beside their archives."""
    for one in examples():
        if one.name in names:
            write_bundled(one.archive, load(one.name), SOURCES)


if __name__ == "__main__":
    bundle(sys.argv[1:] or NAMES)
