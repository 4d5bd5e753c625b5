"""One step of a lesson file: from a TOML table to a value.

Owns: which words a step may hold, and what they may say.  Refuses everything else, with a ValueError whose text ends
the sentence "in step 3 ...".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, TypeVar, cast

from frozendict import frozendict

from compiler.pipelines import PIPELINES
from spyre_studio.guide import Done, GuideStep, Look, Time
from spyre_studio.guide_figure_names import figure_fault
from spyre_studio.guide_place_names import PLACE_WORDS

_PIN: Final = re.compile(r"(division|layout|placement|order|same|relayout):.+")
_LONGEST: Final = 600  # characters of a text: three sentences
_SWITCHES: Final = ("variant", "verified", "simulated")
T = TypeVar("T")
Table = dict[str, object]


def read_step(found: object) -> GuideStep:
    """The step that a table of a lesson file describes."""
    table = _table(found, "the step")
    _known(table, ("title", "text", "look", "task", "done", "after"), "the step")
    title, text = (_text(table, key) for key in ("title", "text"))
    task, after = (_text(table, key) if key in table else "" for key in ("task", "after"))
    look, done = _look(table.get("look", {})), _done(table.get("done", {}))
    if not title or not text:
        raise ValueError("there is no title or no text")
    if bool(task) != bool(done):
        raise ValueError("there is a task without 'done', or 'done' without a task")
    if after and not done:
        raise ValueError("there is 'after' without anything to do before")
    for words in (title, text, task, after):
        why = figure_fault(words)
        if why:
            raise ValueError(why)
    return GuideStep(title, text, look, task, done, after)


def _look(found: object) -> Look:
    table = _table(found, "'look'")
    _known(table, ("at", "op", "buffer", "core"), "'look'")
    return Look(_place(table), _text(table, "op"), _text(table, "buffer"), _core(table))


def _done(found: object) -> Done:
    table = _table(found, "'done'")
    known = ("at", "op", "buffer", "core", "split", "placement", "relayout", "free", "pipeline", "time", *_SWITCHES)
    _known(table, known, "'done'")
    variant, verified, simulated = (_switch(table, key) for key in _SWITCHES)
    return Done(
        at=_place(table),
        op=_text(table, "op"),
        buffer=_text(table, "buffer"),
        core=_core(table),
        split=_map(table, "split", _factors),
        placement=_map(table, "placement", lambda value, name: _one_of(value, ("lx", "hbm"), name)),
        relayout=_map(table, "relayout", lambda value, name: _one_of(value, ("ring", "none"), name)),
        free=_free(table.get("free", [])),
        pipeline=_one_of(table["pipeline"], tuple(PIPELINES), "pipeline") if "pipeline" in table else "",
        variant=variant,
        verified=verified,
        simulated=simulated,
        time=cast("Time", _one_of(table["time"], ("faster", "slower"), "time") if "time" in table else ""),
    )


def _table(found: object, what: str) -> Table:
    if not isinstance(found, dict):
        raise ValueError(f"{what} is no table")  # noqa: TRY004  the file is wrong, not the program
    return found


def _known(table: Table, known: tuple[str, ...], what: str) -> None:
    unknown = sorted(set(table) - set(known))
    if unknown:
        raise ValueError(f"{what} has '{unknown[0]}', which is not known")


def _text(table: Table, key: str) -> str:
    value = table.get(key, "")
    if not isinstance(value, str) or (key in table and not value.strip()):
        raise ValueError(f"'{key}' has to be a text")
    if len(value) > _LONGEST:
        raise ValueError(f"'{key}' has {len(value)} characters, more than {_LONGEST}")
    return " ".join(value.split())


def _place(table: Table) -> str:
    return _one_of(table["at"], tuple(PLACE_WORDS), "at") if "at" in table else ""


def _core(table: Table) -> int:
    value = table.get("core", -1)
    if not isinstance(value, int) or isinstance(value, bool) or ("core" in table and value < 0):
        raise ValueError("'core' has to be the number of a core")
    return value


def _switch(table: Table, key: str) -> bool:
    if key in table and table[key] is not True:
        raise ValueError(f"'{key}' can only be true")
    return key in table


def _map(table: Table, key: str, read: Callable[[object, str], T]) -> frozendict[str, T]:
    found = _table(table.get(key, {}), f"'{key}'")
    return frozendict((name, read(value, name)) for name, value in found.items())


def _factors(found: object, name: str) -> frozendict[str, int]:
    loops = _table(found, f"the split of '{name}'")
    if not all(type(value) is int and value > 1 for value in loops.values()):
        raise ValueError(f"the split of '{name}' has a factor that is no whole number above 1")
    return frozendict((loop, value) for loop, value in loops.items() if isinstance(value, int))


def _one_of(value: object, choices: tuple[str, ...], what: str) -> str:
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"'{what}' has to be one of {', '.join(choices)}")
    return value


def _free(found: object) -> tuple[str, ...]:
    if not isinstance(found, list) or not all(isinstance(key, str) and _PIN.fullmatch(key) for key in found):
        raise ValueError("'free' has to list keys of pins, such as division:OP")
    return tuple(map(str, found))
