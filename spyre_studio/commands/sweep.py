"""`spyre-studio sweep MODEL --knob KNOB`: turn one knob through its values, and say what the plan costs at each."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace

from compiler.captured import Captured
from compiler.compilation import Compilation
from compiler.errors import InputError, StoppedError, StudioError
from compiler.pipelines import name_of
from spyre_studio import tasks
from spyre_studio.commands.interrupt import run_aside
from spyre_studio.commands.planning import MODEL, Planning, add_planning, read_planning
from spyre_studio.commands.terminal import Terminal, print_json, tell
from spyre_studio.model_spec import files_of
from spyre_studio.output_file import check_output, is_stdout, write_output
from spyre_studio.sweep import Base, Fault, Outcome, Setting, Sweep, figures_of
from spyre_studio.sweep_knobs import CORES, KNOBS, OP, PIPELINE, knob_of, setting_words, settings_of
from spyre_studio.sweep_report import as_csv, document, lines

_KNOBS = ", ".join(
    f"{one.key}{':NAME' if one.key == OP else ''} ({one.hint[0].lower()}{one.hint[1:]})" for one in KNOBS
)


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = (
        "Plan a model once for every value of a knob, all else the same, and compare the plans. Exit code 1 means a "
        "finding: at some value there is no plan, or a plan does not keep a pin or a check; the others are told all "
        "the same. Ctrl-C ends it with the values that were tried."
    )
    parser.add_argument("model", metavar="MODEL", help=MODEL)
    parser.add_argument("--knob", metavar="KNOB", default=CORES, help=f"{_KNOBS}; default: {CORES}")
    parser.add_argument(
        "--values",
        nargs="+",
        metavar="V",
        default=(),
        help="the values, such as 4 8 16, 25%% 50%%, or m=8,n=4 for a split; default: the usual ones of the knob",
    )
    add_planning(parser)
    parser.add_argument("-o", "--output", metavar="FILE", help="write comma-separated values; - for stdout")
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of a table")


def run(arguments: argparse.Namespace) -> int:
    """Sweep, write, print; 1 if something is not as it was asked for."""
    planning = read_planning(arguments)
    _check_places(arguments, planning)
    base = Base.of(planning.device, planning.options, planning.pins)
    values = _values(arguments.knob, arguments.values)
    settings = () if knob_of(arguments.knob)[1] and not values else settings_of(base, arguments.knob, values)
    terminal = Terminal()
    captured = tasks.capture(arguments.model, terminal)
    runner = _Runner(captured, planning, terminal)
    sweep = runner.swept(base, arguments.knob, values, settings)
    terminal.done()
    if arguments.output is not None:
        write_output(arguments.output, as_csv(sweep))
    if arguments.json:
        pipeline = name_of(planning.options.pipeline) or planning.options.pipeline
        about: dict[str, object] = {"model": captured.program.name, "device": base.device.name, "pipeline": pipeline}
        print_json(document(sweep, about))
    else:
        tell("\n".join(lines(sweep)), arguments.output)
    if runner.interrupted:
        raise KeyboardInterrupt
    return 1 if _finds(sweep) else 0


class _Runner:
    """Plans one setting after the other; `interrupted` once the interrupt key ended it."""

    def __init__(self, captured: Captured, planning: Planning, terminal: Terminal) -> None:
        self._captured, self._planning, self._terminal = captured, planning, terminal
        self.interrupted = False

    def swept(self, base: Base, knob: str, values: Sequence[str], settings: tuple[Setting, ...]) -> Sweep:
        """The sweep, as far as it came; the splits of an op are those of the plan without a change."""
        row, op = knob_of(knob)
        first: Compilation | None = None
        if op:
            first = self._planning.compile(self._captured, self._terminal)
            settings = settings_of(base, knob, values, tasks.candidates_of(first, op))
        sweep = Sweep(knob, f"splits of {op}" if op else f"{row.title[0].lower()}{row.title[1:]}", settings)
        for number, one in enumerate(settings):
            self._terminal.progress(number / len(settings), "sweep", setting_words(knob, one))
            try:
                outcome = self._tried(one, first)
            except (KeyboardInterrupt, StoppedError):
                self.interrupted = True
                break
            sweep = replace(sweep, outcomes=sweep.outcomes.set(one.key, outcome))
        return sweep

    def _tried(self, one: Setting, first: Compilation | None) -> Outcome:
        if one.now and first is not None:
            return figures_of(first)
        before, told = first if one.near else None, _Quiet(self._terminal)

        def work() -> Compilation:
            return tasks.compile_model(self._captured, one.device, one.pins, one.options, before, told)

        try:
            return figures_of(run_aside(work, lambda: False, self._terminal.cancel))
        except StoppedError:
            raise
        except StudioError as error:
            return Fault(error.what, error.why, error.remedy)


class _Quiet(Terminal):
    """The phases of one plan are not told: which value is tried is."""

    def __init__(self, terminal: Terminal) -> None:
        super().__init__()
        self._outer = terminal

    def progress(self, fraction: float | None, phase: str, detail: str = "") -> None:
        """Nothing."""

    def cancelled(self) -> bool:
        """As the terminal of the whole sweep."""
        return self._outer.cancelled()

    def note(self, sentence: str) -> None:
        """Told once in a sweep."""
        self._outer.note(sentence)


def _values(knob: str, given: Sequence[str]) -> tuple[str, ...]:
    """Values as they are written: `4,8,16` is three, but splits and pipelines have commas of their own."""
    row, op = knob_of(knob)
    if op or row.key == PIPELINE:
        return tuple(given)
    return tuple(part.strip() for text in given for part in text.split(",") if part.strip())


def _finds(sweep: Sweep) -> bool:
    found = [sweep.figures(key) for key in sweep.outcomes]
    return any(one is None or not one.ok or one.refused for one in found)


def _check_places(arguments: argparse.Namespace, planning: Planning) -> None:
    """Refuse an output that cannot be written, before anything slow."""
    place = arguments.output
    if place is None:
        return
    check_output(place, *files_of(arguments.model), *planning.read)
    if arguments.json and is_stdout(place):
        raise InputError("-o", "both the table and --json would go to stdout", "write the table to a file")
