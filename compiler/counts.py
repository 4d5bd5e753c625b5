"""Counts: a number and its noun in the same number, for sentences.

Owns the plural. Refuses to know what is counted.
"""

from __future__ import annotations

from collections.abc import Sequence


def counted(count: int, noun: str, plural: str = "") -> str:
    """A count with thousands separators, and its noun.

    >>> counted(1, "core"), counted(2048, "core"), counted(0, "copy", "copies")
    ('1 core', '2,048 cores', '0 copies')
    """
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {plural or noun + 's'}"


def singular(plural: str) -> str:
    """One of what a field names.

    >>> singular("layouts"), singular("placement")
    ('layout', 'placement')
    """
    return plural.removesuffix("s")


def verb(doers: int | Sequence[str], plural: str, one: str = "") -> str:
    """A verb for so many.

    >>> verb(1, "read"), verb(("a", "b"), "read"), verb(1, "are", "is")
    ('reads', 'read', 'is')
    """
    count = doers if isinstance(doers, int) else len(doers)
    return (one or f"{plural}s") if count == 1 else plural
