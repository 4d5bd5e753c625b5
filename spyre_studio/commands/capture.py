"""`spyre-studio capture MODEL -o model.json`: trace a model and write it as loop nests."""

from __future__ import annotations

import argparse
from pathlib import Path

from compiler.codec import to_json
from spyre_studio import tasks
from spyre_studio.commands.planning import MODEL
from spyre_studio.commands.terminal import Terminal
from spyre_studio.pins_file import write_whole


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = "Trace a model, lower it, and write both the traced graph and the loop nests."
    parser.add_argument("model", metavar="MODEL", help=MODEL)
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE", help="the captured model, as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Capture and write."""
    terminal = Terminal()
    captured = tasks.capture(arguments.model, terminal)
    terminal.done()
    write_whole(arguments.output, to_json(captured) + "\n")
    print(f"{captured.program.name}: {len(captured.program.ops)} ops, {len(captured.program.buffers)} buffers")
    return 0
