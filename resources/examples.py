"""The bundled example models by name: title, script and exported archive.

Owns the list and its order.  Refuses to import torch or the scripts: a title is read from the script's text.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path

NAMES = ("softmax", "mlp", "attention", "rmsnorm", "decoder", "convnet", "mismatch")
_FOLDER = Path(__file__).parent / "models"


@dataclass(frozen=True, slots=True)
class Example:
    """A bundled model: `script` has the function `factory` that builds it, `archive` is the same model exported."""

    name: str
    title: str
    script: Path
    archive: Path


@cache
def examples() -> tuple[Example, ...]:
    """Every bundled example, the simplest first."""
    return tuple(
        Example(name, _title(_FOLDER / f"{name}.py"), _FOLDER / f"{name}.py", _FOLDER / f"{name}.pt2") for name in NAMES
    )


def example(name: str) -> Example | None:
    """The example called `name`, or None."""
    return next((example for example in examples() if example.name == name), None)


def bundled_script(name: str) -> Path | None:
    """The script called `name`, which may have no archive beside it, as `decoder_stack`; or None."""
    script = next((path for path in _FOLDER.glob("*.py") if path.stem == name), None)  # a name may be any length
    has_factory = script is not None and "\ndef factory(" in script.read_text(encoding="utf-8")
    return script if has_factory else None


def _title(script: Path) -> str:
    text = ast.get_docstring(ast.parse(script.read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0].rstrip(".")
