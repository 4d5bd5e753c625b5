"""`spyre-studio export PLAN --format NAME -o PATH`: a checked plan in another format."""

from __future__ import annotations

import argparse
from pathlib import Path

from compiler.emit import FORMATS, export
from spyre_studio import tasks
from spyre_studio.arguments import one_of
from spyre_studio.output_file import check_output, write_output


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = "Check a saved plan and write it in another format; a plan that fails a check is refused."
    parser.add_argument("plan", type=Path, metavar="PLAN", help="a file that `spyre-studio compile -o` wrote")
    parser.add_argument("--format", required=True, choices=one_of(FORMATS), help=_formats())
    parser.add_argument("-o", "--output", required=True, metavar="PATH", help="the file to write; - for stdout")


def run(arguments: argparse.Namespace) -> int:
    """Check, then write."""
    check_output(arguments.output, arguments.plan)
    write_output(arguments.output, export(tasks.read_sound_plan(arguments.plan), arguments.format))
    return 0


def _formats() -> str:
    return "; ".join(f"{row.name}: {row.title.lower()}" for row in FORMATS.values())
