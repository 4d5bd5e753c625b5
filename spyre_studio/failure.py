"""Failure: what went wrong, as a value that crosses processes and fits a banner.

Owns the three parts of the sentence and the details for those who ask.  Refuses exceptions: by the time something is a
Failure nobody is going to catch it.
"""

from __future__ import annotations

from dataclasses import dataclass

from compiler.errors import StudioError


@dataclass(frozen=True, slots=True)
class Failure:
    """What it is, why it cannot be done, what to do; `details` is longer text, a traceback for instance."""

    what: str
    why: str
    remedy: str
    details: str = ""

    @classmethod
    def of(cls, error: StudioError) -> Failure:
        """The failure that an error for people describes."""
        return cls(error.what, error.why, error.remedy)

    @property
    def sentence(self) -> str:
        """`what: why; remedy.` on one line."""
        return StudioError(self.what, self.why, self.remedy).sentence
