"""Any value as a listing and back: `to_text`, `from_text`.

A device is its TOML; a Problem and a Compilation are their parts one after another, the device between two marker
lines. Refuses listings that do not parse, with line number and what was expected.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from compiler.captured import Captured
from compiler.compilation import Compilation
from compiler.device import Device, parse_device
from compiler.errors import InputError
from compiler.graph import ModelGraph
from compiler.loops import LoopProgram
from compiler.machine_file import print_machine
from compiler.pins import Pins
from compiler.plan import Plan
from compiler.problem import Problem
from compiler.program import Program
from compiler.text.cursor import Lines, quote
from compiler.text.graph_text import print_graph, read_graph
from compiler.text.loops_text import print_loops, read_loops
from compiler.text.pins_text import print_pins, read_pins
from compiler.text.plan_text import print_plan, read_plan
from compiler.text.program_text import print_program, read_program
from compiler.text.result_text import print_cost, print_log, print_verdicts, read_cost, read_log, read_verdicts

DEVICE_OPEN = "=== device"
DEVICE_CLOSE = "=== end of device"
T = TypeVar("T")


def to_text(value: object) -> str:
    """The listing of a value."""
    printer = _PRINTERS.get(type(value))
    if printer is None:
        raise TypeError(f"{type(value).__name__} has no text form")
    return printer(value)


def from_text(cls: type[T], text: str) -> T:
    """The value a listing describes; InputError with the line otherwise."""
    if cls is Device:
        return _only(cls, parse_device(text, "listing"))
    device_text, rest = _cut_device(text)
    lines = Lines(rest)
    value = _READERS[cls](lines, device_text)
    if lines.more():
        raise lines.cursor().fail("the end of the listing")
    from compiler.validate import validate_value  # with it come the sets of the checker, which few processes need

    validate_value(value, "the listing")
    return _only(cls, value)


def print_device(device: Device) -> str:
    """The device file."""
    lines = [f"name = {quote(device.name)}", f"title = {quote(device.title)}", "", "[elements_per_stick]"]
    lines += [f"{dtype} = {lanes}" for dtype, lanes in device.elements_per_stick.items()]
    for key, quantity in device.numbers.items():
        lines += ["", f"[{key}]", f"value = {quantity.value!r}", f"unit = {quote(quantity.unit)}"]
        lines += [f"kind = {quote(quantity.kind)}", f"source = {quote(quantity.source)}"]
        lines += [f"accuracy = {quote(quantity.accuracy)}"] if quantity.accuracy else []
    return "\n".join([*lines, *print_machine(device.machine)]) + "\n"


def _only(cls: type[T], value: object) -> T:
    if not isinstance(value, cls):
        raise TypeError(f"the reader made a {type(value).__name__}")
    return value


def _cut_device(text: str) -> tuple[str, str]:
    if DEVICE_OPEN not in text:
        return "", text
    before, after = text.split(DEVICE_OPEN, 1)
    if DEVICE_CLOSE not in after:
        raise InputError("the listing", f"'{DEVICE_CLOSE}' is missing", "complete it")
    device, rest = after.split(DEVICE_CLOSE, 1)
    return device, before + rest


def _print_problem(problem: Problem) -> str:
    device = f"{DEVICE_OPEN}\n{print_device(problem.device)}{DEVICE_CLOSE}\n"
    return print_loops(problem.program) + device + print_pins(problem.pins)


def _read_problem(lines: Lines, device: str) -> Problem:
    program = read_loops(lines)
    return Problem(program, parse_device(device, "listing"), read_pins(lines))


def _print_captured(captured: Captured) -> str:
    return print_graph(captured.graph) + "\n" + print_loops(captured.program)


def _read_captured(lines: Lines, _: str) -> Captured:
    graph = read_graph(lines)
    return Captured(graph, read_loops(lines))


def _print_compilation(compilation: Compilation) -> str:
    parts = [
        print_graph(compilation.graph),
        _print_problem(compilation.problem),
        print_plan(compilation.plan),
        print_program(compilation.program),
        print_cost(compilation.cost),
        print_verdicts(compilation.verdicts),
        print_log(compilation.log, compilation.solver),
    ]
    return "\n".join(parts)


def _read_compilation(lines: Lines, device: str) -> Compilation:
    graph = read_graph(lines)
    problem = _read_problem(lines, device)
    plan = read_plan(lines)
    program = read_program(lines)
    cost = read_cost(lines)
    verdicts = read_verdicts(lines)
    log, solver = read_log(lines)
    return Compilation(graph, problem, plan, program, cost, verdicts, log, solver)


_PRINTERS: dict[type, Callable[..., str]] = {
    ModelGraph: print_graph,
    LoopProgram: print_loops,
    Device: print_device,
    Pins: print_pins,
    Plan: print_plan,
    Problem: _print_problem,
    Program: print_program,
    Compilation: _print_compilation,
    Captured: _print_captured,
}
_READERS: dict[type, Callable[[Lines, str], object]] = {
    ModelGraph: lambda lines, _: read_graph(lines),
    LoopProgram: lambda lines, _: read_loops(lines),
    Pins: lambda lines, _: read_pins(lines),
    Plan: lambda lines, _: read_plan(lines),
    Problem: _read_problem,
    Program: lambda lines, _: read_program(lines),
    Compilation: _read_compilation,
    Captured: _read_captured,
}
