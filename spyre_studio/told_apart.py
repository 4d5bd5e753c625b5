"""Short names that can be told apart: where several things in one list have the same, each says what differs.

Owns: which part of the full names that is.  Refuses: making short names, and Qt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from frozendict import frozendict


def told_apart(titles: Mapping[str, str]) -> frozendict[str, str]:
    """Full name -> title, with what tells it from the others of its title behind it.

    >>> told_apart({"layers.0.v_proj/matmul": "v_proj", "layers.1.v_proj/matmul": "v_proj"})["layers.1.v_proj/matmul"]
    'v_proj · layers.1'
    """
    alike: dict[str, list[str]] = {}
    for name, title in titles.items():
        alike.setdefault(title, []).append(name)
    told = dict(titles)
    for title, names in alike.items():
        if len(names) > 1:
            told |= {name: f"{title} · {part}" if part else title for name, part in _differing(names).items()}
    return frozendict(told)


def _differing(names: Sequence[str]) -> dict[str, str]:
    """Name -> the parts of it that are neither at the beginning nor at the end of all of them."""
    split = {name: name.replace("/", ".").split(".") for name in names}
    every, shortest = list(split.values()), min(len(parts) for parts in split.values())
    start = next((at for at in range(shortest) if any(parts[at] != every[0][at] for parts in every)), shortest)
    left = shortest - start
    end = next((at for at in range(left) if any(parts[-1 - at] != every[0][-1 - at] for parts in every)), left)
    return {name: _middle(parts, start, end) for name, parts in split.items()}


def _middle(parts: Sequence[str], start: int, end: int) -> str:
    """A bare number takes the part before it along."""
    found = parts[start : len(parts) - end]
    bare = len(found) == 1 and found[0].isdigit() and start > 0
    return ".".join([parts[start - 1], *found] if bare else found)
