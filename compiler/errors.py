"""Errors meant for people.

Owns the exception types that end as one sentence on stderr or in the window's banner: what it is, why it cannot be
used, what to do.  Refuses to carry tracebacks: a bug is an ordinary exception and never a `StudioError`.
"""

from __future__ import annotations

from dataclasses import dataclass


class StudioError(Exception):
    """One clear sentence for a person, with the remedy kept apart so that the window can show it as its own line."""

    def __init__(self, what: str, why: str, remedy: str) -> None:
        self.what = what
        self.why = why
        self.remedy = remedy
        super().__init__(self.sentence)

    @property
    def sentence(self) -> str:
        """`what: why; remedy.` as one line without line breaks."""
        return " ".join(f"{self.what}: {self.why}; {self.remedy}.".split())


class InputError(StudioError):
    """A file, an option or a pin that cannot be used (exit code 2)."""


class UnsupportedError(StudioError):
    """A model that asks for something the compiler does not express; names op and source line (exit code 2)."""


@dataclass(frozen=True, slots=True)
class Breach:
    """The facts of a broken limit: which op and tensor, where in the source, the limit and the value that broke it."""

    op: str
    tensor: str
    source: str
    limit: str
    value: str


class LimitError(StudioError):
    """A hardware limit that no decision open to the compiler can satisfy (exit code 2)."""

    def __init__(self, breach: Breach, remedy: str) -> None:
        self.breach = breach
        where = f" ({breach.source})" if breach.source else ""
        subject = "it" if breach.tensor == breach.op else breach.tensor
        why = f"{subject} needs {breach.value}, the limit is {breach.limit}"
        super().__init__(f"{breach.op}{where}", why, remedy)


class StoppedError(Exception):
    """Raised inside long work when its owner asked it to stop; never shown as a failure."""
