"""`spyre-studio why PLAN BUFFER`: where a buffer lies, why, and what would change that."""

from __future__ import annotations

import argparse
from pathlib import Path

from compiler.explain import explain, print_explanation
from spyre_studio import tasks


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = (
        "Say where a buffer lies and why, from when to when it lives, who writes and reads it, and what would make it "
        "resident."
    )
    parser.add_argument("plan", type=Path, metavar="PLAN", help="a file that `spyre-studio compile -o` wrote")
    parser.add_argument("buffer", metavar="BUFFER", help="a name that `spyre-studio show PLAN` lists")


def run(arguments: argparse.Namespace) -> int:
    """Print the facts."""
    print(print_explanation(explain(tasks.read_plan_file(arguments.plan), arguments.buffer)), end="")
    return 0
