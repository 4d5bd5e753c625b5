"""`spyre-studio compile MODEL`: plan a model, price the plan, prove it."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from compiler.codec import to_json
from compiler.compilation import Compilation
from compiler.pins import PinState
from spyre_studio import tasks
from spyre_studio.commands.planning import MODEL, add_planning, read_planning
from spyre_studio.commands.terminal import Terminal, print_json, warn
from spyre_studio.pins_file import write_whole
from spyre_studio.summary import describe, summary


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = (
        "Plan a model. Exit code 1 means a finding: a check failed, or a pin was refused; the plan is written all the "
        "same."
    )
    parser.add_argument("model", metavar="MODEL", help=MODEL)
    add_planning(parser)
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="save the plan with its model, as JSON")
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of a summary")


def run(arguments: argparse.Namespace) -> int:
    """Compile, save, print; 1 for refused pins and failed checks."""
    planning = read_planning(arguments)
    terminal = Terminal()
    started = time.perf_counter()
    captured = tasks.capture(arguments.model, terminal)
    captured_at = time.perf_counter()
    compilation = planning.compile(captured, terminal)
    ended = time.perf_counter()
    terminal.done()
    if arguments.output:
        write_whole(arguments.output, to_json(compilation) + "\n")
    if arguments.json:
        print_json(summary(compilation, {"capture": captured_at - started, "compile": ended - captured_at}))
    else:
        print("\n".join(describe(compilation)))
    return 1 if _findings(compilation) else 0


def _findings(compilation: Compilation) -> bool:
    """Tell of what is not as it was asked for; True if that is a finding."""
    for key, pin in compilation.plan.pins.items():
        if pin.state is not PinState.HONOURED:
            warn(f"pin {key} {pin.state}: {pin.detail}")
    for verdict in compilation.verdicts:
        for violation in verdict.violations:
            warn(f"check {verdict.check}: {violation}")
    return not compilation.ok or any(pin.state is PinState.REFUSED for pin in compilation.plan.pins.values())
