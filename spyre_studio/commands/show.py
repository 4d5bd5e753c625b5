"""`spyre-studio show FILE`: any file of this program as a listing that people read and that parses back."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from frozendict import frozendict

from compiler.audit import amended
from compiler.captured import Captured
from compiler.codec import KINDS, from_json, parse_document
from compiler.compilation import Compilation
from compiler.errors import InputError
from compiler.text.document import to_text
from compiler.text.result_text import print_cost, print_log, print_verdicts
from spyre_studio import tasks
from spyre_studio.arguments import one_of
from spyre_studio.commands.interrupt import run_aside
from spyre_studio.commands.terminal import Terminal, warn
from spyre_studio.foreign_file import is_foreign
from spyre_studio.import_words import told
from spyre_studio.kernels_file import read_kernels
from spyre_studio.pass_text import print_passes
from spyre_studio.project_check import checked, model_fault
from spyre_studio.project_document import KIND as PROJECT
from spyre_studio.project_document import NEWEST, parse_project, placed
from spyre_studio.project_summary import describe_project
from spyre_studio.run_summary import describe_run
from spyre_studio.summary import describe
from spyre_studio.trace_sentence import is_trace, trace_refusal

PARTS: frozendict[str, Callable[[Compilation], str]] = frozendict(
    graph=lambda whole: to_text(whole.graph),
    loops=lambda whole: to_text(whole.problem.program),
    device=lambda whole: to_text(whole.problem.device),
    pins=lambda whole: to_text(whole.problem.pins),
    plan=lambda whole: to_text(whole.plan),
    program=lambda whole: to_text(whole.program),
    cost=lambda whole: print_cost(whole.cost),
    checks=lambda whole: print_verdicts(whole.verdicts),
    log=lambda whole: print_log(whole.log, whole.solver),
    all=to_text,
)
GIVEN = frozenset({"graph", "loops", "device", "pins"})
"""Parts that are what was asked for, whatever became of it."""


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = (
        "Print a captured model, a saved plan or an exported document as a listing, and of the trace of a simulated "
        "run its summary. Exit code 1 if a check refuses the plan."
    )
    parser.add_argument(
        "file", type=Path, metavar="FILE", help="a JSON file of this program, a project (.spyre), or a trace (.npz)"
    )
    parser.add_argument("--part", choices=one_of(PARTS), help="which part of a saved plan (default: the plan)")
    parser.add_argument(
        "--passes",
        action="store_true",
        help="what each pass of a saved plan decided and changed, found by running all but the last again",
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the listing."""
    if arguments.passes:
        return _show_passes(arguments.file, arguments.part)
    if is_trace(arguments.file):
        return _show_trace(arguments.file, arguments.part)
    refused = trace_refusal(arguments.file)
    if refused is not None:
        raise refused
    if is_foreign(arguments.file):
        return _show_kernels(arguments.file, arguments.part)
    text = tasks.read_text(arguments.file)
    origin = str(arguments.file)
    kind = str(parse_document(text, origin, (*KINDS, PROJECT), NEWEST)["kind"])
    if kind == PROJECT:
        return _show_project(text, arguments.part, origin)
    value: object = from_json(KINDS[kind], text, origin)
    if isinstance(value, Compilation):
        return _show_plan(value, arguments.part, origin)
    if arguments.part:
        raise InputError(origin, f"it holds a {kind}, which has no parts", "leave out --part")
    print(_of_model(value) if isinstance(value, Captured) else to_text(value), end="")
    return 0


def _show_kernels(path: Path, part: str | None) -> int:
    """Kernels of others as a plan, after what was found in their files."""
    whole = read_kernels(path)
    for sentence in told(whole):
        warn(sentence)
    return _show_plan(whole, part, str(path))


def _show_passes(path: Path, part: str | None) -> int:
    """The passes of a saved plan that the checks accept: of another one, what its log says need not be so."""
    if part:
        raise InputError("--passes", f"--part {part} asks for something else", "give one of the two")
    terminal = Terminal()
    whole = tasks.read_sound_plan(path)
    story = run_aside(lambda: tasks.passes_of(whole, None, terminal), terminal.stop, terminal.cancel)
    terminal.done()
    print(print_passes(story), end="")
    return 0


def _show_project(text: str, part: str | None, origin: str) -> int:
    """What is in a project; plans that do not hold and a model that is gone are told beside it."""
    if part:
        raise InputError(origin, "it holds a project, whose plans have parts", "save a plan of it and show that")
    project, refused = checked(placed(parse_project(text, origin), Path(origin)))
    for sentence in filter(None, [*refused, model_fault(project.model)]):
        warn(sentence)
    print("\n".join(describe_project(project)))
    return 1 if refused else 0


def _show_trace(path: Path, part: str | None) -> int:
    """What a simulated run adds up to, as `simulate` printed it, but for what the plan has to say of it."""
    from simulator.trace_file import load_trace

    if part:
        raise InputError(str(path), "it holds a trace, which has no parts", "leave out --part")
    print("\n".join(describe_run(load_trace(path))))
    return 0


def _show_plan(whole: Compilation, part: str | None, origin: str) -> int:
    """Print it; what the file says of itself is not passed on where it does not hold."""
    if part in GIVEN:
        print(_of_plan(whole, part), end="")
        return 0
    verdicts = tasks.check_plan(whole)
    refused = next((verdict for verdict in verdicts if not verdict.ok), None)
    if refused is not None:
        whole = amended(whole, verdicts)
        warn(tasks.refusal_of(refused, origin).sentence)
    print(_of_plan(whole, part), end="")
    return 0 if refused is None else 1


def _of_plan(whole: Compilation, part: str | None) -> str:
    """A part, or the plan below a summary in lines that a reader of listings passes over."""
    if part:
        return PARTS[part](whole)
    return "".join(f"# {line}\n" for line in describe(whole)) + to_text(whole.plan)


def _of_model(captured: Captured) -> str:
    return f"{to_text(captured.graph)}\n{to_text(captured.program)}"
