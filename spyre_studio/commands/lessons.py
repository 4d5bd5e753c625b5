"""`spyre-studio lessons [NAME ...]`: published studies, beside what cost model and simulator make of them."""

from __future__ import annotations

import argparse
from functools import partial

from spyre_studio.commands.interrupt import run_aside
from spyre_studio.commands.terminal import Terminal, print_json, warn
from spyre_studio.lessons import LESSONS, chosen, document_of, failures, learn, table_of
from spyre_studio.lessons_bench import LessonBench


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = (
        "Run published studies through compiler and simulator; print what was published, what the cost model predicts, "
        "what was simulated, and why they deviate. Exit code 1 if a figure that has to come out as published does not."
    )
    known = ", ".join(lesson.name for lesson in LESSONS)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {known} (default: all)")
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of tables")


def run(arguments: argparse.Namespace) -> int:
    """Run the lessons; 1 if one does not come out that has to."""
    lessons = chosen(arguments.names)
    terminal = Terminal()
    bench = LessonBench(terminal)
    learnt = []
    for lesson in lessons:
        learnt.append(run_aside(partial(learn, lesson, bench), lambda: False, terminal.cancel))
        terminal.done()
        if not arguments.json:
            print(table_of(learnt[-1]), end="\n\n" if lesson is not lessons[-1] else "\n", flush=True)
    if arguments.json:
        print_json(document_of(learnt))
    wrong = failures(learnt)
    for sentence in wrong:
        warn(sentence)
    return 1 if wrong else 0
