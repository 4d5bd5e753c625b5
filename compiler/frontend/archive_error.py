"""A fault found inside an archive, before the name of the file is known.

Owns the exception that the parts of the archive reader raise; `archive.py` turns it into an `InputError` about the
file.
"""

from __future__ import annotations

DAMAGED = "save it again with torch.export.save"


class ArchiveError(Exception):
    """Why an archive cannot be used, where inside it, and what to do."""

    def __init__(self, why: str, remedy: str = DAMAGED, place: str = "") -> None:
        super().__init__(why)
        self.why = why
        self.remedy = remedy
        self.place = place

    @property
    def sentence(self) -> str:
        """The reason with the place it was found at."""
        return f"{self.why} (at {self.place})" if self.place else self.why

    def inside(self, name: str) -> ArchiveError:
        """The same fault, seen from one level further out."""
        place = f"{name}.{self.place}" if self.place else name
        return ArchiveError(self.why, self.remedy, place)


def quoted(text: str, limit: int = 60) -> str:
    """Text of a stranger, short and with control characters escaped, for use in a sentence."""
    shown = repr(text[:limit])
    return shown if len(text) <= limit else f"{shown[:-1]}…{shown[-1]}"
