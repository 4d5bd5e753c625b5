"""Pieces: a large answer as many lines, none of which takes long to parse.

Owns both ends: cutting long lists and tables into runs, and putting them back.  Parsing one line of JSON holds up every
thread of a process until its end; of a large plan that is a tenth of a second in which the window would not move.
Refuses to know what the values mean.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, TypeVar

T = TypeVar("T")
RUN: Final = 64  # entries of a list or table in one piece
PREFIX: Final = b"+"  # begins a line with a piece; a line with an object begins otherwise
_MARK: Final = "\x00pieces"  # the one key of what stands for a cut value; no name has such a character


def cut(value: object, put: Callable[[object], int]) -> object:
    """The value with runs of its long lists and tables taken out; `put` takes a run and says its number.

    Entries of a run are not cut any further.
    """
    if isinstance(value, Mapping):
        if len(value) <= RUN:
            return {key: cut(entry, put) for key, entry in value.items()}
        return {_MARK: [put({key: value[key] for key in run}) for run in _runs(list(value))]}
    if isinstance(value, list | tuple):
        if len(value) <= RUN:
            return [cut(entry, put) for entry in value]
        return {_MARK: [put(run) for run in _runs(value)]}
    return value


def join(value: object, pieces: Sequence[bytes]) -> object:
    """What `cut` was given, from its answer and the text of the pieces in order of their numbers."""
    if isinstance(value, list):
        return [join(entry, pieces) for entry in value]
    if not isinstance(value, dict):
        return value
    if list(value) != [_MARK]:
        return {key: join(entry, pieces) for key, entry in value.items()}
    runs = [json.loads(pieces[number]) for number in value[_MARK]]
    if isinstance(runs[0], dict):
        return {key: entry for run in runs for key, entry in run.items()}
    return [entry for run in runs for entry in run]


def take_apart(value: object) -> None:
    """Empty what `join` returned, entry by entry as `cut` cuts it, once it was read: let go as a whole, a large answer
    would hold up every thread of the process as parsing it in one piece would."""
    if not isinstance(value, dict | list):
        return
    long = len(value) > RUN
    while value:
        entry = value.popitem()[1] if isinstance(value, dict) else value.pop()
        if not long:
            take_apart(entry)


def line_of(number: int, piece: object) -> str:
    """The line that carries a piece of the answer to request `number`."""
    return f"{PREFIX.decode()}{number} {json.dumps(piece, ensure_ascii=False)}"


def read_line(line: bytes) -> tuple[int, bytes]:
    """The number of the request, and the text of a piece of its answer."""
    number, _, text = line[len(PREFIX) :].partition(b" ")
    return int(number), text


def _runs(entries: Sequence[T]) -> Iterator[Sequence[T]]:
    return (entries[start : start + RUN] for start in range(0, len(entries), RUN))
