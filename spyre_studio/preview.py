"""Preview: how an export begins, before it is written.

Owns the value that travels from the worker to the dialog.  Refuses to make it; `export_file` does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MOST_FILES: Final = 200
"""So many files are named."""


@dataclass(frozen=True, slots=True)
class Preview:
    """The beginning of an export, the names of its files (none for a single one), whether there is more text, and what
    the format has no words for, a sentence each."""

    text: str
    files: tuple[str, ...]
    more: bool
    limits: tuple[str, ...]
