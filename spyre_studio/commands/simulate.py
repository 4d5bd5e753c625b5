"""`spyre-studio simulate MODEL|PLAN`: when every unit of every core does what, and what that adds up to."""

from __future__ import annotations

import argparse
import io
from pathlib import Path
from typing import BinaryIO

from compiler.compilation import Compilation
from compiler.errors import InputError
from simulator.perfetto import Detail, detail_of, write_events
from simulator.trace import Trace
from simulator.trace_file import save_trace
from spyre_studio import tasks
from spyre_studio.arguments import one_of
from spyre_studio.commands.findings import findings
from spyre_studio.commands.planning import MODEL, Planning, add_planning, read_planning
from spyre_studio.commands.terminal import Terminal, print_json, tell
from spyre_studio.model_spec import files_of
from spyre_studio.opinions import describe_opinions, opinions, opinions_document
from spyre_studio.output_file import check_output, is_stdout, write_output_with
from spyre_studio.run_summary import describe, summary
from spyre_studio.units import format_count

BINARY = ".npz"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = (
        "Run a plan on the clock of the simulated device: how long it takes, what bounds it, how busy every unit is "
        "and who waits for what. A MODEL is planned first. Exit code 1 if a pin was refused."
    )
    parser.add_argument("model", metavar="MODEL|PLAN", help=f"{MODEL}, or a saved plan")
    add_planning(parser)
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="write the trace: Trace Event JSON, which Perfetto and chrome://tracing open (- for stdout), or, if the "
        f"name ends with {BINARY}, its columns",
    )
    parser.add_argument(
        "--detail",
        choices=one_of(Detail),
        help="what the JSON has: every tile on every unit, or steps and waits only (default: tiles unless there are "
        "very many)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of a summary")


def run(arguments: argparse.Namespace) -> int:
    """Plan if necessary, run, write, print; 1 if a pin was refused."""
    planning = read_planning(arguments)
    _check_places(arguments, planning)
    terminal = Terminal()
    compilation, saved = planning.planned(arguments.model, "simulate", "simulated", terminal)
    _require_sound(compilation, arguments.model)
    trace = tasks.simulate(compilation, terminal)
    found = not saved and findings(compilation)  # those of a saved plan were told when it was made
    left_out = _write(trace, arguments, terminal)
    terminal.done()
    if left_out:
        terminal.note(left_out)
    both = opinions(compilation, trace)
    if arguments.json:
        print_json({**summary(compilation, trace), "opinions": opinions_document(both)})
    else:
        tell("\n".join((*describe(compilation, trace), *describe_opinions(both))), arguments.output)
    return 1 if found else 0


def _require_sound(compilation: Compilation, origin: str) -> None:
    """InputError for a plan that a check has refused: nothing is known of how it would run."""
    refused = next((verdict for verdict in compilation.verdicts if not verdict.ok), None)
    if refused is not None:
        raise tasks.refusal_of(refused, origin)


def _check_places(arguments: argparse.Namespace, planning: Planning) -> None:
    """Refuse what cannot be written, before anything slow."""
    place = arguments.output
    if place is None:
        if arguments.detail:
            raise InputError("--detail", "it says what is written, and nothing is", "name a file with -o")
        return
    check_output(place, *files_of(arguments.model), *planning.read)
    if arguments.json and is_stdout(place):
        raise InputError("-o", "both the trace and --json would go to stdout", "write the trace to a file")
    if arguments.detail and _is_binary(place):
        raise InputError("--detail", f"a {BINARY} file always holds everything", "leave it out, or write a .json file")


def _is_binary(place: str) -> bool:
    return Path(place).suffix.lower() == BINARY


def _write(trace: Trace, arguments: argparse.Namespace, terminal: Terminal) -> str:
    """Write what was asked for; a sentence if tiles were left out of it, else ''."""
    place = arguments.output
    if place is None:
        return ""
    terminal.progress(None, "write", place)
    if _is_binary(place):
        write_output_with(place, lambda file: save_trace(trace, file))
        return ""
    detail = detail_of(trace, arguments.detail or "")
    write_output_with(place, lambda file: _write_text(trace, file, detail))
    if arguments.detail or detail is Detail.TILES:
        return ""
    tiles = format_count(trace.spans.tiles, "tile")
    return f"{place} holds steps and waits; its {tiles} were left out, --detail {Detail.TILES} writes them all"


def _write_text(trace: Trace, file: BinaryIO, detail: Detail) -> None:
    text = io.TextIOWrapper(file, encoding="utf-8", newline="\n")
    try:
        write_events(trace, text, detail)
    finally:
        text.detach()  # what it wraps is not its own to close
