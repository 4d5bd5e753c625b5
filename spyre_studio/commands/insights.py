"""`spyre-studio insights PLAN`: what costs most in a saved plan, and what the nearest remedies save."""

from __future__ import annotations

import argparse
from pathlib import Path

from compiler.errors import StoppedError
from spyre_studio import tasks
from spyre_studio.commands.interrupt import run_aside
from spyre_studio.commands.terminal import Terminal, print_json
from spyre_studio.insight_trials import weigh
from spyre_studio.insight_weighed import NOT_WEIGHED
from spyre_studio.insight_words import describe, document
from spyre_studio.insights import insights


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = (
        "Say what costs most in a saved plan: steps, cost terms, buffers outside LX, idle cores, copies, padding, and "
        "what was asked for and did not come about; each with remedies. What a remedy saves is the difference of two "
        "predicted times: the plan is made again with it, unless --no-savings says not to."
    )
    parser.add_argument("plan", type=Path, metavar="PLAN", help="a file that `spyre-studio compile -o` wrote")
    parser.add_argument(
        "--savings",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="work out what remedies save (default: yes; takes seconds to a minute)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of lines")


def run(arguments: argparse.Namespace) -> int:
    """Look, try remedies, print."""
    terminal = Terminal()
    compilation = tasks.read_sound_plan(arguments.plan)
    try:
        weighed = (
            run_aside(lambda: weigh(compilation, terminal), lambda: False, terminal.cancel)
            if arguments.savings
            else NOT_WEIGHED
        )
    except StoppedError as error:
        raise KeyboardInterrupt from error
    terminal.done()
    found = insights(compilation, weighed=weighed)
    if arguments.json:
        print_json(document(compilation, found, weighed))
    else:
        print("\n".join(describe(compilation, found, weighed)))
    return 0
