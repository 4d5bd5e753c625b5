"""`spyre-studio why PLAN NAME`: where a buffer lies and why, or why an op takes the time it takes."""

from __future__ import annotations

import argparse
from pathlib import Path

from compiler.explain import explain, print_explanation
from compiler.explain_op import explain_op
from spyre_studio import tasks


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = (
        "Of a buffer: where it lies and why, from when to when it lives, who writes and reads it, the layouts it could "
        "have, and what would make it resident.  Of an op or an inserted copy: its division, the next best ones, and "
        "every term of its price with formula and constants.  A name that both have is the buffer's; add --op."
    )
    parser.add_argument("plan", type=Path, metavar="PLAN", help="a file that `spyre-studio compile -o` wrote")
    parser.add_argument("name", metavar="NAME", help="a buffer or op that `spyre-studio show PLAN` lists")
    parser.add_argument("--op", action="store_true", help="explain the op of that name, not the buffer it writes")


def run(arguments: argparse.Namespace) -> int:
    """Print the facts."""
    compilation, name = tasks.read_sound_plan(arguments.plan), arguments.name
    buffers, steps = compilation.plan.layouts, compilation.plan.divisions
    if arguments.op or (name not in buffers and name in steps):
        print(explain_op(compilation, name), end="")
        return 0
    print(print_explanation(explain(compilation, name)), end="")
    return 0
