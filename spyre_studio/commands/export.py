"""`spyre-studio export PLAN --format NAME -o PATH`: a checked plan in another format."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from compiler.emit import FORMATS, ready
from compiler.errors import InputError
from spyre_studio import tasks
from spyre_studio.arguments import one_of
from spyre_studio.export_file import check_place, write_export
from spyre_studio.foreign_file import read_places


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = (
        "Check a saved plan and write it in another format; a plan that fails a check is refused, and so is one that "
        "the format has no words for."
    )
    parser.add_argument("plan", type=Path, metavar="PLAN", help="a file that `spyre-studio compile -o` wrote")
    parser.add_argument("--format", required=True, choices=one_of(FORMATS), help=_formats())
    parser.add_argument("-o", "--output", required=True, metavar="PATH", help="the file or folder; - for stdout")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help=_choices(), dest="chosen")
    parser.add_argument("--partial", action="store_true", help="leave out, and name, what the format has no words for")


def run(arguments: argparse.Namespace) -> int:
    """Check, say what cannot be said, then write."""
    name, chosen = arguments.format, _chosen(arguments.chosen)
    check_place(name, arguments.output, *read_places(arguments.plan))
    made = ready(tasks.read_sound_plan(arguments.plan), name, chosen)
    for limit in made.limits:
        sys.stderr.write(f"left out: {limit}\n" if arguments.partial else f"no words for {limit}\n")
    write_export(made, arguments.output, partial=arguments.partial)
    return 0


def _chosen(pairs: list[str]) -> dict[str, str]:
    found = {}
    for pair in pairs:
        key, sign, value = pair.partition("=")
        if not sign:
            raise InputError(f"--set {pair}", "it is no KEY=VALUE", "write it as in --set spelling=old")
        found[key] = value
    return found


def _formats() -> str:
    return "; ".join(
        f"{row.name}: {row.title.lower()}{' (a folder)' if row.folder else ''}" for row in FORMATS.values()
    )


def _choices() -> str:
    rows = [(row, choice) for row in FORMATS.values() for choice in row.choices]
    return "; ".join(f"{row.name}: {choice.key}={'|'.join(choice.values)} ({choice.hint})" for row, choice in rows)
