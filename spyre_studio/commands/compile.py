"""`spyre-studio compile MODEL`: plan a model, price the plan, prove it."""

from __future__ import annotations

import argparse
import time

from compiler.codec import to_json
from compiler.errors import InputError
from spyre_studio import tasks
from spyre_studio.commands.findings import findings
from spyre_studio.commands.planning import MODEL, Planning, add_planning, read_planning
from spyre_studio.commands.terminal import Terminal, print_json, tell
from spyre_studio.model_spec import files_of
from spyre_studio.output_file import check_output, is_stdout, write_output
from spyre_studio.solver_words import missing_note
from spyre_studio.summary import describe, summary


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = (
        "Plan a model. Exit code 1 means a finding: a check failed, or a pin was refused; the plan is written all the "
        "same. While a pass searches, a terminal shows the best time found, what no plan goes below, and the gap "
        "between them; Ctrl-C then ends the search with the best plan so far, and pressed again it ends without one."
    )
    parser.add_argument("model", metavar="MODEL", help=MODEL)
    add_planning(parser)
    parser.add_argument("-o", "--output", metavar="FILE", help="save the plan with its model, as JSON; - for stdout")
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of a summary")


def run(arguments: argparse.Namespace) -> int:
    """Compile, save, print; 1 for refused pins and failed checks."""
    planning = read_planning(arguments)
    _check_places(arguments, planning)
    terminal = Terminal()
    started = time.perf_counter()
    captured = tasks.capture(arguments.model, terminal)
    captured_at = time.perf_counter()
    compilation = planning.compile(captured, terminal)
    ended = time.perf_counter()
    terminal.done()
    if missing := missing_note(compilation):
        terminal.note(missing)
    if arguments.output is not None:
        write_output(arguments.output, to_json(compilation) + "\n")
    if arguments.json:
        print_json(summary(compilation, {"capture": captured_at - started, "compile": ended - captured_at}))
    else:
        tell("\n".join(describe(compilation)), arguments.output)
    return 1 if findings(compilation) else 0


def _check_places(arguments: argparse.Namespace, planning: Planning) -> None:
    """Refuse an output that cannot be written, before anything slow."""
    place = arguments.output
    if place is None:
        return
    check_output(place, *files_of(arguments.model), *planning.read)
    if arguments.json and is_stdout(place):
        raise InputError("-o", "both the plan and --json would go to stdout", "write the plan to a file")
