"""The actions as the palette lists them: those that make sense now, the last used first.

Owns: which are listed and their words.  Refuses: Qt, and doing them.  Where only actions that make no sense now have
what was typed, they are listed asleep: better than to say that there is no such thing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from spyre_studio.actions import ACTIONS, Action
from spyre_studio.palette_match import Target, guessed, holding

PALETTE = "palette"


def found_actions(
    text: str,
    title: Callable[[str], str],
    awake: Callable[[str], bool],
    recent: Sequence[str] = (),
    beside: Sequence[Target] = (),
) -> tuple[list[Target], bool]:
    """Targets for the palette, and whether they can be done now.

    `title` gives the words of an action as they are now, such as `Undo: pin division`; `awake` whether it makes sense.
    `beside` is what can be done besides.
    """
    rows = [row for row in ACTIONS if row.key != PALETTE]
    able = [*(_target(row, title(row.key)) for row in rows if awake(row.key)), *beside]
    found = holding(able, text, recent)
    if found or not text.strip():
        return found, True
    asleep = holding([_target(row, title(row.key), "not now") for row in rows if not awake(row.key)], text)
    return (asleep, False) if asleep else (guessed(able, text), True)


def _target(row: Action, title: str, note: str = "") -> Target:
    """Found by its verb first, then by its menu, by what it does and by its keys."""
    shown = title.rstrip("…")
    keys = ", ".join(row.shortcuts)
    return Target.of(row.key, f"{row.menu}: {shown}", note or keys, f"{row.menu} {row.tip} {keys}", shown)
