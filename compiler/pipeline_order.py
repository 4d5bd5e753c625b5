"""Pipeline order: may these passes run in this order, and do they make a whole plan?

Owns the rule that a pass follows what it needs, that nothing changes what a later decision has relied on, and that
nothing follows the placement of buffers, which relies on everything.  Refuses to run anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Protocol

from compiler.errors import InputError

WHOLE = ("layouts", "edits", "divisions", "placement")
_LAST = "placement"
_SHARED = frozenset({"reasons", "pins"})
_COMPLETE = {"divisions": "divide-rest"}
"""Fields that several passes fill, and the one that leaves nothing open."""
_NAMED = {"co-optimize": "co-optimized", "improve-division": "searched", "lift-floors": "searched"}


class Ordered(Protocol):
    """What of a pass matters here.  A pass with an attribute `extends` adds to those fields and changes nothing of what
    is there, so that others may rely on them before it runs."""

    name: ClassVar[str]
    needs: ClassVar[tuple[str, ...]]
    decides: ClassVar[tuple[str, ...]]


def check_order(passes: Sequence[Ordered], known: Sequence[type[Ordered]]) -> None:
    """InputError for the first pass that comes too early or too late, or for what no pass decides."""
    decided: set[str] = set()
    relied: dict[str, str] = {}
    used: dict[str, str] = {}
    placed = ""
    for one in passes:
        if placed and _LAST not in one.needs:
            raise _after_the_last(one, placed)
        early = next((field for field in one.needs if field not in decided), "")
        if early:
            raise _refusal(f"{one.name} needs {early}, which no pass before it decides", early, passes, known)
        _check_late(one, relied, used)
        relied.update({field: one.name for field in one.needs if field not in _changed(one)})
        used.update(dict.fromkeys(one.needs, one.name))
        decided |= {*one.decides} - _SHARED
        placed = one.name if _LAST in one.decides else placed
    missing = next((field for field in WHOLE if field not in decided), "")
    if missing:
        raise _refusal(f"none of its passes decides {missing}", missing, passes, known)


def alternative(passes: Sequence[Ordered]) -> str:
    """The named pipeline that is nearest to these passes."""
    return next((named for name, named in _NAMED.items() if any(one.name == name for one in passes)), "staged")


def _changed(one: Ordered) -> list[str]:
    return [field for field in one.decides if field not in getattr(one, "extends", ())]


def _check_late(one: Ordered, relied: dict[str, str], used: dict[str, str]) -> None:
    """A pass that changes a field comes before those that only rely on it, and one that makes it anew before all that
    use it."""
    changed = _changed(one)
    late = next((field for field in changed if field in relied), "")
    anew = next((field for field in changed if field in used and field not in one.needs), "")
    field = late or anew
    if field:
        who = (relied if late else used)[field]
        why = f"{one.name} decides {field} after {who} has relied on them"
        raise InputError("the pipeline", why, f"put {one.name} before {who}")


def _after_the_last(one: Ordered, placed: str) -> InputError:
    if one.name == placed:
        return InputError("the pipeline", f"it has {placed} twice, and that decides once for all", "leave one out")
    if _LAST in one.decides:
        why = f"{placed} and {one.name} both decide where buffers lie"
        return InputError("the pipeline", why, "leave one of them out")
    why = f"{one.name} follows {placed}, which relies on what all other passes decide"
    return InputError("the pipeline", why, f"put {one.name} before {placed}")


def _refusal(why: str, field: str, passes: Sequence[Ordered], known: Sequence[type[Ordered]]) -> InputError:
    makers = [cls.name for cls in known if field in cls.decides and field not in cls.needs]
    wanted = _COMPLETE.get(field) or " or ".join(makers)
    return InputError("the pipeline", why, f"add {wanted}, or use '{alternative(passes)}'")
