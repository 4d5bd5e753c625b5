"""Arguments that say how a model is planned, for the commands that plan.

Owns the options and reading them before anything slow starts.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from compiler.captured import Captured
from compiler.compilation import Compilation
from compiler.device import Device, device_names
from compiler.errors import InputError
from compiler.pins import Pins
from spyre_studio import tasks
from spyre_studio.arguments import time_limit, whole_number
from spyre_studio.commands.interrupt import run_aside
from spyre_studio.commands.terminal import Terminal
from spyre_studio.options import CompileOptions
from spyre_studio.pins_file import read_pins_file

MODEL = (
    "an example's name, a .pt2 archive (file.pt2?NAME=64 closes an open size, whose NAME opening the file tells), "
    "file.py:factory (file.py:factory?layers=2 passes arguments), or a captured model"
)
_STOPPABLE = "co-optimize"
"""The pass that has a plan whenever it is asked to end: that of the passes before it."""


@dataclass(frozen=True, slots=True)
class Planning:
    """How to plan; `given` names the options that were on the command line, `read` the files they named."""

    device: Device
    options: CompileOptions
    pins: Pins
    given: tuple[str, ...]
    read: tuple[Path, ...]

    def compile(self, captured: Captured, terminal: Terminal) -> Compilation:
        """The plan for a captured model; the interrupt key ends a search with the best so far."""

        def work() -> Compilation:
            return tasks.compile_model(captured, self.device, self.pins, self.options, None, terminal)

        if _STOPPABLE in self.options.pipeline:
            terminal.expect()
        return run_aside(work, terminal.stop, terminal.cancel)

    def planned(self, spec: str, verb: str, done: str, terminal: Terminal) -> tuple[Compilation, bool]:
        """The plan that a spec names or that is made for its model, and whether it was a saved one.

        InputError for options beside a saved plan: it is `done` ("verified") as it is; `verb` is what to do then.
        """
        value = tasks.open_any(spec, terminal)
        if not isinstance(value, Compilation):
            return self.compile(value, terminal), False
        if self.given:
            why = f"a saved plan is {done} as it is, so that {', '.join(self.given)} has no effect"
            raise InputError(spec, why, f"compile the model with these options, then {verb}")
        return value, True


def add_planning(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    group = parser.add_argument_group("planning")
    group.add_argument("--device", metavar="NAME|FILE", help=f"one of {', '.join(device_names())}, or a .toml file")
    group.add_argument("--cores", type=whole_number(1), metavar="N", help="use only so many cores of the device")
    group.add_argument("--pipeline", metavar="NAME|SPEC", help="a named pipeline or a list of passes (default: staged)")
    group.add_argument("--pins", type=Path, metavar="FILE", help="a JSON file with what you want to fix")
    group.add_argument(
        "--seconds", type=time_limit, metavar="S", help="limit for each pass that searches (staged has none)"
    )


def read_planning(arguments: argparse.Namespace) -> Planning:
    """The options, with device, pipeline and pins file already read; StudioError if one cannot be used."""
    names = ("device", "cores", "pipeline", "pins", "seconds")
    given = tuple(f"--{name}" for name in names if getattr(arguments, name) is not None)
    default = CompileOptions()
    pipeline = default.pipeline if arguments.pipeline is None else arguments.pipeline
    options = CompileOptions(arguments.device or default.device, arguments.cores, pipeline, arguments.seconds)
    device = options.load()
    pins = read_pins_file(arguments.pins) if arguments.pins else Pins()
    tasks.limited(options.pipeline, options.seconds)
    files = tuple(Path(text) for text in (arguments.device, arguments.pins) if text)
    return Planning(device, options, pins, given, files)
