"""Commands of the command line, one file each.

Owns the table of them.  Refuses to import them: the window needs the names only.
"""

from __future__ import annotations

import argparse
import importlib
from dataclasses import dataclass
from typing import Protocol, cast

from frozendict import frozendict


class Verb(Protocol):
    """What the file of a command has."""

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Do it; 0 = good, 1 = a finding.  Raises StudioError for bad input."""
        ...


@dataclass(frozen=True, slots=True)
class Command:
    """A row: the word, and what it does in one line."""

    name: str
    help: str

    def load(self) -> Verb:
        """The file of the command."""
        return cast(Verb, importlib.import_module(f"spyre_studio.commands.{self.name}"))


_ROWS = (
    Command("examples", "list the bundled examples"),
    Command("capture", "trace a model and lower it to loop nests"),
    Command("compile", "plan a model for a device and price the plan"),
    Command("sweep", "plan a model for every value of one knob"),
    Command("check", "prove a saved plan again"),
    Command("show", "print a file of this program as a listing"),
    Command("why", "say why a buffer is where it is"),
    Command("insights", "say what costs most in a plan, and what would help"),
    Command("verify", "run a plan on the simulated device and compare with PyTorch"),
    Command("lessons", "run published studies beside cost model and simulator"),
    Command("simulate", "run a plan on the clock of the simulated device"),
    Command("export", "write a checked plan in another format"),
    Command("report", "write a plan as a page for people without this program"),
    Command("diff", "say what two plans decide differently"),
)
COMMANDS: frozendict[str, Command] = frozendict((row.name, row) for row in _ROWS)
