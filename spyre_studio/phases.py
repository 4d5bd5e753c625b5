"""The words for what runs: phases of opening, planning and verifying as people read them.

Owns: the table. Refuses: Qt. A phase without a row, such as the name of a pass, is written as it is called.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

_WORDS: Final = {
    "open": "Opening",
    "start": "Starting Python with PyTorch",
    "read": "Reading the file",
    "build": "Building the model",
    "trace": "Tracing the model",
    "capture": "Capturing the model",
    "graph": "Reading the traced graph",
    "decompose": "Decomposing into small ops",
    "lower": "Lowering to loops",
    "convert": "Converting to loops",
    "done": "Captured the model",
    "compile": "Planning",
    "co-optimize": "Searching divisions, places and moves",
    "place-scratchpad": "Placing buffers in LX",
    "check": "Checking the plan",
    "verify": "Verifying against PyTorch",
    "simulate": "Running on the simulated device",
    "timing": "Simulating the run",
    "sweep": "Sweeping",
    "report": "Writing the report",
    "export": "Writing the plan",
    "run-file": "Writing the simulated run",
    "weigh": "Working out what remedies save",
}


def phase_words(phase: str) -> str:
    """A phase in words. Examples: 'trace' is 'Tracing the model', 'assign-layouts' is 'Assign layouts'."""
    return _WORDS.get(phase, phase.replace("-", " ")[:1].upper() + phase.replace("-", " ")[1:])


def spoken_name(spec: str) -> str:
    """A spec as one says it: the file's name without its folder. Example: 'decoder.pt2'."""
    return Path(spec).name if spec else "the model"
