"""Pipeline order: may these passes run in this order, and do they make a whole plan?

Owns the rule that a pass follows what it needs and that nothing changes what a later decision has relied on.  Refuses
to run anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Protocol

from compiler.errors import InputError

WHOLE = ("layouts", "edits", "divisions", "placement")
_SHARED = frozenset({"reasons", "pins"})


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
    for one in passes:
        early = next((field for field in one.needs if field not in decided), "")
        if early:
            raise _refusal(f"{one.name} needs {early}, which no pass before it decides", early, known)
        changed = [field for field in one.decides if field not in getattr(one, "extends", ())]
        late = next((field for field in changed if relied.get(field, one.name) != one.name), "")
        if late:
            why = f"{one.name} decides {late} after {relied[late]} has relied on them"
            raise InputError("the pipeline", why, f"put {one.name} before {relied[late]}")
        relied.update({field: one.name for field in one.needs if field not in changed})
        decided |= {*one.decides} - _SHARED
    missing = next((field for field in WHOLE if field not in decided), "")
    if missing:
        raise _refusal(f"none of its passes decides {missing}", missing, known)


def _refusal(why: str, field: str, known: Sequence[type[Ordered]]) -> InputError:
    makers = " or ".join(cls.name for cls in known if field in cls.decides and field not in cls.needs)
    return InputError("the pipeline", why, f"add {makers}, or use 'staged'")
