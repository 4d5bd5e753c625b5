"""`spyre-studio report PLAN [PLAN_B] -o report.html`: a saved plan for people who do not have the program."""

from __future__ import annotations

import argparse
from pathlib import Path

from spyre_studio import tasks
from spyre_studio.arguments import one_of
from spyre_studio.commands.interrupt import run_aside
from spyre_studio.commands.terminal import Terminal
from spyre_studio.foreign_file import read_places
from spyre_studio.output_file import check_output, write_output
from spyre_studio.report import FORMS
from spyre_studio.report_forms import form_of
from spyre_studio.report_made import made_report


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = (
        "Write a report of a saved plan as one HTML page that needs nothing else, or as text: verdict, insights, steps "
        "by time, buffers outside LX with reasons and remedies, maps of LX, layouts and moves; with a second plan also "
        "what that decides differently, and why. The same plan gives the same file; one that fails a check is refused."
    )
    parser.add_argument("plan", type=Path, metavar="PLAN", help="a file that `spyre-studio compile -o` wrote")
    parser.add_argument("other", type=Path, nargs="?", metavar="PLAN_B", help="another one, to compare it with")
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="the file to write; - for stdout")
    words = "html or text (default: text for a file that ends in .txt, else html)"
    parser.add_argument("--format", choices=one_of(FORMS), help=words)
    parser.add_argument(
        "--simulate", action="store_true", help="also run the plan on the clock of the simulated device"
    )
    parser.add_argument(
        "--savings",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="work out what remedies save, by making the plan again with each (default: yes)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Check, ask, write."""
    files = [arguments.plan, *([arguments.other] if arguments.other else [])]
    check_output(arguments.output, *(place for file in files for place in read_places(file)))
    plan, *others = map(tasks.read_sound_plan, files)
    compared = (plan, others[0]) if others else None
    form, terminal = form_of(arguments.output, arguments.format or ""), Terminal()

    def work() -> str:
        return made_report(plan, compared, form, terminal, simulate=arguments.simulate, savings=arguments.savings)

    text = run_aside(work, lambda: False, terminal.cancel)
    terminal.done()
    write_output(arguments.output, text)
    return 0
