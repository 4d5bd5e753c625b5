"""What the palette offers beside the actions of the menus: every pipeline, and every example.

Owns: the targets and what their keys mean.  Refuses: Qt, and doing it.  In the menus they are lists that open at the
header and under File; by name they are found here.
"""

from __future__ import annotations

from typing import Final

from compiler.pipelines import PURPOSES
from resources.examples import examples
from spyre_studio.palette_match import Target

PIPELINE: Final = "pipeline"
EXAMPLE: Final = "example"


def extras() -> tuple[Target, ...]:
    """The targets; keys are `pipeline:NAME` and `example:NAME`."""
    pipelines = (
        Target.of(f"{PIPELINE}:{name}", f"Pipeline: {name}", purpose, f"pipeline re-solve {purpose}", name)
        for name, purpose in PURPOSES.items()
    )
    models = (
        Target.of(
            f"{EXAMPLE}:{one.name}", f"File: Open example {one.name}", one.title, f"example model {one.title}", one.name
        )
        for one in examples()
    )
    return (*pipelines, *models)


def meant(key: str) -> tuple[str, str]:
    """PIPELINE or EXAMPLE with the name, ('', '') for the key of an action."""
    kind, colon, name = key.partition(":")
    return (kind, name) if colon and kind in (PIPELINE, EXAMPLE) else ("", "")
