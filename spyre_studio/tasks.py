"""Tasks: everything that takes time, as functions that the command line and the worker call alike.

Owns the only doors from this package into passes, checker and simulator, which are opened when they are first needed.
Refuses Qt, and refuses torch: what needs it runs in the model process.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from compiler.candidates import Candidate
from compiler.captured import Captured
from compiler.codec import KINDS, from_json, parse_document, structure, to_json
from compiler.compilation import Compilation, Verdict
from compiler.device import Device
from compiler.errors import InputError
from compiler.frontend.specs import foreign_code_note
from compiler.frontend.specs import read_spec as read_model_spec
from compiler.handover import Handover
from compiler.layout_candidate import LayoutCandidate
from compiler.loops import ModelSource
from compiler.pass_story import PassStory
from compiler.pins import Pins
from compiler.problem import Problem
from simulator.report import VerifyReport
from spyre_studio import model_process
from spyre_studio.captured_cache import CapturedModel, load_captured, store_captured
from spyre_studio.foreign_file import is_foreign
from spyre_studio.import_words import told
from spyre_studio.kernels_file import read_kernels
from spyre_studio.model_spec import ModelSpec, SpecKind, read_spec
from spyre_studio.options import CompileOptions
from spyre_studio.python_process import command
from spyre_studio.reporter import Reporter, stop_if_cancelled
from spyre_studio.search_run import BestSoFar
from spyre_studio.step_opinion import StepOpinion
from spyre_studio.throttle import Throttle
from spyre_studio.trace_sentence import SUFFIX as TRACE
from spyre_studio.trace_sentence import trace_refusal

if TYPE_CHECKING:
    from compiler.pipeline import Pass
    from simulator.trace import Trace

_KINDS = {"model": "a captured model", "compilation": "a saved plan"}
_REMARKS = 20  # that are told; the rest is counted
_PROJECT = "project"
_READ = (*KINDS, _PROJECT)


def open_any(spec: str, reporter: Reporter) -> Captured | Compilation:
    """What a spec names: a saved plan with fresh verdicts, or a captured model; InputError for a plan that a check
    refuses."""
    value = _read_any(spec, reporter)
    if isinstance(value, Compilation):
        reporter.progress(None, "check")
        return sound(value, spec)
    return value


def capture(spec: str, reporter: Reporter) -> Captured:
    """The model that a spec names, traced and lowered; a saved plan gives the model it was made for, even if a check
    refuses the plan."""
    value = _read_any(spec, reporter)
    return Captured(value.graph, value.problem.program) if isinstance(value, Compilation) else value


def _read_any(spec: str, reporter: Reporter) -> Captured | Compilation:
    found = read_spec(spec)
    if found.kind is SpecKind.KERNELS:
        reporter.progress(None, "read")
        return _told(read_kernels(found.path))
    if found.kind is not SpecKind.DOCUMENT:
        return _captured(found, reporter)
    reporter.progress(None, "read")
    return read_document(found.path)


def read_document(path: Path) -> Captured | Compilation:
    """A captured model or a saved plan; InputError for anything else."""
    text = read_text(path)
    kind = _kind_of(text, path)
    if kind == "model":
        return from_json(Captured, text, str(path))
    if kind == "compilation":
        return from_json(Compilation, text, str(path))
    raise InputError(str(path), f"it holds a {kind} document and no model", f"open {' or '.join(_KINDS.values())}")


def _kind_of(text: str, path: Path) -> str:
    """What kind of document it is; InputError for none, and for a project, which is many plans."""
    kind = str(parse_document(text, str(path), _READ)["kind"])
    if kind == _PROJECT:
        remedy = f"open it with `spyre-studio {path.name}` and save the plan that you mean"
        raise InputError(str(path), "it is a project, which holds many plans", remedy)
    return kind


def read_plan_file(path: Path) -> Compilation:
    """A saved plan, or kernels that were compiled already; InputError for anything else."""
    if is_foreign(path):
        return _told(read_kernels(path))
    text = read_text(path)
    kind = _kind_of(text, path)
    if kind != "compilation":
        why = f"it holds {_KINDS.get(kind, f'a {kind} document')} and not a saved plan"
        raise InputError(str(path), why, "give a file that `spyre-studio compile -o` wrote")
    return from_json(Compilation, text, str(path))


def read_sound_plan(path: Path) -> Compilation:
    """A saved plan with fresh verdicts; InputError for anything else, and for a plan that a check refuses."""
    return sound(read_plan_file(path), str(path))


def _told(compilation: Compilation) -> Compilation:
    """The same, after what was found in its files is said on stderr: no command passes over it."""
    found = told(compilation)
    more = [f"and {len(found) - _REMARKS} more remarks"] if len(found) > _REMARKS else []
    sys.stderr.writelines(f"{sentence}\n" for sentence in (*found[:_REMARKS], *more))
    return compilation


def sound(compilation: Compilation, origin: str) -> Compilation:
    """The compilation with fresh verdicts; InputError if a check refuses it: then nothing else in it can be relied
    on."""
    verdicts = check_plan(compilation)
    refused = next((verdict for verdict in verdicts if not verdict.ok), None)
    if refused is not None:
        raise refusal_of(refused, origin)
    return replace(compilation, verdicts=verdicts)


def refusal_of(verdict: Verdict, origin: str) -> InputError:
    """The sentence on a saved plan of which a check has found that it cannot be used."""
    first = verdict.violations[0] if verdict.violations else "it gives no reason"
    remedy = "compile the model again with its pins, or list all faults with `spyre-studio check`"
    return InputError(origin, f"the plan failed the check '{verdict.check}' ({first})", remedy)


def _require_text(path: Path) -> None:
    """InputError for a folder, and for a device, of which there may be no end; a pipe ends with what fills it."""
    if path.is_dir():
        raise InputError(str(path), "it is a folder without kernels", "choose a file, or a folder with kernels")
    if path.is_char_device() or path.is_block_device():
        raise InputError(str(path), "it is a device and no file", "choose a file")


def read_text(path: Path) -> str:
    """The text of a file; InputError if it cannot be read, or is a trace or what is left of one."""
    refused = trace_refusal(path) if path.suffix.lower() == TRACE else None
    if refused is not None:
        raise refused
    _require_text(path)
    try:
        return path.read_text("utf-8")
    except FileNotFoundError as error:
        raise InputError(str(path), "there is no such file", "check the path") from error
    except UnicodeDecodeError as error:
        raise trace_refusal(path) or InputError(
            str(path), "it is not a text file", "choose a file written by Spyre Studio"
        ) from error
    except OSError as error:
        raise InputError(str(path), f"it cannot be read ({error.strerror})", "check the path") from error


def _captured(spec: ModelSpec, reporter: Reporter) -> Captured:
    known = load_captured(spec) if spec.kind is SpecKind.ARCHIVE else None
    if known is None:
        known = _traced(spec, reporter)
        if spec.kind is SpecKind.ARCHIVE:
            store_captured(spec, known)
    else:
        for note in known.notes:
            reporter.note(note)
    program = known.captured.program
    source = ModelSource(spec.full, program.source.digest)
    return replace(known.captured, program=replace(program, source=source))


def _traced(spec: ModelSpec, reporter: Reporter) -> CapturedModel:
    _require_torch(spec.text)
    sizes = [word for symbol, value in spec.sizes for word in ("--size", f"{symbol}={value}")]
    with tempfile.TemporaryDirectory(prefix="spyre-studio-") as folder:
        out = Path(folder) / "model.json"
        words = command("compiler.frontend", "capture", spec.text, "-o", str(out), *sizes)
        answer = model_process.run(words, spec.text, reporter)
        return CapturedModel(from_json(Captured, read_text(out), spec.text), answer.notes)


def _require_torch(what: str) -> None:
    if importlib.util.find_spec("torch") is None:
        raise InputError(what, "reading a model takes PyTorch, which is not installed", "run scripts/run to install it")


def compile_model(
    captured: Captured,
    device: Device,
    pins: Pins,
    options: CompileOptions,
    previous: Compilation | None,
    reporter: Reporter,
) -> Compilation:
    """Plan a captured model with the pipeline of `options`; a search starts from `previous`.

    Where only pins have changed that leave layouts alone, the plan before is changed around them.
    """
    from compiler.pipeline import compile_problem

    pipeline = limited(options.pipeline, options.seconds)
    made = _near(captured, device, pins, pipeline, previous, reporter)
    if made is not None:
        return made
    return compile_problem(
        captured.graph,
        Problem(captured.program, device, pins),
        pipeline=pipeline,
        previous=previous.plan if previous is not None else None,
        progress=reporter.progress,
        cancelled=reporter.cancelled,
        enough=reporter.enough,
        found=BestSoFar(reporter.found),
    )


def _near(
    captured: Captured, device: Device, pins: Pins, pipeline: str, previous: Compilation | None, reporter: Reporter
) -> Compilation | None:
    """The plan before for other pins, if it is one of the same model, device and pipeline, and that is all it takes."""
    from compiler.pipeline import parse_pipeline, print_pipeline
    from compiler.resolve import resolve
    from compiler.watch import Watch

    if previous is None or previous.graph != captured.graph or previous.problem.device != device:
        return None
    if previous.plan.pipeline != print_pipeline(parse_pipeline(pipeline)):
        return None
    watch = Watch(reporter.progress, reporter.cancelled, reporter.enough, BestSoFar(reporter.found), previous.plan)
    return resolve(previous, pins, watch)


def limited(pipeline: str, seconds: float | None) -> str:
    """The pipeline with every pass that takes `seconds` limited to that; InputError for an unknown pipeline."""
    from compiler.pipeline import parse_pipeline, print_pipeline

    passes = parse_pipeline(pipeline)
    if seconds is None:
        return pipeline
    return print_pipeline(tuple(_limited(one, seconds) for one in passes))


def _limited(one: Pass, seconds: float) -> Pass:
    if not hasattr(one, "seconds"):
        return one
    return replace(one, seconds=seconds)  # type: ignore[type-var]  # every pass is a dataclass; its options are fields


def check_plan(compilation: Compilation) -> tuple[Verdict, ...]:
    """Every check on the plan as it stands, whatever its file says; the last ones are whether program, costs and claims
    are those of the plan."""
    from compiler.audit import audit

    return audit(compilation)


def candidates_of(compilation: Compilation, op: str) -> tuple[Candidate, ...]:
    """Divisions an op could have, best first; InputError if there is no such op."""
    from compiler.candidates import candidates

    return candidates(compilation.problem, compilation.plan, op)


def layouts_of(compilation: Compilation, buffer: str, follow: bool) -> tuple[LayoutCandidate, ...]:
    """Layouts a buffer could have, the chosen one first; with `follow` also what the graph would pay if everything else
    were chosen anew, which takes longer.  InputError if there is no such buffer."""
    from compiler.layout_candidates import layout_candidates

    return layout_candidates(compilation.problem, compilation.plan, buffer, follow)


def passes_of(compilation: Compilation, before: Compilation | None, reporter: Reporter) -> PassStory:
    """What every pass decided, found by running all but the last again; `before` is the plan a re-solve may have begun
    with.  StoppedError once the reporter is cancelled."""
    from compiler.pass_replay import replay
    from compiler.watch import Watch

    return replay(compilation, before, Watch(reporter.progress, reporter.cancelled))


def handover_of(
    compilation: Compilation, buffer: str, ends: tuple[str, str], drafts: Mapping[str, Mapping[str, int]]
) -> Handover:
    """What it costs that a writer and a reader (`ends`) of a buffer are divided differently; InputError if they are no
    such steps."""
    from compiler.handovers import handover

    return handover(compilation.problem, compilation.plan, buffer, ends, drafts)


def verify(compilation: Compilation, seed: int | None, poison: bool, reporter: Reporter) -> VerifyReport:
    """Run the program on the simulated device, and PyTorch on the same numbers: on inputs drawn with the seed, without
    one on those of the factory, where the model has one."""
    if not compilation.problem.program.source.spec:
        why = "it was read from kernels, which hold no PyTorch model to compare with"
        raise InputError(compilation.plan.model, why, "compare it with a plan of its model, or simulate it")
    source = compilation.problem.program.source
    spec = read_spec(source.spec)
    _require_torch(spec.text)
    _require_same(spec, source)
    stop_if_cancelled(reporter)
    note = foreign_code_note(read_model_spec(spec.text))
    if note:  # a plan may come from anywhere, and names the file
        reporter.note(note)
    request = {
        "program": json.loads(to_json(compilation.program)),
        "model": spec.text,
        "seed": seed,
        "poison": poison,
        "sizes": dict(spec.sizes),
        "lx_bytes": compilation.problem.device.count("lx_bytes"),
    }
    with tempfile.TemporaryDirectory(prefix="spyre-studio-") as folder:
        path = Path(folder) / "request.json"
        path.write_text(json.dumps(request), encoding="utf-8")
        answer = model_process.run(command("simulator.functional", str(path)), source.spec, reporter)
    return structure(VerifyReport, answer.message.get("result"), "the report of the simulator")


def simulate(compilation: Compilation, reporter: Reporter) -> Trace:
    """When every unit of every core does what, on the simulated device; InputError where the device file describes no
    machine, StoppedError once the reporter is cancelled."""
    from simulator.timing.simulate import simulate as simulated

    told = Throttle[tuple[float, str]](
        lambda at: reporter.progress(at[0], "timing", at[1]),
        later=lambda _seconds, _act: None,  # what is left out is not made up for: the end follows
    )
    stop_if_cancelled(reporter)
    device = compilation.problem.device
    return simulated(
        compilation.program,
        device,
        progress=lambda share, step: told.put((share, step)),
        stopped=reporter.cancelled,
    )


def step_opinions(compilation: Compilation, trace: Trace) -> tuple[StepOpinion, ...]:
    """What the cost model says of every step of a simulated run, in their order."""
    from spyre_studio.opinions import opinions

    found = opinions(compilation, trace).steps
    return tuple(StepOpinion(one.predicted_us, one.ratio, one.reason) for one in found)


def _require_same(spec: ModelSpec, source: ModelSource) -> None:
    """The numbers must come from the file that was captured."""
    if spec.kind is SpecKind.DOCUMENT:
        raise InputError(
            source.spec, "the plan does not name the model file it was made from", "compile the model again"
        )
    if source.digest and spec.digest() != source.digest:
        raise InputError(source.spec, "its file changed since the plan was made", "compile the model again")
