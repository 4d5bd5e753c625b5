"""Rewritten: SuperDSC files held against what this program writes for the ops that were read out of them.

Owns where they are not the same, and what is missing there: what a reader did not look at may have been changed, or be
of another version.  Refuses to judge which is right; fields that nobody here knows are told elsewhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Final

from compiler.emit.sdsc_address import Numbering
from compiler.emit.sdsc_form import sdsc_form
from compiler.emit.superdsc import superdsc_text
from compiler.emit.unsaid import UnsaidError
from compiler.formats.opspec import OpSpec

_ELSEWHERE: Final = frozenset({"debug_handle_"})
"""What another file may say better."""
_COUNTED: Final = re.compile(r"[\[\]\d, ]+")
_MOST: Final = 1_000
_SHOWN: Final = 40


def rewritten_findings(ops: Mapping[str, OpSpec], contents: Mapping[str, object]) -> Iterator[str]:
    """A sentence for every file that says something else; `ops` and what was in their files by name of the file."""
    numbering = Numbering()
    for number, (name, spec) in enumerate(ops.items()):
        try:
            form = sdsc_form(spec)
            written: object = json.loads(superdsc_text(form, number, numbering.number(form)))
        except UnsaidError:
            continue  # others can write what this program cannot
        apart = list(islice(_apart(_only(contents[name]), _only(written), ""), _MOST))
        if apart:
            more = f" (and {len(apart) - 1} more)" if len(apart) > 1 else ""
            yield f"{name}: {apart[0]}{more}"


def _only(whole: object) -> object:
    """What is in the one object of a file, whatever its name."""
    return next(iter(whole.values()), None) if isinstance(whole, dict) and len(whole) == 1 else whole


def _apart(theirs: object, ours: object, path: str) -> Iterator[str]:
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for key in (key for key in theirs if key not in _ELSEWHERE):
            where = f"{path}.{key}" if path else str(key)
            if key in ours:
                yield from _apart(theirs[key], ours[key], where)
            elif not ours or all(_COUNTED.fullmatch(one) for one in ours):  # others are told as unknown fields
                yield f"{where} is {_short(theirs[key])}, this program writes none"
        for key in (key for key in ours if key not in theirs and key not in _ELSEWHERE):
            yield f"{path}.{key} is missing, this program writes {_short(ours[key])}"
    elif isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        for place, (one, other) in enumerate(zip(theirs, ours, strict=True)):
            yield from _apart(one, other, f"{path}[{place}]")
    elif theirs != ours or isinstance(theirs, bool) is not isinstance(ours, bool):
        yield f"{path} is {_short(theirs)}, this program writes {_short(ours)}"


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
