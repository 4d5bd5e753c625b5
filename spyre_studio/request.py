"""Request: one question to the worker, with how its answer is read.

Owns the arguments of every task on the window's side; `worker_tasks` reads them on the other.  Refuses to send a large
value twice: a `Shared` value travels once and is named by its handle afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, TypeVar

from compiler.captured import Captured
from compiler.codec import structure, unstructure
from compiler.compilation import Compilation, PassRecord, SolverStatus, Verdict
from compiler.handover import Handover
from compiler.layout_candidate import LayoutCandidate
from compiler.loops import LoopProgram
from compiler.plan import Plan
from compiler.price import Cost
from compiler.problem import Problem
from compiler.program import Program
from simulator.report import VerifyReport
from spyre_studio.options import CompileOptions
from spyre_studio.preview import Preview
from spyre_studio.step_opinion import SimulatedRun
from spyre_studio.sweep import Figures

if TYPE_CHECKING:
    from compiler.candidates import Candidate
    from spyre_studio.views.graph_groups import GraphInput
    from spyre_studio.views.graph_layout import GraphLayout

T = TypeVar("T")
Plain = Mapping[str, object]
WORKER = "the answer of the worker"
WHOLE = "compilation"
"""The format of a saved plan: everything, so that it can be opened, checked and verified again."""


@dataclass(frozen=True, slots=True, eq=False)
class Shared:
    """A value that the worker keeps under a handle."""

    handle: str
    value: Captured | Compilation


@dataclass(frozen=True, slots=True, eq=False)
class Request(Generic[T]):
    """`arguments` are JSON data and Shared values; `read` turns the plain result into a value, on any thread.

    With `keep_as` the worker keeps the result under that handle.
    """

    task: str
    arguments: Plain
    read: Callable[[object], T]
    keep_as: str = ""


def open_request(spec: str, keep_as: str) -> Request[Captured | Compilation]:
    """Open a model, a captured model or a saved plan."""
    return Request("open", {"spec": spec}, _read_opened, keep_as)


def plan_handle(handle: str, number: int) -> str:
    """Under which handle the worker keeps a plan of the project whose model has `handle`."""
    return f"{handle}.{number}"


def compile_request(
    model: Shared, problem: Problem, options: CompileOptions, previous: Shared | None, keep_as: str
) -> Request[Compilation]:
    """Compile the problem of an open model (or of the plan it was opened from); a search starts from `previous`."""
    return Request("compile", _compiling(model, problem, options, previous), _whole(model, problem, previous), keep_as)


def try_request(
    model: Shared, problem: Problem, options: CompileOptions, previous: Shared | None, keep_as: str
) -> Request[Figures]:
    """As compile; the answer is what the plan costs, the plan itself stays with the worker."""
    arguments = _compiling(model, problem, options, previous)
    return Request("try_setting", arguments, lambda plain: structure(Figures, plain, WORKER), keep_as)


def kept_plan_request(model: Shared, problem: Problem, handle: str, shown: Shared | None) -> Request[Compilation]:
    """Fetch the plan for a problem, which the worker keeps under a handle; `shown` is the plan on screen."""
    arguments: Plain = {"model": model, "plan": {"handle": handle}}
    return Request("plan", arguments, _whole(model, problem, shown))


def _compiling(model: Shared, problem: Problem, options: CompileOptions, previous: Shared | None) -> Plain:
    return {
        "model": model,
        "device": unstructure(problem.device),
        "pins": unstructure(problem.pins),
        "pipeline": options.pipeline,
        "seconds": options.seconds,
        "previous": previous,
    }


def _whole(model: Shared, problem: Problem, previous: Shared | None) -> Callable[[object], Compilation]:
    """Reads what a compilation adds to its model and problem."""
    graph = model.value.graph

    def read(plain: object) -> Compilation:
        parts = structure(CompiledParts, plain, WORKER)
        solved = parts.problem_of(problem, previous)
        whole = Compilation(
            graph, solved, parts.plan, parts.program, parts.cost, parts.verdicts, parts.log, parts.solver
        )
        return _prepared(whole)

    return read


@dataclass(frozen=True, slots=True)
class CompiledParts:
    """What a compilation adds to its graph and problem, which whoever asked for it has.

    `loops` is the program with what its views need, None if they need nothing.
    """

    plan: Plan
    program: Program
    cost: Cost
    verdicts: tuple[Verdict, ...]
    log: tuple[PassRecord, ...]
    solver: SolverStatus
    loops: LoopProgram | None = None

    @classmethod
    def of(cls, whole: Compilation, asked: LoopProgram | None = None) -> CompiledParts:
        """The parts of a compilation of the program that was asked about."""
        loops = None if asked is None or whole.problem.program is asked else whole.problem.program
        return cls(whole.plan, whole.program, whole.cost, whole.verdicts, whole.log, whole.solver, loops)

    def problem_of(self, asked: Problem, previous: Shared | None) -> Problem:
        """The problem that was compiled.

        Its program is the object that is known already if that is equal, because views tell models apart by it.
        """
        if self.loops is None:
            return asked
        before = previous.value if previous else None
        known = before.problem.program if isinstance(before, Compilation) else None
        return replace(asked, program=known if known is not None and known == self.loops else self.loops)


def verify_request(plan: Shared, poison: bool) -> Request[VerifyReport]:
    """Run the program on the simulated device and compare with PyTorch."""
    arguments: Plain = {"plan": plan, "poison": poison}
    return Request("verify", arguments, lambda plain: structure(VerifyReport, plain, WORKER))


def simulate_request(plan: Shared, path: str) -> Request[SimulatedRun]:
    """Run a plan against the clock of the simulated device, and write its trace to a path."""
    return Request("simulate", {"plan": plan, "path": path}, lambda plain: structure(SimulatedRun, plain, WORKER))


def run_request(plan: Shared, path: str) -> Request[str]:
    """Simulate a plan and write its run for a person; the answer is the path."""
    return Request("run", {"plan": plan, "path": path}, lambda plain: structure(str, plain, WORKER))


def candidates_request(plan: Shared, op: str) -> Request[tuple[Candidate, ...]]:
    """Ask which divisions an op could have, best first."""
    return Request("candidates", {"plan": plan, "op": op}, _read_candidates)


def _read_candidates(plain: object) -> tuple[Candidate, ...]:
    from compiler.candidates import Candidate  # not a value module: loaded when the first answer comes

    return structure(tuple[Candidate, ...], plain, WORKER)


def layouts_request(plan: Shared, buffer: str, follow: bool) -> Request[tuple[LayoutCandidate, ...]]:
    """Ask which layouts a buffer could have; `follow`: also if everything else were chosen anew."""
    arguments: Plain = {"plan": plan, "buffer": buffer, "follow": follow}
    return Request("layouts", arguments, lambda plain: structure(tuple[LayoutCandidate, ...], plain, WORKER))


def handover_request(
    plan: Shared, buffer: str, ends: tuple[str, str], drafts: Mapping[str, Mapping[str, int]]
) -> Request[Handover]:
    """Ask what it costs that a writer and a reader (`ends`) of a buffer are divided differently."""
    plain = {name: dict(factors) for name, factors in drafts.items()}
    arguments: Plain = {"plan": plan, "buffer": buffer, "writer": ends[0], "reader": ends[1], "drafts": plain}
    return Request("handover", arguments, lambda plain: structure(Handover, plain, WORKER))


def check_request(plan: Shared) -> Request[tuple[Verdict, ...]]:
    """Prove a plan again."""
    return Request("check", {"plan": plan}, lambda plain: structure(tuple[Verdict, ...], plain, WORKER))


def export_request(
    plan: Shared, name: str, path: str, chosen: Mapping[str, str] | None = None, *, partial: bool = False
) -> Request[str]:
    """Write a plan in a format of `compiler.emit`, or WHOLE; the answer is the path."""
    arguments: Plain = {"plan": plan, "format": name, "path": path, "chosen": dict(chosen or {}), "partial": partial}
    return Request("export", arguments, lambda plain: structure(str, plain, WORKER))


def preview_request(plan: Shared, name: str, chosen: Mapping[str, str]) -> Request[Preview]:
    """How a plan begins in a format, and what the format cannot say of it."""
    arguments: Plain = {"plan": plan, "format": name, "chosen": dict(chosen)}
    return Request("preview", arguments, lambda plain: structure(Preview, plain, WORKER))


def layout_request(graph: GraphInput, opened: frozenset[str]) -> Request[GraphLayout]:
    """Lay out a folded graph with these groups open."""
    from spyre_studio.layout_wire import plain_graph, read_layout  # knows layouts: not needed for the first paint

    return Request("layout", {"graph": plain_graph(graph), "opened": sorted(opened)}, read_layout)


def _read_opened(plain: object) -> Captured | Compilation:
    if isinstance(plain, dict) and "problem" in plain:
        return _prepared(structure(Compilation, plain, WORKER))
    return structure(Captured, plain, WORKER)


def _prepared(whole: Compilation) -> Compilation:
    from spyre_studio.prepared import prepared  # knows how views begin: loaded when the first plan comes

    return prepared(whole)
