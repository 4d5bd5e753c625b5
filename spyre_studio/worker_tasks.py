"""What the worker can be asked: one row per task, from JSON arguments to a JSON result.

Owns reading the arguments and the values that are shared under handles.  Refuses arguments that do not fit, in one
sentence; the work itself is in `tasks`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from frozendict import frozendict

from compiler.captured import Captured
from compiler.codec import structure, to_json, unstructure
from compiler.compilation import Compilation
from compiler.device import Device
from compiler.emit import ready
from compiler.emit.format import Ready
from compiler.errors import InputError
from compiler.pins import Pins
from spyre_studio import tasks
from spyre_studio.export_file import preview, write_export
from spyre_studio.layout_wire import plain_layout, read_graph
from spyre_studio.options import CompileOptions
from spyre_studio.output_file import write_whole
from spyre_studio.project_check import open_project
from spyre_studio.project_document import plain_project
from spyre_studio.report_forms import form_of
from spyre_studio.reporter import Reporter
from spyre_studio.request import WHOLE, CompiledParts, plan_handle
from spyre_studio.step_opinion import SimulatedRun
from spyre_studio.sweep import figures_of
from spyre_studio.views.graph_layout import LayoutCache, layout_graph

T = TypeVar("T")
SHARED: frozendict[str, type[Captured] | type[Compilation]] = frozendict(captured=Captured, compilation=Compilation)
WINDOW = "the request of the window"


@dataclass(slots=True)
class Store:
    """Values by handle, and the layouts of the open model."""

    values: dict[str, object] = field(default_factory=dict)
    layouts: LayoutCache = field(default_factory=LayoutCache)

    def resolved(self, argument: object) -> object:
        """The value that an argument names or carries; any other argument as it is."""
        if not isinstance(argument, dict) or "handle" not in argument:
            return argument
        handle = str(argument["handle"])
        if "value" in argument:
            kind = SHARED.get(str(argument.get("kind")))
            if kind is None:
                raise InputError(WINDOW, f"{handle} is of an unknown kind", "open the model again")
            self.values[handle] = structure(kind, argument["value"], WINDOW)
        if handle not in self.values:
            raise InputError(WINDOW, f"nothing is known under {handle}", "open the model again")
        return self.values[handle]

    def keep(self, handles: object) -> None:
        """Forget all but these."""
        kept = set(handles) if isinstance(handles, list) else set()
        for handle in tuple(self.values):  # lanes add values meanwhile
            if handle not in kept:
                self.values.pop(handle, None)


@dataclass(frozen=True, slots=True)
class Call:
    """One request: its arguments with shared values in place, and who hears of it."""

    arguments: Mapping[str, object]
    store: Store
    reporter: Reporter

    def get(self, name: str, kind: type[T]) -> T:
        """An argument of this type; InputError if it is missing or of another one."""
        value = self.arguments.get(name)
        if not isinstance(value, kind):
            raise InputError(WINDOW, f"its '{name}' is {value!r:.40}, not a {kind.__name__}", "try again")
        return value

    def value(self, name: str, kind: type[T]) -> T:
        """An argument in its JSON form, as a value."""
        return structure(kind, self.arguments.get(name), WINDOW)

    @property
    def model(self) -> Captured:
        """The model, which may be that of a saved plan."""
        whole = self.arguments.get("model")
        return (
            Captured(whole.graph, whole.problem.program)
            if isinstance(whole, Compilation)
            else self.get("model", Captured)
        )


Result = tuple[object, object]
"""What is kept under the request's handle, and its JSON form."""


def _open(call: Call) -> Result:
    value = tasks.open_any(call.get("spec", str), call.reporter)
    return value, unstructure(value)


def _open_project(call: Call) -> Result:
    """The model is kept under the handle of the request, plans under handles of their own."""
    project = open_project(Path(call.get("path", str)), call.reporter)
    handle = call.get("handle", str)
    for number, kept in enumerate(project.plans):
        call.store.values[plan_handle(handle, number)] = kept.compilation
    return project.captured, plain_project(project)


def _compile(call: Call) -> Result:
    made = _compiled(call)
    return made, unstructure(CompiledParts.of(made, call.model.program))


def _try(call: Call) -> Result:
    """As compile; the answer is what the plan costs, the plan stays here until somebody wants to see it."""
    made = _compiled(call)
    return made, unstructure(figures_of(made))


def _plan(call: Call) -> Result:
    """A plan that stayed here."""
    made = call.get("plan", Compilation)
    return made, unstructure(CompiledParts.of(made, call.model.program))


def _compiled(call: Call) -> Compilation:
    seconds = call.arguments.get("seconds")
    limit = float(seconds) if isinstance(seconds, int | float) else None
    options = CompileOptions(pipeline=call.get("pipeline", str), seconds=limit)
    previous = call.arguments.get("previous")
    before = previous if isinstance(previous, Compilation) else None
    device, pins = call.value("device", Device), call.value("pins", Pins)
    return tasks.compile_model(call.model, device, pins, options, before, call.reporter)


def _candidates(call: Call) -> Result:
    found = tasks.candidates_of(call.get("plan", Compilation), call.get("op", str))
    return found, unstructure(found)


def _layouts(call: Call) -> Result:
    plan, buffer, follow = call.get("plan", Compilation), call.get("buffer", str), call.get("follow", bool)
    found = tasks.layouts_of(plan, buffer, follow)
    return found, unstructure(found)


