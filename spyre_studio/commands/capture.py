"""`spyre-studio capture MODEL -o model.json`: trace a model and write it as loop nests."""

from __future__ import annotations

import argparse

from compiler.codec import to_json
from compiler.counts import counted
from spyre_studio import tasks
from spyre_studio.commands.planning import MODEL
from spyre_studio.commands.terminal import Terminal, tell
from spyre_studio.model_spec import files_of
from spyre_studio.output_file import check_output, write_output


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = "Trace a model, lower it, and write both the traced graph and the loop nests."
    parser.add_argument("model", metavar="MODEL", help=MODEL)
    words = "the captured model, as JSON; - for stdout"
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help=words)


def run(arguments: argparse.Namespace) -> int:
    """Capture and write."""
    check_output(arguments.output, *files_of(arguments.model))
    terminal = Terminal()
    captured = tasks.capture(arguments.model, terminal)
    terminal.done()
    write_output(arguments.output, to_json(captured) + "\n")
    program = captured.program
    counts = f"{counted(len(program.ops), 'op')}, {counted(len(program.buffers), 'buffer')}"
    tell(f"{program.name}: {counts}", arguments.output)
    return 0
