"""`spyre-studio check PLAN`: prove a saved plan again, trusting nothing that its file says about itself: decisions,
device program, costs, claims and verdicts."""

from __future__ import annotations

import argparse
from pathlib import Path

from spyre_studio import tasks
from spyre_studio.commands.terminal import warn


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = (
        "Prove a saved plan again from its model and decisions alone, and that program, costs, claims and verdicts in "
        "the file are those of the plan. Exit code 1 if a check fails."
    )
    parser.add_argument("plan", type=Path, metavar="PLAN", help="a file that `spyre-studio compile -o` wrote")


def run(arguments: argparse.Namespace) -> int:
    """Print one line per check and what it found; 1 if one failed."""
    whole = tasks.read_plan_file(arguments.plan)
    verdicts = tasks.check_plan(whole)
    for verdict in verdicts:
        print(f"{verdict.check:<10} {'ok' if verdict.ok else 'failed'}")
        for violation in verdict.violations:
            print(f"    {violation}")
    if all(verdict.ok for verdict in verdicts):
        return 0
    remedy = "compile what it was exported from again" if whole.imported else "compile the model again with its pins"
    warn(f"{arguments.plan}: the plan cannot be used as it is; {remedy}.")
    return 1
