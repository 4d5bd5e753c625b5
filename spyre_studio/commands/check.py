"""`spyre-studio check PLAN`: prove a saved plan again, trusting nothing that its file says about itself."""

from __future__ import annotations

import argparse
from pathlib import Path

from spyre_studio import tasks


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = "Prove a saved plan again from its model and decisions alone. Exit code 1 if a check fails."
    parser.add_argument("plan", type=Path, metavar="PLAN", help="a file that `spyre-studio compile -o` wrote")


def run(arguments: argparse.Namespace) -> int:
    """Print one line per check and what it found; 1 if one failed."""
    verdicts = tasks.check_plan(tasks.read_plan_file(arguments.plan))
    for verdict in verdicts:
        print(f"{verdict.check:<10} {'ok' if verdict.ok else 'failed'}")
        for violation in verdict.violations:
            print(f"    {violation}")
    return 0 if all(verdict.ok for verdict in verdicts) else 1
