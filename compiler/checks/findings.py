"""Findings: the violations of one check while it runs.

Owns the cap on sentences and the rule that what could not be proved has failed.  Refuses to judge.
"""

from __future__ import annotations

from compiler.compilation import Verdict

MOST = 20
LARGEST = 1 << 62  # what array arithmetic can still hold


def whole(value: object, least: int = 0) -> bool:
    """True for an integer of at least `least` that arrays can hold; a bool is no number."""
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= LARGEST


def listing(names: list[str]) -> str:
    """Up to three names and how many more."""
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more


class Findings:
    """Sentences of one check, and the names of what it could not look at because something is missing."""

    def __init__(self, check: str) -> None:
        self.check = check
        self._sentences: dict[str, None] = {}
        self._unproved: dict[str, None] = {}

    def add(self, sentence: str) -> None:
        """One violation; the same sentence counts once."""
        self._sentences.setdefault(sentence)

    def unproved(self, name: str) -> None:
        """A step or buffer this check had to leave out."""
        self._unproved.setdefault(name)

    def __len__(self) -> int:
        return len(self._sentences)

    def verdict(self) -> Verdict:
        """The sentences, at most MOST of them and then how many more."""
        sentences = list(self._sentences)
        shown = sentences[:MOST]
        if len(sentences) > MOST:
            shown.append(f"and {len(sentences) - MOST} more")
        if self._unproved:
            names = list(self._unproved)
            needed = "what it needs" if len(names) == 1 else "what they need"
            shown.append(f"nothing proved for {listing(names)}: {needed} is missing or malformed")
        return Verdict(self.check, not shown, tuple(shown))