def _handover(call: Call) -> Result:
    plan, buffer = call.get("plan", Compilation), call.get("buffer", str)
    ends, drafts = (call.get("writer", str), call.get("reader", str)), call.value("drafts", dict[str, dict[str, int]])
    found = tasks.handover_of(plan, buffer, ends, drafts)
    return found, unstructure(found)


def _verify(call: Call) -> Result:
    plan, poison = call.get("plan", Compilation), call.get("poison", bool)
    report = tasks.verify(plan, None, poison, call.reporter)
    return report, unstructure(report)


def _simulate(call: Call) -> Result:
    """Columns of a million spans are a file; the answer is where it lies, and what the cost model says of each step."""
    from simulator.trace_file import save_trace

    path, plan = call.get("path", str), call.get("plan", Compilation)
    trace = tasks.simulate(plan, call.reporter)
    call.reporter.progress(None, "timing", "writing the trace")
    try:
        save_trace(trace, Path(path))
    except OSError as error:
        why = f"it cannot be written ({error.strerror})"
        raise InputError(f"the trace {path}", why, "make room for temporary files, and simulate again") from error
    run = SimulatedRun(path, tasks.step_opinions(plan, trace))
    return run, unstructure(run)


def _run(call: Call) -> Result:
    from spyre_studio.run_file import write_run

    path = call.get("path", str)
    write_run(tasks.simulate(call.get("plan", Compilation), call.reporter), Path(path))
    return path, path


def _check(call: Call) -> Result:
    verdicts = tasks.check_plan(call.get("plan", Compilation))
    return verdicts, unstructure(verdicts)


def _weigh(call: Call) -> Result:
    from spyre_studio.insight_trials import weigh  # loaded when the first one asks, not at the start of the worker

    found = weigh(call.get("plan", Compilation), call.reporter)
    return found, unstructure(found)


def _passes(call: Call) -> Result:
    before = call.arguments.get("before")
    known = before if isinstance(before, Compilation) else None
    story = tasks.passes_of(call.get("plan", Compilation), known, call.reporter)
    return story, unstructure(story)


def _report(call: Call) -> Result:
    from spyre_studio.report_made import made_report  # as above

    before, path = call.arguments.get("before"), call.get("path", str)
    plan = tasks.sound(call.get("plan", Compilation), "the plan on screen")
    compared = (before, plan) if isinstance(before, Compilation) else None
    form, simulate = form_of(path), call.get("simulate", bool)
    write_whole(Path(path), made_report(plan, compared, form, call.reporter, simulate=simulate))
    return path, path


def _export(call: Call) -> Result:
    plan, name, path = call.get("plan", Compilation), call.get("format", str), call.get("path", str)
    if name == WHOLE:
        write_whole(Path(path), to_json(plan) + "\n")
        return path, path
    chosen, partial = call.arguments.get("chosen", {}), bool(call.arguments.get("partial"))
    write_export(_ready(plan, name, chosen), path, partial=partial)
    return path, path


def _preview(call: Call) -> Result:
    plan, name, chosen = call.get("plan", Compilation), call.get("format", str), call.arguments.get("chosen", {})
    found = preview(_ready(plan, name, chosen))
    return found, unstructure(found)


def _ready(plan: Compilation, name: str, chosen: object) -> Ready:
    known = chosen if isinstance(chosen, dict) else {}
    sound = tasks.sound(plan, "the plan on screen")
    return ready(sound, name, {str(key): str(value) for key, value in known.items()})


def _layout(call: Call) -> Result:
    graph = read_graph(call.arguments.get("graph"))
    opened = frozenset(map(str, call.get("opened", list)))
    layout = layout_graph(graph, opened, call.store.layouts)
    return layout, plain_layout(layout)


class Lane(StrEnum):
    """Tasks of a lane run one after the other.  Those that wait for the model process, and the search for what the rest
    of a graph would do, take long and cannot be interrupted: nobody else waits for them.  Nor for a plan that is
    searched for or timed: the one on screen answers questions meanwhile."""

    WORK = "work"
    PLAN = "plan"
    MODEL = "model"
    SEARCH = "search"
    TIMING = "timing"
    SWEEP = "sweep"
    WEIGHING = "weighing"


@dataclass(frozen=True, slots=True)
class Task:
    """A row: what runs, and in which lane."""

    run: Callable[[Call], Result]
    lane: Lane = Lane.WORK


TASKS: frozendict[str, Task] = frozendict(
    open=Task(_open, Lane.MODEL),
    open_project=Task(_open_project, Lane.MODEL),
    compile=Task(_compile, Lane.PLAN),
    try_setting=Task(_try, Lane.SWEEP),
    plan=Task(_plan, Lane.SWEEP),
    candidates=Task(_candidates),
    layouts=Task(_layouts, Lane.SEARCH),
    weigh=Task(_weigh, Lane.WEIGHING),
    report=Task(_report, Lane.WEIGHING),
    handover=Task(_handover, Lane.SEARCH),
    verify=Task(_verify, Lane.MODEL),
    simulate=Task(_simulate, Lane.TIMING),
    run=Task(_run, Lane.TIMING),
    check=Task(_check),
    passes=Task(_passes, Lane.SEARCH),
    export=Task(_export),
    preview=Task(_preview),
    layout=Task(_layout),
)
