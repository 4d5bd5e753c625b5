"""Differences: where two values that ought to be equal part first, as a path and both ends in words.

Owns the walk through frozen values, tuples and tables, and the tolerance for microseconds, whose last digits depend on
the machine.  Refuses to say which of the two is right.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass

_RELATIVE = 1e-9
_ABSOLUTE = 1e-9


def close(told: float, made: float) -> bool:
    """True if two times or shares are the same but for rounding."""
    return math.isclose(told, made, rel_tol=_RELATIVE, abs_tol=_ABSOLUTE)


def difference(told: object, made: object, path: str = "") -> str:
    """The first difference, as `total_us is 1.0 and not 20.2`; '' if there is none.

    >>> difference((1, 2.0), (1, 2.0 + 1e-12)), difference((1, 2.0), (1, 3.0))
    ('', '[1] is 2.0 and not 3.0')
    """
    if told == made:
        return ""
    if type(told) is type(made) and is_dataclass(told) and is_dataclass(made):
        pairs = ((f".{one.name}", getattr(told, one.name), getattr(made, one.name)) for one in fields(told))
        return _first(pairs, path)
    if isinstance(told, tuple) and isinstance(made, tuple):
        if len(told) != len(made):
            return f"{_named(path)} has {len(told)} entries and not {len(made)}"
        return _first(((_place(one, number), one, made[number]) for number, one in enumerate(told)), path)
    if isinstance(told, Mapping) and isinstance(made, Mapping) and [*told] == [*made]:
        return _first(((f"[{key}]", told[key], made[key]) for key in told), path)
    if isinstance(told, float) and isinstance(made, float) and close(told, made):
        return ""
    return f"{_named(path)} is {told!r:.60} and not {made!r:.60}"


def _first(pairs: Iterator[tuple[str, object, object]], path: str) -> str:
    return next((found for step, told, made in pairs if (found := difference(told, made, path + step))), "")


def _place(value: object, number: int) -> str:
    """An entry by its name, if it has one."""
    name = getattr(value, "name", None) or getattr(value, "step", None) or getattr(value, "kernel", None)
    return f"[{name}]" if isinstance(name, str) else f"[{number}]"


def _named(path: str) -> str:
    return path.removeprefix(".") or "it"
