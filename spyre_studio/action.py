"""Action: the row of one thing that the window can do, and the words that rows are made of.

Owns: the shape of a row. Refuses: the rows themselves; `actions` puts them together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Menu = Literal["File", "Edit", "Plan", "View", "Go", "Window", "Help"]
Scope = Literal["window", "graph"]
When = Literal[
    "always",
    "plan",
    "busy",
    "searching",
    "undo",
    "redo",
    "pins",
    "variants",
    "back",
    "forward",
    "selected",
    "op",
    "buffer",
    "lesson",
]

MENUS: Final[tuple[Menu, ...]] = ("File", "Edit", "Plan", "View", "Go", "Window", "Help")


@dataclass(frozen=True, slots=True)
class Action:
    """A row. `text` is a verb phrase; `tip` one sentence; `setting` names the switch a checkable action turns.

    `section`: a line is drawn in the menu before this one. `submenu`: the menu in the menu that has it. Shortcuts are
    written out, because what a platform calls its standard keys differs from one to the next.
    """

    key: str
    menu: Menu
    text: str
    handler: str
    shortcuts: tuple[str, ...] = ()
    tip: str = ""
    when: When = "always"
    scope: Scope = "window"
    setting: str = ""
    section: bool = False
    submenu: str = ""
