"""Plan JSON: every decision as a versioned document, for other programs to read."""

from __future__ import annotations

from compiler.codec import to_json
from compiler.compilation import Compilation


def plan_json(compilation: Compilation) -> str:
    """A document of kind `plan`, indented."""
    return to_json(compilation.plan, indent=1) + "\n"
