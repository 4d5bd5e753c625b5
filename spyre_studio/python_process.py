"""How another process of this program is started: the same Python, the same packages, nothing of the current folder.

Refuses a shell, and refuses to let modules of the folder in which the user works shadow ours.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

_ROOT = Path(__file__).parent.parent


def command(module: str, *arguments: str) -> list[str]:
    """The command line that runs a module of this program (`-P`: the current folder is not searched for modules)."""
    return [sys.executable, "-P", "-m", module, *arguments]


def environment() -> dict[str, str]:
    """The environment of the process: ours, with this program's packages first, and text in UTF-8."""
    others = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    paths = [str(_ROOT), *(entry for entry in others if entry != str(_ROOT))]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONUTF8": "1"}
