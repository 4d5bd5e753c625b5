"""One thing changed at random in a document: renamed, deleted, huge, negative, of another kind.

Owns the ways to damage plain JSON data, a pure function of its seed.  Refuses to know what the data means.
"""

from __future__ import annotations

import copy
import json
import random

Plain = object
Path = tuple[str | int, ...]
WORDS = ("", "zzz", "nan", "\ud800", "x" * 300, "sum", "matmul", "input", "computed", "d0", "exp")
NUMBERS = (0, -1, 1, 2, 3, 7, 64, 2**31, 2**40, 2**62, 2**70, -(2**63), 1e300, 1e-320, float("inf"))
OTHERS: tuple[Plain, ...] = (None, True, [], {}, "5", 5, 0.5, [[]], {"a": 1})


def mutated(document: str, seed: str) -> str:
    """The document with one place changed; a number or a word in three of four cases."""
    rng = random.Random(seed)
    plain = json.loads(document)
    leaf = rng.random() < 0.75
    places = [path for path in _places(plain["value"], ("value",)) if not leaf or _is_leaf(_at(plain, path))]
    path = rng.choice(places)
    parent, key = _at(plain, path[:-1]), path[-1]
    _change(rng, parent, key)
    return json.dumps(plain)


def _is_leaf(value: Plain) -> bool:
    return not isinstance(value, list | dict)


def _places(value: Plain, path: Path) -> list[Path]:
    if isinstance(value, dict):
        return [place for key, item in value.items() for place in [(*path, key), *_places(item, (*path, key))]]
    if isinstance(value, list):
        return [place for key, item in enumerate(value) for place in [(*path, key), *_places(item, (*path, key))]]
    return []


def _at(value: Plain, path: Path) -> Plain:
    for key in path:
        value = value[key]  # type: ignore[index]
    return value


def _change(rng: random.Random, parent: Plain, key: str | int) -> None:
    assert isinstance(parent, list | dict)
    old = parent[key]  # type: ignore[index]
    choice = rng.random()
    if choice < 0.1:
        del parent[key]  # type: ignore[arg-type]
    elif choice < 0.2:
        parent[key] = copy.deepcopy(rng.choice(OTHERS))  # type: ignore[index]
    elif isinstance(parent, dict) and choice < 0.25:
        parent[rng.choice(WORDS)] = parent.pop(str(key))
    elif isinstance(old, list) and old:
        parent[key] = rng.choice((old[:-1], [*old, copy.deepcopy(old[0])], old[::-1], []))  # type: ignore[index]
    elif isinstance(old, str):
        parent[key] = rng.choice((*WORDS, old + "'", old[:-1]))  # type: ignore[index]
    elif isinstance(old, int | float):
        parent[key] = rng.choice((*NUMBERS, old + 1, old - 1, -old, old * 2))  # type: ignore[index]
    else:
        parent[key] = rng.choice(OTHERS)  # type: ignore[index]
