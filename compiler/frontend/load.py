"""Load: a model spec as people write it becomes a captured model.

Owns the way from each kind of spec to a traced program.  Refuses nothing by itself: `specs` refuses files that are no
models, each reader what it cannot read.
"""

from __future__ import annotations

from collections.abc import Mapping

from torch.export import ExportedProgram

from compiler.captured import Captured
from compiler.frontend.archive import read_archive, read_notes
from compiler.frontend.capture import Progress, capture_program, silent, trace
from compiler.frontend.factory import Example, build
from compiler.frontend.hugging_face import build_config
from compiler.frontend.specs import (
    ArchiveSpec,
    FactorySpec,
    digest,
    foreign_code_note,
    model_name,
    read_spec,
    runs_foreign_code,
)
from compiler.loops import ModelSource
from resources.examples import example

_NO_SIZES: Mapping[str, int] = {}


def load(spec: str, progress: Progress = silent, sizes: Mapping[str, int] = _NO_SIZES) -> Captured:
    """Capture the model that `spec` names: an example, `file.py:factory?a=1`, `file.pt2` or `config.json`.

    `sizes` fixes open sizes of an archive by symbol.  Raises StudioError with one sentence for anything else.
    """
    known = read_spec(spec)
    program = traced(spec, progress, sizes)
    return capture_program(program, model_name(known), ModelSource(spec, digest(known.path)), progress)


def traced(spec: str, progress: Progress = silent, sizes: Mapping[str, int] = _NO_SIZES) -> ExportedProgram:
    """The traced program on fake weights, before decomposition."""
    known = read_spec(spec)
    if isinstance(known, ArchiveSpec):
        progress(0.0, "read")
        return read_archive(known.path, sizes)
    progress(0.0, "build")
    made: Example = build(known) if isinstance(known, FactorySpec) else build_config(known)
    progress(0.05, "trace")
    return trace(made.module, made.args, made.kwargs)


def notes(spec: str) -> tuple[str, ...]:
    """What a person should know before the model is used, a sentence each."""
    known = read_spec(spec)
    if runs_foreign_code(known):
        return (foreign_code_note(known),)
    return read_notes(known.path) if isinstance(known, ArchiveSpec) and not example(spec) else ()
